"""The audit of members: each planted difference is found and located."""

import struct

import pytest

from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import ConfigurationError, CorruptError, MissingFileError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.jobs.audit import audit
from aeron_cluster.pipeline.jobs.audits.findings import FindingKind
from tests.unit.pipeline.jobs.clusters import (
    long_log,
    module_messages,
    put_snapshot,
    record_snapshot,
    service_messages,
    write_cluster,
)
from tests.unit.pipeline.logs import TIME, LogBuilder
from tests.unit.pipeline.recording_builder import TERM, aligned


def only(report, member=None):
    """Return the only finding, which concerns the member."""
    (finding,) = report.findings
    assert member is None or finding.member == f"member {member}", str(finding)
    return finding


def frame_of(log, index):
    """Return a frame with a payload inside the log."""
    return log.frames[index]


def note(node, offset, value, kind="<q"):
    with (node / "cluster/recording.log").open("r+b") as file:
        file.seek(offset)
        file.write(struct.pack(kind, value))


def entry_of(node, term):
    with RecordingLog(SystemFiles(), str(node / "cluster"), writable=False) as log:
        return log.get_term(term)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_equal_members_are_consistent(tmp_path, count):
    nodes, log, _ = write_cluster(tmp_path, count)
    report = audit(*nodes)
    assert report.findings == ()
    assert report.notes == ()
    assert report.is_consistent
    assert report.committed_position == log.position
    assert report.compared_length == (count - 1) * log.position
    for index, member in enumerate(report.members):
        assert member.name == f"member {index}"
        assert (member.start_position, member.end_position) == (0, log.position)
        assert (member.term_count, member.snapshot_count) == (3, 4)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("offset", [32, 40, 75])
def test_a_flipped_byte_is_found(tmp_path, count, offset):
    nodes, log, _ = write_cluster(tmp_path, count)
    frame = frame_of(log, 50)
    assert len(frame.payload) > 75
    right = frame.payload[offset - 32]
    wrong = right ^ 0x10
    log.damage(nodes[1] / "archive", frame.position + offset, bytes([wrong]))
    finding = only(audit(*nodes), 1)
    assert finding.kind is FindingKind.DIFFERENT_BYTE
    assert finding.position == frame.position + offset
    assert finding.what == f"byte {offset - 32} of the payload of the frame at {frame.position}"
    assert finding.expected.startswith(f"0x{right:02x} as member ")
    assert finding.found == f"0x{wrong:02x}"
    assert finding.path == str(log.segment(nodes[1] / "archive", frame.position))
    assert finding.offset == finding.position - log.base(frame.position)


def test_the_majority_is_right_in_any_order(tmp_path):
    nodes, log, _ = write_cluster(tmp_path)
    frame = frame_of(log, 70)
    log.damage(nodes[0] / "archive", frame.position + 33, b"\xee")
    assert only(audit(*nodes), 0).position == frame.position + 33


def test_two_members_diverged_at_the_same_place_are_distinguished_from_the_majority(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 5)
    frame = frame_of(log, 70)
    log.damage(nodes[0] / "archive", frame.position + 33, b"\xee")
    log.damage(nodes[3] / "archive", frame.position + 34, b"\xee")
    found = {each.member: each.position for each in audit(*nodes).findings}
    assert found == {"member 0": frame.position + 33, "member 3": frame.position + 34}


@pytest.mark.parametrize(
    ("offset", "field"), [(0, "frame length"), (5, "flags"), (6, "frame type"), (24, "reserved")]
)
def test_a_flipped_byte_of_a_header_is_named_by_its_field(tmp_path, offset, field):
    nodes, log, _ = write_cluster(tmp_path)
    frame = frame_of(log, 33)
    log.damage(nodes[2] / "archive", frame.position + offset, b"\x05")
    finding = only(audit(*nodes), 2)
    assert finding.position == frame.position + offset
    assert finding.what.startswith(field)


@pytest.mark.parametrize("offset", [5, 32, 34, 40, 48, 64])
@pytest.mark.parametrize("term", [1, 2])
def test_only_the_flipped_term_begin_is_reported(tmp_path, term, offset):
    nodes, log, _ = write_cluster(tmp_path)
    position = dict(log.bases)[term]
    log.damage(nodes[2] / "archive", position + offset, b"\x71")
    assert only(audit(*nodes), 2).position == position + offset


