"""A disk that fails while a service takes its snapshot: the recording stops, not the service.

What a service writes is recorded by the archive of its member. With a short window the service
soon waits for the archive, also within the part that its container writes.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.aimed_faults import AimedEvent

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.events import Event
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["FailRecordingOfSnapshot", "add_failed_recordings", "options_of_snapshots"]

_SALT: Final = 0xFA11ED
_ONE_IN: Final = 8
_WINDOWS: Final = (128, 128, 256, 0)
_WRITES: Final = 4
_MOST: Final = 3
_LIMIT_NS: Final = 200_000_000
_CHECK_INTERVAL_NS: Final = 10_000
_RECORDING: Final = 100  # the type of the counters of recordings
_SERVICE_STREAM: Final = "106"
_STREAM_OF_LABEL: Final = 3


@dataclass(frozen=True)
class FailRecordingOfSnapshot(AimedEvent):
    """A snapshot is requested; the disk fails when a member's archive records a service's part.

    Parameters
    ----------
    after : int
        How many writes succeed from then on.
    window_length : int
        The window of the streams of snapshots of all members, in bytes; 0 for the default.
    """

    check_interval_ns: ClassVar[int] = _CHECK_INTERVAL_NS
    template = (
        "snapshot; the disk of the first member that records a service's part within {limit_ns}"
        " fails after {after} writes (window of {window_length} bytes)"
    )

    after: int
    window_length: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        if any(each.is_leading for each in trial.cluster.members):
            trial.toggle(ControlToggle.SNAPSHOT)
            self._await(trial, partial(self._find, trial))

    @staticmethod
    def _find(trial: EventHost) -> Member | None:
        return next((each for each in trial.cluster.members if _records_a_service(each)), None)

    def _inject(self, trial: EventHost, member: Member) -> None:
        member.machine.note_disk_failure(trial.cluster.now_ns)
        member.machine.files.fail("write_at", errno.EIO, after=self.after)


def add_failed_recordings(plan: FaultPlan, seed: int, *, duration_ns: int) -> FaultPlan:
    """Fail recordings of services' snapshots in one run of eight.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _SALT)
    if random.below(_ONE_IN):
        return plan
    window_length = _WINDOWS[random.below(len(_WINDOWS))]
    events: list[Event] = []
    for _ in range(1 + random.below(_MOST)):
        at_ns = random.below(duration_ns)
        after = random.below(_WRITES) if random.below(4) == 0 else 0
        events.append(FailRecordingOfSnapshot(at_ns, 0, _LIMIT_NS, after, window_length))
    return plan.plus("aimed", events)


def options_of_snapshots(plan: FaultPlan) -> dict[str, dict[str, Any]]:
    """Return the options of members for the windows of such events; none without one.

    Parameters
    ----------
    plan : FaultPlan
    """
    windows = {
        each.window_length for each in plan.events if isinstance(each, FailRecordingOfSnapshot)
    } - {0}
    if not windows:
        return {}
    length = min(windows)
    channel = f"aeron:ipc?alias=snapshot|term-length=64k|mtu={length}|pub-wnd={length}"
    return {part: {"snapshot_channel": channel} for part in ("consensus_module", "container")}


def _records_a_service(member: Member) -> bool:
    """Return whether the archive records a service's part of a snapshot."""
    module = member.running_module
    if module is None or module.state is not ConsensusModuleState.SNAPSHOT:
        return False
    # A label names the recording and the session before the stream.
    labels = (each.label.split() for each in member.driver_counters(_RECORDING))
    return any(each[_STREAM_OF_LABEL] == _SERVICE_STREAM for each in labels)
