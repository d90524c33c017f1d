"""Pages of jobs: complete, self-contained, and accessible."""

import re
import sys
import xml.etree.ElementTree as ET
from functools import partial
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from aeron_cluster.errors import MissingPackageError
from aeron_cluster.pipeline.jobs.latency import analyze_latency
from aeron_cluster.pipeline.jobs.pages.page import Note, Plot, Section, Table, page
from aeron_cluster.pipeline.jobs.pages.plots import Bar, Lane, Mark, pictures
from aeron_cluster.pipeline.jobs.pages.texts import bytes_text, count_text, duration_text
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from tests.unit.pipeline.jobs.days import BusyDay

pytest.importorskip("pyarrow")
matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Parses a page as a browser does, and rejects ambiguous markup."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader.tags


@pytest.fixture(scope="module", params=["sessions", "latency"])
def report(request, tmp_path_factory):
    node, egress = BusyDay().put(tmp_path_factory.mktemp("busy"))
    if request.param == "sessions":
        return analyze_sessions(node).page
    return analyze_latency(node, egress=[egress]).page


def test_page_loads_nothing(report):
    for tag, attributes in read(report):
        assert tag not in {"script", "link", "img", "iframe", "object", "image", "use", "a"}
        assert not {"src", "href", "srcset", "onload", "onclick"} & set(attributes)
    assert "url(" not in report
    assert "@import" not in report
    assert "default-src 'none'" in report


def test_ids_are_unique_and_labels_refer_to_them(report):
    tags = read(report)
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in tags:
        for name in attributes.get("aria-labelledby", "").split():
            assert name in ids


def test_plots_are_described_in_text(report):
    plots = [each for tag, each in read(report) if tag == "svg" and "aria-hidden" not in each]
    assert len(plots) >= 6
    assert len([each for each in plots if each["class"] == "wide"]) == len(plots) / 2
    for each in plots:
        assert each["role"] == "img"
        assert len(each["aria-labelledby"].split()) == 2
    for text in re.findall(r"<svg.*?</svg>", report, re.DOTALL):
        ET.fromstring(text)


SIZES = {"wide": 920, "narrow": 358}
PLOT = r'<svg class="(wide|narrow)" viewBox="0 0 (\d+) (\d+)"(.*?)</svg>'


