"""Parts of a driver under test: logs in plain memory, counters, a publisher writing frames."""

import struct
from collections.abc import Callable
from typing import Any

from aeron_cluster.driver.control.stream_tracking import StreamTracking
from aeron_cluster.driver.receive.congestion_control_options import CongestionControlOptions
from aeron_cluster.driver.receive.loss_delay_options import LossDelayOptions
from aeron_cluster.driver.receive.publication_image import PublicationImage
from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
from aeron_cluster.driver.receive.receive_events import ImageRequested, ReceiveEvent
from aeron_cluster.driver.receive.receiver import Receiver
from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.network_publication import NetworkPublication
from aeron_cluster.driver.send.send_endpoint import SendEndpoint, SendMode
from aeron_cluster.driver.send.send_events import SendEvent
from aeron_cluster.driver.send.sender import Sender
from aeron_cluster.driver.streams.log_settings import LogSettings
from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Network
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

TERM_LENGTH = 65536
MTU_LENGTH = 1408
HEADER = struct.Struct("<iBBHiiiiq")
INITIAL_TERM_ID = 7


class Counters:
    """Counters in plain memory, starting with the system counters, as in a driver."""

    def __init__(self) -> None:
        self.metadata = bytearray(512 * 128)
        self.values = bytearray(128 * 128)
        self.manager = CountersManager(self.metadata, self.values)
        for counter in range(SystemCounter.SYSTEM_COUNTER_COUNT):
            self.manager.allocate(f"system {counter}", 0, now_ms=0, registration_id=counter)

    def new(self, label: str = "", value: int = 0) -> int:
        return self.manager.allocate(label or "a counter", 1, now_ms=0, value=value)

    def __getitem__(self, counter_id: int) -> int:
        return self.manager.value(counter_id)

    def __setitem__(self, counter_id: int, value: int) -> None:
        self.manager.set_value(counter_id, value)


def align(length: int) -> int:
    return (length + 31) & ~31


class Log:
    """A log in plain memory, with a publisher's and a reader's operations."""

    def __init__(
        self,
        *,
        term_length: int = TERM_LENGTH,
        initial_term_id: int = INITIAL_TERM_ID,
        start_position: int = 0,
        type: int = 0,  # noqa: A002
        session_id: int = 11,
        stream_id: int = 22,
        mtu_length: int = MTU_LENGTH,
    ) -> None:
        self.term_length = term_length
        self.bits = term_length.bit_length() - 1
        self.initial_term_id = initial_term_id
        self.session_id = session_id
        self.stream_id = stream_id
        self.mtu_length = mtu_length
        self.memory = bytearray(RawLog.file_length(term_length, 4096))
        self.meta = len(self.memory) - 4096
        self.raw = RawLog(
            self.memory,
            "a log",
            LogSettings(
                type=type,
                session_id=session_id,
                stream_id=stream_id,
                initial_term_id=initial_term_id,
                term_id=self.term_id(start_position),
                term_offset=start_position % term_length,
                term_length=term_length,
                mtu_length=mtu_length,
                correlation_id=99,
            ),
        )
        self.position = start_position

    def term_id(self, position: int) -> int:
        value = (self.initial_term_id + (position >> self.bits)) & 0xFFFFFFFF
        return value - (1 << 32) if value >= 1 << 31 else value

    def at(self, position: int) -> int:
        """Return the memory offset of a position."""
        return ((position >> self.bits) % 3) * self.term_length + position % self.term_length

    def set_tail(self, position: int) -> None:
        count = position >> self.bits
        tail = (self.term_id(position) << 32) + position % self.term_length
        struct.pack_into("<q", self.memory, self.meta + 8 * (count % 3), tail)
        struct.pack_into("<i", self.memory, self.meta + 24, count)

    def frame(
        self,
        position: int,
        payload: bytes,
        *,
        flags: int = 0xC0,
        type: int = 1,  # noqa: A002
    ) -> bytes:
        return (
            HEADER.pack(
                32 + len(payload),
                0,
                flags,
                type,
                position % self.term_length,
                self.session_id,
                self.stream_id,
                self.term_id(position),
                0,
            )
            + payload
        )

    def append(self, payload: bytes) -> int:
        """Write one unfragmented message as a publisher does; return the position after it."""
        length = align(32 + len(payload))
        left = self.term_length - self.position % self.term_length
        if length > left:
            self.pad(left)
        frame = self.frame(self.position, payload)
        where = self.at(self.position)
        self.memory[where : where + len(frame)] = frame
        self.position += length
        self.set_tail(self.position)
        return self.position

    def pad(self, length: int) -> int:
        header = self.frame(self.position, b"", type=0)
        where = self.at(self.position)
        self.memory[where : where + 32] = struct.pack("<i", length) + header[4:]
        self.position += length
        self.set_tail(self.position)
        return self.position

    def read(self, position: int, limit: int) -> list[bytes]:
        """Return the payloads of the data frames from a position up to a limit."""
        payloads = []
        while position < limit:
            where = self.at(position)
            length, _, _, kind = struct.unpack_from("<iBBH", self.memory, where)
            assert length > 0, f"no frame at {position}"
            if kind == 1:
                payloads.append(bytes(self.memory[where + 32 : where + length]))
            position += align(length)
        assert position == limit
        return payloads

    @property
    def is_connected(self) -> bool:
        return self.raw.is_connected


