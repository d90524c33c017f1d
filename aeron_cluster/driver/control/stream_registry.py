"""All streams of the driver, and their subscriptions.

The lists of DriverConductor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from aeron_cluster.driver.control.managed_ipc_publication import ManagedIpcPublication
from aeron_cluster.driver.control.managed_network_publication import ManagedNetworkPublication

if TYPE_CHECKING:
    from aeron_cluster.driver.control.managed_image import ManagedImage
    from aeron_cluster.driver.control.managed_stream import ManagedStream
    from aeron_cluster.driver.control.subscription import Subscription

__all__ = ["AnyPublication", "StreamRegistry"]

AnyPublication: TypeAlias = ManagedIpcPublication | ManagedNetworkPublication


class StreamRegistry:
    """Publications, images and subscriptions, and the links between them.

    Attributes
    ----------
    ipc_publications : list of ManagedIpcPublication
    network_publications : list of ManagedNetworkPublication
    images : list of ManagedImage
    subscriptions : list of Subscription
    """

    def __init__(self) -> None:
        self.ipc_publications: list[ManagedIpcPublication] = []
        self.network_publications: list[ManagedNetworkPublication] = []
        self.images: list[ManagedImage] = []
        self.subscriptions: list[Subscription] = []

    @property
    def publications(self) -> list[AnyPublication]:
        """The network publications, then the IPC publications."""
        return [*self.network_publications, *self.ipc_publications]

    def link_subscriptions(self, publication: AnyPublication, now_ns: int) -> None:
        """Link a publication to the subscriptions that it matches."""
        for subscription in self.subscriptions:
            if subscription.matches(publication) and publication.is_accepting_subscriptions:
                publication.link(subscription, now_ns=now_ns)

    def link_streams(self, subscription: Subscription, now_ns: int) -> None:
        """Link a subscription to the streams that it matches."""
        streams: list[ManagedStream] = [
            *self.ipc_publications,
            *self.network_publications,
            *self.images,
        ]
        for stream in streams:
            if subscription.matches(stream) and stream.is_accepting_subscriptions:
                stream.link(subscription, now_ns=now_ns)

    def image_of(self, correlation_id: int) -> ManagedImage | None:
        """Return the image with an id, or None."""
        return next((each for each in self.images if each.image_id == correlation_id), None)

    def ipc_publication_of(self, registration_id: int) -> ManagedIpcPublication | None:
        """Return the IPC publication with an id, or None."""
        return next(
            (each for each in self.ipc_publications if each.registration_id == registration_id),
            None,
        )
