"""``python -m tests.soak.kills --kills 40``: leaders killed one after the other, failover fast.

Three members with ``--failover fast`` on this machine, two clients that ask all the time. Each kill
waits until the members killed before it have joined again. With ``--at-once 3`` all are killed
together. An operator asks for a snapshot before each tenth kill. Printed are the median and the
range of the clients' silence: the longest time between two answers, from a kill to the next one. In
the end the answers are compared with the logs: an acknowledged request that is lost fails the run.
"""

import itertools
import random
import statistics
import time
from dataclasses import dataclass

from tests.soak import command
from tests.soak.histories import read_history
from tests.soak.links import Loopback
from tests.soak.members import COUNT
from tests.soak.schedule import LEADER, Event
from tests.soak.soak import Result, Settings, Soak, default_report

BOUND_S = 1.5
"""Clients should not wait longer than that for a new leader, by the median."""
CLIENTS = 2
_DOWN_S = 0.3
_JOINED_S = 60.0
_SNAPSHOT_EVERY = 10  # kills; without one, members replay the whole log when they start again
_AFTER_S = (0.3, 0.8)  # from the first settled pass to the next kill


@dataclass(frozen=True)
class KillsResult:
    """What a run that held was like.

    Parameters
    ----------
    held
        The result of the soak.
    rounds
        How often a leader was killed, alone or with others.
    silences_s
        For each round and client, the longest time without an answer, in seconds.
    """

    held: Result
    rounds: int
    silences_s: tuple[float, ...]

    @property
    def median_s(self):
        """The median of the silences, in seconds."""
        return statistics.median(self.silences_s)

    def __str__(self):
        below = sum(each < BOUND_S for each in self.silences_s)
        # The bound is that of leaders killed alone.
        is_bounded = self.held.kills == self.rounds
        bound = f", {below} of {len(self.silences_s)} below {BOUND_S} s" if is_bounded else ""
        return (
            f"{self.rounds} leaders killed, {self.held.kills} members in all, none of"
            f" {self.held.answers} acknowledged requests lost; silence of clients: median"
            f" {self.median_s:.2f} s [{min(self.silences_s):.2f}..{max(self.silences_s):.2f}]"
            f"{bound}"
        )


def silences(kills_ns, answers_ns):
    """Return, for each kill, the longest time between two answers until the next one, in ns."""
    answers_ns = sorted(answers_ns)
    found = []
    for begin, end in itertools.pairwise([*kills_ns, answers_ns[-1] + 1]):
        before = [each for each in answers_ns if each <= begin][-1:]
        after = [each for each in answers_ns if begin < each <= end]
        gaps = [two - one for one, two in itertools.pairwise(before + after)]
        found.append(max(gaps, default=end - begin))
    return found


class Kills(Soak):
    """Kills leaders, and nothing else.

    Parameters
    ----------
    settings
        Its duration is that after which none is killed any more.
    count
        How many leaders are killed.
    at_once
        How many members are killed with each, it included.
    """

    kinds = ("plain",) * CLIENTS
    failover = "fast"
    max_waiting = 10_000  # those lost with a leader do not stop the others

    def __init__(self, settings, count, notify=lambda _: None, at_once=1):
        super().__init__(settings, notify)
        self._count = count
        self._at_once = at_once
        self._kills_ns = []

    @property
    def left_out(self):
        """What this run does without; it has one kind of fault, which can be made everywhere."""
        return ", ".join(self._not_installed)

    def _make_links(self):
        return Loopback(COUNT + 1)

    def _draw_events(self):
        kill = Event(0.0, "kill", LEADER, 0, _DOWN_S)
        snapshot = Event(0.0, "snapshot", LEADER, 0, 0.0)
        return [
            each
            for number in range(self._count)
            for each in ([snapshot, kill] if number % _SNAPSHOT_EVERY == 1 else [kill])
        ]

    def run_kills(self):
        """Run it to its end; return the `KillsResult`."""
        held = self.run()
        found = []
        for number in range(CLIENTS):
            operations = read_history(self._history(number))
            answered = [each.answered_ns for each in operations if each.answered_ns >= 0]
            found += silences(self._kills_ns, answered)
        return KillsResult(held, len(self._kills_ns), tuple(each / 1e9 for each in found))

    def _do(self, event):
        if self._now > self._settings.duration_s and self._kills_ns:
            return
        since_ns = time.monotonic_ns()
        self._await(
            lambda: (
                all(each.commit_position >= 0 for each in self._members)
                and self._leader() is not None
                and self._answered_since(since_ns)
            ),
            _JOINED_S,
            "all members follow, and clients are answered",
        )
        rng = random.Random(f"{self._settings.seed} {len(self._kills_ns)}")
        self._drive_until(self._now + rng.uniform(*_AFTER_S))
        if self._leader() is None:  # it has just been replaced
            return
        if event.kind == "snapshot":
            super()._do(event)
            return
        self._kills_ns.append(time.monotonic_ns())
        super()._do(event)

    def _kill(self, members, lasts_s):
        (leader,) = members
        others = [each for each in self._members if each is not leader]
        rng = random.Random(f"{self._settings.seed} others {len(self._kills_ns)}")
        super()._kill([leader, *rng.sample(others, self._at_once - 1)], lasts_s)

    def _drive_until(self, at):
        # The end of the time for faults has no meaning where kills wait for members.
        super()._drive_until(at if at < self._settings.duration_s else self._now)


def main():
    """Kill leaders."""
    parser = command.parser(
        "tests.soak.kills", __doc__, "after how long none is killed any more", "kills"
    )
    parser.add_argument("--kills", type=int, default=20, help="how many leaders are killed")
    parser.add_argument(
        "--at-once",
        type=int,
        default=1,
        choices=range(1, COUNT + 1),
        help="members killed at a time",
    )
    parser.add_argument("--interval", type=int, default=5, help="of each client's requests, in ms")
    given = parser.parse_args()

    def make(seed, report, port_base):
        settings = Settings(
            seed, given.seconds, report, port_base, request_interval_ms=given.interval
        )
        return Kills(settings, given.kills, command.emit, given.at_once)

    command.run(given, default_report, make, Kills.run_kills, lambda result: result.held)


if __name__ == "__main__":
    main()
