"""The types of the handlers of images, counters and errors."""

from collections.abc import Callable
from typing import TypeAlias, TypedDict

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication_error_frame import PublicationErrorFrame
from aeron_cluster.memory.shared.counters import CountersReader

__all__ = [
    "CounterHandler",
    "ImageFilter",
    "ImageHandler",
    "PublicationErrorHandler",
    "SubscriptionOptions",
]

ImageHandler: TypeAlias = Callable[[Image], object]
# The source identity (``host:port`` of the publisher, or ``aeron:ipc``) and the session id.
ImageFilter: TypeAlias = Callable[[str, int], bool]
# The reader, the registration id and the counter id.
CounterHandler: TypeAlias = Callable[[CountersReader, int, int], object]
PublicationErrorHandler: TypeAlias = Callable[[PublicationErrorFrame], object]


class SubscriptionOptions(TypedDict, total=False):
    """The keyword arguments of `Aeron.add_subscription`, for callers that pass them on."""

    available_image_handler: ImageHandler | None
    unavailable_image_handler: ImageHandler | None
    image_filter: ImageFilter | None
