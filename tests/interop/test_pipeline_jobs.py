"""Jobs over logs of Java's members and ours: they pass on correct logs and detect a flipped
byte.
"""

from pathlib import Path

import pytest

from aeron_cluster.archive.storage.segments import segment_name
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import MemberDirectories, read_log
from aeron_cluster.pipeline.jobs.audit import audit
from aeron_cluster.pipeline.jobs.audits.findings import FindingKind
from aeron_cluster.pipeline.jobs.compaction import compact
from aeron_cluster.pipeline.jobs.compaction_check import verify
from aeron_cluster.pipeline.jobs.state_at import state_at
from tests.interop.cluster_node import ClusterNodes
from tests.interop.echo_service import EchoService
from tests.interop.java_cluster import ClusterMembers
from tests.interop.test_mixed_clusters import await_same_state, echo, fail
from tests.waiting import await_true

pytest.importorskip("pyarrow")

FILES = SystemFiles()


@pytest.fixture(params=["java", "ours-one-thread"])
def nodes(request, java, shm_dir: Path, tmp_path: Path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def snapshot_count(member):
    with RecordingLog(FILES, str(member.cluster_dir), writable=False) as log:
        return sum(each.is_valid_snapshot for each in log.entries)


@pytest.mark.sampled(1)
def test_a_running_node_is_compacted_and_its_states_written(nodes, tmp_path):
    node = nodes.start(log="aeron:udp?term-length=64k", segment=128 * 1024).await_leader()
    nodes.run_client(count=500, size=32, maxSize=4000, window=64)
    nodes.run_client(cmd="timer", count=20, window=8, delayMs=20)
    node.snapshot()
    member = MemberDirectories(str(node.archive_dir), str(node.cluster_dir))
    running = compact(member, to=tmp_path / "lake", part_length=1)
    assert running.rows > 500
    nodes.run_client(cmd="broadcast", count=20, window=8)
    node.peer.stop()

    done = compact(member, to=tmp_path / "lake", assume_committed=True)
    assert done.rows == running.rows + done.new_rows > running.rows + 20
    assert done.rows == read_log(member, columns=["position"]).table().num_rows
    checked = verify(tmp_path / "lake", member)
    assert checked.problems == ()
    assert checked.compared_rows == done.rows
    assert audit(member).findings == ()

    started, empty = state_at(
        member,
        EchoService,
        tmp_path / "states",
        positions=[done.to_position, 0],
        export=EchoService.state,
    )
    assert started.snapshot_position > 0
    assert (empty.snapshot_position, empty.log_position) == (-1, 0)
    (whole,) = state_at(
        MemberDirectories(str(node.archive_dir)),
        EchoService,
        tmp_path / "whole",
        positions=[done.to_position],
        export=EchoService.state,
    )
    assert whole.snapshot_position == -1
    assert Path(whole.export_path).read_text() == Path(started.export_path).read_text()
    assert whole.session_count == started.session_count


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "kinds",
    [("java", "java", "ours-one-thread"), ("ours-thread-an-agent", "ours-one-thread", "java")],
    ids=["two-java", "two-ours"],
)
def test_members_are_equal_until_a_byte_is_flipped(java, tmp_path, shm_dir, free_port, kinds):
    with ClusterMembers(java, tmp_path, shm_dir, free_port) as members:
        started = members.start_all(*kinds)
        leader = members.await_leader()
        echo(members)
        leader.toggle("snapshot")
        await_true(
            lambda: all(snapshot_count(each) == 2 for each in started), "a snapshot of every member"
        )
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
    report = audit(*nodes)
    assert report.findings == ()
    assert {each.snapshot_count for each in report.members} == {2}

    plan = read_log(nodes[1], columns=["position"], message_types=["SessionMessage"])
    piece = plan.plan.ranges[0].piece
    position = plan.table()["position"][100].as_py()
    name = segment_name(piece.recording_id, piece.segment_base(position))
    with Path(piece.archive_dir, name).open("r+b") as file:
        file.seek(position - piece.segment_base(position) + 60)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    (finding,) = audit(*nodes).findings
    assert finding.kind is FindingKind.DIFFERENT_BYTE
    assert finding.member == f"member {piece.member}"
    assert finding.position == position + 60
