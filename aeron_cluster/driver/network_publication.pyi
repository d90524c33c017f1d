from typing import final

from aeron_cluster.driver.flow_control import FlowControlOptions
from aeron_cluster.driver.send_endpoint import SendEndpoint
from aeron_cluster.logbuffer.log_buffers import LogBuffers
from aeron_cluster.memory.counters import CountersManager

@final
class NetworkPublication:
    """One stream that the sender sends: the struct the agents share, and the conductor's calls."""

    def __new__(
        cls,
        log: LogBuffers,
        counters: CountersManager,
        endpoint: SendEndpoint,
        flow_control: FlowControlOptions,
        *,
        registration_id: int,
        session_id: int,
        stream_id: int,
        mtu_length: int,
        window_length: int,
        start_position: int,
        publisher_position_id: int,
        publisher_limit_id: int,
        sender_position_id: int,
        sender_limit_id: int,
        back_pressure_id: int,
        naks_received_id: int,
        flow_control_receivers_id: int = -1,
        is_exclusive: bool,
        signals_end_of_stream: bool = True,
        spies_simulate_connection: bool = False,
        is_response: bool = False,
        response_correlation_id: int = -1,
        multicast_ttl: int = 0,
        max_resend: int = 16,
        retransmit_delay_ns: int = 0,
        retransmit_linger_ns: int = 10_000_000,
        connection_timeout_ns: int = 5_000_000_000,
        unblock_timeout_ns: int = 15_000_000_000,
        now_ns: int,
    ) -> NetworkPublication: ...
    registration_id: int
    session_id: int
    stream_id: int
    endpoint: SendEndpoint
    state: int
    """A ``StreamState``; the conductor alone reads and writes it."""
    linger_start_ns: int
    @property
    def log(self) -> LogBuffers: ...
    @property
    def producer_position(self) -> int: ...
    @property
    def sender_position(self) -> int: ...
    @property
    def publisher_limit(self) -> int: ...
    @property
    def clean_position(self) -> int: ...
    @property
    def is_connected(self) -> bool: ...
    @property
    def is_revoked(self) -> bool:
        """Whether the publisher set the flag in the log's metadata."""
    @property
    def has_receivers(self) -> bool:
        """Whether a status message came within the connection timeout."""
    @property
    def has_subscribers(self) -> bool:
        """Whether receivers (with the required group) are live or spies simulate a connection."""
    @property
    def has_unicast_end_of_stream(self) -> bool: ...
    @property
    def is_end_of_stream(self) -> bool: ...
    def set_end_of_stream(self) -> None:
        """Let the sender's heartbeats say that the stream has ended."""
    def set_end_position(self, position: int) -> None:
        """Write the end of the stream into the log's metadata."""
    def set_publisher_limit(self, position: int) -> None: ...
    def update_connected(self) -> bool:
        """Write the connected flag of the log; return it."""
    def set_connected(self, is_connected: bool) -> None: ...
    def check_blocked_publisher(self, now_ns: int) -> bool:
        """Unblock where nothing moved for the unblock timeout; return whether it did."""
    def unblock_at_sender_position(self) -> bool: ...
    def add_spy(self, counter_id: int) -> None: ...
    def remove_spy(self, counter_id: int) -> None: ...
    @property
    def spy_count(self) -> int: ...
    def are_spies_at(self, position: int) -> bool:
        """Whether every spy has consumed up to a position."""
    def update_limits(self, now_ns: int) -> int:
        """Run the publication's share of stream tracking by itself; return a work count."""
    def close(self) -> None:
        """Free the struct; only after the sender released it."""
