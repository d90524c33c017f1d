"""The archive's command as a process: with its own driver, and on a running one."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from aeron_cluster.archive import AeronArchive
from aeron_cluster.client import Aeron
from aeron_cluster.driver import MediaDriver
from tests.conftest import ROOT
from tests.waiting import await_true

COMMAND = "from aeron_cluster.cli.main import main; main()"
ANY_PORT = "aeron:udp?endpoint=localhost:0"


@contextmanager
def started(*arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "archive", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stderr is not None
        reported = process.stderr.readline()
        assert "archive " in reported, reported + process.stderr.read()
        yield process, reported
    finally:
        process.kill()
        process.communicate()


def record(directory, control_channel):
    """Record a message with the archive, and return the content of the recording."""
    with (
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(
            aeron=aeron,
            control_channel=control_channel,
            control_response_channel=ANY_PORT,
            message_timeout_ns=120_000_000_000,
        ) as archive,
    ):
        publication = archive.add_recorded_publication("aeron:ipc?term-length=64k", 10)
        await_true(lambda: publication.offer(b"hello") > 0, "a message")
        position = publication.position
        counters = aeron.counters_reader
        await_true(lambda: counters.counters(100), "the position of a recording")
        counter = counters.counters(100)[0]
        await_true(lambda: counters.value(counter.counter_id) == position, "the recorded message")
        return position


@pytest.mark.parametrize("is_embedded", [True, False])
def test_the_archive_records_until_a_signal_ends_it(is_embedded, tmp_path, shm_dir, free_port):
    directory = str(shm_dir / "driver")
    channel = f"aeron:udp?endpoint=localhost:{free_port()}"
    arguments = ["--dir", str(tmp_path / "data"), "--threading", "shared"]
    arguments += ["--control-channel", channel, "--replication-channel", ANY_PORT]
    arguments += ["-o", "aeron.archive.segment.file.length=64k"]
    if is_embedded:
        arguments += ["-o", f"aeron.dir={directory}"]
        with started(*arguments) as (process, reported):
            assert f"driver in {directory}; clients reach it at {channel}" in reported
            assert record(directory, channel) > 0
            process.send_signal(signal.SIGTERM)
            assert process.wait(120) == 0
    else:
        driver = MediaDriver.launch(aeron_dir=directory, threading_mode="SHARED")
        with driver, started(*arguments, "--aeron-dir", directory) as (process, _):
            assert record(directory, channel) > 0
            # Without its driver it ends and prints the reason.
            driver.close()
            assert process.stderr is not None
            assert "the archive ended unexpectedly: " in process.stderr.read()
            assert process.wait(120) == 1
    assert (tmp_path / "data" / "0-0.rec").stat().st_size == 65536
