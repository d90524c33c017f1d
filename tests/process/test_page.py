"""The live page of a running node: by HTTP, and in a browser if one is installed."""

import html
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from tests.conftest import PYTHON_PATH
from tools.browser import BROWSER_OPTIONS

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("pyarrow")

LOOK = ("--virtual-time-budget=5000", "--dump-dom")
MARKUP = "<img src=x onerror=alert(1)>"


def start(*arguments, until="Ctrl-C ends it"):
    process = subprocess.Popen(
        [sys.executable, "-m", "aeron_cluster.cli", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
    )
    printed = []
    for line in process.stderr:
        printed.append(line)
        if until in line:
            break
    assert until in "".join(printed), printed
    return process, printed


def stop(process, number=signal.SIGTERM):
    process.send_signal(number)
    try:
        assert process.wait(60) == 0, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def address(tmp_path_factory, free_port):
    """Yield the address of the page of a node that has processed a request."""
    data, port = tmp_path_factory.mktemp("page") / "data", free_port(10)
    node, _ = start(
        *("node", "--service", "aeron_cluster.cli.accounts:Accounts", "--dir", data),
        *("--port-base", port, "--latency"),
        *("-o", "aeron.cluster.log.channel=aeron:udp?term-length=1m"),
    )
    try:
        page, printed = start("page", data, "--listen", "127.0.0.1:0")
        address = re.search(r"page at (http://127\.0\.0\.1:\d+)", "".join(printed))[1]
        try:
            get(f"{address}/state")  # the next state has the latencies since this one
            subprocess.run(
                [
                    *(sys.executable, "-m", "aeron_cluster.cli", "send"),
                    *("--to", f"localhost:{port + 1}", MARKUP),
                ],
                check=False,  # the request is not a valid entry
                capture_output=True,
                timeout=300,
            )
            yield address
        finally:
            stop(page, signal.SIGINT)
    finally:
        stop(node)


def get(url, host=None):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def test_the_state_has_members_latency_and_log(address):
    state = json.loads(get(f"{address}/state")[2])
    (member,) = state["members"]
    assert state["leader"] == member["id"] == 0
    assert (member["role"], member["state"], member["term"]) == ("leader", "active", 0)
    assert member["committed"] > 0
    assert member["behind"] == 0
    assert list(state["latency"]) == [
        *("log", "recorded", "committed", "service", "egress", "total"),
    ]
    rows = json.loads(get(f"{address}/log")[2])["rows"]
    positions = [each["position"] for each in rows]
    assert positions == sorted(positions, reverse=True)
    assert rows[-1]["type"] == "NewLeadershipTermEvent"
    assert any(MARKUP in each["payload"] for each in rows)


def test_nothing_is_loaded_from_elsewhere(address):
    for path in ("/", "/page.js", "/page.css"):
        status, headers, text = get(f"{address}{path}")
        assert status == 200
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
        for reference in re.findall(r'(?:src|href)="([^"]*)"', text):
            assert reference.startswith(("/page.", "data:"))


def test_a_signal_before_the_server_runs_ends_it():
    process, _ = start("page", "nowhere", "--listen", "127.0.0.1:0", until="page at")
    stop(process, signal.SIGINT)


def test_another_name_for_this_address_is_rejected(address):
    assert get(f"{address}/state", host="evil.example")[0] == 400
    assert get(f"{address}/state", host="localhost:80")[0] == 200
    assert get(f"{address}/elsewhere")[0] == 404


def test_a_browser_shows_the_page(browser, address, tmp_path):
    done = subprocess.run(
        [
            browser,
            *(*BROWSER_OPTIONS, *LOOK),
            f"--user-data-dir={tmp_path / 'profile'}",
            f"{address}/",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=120,
    )
    dom = done.stdout.decode()
    assert "member 0 leads" in dom
    (leader,) = re.findall(r'<tr class="leader">(.*?)</tr>', dom)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", leader)
    assert cells[:4] == ["0", "leader", "active", "0"]
    log = dom.partition('<table id="log">')[2].partition("</table>")[0]
    assert "NewLeadershipTermEvent" in log
    # A payload is shown as text, even if it is HTML.
    assert html.escape(MARKUP, quote=False) in log
    assert "<img" not in dom
    stages = dom.partition('<table id="stages">')[2].partition("</table>")[0]
    assert "ingress to log" in stages
    assert "in all" in stages
