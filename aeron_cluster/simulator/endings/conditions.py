"""States of a cluster that a run awaits after its faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import TimeoutExpiredError
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.cluster import term_of

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = [
    "all_lead",
    "are_backed_up",
    "are_offers_seen",
    "are_survivors_answered",
    "describe_members",
    "election_bound_ns",
    "election_state",
    "furthest_commit_position",
    "has_no_election",
    "has_no_pending_requests",
    "has_no_snapshot",
    "has_settled",
    "is_quiet",
    "is_term_seen",
    "terms_seen",
]


def all_lead(cluster: Cluster) -> bool:
    """Return whether there is a leader; of separate clusters, whether each member leads."""
    if cluster.is_joined:
        leader = cluster.leader()
        # As in Aeron, one that is suspended or awaits a snapshot does not check its majority,
        # and leads on, for itself, after the others have committed a later term.
        seen = cluster.journals[0] if cluster.journals else cluster.extensions
        return leader is not None and (seen is None or term_of(leader) >= seen.last_term)
    return all(each.is_leading for each in cluster.members)


def is_term_seen(cluster: Cluster) -> bool:
    """Return whether services have seen the leader's term, which is committed late."""
    leader = cluster.leader()
    return leader is not None and all(
        each.last_term == term_of(leader) for each in cluster.journals if each.entries
    )


def terms_seen(cluster: Cluster) -> list[int]:
    """Return how many terms the services of each journal have seen."""
    return [sum(each.kind == "term" for each in own.entries) for own in cluster.journals]


def election_state(member: Member) -> int:
    """Return the state of a member's election; the first one if it shows none."""
    counters = member.counters
    return ElectionState.INIT if counters is None else counters.election_state.get()


def has_no_election(member: Member) -> bool:
    """Return whether a member runs, leading or following."""
    return member.is_running and election_state(member) == ElectionState.CLOSED


def has_settled(cluster: Cluster) -> bool:
    """Return whether there is a leader, and no member has an election."""
    return cluster.leader() is not None and all(map(has_no_election, cluster.members))


def is_quiet(cluster: Cluster) -> bool:
    """Return whether all members run, and have committed the same."""
    if not all(each.is_running for each in cluster.members):
        return False
    if not cluster.is_joined:
        return True
    return len({each.commit_position for each in cluster.members}) == 1


def has_no_pending_requests(cluster: Cluster) -> bool:
    """Return whether leaders have handled operators' requests, except suspended ones."""
    leaders = [each for each in cluster.members if each.is_leading]
    return bool(leaders) and all(
        each.counters is not None
        and each.counters.control_toggle.get() in (ControlToggle.NEUTRAL, ControlToggle.SUSPEND)
        for each in leaders
    )


def has_no_snapshot(cluster: Cluster) -> bool:
    """Return whether no module waits for a snapshot of its services."""
    modules = [each.running_module for each in cluster.members]
    return not any(
        each is not None and each.state is ConsensusModuleState.SNAPSHOT for each in modules
    )


def are_survivors_answered(cluster: Cluster) -> bool:
    """Return whether no surviving client awaits an answer."""
    return not any(isinstance(each, Survivor) and each.is_waiting for each in cluster.clients)


def furthest_commit_position(cluster: Cluster) -> int:
    """Return the highest of the members' commit positions, in bytes."""
    return max(each.commit_position for each in cluster.members)


def are_backed_up(cluster: Cluster, position: int) -> bool:
    """Return whether all backups have the log up to a position, in bytes."""
    return all(each.live_log_position >= position for each in cluster.backups)


def are_offers_seen(cluster: Cluster) -> bool:
    """Return whether what services offered has come back to them with the log."""
    for member in cluster.members:
        journals = [each for each in cluster.journals_of(member) if each.entries]
        offer_count = sum(len(each.offers) for each in journals)
        if any(each.service_message_count < offer_count for each in journals):
            return False
    return True


def election_bound_ns(cluster: Cluster) -> int:
    """Return the longest time of an election: ten election timeouts, and what precedes it, in ns.

    Raises
    ------
    TimeoutExpiredError
        No member runs.
    """
    running = [each for each in cluster.members if each.is_running]
    if not running:
        raise TimeoutExpiredError(describe_members(cluster))
    options = running[0].module.context.options
    return int(
        options.startup_canvass_timeout_ns
        + options.leader_heartbeat_timeout_ns
        + 10 * options.election_timeout_ns
    )


def describe_members(cluster: Cluster) -> str:
    """Return the role, state and position of each member."""
    return ", ".join(map(_describe, cluster.members))


def _describe(member: Member) -> str:
    if not member.is_running:
        return f"member {member.member_id} {member.state.value}: {member.failure}"
    module = member.module
    return (
        f"member {member.member_id} {module.role.name} {module.state.name} at"
        f" {member.commit_position}"
    )
