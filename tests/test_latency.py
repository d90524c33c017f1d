"""The latency benchmarks: their counting, their thread layout, and a short run of each kind."""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import closing

import numpy as np
import pytest

from tests.conftest import ROOT, VARIANT

pytest.importorskip("hdrh")
pytest.importorskip("matplotlib")

import matplotlib as mpl
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from aeron_cluster.memory.system.affinity import available_cpus
from benchmarks.build import build
from benchmarks.latency import histograms
from benchmarks.latency.layout import lay_out, pin, threads_of
from benchmarks.latency.plots import draw
from benchmarks.machine import cautions, machine
from benchmarks.ratio.rig import rotate

pytestmark = pytest.mark.skipif(
    VARIANT != "release", reason="the benchmarks are built for the release build"
)
TIMEOUT_NS = 60_000_000_000
NODE = (("client",), ("driver", "archive", "module", "service"))


@pytest.fixture(scope="module")
def main():
    """Return the program, with its extensions compiled."""
    build()
    from benchmarks.latency.__main__ import main as program  # noqa: PLC0415 - needs the build

    return program


# ---- counting ----


def stalled(ping, pong, stop, count, rate, stall_ns=300_000_000):
    """Return the times of a ping with a late other end."""
    times = []
    is_begun = threading.Event()

    def send():
        is_begun.set()
        times.extend(ping(count, rate))

    sender = threading.Thread(target=send)
    sender.start()
    is_begun.wait()
    began = time.monotonic_ns()
    while time.monotonic_ns() - began < stall_ns:
        os.sched_yield()
    receiver = threading.Thread(target=pong)
    receiver.start()
    sender.join()
    stop()
    receiver.join()
    return times


