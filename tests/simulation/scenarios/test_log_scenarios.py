"""Logs that are trimmed, truncated, damaged or restarted, or whose recording stops."""

import struct
import zlib

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.segments import segment_bases
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.recording_log_edit import seed_recording_log_from_snapshot
from aeron_cluster.codecs.archive import PurgeSegmentsRequest, StopRecordingByIdentityRequest
from aeron_cluster.errors import CorruptError
from aeron_cluster.simulator.clients.reference import ReferenceService
from tests.simulation.scenarios.rig import (
    FILES,
    Scenario,
    elections_of,
    send_to_archive,
    sequence_of,
)

SEGMENT_LENGTH = 256 * 1024
TERM_LENGTH = 64 * 1024
CLUSTER_DIR = f"{FILES}/cluster"
ARCHIVE_DIR = f"{FILES}/archive"
RECORDING_LOG = f"{CLUSTER_DIR}/recording.log"
ENTRY_LENGTH = 64
PADDING = 0  # a frame type


def first_segment(member, recording_id):
    """Return the start position of a member's recording, from its files."""
    return segment_bases(member.machine.files, ARCHIVE_DIR, recording_id)[0]


def trim(cluster):
    """Purge the log in all archives up to the segment of the latest snapshot."""
    for member in cluster.members:
        (position,) = cluster.snapshots(member)
        base = position - position % SEGMENT_LENGTH
        assert base > 0
        recording_id = cluster.log_recording(member)
        send_to_archive(
            member, PurgeSegmentsRequest, recording_id=recording_id, new_start_position=base
        )
        cluster.run_until(
            lambda m=member, r=recording_id, b=base: first_segment(m, r) == b, what="the purge"
        )


def test_a_log_trimmed_at_its_front_is_extended(cluster):
    cluster.send_request(70, padding=4000)
    cluster.snapshot()
    trim(cluster)
    cluster.end(ControlToggle.ABORT)
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [70] * 3
    cluster.send_request()
    cluster.await_equal()


def test_lagging_member_catches_up_from_a_log_trimmed_at_the_snapshot(cluster):
    cluster.send_request(70, padding=4000)
    cluster.snapshot()
    trim(cluster)
    old = cluster.leader()
    old.kill()
    cluster.await_other_leader(old)
    cluster.send_request(20, padding=4000)
    old.start()
    cluster.await_equal()
    assert sequence_of(old) == 90


def test_single_node_with_a_stopped_log_recording_elects_itself_again(single):
    single.send_request()
    (leader,) = single.members
    before = elections_of(leader)
    send_to_archive(
        leader, StopRecordingByIdentityRequest, recording_id=single.log_recording(leader)
    )
    single.run_until(lambda: elections_of(leader) > before, what="an election")
    single.run_until(lambda: leader.is_leading, what="the leader")
    single.drop_client()
    single.send_request()
    assert sequence_of(leader) == 10


class Checksum(ReferenceService):
    """Computes a checksum of all received messages."""

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        self.state.register = zlib.crc32(bytes(message), self.state.register)


def test_term_length_and_mtu_change_with_a_log_seeded_from_the_snapshot():
    # The part before the snapshot is retained; the part after it is abandoned with the old log.
    with Scenario(
        services=(ReferenceService, Checksum),
        module={"log_channel": "aeron:udp?term-length=64k|mtu=1408"},
        checkers=(),
    ) as cluster:
        cluster.begin().send_request(9, padding=7000)
        cluster.snapshot()
        kept = [member.services[1].state.register for member in cluster.members]
        cluster.send_request(11, padding=7000)
        cluster.kill_all()
        for member in cluster.members:
            seams = member.machine.start_process()
            seed_recording_log_from_snapshot(ClusterDirectory(FILES, seams))
        cluster.options["consensus_module"]["log_channel"] = "aeron:udp?term-length=128k|mtu=8192"
        cluster.start()
        cluster.await_leader()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [9] * 3
        assert [member.services[1].state.register for member in cluster.members] == kept
        cluster.send_request(5, padding=7000)
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [14] * 3
        assert len({member.services[1].state.register for member in cluster.members}) == 1
        for member in cluster.members:
            with Catalog(member.machine.files.copy(FILES), ARCHIVE_DIR, writable=False) as catalog:
                log = catalog.get(cluster.log_recording(member)).descriptor
            assert (log.term_buffer_length, log.mtu_length) == (128 * 1024, 8192)


