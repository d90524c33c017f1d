"""Pages of jobs in a browser, if one is installed."""

import html
import json
import re
import subprocess

import pytest

from aeron_cluster.pipeline.jobs.latency import analyze_latency
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from tests.unit.pipeline.jobs.days import BusyDay
from tools.browser import BROWSER_OPTIONS

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

WIDTHS = (1280, 390, 360)

# Checks the pages in its frames, which have no scripts.
LOOK = """
const found = [];
for (const frame of document.querySelectorAll("iframe")) {
  const page = frame.contentDocument, complaints = [];
  const width = page.documentElement.clientWidth;
  if (page.documentElement.scrollWidth > width) complaints.push("wider than the screen");
  for (const text of page.querySelectorAll("caption span, p, li, dt, dd, h1, h2")) {
    const box = text.getBoundingClientRect();
    if (box.right > width) complaints.push("cut off: " + text.textContent);
  }
  const shown = [...page.querySelectorAll("figure svg[role]")].filter(each => each.clientWidth);
  for (const plot of shown) {
    const whole = plot.getBoundingClientRect(), places = [];
    for (const text of plot.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1
          || box.bottom > whole.bottom + 1) complaints.push("out of its plot: " + text.textContent);
      if (box.height < 10) complaints.push("too small: " + text.textContent);
      for (const [other, label] of places)
        if (box.left < other.right && other.left < box.right && box.top + 4 < other.bottom
            && other.top + 4 < box.bottom) complaints.push(label + " over " + text.textContent);
      places.push([box, text.textContent]);
    }
  }
  found.push({width: frame.clientWidth, plots: shown.length, complaints});
}
document.getElementById("found").textContent = JSON.stringify(found);
"""


@pytest.mark.parametrize("job", ["sessions", "latency"])
def test_nothing_is_clipped_or_overlapping(browser, tmp_path, job):
    node, egress = BusyDay(count=600).put(tmp_path)
    result = analyze_sessions(node) if job == "sessions" else analyze_latency(node, egress=[egress])
    frames = "".join(
        f'<iframe srcdoc="{html.escape(result.page)}" style="border:0;width:{width}px;'
        'height:6000px"></iframe>'
        for width in WIDTHS
    )
    (tmp_path / "look.html").write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><body>{frames}<pre id="found"></pre>'
        f'<script>addEventListener("load", () => {{{LOOK}}});</script>',
        encoding="utf-8",
    )
    dom = subprocess.run(
        [
            browser,
            *BROWSER_OPTIONS,
            "--dump-dom",
            f"--user-data-dir={tmp_path / 'profile'}",
            (tmp_path / "look.html").as_uri(),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=120,
    ).stdout.decode()
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom)[1]))
    plots = result.page.count('<svg class="wide"')
    assert found == [{"width": width, "plots": plots, "complaints": []} for width in WIDTHS]
