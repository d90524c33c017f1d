"""Apply each request of a surviving client once, even if it was sent repeatedly.

No counterpart in Aeron. The client is
``aeron_cluster.cluster_client.surviving_client``; the envelope is described in
``include/aeron_cluster/requests.h``.
"""

from __future__ import annotations

import struct
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.members.time_unit import NS_PER_UNIT
from aeron_cluster.codecs.request_envelope import (
    ENVELOPE_LENGTH,
    OPENED_BODY,
    Envelope,
    EnvelopeKind,
    FailureCause,
    is_envelope,
)
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    CorruptError,
    LostRequestsError,
    RejectedRequestError,
    StateError,
    VersionError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.logbuffer.message_view import MessageView

__all__ = ["Deduplication", "NotAccepted", "Request"]

_S: Final = 1_000_000_000
_SEND_ATTEMPTS: Final = 3
_EVICTIONS_AT_ONCE: Final = 4
# Fits any snapshot stream: terms of 64 KiB allow messages of 8 KiB.
_CHUNK_LENGTH: Final = 4096
_NO_SESSION: Final = -1
# In a record of an answer, its cause is above its kind; snapshots of earlier versions have none.
_CAUSE_SHIFT: Final = 16
_ANSWERS: Final = {
    kind | cause << _CAUSE_SHIFT: (kind, cause)
    for kind, cause in (
        (EnvelopeKind.ANSWER, FailureCause.UNKNOWN),
        *((EnvelopeKind.FAILURE, cause) for cause in FailureCause),
    )
}
_CLIENT_BODY: Final = struct.Struct("<qq")  # last activity, session


@dataclass(frozen=True, slots=True)
class Request:
    """A request to be applied, exactly once.

    Parameters
    ----------
    client_id : int
    sequence : int
        The number of the request, counted from 1 for each client.
    payload : bytes
        The payload that the client sent.
    timestamp : int
        The cluster's time at which it was logged, in ``Cluster.time_unit``.
    cluster_session_id : int
        The session that sent it.
    incarnation : int
        The process of the client that sent it. A late answer is dropped if it is of another one:
        a client that was forgotten may have begun again with the same sequences. 0: not checked.
    """

    client_id: int
    sequence: int
    payload: bytes
    timestamp: int
    cluster_session_id: int
    incarnation: int = 0


class NotAccepted(Enum):
    """The reason for not applying a message; false, like `NotSent`."""

    FOREIGN = 0
    """It has no envelope: a message of a plain client, for the service to handle."""
    HANDLED = 1
    """A duplicate, an opening or forget request, or an invalid message: its sender was notified."""
    REJECTED = 2
    """Not applicable: an envelope of another version, or of a type that clients do not send."""

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(slots=True)
class _Client:
    """The entry of one client."""

    client_id: int
    incarnation: int
    last_sequence: int = 0
    acknowledged: int = 0
    activity: int = 0  # cluster time
    cluster_session_id: int = _NO_SESSION
    answers: dict[int, tuple[EnvelopeKind, FailureCause, bytes]] = field(default_factory=dict)
    is_loss_reported: bool = False  # not part of the state


