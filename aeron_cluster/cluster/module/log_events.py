"""Handle the events of a log that is being read, on a follower or in a replay.

The ``onReplay...`` methods of ConsensusModuleAgent. The leader does not read its log, since it has
already applied what it appends. Reading it must have the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.context.extension import ConsensusControlState, notify_extension
from aeron_cluster.cluster.members.optional_fields import DEFAULT_ACTION_FLAGS, action_flags
from aeron_cluster.cluster.members.time_unit import time_unit_of
from aeron_cluster.cluster.state.app_version import (
    expected_version,
    is_compatible,
    version_text,
)
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import ClusterAction
from aeron_cluster.errors import (
    LogMismatchError,
    MemberVersionError,
    UnknownMessageError,
    UserComponentError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.agent.module_timers import ModuleTimers
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.sessions.session_manager import SessionManager

__all__ = ["LogEvents"]


class LogEvents:
    """Handles the log's events, other than messages of sessions.

    Parameters
    ----------
    context : ConsensusModuleContext
    sessions : SessionManager
    status : ModuleStatus
    timers : ModuleTimers
    begin_snapshot : callable
        ``begin_snapshot(log_position, timestamp)`` takes a snapshot before reading continues.
    on_term : callable
        ``on_term(event)`` is called for each term that begins in the log.
    end_unexpectedly : callable
        ``end_unexpectedly(error)`` ends the module.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        sessions: SessionManager,
        status: ModuleStatus,
        timers: ModuleTimers,
        begin_snapshot: Callable[[int, int], None],
        on_term: Callable[[codecs.NewLeadershipTermEvent], None],
        end_unexpectedly: Callable[[Exception], NoReturn],
    ) -> None:
        self._context = context
        self._sessions = sessions
        self._status = status
        self._timers = timers
        self._begin_snapshot = begin_snapshot
        self._notify_term = on_term
        self._end_unexpectedly = end_unexpectedly

    def on_event(self, message: bytes, log_position: int) -> None:
        """Handle an event that ends at a position."""
        try:
            event = codecs.decode(message)
        except UnknownMessageError as error:
            self._context.error_handler(error)
            return
        match event:
            case codecs.SessionOpenEvent():
                self._sessions.on_replay_open(event, log_position)
            case codecs.SessionCloseEvent():
                self._sessions.on_replay_close(event)
            case codecs.TimerEvent():
                self._timers.on_replay(event.correlation_id, event.timestamp, log_position)
            case codecs.ClusterActionRequest():
                self._on_action(event)
            case codecs.NewLeadershipTermEvent():
                self._on_term(event)
            case _:
                pass

    def _on_action(self, event: codecs.ClusterActionRequest) -> None:
        status = self._status
        if event.leadership_term_id != status.leadership_term_id:
            return
        match event.action:
            case ClusterAction.SUSPEND:
                status.enter(ConsensusModuleState.SUSPENDED, "ReplayClusterAction.SUSPENDED")
            case ClusterAction.RESUME:
                status.enter(ConsensusModuleState.ACTIVE, "ReplayClusterAction.ACTIVE")
            case ClusterAction.SNAPSHOT if action_flags(event) == DEFAULT_ACTION_FLAGS:
                # Reading continues only after the snapshot.
                status.enter(ConsensusModuleState.SNAPSHOT, "ReplayClusterAction.SNAPSHOT")
                self._begin_snapshot(event.log_position, event.timestamp)
            case _:
                pass

    def _on_term(self, event: codecs.NewLeadershipTermEvent) -> None:
        context = self._context
        place = {
            "member_id": context.options.member_id,
            "leadership_term_id": event.leadership_term_id,
            "log_position": event.log_position,
        }
        validator, own = context.app_version_validator, context.app_version
        if not self._is_compatible(event.app_version):
            self._end_unexpectedly(
                MemberVersionError(
                    "incompatible version: application version of the log is"
                    f" {version_text(event.app_version)},"
                    f" expected {expected_version(validator, own)}",
                    **place,
                    remedy="run the version of the services that wrote the log on every member",
                )
            )
        time_unit = time_unit_of(event.time_unit)
        if time_unit != context.time_unit:
            self._end_unexpectedly(
                LogMismatchError(
                    f"incompatible timestamp units: the log has {time_unit!r}, expected"
                    f" {context.time_unit!r}",
                    **place,
                    remedy="give every member a cluster clock in the unit that wrote the log",
                )
            )
        self._status.set_term(event.leadership_term_id)
        self._notify_term(event)
        if context.extension is not None:
            notify_extension(
                context.error_handler,
                context.extension.on_new_leadership_term,
                ConsensusControlState(
                    leadership_term_id=event.leadership_term_id,
                    leader_member_id=event.leader_member_id,
                    log_position=event.log_position,
                ),
            )

    def _is_compatible(self, app_version: int) -> bool:
        try:
            return is_compatible(
                self._context.app_version_validator, self._context.app_version, app_version
            )
        except UserComponentError as error:
            self._end_unexpectedly(error)
