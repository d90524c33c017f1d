"""Send requests to a member or its cluster, by their toggles.

Upstream: the part of ClusterToolOperator that sets toggles. It checks that the member is the
leader, which alone handles the cluster's toggle, sets the toggle, and waits for its reset if the
request has an end. Reasons of a rejection have upstream's text, because users search a tool's
output for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle, NodeToggle
from aeron_cluster.cluster.state.module_counters import (
    CONTROL_TOGGLE_TYPE,
    MODULE_STATE_TYPE,
    NODE_TOGGLE_TYPE,
    SNAPSHOT_COUNT_TYPE,
)
from aeron_cluster.cluster.tools.membership import query_membership
from aeron_cluster.cluster.tools.node_counters import NodeCounters
from aeron_cluster.errors import StateError, TimeoutExpiredError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

if TYPE_CHECKING:
    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
    from aeron_cluster.memory.shared.counters import AtomicCounter
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["REQUESTS", "ControlRequestError", "NotLeaderError", "Request", "request"]

_SECOND_NS: Final = 1_000_000_000


class ControlRequestError(StateError):
    """A request that the member cannot handle, or cannot handle now.

    Parameters
    ----------
    member_id : int
    reason : str
    """

    def __init__(self, member_id: int, reason: str) -> None:
        self.member_id = member_id
        self.reason = reason
        super().__init__(f"member {member_id}: {reason}")


class NotLeaderError(ControlRequestError):
    """A request for the leader, made to another member.

    Parameters
    ----------
    member_id : int
    leader_member_id : int
        The leader's id; -1 without a leader, or if the member does not know it.
    toggle : ControlToggle or NodeToggle
    """

    def __init__(
        self, member_id: int, leader_member_id: int, toggle: ControlToggle | NodeToggle
    ) -> None:
        self.leader_member_id = leader_member_id
        super().__init__(
            member_id,
            f"Current node is not the leader (leaderMemberId = {leader_member_id}), unable to"
            f" {toggle.name}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a member or its cluster.

    Parameters
    ----------
    toggle : ControlToggle or NodeToggle
        The toggle of the cluster, handled by its leader; or of one member.
    state : ConsensusModuleState
        The required state of the module.
    timeout_ns : int
        The longest wait for the toggle to be NEUTRAL again, in ns; 0: do not wait.
    count_type : int, optional
        The type of the counter of completed requests, which must have increased at the end.
    """

    toggle: ControlToggle | NodeToggle
    state: ConsensusModuleState = ConsensusModuleState.ACTIVE
    timeout_ns: int = 0
    count_type: int | None = None


REQUESTS: Final = {
    "snapshot": Request(
        toggle=ControlToggle.SNAPSHOT, timeout_ns=30 * _SECOND_NS, count_type=SNAPSHOT_COUNT_TYPE
    ),
    "suspend": Request(toggle=ControlToggle.SUSPEND),
    "resume": Request(
        toggle=ControlToggle.RESUME,
        state=ConsensusModuleState.SUSPENDED,
        timeout_ns=_SECOND_NS,
    ),
    "shutdown": Request(toggle=ControlToggle.SHUTDOWN),
    "abort": Request(toggle=ControlToggle.ABORT),
    "validate-recording-log": Request(
        toggle=NodeToggle.VALIDATE_RECORDING_LOG, timeout_ns=30 * _SECOND_NS
    ),
}
"""The requests by the names of ClusterTool."""


def request(directory: ClusterDirectory, wanted: Request, timeout_ns: int = 0) -> int:
    """Send a request to a running member, and wait for its completion if it has one.

    Parameters
    ----------
    directory : ClusterDirectory
    wanted : Request
    timeout_ns : int
        The timeout of each step, if longer than the default.

    Returns
    -------
    int
        The member id.

    Raises
    ------
    NotLeaderError, ControlRequestError
        The member cannot handle the request, or cannot handle it now, or the request failed.
    TimeoutExpiredError
        The member does not answer, or does not complete the request.
    MissingFileError, DriverTimeoutError, CorruptError, VersionError, StateError
        No member is running.
    """
    component = directory.started_component(timeout_ns)
    membership = query_membership(directory.seams, component, timeout_ns)
    member_id = membership.member_id
    toggle = wanted.toggle
    if isinstance(toggle, ControlToggle) and not membership.is_leader:
        raise NotLeaderError(member_id, membership.leader_member_id, toggle)
    header = component.header
    with NodeCounters(directory.seams, header.aeron_directory, header.cluster_id) as counters:
        state = counters.value(MODULE_STATE_TYPE)
        if state is None:
            raise ControlRequestError(member_id, "Unable to resolve state of consensus module.")
        if state != wanted.state:
            raise ControlRequestError(
                member_id,
                f"Unable to {toggle.name} as the state of the consensus module is"
                f" {_name(state, ConsensusModuleState)}, but needs to be {wanted.state.name}",
            )
        is_cluster = isinstance(toggle, ControlToggle)
        counter = counters.find(CONTROL_TOGGLE_TYPE if is_cluster else NODE_TOGGLE_TYPE)
        if counter is None:
            raise ControlRequestError(member_id, "Failed to find control toggle")
        count = None if wanted.count_type is None else counters.find(wanted.count_type)
        before = 0 if count is None else count.get()
        if not _try_toggle(counter, toggle):
            raise ControlRequestError(
                member_id,
                f"Failed to apply {toggle.name}, current toggle value ="
                f" {_name(counter.get(), type(toggle))}",
            )
        if wanted.timeout_ns:
            limit_ns = max(wanted.timeout_ns, timeout_ns)
            _await_neutral(directory.seams, member_id, counter, toggle, limit_ns)
            if count is not None and count.get() == before:
                raise ControlRequestError(
                    member_id, f"{toggle.name} failed: see the errors of the members"
                )
    return member_id


def _try_toggle(counter: AtomicCounter, toggle: ControlToggle | NodeToggle) -> bool:
    if toggle is ControlToggle.RESUME and counter.compare_and_set(ControlToggle.SUSPEND, toggle):
        return True
    return counter.compare_and_set(type(toggle).NEUTRAL, toggle)


def _name(value: int, kind: type[IntEnum]) -> str:
    return {each.value: each.name for each in kind}.get(value, str(value))


def _await_neutral(
    seams: Seams,
    member_id: int,
    counter: AtomicCounter,
    toggle: ControlToggle | NodeToggle,
    timeout_ns: int,
) -> None:
    idle = IdleStrategy("backoff")
    deadline_ns = seams.clock.nano_time() + timeout_ns
    while counter.get() != type(toggle).NEUTRAL:
        if not counter.is_current:
            raise ControlRequestError(member_id, f"it ended while {toggle.name} was in progress")
        if seams.clock.nano_time() > deadline_ns:
            raise TimeoutExpiredError(
                f"member {member_id}: {toggle.name} was requested and is not complete after"
                f" {timeout_ns / 1e9:g} s; it may complete later: see status"
            )
        idle.idle()
