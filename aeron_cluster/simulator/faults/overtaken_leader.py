"""A leader that is overtaken: its log is the longer one, and of the older term.

That takes three things in a row, each of which alone is common: a leader is cut off from the other
members while clients still reach it, another one is elected and begins its term, and that one ends
before the first has received of it. Those that are left compare a longer log of an older term
with a shorter one of a later term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member

__all__ = ["OvertakeLeader"]

_LOOK_NS: Final = 5_000_000


@dataclass(frozen=True)
class OvertakeLeader(Event):
    """The leader is cut off from the other members until another one leads, which is killed then.

    Parameters
    ----------
    at_ns : int
    delay_ns : int
        How long the other one leads.
    down_ns : int
        How long it is down.
    limit_ns : int
        How long another one is waited for.
    """

    template = (
        "cut the leader off from the other members until another one leads, for {limit_ns} at"
        " most; kill that one {delay_ns} later, start again after {down_ns}"
    )

    delay_ns: int
    down_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Do it."""
        until_ns = trial.cluster.now_ns + self.limit_ns
        self._find_leader(trial, until_ns)

    def _find_leader(self, trial: EventHost, until_ns: int) -> None:
        leader = next((each for each in trial.cluster.members if each.is_leading), None)
        if leader is not None:
            _cut_off(trial, leader, is_cut=True)
            self._find_next(trial, leader, until_ns)
        elif trial.cluster.now_ns < until_ns:
            trial.later(_LOOK_NS, partial(self._find_leader, trial, until_ns))

    def _find_next(self, trial: EventHost, leader: Member, until_ns: int) -> None:
        others = [each for each in trial.cluster.members if each is not leader]
        found = next((each for each in others if each.is_leading), None)
        if found is not None:
            trial.later(self.delay_ns, partial(self._end, trial, leader, found))
        elif trial.cluster.now_ns < until_ns:
            trial.later(_LOOK_NS, partial(self._find_next, trial, leader, until_ns))
        else:
            _cut_off(trial, leader, is_cut=False)

    def _end(self, trial: EventHost, leader: Member, found: Member) -> None:
        found.kill()
        trial.start_later(found, self.down_ns)
        _cut_off(trial, leader, is_cut=False)


def _cut_off(trial: EventHost, member: Member, *, is_cut: bool) -> None:
    """Let nothing through between a member and the others, either way; clients reach all."""
    wire, own = trial.cluster.world.wire, member.machine.network
    for other in trial.cluster.members:
        if other is not member:
            wire.block(own, other.machine.network, is_cut)
            wire.block(other.machine.network, own, is_cut)
