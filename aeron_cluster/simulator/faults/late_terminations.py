"""An end of the cluster that is requested of a leader which is deposed meanwhile.

What the leader sends to the members arrives once another one leads: they must not end at the
position of an earlier term. An election takes about as long as the timeout of an image, with which
the held up messages would be lost: runs with this event have a longer one. Members that check
sources ignore what is not from the host of their log's leader; those that do not need the term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan

__all__ = ["HoldUpTermination", "add_late_terminations", "options_of_terminations"]

_MS: Final = 1_000_000
_S: Final = 1000 * _MS
_CHECK_INTERVAL_NS: Final = 2 * _MS
_OF_TERMINATIONS: Final = 0x7E4317
_ONE_IN: Final = 8
_MIN_MEMBERS: Final = 3  # others elect without the leader
_LIMIT_NS: Final = 40 * _S
_REQUESTS: Final = (ControlToggle.SHUTDOWN, ControlToggle.ABORT)


@dataclass(frozen=True)
class HoldUpTermination(Event):
    """An operator ends the cluster; what its leader sends to the members is held up from then on.

    Parameters
    ----------
    at_ns : int
    request : ControlToggle
        A shutdown or an abort.
    is_of_members : bool
        Whether what the members send to the leader is held up instead: their acknowledgements.
    duration_ns : int
        Longer than the election of another leader.
    limit_ns : int
        The longest wait for a leader.
    has_unchecked_sources : bool
        Whether the members of the run do not check the sources of messages.
    """

    template = (
        "once there is a leader, within {limit_ns}; hold up what it sends to the other"
        " members (what they send to it: {is_of_members}) for {duration_ns} (sources are not"
        " checked: {has_unchecked_sources})"
    )

    request: ControlToggle
    is_of_members: bool
    duration_ns: int
    limit_ns: int
    has_unchecked_sources: bool

    @property
    def text(self) -> str:
        """A description."""
        return f"{self.request.name.lower()} {super().text}"

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        self._find_leader(trial, trial.cluster.now_ns + self.limit_ns)

    def _find_leader(self, trial: EventHost, until_ns: int) -> None:
        members = trial.cluster.members
        leader = next((each for each in members if each.is_leading and not each.is_paused), None)
        if leader is None:
            if trial.cluster.now_ns < until_ns:
                trial.later(_CHECK_INTERVAL_NS, partial(self._find_leader, trial, until_ns))
            return
        trial.on_requested_end()
        for other in members:
            if other is not leader:
                ends = leader.machine.network, other.machine.network
                source, target = reversed(ends) if self.is_of_members else ends
                trial.cluster.world.wire.clog(source, target, self.duration_ns)
        trial.toggle(self.request)


def add_late_terminations(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Let the end of a cluster be requested of a leader that is deposed, in one run of eight.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_TERMINATIONS)
    if random.below(_ONE_IN) or members < _MIN_MEMBERS:
        return plan
    at_ns = random.below(duration_ns // 4)
    request = _REQUESTS[random.below(len(_REQUESTS))]
    is_of_members = random.below(4) == 0
    # The others elect after a timeout of ten seconds.
    held_ns = (13 * _S + random.below(5 * _S)) // speedup
    limit_ns = _LIMIT_NS // speedup
    is_unchecked = random.below(2) == 0
    event = HoldUpTermination(at_ns, request, is_of_members, held_ns, limit_ns, is_unchecked)
    return plan.plus("aimed", [event])


def options_of_terminations(plan: FaultPlan, image_liveness_ns: int) -> dict[str, dict[str, Any]]:
    """Return the options of members that such an event needs; none without one.

    Parameters
    ----------
    plan : FaultPlan
    image_liveness_ns : int
        The timeout of images in other runs.
    """
    events = [each for each in plan.events if isinstance(each, HoldUpTermination)]
    if not events:
        return {}
    options: dict[str, dict[str, Any]] = {
        "driver": {"image_liveness_timeout_ns": 2 * image_liveness_ns}
    }
    if any(each.has_unchecked_sources for each in events):
        options["consensus_module"] = {"consensus_source_check": False}
    return options
