"""A whole driver under test: virtual time, an in-memory network, and the test's commands."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.logbuffer.log_buffers import LogBuffer
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.seams import Files, Seams, SeededRandom, SystemFiles
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

MS = 1_000_000
S = 1_000_000_000
CLIENT = 1000


class ReceivedEvent(NamedTuple):
    """One event as clients receive it, with its fields in the order of the protocol."""

    event: Event
    fields: tuple[Any, ...]


_FIXED = {
    Event.ON_ERROR: "<qii",
    Event.ON_AVAILABLE_IMAGE: "<qiiqii",
    Event.ON_PUBLICATION_READY: "<qqiiiii",
    Event.ON_EXCLUSIVE_PUBLICATION_READY: "<qqiiiii",
    Event.ON_OPERATION_SUCCESS: "<q",
    Event.ON_UNAVAILABLE_IMAGE: "<qqii",
    Event.ON_SUBSCRIPTION_READY: "<qi",
    Event.ON_COUNTER_READY: "<qi",
    Event.ON_UNAVAILABLE_COUNTER: "<qi",
    Event.ON_CLIENT_TIMEOUT: "<q",
    Event.ON_STATIC_COUNTER: "<qi",
    Event.ON_PUBLICATION_ERROR: "<qqiiqqhH16sii",
    Event.ON_NEXT_AVAILABLE_SESSION_ID: "<qi",
}
_WITH_TEXT = {
    Event.ON_ERROR,
    Event.ON_AVAILABLE_IMAGE,
    Event.ON_PUBLICATION_READY,
    Event.ON_EXCLUSIVE_PUBLICATION_READY,
    Event.ON_UNAVAILABLE_IMAGE,
    Event.ON_PUBLICATION_ERROR,
}


def read_event(type_id: int, data: bytes) -> ReceivedEvent:
    event = Event(type_id)
    layout = struct.Struct(_FIXED[event])
    fields = list(layout.unpack_from(data))
    if event in _WITH_TEXT:
        length = fields.pop()
        fields.append(data[layout.size : layout.size + length].decode())
        if event == Event.ON_AVAILABLE_IMAGE:
            rest = layout.size + (length + 3) // 4 * 4
            fields.append(data[rest + 4 :].decode())
    return ReceivedEvent(event, tuple(fields))


class DriverRig:
    """A driver and one client's side of its CnC file."""

    def __init__(
        self,
        directory: Path,
        *,
        network: MemoryNetwork | None = None,
        clock: VirtualClock | None = None,
        files: Files | None = None,
        seed: int = 1,
        **options: Any,
    ) -> None:
        self.clock = VirtualClock(5 * S) if clock is None else clock
        self.network = MemoryNetwork() if network is None else network
        options = {
            "term_buffer_length": 64 << 10,
            "ipc_term_buffer_length": 64 << 10,
            "aeron_dir": directory,
            "threading_mode": "INVOKER",
        } | options
        self.files = SystemFiles() if files is None else files
        seams = Seams(
            clock=self.clock, network=self.network, files=self.files, random=SeededRandom(seed)
        )
        self.driver = MediaDriver.launch(seams=seams, environment={}, **options)
        self.invoker = self.driver.invoker
        self.invoker.start()
        self.cnc = CncFile.open(self.files, f"{directory}/cnc.dat")
        self.ring = self.cnc.to_driver()
        self.receiver = self.cnc.to_clients_receiver()
        self.counters = self.driver.counters
        self.events: list[ReceivedEvent] = []

    def close(self) -> None:
        self.driver.close()

    # ---- time ----

    def run_once(self) -> None:
        """Run passes until nothing is left to do, without advancing time."""
        for _ in range(200):
            worked = self.invoker.invoke()
            while (received := self.receiver.receive()) is not None:
                self.events.append(read_event(*received))
            if not worked:
                return

    def run(self, duration_ns: int, *, step_ns: int = 10 * MS, heartbeats: bool = True) -> None:
        """Advance time; clients with a heartbeat counter keep updating it."""
        for _ in range(duration_ns // step_ns):
            self.clock.advance(step_ns)
            if heartbeats:
                for each in self.counters.counters():
                    is_heartbeat = each.type_id == CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT
                    if is_heartbeat and each.value:
                        self.counters.set_value(each.counter_id, self.clock.epoch_ms())
            self.run_once()

    def run_until(self, condition: Callable[[], object], limit_ns: int = 30 * S) -> None:
        for _ in range(limit_ns // (10 * MS)):
            if condition():
                return
            self.run(10 * MS)
        raise AssertionError(f"not within {limit_ns / S} s; events {self.events}")

    # ---- commands ----

    def send(self, type_id: int, payload: bytes, client: int = CLIENT) -> int:
        correlation_id = self.ring.next_correlation_id()
        assert self.ring.write(type_id, struct.pack("<qq", client, correlation_id) + payload)
        return correlation_id

    def request(self, type_id: int, payload: bytes, client: int = CLIENT) -> list[ReceivedEvent]:
        """Send a command; return the driver's responses."""
        known = len(self.events)
        self.send(type_id, payload, client)
        self.run_once()
        return self.events[known:]

    def _channel_command(self, type_id: int, head: bytes, channel: str, client: int) -> int:
        payload = head + struct.pack("<i", len(channel)) + channel.encode()
        correlation_id = self.send(type_id, payload, client)
        self.run_once()
        return correlation_id

    def add_publication(
        self, channel: str, stream_id: int = 10, *, exclusive: bool = False, client: int = CLIENT
    ) -> int:
        type_id = Command.ADD_EXCLUSIVE_PUBLICATION if exclusive else Command.ADD_PUBLICATION
        return self._channel_command(type_id, struct.pack("<i", stream_id), channel, client)

    def add_subscription(self, channel: str, stream_id: int = 10, client: int = CLIENT) -> int:
        head = struct.pack("<qi", -1, stream_id)
        return self._channel_command(Command.ADD_SUBSCRIPTION, head, channel, client)

    def destination(self, type_id: int, registration_id: int, channel: str) -> int:
        return self._channel_command(type_id, struct.pack("<q", registration_id), channel, CLIENT)

    def remove_publication(
        self, registration_id: int, *, revoke: bool = False
    ) -> list[ReceivedEvent]:
        payload = struct.pack("<qq", registration_id, int(revoke))
        return self.request(Command.REMOVE_PUBLICATION, payload)

    def remove_subscription(self, registration_id: int) -> list[ReceivedEvent]:
        return self.request(Command.REMOVE_SUBSCRIPTION, struct.pack("<q", registration_id))

    # ---- events ----

    def all(self, event: Event) -> list[tuple[Any, ...]]:
        return [each.fields for each in self.events if each.event == event]

    def ready(self, correlation_id: int) -> tuple[Any, ...]:
        """Return the fields of the response to an added publication."""
        kinds = (Event.ON_PUBLICATION_READY, Event.ON_EXCLUSIVE_PUBLICATION_READY)
        [fields] = [
            each.fields
            for each in self.events
            if each.event in kinds and each.fields[0] == correlation_id
        ]
        return fields

    def error(self, correlation_id: int) -> tuple[int, str]:
        """Return the code and text of a command's error response."""
        [fields] = [fields for fields in self.all(Event.ON_ERROR) if fields[0] == correlation_id]
        return fields[1], fields[2]

    def images(self, subscription_id: int) -> list[tuple[Any, ...]]:
        return [f for f in self.all(Event.ON_AVAILABLE_IMAGE) if f[3] == subscription_id]

    def lost_images(self, subscription_id: int) -> list[tuple[Any, ...]]:
        return [f for f in self.all(Event.ON_UNAVAILABLE_IMAGE) if f[1] == subscription_id]

    def log(self, path: str) -> LogBuffer:
        return LogBuffer(Path(path).read_bytes(), path)

    def labels(self, *type_ids: int) -> list[str]:
        """Return the labels of counters of these types, by default all except the driver's own."""
        return [
            each.label
            for each in self.counters.counters()
            if (each.type_id in type_ids if type_ids else each.type_id != 0)
        ]

    def publish(self, ready: tuple[Any, ...], payload: bytes) -> int:
        """Append one message to a log as a single publisher does; return the position after it."""
        path = Path(ready[6])
        length = (32 + len(payload) + 31) // 32 * 32
        with path.open("r+b") as file:
            meta = path.stat().st_size - 4096
            file.seek(meta)
            tails = struct.unpack("<qqqi", file.read(28))
            index = tails[3] % 3
            tail = tails[index]
            term_id, offset = tail >> 32, tail & 0xFFFFFFFF
            file.seek(meta + 264)
            [initial_term_id] = struct.unpack("<i", file.read(4))
            term_length = (meta - meta % 4096) // 3 // 4096 * 4096
            assert offset + length <= term_length, "the test's messages stay within one term"
            file.seek(index * term_length + offset + 4)
            file.write(struct.pack("<BBHiiiiq", 0, 0xC0, 1, offset, ready[2], ready[3], term_id, 0))
            file.write(payload)
            file.seek(index * term_length + offset)
            file.write(struct.pack("<i", 32 + len(payload)))
            file.seek(meta + 8 * index)
            file.write(struct.pack("<q", tail + length))
        return ((term_id - initial_term_id) * term_length) + offset + length
