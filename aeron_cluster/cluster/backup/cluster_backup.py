"""A backup of a cluster: its committed log and its snapshots.

``io.aeron.cluster.ClusterBackup``. A node started on its directories continues from the backed-up
state.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Self, Unpack

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.context import ClientContext
from aeron_cluster.cluster.backup.agent import BackupAgent
from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.cluster.state.event_log import open_event_log
from aeron_cluster.cluster.state.mark_file import claim_directories
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.agents.agent import PythonAgent
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.component import Component, started
from aeron_cluster.memory.agents.guarded_handler import guarded_handler

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aeron_cluster.cluster.backup.counters import BackupState
    from aeron_cluster.cluster.backup.options import BackupOptions
    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["ClusterBackup"]

_SYNC_LEVEL = 2


class ClusterBackup(Component):
    """Maintains a copy of the data that a cluster needs to recover.

    Created by `launch`, on a running driver and archive; close it, or use it in a ``with``.

    Attributes
    ----------
    context : BackupContext
        The options.

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.
    """

    KIND = "cluster backup"

    def __init__(self, context: BackupContext) -> None:
        self.context = context
        super().__init__()

    @classmethod
    def launch(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[BackupOptions]
    ) -> Self:
        """Start a backup.

        Parameters
        ----------
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            The keywords of ``BACKUP_OPTIONS`` (``aeron_dir``, ``cluster_dir``,
            ``consensus_endpoints``, ``consensus_channel``, ``backup_catchup_endpoint`` and so on)
            and the fields of `BackupContext`.

        Raises
        ------
        ConfigurationError
            An option is invalid, alone or combined with others.
        DirectoryInUseError
            An active process uses the directory.
        CorruptError, VersionError
            A file of the directory is damaged or unsupported; nothing is overwritten.
        DriverTimeoutError
            No active driver was found.
        """
        return started(cls(BackupContext.of(properties=properties, **options)))

    def _open(self, stack: contextlib.ExitStack) -> None:
        # As a consensus module, with fewer files, other sync levels and its own client.
        context = self.context
        context.error_handler = guarded_handler(context.error_handler)
        files, directory = context.seams.files, context.cluster_dir
        self._mark_file = mark_file = claim_directories(
            stack,
            context,
            error_buffer_length=context.options.error_buffer_length,
            is_emptied=context.delete_dir_on_start,
        )
        context.events = open_event_log(stack, context, self._report, name="backup")
        recording_log = stack.enter_context(RecordingLog(files, directory, sync_level=_SYNC_LEVEL))
        files.sync_directory(directory)
        self._aeron = context.aeron or Aeron(
            ClientContext.of(
                aeron_dir=context.options.aeron_dir,
                seams=context.seams,
                use_conductor_invoker=True,
                driver_invoker=context.driver_invoker,
                client_name="cluster-backup",
                error_handler=self._report,
            )
        )
        stack.callback(self._aeron.close)
        self._then_report = context.error_handler
        context.error_handler = self._on_error
        self._backup = BackupAgent(
            context,
            self._aeron,
            recording_log,
            mark_file.activity_stamp.update,
            mark_file.signal_ready,
        )
        stack.callback(self._backup.close)
        self._agent = PythonAgent(self._backup)

    def _report(self, error: Exception) -> None:
        self.context.error_handler(error)

    def _on_error(self, error: Exception) -> None:
        self._mark_file.record_or_report(error, self.context.epoch_ms(), self._then_report)
        errors = self._backup.errors
        if errors is not None and not errors.is_closed:
            errors.increment()
        self._then_report(error)

    # ---- driving ----

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of a duty cycle: the client's conductor, the backup."""
        return (self._aeron.conductor_agent, self._agent)

    @property
    def threading_mode(self) -> str:
        """``"SHARED"`` (a thread of its own), or ``"INVOKER"`` (its user drives its agents)."""
        return self.context.threading_mode

    def _make_runners(self) -> Iterable[AgentRunner]:
        return self._one_runner(self.context.options.idle_strategy, "cluster-backup")

    # ---- what it is ----

    @property
    def state(self) -> BackupState:
        """The state of the backup."""
        return self._backup.state

    @property
    def live_log_position(self) -> int:
        """The recorded position of the log, in bytes; -1 if unknown."""
        return self._backup.live_log_position

    @property
    def failure(self) -> BaseException | None:
        """The error that ended its thread unexpectedly, or None."""
        reasons = (runner.failure or runner.termination for runner in self._runners)
        return next(reasons, None)

    def __repr__(self) -> str:
        return f"<ClusterBackup {self.state.name} at {self.live_log_position}>"
