"""The demo as a process: its output, and the files and processes that remain."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Presence
from aeron_cluster.config import default_aeron_dir
from tests.conftest import ROOT
from tests.waiting import await_true

TIMEOUT_S = 300.0


def command(place, *arguments):
    quick = ("--seconds", "0.5", "--window", "64")
    return [sys.executable, "-m", "aeron_cluster.cli", "demo", "--dir", place, *quick, *arguments]


def run(place, *arguments):
    return subprocess.run(
        command(place, *arguments),
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        cwd=ROOT,
    )


def driver_directories(pid):
    """Return the directories of a demo's drivers: its client's and its node's."""
    place = Path(default_aeron_dir()).parent
    return [*place.glob(f"aeron-{pid}-*"), *place.glob(f"aeron-*-demo-{pid}")]


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("threads", ["one", "each"])
def test_killed_node_recovers_every_acknowledged_order(tmp_path, free_port, threads):
    with subprocess.Popen(
        command(tmp_path / "demo", "--threads", threads),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    ) as process:
        reported, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, reported
    assert re.search(r"process \d+ was killed with SIGKILL: [\d,]+ orders acknowledged", reported)
    assert reported.count("as it must be") == 2
    for row in ("orders a second", "latency p50", "latency p99.9", "latency max"):
        assert row in reported
    pids = [int(pid) for pid in re.findall(r"node: process (\d+)", reported)]
    assert len(set(pids)) == 2
    assert not any(map(running, pids))
    assert "\x1b" not in reported
    assert str(tmp_path / "demo") in reported
    assert list((tmp_path / "demo" / "archive").glob("*.rec"))
    assert driver_directories(process.pid) == []
    (again,) = re.findall(r"Start it again:  (.*)", reported)
    start_as_printed(again, free_port(10), tmp_path / "driver")


def start_as_printed(printed, port_base, driver):
    """Run the command that the demo prints at its end, on other ports, until the node leads."""
    places = ("--port-base", str(port_base), "--aeron-dir", str(driver))
    with subprocess.Popen(
        [*shlex.split(printed), *places],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    ) as node:
        reported = ""
        for line in node.stdout:
            reported += line
            if "serving clients at" in line:
                break
        node.send_signal(signal.SIGINT)
        reported += node.communicate(timeout=TIMEOUT_S)[0]
    assert node.returncode == 0, reported
    assert "serving clients at" in reported


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_closes_both_processes(tmp_path, number):
    with subprocess.Popen(
        command(tmp_path / "demo", "--seconds", "3600"), stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        reported = ""
        for line in process.stdout:
            reported += line
            if "one at a time: " in line:
                break
        process.send_signal(number)
        reported += process.communicate(timeout=TIMEOUT_S)[0]
    assert process.returncode == 130, reported
    assert "everything is closed" in reported
    (pid,) = re.findall(r"node: process (\d+)", reported)
    assert not running(int(pid))
    # The node ended on request in time; it was not killed.
    node = ClusterDirectory(str(tmp_path / "demo" / "cluster"))
    assert node.component().presence is Presence.CLOSED
    assert driver_directories(process.pid) == []


def test_killed_demo_leaves_no_node_and_locks_its_directory_until_then(tmp_path):
    place = tmp_path / "demo"
    with subprocess.Popen(
        command(place, "--seconds", "3600"), stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        reported = ""
        for line in process.stdout:
            reported += line
            if "one at a time: " in line:
                break
        (pid,) = map(int, re.findall(r"node: process (\d+)", reported))
        files = {path: path.stat().st_ino for path in place.rglob("*")}
        done = run(place)
        assert done.returncode == 3, done.stderr
        assert f"in use by process {pid}" in done.stderr
        left = {path: path.stat().st_ino for path in place.rglob("*")}
        assert files.items() <= left.items()
        # The first demo still runs: its archive may have begun another segment.
        assert {path.suffix for path in left.keys() - files.keys()} <= {".rec"}
        process.kill()
    await_true(lambda: not running(pid), "the end of the node")
    assert not Path(f"{default_aeron_dir()}-demo-{process.pid}").exists()
    for left in driver_directories(process.pid):  # that of the killed client
        shutil.rmtree(left)


def test_directory_with_foreign_files_is_left_unchanged(tmp_path):
    (tmp_path / "letters").write_text("mine")
    done = run(tmp_path)
    assert done.returncode == 2, done.stderr
    assert (tmp_path / "letters").read_text() == "mine"
