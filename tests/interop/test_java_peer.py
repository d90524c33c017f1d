"""The harness itself: a Java driver starts, answers a Java client and ends."""

import pytest


def test_a_java_driver_starts_and_closes(java, shm_dir):
    driver = java.start("Driver", dir=shm_dir / "driver", threading="SHARED", idle="backoff")

    ready = driver.await_event("READY")
    assert ready["pid"] == driver.pid
    assert (shm_dir / "driver" / "cnc.dat").exists()

    assert driver.stop() == 143
    assert driver.events[-1] == {"event": "CLOSED"}
    assert not (shm_dir / "driver").exists()


def test_java_pings_java(java, shm_dir):
    driver = java.start("Driver", dir=shm_dir / "driver", idle="backoff", stdin=True)
    driver.await_event("READY")
    ping = java.run(
        "PingPong", dir=shm_dir / "driver", wait="yield", count=2000, warmup=100, runs=1
    )
    assert ping.await_event("result")["count"] == 2000
    driver.emit("quit")
    assert driver.wait() == 0


def test_program_ending_early_is_reported_with_its_output(java):
    peer = java.start("Driver", **{"": "no key"})
    with pytest.raises(AssertionError, match=r"ended with 2 before READY(.|\n)*expected key=value"):
        peer.await_event("READY")


def test_a_missing_event_is_reported(java, shm_dir):
    driver = java.start("Driver", dir=shm_dir / "driver", idle="backoff")
    driver.await_event("READY")
    with pytest.raises(AssertionError, match=r"no NEVER in 0\.1 s"):
        driver.await_event("NEVER", timeout=0.1)


def test_free_ports_are_adjacent_and_unique(free_port):
    first = free_port(10)
    second = free_port()
    assert second not in range(first, first + 10)
