"""Lists that are sent record by record, one at a time for each session.

``io.aeron.archive.AbstractListRecordingsSession`` and ``ListRecordingSubscriptionsSession``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.codecs.archive import (
    ControlResponseCode,
    RecordingDescriptor,
    RecordingSubscriptionDescriptor,
)
from aeron_cluster.errors import OperationError

if TYPE_CHECKING:
    from aeron_cluster.archive.recording.active_recording import RecordingSubscription
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.archive.storage.catalog import Catalog

__all__ = ["Listing", "Listings"]

# Records scanned in one pass, whether they match or not.
_SCAN_LIMIT: Final = 64
_HEADER: Final = struct.Struct("<HHHH")
_IDS: Final = struct.Struct("<qq")


class Listing:
    """A list in progress.

    Parameters
    ----------
    session : ControlSession
    messages : Iterator[bytes or None]
        Yields what to send; None for a scanned record that does not match.
    on_end : Callable[[], None]
        Called when all were sent.
    """

    def __init__(
        self,
        session: ControlSession,
        messages: Iterator[bytes | None],
        on_end: Callable[[], None],
    ) -> None:
        self.session = session
        self._messages = messages
        self._on_end = on_end
        self._unsent: bytes | None = None
        self.is_done = False

    def do_work(self) -> int:
        """Send as much as flow control allows; return the number of messages."""
        sent = 0
        for _ in range(_SCAN_LIMIT):
            if self._unsent is None and not self._advance():
                return sent + 1
            if self._unsent is not None:
                if not self.session.try_send(self._unsent):
                    return sent
                self._unsent = None
                sent += 1
        # The end follows the last message at once: its client may already send another request.
        if not self._advance():
            sent += 1
        return sent

    def _advance(self) -> bool:
        """Get the next message, or end; return whether it goes on."""
        try:
            self._unsent = next(self._messages)
        except StopIteration:
            self.is_done = True
            self._on_end()
            return False
        return True


class Listings:
    """The lists in progress.

    Parameters
    ----------
    catalog : Catalog
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._listings: list[Listing] = []

    @property
    def is_busy(self) -> bool:
        """Whether any list is in progress."""
        return bool(self._listings)

    def list_recordings(
        self,
        session: ControlSession,
        correlation_id: int,
        from_recording_id: int,
        count: int,
        matches: Callable[[RecordingDescriptor], bool],
    ) -> None:
        """Send the descriptors of up to `count` recordings, and an end marker if they are fewer.

        Raises
        ------
        OperationError
            With code 1 if the session has a list in progress.
        """
        self._check_idle(session)
        ids = self._catalog.ids_from(from_recording_id)
        sent: list[int] = []

        def messages() -> Iterator[bytes | None]:
            for recording_id in ids:
                if len(sent) >= count:
                    return
                if recording_id not in self._catalog:
                    continue
                recording = self._catalog.get(recording_id)
                if matches(recording.descriptor):
                    yield self._descriptor(session, correlation_id, recording_id)
                    sent.append(recording_id)
                else:
                    yield None

        def end() -> None:
            if len(sent) < count or count <= 0:
                session.send_response(
                    correlation_id,
                    self._catalog.next_recording_id,
                    ControlResponseCode.RECORDING_UNKNOWN,
                )

        self._add(Listing(session, messages(), end))

    def list_recording(
        self, session: ControlSession, correlation_id: int, recording_id: int
    ) -> None:
        """Send one descriptor, or that the recording is unknown.

        Raises
        ------
        OperationError
            With code 1 if the session has a list in progress.
        """
        self._check_idle(session)
        if recording_id not in self._catalog:
            session.send_response(
                correlation_id, recording_id, ControlResponseCode.RECORDING_UNKNOWN
            )
            return
        message = self._descriptor(session, correlation_id, recording_id)
        self._add(Listing(session, iter((message,)), lambda: None))

    def list_subscriptions(
        self,
        session: ControlSession,
        correlation_id: int,
        pseudo_index: int,
        count: int,
        subscriptions: Sequence[RecordingSubscription],
        matches: Callable[[RecordingSubscription], bool],
    ) -> None:
        """Send up to `count` recording subscriptions from one on, and an end marker if fewer.

        `pseudo_index` is an index into all of them, of which those that match are sent.

        Raises
        ------
        OperationError
            With code 1 if the session has a list in progress.
        """
        self._check_idle(session)
        following = subscriptions[pseudo_index:] if pseudo_index >= 0 else ()
        chosen = list(filter(matches, following))[: max(count, 0)]

        def end() -> None:
            if len(chosen) < count or count <= 0:
                session.send_response(correlation_id, 0, ControlResponseCode.SUBSCRIPTION_UNKNOWN)

        messages = (
            RecordingSubscriptionDescriptor.encode(
                control_session_id=session.session_id,
                correlation_id=correlation_id,
                subscription_id=each.registration_id,
                stream_id=each.stream_id,
                stripped_channel=each.channel,
            )
            for each in chosen
        )
        self._add(Listing(session, messages, end))

    def _check_idle(self, session: ControlSession) -> None:
        if session.listing is not None:
            raise OperationError(
                "active listing already in progress", ArchiveErrorCode.ACTIVE_LISTING
            )

    def _descriptor(self, session: ControlSession, correlation_id: int, recording_id: int) -> bytes:
        """Return a descriptor as in the catalog, including padding, for a session."""
        body = self._catalog.body(recording_id)
        header = _HEADER.pack(
            RecordingDescriptor.block_length,
            RecordingDescriptor.template_id,
            RecordingDescriptor.schema.schema_id,
            RecordingDescriptor.schema.version,
        )
        return header + _IDS.pack(session.session_id, correlation_id) + body[_IDS.size :]

    def _add(self, listing: Listing) -> None:
        listing.session.listing = listing
        self._listings.append(listing)

    def do_work(self) -> int:
        """Advance each list; return how many messages were sent."""
        sent = 0
        for listing in tuple(self._listings):
            if not listing.session.is_done:
                sent += listing.do_work()
            if listing.is_done or listing.session.is_done:
                listing.session.listing = None
                self._listings.remove(listing)
        return sent
