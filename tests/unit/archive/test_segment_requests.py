"""Segments detached, attached, deleted and migrated by a client, and changed channels."""

import contextlib
import errno

import pytest

from aeron_cluster.archive.context import CLUSTER_CHECKSUMS
from aeron_cluster.archive.control.conductor import ArchiveConductor
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.storage.catalog import Catalog, FrameChecksums
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.codecs.archive import (
    AttachSegmentsRequest,
    DeleteDetachedSegmentsRequest,
    ExtendRecordingRequest2,
    MigrateSegmentsRequest,
    SourceLocation,
    TruncateRecordingRequest,
)
from aeron_cluster.errors import AeronClusterError, ArchiveError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.machine import World
from tests.unit.archive.pair_rig import MS, SEGMENT_LENGTH, TERM_LENGTH, Pair

# Length in the log, with the header: a segment holds a whole number of messages.
FRAME_LENGTH = 1024
PAYLOAD_LENGTH = FRAME_LENGTH - 32
MESSAGES_IN_A_SEGMENT = SEGMENT_LENGTH // FRAME_LENGTH
SYNCED = {"file_sync_level": 1, "catalog_file_sync_level": 1}


@pytest.fixture
def side():
    with contextlib.closing(Pair()) as pair:
        yield pair.src


def part(side, segments, begin=0, stream_id=1001, **params):
    """Record the given number of segments, starting at a segment, as a new recording; return its
    id.
    """
    channel = f"aeron:ipc?term-length={TERM_LENGTH}|init-term-id=0"
    term_id = begin * SEGMENT_LENGTH // TERM_LENGTH
    channel += f"|term-id={term_id}|term-offset=0"
    for key, value in params.items():
        channel += f"|{key}={value}"
    publication, recording_id = side.record(stream_id, channel)
    position = side.publish(publication, segments * MESSAGES_IN_A_SEGMENT, PAYLOAD_LENGTH)
    assert position == (begin + segments) * SEGMENT_LENGTH
    side.await_recorded(recording_id, position)
    publication.close()
    side.await_signal("STOP")
    side.signals.clear()
    return recording_id


def files_of(side, recording_id):
    names = side.machine.files.list("/data")
    prefix = f"{recording_id}-"
    return sorted(int(name[len(prefix) : -4]) for name in names if name.startswith(prefix))


def positions(side, recording_id):
    archive = side.archive
    return archive.get_start_position(recording_id), archive.get_stop_position(recording_id)


def replayed_length(side, recording_id):
    """Return the number of payload bytes in a replay of the whole recording."""
    start, stop = positions(side, recording_id)
    subscription = side.archive.replay(
        recording_id, "aeron:ipc", 5000, position=start, length=stop - start
    )
    lengths = []

    def take(view, _):
        lengths.append(len(view))

    expected = (stop - start) // FRAME_LENGTH * PAYLOAD_LENGTH

    def is_done():
        subscription.poll(take, 100)
        return sum(lengths) == expected

    side.pair.run_until(is_done)
    subscription.close()
    return sum(lengths)


def rejected(code, text):
    @contextlib.contextmanager
    def check():
        with pytest.raises(ArchiveError, match=text) as raised:
            yield
        assert raised.value.code == code

    return check()


def test_segments_are_put_before_a_recording(side):
    src, dst = part(side, 2), part(side, 2, begin=2)
    assert side.archive.migrate_segments(src, dst) == 2
    side.await_signal("DELETE")
    assert side.signals[-1].recording_id == src
    assert positions(side, dst) == (0, 4 * SEGMENT_LENGTH)
    assert positions(side, src) == (0, 0)
    assert files_of(side, src) == []
    assert files_of(side, dst) == [SEGMENT_LENGTH * index for index in range(5)]
    assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


def test_segments_are_appended_to_a_recording(side):
    dst, src = part(side, 2), part(side, 2, begin=2)
    assert side.archive.migrate_segments(src, dst) == 2
    side.await_signal("DELETE")
    assert positions(side, dst) == (0, 4 * SEGMENT_LENGTH)
    assert positions(side, src) == (2 * SEGMENT_LENGTH, 2 * SEGMENT_LENGTH)
    assert files_of(side, src) == []
    assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


