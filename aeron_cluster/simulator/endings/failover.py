"""A leader is killed in the end, with nothing else wrong: no session ends by that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.held_sessions import HeldSession
from aeron_cluster.simulator.clients.client import Client
from aeron_cluster.simulator.endings.conditions import all_lead, election_bound_ns, is_quiet

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["check_failover", "ends_with_a_failover"]

_OF_FAILOVERS: Final = 0xFA170
_ONE_IN: Final = 4
_FEWEST_MEMBERS: Final = 3
_TIMEOUT_NS: Final = 60_000_000_000
_LONGEST_NS: Final = 30_000_000_000  # of a heartbeat timeout that is waited for


def ends_with_a_failover(seed: int) -> bool:
    """Return whether a run's leader is killed in the end, if there are enough members."""
    return SeededRandom(seed ^ _OF_FAILOVERS).below(_ONE_IN) == 0


def check_failover(host: RunHost) -> None:
    """Kill the leader, and start it again after the others have elected.

    Nothing is done if its service has diverged: it would start from a snapshot or the log, and be
    as the others.

    Raises
    ------
    InvariantError
        A client lost its session.
    TimeoutExpiredError
    """
    cluster = host.cluster
    if len(cluster.members) < _FEWEST_MEMBERS or cluster.layout == "apart":
        return
    host.on_step("sessions outlive their leader")
    host.await_until(lambda: all_lead(cluster), election_bound_ns(cluster))
    leader = cluster.leader()
    assert leader is not None
    timeout_ns = int(leader.module.context.options.leader_heartbeat_timeout_ns)
    if leader.service_faults.diverged_position >= 0 or timeout_ns > _LONGEST_NS:
        return
    plain = [each for each in cluster.clients if type(each) is Client]
    # One that still waits for an earlier leader's successor may have waited for long.
    held = [
        each
        for each in map(HeldSession.of, plain)
        if each is not None and each.leader_id == leader.member_id
    ]
    begin_ns = cluster.now_ns
    bound_ns = election_bound_ns(cluster)
    leader.kill()
    host.prevent_restart(leader)
    host.await_until(lambda: cluster.leader() not in (None, leader), bound_ns)
    # Clients wait for twice the timeout: an election that was repeated may be too long for it.
    is_in_time = 2 * (cluster.now_ns - begin_ns) <= 3 * timeout_ns
    host.await_until(lambda: all(each.has_new_leader() for each in held), _TIMEOUT_NS)
    # A member that led before takes up again the closes that it had not committed, as upstream.
    for each in held if is_in_time and not _led_before(cluster) else ():
        each.check("sessions outlive their leader")
    host.start(leader)
    host.await_until(lambda: leader.is_running and is_quiet(cluster), _TIMEOUT_NS)


def _led_before(cluster: Cluster) -> bool:
    """Return whether the present leader led an earlier term, too."""
    leaders = [each.payload for each in cluster.journals[0].entries if each.kind == "term"]
    return leaders.count(leaders[-1]) > 1
