"""Poll egress one message at a time, as a client of one's own does.

``io.aeron.cluster.client.EgressPoller``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import MessageError, UnknownMessageError
from aeron_cluster.logbuffer.fragment_assembler import ControlledFragmentAssembler
from aeron_cluster.logbuffer.image_poller import Action

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["EgressPoller"]

_KINDS: Final = (
    codecs.SessionMessageHeader,
    codecs.SessionEvent,
    codecs.NewLeaderEvent,
    codecs.Challenge,
    codecs.AdminResponse,
)


class EgressPoller:
    """Polls a subscription to egress until it has received one message.

    Parameters
    ----------
    subscription : Subscription
        The subscription to the session's response channel.
    fragment_limit : int
        The most fragments of one poll.

    Attributes
    ----------
    message : Message or None
        The received message: a `SessionEvent`, `NewLeaderEvent`, `Challenge`, `AdminResponse`, or
        the `SessionMessageHeader` of a service's message; None until `is_poll_complete`.
    payload : bytes
        The part of a service's message after its header.
    image : Image or None
        The image of the last received event: the leader's.

    Notes
    -----
    Malformed messages, and those of other schemas and kinds, are skipped. For one thread.
    """

    def __init__(self, subscription: Subscription, fragment_limit: int = 10) -> None:
        self.subscription = subscription
        self.message: Message | None = None
        self.payload = b""
        self.image: Image | None = None
        self._fragment_limit = fragment_limit
        self._assembler = ControlledFragmentAssembler(self._on_message)

    def __repr__(self) -> str:
        return f"<EgressPoller {type(self.message).__name__ if self.message else 'waiting'}>"

    @property
    def is_poll_complete(self) -> bool:
        """Whether a message was received, which the next `poll` drops."""
        return self.message is not None

    @property
    def is_challenged(self) -> bool:
        """Whether the message is a challenge."""
        return isinstance(self.message, codecs.Challenge)

    def poll(self) -> int:
        """Receive the next message, if any; return the number of fragments."""
        self.message, self.payload = None, b""
        return self.subscription.controlled_poll(self._assembler, self._fragment_limit)

    def _on_message(self, message: MessageView, header: Header) -> Action:
        if self.message is not None:
            return Action.ABORT
        data = bytes(message)
        try:
            decoded = codecs.decode(data)
        except (MessageError, UnknownMessageError):
            return Action.CONTINUE
        if not isinstance(decoded, _KINDS):
            return Action.CONTINUE
        if isinstance(decoded, codecs.SessionMessageHeader):
            self.payload = data[decoded.encoded_length :]
        elif isinstance(decoded, codecs.SessionEvent | codecs.NewLeaderEvent):
            self.image = cast("Image", header.context)
        self.message = decoded
        return Action.BREAK