def test_segments_move_to_an_empty_recording_and_back(side):
    # The recording begins and ends at the beginning of a segment.
    src = part(side, 2)
    dst = part(side, 0)
    side.archive.truncate_recording(dst, 0)
    side.await_signal("DELETE")
    assert side.archive.migrate_segments(src, dst) == 2
    assert positions(side, dst) == (0, 2 * SEGMENT_LENGTH)
    assert positions(side, src) == (0, 0)
    assert replayed_length(side, dst) == 2 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH
    assert side.archive.migrate_segments(dst, src) == 2
    assert positions(side, src) == (0, 2 * SEGMENT_LENGTH)


@pytest.mark.parametrize("is_put_before", [True, False])
def test_checksum_knowledge_moves_with_the_segments(is_put_before):
    with contextlib.closing(Pair(src=dict(CLUSTER_CHECKSUMS))) as pair:
        side = pair.src
        parts = part(side, 2), part(side, 2, begin=2)
        src, dst = parts if is_put_before else reversed(parts)
        side.archive.migrate_segments(src, dst)
        side.await_signal("DELETE")
        assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH
        with Catalog(side.machine.files, "/data", writable=False) as catalog:
            assert catalog.get(dst).frames == FrameChecksums(2, 0, 2 * SEGMENT_LENGTH)


@pytest.mark.parametrize("src_begin", [0, 2])
def test_a_killed_migration_resumes(side, src_begin):
    src, dst = part(side, 2, begin=src_begin), part(side, 2, begin=2 - src_begin)
    moved = (src_begin + 1) * SEGMENT_LENGTH
    side.machine.files.rename(f"/data/{src}-{moved}.rec", f"/data/{dst}-{moved}.rec")
    assert side.archive.migrate_segments(src, dst) == 2
    assert positions(side, dst) == (0, 4 * SEGMENT_LENGTH)
    assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


@pytest.mark.parametrize("src_begin", [0, 2])
def test_a_migration_whose_last_write_failed_resumes(side, src_begin):
    src, dst = part(side, 2, begin=src_begin), part(side, 2, begin=2 - src_begin)
    side.machine.files.fail("write_at", errno.EIO, after=2)  # checksums and the other position
    with pytest.raises(ArchiveError, match="Input/output"):
        side.archive.migrate_segments(src, dst)
    start = src_begin * SEGMENT_LENGTH
    assert positions(side, dst) == (0, 4 * SEGMENT_LENGTH)
    assert positions(side, src) == (start, start + 2 * SEGMENT_LENGTH)
    assert side.archive.migrate_segments(src, dst) == 2
    assert positions(side, src) == (start, start)
    assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


@pytest.mark.sampled(8)
@pytest.mark.parametrize("src_begin", [0, 2])
@pytest.mark.parametrize("calls", range(1, 12))
def test_a_migration_loses_nothing_wherever_it_is_killed(side, src_begin, calls):
    src, dst = part(side, 2, begin=src_begin), part(side, 2, begin=2 - src_begin)
    side.machine.files.stop_after(calls)
    side.archive.request(MigrateSegmentsRequest, src_recording_id=src, dst_recording_id=dst)
    end_ns = side.pair.world.time.now_ns + 100 * MS
    with contextlib.suppress(OSError, AeronClusterError):
        side.pair.run_until(lambda: side.pair.world.time.now_ns >= end_ns)
    side.kill()
    side.start()
    side.connect()
    start, stop = positions(side, src)
    if stop != start:
        assert side.archive.migrate_segments(src, dst) == 2
    assert positions(side, src) == (start, start)
    assert positions(side, dst) == (0, 4 * SEGMENT_LENGTH)
    assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


@pytest.mark.parametrize("calls", range(1, 12))
def test_rest_of_a_killed_truncation_is_not_read_as_recorded_data(side, calls):
    recording_id, kept = part(side, 3), SEGMENT_LENGTH - FRAME_LENGTH
    side.machine.files.stop_after(calls)
    side.archive.request(TruncateRecordingRequest, recording_id=recording_id, position=kept)
    end_ns = side.pair.world.time.now_ns + 100 * MS
    with contextlib.suppress(OSError, AeronClusterError):
        side.pair.run_until(lambda: side.pair.world.time.now_ns >= end_ns)
    kill_and_start(side)
    if positions(side, recording_id) != (0, kept):
        side.archive.truncate_recording(recording_id, kept)
        side.await_signal("DELETE")
    for count in (2, MESSAGES_IN_A_SEGMENT):  # into the next segment, and past it
        stop = extended(side, recording_id, count)
        assert positions(side, recording_id) == (0, stop)
    assert stop == kept + (2 + MESSAGES_IN_A_SEGMENT) * FRAME_LENGTH


