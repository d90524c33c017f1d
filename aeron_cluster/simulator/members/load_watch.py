"""What a consensus module has loaded, in the duty cycle in which it has: the log changes it next.

Checks are made every 10 ms, in which a single member replays a whole log. So an agent at the end of
the module's own duty cycle looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.simulator.world.loop import ClientAgent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.module.consensus_module import ConsensusModule
    from aeron_cluster.cluster.state.module_snapshot import SessionRecord, TrackerState
    from aeron_cluster.simulator.world.virtual_clock import VirtualTime

__all__ = ["LoadWatch", "LoadedState"]

_NEVER: Final = 2**63 - 1


class LoadedState(NamedTuple):
    """The state of a module that has just loaded it."""

    position: int
    """Of the snapshot that it says to have loaded; 0 without one."""
    term_id: int
    next_session_id: int
    sessions: Sequence[SessionRecord]
    timers: dict[int, int]
    """Deadlines, by correlation id."""
    trackers: Sequence[TrackerState]
    """What services offered, by service id."""


class LoadWatch:
    """Waits until a module has loaded its state, and keeps that.

    Parameters
    ----------
    module : ConsensusModule
    time : VirtualTime

    Attributes
    ----------
    agent : ClientAgent
        Driven after the agents of the module.
    loaded : LoadedState or None
        None until it is loaded.
    """

    def __init__(self, module: ConsensusModule, time: VirtualTime) -> None:
        self.loaded: LoadedState | None = None
        self._module: ConsensusModule | None = module
        self.agent = ClientAgent(self, time)
        self.agent.set_next(0, is_busy=True)

    def do_work(self) -> int:
        """Look whether it is loaded; called until it is."""
        module = self._module
        if module is None:
            return 0
        sessions, counters = module.sessions, module.counters
        timers, next_session_id = module.timers, module.next_session_id
        if counters is None or sessions is None or timers is None or next_session_id is None:
            return 0
        self.agent.set_next(_NEVER, is_busy=False)
        self._module = None
        trackers = module._conductor._trackers  # noqa: SLF001 - nothing else shows these numbers
        self.loaded = LoadedState(
            counters.commit_position.get(),
            counters.leadership_term_id.get(),
            next_session_id,
            sessions,
            timers,
            [each.state() for each in trackers],
        )
        return 0
