"""The types of the handlers that users pass to polls of subscriptions and images."""

from collections.abc import Callable
from typing import TypeAlias

from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.message_view import Header, MessageView, NativeHandler

__all__ = ["BlockHandler", "ControlledFragmentHandler", "FragmentHandler", "RawBlockHandler"]

FragmentHandler: TypeAlias = Callable[[MessageView, Header], object] | NativeHandler
ControlledFragmentHandler: TypeAlias = Callable[[MessageView, Header], Action] | NativeHandler
# The frames, the session id and the term id; the raw one gets the offset in the log file first.
BlockHandler: TypeAlias = Callable[[MessageView, int, int], object]
RawBlockHandler: TypeAlias = Callable[[int, MessageView, int, int], object]
