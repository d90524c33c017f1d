"""Clusters of Java's members and ours: each leads, each follows, each catches up with the other."""

import pytest

from tests.interop.java_cluster import ClusterMember, ClusterMembers
from tests.waiting import await_true

pytestmark = pytest.mark.java

MIXES = [
    ("java", "java", "ours-one-thread"),
    ("ours-thread-an-agent", "ours-one-thread", "java"),
]


@pytest.fixture(params=MIXES, ids=["two-java", "two-ours"])
def cluster(request, java, tmp_path, shm_dir, free_port):
    with ClusterMembers(java, tmp_path, shm_dir, free_port) as members:
        members.start_all(*request.param)
        yield members


def echo(cluster: ClusterMembers, count: int = 200) -> None:
    """Have a Java client get its echoes."""
    client = cluster.client(count=count, size=64, maxSize=1400)
    assert client.wait(120) == 0, f"{client.report()}\n{cluster.report()}"


def await_same_state(cluster: ClusterMembers) -> None:
    """Wait until every service has seen the same messages."""

    def are_same() -> bool:
        states = [member.state() for member in cluster.running.values()]
        seen = {(state["messages"], state["checksum"], state["timerEvents"]) for state in states}
        return len(seen) == 1

    await_true(are_same, "the same state at every member")


def fail(cluster: ClusterMembers, leader: ClusterMember) -> None:
    """End a leader: ours as a crash would, Java's on request.

    Java's archive does not start again on a file whose last fragment a kill left across a page.
    """
    if leader.kind == "java":
        cluster.stop(leader.index)
    else:
        cluster.kill(leader.index)


@pytest.mark.sampled(1)
def test_each_kind_leads_and_the_other_follows_and_catches_up(cluster):
    kinds = {member.kind.split("-")[0] for member in cluster.running.values()}
    led = set()
    for _ in range(8):
        leader = cluster.await_leader()
        led.add(leader.kind.split("-")[0])
        echo(cluster)
        if led == kinds:
            break
        fail(cluster, leader)
        cluster.await_leader()
        echo(cluster)
        cluster.start_member(leader.kind, leader.index)
        cluster.await_leader()
        await_same_state(cluster)
    assert led == kinds
    await_same_state(cluster)


@pytest.mark.sampled(1)
def test_a_snapshot_of_one_kind_is_loaded_by_the_other(cluster):
    leader = cluster.await_leader()
    echo(cluster)
    await_same_state(cluster)
    since = leader.toggle("snapshot")
    leader.peer.await_event("snapshotDone", 120, since)
    echo(cluster, 50)
    await_same_state(cluster)
    before = {member.index: member.state()["checksum"] for member in cluster.running.values()}
    kinds = {member.index: member.kind for member in cluster.running.values()}
    for index in tuple(cluster.running):
        cluster.stop(index)
    for index, kind in kinds.items():
        cluster.start_member("ours-one-thread" if kind == "java" else "java", index)
    cluster.await_leader()
    await_same_state(cluster)
    for member in cluster.running.values():
        assert member.peer.await_event("serviceStart", 120)["fromSnapshot"] is True
        assert member.state()["checksum"] == before[member.index]
    echo(cluster)
    await_same_state(cluster)
