"""The events that an archive logs, in its own process."""

import contextlib
import re
import signal

from aeron_cluster.archive import AeronArchive
from aeron_cluster.client import Aeron
from aeron_cluster.errors import ArchiveError
from tests.golden.vectors import differing_changes
from tests.process.test_archive import ANY_PORT, started
from tests.waiting import await_true

CHANNEL = "aeron:ipc?term-length=64k"
# Ends that Java's archive did not have in that run.
OTHERS = ("publication is not connected", "the archive was closed")


def states_of(lines, event):
    return [
        re.search(r" ([A-Z_]+) -> ([A-Z_]+) reason=\"(.*)\"", line).groups()
        for line in lines
        if f": {event} [" in line
    ]


def test_requests_and_states_are_logged(tmp_path, shm_dir, free_port):
    directory, written = str(shm_dir / "driver"), tmp_path / "lines.txt"
    control_channel = f"aeron:udp?endpoint=localhost:{free_port()}"
    arguments = ["--dir", str(tmp_path / "data"), "--threading", "shared"]
    arguments += ["--control-channel", control_channel, "--replication-channel", ANY_PORT]
    for option in (
        f"aeron.dir={directory}",
        "aeron.archive.segment.file.length=64k",
        "aeron.event.archive.log=all",
        "aeron.event.archive.log.disable=CMD_IN_KEEP_ALIVE",
        f"aeron.event.log.filename={written}",
        "aeron.archive.catalog.capacity=64",
    ):
        arguments += ["-o", option]
    with (
        started(*arguments) as (process, _),
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(
            aeron=aeron,
            control_channel=control_channel,
            control_response_channel=ANY_PORT,
            message_timeout_ns=120_000_000_000,
        ) as archive,
    ):
        publication = archive.add_recorded_publication(CHANNEL, 10)
        await_true(lambda: publication.offer(b"hello") > 0, "a message")
        position = publication.position
        await_true(lambda: archive.get_recording_position(0) == position, "the recorded position")
        replayed = archive.replay(0, CHANNEL, 11)
        received = []
        await_true(lambda: replayed.poll(lambda *_: received.append(1), 1) or received, "a replay")
        archive.stop_recording_publication(publication)
        replayed.close()
        with contextlib.suppress(ArchiveError):
            archive.get_start_position(77)
        await_true(
            lambda: (
                "REPLAY_SESSION_STATE_CHANGE [" in written.read_text()
                and "INACTIVE -> DONE" in written.read_text()
            ),
            "the end of the replay",
        )
        archive.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    lines = written.read_text().splitlines()
    start = next(line for line in lines if "log started" in line)
    assert "enabled loggers: {ARCHIVE: version=" in start
    lines = [line for line in lines if "] ARCHIVE: " in line]
    names = {line.split()[2] for line in lines}
    assert names >= {
        "CMD_IN_AUTH_CONNECT",
        "CMD_IN_START_RECORDING2",
        "CMD_IN_REPLAY",
        "CMD_IN_START_POSITION",
        "CMD_OUT_RESPONSE",
        "RECORDING_SIGNAL",
        "CATALOG_RESIZE",
    }
    assert "CMD_IN_KEEP_ALIVE" not in names
    assert [states[:2] for states in states_of(lines, "CONTROL_SESSION_STATE_CHANGE")] == [
        ("INIT", "CONNECTING"),
        ("CONNECTING", "CONNECTED"),
        ("CONNECTED", "AUTHENTICATED"),
        ("AUTHENTICATED", "ACTIVE"),
        ("ACTIVE", "DONE"),
    ]
    assert states_of(lines, "RECORDING_SESSION_STATE_CHANGE") == [
        ("INIT", "RECORDING", ""),
        ("RECORDING", "INACTIVE", "stop recording"),
        ("INACTIVE", "STOPPED", ""),
    ]
    assert [states[:2] for states in states_of(lines, "REPLAY_SESSION_STATE_CHANGE")] == [
        ("INIT", "REPLAY"),
        ("REPLAY", "INACTIVE"),
        ("INACTIVE", "DONE"),
    ]
    assert differing_changes([line for line in lines if "_STATE_CHANGE [" in line], OTHERS) == []
    signals = [line.rpartition("=")[2] for line in lines if ": RECORDING_SIGNAL [" in line]
    assert signals == ["START", "STOP"]
    (rejected,) = (line for line in lines if "code=ERROR" in line)
    assert ": CMD_OUT_RESPONSE [" in rejected
    assert (tmp_path / "data" / "archive-events.dat").exists()