LOCAL = "127.0.0.1"
DATA_PORT = 40123
MS = 1_000_000
SECOND = 1000 * MS
SESSION_ID = 11
STREAM_ID = 22
RECEIVER_ID = 0x0123456789ABCDEF

SETUP = struct.Struct("<iBBHiiiiiiii")
STATUS = struct.Struct("<iBBHiiiiiq")
NAK = struct.Struct("<iBBHiiiii")
RTT = struct.Struct("<iBBHiiqqq")
RESPONSE_SETUP = struct.Struct("<iBBHiii")
ERROR = struct.Struct("<iBBHiiqqii")


def setup_frame(log: Log, position: int = 0, *, flags: int = 0, ttl: int = 0) -> bytes:
    return SETUP.pack(
        40,
        0,
        flags,
        5,
        position % log.term_length,
        log.session_id,
        log.stream_id,
        log.initial_term_id,
        log.term_id(position),
        log.term_length,
        log.mtu_length,
        ttl,
    )


def status_frame(
    log: Log,
    position: int,
    window: int,
    *,
    receiver_id: int = RECEIVER_ID,
    flags: int = 0,
    group_tag: int | None = None,
    session_id: int = SESSION_ID,
    stream_id: int = STREAM_ID,
) -> bytes:
    frame = STATUS.pack(
        36 if group_tag is None else 44,
        0,
        flags,
        3,
        session_id,
        stream_id,
        log.term_id(position),
        position % log.term_length,
        window,
        receiver_id,
    )
    return frame if group_tag is None else frame + struct.pack("<q", group_tag)


def nak_frame(log: Log, position: int, length: int) -> bytes:
    return NAK.pack(
        28,
        0,
        0,
        2,
        SESSION_ID,
        STREAM_ID,
        log.term_id(position),
        position % log.term_length,
        length,
    )


def error_frame(
    text: bytes, *, receiver_id: int = RECEIVER_ID, group_tag: int | None = None
) -> bytes:
    return (
        ERROR.pack(
            40 + len(text),
            0,
            0 if group_tag is None else 8,
            4,
            SESSION_ID,
            STREAM_ID,
            receiver_id,
            group_tag or 0,
            13,
            len(text),
        )
        + text
    )


def heartbeat(log: Log, position: int, *, flags: int = 0xC0) -> bytes:
    return HEADER.pack(
        0,
        0,
        flags,
        1,
        position % log.term_length,
        log.session_id,
        log.stream_id,
        log.term_id(position),
        0,
    )


