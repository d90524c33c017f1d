"""Waits for the driver as steps, for the tasks of `aeron_cluster.memory.agents.waiting`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, Unpack

from aeron_cluster.memory.agents.waiting import Waiting, until

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.handlers import SubscriptionOptions
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.channel_uri import ChannelUri

__all__ = [
    "await_counter",
    "await_destination",
    "await_exclusive_publication",
    "await_image",
    "await_publication",
    "await_subscription",
]

_T = TypeVar("_T")


def _added(aeron: Aeron, registration_id: int, get: Callable[[int], _T | None]) -> Waiting[_T]:
    """Wait for a resource of the driver; closing the steps early leaves nothing open."""
    try:
        return (yield from until(lambda: get(registration_id)))
    except GeneratorExit:
        aeron.abandon(registration_id)
        raise


def await_publication(
    aeron: Aeron, channel: str | ChannelUri, stream_id: int
) -> Waiting[Publication]:
    """Add a publication, as ``Aeron.add_publication``."""
    registration_id = aeron.async_add_publication(channel, stream_id)
    return (yield from _added(aeron, registration_id, aeron.get_publication))


def await_exclusive_publication(
    aeron: Aeron, channel: str | ChannelUri, stream_id: int
) -> Waiting[ExclusivePublication]:
    """Add a publication, as ``Aeron.add_exclusive_publication``."""
    registration_id = aeron.async_add_exclusive_publication(channel, stream_id)
    return (yield from _added(aeron, registration_id, aeron.get_exclusive_publication))


def await_subscription(
    aeron: Aeron, channel: str | ChannelUri, stream_id: int, **options: Unpack[SubscriptionOptions]
) -> Waiting[Subscription]:
    """Add a subscription, as ``Aeron.add_subscription``."""
    registration_id = aeron.async_add_subscription(channel, stream_id, **options)
    return (yield from _added(aeron, registration_id, aeron.get_subscription))


def await_counter(aeron: Aeron, type_id: int, label: str, key: bytes = b"") -> Waiting[Counter]:
    """Add a counter, as ``Aeron.add_counter``."""
    registration_id = aeron.async_add_counter(type_id, label, key)
    return (yield from _added(aeron, registration_id, aeron.get_counter))


def await_destination(
    aeron: Aeron, stream: ExclusivePublication | Subscription, destination: str
) -> Waiting[None]:
    """Add a destination, as ``add_destination``."""
    request_id = stream.async_add_destination(destination)
    while not aeron.is_done(request_id):
        yield


def await_image(subscription: Subscription, session_id: int) -> Waiting[Image]:
    """Wait for the image of a session."""
    return (yield from until(lambda: subscription.image_by_session_id(session_id)))
