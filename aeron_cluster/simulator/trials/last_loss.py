"""What is lost once more when the faults of a run are over, and what has to follow in time.

While faults come as they are drawn, no time is known by which there has to be a leader. Here one
thing alone is wrong, so the bounds are those of the timeouts: the others elect, a leader that has
lost its majority leads no longer, and clients that were connected keep their sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.member_disk import read_module_snapshots, read_snapshots
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.model.plain_messages import CLIENT_ACTION, REASONS, SERVICE_ACTION

if TYPE_CHECKING:
    from aeron_cluster.simulator.clients.client import Client
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["LastLoss", "LossHost", "draw_last_loss", "has_lost_session", "lose_once_more"]

_DIRECTORY: Final = "/data"
_REQUESTED_CLOSES: Final = frozenset({REASONS[CLIENT_ACTION], REASONS[SERVICE_ACTION]})
"""The reasons of closes that a client or a service requested."""
_OF_LOSSES: Final = 0x1A571055
_PAIR: Final = 2
_SETTLED_NS: Final = 60_000_000_000
_AHEAD_NS: Final = 500_000_000  # how long a member misses something


class LastLoss(Enum):
    """What is lost."""

    LEADER = "the leader is killed"
    LEADER_CUT_OFF = "the leader is cut off"
    MAJORITY = "all but the leader are killed"
    LEADER_IN_CATCH_UP = "the leader is killed while a member catches up"
    TERM = "a member misses a term"
    MOST_OF_THE_LOG = "all are killed, and of the majority that returns one has all of the log"
    SHUTDOWN = "the cluster is shut down"
    ABORT = "the cluster is aborted"


_OF_ONE: Final = (LastLoss.SHUTDOWN, LastLoss.ABORT)
_OF_PAIRS: Final = (*_OF_ONE, LastLoss.MAJORITY)
_REQUESTS: Final = {
    LastLoss.SHUTDOWN: ControlToggle.SHUTDOWN,
    LastLoss.ABORT: ControlToggle.ABORT,
}


@dataclass(frozen=True)
class LossHost:
    """A run, as its last loss needs it.

    Parameters
    ----------
    cluster : Cluster
    drive_to, await_until, on_step : callable
        Advance time; advance it until a condition holds, in some ns at most; name what is awaited.
    prevent_restart, start : callable
        Keep a member that was killed from being started again; start it.
    election_bound_ns : callable
        How long an election may take.
    """

    cluster: Cluster
    drive_to: Callable[[int], None]
    await_until: Callable[[Callable[[], object], int], None]
    on_step: Callable[[str], None]
    prevent_restart: Callable[[Member], None]
    start: Callable[[Member], None]
    election_bound_ns: Callable[[], int]


def draw_last_loss(seed: int, members: int, one_in: int) -> LastLoss | None:
    """Draw what is lost in the end.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        The number of members: without a majority of others there is less to lose.
    one_in : int
        Nothing is lost in the other runs.
    """
    random = SeededRandom(seed ^ _OF_LOSSES)
    if random.below(one_in):
        return None
    kinds = _OF_ONE if members < _PAIR else _OF_PAIRS if members == _PAIR else tuple(LastLoss)
    return kinds[random.below(len(kinds))]


def lose_once_more(host: LossHost, loss: LastLoss) -> None:
    """Lose something, see that what has to follow does, and restore it.

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    cluster = host.cluster
    host.on_step("all members follow the leader after the faults")
    host.await_until(lambda: _has_settled(cluster), _SETTLED_NS)
    leader = cluster.leader()
    assert leader is not None
    if loss in _REQUESTS:
        _end_all(host, loss)
        return
    if loss is LastLoss.MOST_OF_THE_LOG:
        _restart_with_one_ahead(host, leader)
        return
    if loss in (LastLoss.LEADER_IN_CATCH_UP, LastLoss.TERM):
        timeout_ns = int(leader.module.context.options.leader_heartbeat_timeout_ns)
        late = _make_follower_miss_a_term(host, leader)
        if loss is LastLoss.TERM:
            host.on_step("a member that missed a term follows without a timeout")
            host.await_until(lambda: _has_settled(cluster), timeout_ns)
            return
        host.await_until(lambda: _is_catching_up(late) or _has_settled(cluster), _SETTLED_NS)
        leader = cluster.leader() or leader
    others = [each for each in cluster.members if each is not leader]
    timeout_ns = int(leader.module.context.options.leader_heartbeat_timeout_ns)
    sessions = _sessions(cluster)
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
        bound_ns = host.election_bound_ns()
        host.await_until(lambda: any(each.is_leading for each in others), bound_ns)
    # Clients wait twice as long for another leader, from when they miss the last one.
    is_in_time = cluster.now_ns - begin_ns < 2 * timeout_ns
    if loss is LastLoss.LEADER and is_in_time:
        host.on_step("clients keep their sessions with the next leader")
        host.await_until(lambda: all(each.is_connected for each in sessions), 2 * timeout_ns)
        _check_sessions(sessions)
    if loss in (LastLoss.LEADER_CUT_OFF, LastLoss.MAJORITY):
        host.on_step("a leader without a majority leads no longer")
        host.drive_to(begin_ns + timeout_ns * 3 // 2)
        # As upstream's: one that waits for a snapshot, or is suspended, does not count the others.
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


def _end_all(host: LossHost, loss: LastLoss) -> None:
    """Have an operator end the cluster, and start it again."""
    cluster = host.cluster
    leader = cluster.leader()
    assert leader is not None
    options = leader.module.context.options
    timeout_ns = int(options.termination_timeout_ns)
    # Members are notified once: the way to each has to be there again, as its heartbeats show.
    host.drive_to(cluster.now_ns + int(options.leader_heartbeat_timeout_ns))
    host.await_until(lambda: _has_settled(cluster), _SETTLED_NS)
    for each in cluster.members:
        host.prevent_restart(each)

    def is_requested() -> bool:
        leader = cluster.leader()
        return leader is not None and leader.module.try_toggle(_REQUESTS[loss])

    host.on_step(f"an operator's request is accepted: {loss.value}")
    host.await_until(is_requested, _SETTLED_NS)
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
        disk = each.machine.files.copy(_DIRECTORY)
        of_module = [position for position, _ in read_module_snapshots(disk, _DIRECTORY)]
        latest = {-1: max(of_module, default=-1)}
        for position, service_id, _ in read_snapshots(disk, _DIRECTORY):
            latest[service_id] = max(position, latest.get(service_id, -1))
        found[each.member_id] = latest
    positions = {position for latest in found.values() for position in latest.values()}
    if len(positions) > 1 or -1 in positions:
        raise InvariantError("a shutdown ends with a snapshot of all", f"{found}")


def _restart_with_one_ahead(host: LossHost, leader: Member) -> None:
    """Have a majority elect that needs members which lack what was committed without them."""
    cluster = host.cluster
    options = leader.module.context.options
    others = [each for each in cluster.members if each is not leader]
    # One less than a half: as many as the leader's own majority can do without.
    late = others[: (len(cluster.members) - 1) // 2]
    for each in late:
        each.kill()
        host.prevent_restart(each)
    host.drive_to(cluster.now_ns + _AHEAD_NS)
    for each in cluster.members:
        each.kill()
        host.prevent_restart(each)
    back = [leader, *others[: len(cluster.members) // 2]]
    host.on_step(f"a majority elects without a timeout: {LastLoss.MOST_OF_THE_LOG.value}")
    for each in back:
        host.start(each)
    bound_ns = int(options.startup_canvass_timeout_ns + options.leader_heartbeat_timeout_ns)
    host.await_until(lambda: cluster.leader() is not None, bound_ns)
    for each in cluster.members:
        if not each.is_running:
            host.start(each)


def _make_follower_miss_a_term(host: LossHost, leader: Member) -> Member:
    """Start a member that has missed a term, and return it."""
    cluster = host.cluster
    late = next(each for each in cluster.members if each is not leader)
    late.kill()
    host.prevent_restart(late)
    host.drive_to(cluster.now_ns + _AHEAD_NS)
    host.on_step("the others elect: the leader is restarted without a member")
    leader.kill()
    host.start(leader)
    host.await_until(lambda: cluster.leader() is not None, host.election_bound_ns())
    host.drive_to(cluster.now_ns + _AHEAD_NS)
    host.on_step("a member that missed a term catches up")
    host.start(late)
    return late


def _state(member: Member) -> int:
    counters = member.counters
    return ElectionState.INIT if counters is None else counters.election_state.get()


def _is_catching_up(member: Member) -> bool:
    state = _state(member)
    return ElectionState.FOLLOWER_LOG_REPLICATION <= state < ElectionState.CLOSED


def _has_settled(cluster: Cluster) -> bool:
    return cluster.leader() is not None and all(
        each.is_running and _state(each) == ElectionState.CLOSED for each in cluster.members
    )


def _sessions(cluster: Cluster) -> dict[Client, int]:
    """Return the sessions of connected clients; surviving ones may change theirs."""
    plain = [each for each in cluster.clients if not isinstance(each, Survivor)]
    return {each: held for each in plain if (held := each.session_id) is not None}


def has_lost_session(client: Client, session_id: int) -> bool:
    """Whether a client has not its session anymore, though no close was requested.

    Parameters
    ----------
    client : Client
    session_id : int
        The session that it had before.
    """
    is_requested = client.closes.get(session_id, "") in _REQUESTED_CLOSES
    return client.session_id != session_id and not is_requested


def _check_sessions(sessions: dict[Client, int]) -> None:
    for client, held in sessions.items():
        if has_lost_session(client, held):
            raise InvariantError(
                "clients keep their sessions",
                f"client {client.number} had session {held} with the leader before, and has"
                f" {client.session_id} with the next one",
            )
