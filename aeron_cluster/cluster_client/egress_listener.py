"""The callbacks of a cluster client.

Upstream: EgressListener and EgressListenerExtension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.cluster import SCHEMA
from aeron_cluster.errors import UnknownMessageError

if TYPE_CHECKING:
    from aeron_cluster.codecs.cluster import AdminResponse, NewLeaderEvent, SessionEvent
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["EgressListener"]

_SCHEMA_ID: Final = slice(4, 6)


class EgressListener:
    """Override the callbacks that you need; by default all but one do nothing.

    Notes
    -----
    Called within polls of egress, on the polling thread. Callbacks must not make blocking calls on
    the same client.
    """

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> object:
        """Handle a message of the service.

        Parameters
        ----------
        timestamp : int
            The cluster's time when the service sent it, in the cluster's time unit.
        message : MessageView
            The payload in place: valid during the call; ``bytes(message)`` keeps a copy.
        header : Header
            The header of the frame in the egress stream.

        Returns
        -------
        object
            Ignored, except by ``controlled_poll_egress``, which expects an ``Action``.
        """

    def on_session_event(self, event: SessionEvent) -> None:
        """Handle an event of the session: opened again by a new leader, closed, or an error."""

    def on_new_leader(self, event: NewLeaderEvent) -> None:
        """Handle a new leader; the client has already connected to it."""

    def on_admin_response(self, response: AdminResponse) -> None:
        """Handle the response to an admin request."""

    def on_extension_message(self, message: MessageView, header: Header) -> object:  # noqa: ARG002
        """Handle a message of another schema, as an extension of the consensus module sends it.

        Parameters
        ----------
        message : MessageView
            The whole message including its header, in place.
        header : Header
            The header of the frame in the egress stream.

        Returns
        -------
        object
            As for `on_message`.

        Raises
        ------
        UnknownMessageError
            By default: only messages of the cluster's schema are expected. The client drops the
            message if it is not from the leader.
        """
        found = int.from_bytes(bytes(message)[_SCHEMA_ID], "little")
        raise UnknownMessageError("egress", f"schema id {SCHEMA.schema_id}", found)
