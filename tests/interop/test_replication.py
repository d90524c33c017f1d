"""Our archive and Java's replicate recordings from each other and send the same signals."""

import contextlib
import time
from pathlib import Path

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client import Aeron
from aeron_cluster.codecs.archive import RecordingSignal
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import ArchiveError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.counters_layout import CounterType
from tests.unit.archive.pair_rig import CONTROL_STREAM_ID, message, without_session_ids

TIMEOUT_S = 120
STREAM_ID = 1001
CHANNEL = "aeron:ipc?term-length=64k"
SEGMENT_LENGTH = 128 * 1024
FRAME_LENGTH = 1024


class Side:
    """A driver, an archive of one kind, and our clients of both."""

    def __init__(self, stack, java, kind, directory, port):
        self.kind = kind
        self.port = port
        self.archive_dir = directory / "archive"
        self.signals = []
        self.late_errors = []
        self.peer = None
        aeron_dir = directory / "driver"
        directory.mkdir()
        self.control_channel = f"aeron:udp?endpoint=localhost:{port}"
        if kind in ("java", "java over ours"):
            if kind == "java over ours":
                stack.enter_context(
                    MediaDriver.launch(aeron_dir=str(aeron_dir), threading_mode="SHARED")
                )
            self.peer = java.start(
                "Archive",
                dir=aeron_dir,
                driver=kind == "java",
                archiveDir=self.archive_dir,
                port=port,
                segment=SEGMENT_LENGTH,
                idle="backoff",
            )
            self.peer.await_event("READY", TIMEOUT_S)
        else:
            self.both = stack.enter_context(
                ArchivingMediaDriver.launch(
                    driver={
                        "aeron_dir": str(aeron_dir),
                        "threading_mode": "DEDICATED" if kind == "threaded" else "INVOKER",
                    },
                    archive={
                        "archive_dir": str(self.archive_dir),
                        "control_channel": self.control_channel,
                        "replication_channel": "aeron:udp?endpoint=localhost:0",
                        "segment_file_length": SEGMENT_LENGTH,
                    },
                    idle_strategy=None if kind == "threaded" else "backoff",
                )
            )
        self.aeron = stack.enter_context(Aeron.connect(aeron_dir=aeron_dir))
        self.archive = stack.enter_context(
            AeronArchive.connect(
                aeron=self.aeron,
                control_channel="aeron:ipc",
                control_response_channel="aeron:ipc",
                message_timeout_ns=TIMEOUT_S * 1_000_000_000,
                recording_signal_handler=self.signals.append,
                error_handler=self.late_errors.append,
            )
        )

    def names(self):
        self.archive.poll()
        return [RecordingSignal(each.signal).name for each in self.signals]

    def await_signal(self, name):
        until(lambda: name in self.names(), lambda: f"{name} among {self.names()}")

    def record(self, channel=CHANNEL):
        """Return a publication and the id of its recording."""
        self.signals.clear()
        publication = self.archive.add_recorded_exclusive_publication(channel, STREAM_ID)
        self.await_signal("START")
        # The signal of another recording's end may come before it.
        (start,) = (each for each in self.signals if each.signal == RecordingSignal.START)
        return publication, start.recording_id

    def publish(self, publication, count):
        """Offer messages, and return the position after the last."""
        for number in range(count):
            until(
                lambda number=number: publication.offer(message(number, FRAME_LENGTH - 32)),
                lambda: f"an offer to {publication!r}",
            )
        return publication.position

    def await_recorded(self, recording_id, position):
        until(
            lambda: self.archive.get_max_recorded_position(recording_id) >= position,
            lambda: f"recording {recording_id} at {position}",
        )

    def await_receiver(self, publication):
        """Wait until a receiver's status message allows the driver to send past the published
        position.
        """
        reader = self.aeron.counters_reader
        kind, published = CounterType.COUNTER_TYPE_SENDER_LIMIT, publication.position
        limit = until(
            lambda: reader.find(kind, publication.registration_id), lambda: "the sender's limit"
        )
        until(lambda: reader.value(limit) > published, lambda: f"a receiver of {publication!r}")

    def finished(self, count):
        """Return the id and the end of a stopped recording of `count` messages."""
        publication, recording_id = self.record()
        position = self.publish(publication, count)
        self.await_recorded(recording_id, position)
        publication.close()
        self.await_signal("STOP")
        return recording_id, position

    def frames(self, recording_id):
        """Return the bytes of a recording's segments up to its end."""
        stop = self.archive.get_stop_position(recording_id)
        paths = [
            Path(self.archive_dir, f"{recording_id}-{base}.rec")
            for base in range(0, stop, SEGMENT_LENGTH)
        ]
        return without_session_ids(b"".join(path.read_bytes() for path in paths), 0, stop)