def places(element):
    """Return the points of a path."""
    numbers = [float(each) for each in re.findall(r"-?[\d.]+", element.get("d", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_everything_drawn_and_written_is_in_the_picture(report):
    found = re.findall(PLOT, report, re.DOTALL)
    assert {kind: int(width) for kind, width, _, _ in found} == SIZES
    for _, width, height, inside in found:
        texts = 0
        for element in ET.fromstring(f"<svg{inside}</svg>").iter():
            for x, y in places(element):
                assert -1 <= x <= int(width) + 1
                assert -1 <= y <= int(height) + 1
            if element.tag == "text":
                texts += 1
                length = 6.0 * len(element.text)
                anchor = re.search("text-anchor: (\\w+)", element.attrib["style"])[1]
                begin = float(element.attrib["x"]) - {"end": length, "middle": length / 2}[anchor]
                assert begin > -1, element.text
                assert begin + length < int(width) + 1, element.text
                assert 0 < float(element.attrib["y"]) <= int(height)
        assert texts >= 3


def test_parts_of_a_plot_have_titles(report):
    for _, _, _, inside in re.findall(PLOT, report, re.DOTALL):
        svg = ET.fromstring(f"<svg{inside}</svg>")
        named = [each for each in svg.iter("g") if each.find("title") is not None]
        assert named
        assert all(each.find("title").text and each.find("path") is not None for each in named)


def test_page_supports_narrow_screens_and_dark_mode(report):
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in report
    assert "prefers-color-scheme:dark" in report
    assert "max-width:700px" in report
    for tag, attributes in read(report):
        if tag == "div" and attributes.get("class") == "table":
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_contrast_with_the_background(report, scheme):
    roots = re.findall(r":root\{(.*?)\}", report, re.DOTALL)
    colours = dict(re.findall(r"--(\w+):(#\w+)", roots[0 if scheme == "light" else 1]))
    for name, least in (("text", 7), ("dim", 4.5), ("one", 4.5), ("two", 4.5), ("mark", 4.5)):
        for ground in ("ground", "panel"):
            assert contrast(colours[name], colours[ground]) >= least, name


def contrast(one, other):
    """Return the contrast of two colours by WCAG."""

    def light(colour):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


SUMMARY = {
    "member": 1,
    "recording": 2,
    "archive": "/somewhere",
    "from_position": 0,
    "to_position": 64,
    "begin_us": None,
    "left_out": 0,
}


def test_names_are_rendered_as_text():
    hostile = "<script>alert('1')</script> & \"more\""

    def draw(canvas):
        canvas.times(0, 1)
        canvas.values(1)
        canvas.marks([Mark(0.5, hostile)])
        canvas.steps(hostile, "one", [0], [1], 1)
        canvas.bars([Bar(0, 1, 1, hostile)])
        canvas.lanes([Lane(hostile, 0, 1, 0, 1, hostile)])

    plot = Plot("x", hostile, hostile, pictures(draw), [("one", hostile)], hostile)
    parts = [plot, Table(hostile, [hostile], [[hostile]]), Note(hostile), None]
    summary = {**SUMMARY, "archive": hostile}
    text = page(hostile, summary, [(hostile, hostile)], [Section(hostile, parts)], [hostile])
    assert "<script" not in text
    assert text.count("&lt;script") > 20
    read(text)


def written(draw, kind="wide"):
    """Return the texts of a picture in order, with those below first."""
    (inside,) = (each.elements for each in pictures(draw) if each.kind == kind)
    return [each.text for each in ET.fromstring(inside).iter("text")]


def test_scales_have_sensible_ticks():
    assert written(lambda canvas: canvas.values(7))[-5:] == ["0", "2", "4", "6", "8"]
    assert written(lambda canvas: canvas.values(250_000))[-6:] == [
        "0", "50k", "100k", "150k", "200k", "250k"
    ]  # fmt: skip
    assert written(lambda canvas: canvas.values(9, is_complete=True))[-6:] == [
        "0", "2", "4", "6", "8", "10"
    ]  # fmt: skip
    assert written(lambda canvas: canvas.values(45e6, duration_text))[-6:] == [
        "0 ns", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms"
    ]  # fmt: skip
    assert written(lambda canvas: canvas.durations(1, 2.5e9))[-6:] == [
        "1 ns", "100 ns", "10 us", "1 ms", "100 ms", "10 s"
    ]  # fmt: skip
    assert written(lambda canvas: canvas.durations(1e9, 9e12))[-5:] == [
        "1 s", "10 s", "100 s", "1,000 s", "10,000 s"
    ]  # fmt: skip


def times(begin_s, end_s, kind="wide"):
    def draw(canvas):
        canvas.times(begin_s, end_s)
        canvas.axes.set_yticks([])

    return written(draw, kind)


def test_tick_labels_are_as_exact_as_their_steps():
    assert times(0, 3600 * 5) == ["01 Jan", "01:00", "02:00", "03:00", "04:00", "05:00"]
    assert times(0.2, 0.9) == [f"00:00:00.{tenth}00" for tenth in (2, 4, 6, 8)]
    assert times(5, 5) != []


def test_marks_outside_of_the_picture_are_not_drawn():
    def draw(canvas):
        canvas.times(100, 200)
        canvas.marks([Mark(time, f"at {time}") for time in (99, 100, 150, 200, 201)])

    for each in pictures(draw):
        found = re.findall(r"<title>at (\d+)</title>", each.elements)
        assert found == ["100", "150", "200"]


@pytest.mark.parametrize(("kind", "count"), [("wide", 10), ("narrow", 3)])
def test_ticks_fit_the_available_space(kind, count):
    for power in range(-3, 10):
        for begin in (0, 0.55, 1234.5, 1.7e9):
            ticks = times(begin, begin + 1.7 * 10**power, kind)
            assert 2 <= len(ticks) <= count + 1
            # Days are labelled at midnight, so labels between them may be equal.
            assert all(one != other for one, other in pairwise(ticks))


def test_values_from_the_least_to_the_longest_are_in_the_picture():
    def draw(canvas, high_ns):
        canvas.durations(1, high_ns, is_below=True)
        canvas.axes.set_yticks([])

    for high_ns in (1e1, 1e2, 1e9, 1e18):
        for kind in ("wide", "narrow"):
            assert 2 <= len(written(partial(draw, high_ns=high_ns), kind)) <= 7


def test_times_below_a_ns_are_in_the_picture():
    """In a log with times in ns, the first bar is from half a ns on."""

    def draw(canvas):
        canvas.durations(0.5, 64, is_below=True)
        assert canvas.axes.get_xlim() == (0.5, 100)
        canvas.values(1)

    assert written(draw)[:3] == ["1 ns", "10 ns", "100 ns"]


def test_log_without_a_readable_entry_is_reported_as_damaged():
    text = page("a log", {**SUMMARY, "left_out": 2}, [], [], ["left_out"])
    assert "2 damaged parts are left out" in text
    assert "clocks" not in text


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_missing_package_still_gives_figures_and_tables(tmp_path, monkeypatch, package):
    node, _ = BusyDay(count=100).put(tmp_path / "node")
    monkeypatch.setitem(sys.modules, package, None)
    result = analyze_sessions(node)
    assert result.summary["sessions"]
    with pytest.raises(MissingPackageError, match=r"pip install 'aeron-cluster\[report\]'"):
        result.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_numbers_are_printed_with_units():
    assert [count_text(each) for each in (0, 999, 9999, 12_345, 3e6, 0.5)] == [
        "0", "999", "9,999", "12.3k", "3M", "0.5"
    ]  # fmt: skip
    assert [duration_text(each) for each in (0, 999, 1500, 2e6, 61e9, 7.2e12)] == [
        "0 ns", "999 ns", "1.5 us", "2 ms", "1.02 min", "2 h"
    ]  # fmt: skip
    assert [bytes_text(each) for each in (5, 2048, 3 << 20)] == ["5 B", "2 KiB", "3 MiB"]


def test_numbers_that_are_rounded_up_to_a_thousand_have_no_exponent():
    assert [duration_text(each) for each in (999_499, 999_500, 999_900_000)] == [
        "999 us", "1,000 us", "1,000 ms"
    ]  # fmt: skip
    assert [count_text(each) for each in (999.7, 999_700)] == ["1,000", "1,000k"]
    assert bytes_text(999.7 * 1024) == "1,000 KiB"


def test_the_users_settings_of_matplotlib_do_not_alter_plots(monkeypatch):
    def draw(canvas):
        canvas.times(1_700_000_000, 1_700_100_000)
        canvas.values(10)
        canvas.line("a line", "one", [19_676, 19_677], [1, 2])
        canvas.marks([Mark(1_700_050_000, "a mark")])

    plain = pictures(draw)
    users = {"axes.spines.bottom": False, "lines.marker": "o", "timezone": "Asia/Tokyo"}
    for name, value in users.items():
        monkeypatch.setitem(matplotlib.rcParams, name, value)
    assert pictures(draw) == plain
    assert {name: matplotlib.rcParams[name] for name in users} == users
