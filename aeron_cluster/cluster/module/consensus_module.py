"""The consensus module of one member, in this process.

``io.aeron.cluster.ConsensusModule``.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Self, Unpack

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.context import ClientContext
from aeron_cluster.cluster.agent.term_filter import check_promise
from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.module.module_conductor import ModuleConductor
from aeron_cluster.cluster.state.control_toggle import ControlToggle, try_toggle
from aeron_cluster.cluster.state.event_log import open_event_log
from aeron_cluster.cluster.state.mark_file import claim_directories
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import (
    IgnoredMessageError,
    SessionRejectedError,
)
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.component import Component, started
from aeron_cluster.memory.agents.guarded_handler import guarded_handler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
    from aeron_cluster.cluster.context.options import ConsensusModuleOptions
    from aeron_cluster.cluster.members.role import Role
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.module_snapshot import SessionRecord
    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["ConsensusModule"]


class ConsensusModule(Component):
    """Orders the messages of clients into the log, and advances the commit position.

    Created by `launch`, on a running driver and archive; close it, or use it in a ``with``.

    Attributes
    ----------
    context : ConsensusModuleContext
        The options.

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.
    """

    KIND = "consensus module"

    def __init__(self, context: ConsensusModuleContext) -> None:
        self.context = context
        self._wake_conductor: Callable[[], None] | None = None
        super().__init__()

    @classmethod
    def launch(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ConsensusModuleOptions],
    ) -> Self:
        """Start a consensus module.

        Parameters
        ----------
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            The keywords of ``CONSENSUS_MODULE_OPTIONS`` (``aeron_dir``, ``cluster_dir``,
            ``cluster_members``, ``ingress_channel`` and so on) and the fields of
            `ConsensusModuleContext`.

        Raises
        ------
        ConfigurationError
            An option is invalid, alone or combined with others.
        DirectoryInUseError
            An active process uses the directory.
        CorruptError, VersionError, LeadershipTermError
            A file of the directory is damaged or unsupported; nothing is overwritten.
        DriverTimeoutError
            No driver shows itself.
        """
        return started(cls(ConsensusModuleContext.of(properties=properties, **options)))

    def _open(self, stack: contextlib.ExitStack) -> None:
        context = self.context
        context.error_handler = guarded_handler(context.error_handler)
        files, directory = context.seams.files, context.cluster_dir
        self._mark_file = mark_file = claim_directories(
            stack,
            context,
            error_buffer_length=context.options.error_buffer_length,
            is_emptied=context.delete_dir_on_start,
        )
        context.events = open_event_log(stack, context, self._report)
        sync_level = context.options.file_sync_level
        recording_log = stack.enter_context(RecordingLog(files, directory, sync_level=sync_level))
        node_state = stack.enter_context(NodeState(files, directory, sync_level=sync_level))
        if sync_level > 0:
            files.sync_directory(directory)  # they may have just been created
        # A file that was just created by a killed process has no promise yet.
        has_state = context.delete_dir_on_start or (
            node_state.candidate_term.candidate_term_id != NULL_VALUE
        )
        if not has_state and mark_file.candidate_term_id != NULL_VALUE:
            # Versions without a node state file stored the promise in the mark file.
            node_state.update(mark_file.candidate_term_id, NULL_VALUE, context.epoch_ms())
        check_promise(
            node_state.path,
            node_state.candidate_term.candidate_term_id,
            recording_log,
            context.options.member_id,
        )
        self._aeron = self._connect(stack)
        self._then_report = context.error_handler
        context.error_handler = self._on_error
        self._conductor = ModuleConductor(
            context, self._aeron, recording_log, node_state, mark_file
        )
        agent = self._conductor.agent
        self._wake_conductor = lambda: agent.set_next(0, is_busy=True)

    def _connect(self, stack: contextlib.ExitStack) -> Aeron:
        context = self.context
        if context.aeron is not None:
            return context.aeron
        options = context.options
        aeron = Aeron(
            ClientContext.of(
                aeron_dir=options.aeron_dir,
                seams=context.seams,
                use_conductor_invoker=True,
                driver_invoker=context.driver_invoker,
                client_name=context.agent_role_name,
                error_handler=self._report,
                close_handler=self._on_client_closed,
                unavailable_counter_handler=self._on_unavailable_counter,
                unavailable_image_handler=self._on_unavailable_image,
            )
        )
        stack.callback(aeron.close)
        return aeron

    def _on_client_closed(self) -> None:
        # The conductor, if it exists already, checks this and ends.
        if self._wake_conductor is not None:
            self._wake_conductor()

    def _report(self, error: Exception) -> None:
        if self._wake_conductor is None:
            self.context.error_handler(error)
        else:
            self._conductor.on_client_error(error)

    def _on_unavailable_counter(self, _: object, registration_id: int, __: int) -> None:
        self._conductor.on_unavailable_counter(registration_id)

    def _on_unavailable_image(self, _: object) -> None:
        # It may be the archive's; an idle module would not check it for a long time.
        if self._wake_conductor is not None:
            self._wake_conductor()

    def _on_error(self, error: Exception) -> None:
        self._mark_file.record_or_report(error, self.context.epoch_ms(), self._then_report)
        if not isinstance(error, (SessionRejectedError, IgnoredMessageError)):
            self._conductor.count_error()
            self._then_report(error)

    # ---- driving ----

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of a duty cycle: the client's conductor, ingress, commit.

        For a module with ``threading_mode="INVOKER"``, driven by the user among other agents: the
        recorder of the log belongs between the last two.
        """
        return (self._aeron.conductor_agent, self._conductor.agent, self._conductor.commit_agent)

    @property
    def threading_mode(self) -> str:
        """``"SHARED"`` (a thread of its own), or ``"INVOKER"`` (its user drives its agents)."""
        return self.context.threading_mode

    def _make_runners(self) -> Iterable[AgentRunner]:
        return self._one_runner(self.context.options.idle_strategy, self.context.agent_role_name)

    # ---- what it is ----

    @property
    def state(self) -> ConsensusModuleState:
        """The state of the module."""
        return self._conductor.state

    @property
    def role(self) -> Role:
        """The role of this member."""
        return self._conductor.role

    @property
    def is_leading(self) -> bool:
        """Whether this member leads and serves clients: no election runs."""
        return self._conductor.is_leading

    @property
    def leader_member_id(self) -> int:
        """The member id of the leader known to this member; -1 if unknown."""
        return self._conductor.leader_member_id

    @property
    def counters(self) -> ModuleCounters | None:
        """The module's counters; None until the driver has added them."""
        return self._conductor.counters

    @property
    def ignored(self) -> dict[str, int]:
        """The numbers of dropped messages of clients and services, by kind.

        Upstream drops them silently: messages of an earlier term, or of a closed session, are
        normal in a failover. The first of each kind is recorded in the error log.
        """
        return self._conductor.agent.ignored

    @property
    def timers(self) -> dict[int, int] | None:
        """The deadline of each pending timer, by its id; None until they are loaded."""
        return self._conductor.timers

    @property
    def sessions(self) -> list[SessionRecord] | None:
        """The clients' sessions, open or closing, by id; None until they are loaded."""
        return self._conductor.sessions

    @property
    def next_session_id(self) -> int | None:
        """The id of the next session after committed ones; None until sessions are loaded."""
        return self._conductor.next_session_id

    def try_toggle(self, request: ControlToggle) -> bool:
        """Request an action of the cluster, as its tools do.

        Parameters
        ----------
        request : ControlToggle
            ``SNAPSHOT``, ``SUSPEND`` and so on; only the leader handles it.

        Returns
        -------
        bool
            False if another request is pending, or none is possible.
        """
        counters = self._conductor.counters
        return counters is not None and try_toggle(counters.control_toggle, request)

    def __repr__(self) -> str:
        options = self.context.options
        return (
            f"<ConsensusModule cluster {options.cluster_id} member {options.member_id}"
            f" {self.state.name}>"
        )

    def _end(self) -> None:
        self._conductor.close()
