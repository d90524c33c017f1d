"""Clusters of Java's members and ours: each kind leads, follows and catches up with the other."""

import pytest

from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.java_cluster import ClusterMember, ClusterMembers
from tests.waiting import await_true

pytestmark = pytest.mark.java

MIXES = [
    ("java", "java", "ours-one-thread"),
    ("ours-thread-an-agent", "ours-one-thread", "java"),
]


@pytest.fixture(params=MIXES, ids=["two-java", "two-ours"])
def cluster(request, java, tmp_path, shm_dir, free_port):
    # Long, since a busy machine may delay a client.
    with ClusterMembers(java, tmp_path, shm_dir, free_port, sessionTimeoutMs=60_000) as members:
        members.start_all(*request.param)
        yield members


def echo(cluster: ClusterMembers, count: int = 200) -> None:
    """Run a Java client until it has its echoes.

    Only messages lost in an election, which a pause of the machine may cause, are sent again.
    """
    client = cluster.client(
        count=count, size=64, maxSize=1400, resendMs=20_000, newLeaderTimeoutMs=60_000
    )
    assert client.wait(240) == 0, f"{client.report()}\n{cluster.report()}"
    result = client.await_event("result")
    assert not result["resends"] or result["newLeaders"], client.report()


def await_same_state(cluster: ClusterMembers, *, is_open: bool = True) -> str:
    """Wait until every service has applied the same messages and the end of each session.

    Parameters
    ----------
    is_open
        A session may still be open.

    Returns
    -------
    str
        The common checksum.
    """
    seen: set[tuple[int, str, int]] = set()

    def are_same() -> bool:
        states = [member.state() for member in cluster.running.values()]
        seen.clear()
        seen.update((each["messages"], each["checksum"], each["timerEvents"]) for each in states)
        return len(seen) == 1 and (is_open or all(s["opened"] == s["closed"] for s in states))

    await_true(are_same, "the same state at every member")
    ((_, checksum, _),) = seen
    return checksum


def kind_of(member: ClusterMember) -> str:
    """Return "java" or "ours"."""
    return member.kind.split("-")[0]


def fail(cluster: ClusterMembers, leader: ClusterMember) -> None:
    """End a leader: ours as a crash would, Java's on request.

    Java's archive does not restart if a kill left the last fragment of a file across a page.
    """
    if leader.kind == "java":
        cluster.stop(leader.index)
    else:
        cluster.kill(leader.index)


@pytest.mark.sampled(1)
def test_each_kind_leads_and_the_other_follows_and_catches_up(cluster):
    kinds = {kind_of(member) for member in cluster.running.values()}
    led = set()
    for _ in range(8):
        leader = cluster.await_leader()
        led.add(kind_of(leader))
        echo(cluster)
        if led == kinds:
            break
        # A member without the last messages cannot be the next leader: the other kind is.
        behind = [member for member in cluster.followers if kind_of(member) in led]
        for member in behind:
            cluster.stop(member.index)
        echo(cluster)
        fail(cluster, leader)
        for member in behind:
            cluster.start_member(member.kind, member.index)
        cluster.await_leader()
        echo(cluster)
        cluster.start_member(leader.kind, leader.index)
        cluster.await_leader()
        await_same_state(cluster)
    assert led == kinds
    await_same_state(cluster)


def assert_promises(java, cluster: ClusterMembers) -> None:
    """Check what the members stored in the first election after a restart from a snapshot.

    Java's reader reads all node state files. A candidate of either kind stores the position from
    which it had to read its log, a voter the end of the candidate's log.
    """
    leader = cluster.await_leader()
    for member in cluster.running.values():
        state = java.run("Inspect", what="nodestate", clusterDir=member.cluster_dir)
        promise = state.await_event("nodestate")
        with RecordingLog(SystemFiles(), str(member.cluster_dir), writable=False) as log:
            term = log.find_last_term()
            snapshot = log.find_latest_snapshots(1)[0]
        assert term is not None
        assert snapshot.log_position < term.term_base_log_position
        assert promise["candidateTermId"] == term.leadership_term_id
        is_leader = member is leader
        assert promise["logPosition"] == (
            snapshot.log_position if is_leader else term.term_base_log_position
        )


@pytest.mark.sampled(1)
def test_a_snapshot_of_one_kind_is_loaded_by_the_other(java, cluster):
    cluster.await_leader()
    echo(cluster)
    await_same_state(cluster)
    leader = cluster.await_leader()
    since = leader.toggle("snapshot")
    leader.peer.await_event("snapshotDone", 120, since)
    echo(cluster, 50)
    before = await_same_state(cluster, is_open=False)
    kinds = {member.index: member.kind for member in cluster.running.values()}
    for index in tuple(cluster.running):
        cluster.stop(index)
    for index, kind in kinds.items():
        cluster.start_member("ours-one-thread" if kind == "java" else "java", index)
    cluster.await_leader()
    await_same_state(cluster)
    assert_promises(java, cluster)
    for member in cluster.running.values():
        assert member.peer.await_event("serviceStart", 120)["fromSnapshot"] is True
        assert member.state()["checksum"] == before
    echo(cluster)
    await_same_state(cluster)


def test_a_member_with_another_list_than_its_java_leader_names_both(
    java, tmp_path, shm_dir, free_port
):
    with ClusterMembers(java, tmp_path, shm_dir, free_port) as cluster:
        for index in range(2):
            cluster.start_member("java", index)
        leader = cluster.await_leader()
        longer = f"{cluster.members}|{local_member(3, 'localhost', cluster.port_base)}"
        member = cluster.start_member("ours-one-thread", 2, clusterMembers=longer)
        await_true(lambda: "list of members differs" in member.peer.report(), "the error")
        report = member.peer.report()
        assert f"of the leader, member {leader.index} (only in the own list: member 3)" in report
        assert f"expected {longer}, found {cluster.members}; stop all members" in report
