"""What users give a client to call."""

from collections.abc import Callable
from typing import TypeAlias

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication_error_frame import PublicationErrorFrame
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.message_view import Header, MessageView, NativeHandler
from aeron_cluster.memory.counters import CountersReader

__all__ = [
    "BlockHandler",
    "ControlledFragmentHandler",
    "CounterHandler",
    "FragmentHandler",
    "ImageHandler",
    "PublicationErrorHandler",
    "RawBlockHandler",
]

FragmentHandler: TypeAlias = Callable[[MessageView, Header], object] | NativeHandler
ControlledFragmentHandler: TypeAlias = Callable[[MessageView, Header], Action] | NativeHandler
# The frames, the session id and the term id; the raw one gets the offset in the log's file first.
BlockHandler: TypeAlias = Callable[[MessageView, int, int], object]
RawBlockHandler: TypeAlias = Callable[[int, MessageView, int, int], object]
ImageHandler: TypeAlias = Callable[[Image], object]
# The reader, the registration id and the counter id.
CounterHandler: TypeAlias = Callable[[CountersReader, int, int], object]
PublicationErrorHandler: TypeAlias = Callable[[PublicationErrorFrame], object]
