"""The oracles' own readers, compared with files written by the product."""

import struct

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import CorruptError
from aeron_cluster.simulator.checks import plain_disk
from aeron_cluster.simulator.checks.member_disk import (
    find_log,
    read_log,
    read_module_snapshots,
    read_snapshots,
)
from aeron_cluster.simulator.checks.plain_disk import (
    PlainEntry,
    PlainRecording,
    read_candidate_term,
    read_entries,
    read_frames_end,
    read_invalid_snapshots,
    read_messages,
    read_recordings,
    read_standby_entries,
    stop_position_offset,
)
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster
from aeron_cluster.simulator.world.memory_files import MemoryFiles

DIRECTORY = "/cluster"
S = 1_000_000_000


def test_valid_terms_and_snapshots_are_read():
    files = MemoryFiles(directories=[DIRECTORY])
    assert read_entries(files, f"{DIRECTORY}/recording.log") == []
    with RecordingLog(files, DIRECTORY) as log:
        log.append_term(7, 1, 0, 10)
        log.append_snapshot(3, 1, 0, 64, 20, 0, archive_endpoint="localhost:" + "9" * 80)
        for service_id in (0, -1):
            log.append_snapshot(8 - service_id, 1, 0, 64, 20, service_id)
        log.append_snapshot(10, 1, 0, 128, 30, 0)
        log.append_snapshot(11, 1, 0, 128, 30, -1)
        log.invalidate_latest_snapshot()
        log.append_term(7, 2, 192, 40)
    entries = read_entries(files, f"{DIRECTORY}/recording.log")
    found = [(each.recording_id, each.term_id, each.service_id) for each in entries]
    assert sorted(found) == [(7, 1, -1), (7, 2, -1), (8, 1, 0), (9, 1, -1)]
    assert [each.term_id for each in entries if each.is_term] == [1, 2]


def test_invalid_snapshots_are_read_without_those_of_standbys():
    files = MemoryFiles(directories=[DIRECTORY])
    assert read_invalid_snapshots(files, f"{DIRECTORY}/recording.log") == []
    with RecordingLog(files, DIRECTORY) as log:
        log.append_term(7, 1, 0, 10)
        standby = log.append_snapshot(3, 1, 0, 64, 20, -1, archive_endpoint="localhost:9500")
        log.append_snapshot(8, 1, 0, 64, 20, -1)
        lost = log.append_snapshot(9, 1, 0, 128, 30, -1)
        log.invalidate(standby)
        log.invalidate(lost)
    assert read_invalid_snapshots(files, f"{DIRECTORY}/recording.log") == [
        PlainEntry(9, 1, 128, -1, False, 0, 30)
    ]


def test_snapshots_of_standbys_are_read_with_their_archives():
    files = MemoryFiles(directories=[DIRECTORY])
    endpoint = "localhost:" + "9" * 80
    assert read_standby_entries(files, f"{DIRECTORY}/recording.log") == []
    with RecordingLog(files, DIRECTORY) as log:
        log.append_term(7, 1, 0, 10)
        log.append_snapshot(3, 1, 0, 64, 20, 0, archive_endpoint=endpoint)
        log.append_snapshot(4, 1, 0, 64, 20, -1, archive_endpoint="standby:9500")
        log.append_snapshot(8, 1, 0, 64, 20, -1)
    assert read_standby_entries(files, f"{DIRECTORY}/recording.log") == [
        (PlainEntry(3, 1, 64, 0, False, 0, 20), endpoint),
        (PlainEntry(4, 1, 64, -1, False, 0, 20), "standby:9500"),
    ]


def test_last_term_voted_in_is_read():
    files = MemoryFiles(directories=[DIRECTORY])
    assert read_candidate_term(files, DIRECTORY) == -1
    with NodeState(files, DIRECTORY) as state:
        assert read_candidate_term(files, DIRECTORY) == -1
        state.update(6, 100, 0)
    assert read_candidate_term(files, DIRECTORY) == 6


def test_log_and_snapshots_of_a_member_are_read():
    with Cluster(1, ReferenceService, members=1) as cluster:
        cluster.start()
        member = cluster.await_leader()
        client = cluster.add_client()
        requests = [
            Request(0, 0, Verb.TIMER, 100_000),
            Request(0, 1, Verb.PUSH, 3, padding=5_000),  # in several fragments
            Request(0, 2, Verb.PUSH, 4),
        ]
        for each in requests:
            client.send(each.encode())
        cluster.run_until(lambda: len(client.responses) == len(requests))
        member.module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.run_for(2 * S)
        position = member.commit_position
        disk = member.machine.files.copy("/data")
    log = read_log(disk, "/data", position)
    assert [data[32:] for _, data in log if data[32:] in [each.encode() for each in requests]] == [
        each.encode() for each in requests
    ]
    found = find_log(disk, "/data")
    assert log[-1][0] <= read_frames_end(disk, "/data/archive", found)
    ((snapshot_position, service_id, data),) = read_snapshots(disk, "/data")
    assert service_id == 0
    assert b"[0,[3,4],0,[]]" in data
    ((module_position, content),) = read_module_snapshots(disk, "/data")
    assert module_position == snapshot_position <= position
    assert list(content.timers) == [0]
    assert list(content.sessions) == [1]
    assert content.next_session_id == 2
    assert read_log(disk, "/data", log[0][0]) == log[:1]
    # One recording each for the log, the service's snapshot and the module's.
    recordings = read_recordings(disk, "/data/archive")
    assert len(recordings) == 3
    with disk.open("/data/archive/archive.catalog") as file:
        for recording_id, recording in recordings.items():
            offset = stop_position_offset(disk, "/data/archive", recording_id)
            stop = struct.pack("<q", recording.stop_position)
            assert file.read_at(8, offset) == stop
            if recording.stop_position >= 0:
                assert read_frames_end(disk, "/data/archive", recording) == recording.stop_position
    assert stop_position_offset(disk, "/data/archive", 3) == -1


