from collections.abc import Callable
from typing import final

from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.message_view import Header, MessageView

@final
class EgressAdapter:
    cluster_session_id: int
    def __init__(
        self,
        on_message: Callable[[int, MessageView, Header], object],
        on_event: Callable[[bytes, Header], object],
        *,
        on_extension: Callable[[MessageView, Header], object] | None = None,
        is_controlled: bool = False,
        cluster_session_id: int = -1,
    ) -> None: ...
    def __call__(self, message: MessageView, header: Header) -> Action: ...
    def forget_fragments(self) -> None: ...
