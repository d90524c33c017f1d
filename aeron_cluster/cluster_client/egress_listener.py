"""The callbacks of a cluster client.

Stands for EgressListener and EgressListenerExtension.
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
    """Override what you want to handle; every method but one does nothing here.

    Notes
    -----
    Called from within polls of egress, on the thread that polls. Blocking calls on the same client
    are not made from here.
    """

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> object:
        """Take a message of the service.

        Parameters
        ----------
        timestamp : int
            The cluster's time when the service sent it, in the cluster's time unit.
        message : MessageView
            The payload in place: valid during the call; ``bytes(message)`` keeps a copy.
        header : Header
            Of the egress stream.

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
        """Take a message of another schema, as an extension of the consensus module sends it.

        Parameters
        ----------
        message : MessageView
            All of it, from its own header on, in place.
        header : Header
            Of the egress stream.

        Returns
        -------
        object
            As of `on_message`.

        Raises
        ------
        UnknownMessageError
            Where this is not overridden: nothing is expected but messages of the cluster. The
            client drops it where the message is not the leader's.
        """
        found = int.from_bytes(bytes(message)[_SCHEMA_ID], "little")
        raise UnknownMessageError("egress", f"schema id {SCHEMA.schema_id}", found)
