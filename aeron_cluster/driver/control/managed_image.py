"""A stream received from the network, and its life cycle.

``io.aeron.driver.PublicationImage``.

::

    ACTIVE --end of stream, or silence--> DRAINING --all consumed--> LINGER --timeout--> DONE

The receiver sets an ended or inactive image to DRAINING, the conductor does all other transitions.
In LINGER, clients may still read the image, and write their positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.driver.control.managed_stream import ManagedStream
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.events.codes import DriverEvent

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.stream_params import UntetheredTimeouts
    from aeron_cluster.driver.control.receive_channel import ReceiveChannel
    from aeron_cluster.driver.receive.publication_image import PublicationImage
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.log_factory import DriverLog

__all__ = ["ManagedImage"]

_DRAIN_STATUS_MESSAGES: Final = 5  # acknowledge the end before the image is closed


class ManagedImage(ManagedStream):
    """The conductor's half of an image.

    Parameters
    ----------
    data : PublicationImage
        The half that is run by the receiver and stream tracking.
    log : DriverLog
    receive_channel : ReceiveChannel
    counter_ids : tuple of int
        The counters that are freed with the image.
    """

    def __init__(
        self,
        counters: DriverCounters,
        clients: ClientProxy,
        data: PublicationImage,
        log: DriverLog,
        receive_channel: ReceiveChannel,
        untethered: UntetheredTimeouts,
        *,
        channel: str,
        counter_ids: tuple[int, ...],
        liveness_timeout_ns: int,
        status_message_timeout_ns: int,
    ) -> None:
        super().__init__(
            counters,
            clients,
            image_id=data.correlation_id,
            session_id=data.session_id,
            stream_id=data.stream_id,
            channel=channel,
            log_path=log.path,
            source_identity=data.source_identity,
            untethered=untethered,
        )
        self.data = data
        self.log = log
        self.receive_channel = receive_channel
        self.is_released = False
        self._counter_ids = counter_ids
        self._liveness_timeout_ns = liveness_timeout_ns
        self._drain_timeout_ns = _DRAIN_STATUS_MESSAGES * status_message_timeout_ns
        self._is_revoke_recorded = False

    @property
    def requests_response(self) -> bool:
        """Whether its source requested a response stream."""
        return self.data.requests_response_setup

    @property
    def is_done(self) -> bool:
        """Whether it is no longer needed."""
        return self.data.state == StreamState.STREAM_DONE and self.is_released

    @property
    def join_position(self) -> int:
        """The position at which a new subscriber starts, in bytes."""
        return self.data.join_position

    @property
    def is_accepting_subscriptions(self) -> bool:
        """Whether a new subscriber may join."""
        return bool(self.subscribers) and self.data.is_accepting_subscriptions

    def _count_position(self, counter_id: int) -> None:
        self.data.add_subscriber(counter_id)

    def _discount_position(self, counter_id: int) -> None:
        self.data.remove_subscriber(counter_id)

    def _untethered_limit(self) -> int:
        window = self.data.window_length
        return self.data.max_subscriber_position() - window + window // 4

    def on_timer(self, now_ns: int) -> bool | None:
        """Advance its lifecycle.

        Returns
        -------
        bool or None
            None unless its subscribers just lost it; then whether the session may return.
        """
        match self.data.state:
            case StreamState.STREAM_ACTIVE:
                if self.data.is_revoked:
                    self._record_revoke()
                    self.data.deactivate(now_ns)
                else:
                    self.check_untethered(now_ns)
            case StreamState.STREAM_DRAINING:
                # The receiver ends an image that was read before a timer finds it active.
                if self.data.is_revoked:
                    self._record_revoke()
                elapsed_ns = now_ns - self.data.time_of_last_state_change_ns
                is_consumed = self.data.is_drained and elapsed_ns >= self._drain_timeout_ns
                # A rejected image is consumed no further.
                is_abandoned = self.data.is_rejected and elapsed_ns >= self._liveness_timeout_ns
                if is_consumed or is_abandoned or self.data.is_revoked:
                    rejoins = [each.subscription.params.is_rejoining for each in self.subscribers]
                    self.announce_end()
                    self._enter_state(StreamState.STREAM_LINGER, now_ns)
                    self.data.request_release()
                    return rejoins[-1] if rejoins else True
                self.check_untethered(now_ns)
            case StreamState.STREAM_LINGER:
                elapsed_ns = now_ns - self.data.time_of_last_state_change_ns
                if not self.subscribers or elapsed_ns >= self._liveness_timeout_ns:
                    self.unlink_all()
                    self._enter_state(StreamState.STREAM_DONE, now_ns)
            case _:
                pass
        return None

    def _record_revoke(self) -> None:
        if not self._is_revoke_recorded:
            self._is_revoke_recorded = True
            self._clients.events.record(
                DriverEvent.PUBLICATION_IMAGE_REVOKE,
                revoked_pos=self.data.end_of_stream_position,
                session_id=self.session_id,
                stream_id=self.stream_id,
                channel=self.channel,
            )

    def _enter_state(self, state: StreamState, now_ns: int) -> None:
        self.data.state = state
        self.data.time_of_last_state_change_ns = now_ns

    def close(self) -> None:
        """Free everything except its log's file; only after the receiver has released it."""
        self.unlink_all()
        self.data.close()
        for counter_id in self._counter_ids:
            self._counters.free(counter_id)
