"""The envelope of messages between a surviving client and a de-duplicating service.

No counterpart in Aeron. ``include/aeron_cluster/requests.h`` draws the layout and explains each
field; this is the same for Python.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Self

from aeron_cluster.errors import VersionError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "ENVELOPE_LENGTH",
    "ENVELOPE_MAGIC",
    "ENVELOPE_VERSION",
    "OPENED_BODY",
    "Envelope",
    "EnvelopeKind",
    "FailureCause",
]

ENVELOPE_MAGIC: Final = 0x51524341  # "ACRQ"
ENVELOPE_VERSION: Final = 1
ENVELOPE_LENGTH: Final = 40
OPENED_BODY: Final = struct.Struct("<ii")
"""The body of an ``OPENED``: the window in requests, and the longest message with its envelope that
the cluster's log takes, in bytes; zero if the service does not know it."""

_LAYOUT: Final = struct.Struct("<IHHqqqq")
_HEAD: Final = struct.Struct("<IHH")
assert _LAYOUT.size == ENVELOPE_LENGTH


class EnvelopeKind(IntEnum):
    """The kind of a message in an envelope; clients send the first three, services the others."""

    OPEN = 1
    REQUEST = 2
    FORGET = 3
    OPENED = 16
    ANSWER = 17
    FAILURE = 18
    PENDING = 19
    GAP = 20
    UNKNOWN_CLIENT = 21
    SUPERSEDED = 22
    NO_ROOM = 23
    SNAPSHOT_CLIENT = 32
    SNAPSHOT_ANSWER = 33
    SNAPSHOT_END = 34


class FailureCause(IntEnum):
    """Why a request failed: `Envelope.acknowledged` of a ``FAILURE``."""

    UNKNOWN = 0
    """A service of an earlier version does not send it."""
    REJECTED = 1
    FAILED = 2


@dataclass(frozen=True, slots=True)
class Envelope:
    """The header before the body.

    Parameters
    ----------
    kind : EnvelopeKind
    client_id : int
        The client id.
    incarnation : int
        The process with that id: a later one has a higher number.
    sequence : int
        The number of a request and of its answer, counted from 1; in other answers, the last
        request that the service applied.
    acknowledged : int
        The client has all answers up to this request; in a ``FAILURE``, the `FailureCause`.
    """

    kind: EnvelopeKind
    client_id: int
    incarnation: int
    sequence: int
    acknowledged: int = 0

    def encode(self, body: Buffer = b"") -> bytes:
        """Return the envelope followed by a body."""
        head = _LAYOUT.pack(
            ENVELOPE_MAGIC,
            ENVELOPE_VERSION,
            self.kind,
            self.client_id,
            self.incarnation,
            self.sequence,
            self.acknowledged,
        )
        return b"".join((head, body))

    @classmethod
    def decode(cls, message: Buffer) -> Self | None:
        """Read the envelope of a message; None if it has none, or is of an unknown kind.

        Raises
        ------
        VersionError
            The envelope has another version.
        """
        # The length is checked too: a shorter message has no envelope.
        view = memoryview(message)
        if len(view) < ENVELOPE_LENGTH or not is_envelope(view):
            return None
        _, version, kind, *rest = _LAYOUT.unpack_from(view)
        if version != ENVELOPE_VERSION:
            raise VersionError("request envelope", 4, "version", ENVELOPE_VERSION, version)
        try:
            return cls(EnvelopeKind(kind), *rest)
        except ValueError:
            return None


def is_envelope(message: Buffer) -> bool:
    """Return whether a message begins with an envelope's magic, of any version."""
    view = memoryview(message)
    return len(view) >= _HEAD.size and _HEAD.unpack_from(view)[0] == ENVELOPE_MAGIC
