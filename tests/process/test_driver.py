"""The driver's command as a process: killed, restarted, ended by a signal."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from tests.conftest import ROOT

COMMAND = "from aeron_cluster.cli.main import main; main()"


@contextmanager
def started(directory, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "driver", "--dir", directory, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stderr is not None
        # A line about the files of an earlier driver may come first.
        reported = list(
            itertools.takewhile(lambda line: "media driver in" not in line, process.stderr)
        )
        assert process.poll() is None, reported
        yield process
    finally:
        process.kill()
        process.communicate()


def stat(directory):
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "stat", "--dir", directory, "--json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return json.loads(done.stdout)


def echo(directory):
    """Send one message to ourselves through the driver of a directory."""
    got = []
    with Aeron.connect(aeron_dir=directory) as aeron:
        subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 10)
        publication = aeron.add_publication("aeron:ipc?term-length=64k", 10)
        deadline = time.monotonic() + 120
        pause = threading.Event()
        while not got:
            assert time.monotonic() < deadline
            if not subscription.poll(lambda message, _header: got.append(bytes(message)), 1):
                publication.offer(b"hello")
                pause.wait(0.001)
    return got[0]


def test_a_killed_driver_is_restarted_immediately(shm_dir):
    directory = shm_dir / "driver"
    for _ in range(5):
        with started(directory, "--threading", "shared") as process:
            assert echo(directory) == b"hello"
            assert stat(directory)["pid"] == process.pid
            process.kill()
            process.wait()


EMBEDDED = """
import sys
from aeron_cluster.driver import MediaDriver
driver = MediaDriver.launch(threading_mode="SHARED")
print(driver.aeron_dir, flush=True)
sys.stdin.read()
driver.close()
"""


def test_files_of_a_killed_embedded_driver_are_removed_with_the_next_one():
    program = [sys.executable, "-c", EMBEDDED]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    with subprocess.Popen(program, **pipes) as killed, subprocess.Popen(program, **pipes) as other:
        left, used = (Path(each.stdout.readline().strip()) for each in (killed, other))
        try:
            killed.kill()
            killed.wait()
            assert echo(used) == b"hello"
            with MediaDriver.launch(threading_mode="SHARED") as driver:
                assert not left.exists()
                assert echo(driver.aeron_dir) == echo(used) == b"hello"
        finally:
            killed.kill()
            other.stdin.close()
            other.wait()
    assert not used.exists()


def test_two_drivers_never_share_a_directory(shm_dir):
    directory = shm_dir / "driver"
    with started(directory) as first:
        second = subprocess.run(
            [sys.executable, "-c", COMMAND, "driver", "--dir", directory],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=ROOT,
        )
        assert second.returncode == 3
        assert f"process {first.pid}" in second.stderr.replace("\n", " ")
        assert echo(directory) == b"hello"


# Longer than a test waits on a busy machine.
LONG_TIMEOUTS = (
    *("-o", "aeron.client.liveness.timeout=600s"),
    *("-o", "aeron.image.liveness.timeout=600s"),
    *("-o", "aeron.publication.linger.timeout=600s"),
    *("-o", "aeron.publication.unblock.timeout=700s"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_driver_in_order_and_immediately(shm_dir, number):
    directory = shm_dir / "driver"
    with started(directory, "-o", "aeron.dir.delete.on.shutdown=true", *LONG_TIMEOUTS) as process:
        os.kill(process.pid, number)
        # The end waits for no timeout.
        _, reported = process.communicate(timeout=120)
        assert process.returncode == 0
        assert reported.rstrip().endswith("closed")
        assert not directory.exists()


def test_properties_and_the_environment_are_read(shm_dir, monkeypatch):
    monkeypatch.setenv("AERON_COUNTERS_BUFFER_LENGTH", "1m")
    (shm_dir / "my.properties").write_text("aeron.threading.mode=SHARED_NETWORK\n")
    with started(shm_dir / "driver", "--properties", shm_dir / "my.properties"):
        labels = [each["label"] for each in stat(shm_dir / "driver")["counters"]]
        assert any(label.endswith("SHARED_NETWORK") for label in labels)
        assert (shm_dir / "driver" / "cnc.dat").stat().st_size < 12 << 20


def test_a_driver_ends_with_a_failure_if_its_directory_is_removed(shm_dir):
    directory = shm_dir / "driver"
    with started(directory) as process, Aeron.connect(aeron_dir=directory) as aeron:
        shutil.rmtree(directory)
        with pytest.raises(AeronClusterError):
            aeron.add_publication("aeron:ipc?term-length=64k", 10)
        _, reported = process.communicate(timeout=120)
        assert process.returncode == 1, reported
        assert "error: the driver ended unexpectedly" in reported
        assert "it was removed" in reported
