"""Shutdown, abort and logged actions on several members, undone where required."""

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster, MemberState

S = 1_000_000_000
TERMINATION_TIMEOUT_NS = 10 * S
OPTIONS = {"consensus_module": {"replication_channel": "aeron:udp?endpoint=localhost:0"}}


@pytest.fixture
def cluster():
    with Cluster(
        7, ReferenceService, members=3, checkers=standard_checkers(), options=OPTIONS
    ) as made:
        made.start()
        made.await_leader()
        yield made


def send_request(cluster, count=5):
    """Send a client's requests to the current leader and wait for the answers."""
    client = cluster.add_client()
    for number in range(count):
        client.send(Request(client.number, number, Verb.NEXT).encode())
    cluster.run_until(lambda: len(client.responses) == count, what="the answers")
    client.close()


def state_of(member):
    return State(member.module.counters.module_state.get())


def has_ended(member):
    return member.state is MemberState.ENDED


def await_end(cluster, *members):
    """Wait until these members have ended on request; return the time it took, in ns."""
    began_ns = cluster.now_ns
    cluster.run_until(lambda: all(map(has_ended, members)), what="the end")
    for member in members:
        assert isinstance(member.failure, AgentTerminationError)
        assert member.failure.is_expected
    return cluster.now_ns - began_ns


def positions(members):
    return {str(member.failure).rpartition(" ")[2] for member in members}


def entries(member, kind):
    with RecordingLog(member.machine.files.copy("/data"), "/data/cluster", writable=False) as log:
        return [entry for entry in log.entries if entry.entry_type is kind]


def follows(cluster, member):
    """Return whether a member follows the leader and has read its commit position."""
    leader = cluster.leader()
    return (
        leader not in (None, member)
        and not member.is_leading
        and member.module.counters.election_state.get() == ElectionState.CLOSED
        and member.commit_position == leader.commit_position
    )


def followers(cluster):
    return [member for member in cluster.members if not member.is_leading]


def restart(cluster):
    cluster.start()
    cluster.await_leader()


# ---- shutdown and abort ----


def test_a_shutdown_ends_all_at_the_snapshot_of_all(cluster):
    """T: shouldShutdownClusterAndRestartWithSnapshots."""
    send_request(cluster)
    assert cluster.leader().module.try_toggle(ControlToggle.SHUTDOWN)
    assert await_end(cluster, *cluster.members) < S  # no member waits for a timeout
    (position,) = positions(cluster.members)
    for member in cluster.members:
        snapshots = entries(member, EntryType.SNAPSHOT)
        assert {entry.log_position for entry in snapshots} == {int(position)}
        assert len(snapshots) == 2
        assert entries(member, EntryType.TERM)[-1].log_position == int(position)
        assert member.errors == []
    restart(cluster)
    send_request(cluster)
    assert cluster.leader().services[0].state.sequence == 10


def test_an_abort_ends_all_at_a_position_without_a_snapshot(cluster):
    """T: shouldAbortClusterAndRestart."""
    send_request(cluster)
    assert cluster.leader().module.try_toggle(ControlToggle.ABORT)
    assert await_end(cluster, *cluster.members) < S
    assert len(positions(cluster.members)) == 1
    for member in cluster.members:
        assert entries(member, EntryType.SNAPSHOT) == []
        assert member.errors == []
    restart(cluster)
    send_request(cluster)
    assert cluster.leader().services[0].state.sequence == 10


def test_a_lost_member_costs_only_the_timeout(cluster):
    """T: shouldAbortClusterOnTerminationTimeout."""
    send_request(cluster)
    leader, (gone, there) = cluster.leader(), followers(cluster)
    gone.kill()
    assert leader.module.try_toggle(ControlToggle.ABORT)
    assert await_end(cluster, there) < S
    assert TERMINATION_TIMEOUT_NS - S < await_end(cluster, leader) < TERMINATION_TIMEOUT_NS + S
    assert positions([leader]) == positions([there])


def test_a_slow_follower_is_waited_for(cluster):
    send_request(cluster)
    leader, (slow, there) = cluster.leader(), followers(cluster)
    slow.pause(3 * S)
    assert leader.module.try_toggle(ControlToggle.SHUTDOWN)
    assert await_end(cluster, there) < S
    assert 2 * S < await_end(cluster, leader, slow) < 4 * S
    assert len(positions(cluster.members)) == 1
    assert slow.errors == []


def test_a_suspended_cluster_resumes_and_ends(cluster):
    send_request(cluster)
    leader = cluster.leader()
    assert leader.module.try_toggle(ControlToggle.SUSPEND)
    cluster.run_until(lambda: {state_of(each) for each in cluster.members} == {State.SUSPENDED})
    assert leader.module.try_toggle(ControlToggle.RESUME)
    cluster.run_until(lambda: {state_of(each) for each in cluster.members} == {State.ACTIVE})
    assert leader.module.try_toggle(ControlToggle.ABORT)
    assert await_end(cluster, *cluster.members) < S


