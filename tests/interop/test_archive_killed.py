"""Our archive is killed while a Java client records: no acknowledged data is lost."""

import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import DirectoryInUseError

ARCHIVE = """
import sys
from aeron_cluster.archive.archive import Archive
archive = Archive.launch(
    aeron_dir=sys.argv[1], archive_dir=sys.argv[2], segment_file_length=1 << 20,
    control_channel_enabled=False, threading_mode="SHARED", idle_strategy="yield", archive_id=7,
    replication_channel="aeron:udp?endpoint=localhost:0",
)
print("READY", flush=True)
sys.stdin.read()
"""
POSITION_COUNTER_TYPE = 100


@pytest.fixture
def driver(shm_dir):
    with MediaDriver.launch(
        aeron_dir=shm_dir / "driver",
        threading_mode="SHARED",
        # Long, so that the counters of the killed archive can be read afterwards.
        client_liveness_timeout_ns=60_000_000_000,
        publication_unblock_timeout_ns=120_000_000_000,  # longer than the timeout
    ) as running:
        yield running


@pytest.fixture
def archive_process(driver, shm_dir):
    process = subprocess.Popen(
        [sys.executable, "-c", ARCHIVE, driver.aeron_dir, str(shm_dir / "archive")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "READY\n"
    yield process
    process.kill()
    process.communicate()


def recorded_position(driver):
    found = [
        each.value for each in driver.counters.counters() if each.type_id == POSITION_COUNTER_TYPE
    ]
    return found[0] if found else -1


def await_position(driver, position, timeout=120.0):
    deadline = time.monotonic() + timeout
    pause = threading.Event()
    while recorded_position(driver) < position:
        assert time.monotonic() < deadline, f"{recorded_position(driver)} in {timeout} s"
        pause.wait(0.0005)


def options(driver, shm_dir):
    return {
        "aeron_dir": driver.aeron_dir,
        "archive_dir": str(shm_dir / "archive"),
        "segment_file_length": 1 << 20,
        "control_channel_enabled": False,
        "replication_channel": "aeron:udp?endpoint=localhost:0",
        "threading_mode": "SHARED",
    }


@pytest.mark.parametrize("seed", range(3))
def test_acknowledged_data_survives_a_kill(java, driver, shm_dir, archive_process, seed):
    where = random.Random(seed).randrange(1 << 20, 20 << 20)
    java.start(
        "ArchiveClient",
        dir=driver.aeron_dir,
        cmd="record",
        control="ipc",
        count=10_000_000,
        size=264,
        channel="aeron:ipc?term-length=256k",
    )
    await_position(driver, where)
    archive_process.send_signal(signal.SIGKILL)
    archive_process.wait()
    acknowledged = recorded_position(driver)
    java.close()

    with Archive.launch(**options(driver, shm_dir), archive_id=8):
        listed = java.run("ArchiveClient", dir=driver.aeron_dir, cmd="list", control="ipc")
        recording = listed.await_event("recording")
        assert recording["stopPosition"] >= acknowledged >= where
        replayed = java.run(
            "ArchiveClient",
            dir=driver.aeron_dir,
            cmd="replay",
            control="ipc",
            channel="aeron:ipc",
            size=264,
        ).await_event("result")
        assert replayed["errors"] == 0
        # A frame of 296 bytes takes 320 bytes of log; the end of a term is padded.
        assert replayed["count"] >= acknowledged // 320 - (acknowledged >> 18) - 1
    java.run("Inspect", what="verify", archiveDir=shm_dir / "archive")


def test_a_live_archive_retains_its_directory(driver, shm_dir, archive_process):
    with pytest.raises(DirectoryInUseError) as raised:
        Archive.launch(**options(driver, shm_dir), archive_id=8)
    assert raised.value.pid == archive_process.pid