def test_unreadable_one_of_two_members_is_wrong(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 2)
    frame = frame_of(log, 33)
    log.damage(nodes[0] / "archive", frame.position, b"\x05\0\0\0")
    assert only(audit(*nodes), 0).kind is FindingKind.DIFFERENT_BYTE


@pytest.mark.parametrize("is_stopped", [True, False])
@pytest.mark.parametrize("index", [50, -3])
def test_a_missing_frame_is_found_where_zeros_are(tmp_path, is_stopped, index):
    nodes, log, _ = write_cluster(tmp_path, is_stopped=is_stopped)
    frame = frame_of(log, index)
    log.damage(nodes[1] / "archive", frame.position, bytes(aligned(frame.length)))
    report = audit(*nodes)
    finding = next(each for each in report.findings if each.position == frame.position)
    assert finding.kind is FindingKind.MISSING_FRAME
    assert finding.member == "member 1"
    assert finding.expected.endswith(f"of {frame.length} bytes")
    assert {each.member for each in report.findings} == {"member 1"}


def test_missing_frame_is_found_at_the_place_of_the_next_one(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, snapshot_terms=())
    whole, _ = long_log()
    index = next(
        at
        for at, each in enumerate(whole.frames)
        if at > 40 and each.flags == 0xC0 and whole.frames[at + 1].flags == 0xC0
    )
    place = whole.frames[index].position
    shorter, _ = long_log()
    base = shorter.base(place)
    end = (place // log.term_length + 1) * log.term_length
    # The rest moves forward, up to the end of the term.
    data = bytearray()
    for frame in whole.frames[index + 1 :]:
        if frame.position >= end:
            break
        moved = frame.position - aligned(whole.frames[index].length)
        header = bytearray(log.header(frame))
        header[8:12] = struct.pack("<i", moved % log.term_length)
        data += (header + frame.payload).ljust(aligned(frame.length), b"\0")[: end - moved]
    path = log.segment(nodes[1] / "archive", place)
    with path.open("r+b") as file:
        file.seek(place - base)
        file.write(data)
    report = audit(*nodes)
    finding = report.findings[0]
    assert (finding.kind, finding.member) == (FindingKind.MISSING_FRAME, "member 1")
    assert finding.position == place
    assert finding.found == "the next one"
    # Compared with a majority that lacks the frame, the others have an additional one.
    finding = audit(nodes[1], nodes[0]).findings[0]
    assert finding.position == place


def put_words(path, words):
    """Write members with one frame for each letter of their words; return the first one's."""
    logs = []
    for index, reported in enumerate(words):
        log = LogBuilder()
        log.begin_term(0)
        places = [log.emit(1, word.encode()) for word in reported]
        log.write_node(path / f"node{index}", is_shut_down=True)
        logs.append(places)
    return [path / f"node{index}" for index in range(len(words))], logs[0]


@pytest.mark.parametrize(
    ("words", "kind", "index"),
    [
        ("aabbccddee", "different byte", 3),
        ("aaaaaaaaaa", "different byte", 3),
        ("abbbbbbbbb", "different byte", 0),
        ("abbbbbbbbb", "missing frame", 0),
        ("aaaaabcdef", "missing frame", 4),
        ("abcdefgggg", "extra frame", 5),
        ("aabbccddee", "extra frame", 1),
        ("abababababz", "missing frame", 4),
    ],
)
def test_repeated_frames_are_distinguished(tmp_path, words, kind, index):
    others = {
        "different byte": words[:index] + "!" + words[index + 1 :],
        "missing frame": words[:index] + words[index + 1 :],
        "extra frame": words[:index] + "!" + words[index:],
    }[kind]
    nodes, places = put_words(tmp_path, [words, others, words])
    finding = only(audit(*nodes), 1)
    at = 32 + 32 if kind == "different byte" else 0
    assert (finding.kind, finding.position - at) == (FindingKind(kind), places[index])


def test_a_missing_segment_is_found(tmp_path):
    nodes, log, _ = write_cluster(tmp_path)
    place = log.segment_length
    log.segment(nodes[2] / "archive", place).unlink()
    report = audit(*nodes)
    finding = report.findings[0]
    assert (finding.kind, finding.member) == (FindingKind.UNREADABLE, "member 2")
    assert finding.position == place
    assert finding.what == "segment file"


@pytest.mark.parametrize("by", [1, -1, 32, -32])
@pytest.mark.parametrize("term", [1, 2])
def test_term_with_a_wrong_recorded_start_is_found(tmp_path, term, by):
    nodes, log, _ = write_cluster(tmp_path, snapshot_terms=())
    entry = entry_of(nodes[1], term)
    base = dict(log.bases)[term]
    note(nodes[1], entry.offset + 16, base + by)
    finding = only(audit(*nodes), 1)
    assert finding.kind is FindingKind.TERM_BOUNDARY
    assert finding.position == base
    assert finding.what == f"start of leadership term {term} in the recording log"
    assert finding.expected == f"{base}, as in the log"
    assert finding.found == str(base + by)
    assert finding.offset == entry.offset + 16


@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize("term", [0, 1, 2])
def test_term_with_a_wrong_recorded_end_is_found(tmp_path, term, by):
    nodes, log, _ = write_cluster(tmp_path, snapshot_terms=())
    entry = entry_of(nodes[0], term)
    note(nodes[0], entry.offset + 24, entry.log_position + by)
    finding = only(audit(nodes[0]), 0)
    assert finding.kind is FindingKind.TERM_BOUNDARY
    assert finding.what == f"end of leadership term {term} in the recording log"
    assert finding.found == str(entry.log_position + by)
    del log


def put_part(node, start, end=None):
    """Write a member whose log begins and ends at the given positions; return the log."""
    whole, _ = long_log(terms_per_segment=1)
    log = LogBuilder(start, terms_per_segment=1)
    end = whole.position if end is None else end
    log.frames = [frame for frame in whole.frames if start <= frame.position < end]
    log.position = log.frames[-1].position + aligned(log.frames[-1].length)
    log.bases = [each for each in whole.bases if each[1] < log.position]
    log.term = log.bases[-1][0]
    log.write_node(node, is_shut_down=True)
    return log


@pytest.mark.parametrize("diverged", [0, 1])
@pytest.mark.parametrize("purged", [(0,), (1,), (2,), (0, 1), (0, 2)])
@pytest.mark.parametrize("behind", [False, True])
def test_log_purged_by_some_is_compared_among_the_others(tmp_path, purged, diverged, behind):
    count = len(purged) + 2
    nodes = [tmp_path / f"node{index}" for index in range(count)]
    starts = [TERM * (1 + purged.index(i)) if i in purged else 0 for i in range(count)]
    # Members with the beginning may lag, so others may have the longest log.
    end = 5 * TERM if behind else None
    logs = [
        put_part(node, start, None if start else end)
        for node, start in zip(nodes, starts, strict=True)
    ]
    assert audit(*nodes).is_consistent
    holders = [index for index, start in enumerate(starts) if start == 0]
    frame = logs[holders[0]].frames[30]
    assert frame.position + frame.length < TERM
    logs[holders[diverged]].damage(
        nodes[holders[diverged]] / "archive", frame.position + 40, bytes([frame.payload[8] ^ 1])
    )
    # Of two members, the one named later counts as wrong.
    assert only(audit(*nodes), holders[1]).position == frame.position + 40


def test_member_ending_before_all_others_begin_is_reported(tmp_path):
    nodes = [tmp_path / f"node{index}" for index in range(3)]
    put_part(nodes[0], 0, TERM)
    put_part(nodes[1], 2 * TERM)
    put_part(nodes[2], 3 * TERM)
    report = audit(*nodes)
    assert report.findings == ()
    assert [each for each in report.notes if "no common part" in each] == [
        "member 0: no common part with member 1, which purged it"
    ]


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_log_with_another_term_length_is_distinguished(tmp_path, index):
    nodes, _, _ = write_cluster(tmp_path, 3, snapshot_terms=())
    other = LogBuilder(term_length=2 * TERM)
    other.begin_term(0)
    nodes[index] = other.write_node(tmp_path / "odd", is_shut_down=True)
    finding = only(audit(*nodes), index)
    assert finding.what == "term length of the recording"
    assert finding.found == str(2 * TERM)


def put_purged(path, count=1):
    """Write members with logs beginning inside the first leadership term."""
    nodes = []
    for index in range(count):
        whole, _ = long_log(terms_per_segment=1)
        log = LogBuilder(TERM, terms_per_segment=1)
        assert log.start < whole.bases[1][1]
        log.frames = [frame for frame in whole.frames if frame.position >= log.start]
        log.position, log.bases, log.term = whole.position, whole.bases, whole.term
        nodes.append(log.write_node(path / f"purged{index}", is_shut_down=True))
    return nodes, log


@pytest.mark.parametrize("by", [1, -1, 32])
def test_partly_purged_term_with_a_wrong_recorded_end_is_found(tmp_path, by):
    nodes, log = put_purged(tmp_path)
    assert audit(*nodes).is_consistent
    entry = entry_of(nodes[0], 0)
    note(nodes[0], entry.offset + 24, entry.log_position + by)
    finding = only(audit(*nodes), 0)
    assert finding.kind is FindingKind.TERM_BOUNDARY
    assert finding.what == "end of leadership term 0 in the recording log"
    assert finding.position == log.bases[1][1] == entry.log_position


@pytest.mark.parametrize("count", [2, 3])
def test_purged_term_with_a_start_differing_from_others_is_found(tmp_path, count):
    nodes, _ = put_purged(tmp_path, count)
    assert audit(*nodes).is_consistent
    entry = entry_of(nodes[1], 0)
    note(nodes[1], entry.offset + 16, 1)
    finding = only(audit(*nodes), 1)
    assert finding.what == "start of leadership term 0 in the recording log"
    assert (finding.expected, finding.found) == ("0, as others have it", "1")


def test_the_holders_of_a_purged_term_are_right(tmp_path):
    nodes, _ = put_purged(tmp_path, 2)
    whole, _ = long_log(terms_per_segment=1)
    nodes.append(whole.write_node(tmp_path / "whole", is_shut_down=True))
    for node in nodes[:2]:
        note(node, entry_of(node, 0).offset + 16, 1)
    assert [each.member for each in audit(*nodes).findings] == ["member 0", "member 1"]


def test_term_missing_from_the_log_or_the_recording_log_is_found(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, snapshot_terms=())
    entry = entry_of(nodes[1], 1)
    note(nodes[1], entry.offset + 44, -(1 << 31), "<i")  # no longer valid
    finding = only(audit(*nodes), 1)
    assert finding.kind is FindingKind.MISSING_TERM
    assert finding.position == dict(log.bases)[1]
    assert "recording log" in finding.what
    note(nodes[1], entry.offset + 44, 0, "<i")
    note(nodes[1], entry.offset + 8, 7)  # another term, which the log does not have
    kinds = [each.kind for each in audit(*nodes).findings]
    assert kinds.count(FindingKind.MISSING_TERM) == 2


def test_empty_terms_are_consistent(tmp_path):
    log, _ = long_log()
    node = log.write_node(tmp_path / "node0")
    with RecordingLog(SystemFiles(), str(node / "cluster")) as noted:
        noted.append_term(0, 3, log.position, TIME)
        noted.append_term(0, 4, log.position, TIME)
    assert audit(node).is_consistent


def test_a_snapshot_of_another_position_is_found(tmp_path):
    nodes, _, places = write_cluster(tmp_path, snapshot_terms=(0,))
    for node in nodes:
        is_stale = node is nodes[2]
        term, base, position = places[2]
        state_position = places[1][2] if is_stale else position
        put_snapshot(node, term, base, state_position, noted=position)
    finding = only(audit(*nodes), 2)
    assert finding.kind is FindingKind.STALE_SNAPSHOT
    assert finding.position == places[2][2]
    assert finding.expected == f"that of position {places[2][2]} in leadership term 2"
    assert finding.found == f"that of position {places[1][2]} in leadership term 2"


def test_a_member_without_the_snapshot_of_the_others_is_found(tmp_path):
    nodes, _, places = write_cluster(tmp_path, snapshot_terms=(0,))
    for node in nodes[:2]:
        put_snapshot(node, *places[2])
    report = audit(*nodes)
    assert {each.kind for each in report.findings} == {FindingKind.STALE_SNAPSHOT}
    assert {each.member for each in report.findings} == {"member 2"}
    assert [each.what for each in report.findings] == [
        "latest snapshot of the consensus module",
        "latest snapshot of service 0",
    ]
    assert {each.found for each in report.findings} == {f"one of position {places[0][2]}"}
    # A single member with the snapshot may be the first to take it.
    assert audit(nodes[0], nodes[2], nodes[2]).is_consistent


def test_differing_snapshot_is_found(tmp_path):
    nodes, _, places = write_cluster(tmp_path, snapshot_terms=())
    for index, node in enumerate(nodes):
        state = [b"one", b"two" if index != 1 else b"twi", b"three"]
        put_snapshot(node, *places[1], state=state)
    finding = only(audit(*nodes), 1)
    assert finding.kind is FindingKind.DIFFERENT_SNAPSHOT
    assert finding.position == places[1][2]
    assert finding.what.endswith("message 3, byte 2")
    assert (finding.expected, finding.found) == ("0x6f as member 0 has it", "0x69")


def test_shorter_snapshot_is_found(tmp_path):
    nodes, _, places = write_cluster(tmp_path, snapshot_terms=())
    for index, node in enumerate(nodes):
        put_snapshot(node, *places[1], state=[b"one", b"two"][: 1 + (index != 0)])
    finding = only(audit(*nodes), 0)
    assert finding.what.endswith("message 3, byte 0")
    assert finding.found == "the end"


def test_a_missing_or_damaged_snapshot_is_found(tmp_path):
    nodes, log, places = write_cluster(tmp_path, snapshot_terms=())
    term, base, position = places[2]
    snapshot = record_snapshot(nodes[0] / "archive", service_messages(term, position))
    with RecordingLog(SystemFiles(), str(nodes[0] / "cluster")) as noted:
        noted.append_snapshot(99, term, base, position, TIME, 0)
    finding = only(audit(nodes[0]))
    assert finding.kind is FindingKind.MISSING_SNAPSHOT
    assert finding.expected.startswith("recording 99 in ")
    with RecordingLog(SystemFiles(), str(nodes[1] / "cluster")) as noted:
        noted.append_snapshot(snapshot, term, base, position, TIME, 0)
    record_snapshot(nodes[1] / "archive", service_messages(term, position))
    (nodes[1] / "archive" / f"{snapshot}-0.rec").write_bytes(b"\x07" * 4096)
    finding = only(audit(nodes[1]))
    assert finding.kind is FindingKind.UNREADABLE
    assert f"{snapshot}-0.rec" in finding.found
    del log


def test_a_tail_of_another_leader_is_no_difference(tmp_path):
    """Log appended only by a former leader is truncated when it returns."""
    nodes, log, _ = write_cluster(tmp_path, 2, snapshot_terms=())
    logs = []
    for index in range(2):
        own, _ = long_log()
        own.begin_term(3 + index, leader=index)
        own.emit(1, b"of one alone" * (1 + index))
        logs.append(own)
        own.write_node(tmp_path / f"tail{index}")
    report = audit(nodes[0], tmp_path / "tail0", tmp_path / "tail1")
    assert report.is_consistent
    assert report.committed_position == log.position
    assert len(report.notes) == 1
    assert f"from {log.position} on, which is not known to be committed" in report.notes[0]


def test_lagging_member_is_reported_as_no_difference(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 2, snapshot_terms=())
    short, _ = long_log()
    del short.frames[-40:]
    short.position = short.frames[-1].position + aligned(short.frames[-1].length)
    short.bases = [each for each in short.bases if each[1] < short.position]
    short.write_node(tmp_path / "short")
    report = audit(*nodes, tmp_path / "short")
    assert report.is_consistent
    assert report.notes == (
        f"member 2: ends at {short.position}, before the commit position: it lags",
    )
    assert report.committed_position == log.position


def test_a_log_without_its_cluster_is_compared_anyway(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, snapshot_terms=())
    frame = frame_of(log, 50)
    log.damage(nodes[1] / "archive", frame.position + 60, b"\xee")
    archives = [node / "archive" for node in nodes]
    for node in nodes:
        (node / "cluster/recording.log").unlink()
    report = audit(*archives)
    assert only(report, 1).position == frame.position + 60
    assert len(report.notes) == 3


def test_the_audit_reports_its_position(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 2)
    steps = []
    audit(*nodes, progress=lambda *each: steps.append(each))
    assert ("read member 0", log.position, log.position) in steps
    assert ("compare member 1 with member 0", log.position, log.position) in steps
    assert steps[-1] == ("read snapshots", 2, 2)


def test_unreadable_input_is_rejected(tmp_path):
    with pytest.raises(ConfigurationError, match="members"):
        audit()
    with pytest.raises(MissingFileError):
        audit(tmp_path / "nowhere")
    nodes, _, _ = write_cluster(tmp_path, 1)
    (nodes[0] / "archive/archive.catalog").write_bytes(b"\x07" * 4096)
    with pytest.raises(CorruptError):
        audit(nodes[0])


def put_killed(path):
    """Write members none of which was shut down; return their directories and the log."""
    log, _ = long_log()
    nodes = [log.write_node(path / f"node{index}", is_stopped=False) for index in range(3)]
    assert audit(*nodes).is_consistent
    return nodes, log


@pytest.mark.parametrize("index", [-1, -2, -20])
def test_length_hiding_the_end_of_an_unstopped_recording_is_found(tmp_path, index):
    nodes, log = put_killed(tmp_path)
    frame = log.frames[index]
    # So long that its end is not written, like a partly written frame.
    log.damage(nodes[1] / "archive", frame.position + 1, bytes([frame.length >> 8 ^ 0x41]))
    finding = only(audit(*nodes), 1)
    assert (finding.kind, finding.position) == (FindingKind.DIFFERENT_BYTE, frame.position + 1)
    assert finding.what == f"frame length of the frame at {frame.position}"


def test_partly_written_frame_is_no_difference(tmp_path):
    nodes, log = put_killed(tmp_path)
    frame = next(
        each for each in reversed(log.frames) if each.position % 4096 + each.length > 4096 + 1024
    )
    to_page_end = 4096 - frame.position % 4096
    rest = log.position - frame.position - to_page_end
    log.damage(nodes[1] / "archive", frame.position + to_page_end, bytes(rest))
    report = audit(*nodes)
    assert report.is_consistent
    assert report.notes == (
        f"member 1: ends at {frame.position}, before the commit position: it lags",
    )


@pytest.mark.parametrize("left", [0, 7])
def test_segment_that_ends_too_early_is_found(tmp_path, left):
    """Before a frame, or within its header."""
    nodes, log, _ = write_cluster(tmp_path)
    frame = frame_of(log, 50)
    with log.segment(nodes[1] / "archive", frame.position).open("r+b") as file:
        file.truncate(frame.position - log.base(frame.position) + left)
    findings = audit(*nodes).findings
    assert {each.member for each in findings} == {"member 1"}
    missing = next(each for each in findings if each.kind is FindingKind.MISSING_FRAME)
    assert (missing.position, missing.found) == (frame.position, "the end of the file")


def test_difference_before_a_missing_segment_is_described(tmp_path):
    nodes = []
    for index in range(3):
        log = LogBuilder(terms_per_segment=1)
        log.begin_term(0)
        while log.room > 2048:
            log.emit(1, bytes(1000))
        place = log.entry(bytes(log.room - 32))  # exactly up to the end of the segment
        end = log.position
        log.emit(1, b"in the next segment")
        nodes.append(log.write_node(tmp_path / f"node{index}", is_shut_down=True))
    assert end == TERM
    log.damage(nodes[1] / "archive", place + 40, b"\1")
    log.segment(nodes[1] / "archive", end).unlink()
    findings = {each.kind: each for each in audit(*nodes).findings}
    assert findings[FindingKind.DIFFERENT_BYTE].position == place + 40
    assert findings[FindingKind.UNREADABLE].position == end
    assert {each.member for each in findings.values()} == {"member 1"}


def test_each_of_two_unreadable_frames_is_found(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 2)
    frame = frame_of(log, 50)
    log.damage(nodes[0] / "archive", frame.position, bytes(aligned(frame.length)))
    log.damage(nodes[1] / "archive", frame.position + 6, b"\x05")
    findings = {each.member: each for each in audit(*nodes).findings}
    assert {each.position for each in findings.values()} == {frame.position}
    assert findings["member 0"].kind is FindingKind.UNREADABLE
    extra = findings["member 1"]
    assert extra.kind is FindingKind.EXTRA_FRAME
    assert (extra.expected, extra.found) == ("none", f"one of {frame.length} bytes")


def test_backup_that_noted_later_terms_only_is_consistent(tmp_path):
    log, _ = long_log()
    log.bases = log.bases[1:]
    node = log.write_node(tmp_path / "backup", is_shut_down=True)
    report = audit(node)
    assert report.is_consistent
    (member,) = report.members
    assert member.term_count == 3


def test_segment_removed_during_an_audit_is_no_wrong_end_of_a_term(tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1, snapshot_terms=())
    entry = entry_of(nodes[0], 2)
    note(nodes[0], entry.offset + 24, entry.log_position - 1)
    assert only(audit(*nodes)).what.startswith("end of leadership term 2")
    segment = log.segment(nodes[0] / "archive", log.position - 1)

    def remove(_what, done, total):
        if done == total:
            segment.unlink(missing_ok=True)

    report = audit(*nodes, progress=remove)
    assert not segment.exists()
    assert report.findings == ()


# ---- snapshots ----------------------------------------------------------------------------------


def put_snapshot_of(node, place, messages, service_id):
    """Add a snapshot with the given messages; return its recording."""
    term, base, position = place
    recording_id = record_snapshot(node / "archive", messages)
    with RecordingLog(SystemFiles(), str(node / "cluster")) as noted:
        noted.append_snapshot(recording_id, term, base, position, TIME, service_id)
    return recording_id


def module_snapshot(place, **options):
    return module_messages(place[0], place[2], **options)


def test_snapshot_of_the_module_that_differs_is_found(tmp_path):
    nodes, _, places = write_cluster(tmp_path, snapshot_terms=())
    for index, node in enumerate(nodes):
        ids = (1, 2) if index != 1 else (1, 3, 4)
        # Members have no common order of sessions.
        messages = module_snapshot(places[1], session_ids=ids[::-1] if index == 2 else ids)
        recording_id = put_snapshot_of(node, places[1], messages, -1)
    finding = only(audit(*nodes), 1)
    assert finding.kind is FindingKind.DIFFERENT_SNAPSHOT
    what = f"snapshot {recording_id} of the consensus module: sessions and timers"
    assert finding.what == what
    assert (finding.expected, finding.found) == ("the 3 of member 0", "4, not the same")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda messages: [b"what?", *messages], "first message"),
        (lambda messages: messages[:-1], "end"),
        (lambda _: [], "end"),
    ],
    ids=["no begin", "no end", "nothing"],
)
@pytest.mark.parametrize("service_id", [-1, 0])
def test_snapshot_without_its_markers_is_unreadable(tmp_path, change, what, service_id):
    nodes, _, places = write_cluster(tmp_path, 1, snapshot_terms=())
    recording_id = put_snapshot_of(
        nodes[0], places[1], change(module_snapshot(places[1])), service_id
    )
    name = "the consensus module" if service_id < 0 else "service 0"
    finding = only(audit(*nodes), 0)
    assert finding.kind is FindingKind.UNREADABLE
    assert finding.what == f"snapshot {recording_id} of {name}: {what}"
    assert (finding.position, finding.expected) == (places[1][2], "a marker")


def test_snapshot_without_its_segment_is_unreadable(tmp_path):
    nodes, _, places = write_cluster(tmp_path, 1, snapshot_terms=())
    recording_id = put_snapshot_of(nodes[0], places[1], module_snapshot(places[1]), -1)
    (nodes[0] / f"archive/{recording_id}-0.rec").unlink()
    finding = only(audit(*nodes), 0)
    assert finding.kind is FindingKind.UNREADABLE
    assert f"{recording_id}-0.rec" in finding.found


def test_snapshot_with_another_start_of_its_term_is_found(tmp_path):
    nodes, _, places = write_cluster(tmp_path, 1, snapshot_terms=())
    term, base, position = places[1]
    put_snapshot_of(nodes[0], (term, base + 32, position), module_snapshot(places[1]), -1)
    finding = only(audit(*nodes), 0)
    assert finding.kind is FindingKind.TERM_BOUNDARY
    assert finding.what.startswith(f"start of leadership term {term} at snapshot ")
    assert (finding.expected, finding.found) == (f"{base}, as the term has it", str(base + 32))
