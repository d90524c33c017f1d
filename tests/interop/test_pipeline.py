"""The log of a Java node and of ours as columns, compared with a slow reader on the codecs."""

from pathlib import Path

import pytest

from aeron_cluster.archive.storage.recording_reader import read_recording as read_slowly
from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.codecs import cluster
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import MemberDirectories, read_log, read_recording
from aeron_cluster.pipeline.jobs.audit import audit
from aeron_cluster.pipeline.jobs.latency import analyze_latency
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.sources.plans import cut_plan
from tests.interop.cluster_node import ClusterNodes
from tests.interop.java_cluster import ClusterMembers
from tests.interop.test_mixed_clusters import await_same_state, echo, fail

compute = pytest.importorskip("pyarrow.compute")

KINDS = ("java", "ours-one-thread")


@pytest.fixture(params=KINDS)
def nodes(request, java, shm_dir: Path, tmp_path: Path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def expected_rows(files, node):
    """Return the log as the codecs decode it, message by message."""
    source = OfflineSource.of_member(files, str(node.cluster_dir), str(node.archive_dir))
    for message, end_position in read_slowly(files, source.archive_dir, source.log):
        entry = cluster.SCHEMA.decode(message)
        payload = message[32:] if isinstance(entry, cluster.SessionMessageHeader) else None
        yield (
            end_position,
            entry.template_id,
            entry.leadership_term_id,
            getattr(entry, "cluster_session_id", None),
            entry.timestamp,
            payload,
        )


@pytest.mark.sampled(1)
def test_every_row_matches_a_slow_reader(nodes):
    node = nodes.start(log="aeron:udp?term-length=64k", segment=128 * 1024).await_leader()
    nodes.run_client(count=500, size=32, maxSize=4000, window=64)
    nodes.run_client(cmd="timer", count=20, window=8, delayMs=20)
    nodes.run_client(cmd="service", count=20, window=8)
    node.snapshot()
    nodes.run_client(cmd="broadcast", count=20, window=8)
    files = SystemFiles()
    member = MemberDirectories(str(node.archive_dir), str(node.cluster_dir))
    while_running = read_log(member).table()
    node.peer.stop()

    columns = [
        "end_position",
        "template_id",
        "leadership_term_id",
        "cluster_session_id",
        "timestamp_raw",
        "payload",
    ]
    reading = read_log(member, columns=columns)
    table = reading.table()
    rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
    expected = list(expected_rows(files, node))
    assert rows == expected
    kinds = [row[1] for row in rows]
    assert kinds.count(cluster.TimerEvent.template_id) == 20
    assert kinds.count(cluster.SessionOpenEvent.template_id) == 4
    assert 0 < while_running.num_rows <= len(rows)
    assert (
        while_running["end_position"].to_pylist()
        == table["end_position"].to_pylist()[: while_running.num_rows]
    )
    for length in (1000, 50_000):
        assert Rows(files, cut_plan(files, reading.plan, length)).table() == table

    everything = read_log(member).table()
    assert {str(unit) for unit in everything["timestamp_unit"].unique()} == {"ms"}
    proven = everything.filter(everything["committed"])
    (snapshot,) = read_log(member, message_types=["ClusterActionRequest"]).table().to_pylist()
    assert snapshot["cluster_action"]["action"] == "SNAPSHOT"
    assert max(proven["end_position"].to_pylist()) >= snapshot["cluster_action"]["log_position"]

    audited = audit(member)
    assert audited.findings == ()
    assert [each.snapshot_count for each in audited.members] == [2]

    sent = [row[3] for row in expected if row[1] == cluster.SessionMessageHeader.template_id]
    sessions = analyze_sessions(member)
    session_rows = sessions.tables["sessions"].to_pylist()
    assert sessions.summary["sessions"] == 4
    assert sum(row["messages"] for row in session_rows) == len(sent)
    # Each has its own id in the log.
    of_service = [session for session in sent if session < 0]
    assert len(of_service) == len(set(of_service)) >= 20
    assert [
        (row["service_id"], row["messages"]) for row in session_rows if row["kind"] == "service"
    ] == [(0, len(of_service))]
    assert analyze_latency(member).summary["entries"] == len(expected)

    # Snapshots are recordings too.
    for recording_id in set(read_recording(node.archive_dir).table()["recording_id"].to_pylist()):
        found = read_recording(node.archive_dir, recording_id).table()
        descriptor = OfflineSource.of_recording(files, str(node.archive_dir), recording_id).log
        slow = list(read_slowly(files, str(node.archive_dir), descriptor))
        ends = found["end_position"].to_pylist()
        assert list(zip(found["payload"].to_pylist(), ends, strict=True)) == slow


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "kinds",
    [("java", "java", "ours-one-thread"), ("ours-thread-an-agent", "ours-one-thread", "java")],
    ids=["two-java", "two-ours"],
)
def test_agreed_entries_are_committed_in_each_members_log(
    java, tmp_path, shm_dir, free_port, kinds
):
    with ClusterMembers(java, tmp_path, shm_dir, free_port) as members:
        started = members.start_all(*kinds)
        leader = members.await_leader()
        echo(members)
        fail(members, leader)
        members.await_leader()
        echo(members)
        members.start_member(leader.kind, leader.index)
        members.await_leader()
        echo(members)
        await_same_state(members)
        for index in tuple(members.running):
            members.stop(index)
        nodes = [
            MemberDirectories(str(each.archive_dir), str(each.cluster_dir)) for each in started
        ]
    table = read_log(*nodes).table()
    assert sorted(table["member"].unique().to_pylist()) == [0, 1, 2]
    names = ["position", "end_position", "template_id", "leadership_term_id", "timestamp_raw"]
    names += ["cluster_session_id", "correlation_id", "payload", "reserved_value"]
    logs = {}
    for member in range(3):
        rows = table.filter(compute.equal(table["member"], member))
        assert rows["committed"].null_count == 0
        committed = rows.filter(rows["committed"])
        logs[member] = list(zip(*(committed[name].to_pylist() for name in names), strict=True))
        # Only entries that the last leader appended after the others ended may be uncommitted.
        assert rows.num_rows - committed.num_rows < 20
    longest = max(logs.values(), key=len)
    for log in logs.values():
        assert log == longest[: len(log)]
        assert len(log) > 600
    # One member alone proves no more committed entries than all do.
    for node, member in zip(nodes, range(3), strict=True):
        alone = read_log(node, only_committed=True, columns=["end_position"]).table()
        if alone.num_rows:
            assert max(alone["end_position"].to_pylist()) <= longest[-1][1], member
    audited = audit(*nodes)
    assert audited.findings == ()
    assert audited.committed_position >= longest[-1][1]
    assert audited.compared_length > longest[-1][1]
