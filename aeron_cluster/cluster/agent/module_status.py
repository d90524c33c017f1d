"""The current status of a consensus module: its state, its role, its term.

Upstream: ConsensusModule.State and the fields of ConsensusModuleAgent around it. Each has one
method, which updates the counters, the native half and the sessions.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from aeron_cluster.cluster.agent.leadership import JoinedLog, LeadershipChanges
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.sessions.session_manager import SessionManager
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.events.recorder import EventRecorder

__all__ = ["ConsensusModuleState", "ModuleStatus"]


class ConsensusModuleState(IntEnum):
    """The state of the module; the values are those of its counter."""

    INIT = 0
    ACTIVE = 1
    SUSPENDED = 2
    SNAPSHOT = 3
    QUITTING = 4
    TERMINATING = 5
    CLOSED = 6


_ENDING = (ConsensusModuleState.TERMINATING, ConsensusModuleState.CLOSED)


class ModuleStatus:
    """State, role and term of a module.

    Parameters
    ----------
    counters : ModuleCounters
    agent : ModuleAgent
    sessions : SessionManager
    events : EventRecorder, optional
        The event log of the member.
    member_id : int, optional
        The member, for the event log.

    Attributes
    ----------
    state : ConsensusModuleState
    role : Role
    leadership_term_id : int
        -1 before the first term.
    leader_member_id : int
        The leader of that term, or -1 while it is unknown.
    """

    def __init__(
        self,
        counters: ModuleCounters,
        agent: ModuleAgent,
        sessions: SessionManager,
        events: EventRecorder = NO_EVENTS,
        member_id: int = NULL_VALUE,
    ) -> None:
        self._events = events
        self._member_id = member_id
        self._counters = counters
        self._agent = agent
        self._sessions = sessions
        # The states before uncommitted changes, with the positions of the changes.
        self._uncommitted: deque[tuple[int, ConsensusModuleState]] = deque()
        self.state = ConsensusModuleState.INIT
        self.role = Role.FOLLOWER
        self.leadership_term_id = NULL_VALUE
        self.leader_member_id = NULL_VALUE

    @property
    def is_active(self) -> bool:
        """Whether the module's state is active."""
        return self.state is ConsensusModuleState.ACTIVE

    @property
    def is_leader(self) -> bool:
        """Whether this member leads."""
        return self.role is Role.LEADER

    @property
    def can_read_log(self) -> bool:
        """Whether the next message of the log may be read."""
        return self.state in (ConsensusModuleState.ACTIVE, ConsensusModuleState.SUSPENDED)

    def enter(self, state: ConsensusModuleState, reason: str) -> None:
        """Change the state."""
        self._log_change(ClusterEvent.STATE_CHANGE, self.state, state, reason)
        self.state = state
        self._agent.set_state(state)
        if not self._counters.module_state.is_closed:
            self._counters.module_state.set(state)
        self._update_sessions()

    def set_role(self, role: Role) -> None:
        """Change the role."""
        self._log_change(ClusterEvent.ROLE_CHANGE, self.role, role, "")
        self.role = role
        if role is Role.LEADER:  # a leader no longer receives a log
            self._install(role=role, log_leader_index=NULL_VALUE)
        else:
            self._install(role=role)
        self._counters.node_role.set(role)

    def _log_change(self, event: ClusterEvent, old: IntEnum, new: IntEnum, reason: str) -> None:
        if new is not old:
            self._events.record(event, member_id=self._member_id, states=(old, new), reason=reason)

    def set_term(self, leadership_term_id: int) -> None:
        """Change the term."""
        self.leadership_term_id = leadership_term_id
        self._counters.leadership_term_id.set(leadership_term_id)

    def set_leader(self, member_id: int) -> None:
        """Record the leader."""
        self.leader_member_id = member_id

    def set_log_leader(self, index: int) -> None:
        """Set the member whose log is received, by its index in the list of members."""
        self._install(log_leader_index=index)

    def set_election(self, *, is_running: bool) -> None:
        """Set whether an election runs, during which no session is served."""
        self._install(is_electing=is_running)
        self._update_sessions()

    def set_recording(self, counter_id: int | None) -> None:
        """Set the counter of the recorded position, which limits commits; None: no commits."""
        self._install(recorded_counter_id=counter_id)

    def install_leader(
        self,
        progress: Sequence[tuple[int, int, int]],
        joined: JoinedLog | None = None,
        **changes: Unpack[LeadershipChanges],
    ) -> None:
        """Install a leader and its term in the native half, with the members' state.

        Parameters
        ----------
        progress : sequence of tuple of int
            By index: log position, its time, and the term of the log.
        joined : JoinedLog, optional
            For a follower.
        **changes
            Fields of the `LeadershipView`.
        """
        self._agent.install_leadership(replace(self._agent.leadership, **changes), progress, joined)

    def clear_leader(self) -> None:
        """Install a view without a leader and a log in the native half, for an election."""
        self._install(
            leader_index=NULL_VALUE,
            leadership_term_id=NULL_VALUE,
            log_reader=None,
            recorded_counter_id=None,
        )

    def _install(self, **changes: Unpack[LeadershipChanges]) -> None:
        self._agent.install_leadership(replace(self._agent.leadership, **changes))

    def _update_sessions(self) -> None:
        is_electing = self._agent.leadership.is_electing
        is_active = self.state is ConsensusModuleState.ACTIVE and not is_electing
        self._sessions.set_active(is_active)

    # ---- changes by the log ----

    def enter_with(self, state: ConsensusModuleState, log_position: int, reason: str) -> None:
        """Change the state along with an action in the log, which is not committed yet."""
        self._uncommitted.append((log_position, self.state))
        self.enter(state, reason)

    @property
    def first_uncommitted_position(self) -> int:
        """The end position of the first action that may be uncommitted."""
        return self._uncommitted[0][0] if self._uncommitted else NEVER

    def on_committed(self, position: int) -> None:
        """Drop what is committed."""
        while self._uncommitted and self._uncommitted[0][0] <= position:
            self._uncommitted.popleft()

    def restore_uncommitted(self, commit_position: int) -> None:
        """Restore the state before the first uncommitted change.

        A termination in progress is never undone.
        """
        self.on_committed(commit_position)
        if self._uncommitted and self.state not in _ENDING:
            self.enter(self._uncommitted[0][1], "rollback")
        self._uncommitted.clear()
