"""Create publications and images: counters, log, and both halves.

``io.aeron.driver.DriverConductor``'s ``newNetworkPublication`` and similar methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.channel_uri import PROTOTYPE_CORRELATION_ID
from aeron_cluster.codecs.frame_layout import (
    FRAME_ALIGNMENT,
    FRAME_HEADER_LENGTH,
    MAX_MTU_LENGTH,
    MAX_TERM_LENGTH,
    MIN_TERM_LENGTH,
)
from aeron_cluster.driver.clients.stream_params import InitialPosition, UntetheredTimeouts
from aeron_cluster.driver.control.managed_image import ManagedImage
from aeron_cluster.driver.control.managed_ipc_publication import ManagedIpcPublication
from aeron_cluster.driver.control.managed_network_publication import ManagedNetworkPublication
from aeron_cluster.driver.receive.congestion_control import CongestionControlStrategy
from aeron_cluster.driver.receive.congestion_control_options import CongestionControlOptions
from aeron_cluster.driver.receive.loss_delay_options import LossDelayOptions
from aeron_cluster.driver.receive.publication_image import PublicationImage
from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.network_publication import NetworkPublication
from aeron_cluster.driver.streams.ipc_publication import IpcPublication
from aeron_cluster.driver.streams.log_settings import LogSettings
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.events.event_log import EventSource
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.address import Address

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.commands import AddPublication
    from aeron_cluster.driver.clients.stream_params import PublicationParams
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.receive_channel import ReceiveChannel
    from aeron_cluster.driver.control.send_channel import SendChannel
    from aeron_cluster.driver.control.subscription import NetworkSubscription
    from aeron_cluster.driver.receive.loss_report import LossReport
    from aeron_cluster.driver.receive.receive_events import ImageRequested
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.log_factory import DriverLog, LogFactory
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.memory.system.seams import Random

__all__ = ["StreamFactory"]

_LOG_CONCURRENT_PUBLICATION: Final = 0
_LOG_EXCLUSIVE_PUBLICATION: Final = 1
_LOG_IMAGE: Final = 2
_PROTOTYPE_TERM_LENGTH: Final = 64 << 10
_SETUP_FLAG_GROUP: Final = 0x40
_SETUP_FLAG_SEND_RESPONSE_SETUP: Final = 0x80
_MAX_INT32: Final = 2**31 - 1


class StreamFactory:
    """Creates the streams of one driver.

    Parameters
    ----------
    next_id : Callable
        Supplies the correlation ids of images, from the sequence of clients' commands.
    """

    def __init__(
        self,
        context: DriverContext,
        counters: DriverCounters,
        system_counters: SystemCounters,
        clients: ClientProxy,
        logs: LogFactory,
        loss_report: LossReport,
        random: Random,
        next_id: Callable[[], int],
    ) -> None:
        self._context = context
        self._counters = counters
        self._system_counters = system_counters
        self._clients = clients
        self._logs = logs
        self._loss_report = loss_report
        self._random = random
        self._next_id = next_id

    def new_ipc_publication(
        self, command: AddPublication, params: PublicationParams, session_id: int, now_ns: int
    ) -> ManagedIpcPublication:
        """Create an IPC publication.

        Raises
        ------
        InsufficientSpaceError
            There is no space for its log or its counters; nothing remains.
        """
        log = self._logs.new_publication(self._log_settings(command, params, session_id))
        counter_ids: list[int] = []
        try:
            position = log.raw.start_position
            self._allocate_publisher(counter_ids, command, session_id, position)
            data = IpcPublication(
                log.raw,
                self._counters.manager,
                registration_id=command.correlation_id,
                session_id=session_id,
                stream_id=command.stream_id,
                window_length=params.window_length,
                start_position=position,
                publisher_position_id=counter_ids[0],
                publisher_limit_id=counter_ids[1],
                is_exclusive=command.is_exclusive,
                unblock_timeout_ns=self._context.publication_unblock_timeout_ns,
                now_ns=now_ns,
            )
        except BaseException:
            self._discard(log, counter_ids)
            raise
        return ManagedIpcPublication(
            self._counters,
            self._clients,
            self._system_counters,
            data,
            log,
            params,
            params.untethered,
            channel=command.channel,
            status_counter_id=-1,
            limit_counter_id=counter_ids[1],
            counter_ids=tuple(counter_ids),
            is_exclusive=command.is_exclusive,
        )

    def new_network_publication(
        self,
        command: AddPublication,
        params: PublicationParams,
        session_id: int,
        send_channel: SendChannel,
        now_ns: int,
    ) -> ManagedNetworkPublication:
        """Create a publication on an open channel.

        Raises
        ------
        ConfigurationError
            The flow control parameter of the URI is invalid.
        InsufficientSpaceError
            There is no space for its log or its counters; nothing remains.
        """
        context = self._context
        channel = send_channel.udp_channel
        flow_control = FlowControlOptions.parse(
            params.uri.get("fc"),
            has_group_semantics=channel.has_group_semantics,
            default_strategy=context.multicast_flow_control_supplier,
            receiver_timeout_ns=context.flow_control_receiver_timeout_ns,
            group_tag=context.flow_control_group_tag,
            group_min_size=context.flow_control_group_min_size,
            unicast_window_multiple=context.unicast_flow_control_rrwm,
            multicast_window_multiple=context.multicast_flow_control_rrwm,
        )
        settings = self._log_settings(command, params, session_id, send_channel)
        log = self._logs.new_publication(settings)
        counter_ids: list[int] = []
        try:
            position = log.raw.start_position
            self._allocate_publisher(counter_ids, command, session_id, position)
            for type_id, name, value in (
                (CounterType.COUNTER_TYPE_SENDER_POSITION, "snd-pos", position),
                (CounterType.COUNTER_TYPE_SENDER_LIMIT, "snd-lmt", position),
                (CounterType.COUNTER_TYPE_SENDER_BACK_PRESSURE, "snd-bpe", 0),
                (CounterType.COUNTER_TYPE_SENDER_NAKS_RECEIVED, "snd-naks-received", 0),
            ):
                counter_ids.append(
                    self._publication_counter(type_id, name, command, session_id, value)
                )
            receivers_id = -1
            if flow_control.strategy in {
                FlowControlStrategy.FLOW_CONTROL_MIN,
                FlowControlStrategy.FLOW_CONTROL_TAGGED,
            }:
                receivers_id = self._counters.stream(
                    CounterType.COUNTER_TYPE_FLOW_CONTROL_RECEIVERS,
                    "fc-receivers",
                    owner_id=-1,
                    registration_id=command.correlation_id,
                    session_id=session_id,
                    stream_id=command.stream_id,
                    channel=command.channel,
                )
                counter_ids.append(receivers_id)
            data = NetworkPublication(
                log.raw,
                self._counters.manager,
                send_channel.data,
                flow_control,
                registration_id=command.correlation_id,
                session_id=session_id,
                stream_id=command.stream_id,
                mtu_length=params.mtu_length,
                window_length=params.window_length,
                start_position=position,
                publisher_position_id=counter_ids[0],
                publisher_limit_id=counter_ids[1],
                sender_position_id=counter_ids[2],
                sender_limit_id=counter_ids[3],
                back_pressure_id=counter_ids[4],
                naks_received_id=counter_ids[5],
                flow_control_receivers_id=receivers_id,
                is_exclusive=command.is_exclusive,
                signals_end_of_stream=params.signals_end_of_stream,
                spies_simulate_connection=params.spies_simulate_connection,
                is_response=params.is_response,
                response_correlation_id=params.response_correlation_id,
                multicast_ttl=(channel.multicast_ttl or context.socket_multicast_ttl)
                if channel.is_multicast
                else 0,
                max_batch_count=min(
                    context.network_publication_max_messages_per_send,
                    context.sender_io_vector_capacity,
                ),
                max_resend=params.max_resend,
                retransmit_delay_ns=context.retransmit_unicast_delay_ns,
                retransmit_linger_ns=context.retransmit_unicast_linger_ns,
                connection_timeout_ns=context.publication_connection_timeout_ns,
                unblock_timeout_ns=context.publication_unblock_timeout_ns,
                now_ns=now_ns,
                events=EventSource(
                    self._clients.events.log, command.channel, session_id, command.stream_id
                ),
            )
        except BaseException:
            self._discard(log, counter_ids)
            raise
        return ManagedNetworkPublication(
            self._counters,
            self._clients,
            self._system_counters,
            data,
            log,
            send_channel,
            params,
            params.untethered,
            channel=command.channel,
            limit_counter_id=counter_ids[1],
            counter_ids=tuple(counter_ids),
            is_exclusive=command.is_exclusive,
        )

    def new_image(
        self,
        event: ImageRequested,
        channel: ReceiveChannel,
        interested: list[NetworkSubscription],
        now_ns: int,
    ) -> ManagedImage:
        """Create the image of a session, linked to its subscriptions `interested` (at least one).

        Raises
        ------
        ConfigurationError
            The setup frame describes an impossible stream, or one that does not fit the window.
        InsufficientSpaceError
            There is no space for its log or its counters; nothing remains.
        """
        context = self._context
        _check_setup(event, channel.window_length)
        first = interested[0]
        oldest = min(interested, key=lambda each: each.registration_id)
        uri = channel.udp_channel.uri
        transport = channel.transports[event.transport_index].udp_channel
        has_group_semantics = first.params.group
        if has_group_semantics is None:
            has_group_semantics = transport.is_multicast or bool(event.flags & _SETUP_FLAG_GROUP)
        untethered = UntetheredTimeouts.of(uri, context)
        correlation_id = self._next_id()
        send_buffer_length, receive_buffer_length = channel.data.buffer_lengths(
            event.transport_index
        )
        start = InitialPosition(event.initial_term_id, event.active_term_id, event.term_offset)
        window_length = min(channel.window_length, event.term_length // 2)
        log = self._logs.new_image(
            LogSettings(
                type=_LOG_IMAGE,
                session_id=event.session_id,
                stream_id=event.stream_id,
                initial_term_id=event.initial_term_id,
                term_id=event.active_term_id,
                term_offset=event.term_offset,
                term_length=event.term_length,
                mtu_length=event.mtu_length,
                page_size=context.file_page_size,
                correlation_id=correlation_id,
                receiver_window_length=window_length,
                socket_sndbuf_length=channel.send_buffer_length,
                os_default_socket_sndbuf_length=send_buffer_length,
                socket_rcvbuf_length=channel.receive_buffer_length,
                os_default_socket_rcvbuf_length=receive_buffer_length,
                entity_tag=0,
                response_correlation_id=0,
                untethered_window_limit_timeout_ns=untethered.window_limit_ns,
                untethered_linger_timeout_ns=untethered.linger_ns,
                untethered_resting_timeout_ns=untethered.resting_ns,
                group=has_group_semantics,
                is_response=first.params.is_response,
                rejoin=first.params.is_rejoining,
                reliable=first.params.is_reliable,
                sparse=oldest.params.is_sparse,
                tether=first.params.is_tethered,
            )
        )
        counter_ids: list[int] = []
        try:
            position = start.position(event.term_length)
            for type_id, name, value in (
                (CounterType.COUNTER_TYPE_RECEIVER_HWM, "rcv-hwm", position),
                (CounterType.COUNTER_TYPE_RECEIVER_POSITION, "rcv-pos", position),
                (CounterType.COUNTER_TYPE_RECEIVER_NAKS_SENT, "rcv-naks-sent", 0),
            ):
                counter_ids.append(
                    self._image_counter(type_id, name, event, first, correlation_id, value)
                )
            congestion_control = self._congestion_control(
                event, channel, first, correlation_id, counter_ids
            )
            data = PublicationImage(
                log.raw,
                self._counters.manager,
                channel.data,
                self._loss_delay(channel, is_multicast=has_group_semantics),
                congestion_control,
                correlation_id=correlation_id,
                session_id=event.session_id,
                stream_id=event.stream_id,
                mtu_length=event.mtu_length,
                join_position=position,
                transport_index=event.transport_index,
                control_address=event.control_address,
                source_identity=str(Address(*(event.source or ("", 0)))),
                channel=first.channel,
                high_water_mark_id=counter_ids[0],
                rebuild_position_id=counter_ids[1],
                naks_sent_id=counter_ids[2],
                is_reliable=first.params.is_reliable,
                has_group_semantics=has_group_semantics,
                requests_response_setup=bool(event.flags & _SETUP_FLAG_SEND_RESPONSE_SETUP),
                liveness_timeout_ns=context.image_liveness_timeout_ns,
                status_message_timeout_ns=context.rcv_status_message_timeout_ns,
                loss_report=self._loss_report,
                now_ns=now_ns,
            )
        except BaseException:
            self._discard(log, counter_ids)
            raise
        image = ManagedImage(
            self._counters,
            self._clients,
            data,
            log,
            channel,
            untethered,
            channel=first.channel,
            counter_ids=tuple(counter_ids),
            liveness_timeout_ns=context.image_liveness_timeout_ns,
            status_message_timeout_ns=context.rcv_status_message_timeout_ns,
        )
        try:
            image.link(*interested, now_ns=now_ns)
        except BaseException:
            image.close()
            self._logs.free(log)
            raise
        return image

    def _discard(self, log: DriverLog, counter_ids: list[int]) -> None:
        self._logs.free(log)
        for counter_id in counter_ids:
            self._counters.free(counter_id)

    def _log_settings(
        self,
        command: AddPublication,
        params: PublicationParams,
        session_id: int,
        send_channel: SendChannel | None = None,
    ) -> LogSettings:
        term_length = params.term_length
        if params.response_correlation_id == PROTOTYPE_CORRELATION_ID:
            term_length = _PROTOTYPE_TERM_LENGTH
        start = params.initial_position
        if start is None:
            term_id = self._random.next() % 2**32 - 2**31
            start = InitialPosition(term_id, term_id, 0)
        send_buffer = receive_buffer = os_send_buffer = os_receive_buffer = 0
        if send_channel is not None:
            send_buffer = send_channel.send_buffer_length
            receive_buffer = send_channel.receive_buffer_length
            os_send_buffer, os_receive_buffer = send_channel.data.buffer_lengths
        return LogSettings(
            type=_LOG_EXCLUSIVE_PUBLICATION
            if command.is_exclusive
            else _LOG_CONCURRENT_PUBLICATION,
            session_id=session_id,
            stream_id=command.stream_id,
            initial_term_id=start.initial_term_id,
            term_id=start.term_id,
            term_offset=start.term_offset,
            term_length=term_length,
            mtu_length=params.mtu_length,
            page_size=self._context.file_page_size,
            correlation_id=command.correlation_id,
            publication_window_length=params.window_length,
            socket_sndbuf_length=send_buffer,
            os_default_socket_sndbuf_length=os_send_buffer,
            socket_rcvbuf_length=receive_buffer,
            os_default_socket_rcvbuf_length=os_receive_buffer,
            max_resend=params.max_resend,
            entity_tag=-1 if params.entity_tag is None else params.entity_tag,
            response_correlation_id=params.response_correlation_id,
            linger_timeout_ns=params.linger_timeout_ns,
            untethered_window_limit_timeout_ns=params.untethered.window_limit_ns,
            untethered_linger_timeout_ns=params.untethered.linger_ns,
            untethered_resting_timeout_ns=params.untethered.resting_ns,
            group=send_channel is not None and send_channel.udp_channel.has_group_semantics,
            is_response=params.is_response,
            sparse=params.is_sparse,
            signal_eos=params.signals_end_of_stream,
            spies_simulate_connection=params.spies_simulate_connection,
        )

    def _allocate_publisher(
        self, counter_ids: list[int], command: AddPublication, session_id: int, position: int
    ) -> None:
        kind = "exclusive" if command.is_exclusive else "concurrent"
        for type_id, name in (
            (CounterType.COUNTER_TYPE_PUBLISHER_POSITION, f"pub-pos ({kind})"),
            (CounterType.COUNTER_TYPE_PUBLISHER_LIMIT, "pub-lmt"),
        ):
            counter_ids.append(
                self._publication_counter(type_id, name, command, session_id, position)
            )

    def _publication_counter(
        self, type_id: int, name: str, command: AddPublication, session_id: int, value: int
    ) -> int:
        return self._counters.stream(
            type_id,
            name,
            owner_id=command.client_id,
            registration_id=command.correlation_id,
            session_id=session_id,
            stream_id=command.stream_id,
            channel=command.channel,
            value=value,
        )

    def _image_counter(
        self,
        type_id: int,
        name: str,
        event: ImageRequested,
        first: NetworkSubscription,
        correlation_id: int,
        value: int,
        owner_id: int | None = None,
    ) -> int:
        return self._counters.stream(
            type_id,
            name,
            owner_id=first.client_id if owner_id is None else owner_id,
            registration_id=correlation_id,
            session_id=event.session_id,
            stream_id=event.stream_id,
            channel=first.channel,
            value=value,
        )

    def _loss_delay(self, channel: ReceiveChannel, *, is_multicast: bool) -> LossDelayOptions:
        context = self._context
        delay_ns = channel.udp_channel.nak_delay_ns
        if delay_ns is None:
            delay_ns = context.nak_unicast_delay_ns
        return LossDelayOptions(
            is_multicast=is_multicast,
            delay_ns=delay_ns,
            retry_delay_ns=delay_ns * context.nak_unicast_retry_delay_ratio,
            group_size=context.nak_multicast_group_size,
            max_backoff_ns=context.nak_multicast_max_backoff_ns,
            random=self._random,
        )

    def _congestion_control(
        self,
        event: ImageRequested,
        channel: ReceiveChannel,
        first: NetworkSubscription,
        correlation_id: int,
        counter_ids: list[int],
    ) -> CongestionControlOptions:
        text = channel.udp_channel.uri.get("cc", self._context.congestion_control_supplier)
        if text == "static":
            return CongestionControlOptions(channel.window_length)
        if text != "cubic":
            raise ConfigurationError(
                f"channel URI {channel.udp_channel.text!r}: parameter 'cc'",
                "static or cubic",
                text,
            )
        counter_ids.extend(
            self._image_counter(
                CounterType.COUNTER_TYPE_PER_IMAGE, name, event, first, correlation_id, 0, -1
            )
            for name in ("rcv-cc-cubic-rtt", "rcv-cc-cubic-wnd")
        )
        return CongestionControlOptions(
            channel.window_length,
            CongestionControlStrategy.CONGESTION_CONTROL_CUBIC,
            is_tcp_mode=self._context.cubic_congestion_control_tcp_mode,
            measures_rtt=self._context.cubic_congestion_control_measure_rtt,
            initial_rtt_ns=self._context.cubic_congestion_control_initial_rtt_ns,
            rtt_counter_id=counter_ids[-2],
            window_counter_id=counter_ids[-1],
        )


def _check_setup(event: ImageRequested, window_length: int) -> None:
    """Reject a setup frame with impossible values."""
    mtu, term = event.mtu_length, event.term_length
    is_power = term > 0 and term & (term - 1) == 0
    checks = (
        (
            "MTU length",
            f"a multiple of {FRAME_ALIGNMENT} above {FRAME_HEADER_LENGTH} to {MAX_MTU_LENGTH}",
            mtu,
            FRAME_HEADER_LENGTH < mtu <= MAX_MTU_LENGTH and mtu % FRAME_ALIGNMENT == 0,
        ),
        (
            f"mtuLength={mtu} > initialWindowLength={window_length}: MTU length",
            f"at most the receiver window {window_length}",
            mtu,
            mtu <= window_length,
        ),
        (
            "term length",
            f"a power of two from {MIN_TERM_LENGTH} to {MAX_TERM_LENGTH}",
            term,
            is_power and MIN_TERM_LENGTH <= term <= MAX_TERM_LENGTH,
        ),
        (
            "term offset",
            f"a multiple of {FRAME_ALIGNMENT} from 0 to the term length {term}",
            event.term_offset,
            0 <= event.term_offset <= term and event.term_offset % FRAME_ALIGNMENT == 0,
        ),
        (
            "active term id",
            f"at most 2^31 - 1 after the initial one {event.initial_term_id}",
            event.active_term_id,
            (event.active_term_id - event.initial_term_id) % 2**32 <= _MAX_INT32,
        ),
    )
    for what, expected, found, holds in checks:
        if not holds:
            raise ConfigurationError(what, expected, found)