@pytest.mark.parametrize("calls", [9, 10])  # the stop position is stored, and nothing is cut
@pytest.mark.parametrize("later", range(16, 26))
def test_rest_of_a_killed_truncation_does_not_return_by_another_kill(side, calls, later):
    """The archive is killed again before the recorder has opened the segment with the end."""
    recording_id, kept = part(side, 3), SEGMENT_LENGTH - FRAME_LENGTH
    side.machine.files.stop_after(calls)
    side.archive.request(TruncateRecordingRequest, recording_id=recording_id, position=kept)
    run_into_the_stop(side)
    assert positions(side, recording_id) == (0, kept)
    publication = extending_publication(side, kept)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.machine.files.stop_after(later)
    side.archive.request(
        ExtendRecordingRequest2,
        recording_id=recording_id,
        channel=channel,
        stream_id=1001,
        source_location=SourceLocation.LOCAL,
        auto_stop=False,
    )
    run_into_the_stop(side)
    assert positions(side, recording_id) == (0, kept)


def run_into_the_stop(side):
    """Run until the disk has stopped, and start the killed archive again."""
    end_ns = side.pair.world.time.now_ns + 100 * MS
    with contextlib.suppress(OSError, AeronClusterError):
        side.pair.run_until(lambda: side.pair.world.time.now_ns >= end_ns)
    kill_and_start(side)


@pytest.mark.parametrize("passes", [0, 10])  # the recorder opens its segment meanwhile
@pytest.mark.parametrize("seed", range(7))
def test_truncated_frames_do_not_return_after_a_power_loss(seed, passes):
    """Even if the recording was extended: its catalog entry has no end then."""
    with contextlib.closing(Pair(seed, src=SYNCED)) as pair:
        side = pair.src
        recording_id, kept = part(side, 1), (10 + seed) * FRAME_LENGTH
        side.archive.truncate_recording(recording_id, kept)
        side.await_signal("DELETE")
        publication = extending_publication(side, kept)
        channel = f"aeron:ipc?session-id={publication.session_id}"
        side.archive.extend_recording(recording_id, channel, 1001)
        side.await_signal("EXTEND")
        for _ in range(passes):
            side.pair.drive()
        lose_power(side)
        assert positions(side, recording_id) == (0, kept)


@pytest.mark.parametrize("seed", range(4))
def test_migrated_segments_are_there_after_a_power_loss(seed):
    with contextlib.closing(Pair(seed, src=SYNCED)) as pair:
        side = pair.src
        src, dst = part(side, 2), part(side, 2, begin=2)
        assert side.archive.migrate_segments(src, dst) == 2
        lose_power(side)
        assert positions(side, dst) == (0, 4 * SEGMENT_LENGTH)
        assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


def lose_power(side):
    side.machine.lose_power()
    side.invokers.clear()
    side.aeron = side.archive = side.both = None
    side.start()
    side.connect()


def kill_and_start(side):
    side.kill()
    side.start()
    side.connect()


def extended(side, recording_id, count):
    """Record more messages and kill the archive; return their end position."""
    position = side.archive.get_stop_position(recording_id)
    term_id, offset = divmod(position, TERM_LENGTH)
    publication = side.aeron.add_exclusive_publication(
        f"aeron:ipc?init-term-id=0|term-id={term_id}|term-offset={offset}|term-length={TERM_LENGTH}",
        1001,
    )
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.archive.extend_recording(recording_id, channel, 1001)
    side.pair.run_until(lambda: publication.is_connected)
    end = side.publish(publication, count, PAYLOAD_LENGTH)
    side.await_recorded(recording_id, end)
    kill_and_start(side)
    return end


def extending_publication(side, position):
    term_id, offset = divmod(position, TERM_LENGTH)
    return side.aeron.add_exclusive_publication(
        f"aeron:ipc?term-length={TERM_LENGTH}|init-term-id=0|term-id={term_id}|term-offset={offset}",
        1001,
    )


