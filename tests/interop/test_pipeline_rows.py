"""Every row of a cluster's recordings equals what Java's own classes read from the same files.

``java/RecordedRows.java`` reads them with the archive's catalog and reader, reassembles messages
with the client's assembler, and decodes a log with the cluster's generated codecs.
"""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

import pytest

from aeron_cluster.pipeline import MemberDirectories, read_log, read_recording
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, RECORDING_COLUMNS
from tests.interop.java_cluster import ClusterMembers
from tests.interop.test_mixed_clusters import await_same_state, fail

pytest.importorskip("pyarrow")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS = {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}
SMALL = {"log": "aeron:udp?term-length=64k", "segment": 128 * 1024}
# Columns that are not part of an entry; test_pipeline.py tests them.
OURS = {"member", "committed", "timestamp", "timestamp_unit"}


def run_client(members, **arguments):
    client = members.client(resendMs=20_000, newLeaderTimeoutMs=60_000, **arguments)
    assert client.wait(240) == 0, f"{client.report()}\n{members.report()}"


def eventful(members, *kinds):
    """Return the members of a cluster that recorded a log with every kind of entry."""
    started = members.start_all(*kinds, **SMALL)
    leader = members.await_leader()
    run_client(members, count=60, size=32, maxSize=4000, window=8)
    run_client(members, cmd="timer", count=10, window=8, delayMs=20)
    since = leader.toggle("snapshot")
    leader.peer.await_event("snapshotDone", 120, since)
    run_client(members, cmd="service", count=10, window=8)
    fail(members, leader)
    members.await_leader()
    run_client(members, count=30, size=32, maxSize=4000, window=8)
    members.start_member(leader.kind, leader.index, **SMALL)
    members.await_leader()
    run_client(members, cmd="timer", count=5, window=8, delayMs=20)
    await_same_state(members)
    for index in tuple(members.running):
        members.stop(index)
    return started


def read_by_java(java, archive_dir, log):
    """Return frames and messages as Java reads them: lists of mappings, by kind."""
    events = java.run(
        "io.aeron.archive.RecordedRows", archiveDir=archive_dir, log=log, timeout=60
    ).events
    assert events[-1] == {"event": "end"}
    found = defaultdict(list)
    for event in events:
        found[event["event"]].append({name: event[name] for name in event if name != "event"})
    return found


def recorded(archive_dir, **options):
    rows = read_recording(archive_dir, **options).table().to_pylist()
    return [row | {"payload": row["payload"].hex()} for row in rows]


def entry_of(row):
    """Return a row's entry, as Java prints it: no nulls, and the fields of structs."""
    reported = {}
    for name, value in row.items():
        if isinstance(value, dict):
            reported |= {f"{name}.{field}": each for field, each in value.items()}
        elif value is not None and name not in OURS:
            reported[name] = value
    return {
        name: value.hex() if isinstance(value, bytes) else value for name, value in reported.items()
    }


def observed(entry):
    """Return Java's reading of an entry under the names of columns."""
    reported = entry | {"payload": entry.get("sent")}
    if entry["message_type"] == "Unknown":
        reported["payload"] = entry["payload"]
    unit = "new_leadership_term.time_unit"
    if unit in reported:
        reported[unit] = UNITS[reported[unit]]
    return {name: value for name, value in reported.items() if name != "sent" and value is not None}


def restore_session_ids(java_read):
    """Restore the session ids that our checksums replace in the files, as a replay does."""
    sessions = {each["recording_id"]: each["session_id"] for each in java_read["recording"]}
    for row in (*java_read["frame"], *java_read["message"]):
        row["session_id"] = sessions[row["recording_id"]]


def assert_same(rows, java_read, kind):
    """Compare rows of all recordings; too many to print on a difference."""
    plain = [column.name for column in RECORDING_COLUMNS]
    others = [{name: row[name] for name in plain} for row in java_read[kind]]
    different = next(
        (
            index
            for index, (one, other) in enumerate(zip(rows, others, strict=False))
            if one != other
        ),
        min(len(rows), len(others)),
    )
    near = slice(max(different - 1, 0), different + 2)
    assert (rows[near], len(rows)) == (others[near], len(others)), java_read["recording"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["java", "ours-one-thread"])
def test_java_reads_the_same_rows_from_a_clusters_recordings(
    java, tmp_path, shm_dir, free_port, kind
):
    with ClusterMembers(java, tmp_path, shm_dir, free_port) as members:
        started = eventful(members, kind)
    for each in started:
        member = MemberDirectories(str(each.archive_dir), str(each.cluster_dir))
        reading = read_log(member)
        log = reading.plan.ranges[0].piece.recording_id
        java_read = read_by_java(java, each.archive_dir, log)

        # All recordings, including snapshots.
        if kind != "java":
            restore_session_ids(java_read)
        assert_same(recorded(each.archive_dir, assembled=False), java_read, "frame")
        assert_same(recorded(each.archive_dir), java_read, "message")
        assert len(java_read["recording"]) >= 3

        entries = [row for row in java_read["message"] if row["recording_id"] == log]
        rows = reading.table().to_pylist()
        assert set(rows[0]) == {column.name for column in LOG_COLUMNS}
        assert [entry_of(row) for row in rows] == [observed(entry) for entry in entries]
        for row, entry in zip(rows, entries, strict=True):
            assert row["timestamp"] == EPOCH + timedelta(milliseconds=entry["timestamp_raw"])
            assert row["timestamp_unit"] == "ms"

        frames = [row for row in java_read["frame"] if row["recording_id"] == log]
        assert len(frames) > len(entries)  # some messages are fragmented
        kinds = Counter(row["message_type"] for row in entries)
        assert kinds["TimerEvent"] >= 15
        assert kinds["ClusterActionRequest"] == 1
        assert kinds["SessionOpenEvent"] >= 5
        terms = [row for row in entries if row["message_type"] == "NewLeadershipTermEvent"]
        assert len({row["new_leadership_term.leader_member_id"] for row in terms}) >= 2