class Sending:
    """A sender with one publication; the test is the receiver."""

    def __init__(
        self,
        *,
        mode: int = SendMode.SEND_CONNECTED,
        flow_control: FlowControlOptions | None = None,
        has_group_semantics: bool = False,
        is_resolvable: bool = False,
        start_position: int = 0,
        initial_term_id: int = INITIAL_TERM_ID,
        destination: tuple[str, int] = (LOCAL, DATA_PORT),
        **options: Any,
    ) -> None:
        self.clock = VirtualClock(nano_time=SECOND)
        self.sent: list[tuple[Address, bytes]] = []
        self.loses = False
        self.network = MemoryNetwork(self._passes)
        self.counters = Counters()
        self.sender = Sender(self.clock, self.counters.manager, control_interval_ns=0)
        self.far = self.network.open(bind=destination)
        self.destinations_id = self.counters.new("mdc-num-dest")
        self.endpoint = SendEndpoint(
            self.network,
            self.counters.manager,
            registration_id=2,
            mode=mode,
            has_group_semantics=has_group_semantics,
            is_resolvable=is_resolvable,
            destinations_counter_id=self.destinations_id,
        )
        connected = mode == SendMode.SEND_CONNECTED
        self.endpoint.open(
            bind=None if connected else (LOCAL, 50000), connect=destination if connected else None
        )
        self.local = self.endpoint.local_address
        self.sender.add_endpoint(self.endpoint)
        self.log = Log(start_position=start_position, initial_term_id=initial_term_id)
        self.position_id = self.counters.new("pub-pos")
        self.limit_id = self.counters.new("pub-lmt")
        self.sender_position_id = self.counters.new("snd-pos")
        self.sender_limit_id = self.counters.new("snd-lmt")
        self.back_pressure_id = self.counters.new("snd-bpe")
        self.naks_id = self.counters.new("snd-naks-received")
        self.receivers_id = self.counters.new("fc-receivers")
        self.publication = NetworkPublication(
            self.log.raw,
            self.counters.manager,
            self.endpoint,
            flow_control or FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_UNICAST),
            **{
                "registration_id": 9,
                "session_id": SESSION_ID,
                "stream_id": STREAM_ID,
                "mtu_length": MTU_LENGTH,
                "window_length": TERM_LENGTH // 2,
                "start_position": start_position,
                "publisher_position_id": self.position_id,
                "publisher_limit_id": self.limit_id,
                "sender_position_id": self.sender_position_id,
                "sender_limit_id": self.sender_limit_id,
                "back_pressure_id": self.back_pressure_id,
                "naks_received_id": self.naks_id,
                "flow_control_receivers_id": self.receivers_id,
                "is_exclusive": False,
                "now_ns": self.clock.nano_time(),
            }
            | options,
        )
        self.sender.add_publication(self.publication)

    def _passes(self, source: Address, target: Address, data: bytes) -> list[bytes]:
        if source == self.local:
            self.sent.append((target, data))
            return []
        return [data]

    def run(self, advance_ns: int = 0) -> list[bytes]:
        """Advance time and run the sender once; return the sent frames."""
        self.clock.advance(advance_ns)
        self.sent.clear()
        self.sender.do_work()
        self.publication.update_limits()
        return [data for _, data in self.sent]

    def deliver(self, data: bytes, *, source: tuple[str, int] = (LOCAL, DATA_PORT)) -> list[bytes]:
        """Deliver a control frame to the sender and run one pass."""
        assert self.network.deliver(source, self.local, data) == 1
        return self.run()

    def events(self) -> list[SendEvent]:
        found = []
        while (event := self.sender.poll_event()) is not None:
            found.append(event)
        return found

    @property
    def sender_position(self) -> int:
        return self.counters[self.sender_position_id]

    @property
    def sender_limit(self) -> int:
        return self.counters[self.sender_limit_id]