def test_an_extension_is_rejected_while_its_segments_are_deleted_when_the_image_arrives(
    side, monkeypatch
):
    recording_id, archive = part(side, 3), side.archive
    archive.extend_recording(recording_id, "aeron:ipc", 1001, auto_stop=True)
    with monkeypatch.context() as without_conductor:
        without_conductor.setattr(ArchiveConductor, "do_work", lambda _: 0)
        publication = extending_publication(side, FRAME_LENGTH)
        side.pair.run_until(lambda: publication.is_connected)
        # The next pass handles both requests and deletes one file of several.
        truncated = archive.request(
            TruncateRecordingRequest, recording_id=recording_id, position=FRAME_LENGTH
        )
    side.await_signal("DELETE")
    assert archive.take_answer(truncated).response.relevant_id == 3
    assert "EXTEND" not in side.signal_names()
    assert "outstanding delete" in str(side.late_errors[0])
    assert archive.get_stop_position(recording_id) == FRAME_LENGTH


def test_extension_is_rejected_while_the_segment_with_its_start_is_deleted(side, monkeypatch):
    """The recording begins within its first segment, at whose base no frame is deleted."""
    channel = f"aeron:ipc?term-length={TERM_LENGTH}|init-term-id=0|term-id=0"
    publication, recording_id = side.record(1001, f"{channel}|term-offset={FRAME_LENGTH}")
    end = side.publish(publication, 2, PAYLOAD_LENGTH)
    side.await_recorded(recording_id, end)
    publication.close()
    side.await_signal("STOP")
    side.signals.clear()
    archive = side.archive
    archive.extend_recording(recording_id, "aeron:ipc", 1001, auto_stop=True)
    with monkeypatch.context() as without_conductor:
        without_conductor.setattr(ArchiveConductor, "do_work", lambda _: 0)
        publication = extending_publication(side, FRAME_LENGTH)
        side.pair.run_until(lambda: publication.is_connected)
        archive.request(TruncateRecordingRequest, recording_id=recording_id, position=FRAME_LENGTH)
    side.await_signal("DELETE")
    side.pair.run_until(lambda: side.late_errors or "EXTEND" in side.signal_names())
    assert "outstanding delete" in str(side.late_errors[0])
    publication.close()
    assert extended(side, recording_id, 1) == 2 * FRAME_LENGTH
    assert positions(side, recording_id) == (FRAME_LENGTH, 2 * FRAME_LENGTH)


def test_archive_killed_in_a_truncation_and_in_a_detachment_starts():
    """The frames after the end are still there when the start is moved."""
    with contextlib.closing(Pair(src=dict(CLUSTER_CHECKSUMS))) as pair:
        side = pair.src
        recording_id, kept = part(side, 3), 2 * SEGMENT_LENGTH + FRAME_LENGTH
        side.machine.files.fail("truncate", errno.EIO)
        with pytest.raises(ArchiveError, match="Input/output"):
            side.archive.truncate_recording(recording_id, kept)
        side.machine.files.fail("write_at", errno.EIO, after=1)
        with contextlib.suppress(ArchiveError):
            side.archive.detach_segments(recording_id, SEGMENT_LENGTH)
        side.machine.files.fail("write_at", errno.EIO, count=0)
        kill_and_start(side)
        assert positions(side, recording_id) == (SEGMENT_LENGTH, kept)


def test_extension_is_rejected_after_an_incomplete_migration(side):
    dst, src = part(side, 1), part(side, 2, begin=1)
    side.machine.files.rename(
        f"/data/{src}-{SEGMENT_LENGTH}.rec", f"/data/{dst}-{SEGMENT_LENGTH}.rec"
    )
    publication = extending_publication(side, SEGMENT_LENGTH)
    side.archive.extend_recording(dst, f"aeron:ipc?session-id={publication.session_id}", 1001)
    side.pair.run_until(lambda: side.archive.poll() or side.late_errors)
    assert "migration was not completed" in str(side.late_errors[0])
    publication.close()
    assert side.archive.migrate_segments(src, dst) == 2
    assert replayed_length(side, dst) == 3 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


