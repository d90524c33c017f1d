"""The part of a subscription that its images use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counters_layout import ChannelStatus

__all__ = ["ImageSubscription"]


class ImageSubscription(Protocol):
    """The members of a `Subscription` that its images use and expose."""

    @property
    def channel(self) -> str:
        """Its channel, as it was requested."""

    @property
    def stream_id(self) -> int:
        """Its stream."""

    @property
    def registration_id(self) -> int:
        """The driver's id of it."""

    @property
    def channel_status_id(self) -> int:
        """The id of the counter of its channel's status."""

    @property
    def channel_status(self) -> ChannelStatus | int:
        """The status of its channel."""

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""

    def reject_image(self, image_correlation_id: int, position: int, reason: str) -> None:
        """Reject an image, and wait until the driver has answered."""

    def give_up_image(self, image_correlation_id: int, position: int, reason: str) -> None:
        """Request that an image be rejected; never blocks."""
