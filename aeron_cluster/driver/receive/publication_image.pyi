from typing import final

from aeron_cluster.driver.receive.congestion_control_options import CongestionControlOptions
from aeron_cluster.driver.receive.loss_delay_options import LossDelayOptions
from aeron_cluster.driver.receive.loss_report import LossReport
from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
from aeron_cluster.driver.streams.published_log import StreamLog
from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Clock

@final
class PublicationImage(StreamLog):
    def __new__(
        cls,
        log: RawLog,
        counters: CountersManager,
        endpoint: ReceiveEndpoint,
        loss_delay: LossDelayOptions,
        congestion_control: CongestionControlOptions,
        *,
        correlation_id: int,
        session_id: int,
        stream_id: int,
        mtu_length: int,
        join_position: int,
        transport_index: int,
        control_address: Address | None,
        source_identity: str,
        channel: str,
        high_water_mark_id: int,
        rebuild_position_id: int,
        naks_sent_id: int,
        is_reliable: bool = True,
        has_group_semantics: bool = False,
        requests_response_setup: bool = False,
        liveness_timeout_ns: int = ...,
        status_message_timeout_ns: int = ...,
        loss_report: LossReport | None = None,
        now_ns: int,
    ) -> PublicationImage: ...
    correlation_id: int
    endpoint: ReceiveEndpoint
    source_identity: str
    state: int
    time_of_last_state_change_ns: int
    @property
    def rebuild_position(self) -> int: ...
    @property
    def high_water_mark(self) -> int: ...
    @property
    def window_length(self) -> int: ...
    @property
    def is_rejected(self) -> bool: ...
    @property
    def is_end_of_stream(self) -> bool: ...
    @property
    def end_of_stream_position(self) -> int: ...
    @property
    def is_accepting_subscriptions(self) -> bool: ...
    @property
    def is_drained(self) -> bool: ...
    @property
    def join_position(self) -> int: ...
    @property
    def subscriber_count(self) -> int: ...
    def add_subscriber(self, counter_id: int) -> None: ...
    def remove_subscriber(self, counter_id: int) -> None: ...
    def max_subscriber_position(self) -> int: ...
    def activate(self) -> None: ...
    def deactivate(self, now_ns: int) -> None: ...
    def request_release(self) -> None: ...
    def reject(self, reason: str) -> None: ...
    def stop_status_messages(self) -> None: ...
    def set_response_session_id(self, session_id: int | None) -> None: ...
    @property
    def requests_response_setup(self) -> bool: ...
    def track_rebuild(self, clock: Clock) -> int: ...
