"""Java clients and drivers with our driver."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter

# More than twice the three terms of the smallest log, of 64 KiB each.
QUICK = {"count": 1500, "warmup": 300, "runs": 1, "wait": "yield", "size": 200}
COMMAND = "from aeron_cluster.cli.main import main; main()"
ENDLESS = (
    "client.liveness",
    "image.liveness",
    "publication.linger",
    "publication.connection",
    "flow.control.receiver",
    "untethered.window.limit",
    "untethered.resting",
)


@pytest.fixture(params=["SHARED", "SHARED_NETWORK", "DEDICATED"])
def any_driver(request, shm_dir):
    with MediaDriver.launch(aeron_dir=shm_dir / "driver", threading_mode=request.param) as driver:
        yield driver


@pytest.fixture
def driver(request, shm_dir):
    """Start a driver; the test's parameter, if any, adds options."""
    with MediaDriver.launch(
        aeron_dir=shm_dir / "driver",
        threading_mode="SHARED",
        shared_idle_strategy="yield",
        term_buffer_length=64 << 10,
        ipc_term_buffer_length=64 << 10,
        **getattr(request, "param", {}),
    ) as running:
        yield running


def await_that(condition, timeout=120.0):
    deadline = time.monotonic() + timeout
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "condition not met in time"
        pause.wait(0.01)


def stream_counters(driver):
    """Return the labels of the counters of clients and streams."""
    return [
        each.label
        for each in driver.counters.counters()
        if each.type_id != CounterType.COUNTER_TYPE_SYSTEM
    ]


def log_files(driver):
    return [*Path(driver.aeron_dir).glob("*/*.logbuffer")]


def errors(driver):
    return driver.counters.value(SystemCounter.SYSTEM_ERRORS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("transport", ["ipc", "udp"])
def test_java_plays_ping_pong_with_itself(java, any_driver, free_port, transport):
    peer = java.run(
        "PingPong",
        role="both",
        transport=transport,
        port=free_port(2),
        dir=any_driver.aeron_dir,
        params="term-length=64k",
        **QUICK,
    )
    assert [event["count"] for event in peer.events if event["event"] == "result"] == [1500]
    assert errors(any_driver) == 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("exclusive", 32),
        ("exclusive", 5000),
        ("exclusive-claim", 32),
        ("concurrent", 32),
        ("concurrent", 5000),
        ("concurrent-claim", 32),
    ],
)
@pytest.mark.parametrize("transport", ["ipc", "udp"])
def test_java_streams_in_order(java, driver, free_port, transport, kind, size):
    peer = java.run(
        "Throughput",
        role="both",
        transport=transport,
        kind=kind,
        size=size,
        port=free_port(),
        dir=driver.aeron_dir,
        params="term-length=128k",
        seconds=1,
        least=1,
        warmupSeconds=0,
        runs=1,
        wait="yield",
        pubWait="yield",
    )
    [result] = [event for event in peer.events if event["event"] == "result"]
    assert result["outOfOrder"] == 0
    assert result["count"] > 0
    assert errors(driver) == 0


def test_java_reads_our_counters(java, driver):
    pong = java.start("PingPong", role="pong", transport="ipc", dir=driver.aeron_dir, wait="yield")
    pong.await_event("READY")
    seen = java.run("Inspect", what="cnc", dir=driver.aeron_dir)
    [cnc] = [event for event in seen.events if event["event"] == "cnc"]
    assert cnc["pid"] == os.getpid()
    labels = {event["label"]: event for event in seen.events if event["event"] == "counter"}
    assert any(label.startswith("client-heartbeat: id=") for label in labels)
    assert any(label.startswith("pub-pos (exclusive): ") for label in labels)
    ours = {each.label: each for each in driver.counters.counters()}
    for label, event in labels.items():
        if label in ours:
            assert event["typeId"] == ours[label].type_id


def test_java_reads_our_errors(java, driver, free_port):
    java.run(
        "PingPong",
        role="both",
        transport="udp",
        port=free_port(2),
        dir=driver.aeron_dir,
        params="mtu=1400",
        code=1,
        **QUICK,
    )
    seen = java.run("Inspect", what="errors", dir=driver.aeron_dir)
    texts = [str(event) for event in seen.events if event["event"] == "loggedError"]
    assert any("parameter 'mtu'" in text and "1408" in text for text in texts)
    assert errors(driver) > 0


IMPATIENT = {
    "timer_interval_ns": 50_000_000,
    # Longer than a busy machine may delay a running client.
    "client_liveness_timeout_ns": 12_000_000_000,
    "publication_linger_timeout_ns": 200_000_000,
    "image_liveness_timeout_ns": 1_000_000_000,
}


@pytest.mark.parametrize("driver", [IMPATIENT], indirect=True, ids=["impatient"])
def test_a_killed_client_is_cleaned_up(java, driver, free_port):
    """A client has timed out when nowMs > heartbeatCounter + livenessMs."""
    port = free_port(2)
    pong = java.start(
        "PingPong", role="pong", transport="udp", port=port, dir=driver.aeron_dir, wait="yield"
    )
    pong.await_event("READY")
    assert log_files(driver)
    pong.kill()
    await_that(lambda: not stream_counters(driver) and not log_files(driver))
    assert driver.counters.value(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 1


@pytest.mark.parametrize("ours", ["ping", "pong"])
def test_our_driver_exchanges_messages_with_a_java_driver(java, driver, free_port, shm_dir, ours):
    port = free_port(2)
    theirs = "pong" if ours == "ping" else "ping"
    arguments = {"transport": "udp", "port": port, **QUICK}
    where = {
        ours: {"dir": driver.aeron_dir},
        theirs: {"dir": shm_dir / "java", "embedded": True, "threading": "SHARED"},
    }
    pong = java.start("PingPong", role="pong", **arguments, **where["pong"])
    pong.await_event("READY")
    ping = java.run("PingPong", role="ping", **arguments, **where["ping"])
    assert [event["count"] for event in ping.events if event["event"] == "result"] == [1500]
    assert errors(driver) == 0
    pong.stop()


def test_the_command_serves_java_and_ends_immediately(java, shm_dir):
    """The end waits for no timeout: all timeouts are longer than the test waits."""
    directory = shm_dir / "driver"
    command = [sys.executable, "-c", COMMAND, "driver", "--dir", directory, "--threading", "shared"]
    for name in ENDLESS:
        command += ["-o", f"aeron.{name}.timeout=600s"]
    with subprocess.Popen(
        [*command, "-o", "aeron.publication.unblock.timeout=700s"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            await_that((directory / "cnc.dat").exists)
            java.run("PingPong", role="both", transport="ipc", dir=directory, **QUICK)
            process.send_signal(signal.SIGINT)
            _, reported = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0, reported
    assert str(directory) in reported
    assert reported.rstrip().endswith("closed")
