from collections.abc import Callable
from typing import final

from typing_extensions import disjoint_base

from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.message_view import Header, MessageView, NativeHandler

@disjoint_base
class FragmentAssembler(NativeHandler):
    def __init__(self, handler: Callable[[MessageView, Header], object]) -> None: ...
    def __call__(self, message: MessageView, header: Header) -> int | None: ...
    def drop(self, session_id: int) -> None: ...
    @property
    def session_count(self) -> int: ...
    @property
    def retained_length(self) -> int: ...

@final
class ControlledFragmentAssembler(FragmentAssembler):
    def __init__(self, handler: Callable[[MessageView, Header], Action | None]) -> None: ...
