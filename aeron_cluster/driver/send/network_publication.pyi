from typing import final

from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.send_endpoint import SendEndpoint
from aeron_cluster.driver.streams.published_log import PublishedLog
from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.events.event_log import EventSource
from aeron_cluster.memory.shared.counters import CountersManager

@final
class NetworkPublication(PublishedLog):
    def __new__(
        cls,
        log: RawLog,
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
        max_batch_count: int = 8,
        is_response: bool = False,
        response_correlation_id: int = -1,
        multicast_ttl: int = 0,
        max_resend: int = 16,
        retransmit_delay_ns: int = 0,
        retransmit_linger_ns: int = 10_000_000,
        connection_timeout_ns: int = ...,
        unblock_timeout_ns: int = ...,
        now_ns: int,
        events: EventSource | None = None,
    ) -> NetworkPublication: ...
    endpoint: SendEndpoint
    state: int
    linger_start_ns: int
    @property
    def sender_position(self) -> int: ...
    @property
    def response_correlation_id(self) -> int: ...
    @property
    def sender_limit(self) -> int: ...
    @property
    def publisher_limit(self) -> int: ...
    @property
    def clean_position(self) -> int: ...
    @property
    def has_receivers(self) -> bool: ...
    @property
    def has_subscribers(self) -> bool: ...
    @property
    def has_unicast_end_of_stream(self) -> bool: ...
    @property
    def is_end_of_stream(self) -> bool: ...
    def set_end_of_stream(self) -> None: ...
    def set_publisher_limit(self, position: int) -> None: ...
    def update_connected(self) -> bool: ...
    def set_connected(self, is_connected: bool) -> None: ...
    def add_spy(self, counter_id: int) -> None: ...
    def remove_spy(self, counter_id: int) -> None: ...
    def are_spies_at(self, position: int) -> bool: ...
    def update_limits(self) -> int: ...