@pytest.mark.parametrize(
    ("src_begin", "delete"),
    [
        (2, lambda archive, dst: archive.truncate_recording(dst, FRAME_LENGTH)),
        (2, lambda archive, dst: archive.purge_recording(dst)),
        (0, lambda archive, dst: archive.truncate_recording(dst, 2 * SEGMENT_LENGTH)),
        (0, lambda archive, dst: archive.purge_recording(dst)),
        (0, lambda archive, dst: archive.delete_detached_segments(dst)),
    ],
)
def test_no_segment_of_an_incomplete_migration_is_deleted(side, delete, src_begin):
    """Not by requests for the destination: the segment still belongs to the source."""
    src, dst = part(side, 2, begin=src_begin), part(side, 2, begin=2 - src_begin)
    moved = src_begin * SEGMENT_LENGTH
    side.machine.files.rename(f"/data/{src}-{moved}.rec", f"/data/{dst}-{moved}.rec")
    with rejected(ArchiveErrorCode.GENERIC, "migration was not completed"):
        delete(side.archive, dst)
    assert side.archive.migrate_segments(src, dst) == 2
    assert replayed_length(side, dst) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


def test_empty_segment_after_the_end_is_deleted_next_to_an_incomplete_recording(side):
    first, second = part(side, 1), part(side, 1, begin=1)
    side.machine.files.remove(f"/data/{second}-{SEGMENT_LENGTH}.rec")
    assert side.archive.truncate_recording(first, FRAME_LENGTH) == 1
    side.await_signal("DELETE")
    assert files_of(side, first) == [0]


def test_rejects_migration_of_mismatching_recordings(side):
    first, third = part(side, 1), part(side, 1, begin=2)
    with rejected(ArchiveErrorCode.GENERIC, "not contiguous"):
        side.archive.migrate_segments(first, third)
    with rejected(ArchiveErrorCode.GENERIC, "not contiguous"):
        side.archive.migrate_segments(first, first)
    for src, dst in ((9, first), (first, 9)):
        with rejected(ArchiveErrorCode.UNKNOWN_RECORDING, "unknown recording id: 9"):
            side.archive.migrate_segments(src, dst)
    other = part(side, 1, begin=1, stream_id=1002)
    with rejected(ArchiveErrorCode.GENERIC, "srcStreamId=1001 dstStreamId=1002"):
        side.archive.migrate_segments(first, other)
    shorter = part(side, 1, begin=1, mtu=1344)
    with rejected(ArchiveErrorCode.GENERIC, "srcMtuLength=1408 dstMtuLength=1344"):
        side.archive.migrate_segments(first, shorter)
    _, active = side.record(1003)
    with rejected(ArchiveErrorCode.GENERIC, f"recording {active} is still active"):
        side.archive.migrate_segments(active, first)
    assert files_of(side, first) == [0, SEGMENT_LENGTH]


