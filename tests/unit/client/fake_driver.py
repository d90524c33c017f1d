"""A media driver controlled by the test, in the test's own thread.

Its CnC file and logs are real; it answers each command with the entry of `answers` for its kind.
"""

import struct
from collections.abc import Callable
from pathlib import Path

from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

LIVENESS_TIMEOUT_NS = 600_000_000_000  # longer than any test or pause
TERM_LENGTH = 65536


class FakeDriver:
    """A fake driver; `do_work` is its duty cycle, which the client's driver_invoker calls."""

    def __init__(self, directory: Path, **changed: int) -> None:
        self.directory = directory
        self.clock = SystemClock()
        lengths = {
            "to_driver_buffer_length": 65536 + 768,
            "to_clients_buffer_length": 65536 + 128,
            "counters_values_buffer_length": 128 * 128,
            "error_log_buffer_length": 4096,
            "client_liveness_timeout_ns": LIVENESS_TIMEOUT_NS,
            "start_timestamp_ms": self.clock.epoch_ms(),
            "pid": 1,
        }
        directory.mkdir(exist_ok=True)
        self.cnc = CncFile.create(SystemFiles(), directory / "cnc.dat", **{**lengths, **changed})
        self.counters = self.cnc.counters_manager()
        self.ring = self.cnc.to_driver()
        self.events = self.cnc.to_clients_transmitter()
        self.commands: list[tuple[Command, bytes]] = []
        self.answers: dict[Command, Callable[[bytes], object]] = {
            Command.ADD_PUBLICATION: lambda data: self.publication_ready(data, is_exclusive=False),
            Command.ADD_EXCLUSIVE_PUBLICATION: lambda data: self.publication_ready(
                data, is_exclusive=True
            ),
            Command.ADD_SUBSCRIPTION: self.subscription_ready,
            Command.ADD_COUNTER: self.counter_ready,
            Command.ADD_STATIC_COUNTER: self.static_counter_ready,
        }
        for kind in (
            Command.REMOVE_PUBLICATION,
            Command.REMOVE_SUBSCRIPTION,
            Command.REMOVE_COUNTER,
            Command.ADD_DESTINATION,
            Command.REMOVE_DESTINATION,
            Command.REMOVE_DESTINATION_BY_ID,
            Command.ADD_RCV_DESTINATION,
            Command.REMOVE_RCV_DESTINATION,
            Command.REJECT_IMAGE,
        ):
            self.answers[kind] = self.success
        self.limits: dict[int, int] = {}  # counter ids by registration id
        self.positions: dict[int, int] = {}
        for kind in range(46):  # the system counters, of which only the ids are used
            self.counters.allocate(f"system {kind}", 0, now_ms=0)
        self.cnc.signal_ready(self.clock.epoch_ms())

    def do_work(self) -> int:
        self.ring.consumer_heartbeat_ms = self.clock.epoch_ms()
        return self.ring.read(self._on_command)

    def _on_command(self, kind: int, data: bytes) -> None:
        self.commands.append((Command(kind), data))
        (client_id,) = struct.unpack_from("<q", data)
        if self.counters.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, client_id) is None:
            self._count("client-heartbeat", CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, client_id)
        if (answer := self.answers.get(Command(kind))) is not None:
            answer(data)

    def last(self, kind: Command) -> bytes:
        """Return the last command of a kind."""
        return [data for each, data in self.commands if each == kind][-1]

    def _count(self, label: str, type_id: int, registration_id: int, value: int = 0) -> int:
        return self.counters.allocate(
            label,
            type_id,
            struct.pack("<q", registration_id),
            now_ms=self.clock.epoch_ms(),
            registration_id=registration_id,
            owner_id=registration_id,
            value=value,
        )

    def log(self, registration_id: int, kind: str, session_id: int, stream_id: int) -> Path:
        path = self.directory / f"{registration_id}.logbuffer"
        log = LocalLog(kind, term_length=TERM_LENGTH, session_id=session_id, stream_id=stream_id)
        if kind != "image":
            log.is_connected = True
        path.write_bytes(memoryview(log))
        return path

    def publication_ready(
        self, data: bytes, *, is_exclusive: bool, limit: int = 32768, channel_status_id: int = -1
    ) -> None:
        correlation_id, stream_id = struct.unpack_from("<qi", data, 8)
        kind = "exclusive" if is_exclusive else "concurrent"
        path = str(self.log(correlation_id, kind, correlation_id + 100, stream_id)).encode()
        counter_id = self._count(
            "pub-lmt", CounterType.COUNTER_TYPE_PUBLISHER_LIMIT, correlation_id, limit
        )
        self.limits[correlation_id] = counter_id
        event = Event.ON_EXCLUSIVE_PUBLICATION_READY if is_exclusive else Event.ON_PUBLICATION_READY
        self.events.transmit(
            event,
            struct.pack(
                "<qqiiiii",
                correlation_id,
                correlation_id,
                correlation_id + 100,
                stream_id,
                counter_id,
                channel_status_id,
                len(path),
            )
            + path,
        )

    def subscription_ready(self, data: bytes) -> None:
        (correlation_id,) = struct.unpack_from("<q", data, 8)
        self.events.transmit(Event.ON_SUBSCRIPTION_READY, struct.pack("<qi", correlation_id, -1))

    def counter_ready(self, data: bytes) -> None:
        correlation_id, type_id = struct.unpack_from("<qi", data, 8)
        counter_id = self._count("a counter", type_id, correlation_id)
        self.events.transmit(Event.ON_COUNTER_READY, struct.pack("<qi", correlation_id, counter_id))

    def static_counter_ready(self, data: bytes) -> None:
        correlation_id, registration_id, type_id = struct.unpack_from("<qqi", data, 8)
        counter_id = self.counters.find(type_id, registration_id)
        if counter_id is None:
            counter_id = self._count("a static counter", type_id, registration_id)
        self.events.transmit(
            Event.ON_STATIC_COUNTER, struct.pack("<qi", correlation_id, counter_id)
        )

    def success(self, data: bytes) -> None:
        (correlation_id,) = struct.unpack_from("<q", data, 8)
        self.events.transmit(Event.ON_OPERATION_SUCCESS, struct.pack("<q", correlation_id))

    def reject(self, data: bytes, code: int = 1, message: bytes = b"no") -> None:
        (correlation_id,) = struct.unpack_from("<q", data, 8)
        self.events.transmit(
            Event.ON_ERROR, struct.pack("<qii", correlation_id, code, len(message)) + message
        )

    def available_image(
        self, subscription_id: int, image_id: int, path: Path, session_id: int = 7
    ) -> int:
        """Announce an image of a log; return the id of its position counter."""
        counter_id = self._count("sub-pos", CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION, image_id)
        self.positions[image_id] = counter_id
        name = str(path).encode()
        source = b"aeron:ipc"
        padding = bytes(-len(name) % 4)
        self.events.transmit(
            Event.ON_AVAILABLE_IMAGE,
            struct.pack(
                "<qiiqii", image_id, session_id, 1001, subscription_id, counter_id, len(name)
            )
            + name
            + padding
            + struct.pack("<i", len(source))
            + source,
        )
        return counter_id

    def unavailable_image(self, subscription_id: int, image_id: int) -> None:
        self.events.transmit(
            Event.ON_UNAVAILABLE_IMAGE,
            struct.pack("<qqii", image_id, subscription_id, 1001, 9) + b"aeron:ipc",
        )

    def event(self, kind: Event, form: str, *values: object, text: bytes = b"") -> None:
        self.events.transmit(kind, struct.pack(form, *values) + text)
