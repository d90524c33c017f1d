"""An overtaken leader: its log is longer, but of an older term.

This takes three consecutive events, each of which alone is common: a leader is disconnected from
the other members while clients still reach it, another member is elected and begins its term, and
that one fails before the first has received anything from it. The remaining members compare a
longer log of an older term with a shorter log of a later term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member

__all__ = ["LeadAloneAhead", "OvertakeLeader", "OvertakeWithSessions"]

_CHECK_INTERVAL_NS: Final = 5_000_000
_SHORT_CHECK_INTERVAL_NS: Final = 500_000
_RESTART_NS: Final = 50_000_000


@dataclass(frozen=True)
class OvertakeLeader(Event):
    """The leader is disconnected until another one leads, which is then killed.

    Parameters
    ----------
    at_ns : int
    delay_ns : int
        The time for which the other one leads.
    down_ns : int
        The time for which it is down then.
    limit_ns : int
        The longest wait for another leader.
    """

    template = (
        "cut the leader off from the other members until another one leads, for {limit_ns} at"
        " most; kill that one {delay_ns} later, start again after {down_ns}"
    )

    delay_ns: int
    down_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        until_ns = trial.cluster.now_ns + self.limit_ns
        self._find_leader(trial, until_ns)

    def _find_leader(self, trial: EventHost, until_ns: int) -> None:
        leader = next((each for each in trial.cluster.members if each.is_leading), None)
        if leader is not None:
            _cut_off(trial, leader, is_cut=True)
            self._change_sessions(trial)
            self._await_overtaker(trial, leader, until_ns)
        elif trial.cluster.now_ns < until_ns:
            trial.later(_CHECK_INTERVAL_NS, partial(self._find_leader, trial, until_ns))

    def _change_sessions(self, trial: EventHost) -> None:
        """Open and close sessions that the leader cannot commit: by default, none."""

    def _await_overtaker(self, trial: EventHost, leader: Member, until_ns: int) -> None:
        others = [each for each in trial.cluster.members if each is not leader]
        overtaker = next((each for each in others if each.is_leading), None)
        if overtaker is not None:
            trial.later(self.delay_ns, partial(self._end, trial, leader, overtaker))
        elif trial.cluster.now_ns < until_ns:
            trial.later(_CHECK_INTERVAL_NS, partial(self._await_overtaker, trial, leader, until_ns))
        else:
            _cut_off(trial, leader, is_cut=False)

    def _end(self, trial: EventHost, leader: Member, overtaker: Member) -> None:
        overtaker.kill()
        trial.start_later(overtaker, self.down_ns)
        _cut_off(trial, leader, is_cut=False)


@dataclass(frozen=True)
class OvertakeWithSessions(OvertakeLeader):
    """A leader that is overtaken, while one client closes its session, or dies, and connects again.

    Parameters
    ----------
    client : int
    is_closed : bool
        Whether the client closes its session, otherwise it dies.
    """

    template = (
        f"{OvertakeLeader.template}; meanwhile client {{client}} connects again (closes its session"
        " first: {is_closed})"
    )

    client: int
    is_closed: bool

    def _change_sessions(self, trial: EventHost) -> None:
        clients = trial.cluster.clients
        client = clients[self.client % len(clients)]
        # A process that ends has no time left to send that its session ends.
        if not self.is_closed or client.end_session() is None:
            client.on_stopped(None)


@dataclass(frozen=True)
class LeadAloneAhead(Event):
    """A member is elected for its longer log, and disconnected before any other has that log.

    What it has alone was never committed, and must not be: for that it is disconnected from the
    other members, but not from clients, and then all are killed.

    Parameters
    ----------
    at_ns : int
    ahead_ns : int
        The time in which it alone appends.
    alone_ns : int
        The time for which it is disconnected once it is elected.
    limit_ns : int
        The longest wait for its election.
    """

    template = (
        "cut the leader off from the other members for {ahead_ns}, then kill all and start again;"
        " cut off, for {alone_ns}, the next leader that others have to copy from, within {limit_ns}"
    )

    ahead_ns: int
    alone_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        leader = next((each for each in trial.cluster.members if each.is_leading), None)
        if leader is not None:
            _cut_off(trial, leader, is_cut=True)
            trial.later(self.ahead_ns, partial(self._kill_all, trial, leader))

    def _kill_all(self, trial: EventHost, leader: Member) -> None:
        for each in trial.cluster.members:
            each.kill()
            trial.start_later(each, _RESTART_NS)
        _cut_off(trial, leader, is_cut=False)
        self._await_election(trial, trial.cluster.now_ns + self.limit_ns)

    def _await_election(self, trial: EventHost, until_ns: int) -> None:
        leader = next((each for each in trial.cluster.members if _awaits_copies(each)), None)
        if leader is not None:
            _cut_off(trial, leader, is_cut=True)
            trial.later(self.alone_ns, partial(_cut_off, trial, leader, is_cut=False))
        elif trial.cluster.now_ns < until_ns:
            trial.later(_SHORT_CHECK_INTERVAL_NS, partial(self._await_election, trial, until_ns))


def _awaits_copies(member: Member) -> bool:
    counters = member.counters
    return (
        counters is not None
        and counters.election_state.get() == ElectionState.LEADER_LOG_REPLICATION
    )


def _cut_off(trial: EventHost, member: Member, *, is_cut: bool) -> None:
    """Block both directions between a member and the others; clients reach all."""
    wire, own = trial.cluster.world.wire, member.machine.network
    for other in trial.cluster.members:
        if other is not member:
            wire.block(own, other.machine.network, is_cut)
            wire.block(other.machine.network, own, is_cut)