def test_rejects_a_join_within_a_segment(side):
    first = part(side, 1)
    side.archive.truncate_recording(first, SEGMENT_LENGTH // 2)
    side.await_signal("DELETE")
    publication, second = side.record(
        1001,
        f"aeron:ipc?term-length={TERM_LENGTH}|init-term-id=0|term-id=1|term-offset=0",
    )
    publication.close()
    side.await_signal("STOP")
    with rejected(ArchiveErrorCode.GENERIC, "not on segment boundary of src"):
        side.archive.migrate_segments(first, second)


def test_rejects_migration_over_files_or_without_them(side):
    src, dst = part(side, 2), part(side, 1, begin=2)
    side.machine.files.open(f"/data/{dst}-0.rec", write=True, create=True).close()
    with rejected(ArchiveErrorCode.GENERIC, f"preexisting dst segment file /data/{dst}-0.rec"):
        side.archive.migrate_segments(src, dst)
    side.machine.files.remove(f"/data/{dst}-0.rec")
    side.machine.files.remove(f"/data/{src}-0.rec")
    with rejected(ArchiveErrorCode.GENERIC, f"missing src segment file /data/{src}-0.rec"):
        side.archive.migrate_segments(src, dst)
    assert positions(side, src) == (0, 2 * SEGMENT_LENGTH)


def test_detached_segments_are_attached_again_or_deleted(side):
    recording_id = part(side, 3)
    archive = side.archive
    archive.detach_segments(recording_id, SEGMENT_LENGTH)
    assert positions(side, recording_id) == (SEGMENT_LENGTH, 3 * SEGMENT_LENGTH)
    assert archive.attach_segments(recording_id) == 1
    assert archive.get_start_position(recording_id) == 0
    archive.detach_segments(recording_id, SEGMENT_LENGTH)
    assert archive.delete_detached_segments(recording_id) == 1
    side.await_signal("DELETE")
    assert archive.attach_segments(recording_id) == 0
    side.signals.clear()
    assert archive.purge_segments(recording_id, 2 * SEGMENT_LENGTH) == 1
    side.await_signal("DELETE")
    assert files_of(side, recording_id) == [2 * SEGMENT_LENGTH, 3 * SEGMENT_LENGTH]
    with rejected(ArchiveErrorCode.GENERIC, "invalid segment start"):
        archive.detach_segments(recording_id, 2 * SEGMENT_LENGTH + 32)
    with rejected(ArchiveErrorCode.UNKNOWN_RECORDING, "unknown recording id: 9"):
        archive.purge_segments(9, 0)


@pytest.mark.parametrize("name", ["detach_segments", "purge_segments"])
def test_segments_that_a_replay_still_reads_are_neither_detached_nor_purged(side, name):
    recording_id, other = part(side, 3), part(side, 3)
    subscription = side.archive.replay(recording_id, "aeron:ipc", 5000)
    remove, received = getattr(side.archive, name), []

    def has_read(position):
        subscription.poll(lambda view, _: received.append(len(view)), 10)
        return len(received) * FRAME_LENGTH >= position

    side.pair.run_until(lambda: has_read(FRAME_LENGTH))
    with rejected(ArchiveErrorCode.GENERIC, "replay in progress"):
        remove(recording_id, SEGMENT_LENGTH)
    remove(other, 2 * SEGMENT_LENGTH)
    side.pair.run_until(lambda: has_read(SEGMENT_LENGTH + FRAME_LENGTH))
    with rejected(ArchiveErrorCode.GENERIC, "replay in progress"):
        remove(recording_id, 2 * SEGMENT_LENGTH)
    remove(recording_id, SEGMENT_LENGTH)
    side.pair.run_until(lambda: has_read(3 * SEGMENT_LENGTH))
    side.pair.run_until(lambda: side.counter("Archive Replay Sessions") == 0)
    remove(recording_id, 2 * SEGMENT_LENGTH)
    assert positions(side, recording_id) == (2 * SEGMENT_LENGTH, 3 * SEGMENT_LENGTH)
    assert positions(side, other) == (2 * SEGMENT_LENGTH, 3 * SEGMENT_LENGTH)


@pytest.mark.parametrize(
    ("offset", "value", "text"),
    [
        (16, 7, "stream id does not match: actual=7 expected=1001"),
        (20, 9, "term id does not match: actual=9 expected="),
        (8, 32, "term offset does not match: actual=32 expected=0"),
    ],
)
def test_a_segment_of_another_stream_is_not_attached(side, offset, value, text):
    recording_id = part(side, 2)
    side.archive.detach_segments(recording_id, SEGMENT_LENGTH)
    with side.machine.files.open(f"/data/{recording_id}-0.rec", write=True) as file:
        file.write_at(value.to_bytes(4, "little"), offset)
    with rejected(ArchiveErrorCode.GENERIC, text):
        side.archive.attach_segments(recording_id)
    assert positions(side, recording_id) == (SEGMENT_LENGTH, 2 * SEGMENT_LENGTH)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (SEGMENT_LENGTH - 32, f"fileLength={SEGMENT_LENGTH - 32} not equal to segmentLength="),
        (0, "fileLength=0 not equal to segmentLength="),
        (None, "fragment not found in first term of segment"),
    ],
)
def test_a_segment_that_is_cut_or_empty_is_not_attached(side, length, text):
    recording_id = part(side, 2)
    side.archive.detach_segments(recording_id, SEGMENT_LENGTH)
    with side.machine.files.open(f"/data/{recording_id}-0.rec", write=True) as file:
        file.truncate(length or 0)
        if length is None:
            file.truncate(SEGMENT_LENGTH)
    with rejected(ArchiveErrorCode.GENERIC, text):
        side.archive.attach_segments(recording_id)
    assert positions(side, recording_id) == (SEGMENT_LENGTH, 2 * SEGMENT_LENGTH)


def test_purge_of_segments_leaves_those_detached_before(side):
    recording_id = part(side, 4)
    side.archive.detach_segments(recording_id, SEGMENT_LENGTH)
    assert side.archive.purge_segments(recording_id, 3 * SEGMENT_LENGTH) == 2
    side.await_signal("DELETE")
    assert files_of(side, recording_id) == [0, 3 * SEGMENT_LENGTH, 4 * SEGMENT_LENGTH]
    # Only these positions are deleted here; each counts, whether or not its file exists.
    assert side.archive.delete_detached_segments(recording_id) == 3
    side.signals.clear()
    side.await_signal("DELETE")
    assert files_of(side, recording_id) == [3 * SEGMENT_LENGTH, 4 * SEGMENT_LENGTH]


