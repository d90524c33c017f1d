"""A process that gets little of a busy machine: it makes a pass only now and then.

An agent at the end of its own duty cycle delays the next one. So it does while other processes
wait for it, too, and what they send meanwhile gathers between two passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.world.loop import ClientAgent

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.world.virtual_clock import VirtualTime

__all__ = ["StarvedPasses"]

_NEVER: Final = 2**63 - 1
_SHORTEST_GAP_NS: Final = 300_000


class StarvedPasses:
    """Delays passes of a process while it is starved.

    Parameters
    ----------
    time : VirtualTime
    delay_next : callable
        Called with the time of the next pass, in ns.
    """

    def __init__(self, time: VirtualTime, delay_next: Callable[[int], None]) -> None:
        self._time = time
        self._delay_next = delay_next
        self._agent: ClientAgent | None = None
        self._random: Random | None = None
        self._longest_gap_ns = 0
        self._until_ns = 0

    def new_agent(self) -> ClientAgent:
        """Return the last agent of a process that starts; it is not starved."""
        self._random = None
        self._agent = ClientAgent(self, self._time)
        self._agent.set_next(_NEVER, is_busy=False)
        return self._agent

    def begin(self, random: Random, longest_gap_ns: int, until_ns: int) -> None:
        """Delay each pass until a time.

        Parameters
        ----------
        random : Random
            Draws the time to each next pass.
        longest_gap_ns, until_ns : int
        """
        if self._agent is not None:
            self._random = random
            self._longest_gap_ns = longest_gap_ns
            self._until_ns = until_ns
            self._agent.set_next(0, is_busy=True)

    def end(self) -> None:
        """Delay no further pass."""
        self._random = None
        if self._agent is not None:
            self._agent.set_next(_NEVER, is_busy=False)

    def do_work(self) -> int:
        """Delay the next pass; called in each one while it is starved."""
        now_ns = self._time.now_ns
        if self._random is None or now_ns >= self._until_ns:
            self.end()
            return 0
        more_ns = self._longest_gap_ns - _SHORTEST_GAP_NS
        self._delay_next(now_ns + _SHORTEST_GAP_NS + self._random.below(max(more_ns, 1)))
        return 0
