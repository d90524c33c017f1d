"""Correlation ids of requests for sessions: none is used twice where an answer could be taken.

An answer is recognized by its correlation id alone, at the egress that its request named. Ids come
from a counter of the client's driver, which a driver that was started again begins anew: then its
egress must be another one, or a late answer to the process before gives it a session of that one.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.promises import Listener

__all__ = ["PlainRequest", "RequestIdsAreUsedOnce", "read_request"]

_HEADER: Final = struct.Struct("<HHHH")  # length of the block, template, schema, version
_BLOCK: Final = struct.Struct("<qi")  # correlation id, stream of the egress
_LENGTH: Final = struct.Struct("<I")


class PlainRequest(NamedTuple):
    """What identifies the answer to a request."""

    correlation_id: int
    stream_id: int
    channel: bytes


def read_request(message: bytes) -> PlainRequest:
    """Read a request for a session by hand."""
    block_length = _HEADER.unpack_from(message)[0]
    correlation_id, stream_id = _BLOCK.unpack_from(message, _HEADER.size)
    offset = _HEADER.size + block_length
    (length,) = _LENGTH.unpack_from(message, offset)
    begin = offset + _LENGTH.size
    return PlainRequest(correlation_id, stream_id, message[begin : begin + length])


class RequestIdsAreUsedOnce(Listener):
    """No two requests for sessions have one correlation id at one egress, across restarts."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, PlainRequest]] = set()

    def on_session_request(self, host: int, message: bytes) -> None:
        """Record a request that a host sent for the first time."""
        found = host, read_request(message)
        if found in self._seen:
            raise InvariantError(
                "correlation ids are used once", f"host {host} sent {found[1]} for two requests"
            )
        self._seen.add(found)
