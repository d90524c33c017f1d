"""Frames of the protocol as bytes, with any field values, valid or not."""

import struct
from dataclasses import dataclass

DATA, PAD, NAK, STATUS, ERROR, SETUP, RTT, RESPONSE_SETUP = 1, 0, 2, 3, 4, 5, 6, 0xB
BEGIN_AND_END = 0xC0
END_OF_STREAM = 0x20

_DATA = struct.Struct("<iBBHiiiiq")
_SETUP = struct.Struct("<iBBHiiiiiiii")
_STATUS = struct.Struct("<iBBHiiiiiq")
_NAK = struct.Struct("<iBBHiiiii")
_RTT = struct.Struct("<iBBHiiqqq")
_ERROR = struct.Struct("<iBBHiiqqii")
_RESPONSE_SETUP = struct.Struct("<iBBHiii")
_DATA_HEADER = _DATA.size
_MASK = (1 << 32) - 1


def align(length):
    """Return a frame's aligned length."""
    return (length + 31) & ~31


def _i32(value):
    value &= _MASK
    return value - (1 << 32) if value >= 1 << 31 else value


@dataclass(frozen=True)
class Stream:
    """A stream that frames claim to belong to; it has its own positions."""

    session_id: int
    stream_id: int
    initial_term_id: int = 0
    term_length: int = 65536
    mtu: int = 1408

    def term_id(self, position):
        """Return the id of the term that contains a position."""
        return _i32(self.initial_term_id + position // self.term_length)

    def data(self, position, payload=b"", *, kind=DATA, length=None, flags=BEGIN_AND_END):
        """Return a data frame, padded to its alignment; ``length`` replaces the true one."""
        frame = _DATA.pack(
            _DATA_HEADER + len(payload) if length is None else length,
            *(0, flags, kind, position % self.term_length, self.session_id, self.stream_id),
            *(self.term_id(position), 0),
        )
        return (frame + payload).ljust(align(_DATA_HEADER + len(payload)), b"\0")

    def message(self, position, payload):
        """Return the datagrams of a complete message; a long one is fragmented."""
        step = self.mtu - _DATA_HEADER
        parts = [payload[at : at + step] for at in range(0, len(payload), step)] or [b""]
        out = []
        for index, part in enumerate(parts):
            flags = (0x80 if index == 0 else 0) | (0x40 if index == len(parts) - 1 else 0)
            out.append(self.data(position, part, flags=flags))
            position += len(out[-1])
        return out

    def heartbeat(self, position, flags=BEGIN_AND_END):
        """Return a heartbeat, a data frame of length 0 at the sender's position."""
        return self.data(position, length=0, flags=flags)

    def setup(self, position=0, **fields):
        """Return a setup frame; `fields` replace its values."""
        given = {
            "term_offset": position % self.term_length,
            "session_id": self.session_id,
            "stream_id": self.stream_id,
            "initial_term_id": self.initial_term_id,
            "active_term_id": self.term_id(position),
            "term_length": self.term_length,
            "mtu": self.mtu,
            "ttl": 0,
        } | fields
        return _SETUP.pack(_SETUP.size, 0, 0, SETUP, *given.values())

    def status(self, position, window, receiver_id, flags=0):
        """Return a status message with a consumption position and a receiver window."""
        return _STATUS.pack(
            *(_STATUS.size, 0, flags, STATUS, self.session_id, self.stream_id),
            *(self.term_id(position), position % self.term_length, window, receiver_id),
        )

    def nak(self, position, length):
        """Return a NAK, a request to retransmit."""
        return _NAK.pack(
            *(_NAK.size, 0, 0, NAK, self.session_id, self.stream_id),
            *(self.term_id(position), position % self.term_length, length),
        )

    def rtt(self, echo_ns, delta_ns, receiver_id, *, is_reply=True):
        """Return an RTT measurement, or a reply to one."""
        flags = 0 if is_reply else 0x80
        return _RTT.pack(
            *(_RTT.size, 0, flags, RTT, self.session_id, self.stream_id),
            *(echo_ns, delta_ns, receiver_id),
        )

    def error(self, code, text, receiver_id):
        """Return an error frame, by which a receiver rejects a stream."""
        head = _ERROR.pack(
            *(_ERROR.size + len(text), 0, 0, ERROR, self.session_id, self.stream_id),
            *(receiver_id, 0, code, len(text)),
        )
        return head + text

    def response_setup(self, response_session_id):
        """Return a response setup frame, which names the session of a response stream."""
        return _RESPONSE_SETUP.pack(
            *(_RESPONSE_SETUP.size, 0, 0, RESPONSE_SETUP, self.session_id, self.stream_id),
            response_session_id,
        )
