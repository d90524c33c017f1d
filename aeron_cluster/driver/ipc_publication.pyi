from typing import final

from aeron_cluster.logbuffer.log_buffers import LogBuffers
from aeron_cluster.memory.counters import CountersManager

@final
class IpcPublication:
    """One stream between processes of this machine; only the conductor touches it."""

    def __new__(
        cls,
        log: LogBuffers,
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
        unblock_timeout_ns: int = 15_000_000_000,
        now_ns: int,
    ) -> IpcPublication: ...
    registration_id: int
    session_id: int
    stream_id: int
    state: int
    """A ``StreamState``."""
    @property
    def log(self) -> LogBuffers: ...
    @property
    def producer_position(self) -> int: ...
    @property
    def consumer_position(self) -> int:
        """The furthest position any subscriber has reached."""
    @property
    def publisher_limit(self) -> int: ...
    @property
    def clean_position(self) -> int: ...
    @property
    def is_connected(self) -> bool: ...
    @property
    def is_revoked(self) -> bool: ...
    @property
    def join_position(self) -> int:
        """Where a new subscriber starts."""
    @property
    def subscriber_count(self) -> int: ...
    def add_subscriber(self, counter_id: int) -> None:
        """Count a subscriber's position; the connected flag follows."""
    def remove_subscriber(self, counter_id: int) -> None: ...
    def set_end_position(self, position: int) -> None: ...
    def set_publisher_limit(self, position: int) -> None: ...
    def set_connected(self, is_connected: bool) -> None: ...
    def are_subscribers_at(self, position: int) -> bool: ...
    def check_blocked_publisher(self, now_ns: int) -> bool: ...
    def unblock_at_consumer_position(self) -> bool: ...
    def update_limits(self) -> int: ...
    def close(self) -> None: ...