def test_segments_are_neither_attached_nor_moved_to_names_being_deleted(side):
    first, second = part(side, 3), part(side, 2, begin=3)
    side.archive.detach_segments(first, SEGMENT_LENGTH)
    for kind, fields, then, rejected_fields in (
        (
            DeleteDetachedSegmentsRequest,
            {"recording_id": first},
            AttachSegmentsRequest,
            {"recording_id": first},
        ),
        (
            TruncateRecordingRequest,
            {"recording_id": first, "position": 3 * SEGMENT_LENGTH},
            MigrateSegmentsRequest,
            {"src_recording_id": second, "dst_recording_id": first},
        ),
    ):
        side.signals.clear()
        # Both requests arrive in one pass.
        accepted = side.archive.request(kind, **fields)
        rejected_id = side.archive.request(then, **rejected_fields)
        side.await_signal("DELETE")
        answers = [side.archive.take_answer(each).response for each in (accepted, rejected_id)]
        assert [each.code.name for each in answers] == ["OK", "ERROR"]
        assert "another delete operation" in answers[1].error_message
    assert positions(side, first) == (SEGMENT_LENGTH, 3 * SEGMENT_LENGTH)
    assert side.archive.migrate_segments(second, first) == 2
    assert replayed_length(side, first) == 4 * MESSAGES_IN_A_SEGMENT * PAYLOAD_LENGTH


@pytest.mark.parametrize("ends_at_start", [False, True])
def test_a_truncation_deletes_nothing_beyond_the_end(side, ends_at_start):
    recording_id = part(side, 2)
    # A killed migration to it left one here.
    kept = f"/data/{recording_id}-{5 * SEGMENT_LENGTH}.rec"
    side.machine.files.open(kept, write=True, create=True).close()
    position = 0 if ends_at_start else SEGMENT_LENGTH
    assert side.archive.truncate_recording(recording_id, position) == (4 if ends_at_start else 2)
    side.await_signal("DELETE")
    # A truncation to the start deletes every file of the recording, as upstream does.
    assert side.machine.files.is_file(kept) is not ends_at_start


def killed_deletion(side, recording_id, *bases):
    """Rename segments as older archives do before deleting them."""
    for base in bases:
        name = f"/data/{recording_id}-{base}.rec"
        side.machine.files.rename(name, f"{name}.del")


def left(side, recording_id):
    return [
        name for name in side.machine.files.list("/data") if name.startswith(f"{recording_id}-")
    ]


def test_files_renamed_by_a_killed_deletion_are_deleted_with_the_rest(side):
    purged, emptied, detached, moved = (part(side, 3, stream_id=each) for each in (1, 2, 3, 4))
    target = part(side, 1, begin=3, stream_id=4)
    killed_deletion(side, purged, SEGMENT_LENGTH)
    assert side.archive.purge_recording(purged) == 4
    killed_deletion(side, emptied, 0, 3 * SEGMENT_LENGTH)
    assert side.archive.truncate_recording(emptied, 0) == 4
    side.archive.detach_segments(detached, 2 * SEGMENT_LENGTH)
    killed_deletion(side, detached, 0)
    assert side.archive.delete_detached_segments(detached) == 2
    killed_deletion(side, moved, 3 * SEGMENT_LENGTH)
    assert side.archive.migrate_segments(moved, target) == 3
    side.pair.run_until(lambda: side.signal_names().count("DELETE") == 4)
    assert [left(side, each) for each in (purged, emptied, moved)] == [[], [], []]
    assert files_of(side, detached) == [2 * SEGMENT_LENGTH, 3 * SEGMENT_LENGTH]
    assert side.late_errors == []


LONG = "aeron:udp?endpoint=some.where.far.away.example.org:40123|alias=" + 200 * "x"


