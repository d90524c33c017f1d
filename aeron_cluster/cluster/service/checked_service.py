"""A service whose callbacks are checked for calls that are not deterministic.

No counterpart in Aeron; for development and tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.service.clustered_service import (
    ClusteredService,
    LeadershipTerm,
    Role,
    handles_batches,
)
from aeron_cluster.memory.system.determinism import CLOCKS_AND_RANDOMNESS, DeterminismTrap

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.cluster.service.session_batch import SessionMessageBatch
    from aeron_cluster.codecs.cluster import CloseReason
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["checked"]


class _Checked(ClusteredService):
    """Delegates every callback, and checks those of the log and of snapshots.

    `on_start` may read files and start threads; `on_role_change`, `on_terminate` and
    `do_background_work` are outside the state machine, and unrestricted.
    """

    def __init__(self, service: ClusteredService) -> None:
        self._service = service
        self._trap = DeterminismTrap()
        self._cluster: Cluster | None = None

    @property
    def _position(self) -> int:
        return -1 if self._cluster is None else self._cluster.log_position

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        self._cluster = cluster
        cluster.watch = self._trap
        self._trap.begin("on_start", self._position, CLOCKS_AND_RANDOMNESS)
        try:
            self._service.on_start(cluster, snapshot_image)
        finally:
            self._trap.end()

    def on_session_open(self, session: ClientSession, timestamp: int) -> None:
        self._trap.begin("on_session_open", self._position)
        try:
            self._service.on_session_open(session, timestamp)
        finally:
            self._trap.end()

    def on_session_close(
        self, session: ClientSession, timestamp: int, close_reason: CloseReason
    ) -> None:
        self._trap.begin("on_session_close", self._position)
        try:
            self._service.on_session_close(session, timestamp, close_reason)
        finally:
            self._trap.end()

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,
    ) -> None:
        self._trap.begin("on_session_message", self._position)
        try:
            self._service.on_session_message(session, timestamp, message, header)
        finally:
            self._trap.end()

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:
        self._trap.begin("on_timer_event", self._position)
        try:
            self._service.on_timer_event(correlation_id, timestamp)
        finally:
            self._trap.end()

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        self._trap.begin("on_take_snapshot", self._position)
        try:
            self._service.on_take_snapshot(snapshot_publication)
        finally:
            self._trap.end()

    def on_new_leadership_term_event(self, term: LeadershipTerm) -> None:
        self._trap.begin("on_new_leadership_term_event", self._position)
        try:
            self._service.on_new_leadership_term_event(term)
        finally:
            self._trap.end()

    def on_role_change(self, role: Role) -> None:
        self._service.on_role_change(role)

    def on_terminate(self, cluster: Cluster) -> None:
        self._service.on_terminate(cluster)


class _CheckedWithWork(_Checked):
    """A checked service with background work, which the container detects by the method."""

    def do_background_work(self, now_ns: int) -> int:
        return self._service.do_background_work(now_ns)


class _CheckedWithBatches(_Checked):
    """A checked service that takes several messages at once."""

    def on_session_messages(self, batch: SessionMessageBatch) -> None:
        self._trap.begin("on_session_messages", self._position)
        try:
            self._service.on_session_messages(batch)
        finally:
            self._trap.end()


class _CheckedWithBoth(_CheckedWithBatches, _CheckedWithWork):
    pass


# By whether it takes batches, and whether it has background work.
_KINDS: Final = {
    (False, False): _Checked,
    (False, True): _CheckedWithWork,
    (True, False): _CheckedWithBatches,
    (True, True): _CheckedWithBoth,
}


def checked(service: ClusteredService) -> ClusteredService:
    """Wrap a service so that it raises `NondeterminismError` for nondeterministic calls.

    Parameters
    ----------
    service : ClusteredService
        A call in its callbacks to a clock, to randomness, to start a thread, or to do I/O is
        rejected, with the callback and the log position. `on_start` may start threads and do I/O.

    Notes
    -----
    For development: each callback takes about 20 us longer.
    """
    has_work = type(service).do_background_work is not ClusteredService.do_background_work
    return _KINDS[handles_batches(service), has_work](service)
