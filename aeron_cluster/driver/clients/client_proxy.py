"""Notify clients of events.

``io.aeron.driver.ClientProxy`` and the flyweights of ``io.aeron.command``.
"""

from __future__ import annotations

import ipaddress
import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.events.captures import capturing
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.shared.commands import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.events.recorder import EventRecorder
    from aeron_cluster.memory.system.address import Address

__all__ = ["ClientProxy"]

_ERROR: Final = struct.Struct("<qii")
_AVAILABLE_IMAGE: Final = struct.Struct("<qiiqii")
_PUBLICATION_READY: Final = struct.Struct("<qqiiiii")
_CORRELATION: Final = struct.Struct("<q")
_UNAVAILABLE_IMAGE: Final = struct.Struct("<qqii")
_ID: Final = struct.Struct("<qi")
_PUBLICATION_ERROR: Final = struct.Struct("<qqiiqqhH16sii")
_LENGTH: Final = struct.Struct("<i")


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "replace")


class ClientProxy:
    """Writes events; every client receives all of them and filters its own by their ids.

    Parameters
    ----------
    transmit : Callable
        Called with the event's type and its bytes.
    max_length : int
        The longest event that `transmit` accepts, in bytes; error texts are truncated to fit.
    events : EventRecorder, optional
        The driver's event log, in which transmitted messages are recorded.

    Attributes
    ----------
    events : EventRecorder
        The same, for other events of the conductor.
    """

    def __init__(
        self,
        transmit: Callable[[int, bytes], None],
        max_length: int,
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self.events = events
        self._transmit = capturing(events, transmit)
        self._max_length = max_length

    def on_error(self, correlation_id: int, code: int, message: str) -> None:
        """Report that a command failed."""
        text = _ascii(message)[: self._max_length - _ERROR.size]
        self._transmit(Event.ON_ERROR, _ERROR.pack(correlation_id, code, len(text)) + text)

    def on_available_image(
        self,
        correlation_id: int,
        session_id: int,
        stream_id: int,
        subscription_registration_id: int,
        position_counter_id: int,
        log_file: str,
        source_identity: str,
    ) -> None:
        """Report that a subscription has an image."""
        file_name = _ascii(log_file)
        source = _ascii(source_identity)
        fixed = _AVAILABLE_IMAGE.pack(
            correlation_id,
            session_id,
            stream_id,
            subscription_registration_id,
            position_counter_id,
            len(file_name),
        )
        padding = bytes(-len(file_name) % 4)
        self._transmit(
            Event.ON_AVAILABLE_IMAGE,
            fixed + file_name + padding + _LENGTH.pack(len(source)) + source,
        )

    def on_publication_ready(
        self,
        correlation_id: int,
        registration_id: int,
        session_id: int,
        stream_id: int,
        limit_counter_id: int,
        status_counter_id: int,
        log_file: str,
        *,
        is_exclusive: bool,
    ) -> None:
        """Report that a publication may be used."""
        file_name = _ascii(log_file)
        fixed = _PUBLICATION_READY.pack(
            correlation_id,
            registration_id,
            session_id,
            stream_id,
            limit_counter_id,
            status_counter_id,
            len(file_name),
        )
        event = Event.ON_PUBLICATION_READY
        if is_exclusive:
            event = Event.ON_EXCLUSIVE_PUBLICATION_READY
        self._transmit(event, fixed + file_name)

    def on_operation_success(self, correlation_id: int) -> None:
        """Report that a command without another reply was done."""
        self._transmit(Event.ON_OPERATION_SUCCESS, _CORRELATION.pack(correlation_id))

    def on_unavailable_image(
        self, correlation_id: int, subscription_registration_id: int, stream_id: int, channel: str
    ) -> None:
        """Report that a subscription's image has ended."""
        text = _ascii(channel)
        fixed = _UNAVAILABLE_IMAGE.pack(
            correlation_id, subscription_registration_id, stream_id, len(text)
        )
        self._transmit(Event.ON_UNAVAILABLE_IMAGE, fixed + text)

    def on_subscription_ready(self, correlation_id: int, status_counter_id: int) -> None:
        """Report that a subscription was added; -1 if its channel has no status."""
        self._transmit(Event.ON_SUBSCRIPTION_READY, _ID.pack(correlation_id, status_counter_id))

    def on_counter_ready(self, correlation_id: int, counter_id: int) -> None:
        """Report that a counter was allocated."""
        self._transmit(Event.ON_COUNTER_READY, _ID.pack(correlation_id, counter_id))

    def on_static_counter(self, correlation_id: int, counter_id: int) -> None:
        """Report the id of a static counter."""
        self._transmit(Event.ON_STATIC_COUNTER, _ID.pack(correlation_id, counter_id))

    def on_unavailable_counter(self, registration_id: int, counter_id: int) -> None:
        """Report that a counter is unavailable."""
        self._transmit(Event.ON_UNAVAILABLE_COUNTER, _ID.pack(registration_id, counter_id))

    def on_client_timeout(self, client_id: int) -> None:
        """Report that a client timed out and lost its resources."""
        self._transmit(Event.ON_CLIENT_TIMEOUT, _CORRELATION.pack(client_id))

    def on_next_available_session_id(self, correlation_id: int, session_id: int) -> None:
        """Reply with a session id that no publication of the stream uses."""
        self._transmit(Event.ON_NEXT_AVAILABLE_SESSION_ID, _ID.pack(correlation_id, session_id))

    def on_publication_error(
        self,
        registration_id: int,
        destination_registration_id: int,
        session_id: int,
        stream_id: int,
        receiver_id: int,
        group_tag: int,
        source: Address,
        code: int,
        message: str,
    ) -> None:
        """Report that a receiver of a publication rejected it."""
        text = _ascii(message)[: self._max_length - _PUBLICATION_ERROR.size]
        fixed = _PUBLICATION_ERROR.pack(
            registration_id,
            destination_registration_id,
            session_id,
            stream_id,
            receiver_id,
            group_tag,
            2 if ":" in source.host else 1,
            source.port,
            ipaddress.ip_address(source.host).packed,
            code,
            len(text),
        )
        self._transmit(Event.ON_PUBLICATION_ERROR, fixed + text)