def check_waits(times, rate):
    """Each message was due before the first echo arrived, so its time includes the remaining
    wait.
    """
    interval_ns = 1_000_000_000 // rate
    assert times[0] > 10 * interval_ns
    late = times[0] // interval_ns
    for index in range(min(late, len(times))):
        assert times[index] >= times[0] - (index + 1) * interval_ns
    assert sum(each >= times[0] // 2 for each in times) >= min(late // 2, len(times))


def test_late_message_counts_its_wait_on_the_bare_machine(main):  # noqa: ARG001
    from benchmarks.ratio.bare import Exchange  # noqa: PLC0415 - needs the build

    exchange = Exchange()

    def ping(count, rate):
        return exchange.ping(count, rate, TIMEOUT_NS)

    times = stalled(ping, exchange.pong, exchange.stop, count=200, rate=2000)
    assert len(times) == 200
    check_waits(times, 2000)


def test_pause_shows_in_one_message_at_a_time(main):  # noqa: ARG001
    from benchmarks.ratio.bare import Exchange  # noqa: PLC0415 - needs the build

    exchange = Exchange()

    def ping(count, rate):
        return exchange.ping(count, rate, TIMEOUT_NS)

    # On two busy processors an exchange takes two time slices of the scheduler, about 12 ms.
    times = stalled(ping, exchange.pong, exchange.stop, 200, rate=0, stall_ns=1_000_000_000)
    assert statistics.median(times) < times[0] // 10


def test_late_message_counts_its_wait_through_aeron(main, shm_dir):  # noqa: ARG001
    from benchmarks.ratio import peer  # noqa: PLC0415 - needs the build

    with closing(
        peer.Rig({"embedded": "true", "dir": str(shm_dir / "driver"), "wait": "yield"})
    ) as rig:
        channel = rig.channel()
        here, there = (rig.aeron.add_subscription(channel, stream) for stream in (1, 2))
        out, back = (rig.aeron.add_exclusive_publication(channel, stream) for stream in (2, 1))
        rig.await_true(lambda: all(one.is_connected for one in (here, there, out, back)), "both")
        near, far = rig.side(out, here), rig.side(back, there)

        def ping(count, rate):
            return near.ping_at_rate(count, rate, TIMEOUT_NS)

        times = stalled(ping, far.pong, far.stop, count=200, rate=2000)
    assert len(times) == 200
    check_waits(times, 2000)


def test_histogram_holds_the_measured_values(tmp_path):
    values = np.random.default_rng(7).lognormal(9, 1, 50_000).astype("<i8")
    values.tofile(tmp_path / "times")
    found = histograms.histogram_of(tmp_path / "times")
    assert found.get_total_count() == len(values)
    for percentile in (50, 90, 99, 99.9):
        exact = np.percentile(values, percentile)
        assert found.get_value_at_percentile(percentile) == pytest.approx(exact, rel=0.005)
    np.array([histograms.LONGEST_NS * 3], "<i8").tofile(tmp_path / "times")
    with pytest.raises(ValueError, match="expected to"):
        histograms.histogram_of(tmp_path / "times")


def of(*values):
    found = histograms.HdrHistogram(1, histograms.LONGEST_NS, histograms.DIGITS)
    for value in values:
        found.record_value(value)
    return found


def test_spread_is_the_median_and_range_of_the_starts():
    found = histograms.spreads([of(100, 300), of(110, 900), of(500, 501)])
    assert found["p50"] == (110, 100, 500)
    assert found["max"] == (501, 300, 900)
    assert list(found) == list(histograms.PERCENTILES)


def test_files_are_hdrhistograms(tmp_path):
    starts = [of(1000, 2000, 3000), of(4000, 5000)]
    histograms.write_files(tmp_path, "ipc-closed-ours", starts)
    text = (tmp_path / "ipc-closed-ours.hgrm").read_text()
    # In us, and the greatest value with the same three digits.
    assert "#[Max     =        5.003, TotalCount     =        5.000]" in text
    reader = HistogramLogReader(str(tmp_path / "ipc-closed-ours.hlog"), of())
    kept = [reader.get_next_interval_histogram() for _ in range(3)]
    assert [one and one.get_total_count() for one in kept] == [3, 2, None]
    assert kept[1].get_max_value() == starts[1].get_max_value()


def test_each_side_is_first_in_turn():
    assert "".join(rotate("abc", 4)) == "abcbcacababc"


# ---- thread layout ----


def test_with_two_processors_the_threads_of_a_node_share_one():
    layout = lay_out(NODE, [3, 5])
    assert layout.cpu_of == {"client": 3, "driver": 5, "archive": 5, "module": 5, "service": 5}
    assert layout.idle_of("client") == "spin"
    assert layout.idle_of("driver", "archive", "module", "service") == "yield"
    assert layout.rest == {3, 5}


def test_with_enough_processors_each_thread_has_its_own_and_spins():
    layout = lay_out(NODE, [0, 1, 2, 3, 4, 6])
    assert list(layout.cpu_of.values()) == [0, 1, 2, 3, 4]
    assert layout.idle_of("driver", "archive", "module", "service") == "spin"
    assert layout.rest == {6}


def test_threads_yield_with_fewer_processors_than_groups():
    layout = lay_out((("client",), ("node0",), ("node1",), ("node2",)), [0, 1])
    assert layout.cpu_of == {"client": 0, "node0": 1, "node1": 0, "node2": 1}
    assert layout.idle_of("client") == "yield"


def test_an_unawaited_driver_is_driven_last():
    assert "driver" not in lay_out((("ping",), ("pong",)), [0, 1], ("driver",)).cpu_of
    assert lay_out((("ping",), ("pong",)), [0, 1, 2], ("driver",)).cpu_of["driver"] == 2


@pytest.mark.parametrize("cpus", [[], [0], [1, 1], [0, 1, 1]])
def test_too_few_processors_are_rejected(cpus):
    with pytest.raises(ValueError, match="2 or more different"):
        lay_out(NODE, cpus)


def test_isolated_cores_come_first_and_second_hardware_threads_last(tmp_path):
    (tmp_path / "isolated").write_text("2-3,6-7\n")
    for cpu in range(8):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{cpu % 4},{cpu % 4 + 4}\n")
    assert available_cpus(range(8), tmp_path) == [2, 3, 6, 7, 1, 0, 4, 5]
    (tmp_path / "isolated").write_text("\n")
    assert available_cpus([0, 1], tmp_path) == [1, 0]


THREADS = """
import sys, threading
from aeron_cluster.memory.system.affinity import name_thread
def run():
    name_thread("spinner")
    print("up", flush=True)
    sys.stdin.readline()
threading.Thread(target=run).start()
"""


def test_named_threads_are_pinned_and_a_missing_one_is_an_error(monkeypatch):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one processor")
    layout = lay_out((("spinner",), ("other",)), cpus[:2])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", THREADS], cwd=ROOT, **pipes) as program:
        assert program.stdout.readline() == b"up\n"
        pin(program.pid, layout, {"spinner": "spinner$"})
        (spinner,) = (tid for tid, name in threads_of(program.pid).items() if name == "spinner")
        assert os.sched_getaffinity(spinner) == {cpus[0]}
        assert os.sched_getaffinity(program.pid) == layout.rest
        monkeypatch.setattr("benchmarks.latency.layout.APPEAR_S", 0.0)
        with pytest.raises(LookupError, match=r"expected threads .'other': 'gone\$'."):
            pin(program.pid, layout, {"spinner": "spinner$", "other": "gone$"})
        program.stdin.close()


# ---- the description of the machine ----


def test_description_of_a_machine_names_sources_of_noise(tmp_path):
    for name, text in {
        "proc/cpuinfo": "model name\t: A Fast One\nflags\t\t: fpu hypervisor\n",
        "proc/cmdline": "quiet isolcpus=2,3 nohz_full=2,3",
        "proc/meminfo": "MemTotal: 1 kB\nHugePages_Total:      16\n",
        "sys/devices/system/cpu/isolated": "2-3\n",
        "sys/devices/system/cpu/smt/active": "1\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/vulnerabilities/meltdown": "Not affected\n",
        "sys/devices/system/cpu/vulnerabilities/retbleed": "Mitigation: IBRS\n",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = machine(tmp_path)
    assert found["processor"].endswith("x A Fast One")
    assert found["isolated processors"] == "2-3"
    assert found["isolation of the kernel's work"] == "isolcpus=2,3 nohz_full=2,3"
    assert found["mitigations"] == "retbleed: Mitigation: IBRS"
    assert (found["transparent huge pages"], found["huge pages"]) == ("madvise", "16")
    found["load average at the start"] = "0.10"
    assert [each.split(":")[0] for each in cautions(found)] == [
        "a virtual machine",
        "governor powersave",
        "hardware threads are on",
        "clock source hpet",
    ]
    bare = machine(tmp_path / "nothing")
    assert bare["governor"] == "none to be seen"
    assert bare["clock source"] == "unknown"


# ---- the table ----


def test_a_range_over_several_units_names_each(main):  # noqa: ARG001
    from benchmarks.latency.__main__ import shown  # noqa: PLC0415 - needs the build

    assert shown((561.0, 190.0, 561.0)) == "561 ns [190..561]"
    assert shown((762.0, 706.0, 60_930.0)) == "762 ns [706 ns..60.93 us]"
    assert shown((1_607_000.0, 933_400.0, 2_902_000.0)) == "1.607 ms [933.4 us..2.902 ms]"


# ---- short runs ----


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["ipc", "udp", "one"])
def test_a_short_run_writes_histograms_plots_and_a_table(main, tmp_path, suite, capsys, free_port):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads that spin need two processors")
    given = ["--only", suite, "--sides", "ours,bare", "--starts", "1", "--seconds", "0.2"]
    given += ["--rates", "500", "--count", "500", "--port-base", str(free_port(30))]
    assert main([*given, "--out", str(tmp_path)]) == 0
    results = json.loads((tmp_path / f"{suite}.json").read_text())
    sides = ["ours"] if suite == "one" else ["ours", "bare"]
    assert {rate: list(each) for rate, each in results["loads"].items()} == {
        "0": sides,
        "500": sides,
    }
    for load, count in (("0", 500), ("500", 100)):
        name = "closed" if load == "0" else load
        assert (tmp_path / f"{suite}-{name}.svg").read_text().count("<svg") == 1
        for side in sides:
            one = results["loads"][load][side]
            assert one["count"] == count
            assert 0 < one["ns"]["p50"][0] <= one["ns"]["max"][0] < TIMEOUT_NS
            assert f"= {count:12.3f}]" in (tmp_path / f"{suite}-{name}-{side}.hgrm").read_text()
            assert " on " in one["layout"]
    printed = capsys.readouterr().out
    assert (tmp_path / "results.md").read_text() in printed
    assert printed.count(f"| {results['title']}, ") == 2 * len(sides)
    assert printed.count("- clock source: ") == 1
    assert "1 starts a side, on machine 1:" in printed


def test_the_users_settings_of_matplotlib_do_not_alter_the_plot(tmp_path, monkeypatch):
    histogram = HdrHistogram(1, 1_000_000, 3)
    for value in range(1, 200):
        histogram.record_value(1000 * value)
    draw(tmp_path / "plain.svg", "a title", {"ours": histogram})
    monkeypatch.setitem(mpl.rcParams, "lines.marker", "o")
    draw(tmp_path / "users.svg", "a title", {"ours": histogram})
    assert counts_of_elements(tmp_path / "users.svg") == counts_of_elements(tmp_path / "plain.svg")


def counts_of_elements(path):
    return Counter(each.tag for each in ET.parse(path).iter())