def until(condition, what):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not in {TIMEOUT_S} s: {what()}"
        idle.idle(0)
    return value


@pytest.fixture
def sides(java, shm_dir, free_port):
    with contextlib.ExitStack() as stack:

        def start(*kinds):
            return [
                Side(stack, java, kind, shm_dir / name, free_port(3))
                for name, kind in zip(("src", "dst"), kinds, strict=False)
            ]

        yield start


def replicate(src, dst, recording_id, **params):
    dst.signals.clear()
    dst.late_errors.clear()
    return dst.archive.replicate(
        recording_id, CONTROL_STREAM_ID, src.control_channel, ReplicationParams(**params)
    )


def signals_of(dst, replication_id):
    """Return the signals of a replication: name, recording id, position."""
    return [
        (name, signal.recording_id, signal.position)
        for name, signal in zip(dst.names(), dst.signals, strict=True)
        if signal.correlation_id == replication_id
    ]


def assert_reported(dst, replication_id, *expected):
    """Compare signals; with Java the last two may come in either order."""
    found = signals_of(dst, replication_id)
    expected = list(expected)
    if dst.kind == "java" and expected[-1][0] == "STOP" and found[-1][0] == "REPLICATE_END":
        expected[-2:] = reversed(expected[-2:])
    assert found == expected