def with_archive(data):
    files = MemoryFiles(directories=[DIRECTORY])
    with files.open(f"{DIRECTORY}/archive.catalog", write=True, create=True) as file:
        file.write_at(data, 0)
    return files


@pytest.mark.parametrize("data", [b"", bytes(31), bytes(1024)])
def test_a_catalog_without_an_entry_has_no_recordings(data):
    assert read_recordings(with_archive(data), DIRECTORY) == {}


def test_a_log_ends_where_its_last_file_is_cut_or_missing():
    frame = (
        struct.pack("<iBBHiiii", 40, 0, 0xC0, 1, 0, 0, 0, 0) + bytes(8) + b"8 bytes." + bytes(24)
    )
    files = MemoryFiles(directories=[DIRECTORY])
    recording = PlainRecording(0, 0, -1, 128, 128)
    assert read_messages(files, DIRECTORY, recording) == []  # no file
    with files.open(f"{DIRECTORY}/0-0.rec", write=True, create=True) as file:
        file.write_at(frame + frame[:16], 0)
    assert read_messages(files, DIRECTORY, recording) == [(b"8 bytes.", 64)]
    with files.open(f"{DIRECTORY}/0-0.rec", write=True) as file:
        file.write_at(frame + frame, 0)
    # The next one is missing.
    assert read_messages(files, DIRECTORY, recording) == [(b"8 bytes.", 64), (b"8 bytes.", 128)]
    assert read_frames_end(files, DIRECTORY, recording) == 128


def test_the_end_of_a_message_without_its_beginning_is_none():
    """Reading may begin in the middle of a message."""

    def frame(flags):
        head = struct.pack("<iBBHiiii", 40, 0, flags, 1, 0, 0, 0, 0)
        return head + bytes(8) + b"8 bytes." + bytes(24)

    files = MemoryFiles(directories=[DIRECTORY])
    with files.open(f"{DIRECTORY}/0-0.rec", write=True, create=True) as file:
        file.write_at(frame(0x00) + frame(0x40) + frame(0xC0) + bytes(64), 0)
    recording = PlainRecording(0, 0, -1, 1 << 16, 1 << 16)
    assert read_messages(files, DIRECTORY, recording) == [(b"8 bytes.", 192)]


def test_recording_ending_too_early_is_found():
    frame = (
        struct.pack("<iBBHiiii", 40, 0, 0xC0, 1, 0, 0, 0, 0) + bytes(8) + b"8 bytes." + bytes(24)
    )
    files = MemoryFiles(directories=[DIRECTORY])
    with files.open(f"{DIRECTORY}/0-0.rec", write=True, create=True) as file:
        file.write_at(frame, 0)
        file.write_at(bytes(64), len(frame))
    open_ended = PlainRecording(0, 0, -1, 1 << 16, 1 << 16)
    assert read_messages(files, DIRECTORY, open_ended) == [(b"8 bytes.", 64)]
    assert read_frames_end(files, DIRECTORY, open_ended) == 64
    with pytest.raises(CorruptError, match="frames up to 128"):
        read_messages(files, DIRECTORY, open_ended._replace(stop_position=128))


def test_entries_of_a_catalog_begin_at_its_alignment():
    """Up to the end of the file, where an entry may be cut."""
    lengths, alignment = (130, 96), 64
    data = bytearray(1024)
    struct.pack_into("<i", data, plain_disk._ALIGNMENT_OFFSET, alignment)
    del data[32:]
    for recording_id, length in enumerate(lengths):
        entry = bytearray(32 + length)
        struct.pack_into("<ii", entry, 0, length, 1)
        plain_disk._DESCRIPTOR.pack_into(
            entry, 32, recording_id, 0, 0, 64, -1, 0, 4096, 4096, 1408, -7, 100
        )
        data += entry
        data += bytes(-len(entry) % alignment)
    files = with_archive(bytes(data))
    found = read_recordings(files, DIRECTORY)
    assert [each.start_position for each in found.values()] == [64, 64]
    assert {(each.session_id, each.stream_id) for each in found.values()} == {(-7, 100)}
    assert list(found) == [0, 1]
    assert list(read_recordings(with_archive(bytes(data[:-64])), DIRECTORY)) == [0]