class Receiving:
    """A receiver with one endpoint; the test is the stream's sender."""

    def __init__(
        self,
        *,
        term_length: int = TERM_LENGTH,
        group_tag: int | None = None,
        session_limit: int = 0x7FFFFFFF,
        control_address: tuple[str, int] | None = None,
        window_length: int = 131072,
        loss_delay: LossDelayOptions | None = None,
        congestion_control: Callable[[Counters], CongestionControlOptions] | None = None,
        wrap_network: Callable[[MemoryNetwork], Network] = lambda network: network,
        **image_options: Any,
    ) -> None:
        self.clock = VirtualClock(nano_time=SECOND)
        self.network = MemoryNetwork()
        self.counters = Counters()
        self.receiver = Receiver(self.clock, self.counters.manager)
        self.tracking = StreamTracking(self.clock)
        self.endpoint = ReceiveEndpoint(
            wrap_network(self.network),
            self.counters.manager,
            registration_id=1,
            receiver_id=RECEIVER_ID,
            group_tag=group_tag,
            session_limit=session_limit,
        )
        self.source = Address(LOCAL, 50000)
        self.far = self.network.open(bind=self.source)
        self.transport = self.endpoint.open_transport(
            bind=(LOCAL, DATA_PORT),
            control_address=control_address,
            has_explicit_control=control_address is not None,
        )
        self.receiver.add_endpoint(self.endpoint)
        self.stream = Log(term_length=term_length)  # data sent to the receiver
        self.loss_delay = loss_delay or LossDelayOptions()
        self.congestion_control = congestion_control or (
            lambda _: CongestionControlOptions(window_length)
        )
        self.image_options = image_options
        self.image: PublicationImage | None = None
        self.subscriber = -1

    def run(self, advance_ns: int = 0) -> list[bytes]:
        """Advance time, run the receiver and stream tracking once; return the frames sent to the
        source.
        """
        self.clock.advance(advance_ns)
        self.receiver.do_work()
        self.tracking.do_work()
        return self.answers()

    def answers(self) -> list[bytes]:
        found = []
        while (received := self.far.receive()) is not None:
            found.append(received[0])
        return found

    def deliver(self, data: bytes, *, source: tuple[str, int] | None = None) -> list[bytes]:
        assert self.network.deliver(source or self.source, (LOCAL, DATA_PORT), data) == 1
        return self.run()

    def events(self) -> list[ReceiveEvent]:
        found = []
        while (event := self.receiver.poll_event()) is not None:
            found.append(event)
        return found

    def create_image(self, position: int = 0, *, flags: int = 0) -> PublicationImage:
        """Subscribe, receive the setup frame, and create the image as a conductor does."""
        self.receiver.add_subscription(self.endpoint, STREAM_ID)
        self.deliver(setup_frame(self.stream, position, flags=flags))
        (request,) = self.events()
        assert isinstance(request, ImageRequested)
        return self.answer(request, position)

    def answer(self, request: ImageRequested, position: int = 0) -> PublicationImage:
        self.log = Log(
            term_length=request.term_length,
            initial_term_id=request.initial_term_id,
            start_position=position,
            type=2,
        )
        self.high_water_mark_id = self.counters.new("rcv-hwm")
        self.rebuild_id = self.counters.new("rcv-pos")
        self.naks_id = self.counters.new("rcv-naks-sent")
        self.image = PublicationImage(
            self.log.raw,
            self.counters.manager,
            self.endpoint,
            self.loss_delay,
            self.congestion_control(self.counters),
            **{
                "correlation_id": 3,
                "session_id": request.session_id,
                "stream_id": request.stream_id,
                "mtu_length": request.mtu_length,
                "join_position": position,
                "transport_index": request.transport_index,
                "control_address": request.control_address,
                "source_identity": str(request.source),
                "channel": "aeron:udp?endpoint=127.0.0.1:40123",
                "high_water_mark_id": self.high_water_mark_id,
                "rebuild_position_id": self.rebuild_id,
                "naks_sent_id": self.naks_id,
                "now_ns": self.clock.nano_time(),
            }
            | self.image_options,
        )
        self.subscriber = self.counters.new("sub-pos", self.image.join_position)
        self.image.add_subscriber(self.subscriber)
        self.tracking.add_image(self.image)
        assert self.receiver.add_image(self.image)
        self.image.activate()
        return self.image

    def consume(self) -> list[bytes]:
        """Read the rebuilt messages as the subscriber."""
        assert self.image is not None
        position = self.counters[self.subscriber]
        payloads = self.log.read(position, self.image.rebuild_position)
        self.counters[self.subscriber] = self.image.rebuild_position
        return payloads
