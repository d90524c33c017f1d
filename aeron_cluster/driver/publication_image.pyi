from typing import final

from aeron_cluster.driver.congestion_control import CongestionControlOptions
from aeron_cluster.driver.events import Address
from aeron_cluster.driver.loss_detector import LossDelayOptions
from aeron_cluster.driver.loss_report import LossReport
from aeron_cluster.driver.receive_endpoint import ReceiveEndpoint
from aeron_cluster.logbuffer.log_buffers import LogBuffers
from aeron_cluster.memory.counters import CountersManager

@final
class PublicationImage:
    """One stream that the receiver rebuilds from datagrams."""

    def __new__(
        cls,
        log: LogBuffers,
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
        liveness_timeout_ns: int = 10_000_000_000,
        status_message_timeout_ns: int = 200_000_000,
        loss_report: LossReport | None = None,
        now_ns: int,
    ) -> PublicationImage: ...
    correlation_id: int
    session_id: int
    stream_id: int
    endpoint: ReceiveEndpoint
    source_identity: str
    state: int
    """A ``StreamState``: the receiver makes an image DRAINING, the conductor all else."""
    time_of_last_state_change_ns: int
    @property
    def log(self) -> LogBuffers: ...
    @property
    def rebuild_position(self) -> int: ...
    @property
    def high_water_mark(self) -> int: ...
    @property
    def window_length(self) -> int:
        """The receiver window scheduled last."""
    @property
    def is_revoked(self) -> bool: ...
    @property
    def is_end_of_stream(self) -> bool: ...
    @property
    def is_accepting_subscriptions(self) -> bool:
        """Whether a subscription that comes now may join."""
    @property
    def is_drained(self) -> bool:
        """Whether every subscriber has consumed all that was rebuilt."""
    @property
    def join_position(self) -> int: ...
    @property
    def subscriber_count(self) -> int: ...
    def add_subscriber(self, counter_id: int) -> None: ...
    def remove_subscriber(self, counter_id: int) -> None: ...
    def max_subscriber_position(self) -> int: ...
    def activate(self) -> None:
        """Enter ACTIVE; called once the subscribers were told."""
    def deactivate(self, now_ns: int) -> None:
        """Stop rebuilding and enter DRAINING."""
    def stop_status_messages(self) -> None:
        """Say nothing more about the session: a newer image stands for it."""
    def set_response_session_id(self, session_id: int | None) -> None: ...
    @property
    def asks_for_response_setup(self) -> bool: ...
    def track_rebuild(self, now_ns: int) -> int:
        """Run the image's share of stream tracking by itself; return a work count."""
    def close(self) -> None:
        """Free the struct; only after the receiver released it."""