def test_a_recording_gets_another_channel(side):
    recordings = [part(side, 1, stream_id=stream_id) for stream_id in (1, 2, 3)]
    archive = side.archive
    before = [archive.list_recording(each) for each in recordings]
    archive.update_channel(recordings[1], LONG)
    archive.update_channel(recordings[2], "aeron:ipc")
    found = [archive.list_recording(each) for each in recordings]
    assert [each.original_channel for each in found[1:]] == [LONG, "aeron:ipc"]
    assert found[0].original_channel == before[0].original_channel
    assert found[1].stop_position == before[1].stop_position
    assert found[1].source_identity == before[1].source_identity
    with rejected(ArchiveErrorCode.UNKNOWN_RECORDING, "rejected"):
        archive.update_channel(9, "aeron:ipc")
    with rejected(ArchiveErrorCode.GENERIC, "aeron:"):
        archive.update_channel(recordings[0], "nonsense")
    # The next process finds the same.
    side.restart()
    side.connect()
    for recording_id, expected in zip(recordings, found, strict=True):
        again = side.archive.list_recording(recording_id)
        for name in ("original_channel", "stripped_channel", "stop_position", "stream_id"):
            assert getattr(again, name) == getattr(expected, name)


FIELDS = {
    "start_position": 0,
    "start_timestamp": 1,
    "initial_term_id": 0,
    "segment_file_length": SEGMENT_LENGTH,
    "term_buffer_length": TERM_LENGTH,
    "mtu_length": 1408,
    "session_id": 5,
    "stream_id": 6,
    "stripped_channel": "aeron:ipc",
    "original_channel": "aeron:ipc",
    "source_identity": "aeron:ipc",
}


CHANGES = {"original_channel": LONG, "stream_id": 1, "stop_position": 64, "stop_timestamp": 2}


@pytest.mark.parametrize("channel", ["aeron:udp?alias=" + 3000 * "x", "a", ""])
@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize("checksum", [None, Checksum("CRC-32")])
def test_a_descriptor_of_another_length_leaves_the_others_as_they_were(
    tmp_path, channel, index, checksum
):
    def opened():
        return Catalog(SystemFiles(), str(tmp_path), capacity=2048, checksum=checksum)

    with opened() as catalog:
        for number in range(3):
            catalog.add(**FIELDS | {"stream_id": number})
        catalog.replace(
            index,
            **FIELDS
            | {"stream_id": 9, "original_channel": channel}
            | {"stop_position": 64, "stop_timestamp": 2},
        )
        expected = [each.descriptor for each in catalog]
    assert [each.stream_id for each in expected] == [
        9 if number == index else number for number in range(3)
    ]
    assert expected[index].original_channel == channel
    with opened() as catalog:
        found = list(catalog)
        assert [each.descriptor for each in found] == expected
        if checksum is not None:
            for each in found:
                assert checksum(catalog.body(each.descriptor.recording_id)) == each.checksum
        assert catalog.add(**FIELDS) == 3
        assert len(list(catalog)) == 4


@pytest.mark.parametrize("has_power", [True, False])
def test_a_kill_while_a_descriptor_is_replaced_leaves_the_old_catalog_or_the_new_one(has_power):
    channels = set()
    for calls in range(1, 30):
        world = World(calls)
        files = world.add_machine("a", "10.0.0.1").files
        files.make_directory("/data")
        catalog = Catalog(files, "/data", capacity=1024, sync_level=2)
        for number in range(3):
            catalog.add(**FIELDS | {"stream_id": number})
        files.sync_directory("/data")
        files.stop_after(calls)
        with contextlib.suppress(OSError):
            catalog.replace(1, **FIELDS | CHANGES)
        if has_power:
            files.end_process()
        else:
            files.lose_power()
        with Catalog(files, "/data", capacity=1024) as catalog:
            found = [each.descriptor for each in catalog]
            assert [each.stream_id for each in found] == [0, 1, 2]
            channels.add(found[1].original_channel)
            assert not files.is_file("/data/archive.catalog.new")
    assert channels == {"aeron:ipc", LONG}


@pytest.mark.parametrize("verb", ["purge", "truncate"])
def test_rejects_removal_of_a_replayed_recording(side, verb):
    recording_id = part(side, 2)
    part(side, 1)
    side.archive.start_replay(recording_id, "aeron:ipc", 5001)
    text = f"cannot {verb} recording with active replay {recording_id}: replay session "
    with rejected(ArchiveErrorCode.ACTIVE_RECORDING, text):
        if verb == "purge":
            side.archive.purge_recording(recording_id)
        else:
            side.archive.truncate_recording(recording_id, 0)
    assert files_of(side, recording_id) != []
