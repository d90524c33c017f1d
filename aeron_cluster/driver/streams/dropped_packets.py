"""Datagrams dropped by the sender or the receiver, with the reason."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from aeron_cluster.memory.system.address import Address


class Fault(IntEnum):
    """The reason for dropping a datagram."""

    LENGTH = 0
    """It is shorter than its type's frame."""
    VERSION = 1
    CONTENT = 2
    """A field is outside its range."""
    SESSION_LIMIT = 3
    """A stream already has the maximum number of images."""


class PacketDropped(NamedTuple):
    """The first dropped datagram of its kind; a counter has their number."""

    endpoint: object
    """The send endpoint or receive endpoint that received it."""
    source: Address | None
    frame_type: int
    """The frame type; 15 for higher types, and for a datagram too short to have one."""
    length: int
    fault: Fault
