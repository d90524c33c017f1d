"""Requests to one member by its node toggle, whatever its role.

``checkNodeControlToggle`` of ConsensusModuleAgent, and RecordingLogValidator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.waiting import list_recording
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import NodeToggle
from aeron_cluster.cluster.state.recording_log import Entry
from aeron_cluster.errors import AeronClusterError, ClusterError, InsufficientSpaceError
from aeron_cluster.events.codes import ClusterEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.snapshots.standby_replication import StandbyReplication
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["NodeRequests"]

_REQUESTS: Final = (NodeToggle.REPLICATE_STANDBY_SNAPSHOT, NodeToggle.VALIDATE_RECORDING_LOG)


class NodeRequests:
    """Handles the node toggle.

    Parameters
    ----------
    context : ConsensusModuleContext
    archive : AeronArchive
    counters : ModuleCounters
    recording_log : RecordingLog
    status : ModuleStatus
    standby : StandbyReplication
    begin : callable
        ``begin(steps)`` drives steps in every duty cycle.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        archive: AeronArchive,
        counters: ModuleCounters,
        recording_log: RecordingLog,
        status: ModuleStatus,
        standby: StandbyReplication,
        begin: Callable[[Waiting[None]], None],
    ) -> None:
        self._context = context
        self._archive = archive
        self._counters = counters
        self._recording_log = recording_log
        self._status = status
        self._standby = standby
        self._begin = begin
        self._running: set[int] = set()

    @property
    def is_waiting(self) -> bool:
        """Whether there is a request that this state allows and that was not begun yet."""
        is_requested = self._counters.node_toggle.get() in _REQUESTS
        return is_requested and self._status.state is ConsensusModuleState.ACTIVE

    def check(self) -> int:
        """Start the requested action, if any; only its start is acknowledged, not its end."""
        if not self.is_waiting:
            return 0
        toggle = self._counters.node_toggle.get()
        if toggle not in self._running:
            self._running.add(toggle)
            self._begin(self._do(toggle))
        self._counters.node_toggle.set(NodeToggle.NEUTRAL)
        return 1

    def _do(self, toggle: int) -> Waiting[None]:
        """Execute a request, one at a time."""
        try:
            if toggle == NodeToggle.VALIDATE_RECORDING_LOG:
                yield from self._validate()
            else:
                yield from self._standby.run(self._counters.snapshot_count.increment)
        finally:
            self._running.discard(toggle)

    def _validate(self) -> Waiting[None]:
        """Invalidate snapshots that are missing in the archive; a failure is only reported."""
        try:
            yield from self._invalidate_unknown()
        except InsufficientSpaceError:
            raise
        except AeronClusterError as error:
            self._context.error_handler(error)

    def _invalidate_unknown(self) -> Waiting[None]:
        known: dict[int, bool] = {}
        for entry in reversed(self._recording_log.entries):
            if entry.is_valid_snapshot and entry.recording_id not in known:
                found = yield from list_recording(self._archive, entry.recording_id)
                known[entry.recording_id] = found is not None
        # The recording log is read again: a snapshot may have been taken meanwhile.
        log, lost = self._recording_log, dict[Entry, Entry]()
        for entry in log.entries:
            if entry.is_valid_snapshot and not known.get(entry.recording_id, True):
                # The module's own, or that of a set without this one: recovery chooses by that.
                lost[entry] = entry
                for each in log.find_dependents(entry):
                    lost.setdefault(each, entry)
        # The module's first: recovery must not choose the rest of a set.
        for entry, missing in sorted(lost.items(), key=lambda each: each[0].service_id):
            self._invalidate(entry, missing)

    def _invalidate(self, entry: Entry, missing: Entry) -> None:
        """Invalidate an entry because of a missing recording, its own or that of a service."""
        self._context.events.record(
            ClusterEvent.SNAPSHOT_ENTRY_INVALIDATION,
            member_id=self._context.options.member_id,
            entry_index=entry.entry_index,
            recording_id=entry.recording_id,
            log_position=entry.log_position,
            service_id=entry.service_id,
        )
        self._recording_log.invalidate(entry)
        whose = "module" if entry.service_id < 0 else f"service {entry.service_id}"
        of = "" if missing is entry else f" of service {missing.service_id}"
        self._context.error_handler(
            ClusterError(
                f"snapshot of the {whose} at {entry.log_position}: expected recording"
                f" {missing.recording_id}{of} in the archive, found none; it is invalid from now"
            )
        )