class Deduplication:
    """The table of a service's surviving clients, and their last answers.

    Parameters
    ----------
    cluster : Cluster
        The `Cluster` passed to `ClusteredService.on_start`.
    max_clients : int
        The size of the table. A new client replaces one whose session is closed and that was
        inactive for `idle_timeout_ns`; without such a client, the new one is notified that the
        table is full.
    window_length : int
        The highest number of unacknowledged requests of a client, whose answers are retained.
    idle_timeout_ns : int
        How long an inactive client without a session is retained, in cluster time.

    Attributes
    ----------
    duplicates, rejected, foreign, unsent, lost : int
        Counts of duplicates; of rejected requests; of messages without an envelope; of answers that
        could not be sent, which the clients will request again; and of requests that were answered
        before and are missing in this member's state, as after damage of its log or a snapshot: if
        above 0, the member is to be restored, and the first loss of each client is reported as a
        `LostRequestsError`. Counted since this process began, on this member: not part of the
        state.

    Notes
    -----
    The table belongs to the service's state: every member must use the same options, pass the log's
    messages in order, and call `write_snapshot` and `load`. Call it from the service's callbacks
    only.

    Examples
    --------
    >>> class Shout(ClusteredService):  # doctest: +SKIP
    ...     def on_start(self, cluster, snapshot_image):
    ...         self.requests = Deduplication(cluster)
    ...         if snapshot_image is not None:
    ...             self.requests.load_all(snapshot_image)
    ...
    ...     def on_session_message(self, session, timestamp, message, header):
    ...         self.requests.handle(session, timestamp, message, self.shout)
    ...
    ...     def shout(self, request):
    ...         return request.payload.upper()
    ...
    ...     def on_take_snapshot(self, snapshot_publication):
    ...         self.requests.write_snapshot(snapshot_publication)
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        max_clients: int = 1000,
        window_length: int = 256,
        idle_timeout_ns: int = 3600 * _S,
    ) -> None:
        for name, value in (
            ("max_clients", max_clients),
            ("window_length", window_length),
            ("idle_timeout_ns", idle_timeout_ns),
        ):
            if value <= 0:
                raise ConfigurationError(name, "above 0", value)
        self.duplicates = 0
        self.rejected = 0
        self.foreign = 0
        self.unsent = 0
        self.lost = 0
        self._cluster = cluster
        self._max_clients = max_clients
        self._window_length = window_length
        self._idle_timeout_ns = idle_timeout_ns
        # The longest inactive client is first.
        self._clients: OrderedDict[int, _Client] = OrderedDict()
        self._loading = _Loading()

    def __repr__(self) -> str:
        return f"<Deduplication {len(self._clients)} of {self._max_clients} clients>"

    def __len__(self) -> int:
        return len(self._clients)

    @staticmethod
    def is_request(message: Buffer) -> bool:
        """Return whether a message is from a surviving client, for `accept` or `handle`."""
        return is_envelope(message)

    def last_sequence(self, client_id: int) -> int | None:
        """Return the last applied request of a client; None for an unknown client."""
        client = self._clients.get(client_id)
        return None if client is None else client.last_sequence

    # ---- requests ----

    def handle(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        apply: Callable[[Request], Buffer | None],
    ) -> Literal[True] | NotAccepted:
        """Apply a request if it is due, and answer it.

        Parameters
        ----------
        session, timestamp, message
            The arguments of `ClusteredService.on_session_message`.
        apply : callable
            Called with the `Request`, once; its result is the answer, None for an empty one. The
            text of a `RejectedRequestError` is sent to the client. Other exceptions propagate to
            the caller, after their type was sent to the client, except an `AgentTerminationError`,
            such as of `Cluster.idle` or of an offer without a module: this container ends, and the
            client gets its answer from another member, or when this one has started again. In any
            case the request counts as applied.

        Returns
        -------
        bool or NotAccepted
            True if it was applied; otherwise the reason, which is false.

        Notes
        -----
        The content of a message never causes an exception: clients may send anything, and every
        member would fail on it, again in each replay of the log.
        """
        request = self.accept(session, timestamp, message)
        if isinstance(request, NotAccepted):
            return request
        try:
            body = apply(request)
        except RejectedRequestError as error:
            self.reject(request, str(error))
            return True
        except (KeyboardInterrupt, AgentTerminationError):
            raise  # it ends this process: the request itself did not fail
        except BaseException as error:
            # Its text may contain memory addresses, which differ between members.
            self.fail(request, type(error).__name__)
            raise
        self.answer(request, b"" if body is None else body)
        return True

    def accept(
        self, session: ClientSession | None, timestamp: int, message: MessageView
    ) -> Request | NotAccepted:
        """Return the request in a message if it is due; each one is returned once.

        The caller applies it, and calls `answer`, `reject` or `fail` eventually. Otherwise as
        `handle`.
        """
        if not is_envelope(message):
            self.foreign += 1
            return NotAccepted.FOREIGN
        try:
            envelope = Envelope.decode(message)
        except VersionError:
            envelope = None
        if envelope is None or session is None:
            return self._reject()
        match envelope.kind:
            case EnvelopeKind.REQUEST:
                return self._accept(session, timestamp, envelope, message)
            case EnvelopeKind.OPEN:
                self._open(session, timestamp, envelope)
            case EnvelopeKind.FORGET:
                self._forget(envelope)
            case _:
                return self._reject()
        return NotAccepted.HANDLED

    def _skip_lost(self, session: ClientSession, client: _Client, envelope: Envelope) -> None:
        """Skip requests that were answered to the client and that this member never applied."""
        self._reply(session, EnvelopeKind.UNKNOWN_CLIENT, envelope, client.last_sequence)
        self._count_lost(client, envelope.acknowledged)
        self._drop_answers(client, client.last_sequence)
        client.last_sequence = client.acknowledged = envelope.acknowledged

    def _count_lost(self, client: _Client, answered: int) -> None:
        self.lost += answered - client.last_sequence
        self._report_loss(client, answered)

    def _report_loss(self, client: _Client, answered: int) -> None:
        """Report the first loss of a client to the operator."""
        if client.is_loss_reported:
            return
        client.is_loss_reported = True
        cluster = self._cluster
        cluster.report(
            LostRequestsError(
                client.client_id,
                client.last_sequence + 1,
                answered,
                service_id=cluster.service_id,
                member_id=cluster.member_id,
                leadership_term_id=cluster.leadership_term_id,
                log_position=cluster.log_position,
            )
        )

    def _reject(self) -> NotAccepted:
        self.rejected += 1
        return NotAccepted.REJECTED

    def answer(self, request: Request, body: Buffer = b"") -> None:
        """Send the answer to a request, and retain it until the client has acknowledged it.

        Notes
        -----
        It may be called in a later callback; the answer is sent to the session that the client has
        at that time.
        """
        self._conclude(request, EnvelopeKind.ANSWER, FailureCause.UNKNOWN, bytes(body))

    def reject(self, request: Request, reason: str) -> None:
        """Notify the client that its request is rejected; `reason` is the same on every member."""
        self._conclude(request, EnvelopeKind.FAILURE, FailureCause.REJECTED, reason.encode())

    def fail(self, request: Request, reason: str) -> None:
        """Notify the client that its request could not be handled, by an error of the service.

        `reason` is the same on every member.
        """
        self._conclude(request, EnvelopeKind.FAILURE, FailureCause.FAILED, reason.encode())

    def _conclude(
        self, request: Request, kind: EnvelopeKind, cause: FailureCause, body: bytes
    ) -> None:
        client = self._clients.get(request.client_id)
        if client is None or not client.acknowledged < request.sequence <= client.last_sequence:
            return  # forgotten, or restarted, meanwhile
        if request.incarnation not in (0, client.incarnation):
            return  # forgotten, and known again, meanwhile
        if request.sequence in client.answers:
            raise StateError(
                f"request {request.sequence} of client {request.client_id} was answered before"
            )
        client.answers[request.sequence] = (kind, cause, body)
        self._send_answer(client, request.sequence)

    def _accept(
        self, session: ClientSession, timestamp: int, envelope: Envelope, message: MessageView
    ) -> Request | NotAccepted:
        sequence = envelope.sequence
        client = self._clients.get(envelope.client_id)
        if client is None or envelope.incarnation > client.incarnation:
            self.rejected += 1
            self._reply(session, EnvelopeKind.UNKNOWN_CLIENT, envelope, 0)
            return NotAccepted.HANDLED
        if envelope.incarnation < client.incarnation:
            self.rejected += 1
            self._reply(session, EnvelopeKind.SUPERSEDED, envelope, client.last_sequence)
            return NotAccepted.HANDLED
        if not 0 <= envelope.acknowledged < sequence:
            return self._reject()
        self._touch(client, timestamp, session.id)
        if envelope.acknowledged > client.last_sequence:
            self._skip_lost(session, client, envelope)
        self._drop_answers(client, envelope.acknowledged)
        if sequence <= client.last_sequence:
            self.duplicates += 1
            if sequence in client.answers:
                self._send_answer(client, sequence)
            elif sequence > client.acknowledged:
                self._reply(session, EnvelopeKind.PENDING, envelope, sequence)
            return NotAccepted.HANDLED
        is_within_window = sequence - client.acknowledged <= self._window_length
        if sequence != client.last_sequence + 1 or not is_within_window:
            self.rejected += 1
            self._reply(session, EnvelopeKind.GAP, envelope, client.last_sequence)
            return NotAccepted.HANDLED
        client.last_sequence = sequence
        payload = message[ENVELOPE_LENGTH:]
        return Request(
            client.client_id, sequence, payload, timestamp, session.id, client.incarnation
        )

    def _open(self, session: ClientSession, timestamp: int, envelope: Envelope) -> None:
        client = self._clients.get(envelope.client_id)
        if client is None:
            if envelope.sequence > 0:
                self._reply(session, EnvelopeKind.UNKNOWN_CLIENT, envelope, 0)
                return
            if not self._has_room(timestamp):
                self.rejected += 1
                self._reply(session, EnvelopeKind.NO_ROOM, envelope, 0)
                return
            client = _Client(envelope.client_id, envelope.incarnation)
            self._clients[client.client_id] = client
        elif envelope.incarnation < client.incarnation:
            self._reply(session, EnvelopeKind.SUPERSEDED, envelope, client.last_sequence)
            return
        elif client.last_sequence < envelope.sequence:
            self._report_loss(client, envelope.sequence)
            self._reply(session, EnvelopeKind.UNKNOWN_CLIENT, envelope, client.last_sequence)
            return
        elif envelope.incarnation > client.incarnation:
            # A new process: the answers of the earlier one are not needed.
            client.incarnation = envelope.incarnation
            self._drop_answers(client, client.last_sequence)
        self._touch(client, timestamp, session.id)
        body = OPENED_BODY.pack(self._window_length, self._cluster.max_payload_length)
        self._reply(session, EnvelopeKind.OPENED, envelope, client.last_sequence, body)

    def _forget(self, envelope: Envelope) -> None:
        client = self._clients.get(envelope.client_id)
        if client is not None and client.incarnation == envelope.incarnation:
            if envelope.acknowledged > client.last_sequence:
                self._count_lost(client, envelope.acknowledged)
            del self._clients[envelope.client_id]

    def _touch(self, client: _Client, timestamp: int, cluster_session_id: int) -> None:
        client.activity = timestamp
        client.cluster_session_id = cluster_session_id
        self._clients.move_to_end(client.client_id)

    @staticmethod
    def _drop_answers(client: _Client, acknowledged: int) -> None:
        end = min(acknowledged, client.last_sequence)
        for sequence in range(client.acknowledged + 1, end + 1):
            client.answers.pop(sequence, None)
        client.acknowledged = max(client.acknowledged, end)

    def _has_room(self, timestamp: int) -> bool:
        """Make room for one more client if needed, a few steps at a time."""
        timeout = self._idle_timeout_ns // NS_PER_UNIT[self._cluster.time_unit]
        for _ in range(_EVICTIONS_AT_ONCE):
            if len(self._clients) < self._max_clients:
                return True
            oldest = next(iter(self._clients.values()))
            if oldest.activity + timeout > timestamp:
                return False
            if self._cluster.get_client_session(oldest.cluster_session_id) is None:
                del self._clients[oldest.client_id]
            else:
                self._touch(oldest, timestamp, oldest.cluster_session_id)
        return len(self._clients) < self._max_clients

    # ---- answers ----

    def _send_answer(self, client: _Client, sequence: int) -> None:
        kind, cause, body = client.answers[sequence]
        session = self._cluster.get_client_session(client.cluster_session_id)
        if session is not None:
            envelope = Envelope(kind, client.client_id, client.incarnation, sequence, cause)
            self._send(session, envelope.encode(body))

    def _reply(
        self,
        session: ClientSession,
        kind: EnvelopeKind,
        request: Envelope,
        sequence: int,
        body: bytes = b"",
    ) -> None:
        envelope = Envelope(kind, request.client_id, request.incarnation, sequence)
        self._send(session, envelope.encode(body))

    def _send(self, session: ClientSession, message: bytes) -> None:
        """Send to a client, without waiting for a slow one: it will send its request again."""
        for _ in range(_SEND_ATTEMPTS):
            # Also if its close was requested: a new leader, or a member started from a snapshot,
            # does not know that, and all members must have the same effects.
            result = session.offer(message)
            if result > 0:
                return
            if result == NotSent.NOT_CONNECTED:
                break
            self._cluster.idle()
        self.unsent += 1

    # ---- snapshots ----

    def write_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the table, between other messages of the service's snapshot or alone."""
        checksum = count = 0
        for record in self._records():
            checksum = zlib.crc32(record, checksum)
            count += 1
            self._write(snapshot_publication, record)
        end = Envelope(EnvelopeKind.SNAPSHOT_END, count, checksum, len(self._clients))
        self._write(snapshot_publication, end.encode())

    def _records(self) -> Iterator[bytes]:
        for client in self._clients.values():
            head = Envelope(
                EnvelopeKind.SNAPSHOT_CLIENT,
                client.client_id,
                client.incarnation,
                client.last_sequence,
                client.acknowledged,
            )
            yield head.encode(_CLIENT_BODY.pack(client.activity, client.cluster_session_id))
            for sequence, (kind, cause, body) in sorted(client.answers.items()):
                part = Envelope(
                    EnvelopeKind.SNAPSHOT_ANSWER,
                    client.client_id,
                    kind | cause << _CAUSE_SHIFT,
                    sequence,
                    len(body),
                )
                for offset in range(0, len(body) or 1, _CHUNK_LENGTH):
                    yield part.encode(body[offset : offset + _CHUNK_LENGTH])

    def _write(self, publication: ExclusivePublication, record: bytes) -> None:
        while not publication.offer(record):
            self._cluster.idle()

    def load_all(self, snapshot_image: Image) -> None:
        """Read a snapshot that contains only the table.

        Raises
        ------
        CorruptError
            It was not written by `write_snapshot`, or is incomplete.
        """

        def on_message(message: MessageView, _: object) -> None:
            if not self.load(message):
                raise CorruptError("snapshot", 0, "message", "of the table", bytes(message[:8]))

        assembler = FragmentAssembler(on_message)
        while not snapshot_image.is_end_of_stream:
            if snapshot_image.is_closed:
                break
            self._cluster.idle(snapshot_image.poll(assembler, 10))
        self.check_loaded()

    def load(self, message: Buffer) -> bool:
        """Read a message of a snapshot if `write_snapshot` wrote it.

        Parameters
        ----------
        message : bytes-like
            A complete message, in the order of writing.

        Returns
        -------
        bool
            Whether it was read; if not, it is the service's own.

        Raises
        ------
        CorruptError
            It is inconsistent with the messages before it.
        """
        envelope = Envelope.decode(message)
        if envelope is None:
            return False
        body = bytes(memoryview(message)[ENVELOPE_LENGTH:])
        loading = self._loading
        match envelope.kind:
            case EnvelopeKind.SNAPSHOT_CLIENT:
                loading.check(len(body) == _CLIENT_BODY.size, "client", "of its length")
                loading.check(
                    0 <= envelope.acknowledged <= envelope.sequence, "client", "with a last request"
                )
                loading.check(envelope.client_id not in self._clients, "client", "a new one")
                client = _Client(
                    envelope.client_id,
                    envelope.incarnation,
                    envelope.sequence,
                    envelope.acknowledged,
                    *_CLIENT_BODY.unpack(body),
                )
                loading.check(not loading.is_done, "client", "none after the end")
                self._clients[client.client_id] = client
            case EnvelopeKind.SNAPSHOT_ANSWER:
                found = self._clients.get(envelope.client_id)
                loading.check(found is not None, "answer", "of a client before it")
                assert found is not None
                self._load_answer(found, envelope, body)
            case EnvelopeKind.SNAPSHOT_END:
                # These fields of the last envelope hold the totals of `write_snapshot`.
                count, checksum = envelope.client_id, envelope.incarnation
                client_count = envelope.sequence
                loading.check(count == loading.count, "records", count)
                loading.check(checksum == loading.checksum, "checksum", loading.checksum)
                loading.check(client_count == len(self._clients), "clients", client_count)
                loading.is_done = True
            case _:
                loading.check(False, "kind", "one of a snapshot")
        loading.count += 1
        loading.checksum = zlib.crc32(message, loading.checksum)
        return True

    def _load_answer(self, client: _Client, envelope: Envelope, body: bytes) -> None:
        loading = self._loading
        sequence = envelope.sequence
        # These fields hold what `_records` wrote into them.
        kind_and_cause, length = envelope.incarnation, envelope.acknowledged
        is_unacknowledged = client.acknowledged < sequence <= client.last_sequence
        loading.check(
            is_unacknowledged and sequence not in client.answers, "answer", "an unacknowledged one"
        )
        loading.check(kind_and_cause in _ANSWERS, "answer", "one of a known kind")
        loading.body += body
        loading.check(len(loading.body) <= length, "answer", length)
        if len(loading.body) == length:
            client.answers[sequence] = (*_ANSWERS[kind_and_cause], bytes(loading.body))
            loading.body.clear()

    def check_loaded(self) -> None:
        """Check that the table of a snapshot was complete.

        Raises
        ------
        CorruptError
            It was not complete.
        """
        self._loading.check(self._loading.is_done, "table", "a complete one")


@dataclass(slots=True)
class _Loading:
    """The progress of reading the table of a snapshot."""

    count: int = 0
    checksum: int = 0
    body: bytearray = field(default_factory=bytearray)
    is_done: bool = False

    def check(self, is_right: bool, what: str, expected: object) -> None:
        if not is_right:
            raise CorruptError("snapshot of the requests", self.count, what, expected, "otherwise")
