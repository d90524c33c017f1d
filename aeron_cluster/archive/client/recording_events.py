"""Read the recording events that an archive publishes, ours or Java's.

Upstream: io.aeron.archive.client.RecordingEventsAdapter and RecordingEventsPoller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from aeron_cluster.codecs.archive import (
    SCHEMA,
    RecordingProgress,
    RecordingStarted,
    RecordingStopped,
)
from aeron_cluster.errors import ArchiveError, MessageError

if TYPE_CHECKING:
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = [
    "RecordingEvent",
    "RecordingEventsAdapter",
    "RecordingEventsListener",
    "RecordingEventsPoller",
]

RecordingEvent = RecordingStarted | RecordingProgress | RecordingStopped
_EVENTS: Final = (RecordingStarted, RecordingProgress, RecordingStopped)


class RecordingEventsListener(Protocol):
    """A receiver of recording events."""

    def on_start(
        self,
        recording_id: int,
        start_position: int,
        session_id: int,
        stream_id: int,
        channel: str,
        source_identity: str,
    ) -> object:
        """Handle the start of a recording."""

    def on_progress(self, recording_id: int, start_position: int, position: int) -> object:
        """Handle the progress of a recording."""

    def on_stop(self, recording_id: int, start_position: int, stop_position: int) -> object:
        """Handle the end of a recording."""


class RecordingEventsPoller:
    """Polls recording events one by one.

    Parameters
    ----------
    subscription : Subscription
        To the channel and stream of an archive's recording events; it stays the caller's.

    Notes
    -----
    Events are lost if the subscriber is too slow or joins later; the archive's catalog has all
    recordings.
    """

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    def poll(self) -> RecordingEvent | None:
        """Return the next event, or None if none has arrived.

        Raises
        ------
        ArchiveError
            A message is not from an archive.
        """
        found: list[RecordingEvent] = []

        def take(message: MessageView, _header: Header) -> None:
            if (event := _decode(message)) is not None:
                found.append(event)

        while self._subscription.poll(take, 1) > 0:
            if found:
                return found[0]
        return None


class RecordingEventsAdapter:
    """Polls recording events for a listener.

    Parameters
    ----------
    listener : RecordingEventsListener
    subscription : Subscription
        To the channel and stream of an archive's recording events; it stays the caller's.
    fragment_limit : int
        The maximum number of messages per poll.
    """

    def __init__(
        self,
        listener: RecordingEventsListener,
        subscription: Subscription,
        fragment_limit: int = 10,
    ) -> None:
        self._listener = listener
        self._subscription = subscription
        self._fragment_limit = fragment_limit

    def poll(self) -> int:
        """Call the listener for received events; return the number of messages read.

        Raises
        ------
        ArchiveError
            A message is not from an archive.
        """
        return self._subscription.poll(self._on_message, self._fragment_limit)

    def _on_message(self, message: MessageView, _header: Header) -> None:
        listener = self._listener
        match _decode(message):
            case RecordingStarted() as event:
                listener.on_start(
                    event.recording_id,
                    event.start_position,
                    event.session_id,
                    event.stream_id,
                    event.channel,
                    event.source_identity,
                )
            case RecordingProgress() as event:
                listener.on_progress(event.recording_id, event.start_position, event.position)
            case RecordingStopped() as event:
                listener.on_stop(event.recording_id, event.start_position, event.stop_position)
            case None:
                pass


def _decode(message: MessageView) -> RecordingEvent | None:
    """Return the event in a message; None for another message of the schema."""
    try:
        template_id = SCHEMA.template_id_of(message)
    except MessageError as error:
        raise ArchiveError(f"expected schemaId={SCHEMA.schema_id}: {error}") from error
    kind = next((each for each in _EVENTS if each.template_id == template_id), None)
    if kind is None:
        return None
    try:
        return kind.decode(message)
    except MessageError as error:
        raise ArchiveError(f"recording event {kind.name}: {error}") from error
