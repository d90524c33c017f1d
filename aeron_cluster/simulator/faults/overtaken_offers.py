"""A leader that is overtaken right after its service offered a message, and leads again.

The request behind the message is committed, the message is not: the leader truncates it from its
log as a follower, and its services do not offer it again. Those of others offer it as well, so it
is missed only if the leader of the message is the next one that appends any of its services'.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event
from aeron_cluster.simulator.members.member import ignore

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["OvertakeOffer", "add_overtaken_offers"]

_S: Final = 1_000_000_000
_STEP_NS: Final = 1_000_000
_SHORT_STEP_NS: Final = 5_000
_WAIT_STEP_NS: Final = 20_000_000
_OF_OFFERS: Final = 0x0FFE2ED
_ONE_IN: Final = 8
_MIN_MEMBERS: Final = 3
_OFFER_LIMIT_NS: Final = 40 * _S
_LIMIT_NS: Final = 60 * _S
_BEGINNING: Final = (ElectionState.LEADER_INIT, ElectionState.LEADER_READY)
_JOINED: Final = (ElectionState.FOLLOWER_READY, ElectionState.CLOSED)


@dataclass(frozen=True)
class OvertakeOffer(Event):
    """The leader is cut off at an offer of its service; next leaders are killed until it leads.

    Each next leader is killed once a majority has joined its log, before it appends anything. If
    the first leader has joined it as well, all others are killed with that one, and start again
    without it: the first leader is elected, since only it stands after the usual timeout. The
    faults of the run last as long.

    Parameters
    ----------
    at_ns : int
    offer_limit_ns : int
        The longest wait for an offer.
    limit_ns : int
        The longest wait for its lead.
    """

    template = (
        "at the next offer of a service of a leader, within {offer_limit_ns}, cut it off from the"
        " others until another one is elected; kill that one and each next one before it appends"
        " anything, and all others once the first one has followed; start them again, the last"
        " leader when the first one leads, within {limit_ns}"
    )

    offer_limit_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        if len(trial.cluster.native_services) == len(trial.cluster.journals):
            return  # their offers are not observed
        wait = _Wait(trial.cluster.now_ns + self.offer_limit_ns)
        trial.hold_faults(self, wait.until_ns)
        self._await_offer(trial, wait)

    def _await_offer(self, trial: EventHost, wait: _Wait) -> None:
        if wait.is_over or trial.cluster.now_ns >= wait.until_ns:
            wait.is_over = True
            return
        for member in trial.cluster.members:
            if member.on_service is ignore:
                member.on_service = partial(self._on_service, trial, member, wait)
        # Another event may have replaced or ended these.
        trial.later(_WAIT_STEP_NS, partial(self._await_offer, trial, wait))

    def _on_service(self, trial: EventHost, first: Member, wait: _Wait, what: str) -> None:
        if wait.is_over or what != "offer" or not first.is_leading:
            return
        scene = _Scene(trial, first, trial.cluster.now_ns + self.limit_ns)
        if 2 * sum(map(_follows, scene.others)) > len(trial.cluster.members):
            wait.is_over = True
            trial.ignore_services()
            trial.hold_faults(self, scene.until_ns)
            self._await_lead(trial, scene)

    def _await_lead(self, trial: EventHost, scene: _Scene) -> None:
        if scene.killed is None:
            scene.cut_off(is_cut=True)  # again: a partition that ends unblocks all
        if trial.cluster.now_ns >= scene.until_ns or scene.is_over:
            scene.cut_off(is_cut=False)
            if scene.killed is not None:
                trial.start_later(scene.killed, 0)
            trial.hold_faults(self, 0)
            return
        next_leader = scene.next_leader
        if next_leader is not None and scene.has_majority(next_leader):
            self._kill(trial, scene, next_leader)
            next_leader = None
        step_ns = _STEP_NS if next_leader is None else _SHORT_STEP_NS
        trial.later(step_ns, partial(self._await_lead, trial, scene))

    def _kill(self, trial: EventHost, scene: _Scene, next_leader: Member) -> None:
        # Those that start again stand only if all members canvass.
        for each in scene.others if scene.has_joined else [next_leader]:
            each.kill()
            trial.start_later(each, self.limit_ns if each is next_leader else 0)
        if scene.killed is not None and scene.killed is not next_leader:
            trial.start_later(scene.killed, 0)
        scene.killed = next_leader
        scene.cut_off(is_cut=False)


@dataclass
class _Wait:
    """A wait for an offer."""

    until_ns: int
    is_over: bool = False


class _Scene:
    """The leader that is overtaken, the others, and the one of them that was killed last."""

    def __init__(self, trial: EventHost, first: Member, until_ns: int) -> None:
        self.first = first
        self.others = [each for each in trial.cluster.members if each is not first]
        self.until_ns = until_ns
        self.killed: Member | None = None
        self._wire = trial.cluster.world.wire
        self._term = _term_of(first)
        self._start_count = first.start_count

    @property
    def is_over(self) -> bool:
        """Whether the first one leads in a later term, or has ended."""
        has_ended = self.first.start_count != self._start_count or not self.first.is_running
        return has_ended or (self.first.is_leading and _term_of(self.first) > self._term)

    @property
    def has_joined(self) -> bool:
        """Whether it has joined the log of a later term."""
        return self.killed is not None and _state_of(self.first) in _JOINED

    @property
    def next_leader(self) -> Member | None:
        """The other member that leads, or is to lead."""
        return next(
            (each for each in self.others if each.is_leading or _state_of(each) in _BEGINNING),
            None,
        )

    def has_majority(self, leader: Member) -> bool:
        """Return whether it leads, or a majority has joined the log of its term."""
        # The first one is in no election for as long as it seems to lead.
        voters = self.others if self.killed is None else [*self.others, self.first]
        count = sum(each is leader or _state_of(each) in _JOINED for each in voters)
        return leader.is_leading or 2 * count > 1 + len(self.others)

    def cut_off(self, *, is_cut: bool) -> None:
        """Block both directions between the first one and the others; clients reach all."""
        own = self.first.machine.network
        for other in self.others:
            self._wire.block(own, other.machine.network, is_cut)
            self._wire.block(other.machine.network, own, is_cut)


def add_overtaken_offers(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Overtake a leader at an offer in one run of eight with three members or more.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_OFFERS)
    if random.below(_ONE_IN) or members < _MIN_MEMBERS:
        return plan
    # Late, since it takes several elections without other faults.
    at_ns = duration_ns * 3 // 4 + random.below(duration_ns // 4)
    event = OvertakeOffer(at_ns, _OFFER_LIMIT_NS // speedup, _LIMIT_NS // speedup)
    return plan.plus("overtaken", [event])


def _state_of(member: Member) -> int | None:
    counters = member.counters
    return None if counters is None else counters.election_state.get()


def _follows(member: Member) -> bool:
    return member.is_running and _state_of(member) == ElectionState.CLOSED


def _term_of(member: Member) -> int:
    counters = member.counters
    return -1 if counters is None else int(counters.leadership_term_id.get())
