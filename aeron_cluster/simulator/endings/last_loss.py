"""One more loss after the faults of a run, and how soon the cluster has to recover from it.

During the faults no time can be stated by which there must be a leader. Here nothing else is wrong,
so timeouts are the bounds: the others elect a leader, a leader without a majority steps down, and
connected clients keep their sessions.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.held_sessions import HeldSession
from aeron_cluster.simulator.checks.member_disk import read_module_snapshots, read_snapshots
from aeron_cluster.simulator.checks.sessions import closed_by_returned_leader
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.endings.conditions import (
    election_bound_ns,
    election_state,
    has_settled,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["LastLoss", "draw_last_loss", "lose_once_more"]

_SEED_MASK: Final = 0x1A571055  # draws independently of the run's other draws from its seed
_TWO_MEMBERS: Final = 2
_SETTLE_TIMEOUT_NS: Final = 60_000_000_000
_ABSENCE_NS: Final = 500_000_000  # how long a member misses the log


class LastLoss(Enum):
    """What is lost."""

    LEADER = "the leader is killed"
    LEADER_CUT_OFF = "the leader is cut off"
    MAJORITY = "all but the leader are killed"
    LEADER_IN_CATCH_UP = "the leader is killed while a member catches up"
    TERM = "a member misses a term"
    ONE_AHEAD = "all are killed, and of the majority that returns one has all of the log"
    SHUTDOWN = "the cluster is shut down"
    ABORT = "the cluster is aborted"


_WITH_ONE_MEMBER: Final = (LastLoss.SHUTDOWN, LastLoss.ABORT)
_WITH_TWO_MEMBERS: Final = (*_WITH_ONE_MEMBER, LastLoss.MAJORITY)
_REQUESTS: Final = {
    LastLoss.SHUTDOWN: ControlToggle.SHUTDOWN,
    LastLoss.ABORT: ControlToggle.ABORT,
}


def draw_last_loss(seed: int, members: int, one_in: int) -> LastLoss | None:
    """Draw the last loss of a run; return None for a run without one.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        The number of members: some losses need a majority of others.
    one_in : int
        One of this many runs has a last loss.
    """
    random = SeededRandom(seed ^ _SEED_MASK)
    if random.below(one_in):
        return None
    kinds = tuple(LastLoss)
    if members < _TWO_MEMBERS:
        kinds = _WITH_ONE_MEMBER
    elif members == _TWO_MEMBERS:
        kinds = _WITH_TWO_MEMBERS
    return kinds[random.below(len(kinds))]


def lose_once_more(host: RunHost, loss: LastLoss) -> None:
    """Cause the loss, check that the cluster recovers in time, and start what was stopped.

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    cluster = host.cluster
    host.on_step("all members follow the leader after the faults")
    host.await_until(lambda: has_settled(cluster), _SETTLE_TIMEOUT_NS)
    leader = cluster.leader()
    assert leader is not None
    if loss in _REQUESTS:
        host.on_requested_end()
        _end_all(host, loss)
        return
    if loss is LastLoss.ONE_AHEAD:
        _restart_with_one_ahead(host, leader)
        return
    if loss in (LastLoss.LEADER_IN_CATCH_UP, LastLoss.TERM):
        timeout_ns = int(leader.module.context.options.leader_heartbeat_timeout_ns)
        late = _make_follower_miss_a_term(host, leader)
        if loss is LastLoss.TERM:
            host.on_step("a member that missed a term follows without a timeout")
            host.await_until(lambda: has_settled(cluster), timeout_ns)
            return
        host.await_until(lambda: _is_catching_up(late) or has_settled(cluster), _SETTLE_TIMEOUT_NS)
        leader = cluster.leader() or leader
    others = [each for each in cluster.members if each is not leader]
    timeout_ns = int(leader.module.context.options.leader_heartbeat_timeout_ns)
    sessions = _sessions(cluster, leader)
    begin_ns = cluster.now_ns
    match loss:
        case LastLoss.LEADER | LastLoss.LEADER_IN_CATCH_UP:
            leader.kill()
            host.prevent_restart(leader)
        case LastLoss.LEADER_CUT_OFF:
            cluster.isolate(leader)
        case LastLoss.MAJORITY:
            for each in others:
                each.kill()
                host.prevent_restart(each)
        case _:
            pass
    if loss is not LastLoss.MAJORITY:
        host.on_step(f"the others elect: {loss.value}")
        bound_ns = election_bound_ns(cluster)
        host.await_until(lambda: any(each.is_leading for each in others), bound_ns)
    # Clients wait twice the timeout for a new leader.
    is_elected_in_time = cluster.now_ns - begin_ns < 2 * timeout_ns
    if loss is LastLoss.LEADER and is_elected_in_time:
        host.on_step("clients keep their sessions with the next leader")
        host.await_until(lambda: all(each.has_new_leader() for each in sessions), 4 * timeout_ns)
        returned = closed_by_returned_leader(cluster.journals[0])
        for session in sessions:
            if session.session_id not in returned:
                session.check("clients keep their sessions")
    if loss in (LastLoss.LEADER_CUT_OFF, LastLoss.MAJORITY):
        host.on_step("a leader without a majority leads no longer")
        host.drive_to(begin_ns + timeout_ns * 3 // 2)
        # As in Aeron, a leader that is suspended or awaits a snapshot does not check its majority.
        if leader.is_leading and leader.module.state is ConsensusModuleState.ACTIVE:
            raise InvariantError(
                "a leader without a majority leads no longer",
                f"member {leader.member_id}, {(cluster.now_ns - begin_ns) / 1e9:.1f} s after"
                f" {loss.value}",
            )
    cluster.world.wire.heal()
    for each in cluster.members:
        if not each.is_running:
            host.start(each)


def _end_all(host: RunHost, loss: LastLoss) -> None:
    """End the cluster as an operator does, and start it again."""
    cluster = host.cluster
    leader = cluster.leader()
    assert leader is not None
    options = leader.module.context.options
    timeout_ns = int(options.termination_timeout_ns)
    # Members are notified once, so all must be connected: wait for a heartbeat of each.
    host.drive_to(cluster.now_ns + int(options.leader_heartbeat_timeout_ns))
    host.await_until(lambda: has_settled(cluster), _SETTLE_TIMEOUT_NS)
    for each in cluster.members:
        host.prevent_restart(each)

    def is_requested() -> bool:
        leader = cluster.leader()
        return leader is not None and leader.module.try_toggle(_REQUESTS[loss])

    host.on_step(f"an operator's request is accepted: {loss.value}")
    host.await_until(is_requested, _SETTLE_TIMEOUT_NS)
    host.on_step(f"all members end without a timeout: {loss.value}")
    host.await_until(
        lambda: all(each.running_module is None for each in cluster.members), timeout_ns
    )
    if loss is LastLoss.SHUTDOWN:
        _check_snapshots(cluster)
    for each in cluster.members:
        each.kill()  # where its driver and archive are processes of their own
        host.start(each)


def _check_snapshots(cluster: Cluster) -> None:
    """Compare the positions of the members' latest snapshots, of the module and each service."""
    found = {}
    for each in cluster.members:
        disk = each.machine.files.copy(DIRECTORY)
        of_module = [position for position, _ in read_module_snapshots(disk, DIRECTORY)]
        latest = {-1: max(of_module, default=-1)}
        for position, service_id, _ in read_snapshots(disk, DIRECTORY):
            latest[service_id] = max(position, latest.get(service_id, -1))
        found[each.member_id] = latest
    positions = {position for latest in found.values() for position in latest.values()}
    if len(positions) > 1 or -1 in positions:
        raise InvariantError("a shutdown ends with a snapshot of all", f"{found}")


def _restart_with_one_ahead(host: RunHost, leader: Member) -> None:
    """Start a majority of which only one member has the complete committed log."""
    cluster = host.cluster
    options = leader.module.context.options
    others = [each for each in cluster.members if each is not leader]
    # The leader can still commit without them.
    late = others[: (len(cluster.members) - 1) // 2]
    for each in late:
        each.kill()
        host.prevent_restart(each)
    host.drive_to(cluster.now_ns + _ABSENCE_NS)
    for each in cluster.members:
        each.kill()
        host.prevent_restart(each)
    back = [leader, *others[: len(cluster.members) // 2]]
    host.on_step(f"a majority elects without a timeout: {LastLoss.ONE_AHEAD.value}")
    for each in back:
        host.start(each)
    # A nomination takes up to half of an election timeout, and a ballot without all votes one.
    bound_ns = int(
        options.startup_canvass_timeout_ns
        + options.election_timeout_ns * 3 // 2
        + options.leader_heartbeat_timeout_ns
    )
    host.await_until(lambda: cluster.leader() is not None, bound_ns)
    for each in cluster.members:
        if not each.is_running:
            host.start(each)


def _make_follower_miss_a_term(host: RunHost, leader: Member) -> Member:
    """Start and return a member that has missed a term."""
    cluster = host.cluster
    late = next(each for each in cluster.members if each is not leader)
    late.kill()
    host.prevent_restart(late)
    host.drive_to(cluster.now_ns + _ABSENCE_NS)
    host.on_step("the others elect: the leader is restarted without a member")
    leader.kill()
    host.start(leader)
    host.await_until(lambda: cluster.leader() is not None, election_bound_ns(cluster))
    host.drive_to(cluster.now_ns + _ABSENCE_NS)
    host.on_step("a member that missed a term catches up")
    host.start(late)
    return late


def _is_catching_up(member: Member) -> bool:
    state = election_state(member)
    return ElectionState.FOLLOWER_LOG_REPLICATION <= state < ElectionState.CLOSED


def _sessions(cluster: Cluster, leader: Member) -> list[HeldSession]:
    """Return the leader's sessions of clients, except surviving ones, which may change theirs."""
    plain = [each for each in cluster.clients if not isinstance(each, Survivor)]
    held = [each for each in map(HeldSession.of, plain) if each is not None]
    return [each for each in held if each.leader_id == leader.member_id]