def test_every_member_takes_a_snapshot_requested_of_the_leader(cluster):
    send_request(cluster)
    for count in (1, 2):
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.run_until(
            lambda count=count: all(
                member.module.counters.snapshot_count.get() == count for member in cluster.members
            )
        )
        cluster.run_until(lambda: {state_of(each) for each in cluster.members} == {State.ACTIVE})
        send_request(cluster)
    snapshots = [
        [entry.log_position for entry in entries(member, EntryType.SNAPSHOT)]
        for member in cluster.members
    ]
    assert snapshots == [snapshots[0]] * 3
    assert len(snapshots[0]) == 4


def test_a_suspension_survives_its_leader(cluster):
    """Only RESUME is handled then."""
    send_request(cluster)
    assert cluster.leader().module.try_toggle(ControlToggle.SUSPEND)
    cluster.run_until(lambda: {state_of(each) for each in cluster.members} == {State.SUSPENDED})
    cluster.leader().kill()
    rest = [member for member in cluster.members if member.is_running]
    cluster.run_until(lambda: any(member.is_leading for member in rest))
    assert {state_of(member) for member in rest} == {State.SUSPENDED}
    leader = cluster.await_leader()
    assert leader.module.try_toggle(ControlToggle.RESUME)
    send_request(cluster)


# ---- uncommitted changes are undone ----


def undo(cluster, *toggles):
    """Append entries as a leader whose other members do not receive them; return it as a follower
    of another.
    """
    old = cluster.leader()
    cluster.isolate(old)
    for toggle in toggles:
        cluster.run_until(lambda toggle=toggle: old.module.try_toggle(toggle))
        cluster.run_for(S // 10)
    rest = [member for member in cluster.members if member is not old]
    cluster.run_until(lambda: any(member.is_leading for member in rest), what="another leader")
    cluster.heal()
    return old


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "toggles",
    [
        [ControlToggle.SUSPEND],
        [ControlToggle.SNAPSHOT],
        [ControlToggle.SUSPEND, ControlToggle.RESUME],
        [ControlToggle.SUSPEND, ControlToggle.RESUME, ControlToggle.SUSPEND],
        [ControlToggle.SUSPEND, ControlToggle.RESUME, ControlToggle.SNAPSHOT],
    ],
    ids=lambda toggles: " ".join(toggle.name for toggle in toggles),
)
def test_a_lone_leaders_uncommitted_changes_are_undone(toggles, cluster):
    """T: ClusterUncommittedStateTest."""
    send_request(cluster)
    old = undo(cluster, *toggles)
    cluster.run_until(lambda: follows(cluster, old), what="a follower")
    assert state_of(old) is State.ACTIVE
    assert entries(old, EntryType.SNAPSHOT) == []
    send_request(cluster)
    # Its pending wait is abandoned: it takes part in a snapshot and ends with the others.
    assert cluster.await_leader().module.try_toggle(ControlToggle.SHUTDOWN)
    await_end(cluster, *cluster.members)
    assert len(positions(cluster.members)) == 1
    assert all(len(entries(member, EntryType.SNAPSHOT)) == 2 for member in cluster.members)


def test_a_suspended_state_is_restored(cluster):
    send_request(cluster)
    assert cluster.leader().module.try_toggle(ControlToggle.SUSPEND)
    cluster.run_until(lambda: {state_of(each) for each in cluster.members} == {State.SUSPENDED})
    old = undo(cluster, ControlToggle.RESUME)
    cluster.run_until(lambda: follows(cluster, old), what="a follower")
    assert {state_of(each) for each in cluster.members} == {State.SUSPENDED}


@pytest.mark.parametrize(
    "toggles",
    [
        [ControlToggle.SHUTDOWN],
        # Its services cannot come to the position before they join the next leader's log.
        [ControlToggle.SUSPEND, ControlToggle.RESUME, ControlToggle.ABORT],
    ],
    ids=lambda toggles: toggles[-1].name,
)
def test_lone_leader_ends_after_the_termination_position(toggles, cluster):
    """A termination position is not rolled back."""
    send_request(cluster)
    old = undo(cluster, *toggles)
    rest = [member for member in cluster.members if member is not old]
    for _ in range(20):
        send_request(cluster)
        if has_ended(old):
            break
    await_end(cluster, old)
    assert [member.state for member in rest] == [MemberState.RUNNING] * 2
    old.start()
    send_request(cluster)
    cluster.run_until(lambda: follows(cluster, old), what="a follower")
