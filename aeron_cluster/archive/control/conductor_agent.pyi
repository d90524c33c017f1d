from collections.abc import Sequence
from typing import Protocol, Self, final

from aeron_cluster.archive.recording.recorder import Recorder
from aeron_cluster.archive.replay.replayer import Replayer
from aeron_cluster.archive.sessions.session_watch import SessionWatch
from aeron_cluster.client.counter import Counter
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.memory.agents.agent import Agent
from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
from aeron_cluster.memory.system.seams import Clock

class _Conductor(Protocol):
    def do_work(self) -> int: ...
    def close(self) -> None: ...

@final
class ArchiveConductorAgent(Agent):
    def __new__(
        cls,
        conductor: _Conductor,
        clock: Clock,
        recorder: Recorder,
        replayer: Replayer,
        control: Sequence[Subscription],
        stamp: ActivityStamp,
    ) -> Self: ...
    @property
    def is_recorder_driven(self) -> bool: ...
    def set_cycle_counters(
        self, max_time: Counter, exceeded: Counter, threshold_ns: int
    ) -> None: ...
    def set_next(self, deadline_ns: int, is_busy: bool) -> None: ...
    def set_sessions(self, watches: tuple[SessionWatch, ...]) -> None: ...
