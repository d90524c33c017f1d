"""Plans of the faults of a run, drawn from its seed.

A failing plan is shrunk by removing events.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.events import (
    ALL_MEMBERS,
    DISK_OPERATIONS,
    BadNetwork,
    ClockDrift,
    ClockStep,
    Clog,
    DiskFails,
    DiskFull,
    Event,
    Isolate,
    Kill,
    KillAtCall,
    KillAtEvent,
    KillAtTermEnd,
    KillClient,
    KillProcess,
    KillProcessAtCall,
    LosePower,
    OneWay,
    Operate,
    Pause,
    PauseProcess,
    Split,
)
from aeron_cluster.simulator.faults.service_events import SnapshotFails
from aeron_cluster.simulator.world.link_faults import LinkFaults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.memory.system.seams import Random

__all__ = ["CONSENSUS_FAMILIES", "FAMILIES", "FaultPlan", "draw_duration_ns"]

_MS: Final = 1_000_000
_S: Final = 1_000_000_000
# A driver times its clients out after 10 s of its clock, which may be fast.
_LONGEST_PAUSE_NS: Final = 9_800 * _MS
# The events at which a leader is killed, and whether the others elect before its restart: if it is
# back earlier, it has the longest log and leads again, and no loss is detected.
_AIMS: Final = (
    ("offer", True),
    ("offer", True),
    ("offer", False),
    ("message", False),
    ("timer", True),
    ("schedule", False),
)
_FAILOVER_NS: Final = 15 * _S  # the loss of a leader is detected, and an election completes


FAMILIES: Final = ("network", "partition", "process", "pause", "disk", "clock", "client", "operate")
"""The kinds of faults; each is on in half of all seeds."""

CONSENSUS_FAMILIES: Final = ("process", "partition", "pause", "clock", "operate")
"""The families of elections and recovery."""

_SHARES: Final = {
    "network": 3,
    "partition": 3,
    "process": 4,
    "pause": 2,
    "disk": 2,
    "clock": 1,
    "client": 1,
    "operate": 3,
}


@dataclass(frozen=True)
class FaultPlan:
    """The events of a run, in the order of their times.

    Parameters
    ----------
    events : tuple of Event
    families : tuple of str
        The names of its `FAMILIES`, ``apart`` for separately killed processes, and those of
        `added_faults`.
    damage : Damage
        The kind of damage of its events.
    """

    events: tuple[Event, ...] = ()
    families: tuple[str, ...] = ()
    damage: Damage = Damage.NOTHING

    @classmethod
    def draw(
        cls,
        random: Random,
        *,
        members: int,
        duration_ns: int,
        sync_level: int = 0,
        families: Sequence[str] = FAMILIES,
        speedup: int = 1,
        processes: Sequence[str] = (),
    ) -> FaultPlan:
        """Draw a plan.

        Parameters
        ----------
        random : Random
        members : int
            The number of members.
        duration_ns : int
            The duration in which all events begin.
        sync_level : int
            The sync level. Above 0 a single machine may lose power, since acknowledged data is
            never lost.
        families : sequence of str
            Names of `FAMILIES`: each is used with probability one half, at least one; with none
            there are no events.
        speedup : int
            The factor by which faults are more frequent and shorter.
        processes : sequence of str
            The processes of each member, if there are several: some are killed or paused
            separately.
        """
        drawn = [each for each in families if random.below(2)] or list(families[:1])
        weighted = [each for each in drawn for _ in range(_SHARES[each])]
        maker = _Drawing(random, members, sync_level, speedup)
        count = 1 + random.below(max(1, speedup * duration_ns // (2 * _S)))
        events: list[Event] = []
        for _ in range(count if weighted else 0):
            at_ns = random.below(duration_ns)
            events.append(maker.draw(weighted[random.below(len(weighted))], at_ns))
        if processes:
            drawn.append("apart")
            for _ in range(1 + random.below(max(1, speedup * duration_ns // (5 * _S)))):
                name = processes[random.below(len(processes))]
                events.append(maker.draw_apart(name, random.below(duration_ns)))
        events.sort(key=lambda each: each.at_ns)
        return cls(tuple(events), tuple(drawn))

    def __str__(self) -> str:
        lines = [str(each) for each in self.events] or ["         nothing goes wrong"]
        if self.damage is not Damage.NOTHING:
            lines.insert(0, f"         a separate run, damaged: {self.damage.value}")
        return "\n".join(lines)

    def plus(self, family: str, events: Sequence[Event]) -> FaultPlan:
        """Return the plan with added events of another family."""
        merged = sorted([*self.events, *events], key=lambda each: each.at_ns)
        return replace(self, events=tuple(merged), families=(*self.families, family))

    def only(self, events: Sequence[Event]) -> FaultPlan:
        """Return the plan with some of its events."""
        return replace(self, events=tuple(events))


def draw_duration_ns(random: Random, longest_s: int, speedup: int = 1) -> int:
    """Draw a duration, as often from 10 to 100 ms as from 1 to 10 s; divided by the speedup."""
    exponent = random.uniform() * 3
    return min(int(10 * _MS * 10**exponent), longest_s * _S) // speedup


class _Drawing:
    """Draws single events."""

    def __init__(self, random: Random, members: int, sync_level: int, speedup: int) -> None:
        self._random = random
        self._members = members
        self._sync_level = sync_level
        self._speedup = speedup

    def draw(self, family: str, at_ns: int) -> Event:
        """Draw an event of a family."""
        draws = {
            "network": self._network,
            "partition": self._partition,
            "process": self._process,
            "pause": self._pause,
            "disk": self._disk,
            "clock": self._clock,
            "client": self._client,
            "operate": self._operate,
        }
        return draws[family](at_ns)

    def draw_apart(self, process: str, at_ns: int) -> Event:
        """Draw an event of one process of a member."""
        where = (at_ns, self._member(), process)
        match self._random.below(6):
            case 0:
                return KillProcess(*where, self._duration_ns(20))
            case 1:
                return PauseProcess(*where, self._duration_ns(15))
            case _:
                calls = 1 + self._random.below(10 ** (1 + self._random.below(4)))
                # Only the driver has sockets.
                is_network = process == "driver" and self._random.below(2) == 0
                return KillProcessAtCall(*where, calls, is_network, self._duration_ns(20))

    def _member(self) -> int:
        return self._random.below(self._members)

    def _duration_ns(self, longest_s: int) -> int:
        return draw_duration_ns(self._random, longest_s, self._speedup)

    def _share(self, most: float) -> float:
        return round(self._random.uniform() * most, 4) if self._random.below(2) else 0.0

    def _network(self, at_ns: int) -> Event:
        if self._members > 1 and self._random.below(3) == 0:
            return Clog(at_ns, *self._pair(), self._duration_ns(5))
        least_ns = self._random.below(_MS)
        longest_ns = least_ns + (10 ** (1 + self._random.below(3))) * _MS // 10
        faults = LinkFaults(
            loss=self._share(0.3),
            duplicate=self._share(0.5),
            corrupt=self._share(0.01),
            truncate=self._share(0.01),
            min_delay_ns=least_ns,
            max_delay_ns=longest_ns,
        )
        return BadNetwork(at_ns, faults, self._duration_ns(10))

    def _pair(self) -> tuple[int, int]:
        source = self._member()
        return source, (source + 1 + self._random.below(self._members - 1)) % self._members

    def _partition(self, at_ns: int) -> Event:
        duration_ns = self._duration_ns(30)
        if self._members == 1 or self._random.below(2) == 0:
            return Isolate(at_ns, self._member(), duration_ns)
        if self._random.below(2) == 0:
            return OneWay(at_ns, *self._pair(), duration_ns)
        side = tuple(each for each in range(self._members) if self._random.below(2))
        bridge = self._member() if self._random.below(3) == 0 else -1
        return Split(at_ns, side, bridge, duration_ns)

    def _process(self, at_ns: int) -> Event:
        down_ns = self._duration_ns(20)
        match self._random.below(8):
            case 0:
                return Kill(at_ns, ALL_MEMBERS, down_ns)
            case 1:
                return Kill(at_ns, self._member(), down_ns)
            case 2 | 3:
                if self._random.below(4) == 0:
                    return KillAtTermEnd(at_ns, 1 + self._random.below(4), down_ns)
                what, is_replaced = _AIMS[self._random.below(len(_AIMS))]
                if is_replaced:
                    down_ns += _FAILOVER_NS // self._speedup
                return KillAtEvent(at_ns, what, 1 + self._random.below(8), down_ns)
            case 4 if self._sync_level > 0:
                return LosePower(at_ns, self._member(), down_ns)
            case 5 if self._sync_level > 0:
                return LosePower(at_ns, ALL_MEMBERS, down_ns)
            case _:
                calls = 1 + self._random.below(10 ** (1 + self._random.below(4)))
                is_network = self._random.below(2) == 0
                return KillAtCall(at_ns, self._member(), calls, is_network, down_ns)

    def _pause(self, at_ns: int) -> Event:
        longest_s = 15 if self._random.below(4) == 0 else 2
        member, duration_ns = self._member(), self._duration_ns(longest_s)
        return Pause(at_ns, member, min(duration_ns, _LONGEST_PAUSE_NS // self._speedup))

    def _disk(self, at_ns: int) -> Event:
        if self._random.below(2):
            room = self._random.below(1 << 20)
            return DiskFull(at_ns, self._member(), room, self._duration_ns(10))
        operation = DISK_OPERATIONS[self._random.below(len(DISK_OPERATIONS))]
        return DiskFails(
            at_ns,
            self._member(),
            operation,
            self._random.below(50),
            1 + self._random.below(3),
        )

    def _clock(self, at_ns: int) -> Event:
        if self._random.below(2):
            step_ns = (self._random.below(2) * 2 - 1) * self._random.below(3600) * _S
            return ClockStep(at_ns, self._member(), step_ns)
        return ClockDrift(
            at_ns,
            self._member(),
            self._random.below(20_001) - 10_000,
            self._random.below(20_001) - 10_000,
        )

    def _client(self, at_ns: int) -> Event:
        return KillClient(at_ns, self._random.below(8))

    def _operate(self, at_ns: int) -> Event:
        if self._random.below(4) == 0:
            return Operate(at_ns, ControlToggle.SUSPEND, self._duration_ns(3))
        if self._random.below(4) == 0:
            return SnapshotFails(at_ns, self._member())
        return Operate(at_ns, ControlToggle.SNAPSHOT)
