"""Captured frames of a driver's datagrams, as values.

The half of ``io.aeron.agent.DriverEventDissector`` about frames. Only the first frame of a datagram
is shown, as upstream does.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.events.layouts import Layout, address_text, host_text, make_layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["describe_frame"]

_HEADER: Final = struct.Struct("<iBBH")
_ENTRY: Final = struct.Struct("<BBHi")
_RESOLUTION: Final = 7
_V6: Final = 2

_DATA: Final = make_layout(
    "termOffset:i sessionId:i streamId:i termId:i", "sessionId streamId termId termOffset"
)
_FRAMES: Final[Mapping[int, tuple[str, Layout]]] = {
    0: ("PAD", _DATA),
    1: ("DATA", _DATA),
    2: ("NAK", make_layout("sessionId:i streamId:i termId:i termOffset:i length:i")),
    3: (
        "SM",
        make_layout(
            "sessionId:i streamId:i termId:i termOffset:i receiverWindowLength:i receiverId:q"
        ),
    ),
    4: (
        "ERR",
        make_layout(
            "sessionId:i streamId:i receiverId:q groupTag:q errorCode:i errorMessage:s",
            'sessionId streamId receiverId groupTag errorCode "errorMessage',
        ),
    ),
    5: (
        "SETUP",
        make_layout(
            "termOffset:i sessionId:i streamId:i initialTermId:i activeTermId:i termLength:i mtu:i"
            " ttl:i",
            "sessionId streamId activeTermId initialTermId termOffset termLength mtu ttl",
        ),
    ),
    6: (
        "RTT",
        make_layout("sessionId:i streamId:i echoTimestampNs:q receptionDelta:q receiverId:q"),
    ),
    11: ("RSP_SETUP", make_layout("sessionId:i streamId:i responseSessionId:i")),
}


def describe_frame(data: bytes) -> list[tuple[str, Any, str]]:
    """Return the names, values and formats of an address and the frame after it."""
    address, start = address_text(data, 0)
    items: list[tuple[str, Any, str]] = [("address", address, "address={}")]
    frame_length, _, flags, frame_type = _HEADER.unpack_from(data, start)
    body = data[start + _HEADER.size :]
    if frame_type == _RESOLUTION:
        name, layout = "RES", None
    elif frame_type in _FRAMES:
        name, layout = _FRAMES[frame_type]
    else:
        return [*items, ("type", f"UNKNOWN({frame_type})", "type={}")]
    items += [
        ("type", name, "type={}"),
        ("flags", f"{flags:08b}", "flags={}"),
        ("frameLength", frame_length, "frameLength={}"),
    ]
    if layout is None:
        entries = list(_entries(body[: max(frame_length - _HEADER.size, 0)]))
        items.append(("entries", " ".join(entries), "{}"))
    else:
        values = layout.decode(body)
        items += [(name, values[name], form) for name, form in layout.text]
    return items


def _entries(body: bytes) -> Iterator[str]:
    at = 0
    while at + _ENTRY.size <= len(body):
        kind, flags, port, age_ms = _ENTRY.unpack_from(body, at)
        begin = at + _ENTRY.size
        end = begin + (16 if kind == _V6 else 4)
        if end + 2 > len(body):
            yield f"... {len(body) - at} bytes left"
            return
        (length,) = struct.unpack_from("<H", body, end)
        name = body[end + 2 : end + 2 + length].decode("ascii", "replace")
        host = host_text(body[begin:end]).strip("[]")
        yield (
            f"[resType={kind} flags={flags:08b} port={port} ageInMs={age_ms} address={host} "
            f"name={name}]"
        )
        at = -(-(end + 2 + length) // 8) * 8
