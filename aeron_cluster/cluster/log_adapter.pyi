from collections.abc import Callable, Sequence
from typing import Self, final

from aeron_cluster.client.image import Image
from aeron_cluster.cluster.log_publisher import LogPublisher
from aeron_cluster.cluster.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.session_table import SessionTable
from aeron_cluster.memory.seams import Clock

@final
class LogAdapter:
    def __new__(
        cls,
        on_event: Callable[[bytes, int], object],
        sessions: SessionTable,
        trackers: Sequence[PendingServiceMessages],
        clock: Clock | None = None,
    ) -> Self: ...
    @property
    def image(self) -> Image | None: ...
    def take_foreign(self) -> None: ...
    def set_image(self, image: Image | None) -> None: ...
    def begin_amid(self, log: LogPublisher, position: int) -> None: ...
    @property
    def position(self) -> int: ...
    def is_done(self, position: int) -> bool: ...
    def poll(self, limit_position: int, fragment_limit: int) -> int: ...