def shorten(member):
    """Leave a member only its last term, its latest snapshot and their recordings."""
    files = member.machine.files
    with RecordingLog(files, CLUSTER_DIR, writable=False) as log:
        term, snapshots = log.find_last_term(), log.find_latest_snapshots(1)
    files.remove(RECORDING_LOG)
    with RecordingLog(files, CLUSTER_DIR) as log:
        log.append_term(
            term.recording_id,
            term.leadership_term_id,
            term.term_base_log_position,
            term.timestamp,
        )
        for each in reversed(snapshots):
            log.append_snapshot(
                each.recording_id,
                each.leadership_term_id,
                each.term_base_log_position,
                each.log_position,
                each.timestamp,
                each.service_id,
            )
    kept = {term.recording_id, *(each.recording_id for each in snapshots)}
    for name in files.list(ARCHIVE_DIR):
        if name.endswith(".rec") and int(name.partition("-")[0]) not in kept:
            files.remove(f"{ARCHIVE_DIR}/{name}")
    files.remove(f"{ARCHIVE_DIR}/archive-mark.dat")
    files.remove(f"{CLUSTER_DIR}/cluster-mark.dat")


def test_a_cluster_starts_from_its_last_term_and_latest_snapshot_alone(cluster):
    for count in (5, 10, 15):
        cluster.send_request()
        cluster.snapshot()
        old = cluster.leader()
        old.close()
        cluster.await_other_leader(old)
        cluster.kill_all()
        for member in cluster.members:
            shorten(member)
        cluster.start()
        cluster.await_leader()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [count] * 3
    cluster.send_request()


def cut_log(member, position):
    """Truncate a member's log at a position of its first segment, as an archive does."""
    files = member.machine.files
    path = f"{ARCHIVE_DIR}/0-0.rec"
    kept = files.read(path)[:position]
    files.replace(path, kept.ljust(SEGMENT_LENGTH, b"\0"))
    with Catalog(files, ARCHIVE_DIR) as catalog:
        catalog.set_stop_position(0, position)
    return kept


def frame_types(data):
    offset, types = 0, []
    while offset < len(data):
        length, _, _, kind = struct.unpack_from("<iBBH", data, offset)
        types.append(kind)
        offset += -(-length // 32) * 32
    return types


def test_log_ending_with_padding_is_replayed():
    with Scenario(members=1, checkers=()) as cluster:
        cluster.begin().send_request(30, padding=3000)
        (member,) = cluster.members
        in_first_term = sum(
            each.kind == "message" and each.position <= TERM_LENGTH
            for each in cluster.journals[0].entries
        )
        assert 0 < in_first_term < 30
        member.close()
        cluster.drop_client()
        assert frame_types(cut_log(member, TERM_LENGTH))[-1] == PADDING
        member.start()
        cluster.await_leader()
        cluster.await_equal()
        assert sequence_of(member) == in_first_term
        cluster.send_request()


@pytest.mark.parametrize("length", [1, 48, 63])
def test_member_with_a_torn_recording_log_starts_again(cluster, length):
    cluster.send_request()
    member = cluster.followers[0]
    member.kill()
    files = member.machine.files
    files.replace(RECORDING_LOG, files.read(RECORDING_LOG) + b"\1" * length)
    member.start()
    cluster.await_equal()
    assert len(files.read(RECORDING_LOG)) == ENTRY_LENGTH + length
    # The next term's entry replaces the torn tail.
    old = cluster.leader()
    old.kill()
    cluster.await_other_leader(old)
    old.start()
    cluster.send_request()
    cluster.await_equal()
    assert len(files.read(RECORDING_LOG)) == 2 * ENTRY_LENGTH
    assert [each.leadership_term_id for each in cluster.entries(member)] == [0, 1]


def last_type_unknown(data):
    return data[:-20] + struct.pack("<i", 77) + data[-16:], len(data) - 20


def last_term_negative(data):
    return data[:-56] + struct.pack("<q", -7) + data[-48:], len(data) - 56


@pytest.mark.parametrize("damage", [last_type_unknown, last_term_negative])
def test_a_member_with_a_corrupt_recording_log_is_rejected_and_the_others_continue(cluster, damage):
    cluster.send_request()
    member = cluster.followers[0]
    member.kill()
    files = member.machine.files
    data, offset = damage(files.read(RECORDING_LOG))
    files.replace(RECORDING_LOG, data)
    member.start()
    assert isinstance(member.failure, CorruptError)
    assert (member.failure.path, member.failure.offset) == (RECORDING_LOG, offset)
    assert files.read(RECORDING_LOG) == data
    cluster.send_request()
    cluster.start_blank(member)
    cluster.await_equal()
    assert sequence_of(member) == 10
