"""The start of a consensus module, up to the recovery of its state.

The first half of ``onStart`` of ConsensusModuleAgent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aeron_cluster.archive.waiting import connect_archive
from aeron_cluster.cluster.log.log_recording import LogRecording
from aeron_cluster.cluster.module.recovery import Recovered, recover
from aeron_cluster.cluster.snapshots.standby_replication import StandbyReplication
from aeron_cluster.cluster.state.module_counters import ModuleCounters
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent

__all__ = ["ModuleStart", "Started"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The result of a start.

    Parameters
    ----------
    counters : ModuleCounters
    archive : AeronArchive
    standby : StandbyReplication
    recording : LogRecording
        The recording of the log.
    recovered : Recovered
    """

    counters: ModuleCounters
    archive: AeronArchive
    standby: StandbyReplication
    recording: LogRecording
    recovered: Recovered


class ModuleStart:
    """The steps of a start, and the parts of the module that exist while they run.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    agent : ModuleAgent
    recording_log : RecordingLog
    services : ServiceLink
    on_signal : callable
        ``on_signal(signal)`` handles a signal of the archive, except those of standby snapshots.
    on_counters : callable
        ``on_counters(counters)`` is called once the driver has added them.

    Attributes
    ----------
    counters : ModuleCounters or None
        None until the driver has added them.
    archive : AeronArchive or None
        None until it is connected.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        agent: ModuleAgent,
        recording_log: RecordingLog,
        services: ServiceLink,
        on_signal: Callable[[RecordingSignalEvent], None],
        on_counters: Callable[[ModuleCounters], None],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._agent = agent
        self._recording_log = recording_log
        self._services = services
        self._on_signal = on_signal
        self._on_counters = on_counters
        self._standby: StandbyReplication | None = None
        self.counters: ModuleCounters | None = None
        self.archive: AeronArchive | None = None

    def run(self) -> Waiting[Started]:
        """Start.

        Raises
        ------
        ServiceError, SnapshotError, LogMismatchError
            As for `recover`.
        """
        context, aeron = self._context, self._aeron
        self.counters = counters = yield from ModuleCounters.add(
            context.options, context.cluster_dir, aeron
        )
        self._on_counters(counters)
        self._agent.set_counters(
            counters.commit_position,
            counters.control_toggle,
            counters.node_toggle,
            counters.max_cycle_time,
            counters.cycle_exceeded,
            context.options.cycle_threshold_ns,
            counters.leader_activity,
        )
        yield from self._services.open()
        self.archive = archive = yield from connect_archive(
            context.archive_client_context(self._forward_signal), aeron
        )
        self._agent.set_archive(archive.responses)
        self._standby = standby = StandbyReplication(context, archive, self._recording_log)
        yield from standby.run(counters.snapshot_count.increment)
        recording = LogRecording(
            context, aeron, archive, self._recording_log.find_last_term_recording_id()
        )
        recovered = yield from recover(
            context,
            aeron,
            archive,
            self._recording_log,
            recording,
            self._services,
            partial(self._agent.set_control, self._services.subscription),
        )
        return Started(
            counters=counters,
            archive=archive,
            standby=standby,
            recording=recording,
            recovered=recovered,
        )

    def _forward_signal(self, signal: RecordingSignalEvent) -> None:
        if self._standby is None or not self._standby.on_signal(signal):
            self._on_signal(signal)
