from typing import final

from aeron_cluster.driver.streams.published_log import PublishedLog
from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.memory.shared.counters import CountersManager

@final
class IpcPublication(PublishedLog):
    def __new__(
        cls,
        log: RawLog,
        counters: CountersManager,
        *,
        registration_id: int,
        session_id: int,
        stream_id: int,
        window_length: int,
        start_position: int,
        publisher_position_id: int,
        publisher_limit_id: int,
        is_exclusive: bool,
        unblock_timeout_ns: int = ...,
        now_ns: int,
    ) -> IpcPublication: ...
    state: int
    @property
    def consumer_position(self) -> int: ...
    @property
    def publisher_limit(self) -> int: ...
    @property
    def clean_position(self) -> int: ...
    @property
    def join_position(self) -> int: ...
    @property
    def subscriber_count(self) -> int: ...
    def add_subscriber(self, counter_id: int) -> None: ...
    def remove_subscriber(self, counter_id: int) -> None: ...
    def set_publisher_limit(self, position: int) -> None: ...
    def set_connected(self, is_connected: bool) -> None: ...
    def are_subscribers_at(self, position: int) -> bool: ...
    def update_limits(self) -> int: ...