PAIRS = [("java", "ours"), ("ours", "java"), ("threaded", "threaded")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kinds", PAIRS, ids="-to-".join)
def test_copies_stopped_recordings(sides, java, kinds):
    src, dst = sides(*kinds)
    src_id, stop = src.finished(400)

    # A complete copy.
    replication_id = replicate(src, dst, src_id)
    dst.await_signal("STOP")
    dst.await_signal("REPLICATE_END")
    assert_reported(
        dst,
        replication_id,
        ("REPLICATE", 0, 0),
        ("EXTEND", 0, 0),
        ("SYNC", 0, stop),
        ("REPLICATE_END", 0, -1),
        ("STOP", 0, stop),
    )
    assert dst.frames(0) == src.frames(src_id)

    # A copy that is up to date.
    replication_id = replicate(src, dst, src_id, dst_recording_id=0)
    dst.await_signal("REPLICATE_END")
    assert_reported(dst, replication_id, ("SYNC", 0, stop), ("REPLICATE_END", 0, -1))

    # A partial copy with another session id, then the rest.
    middle = 150 * FRAME_LENGTH
    replication_id = replicate(src, dst, src_id, stop_position=middle, replication_session_id=99)
    dst.await_signal("STOP")
    dst.await_signal("REPLICATE_END")
    assert_reported(
        dst,
        replication_id,
        ("REPLICATE", 1, 0),
        ("EXTEND", 1, 0),
        ("REPLICATE_END", 1, -1),
        ("STOP", 1, middle),
    )
    assert dst.archive.list_recording(1).session_id == 99
    replication_id = replicate(src, dst, src_id, dst_recording_id=1)
    dst.await_signal("STOP")
    dst.await_signal("REPLICATE_END")
    assert_reported(
        dst,
        replication_id,
        ("EXTEND", 1, middle),
        ("SYNC", 1, stop),
        ("REPLICATE_END", 1, -1),
        ("STOP", 1, stop),
    )
    assert dst.frames(1) == src.frames(src_id)

    # By a response channel.
    control = "aeron:udp?control-mode=response|control=localhost"
    replicate(
        src,
        dst,
        src_id,
        replication_channel=f"{control}:{src.port + 1}",
        src_response_channel=f"{control}:{src.port + 2}",
    )
    dst.await_signal("STOP")
    dst.await_signal("REPLICATE_END")
    assert dst.frames(2) == src.frames(src_id)

    # A recording that does not exist.
    replication_id = replicate(src, dst, 77)
    dst.await_signal("REPLICATE_END")
    until(lambda: dst.names() and dst.late_errors, lambda: "the error of the replication")
    [error] = [each for each in dst.late_errors if each.correlation_id == replication_id]
    assert error.code == ArchiveErrorCode.UNKNOWN_RECORDING
    with pytest.raises(ArchiveError) as raised:
        replicate(src, dst, src_id, dst_recording_id=77)
    assert raised.value.code == ArchiveErrorCode.UNKNOWN_RECORDING
    assert not dst.archive.try_stop_replication(replication_id)
    if dst.kind != "java":
        java.run("Inspect", what="verify", archiveDir=dst.archive_dir)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kinds", PAIRS, ids="-to-".join)
def test_follows_live_recordings(sides, free_port, kinds):
    src, dst = sides(*kinds)
    publication, src_id = src.record()
    src.publish(publication, 200)
    replication_id = replicate(src, dst, src_id)
    dst.await_signal("EXTEND")
    stop = src.publish(publication, 200)
    dst.await_recorded(0, stop)
    publication.close()
    dst.await_signal("STOP")
    dst.await_signal("REPLICATE_END")
    assert_reported(
        dst,
        replication_id,
        ("REPLICATE", 0, 0),
        ("EXTEND", 0, 0),
        ("REPLICATE_END", 0, -1),
        ("STOP", 0, stop),
    )
    until(lambda: src.archive.get_stop_position(src_id) == stop, lambda: "the source's end")
    assert dst.frames(0) == src.frames(src_id)

    # A copy that merges with the live stream and continues with it.
    live = f"aeron:udp?control=localhost:{free_port()}|control-mode=dynamic"
    publication, src_id = src.record(f"{live}|term-length=64k|fc=max|ssc=true")
    src.publish(publication, 200)
    replication_id = replicate(src, dst, src_id, live_destination=f"{live}|endpoint=localhost:0")
    dst.await_signal("MERGE")
    dst.await_signal("REPLICATE_END")
    # A merge may end before the source has read the first status message of the live stream. Until
    # # then the source has no receiver: its spies' position counts as sent, and it rejects a status
    # # message of more than half a term before that.
    src.await_receiver(publication)
    stop = src.publish(publication, 100)
    dst.await_recorded(1, stop)
    publication.close()
    dst.await_signal("STOP")
    assert [name for name, _, _ in signals_of(dst, replication_id)] == [
        "REPLICATE",
        "EXTEND",
        "MERGE",
        "REPLICATE_END",
        "STOP",
    ]
    assert signals_of(dst, replication_id)[-1] == ("STOP", 1, stop)
    until(lambda: src.archive.get_stop_position(src_id) == stop, lambda: "the source's end")
    assert dst.frames(1) == src.frames(src_id)


def test_java_archives_over_our_drivers_signal_sync_before_the_end(sides):
    """The end of a replay is received well after its last data.

    At the end of the stream Java's recording closes the subscription; only before that can its
    replication observe the last position, at which it signals SYNC.
    """
    src, dst = sides("java over ours", "java over ours")
    src_id, stop = src.finished(5)
    for copy in range(30):
        replication_id = replicate(src, dst, src_id)
        dst.await_signal("REPLICATE_END")
        dst.await_signal("STOP")
        found = [each for each in signals_of(dst, replication_id) if each[0] != "STOP"]
        assert found == [
            ("REPLICATE", copy, 0),
            ("EXTEND", copy, 0),
            ("SYNC", copy, stop),
            ("REPLICATE_END", copy, -1),
        ]
        assert dst.frames(copy) == src.frames(src_id)


def test_killed_java_source_ends_replication(sides):
    src, dst = sides("java", "ours")
    publication, src_id = src.record()
    stop = src.publish(publication, 100)
    replication_id = replicate(src, dst, src_id)
    dst.await_signal("EXTEND")
    dst.await_recorded(0, stop)
    src.peer.kill()
    dst.await_signal("STOP")
    assert [name for name, _, _ in signals_of(dst, replication_id)] == [
        "REPLICATE",
        "EXTEND",
        "REPLICATE_END",
        "STOP",
    ]
    assert dst.archive.get_stop_position(0) == stop


def test_a_java_client_has_our_archive_replicate_from_javas(java, sides):
    src, dst = sides("java", "ours")
    src_id, stop = src.finished(100)
    java.run(
        "ArchiveClient",
        cmd="replicate",
        dir=dst.aeron.context.aeron_dir,
        control="ipc",
        source=f"localhost:{src.port}",
        recordingId=src_id,
    ).await_event("result")
    # The client does not wait for STOP.
    until(lambda: dst.archive.get_stop_position(0) == stop, lambda: "the copy's end")
    assert dst.frames(0) == src.frames(src_id)


@pytest.mark.parametrize("kind", ["java", "ours"])
def test_segments_move_between_recordings(java, sides, kind):
    (side,) = sides(kind)
    archive = side.archive
    count = SEGMENT_LENGTH // FRAME_LENGTH

    def part(term_id):
        publication, recording_id = side.record(
            f"{CHANNEL}|init-term-id=0|term-id={term_id}|term-offset=0"
        )
        stop = side.publish(publication, 2 * count)
        side.await_recorded(recording_id, stop)
        publication.close()
        side.await_signal("STOP")
        side.signals.clear()
        return recording_id

    src, dst = part(0), part(4)
    with pytest.raises(ArchiveError) as raised:
        archive.migrate_segments(src, src)
    assert raised.value.code == ArchiveErrorCode.GENERIC
    assert archive.migrate_segments(src, dst) == 2
    side.await_signal("DELETE")
    assert side.signals[-1].recording_id == src
    assert (archive.get_start_position(src), archive.get_stop_position(src)) == (0, 0)
    assert archive.get_start_position(dst) == 0
    assert archive.get_stop_position(dst) == 4 * SEGMENT_LENGTH
    assert len(side.frames(dst)) == 4 * SEGMENT_LENGTH
    archive.detach_segments(dst, 2 * SEGMENT_LENGTH)
    assert archive.attach_segments(dst) == 2
    archive.detach_segments(dst, SEGMENT_LENGTH)
    side.signals.clear()  # a second deletion is rejected while the first one runs
    assert archive.delete_detached_segments(dst) == 1
    side.await_signal("DELETE")
    side.signals.clear()
    assert archive.purge_segments(dst, 2 * SEGMENT_LENGTH) == 1
    side.await_signal("DELETE")
    channel = "aeron:udp?endpoint=localhost:9999|alias=" + 100 * "x"
    archive.update_channel(src, channel)
    assert archive.list_recording(src).original_channel == channel
    assert archive.list_recording(dst).stop_position == 4 * SEGMENT_LENGTH
    with pytest.raises(ArchiveError):
        archive.update_channel(99, channel)
    if kind == "ours":
        java.run("Inspect", what="verify", archiveDir=side.archive_dir)
        seen = java.run("Inspect", what="catalog", archiveDir=side.archive_dir)
        assert seen.await_event("recording")["originalChannel"] == channel


def test_closed_source_of_ours_ends_replication(sides):
    src, dst = sides("ours", "java")
    publication, src_id = src.record()
    stop = src.publish(publication, 100)
    replication_id = replicate(src, dst, src_id)
    dst.await_signal("EXTEND")
    dst.await_recorded(0, stop)
    src.archive.close()
    src.aeron.close()
    src.both.close()
    dst.await_signal("STOP")
    dst.await_signal("REPLICATE_END")
    assert [name for name, _, _ in signals_of(dst, replication_id)][:2] == ["REPLICATE", "EXTEND"]
    assert dst.archive.get_stop_position(0) == stop
