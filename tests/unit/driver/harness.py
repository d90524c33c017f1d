"""A driver's parts by hand: logs in plain memory, counters, and a publisher that writes frames."""

import struct

from aeron_cluster.driver.log_settings import LogSettings
from aeron_cluster.driver.raw_log import RawLog
from aeron_cluster.memory.counters import CountersManager
from aeron_cluster.memory.counters_layout import SystemCounter

TERM_LENGTH = 65536
MTU_LENGTH = 1408
HEADER = struct.Struct("<iBBHiiiiq")
INITIAL_TERM_ID = 7


class Counters:
    """Counters in plain memory, the system counters first, as a driver has them."""

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
    """A log in plain memory, and the publisher's or the reader's hand in it."""

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
        """Return where in the memory a position lies."""
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
