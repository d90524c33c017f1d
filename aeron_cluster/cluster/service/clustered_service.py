"""The interface of a service: a state machine driven by the cluster's log.

``io.aeron.cluster.service.ClusteredService``, and ``Cluster.Role``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.members.time_unit import time_unit_of

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.cluster.service.session_batch import SessionMessageBatch
    from aeron_cluster.codecs.cluster import CloseReason, ClusterTimeUnit, NewLeadershipTermEvent
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["ClusteredService", "LeadershipTerm", "Role", "handles_batches", "misspelled_callbacks"]

# The similarity of a misspelled name to the intended one: on_sesion_message, onSessionMessage.
_MIN_SIMILARITY: Final = 0.84


@dataclass(frozen=True, slots=True)
class LeadershipTerm:
    """The beginning of a leadership term.

    Parameters
    ----------
    leadership_term_id : int
    log_position : int
        The log position after this event, in bytes.
    timestamp : int
        The cluster's time, in `time_unit`.
    term_base_log_position : int
        The log position at which the term begins.
    leader_member_id, log_session_id : int
        The leader, and the session id of its log.
    time_unit : ClusterTimeUnit
        The unit of all timestamps from now on.
    app_version : int
        The application version of the consensus module, as ``major << 16 | minor << 8 | patch``.
    """

    leadership_term_id: int
    log_position: int
    timestamp: int
    term_base_log_position: int
    leader_member_id: int
    log_session_id: int
    time_unit: ClusterTimeUnit
    app_version: int

    @classmethod
    def of(cls, event: NewLeadershipTermEvent) -> Self:
        """Create it from an event of the log."""
        return cls(
            event.leadership_term_id,
            event.log_position,
            event.timestamp,
            event.term_base_log_position,
            event.leader_member_id,
            event.log_session_id,
            time_unit_of(event.time_unit),
            event.app_version,
        )


class ClusteredService:
    """Override the callbacks that you need; by default they do nothing.

    Notes
    -----
    Every member runs the same callbacks over the same log, so all of them reach the same state,
    provided that nothing else affects it: take time from `Cluster.time`, never from a clock, and
    keep threads, random numbers and addresses out of the state.

    Callbacks are made on one thread, one at a time. A callback that waits loops around
    `Cluster.idle`. An exception is recorded in the error log with its traceback, the log position
    and the session; the message counts as consumed, and the next one follows, unless the container
    is configured to end (``on_callback_error="terminate"``). `AgentTerminationError` always ends
    it.

    Offers, timers and closing of sessions are only allowed in callbacks for events of the log:
    `on_session_open`, `on_session_close`, `on_session_message` or `on_session_messages`,
    `on_timer_event` and `on_new_leadership_term_event`. `on_start`, `on_role_change`,
    `on_terminate` and `do_background_work` may not make them, since they do not happen at the same
    position of the log on every member.
    """

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Start the service: called once, before all other callbacks.

        Parameters
        ----------
        cluster : Cluster
            The cluster; to be stored, since all calls of the service go through it.
        snapshot_image : Image or None
            The messages that `on_take_snapshot` wrote for the last snapshot, to be polled to the
            end; None without a snapshot. The sessions of the snapshot are already open.
        """

    def on_session_open(self, session: ClientSession, timestamp: int) -> None:
        """Handle the opening of a client's session.

        Parameters
        ----------
        session : ClientSession
            The session; it may be retained while it is open.
        timestamp : int
            The cluster's time, in `Cluster.time_unit`.
        """

    def on_session_close(
        self, session: ClientSession, timestamp: int, close_reason: CloseReason
    ) -> None:
        """Handle the closing of a session; nothing can be sent to it from now on."""

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,
    ) -> None:
        """Handle a message of the log.

        Parameters
        ----------
        session : ClientSession or None
            The sending session; None for a message that a service offered to the cluster.
        timestamp : int
            The cluster's time at which it was logged, in `Cluster.time_unit`.
        message : MessageView
            The payload in place: valid during the call; ``bytes(message)`` keeps a copy.
        header : Header
            The header of the message in the log; `Cluster.log_position` is its position too.
        """

    def on_session_messages(self, batch: SessionMessageBatch) -> None:
        """Handle messages that follow each other in the log, in place of `on_session_message`.

        A service that overrides it gets no calls of `on_session_message`.

        Parameters
        ----------
        batch : SessionMessageBatch
            The messages, valid during the call: their headers as columns of a NumPy array, their
            payloads in place. Any other event of the log ends a batch, and so does a message of
            several fragments, which is a batch of its own.

        Notes
        -----
        Batches end at different messages on each member, and again at others when the log is
        replayed: the state after a message, and what is sent for it, may not depend on them. To
        send or to schedule, move to a message, by a loop over the batch or by `batch.at`. What is
        raised always ends the container: the rest of the batch was not applied.
        """

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:
        """Handle a timer that fired, including those of other services of the node."""

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write everything that `on_start` needs to restore the state.

        Parameters
        ----------
        snapshot_publication : ExclusivePublication
            The stream to offer to, in loops around `Cluster.idle`; the archive records it.
        """

    def on_role_change(self, role: Role) -> None:
        """Handle a change of role: not an event of the log, so its position differs by member."""

    def on_terminate(self, cluster: Cluster) -> None:
        """Handle the end of the container; nothing can be sent from now on."""

    def on_new_leadership_term_event(self, term: LeadershipTerm) -> None:
        """Handle a new leadership term."""

    def do_background_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do work outside the state machine, such as serving a connection to another system.

        Parameters
        ----------
        now_ns : int
            Monotonic time in ns, unrelated to the cluster's time.

        Returns
        -------
        int
            The work count; 0 if nothing was done.

        Notes
        -----
        A service that overrides it is called in every duty cycle, with the GIL. It must not block.
        """
        return 0


def handles_batches(service: object) -> bool:
    """Return whether a service overrides `ClusteredService.on_session_messages`."""
    default = ClusteredService.on_session_messages
    return getattr(type(service), "on_session_messages", default) is not default


def misspelled_callbacks(kind: type) -> dict[str, str]:
    """Return the methods of a service that look like misspelled callbacks.

    Parameters
    ----------
    kind : type
        The service's class.

    Returns
    -------
    dict
        The nearest callback, by the name of the method.
    """
    callbacks = {_normalized(name): name for name in vars(ClusteredService) if name[0] != "_"}
    found: dict[str, str] = {}
    for name in dir(kind):
        if name[0] == "_" or hasattr(ClusteredService, name) or not callable(getattr(kind, name)):
            continue
        if near := difflib.get_close_matches(_normalized(name), callbacks, 1, _MIN_SIMILARITY):
            found[name] = callbacks[near[0]]
    return found


def _normalized(name: str) -> str:
    return name.replace("_", "").lower()
