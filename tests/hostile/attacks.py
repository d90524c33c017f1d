"""Sequences of well-formed datagrams that no honest peer sends, drawn from a seed.

Each attack is a function of a random generator and a port with its known streams, and returns one
sequence. Each datagram alone has a valid format and passes every check of it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aeron_cluster.codecs import archive, cluster
from tests.hostile.frames import BEGIN_AND_END, END_OF_STREAM, PAD, Stream, align

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INTERESTING = (0, 1, -1, 2, 31, 32, 1 << 20, 1 << 30, (1 << 31) - 1, -(1 << 31))
INTERESTING_LONG = (*INTERESTING, 1 << 40, (1 << 63) - 1, -(1 << 63))
# A driver retains a session for ten seconds: few ids, so that few sessions exist at a time.
OWN_SESSIONS = tuple(range(0x5EED0000, 0x5EED0000 + 24))
_STREAM_IDS = (10, 20, 100, 101, 102, 104, 105, 106, 108)


@dataclass(frozen=True)
class Live:
    """A stream of honest peers, and the position that a receiver has reached in it."""

    stream: Stream
    position: int


@dataclass
class Port:
    """A destination of datagrams.

    Parameters
    ----------
    host, port
        The address.
    stream_id
        The stream that is received there.
    schemas
        The schemas of the messages that are valid there.
    live
        Streams of honest peers, if the attacker knows them.
    """

    host: str
    port: int
    stream_id: int
    schemas: tuple[object, ...] = ()
    live: Sequence[Live] = field(default_factory=list)


def _own(rng: random.Random, port: Port) -> Stream:
    return Stream(rng.choice(OWN_SESSIONS), port.stream_id, rng.choice(INTERESTING), 65536, 1408)


def overlap(rng: random.Random, port: Port) -> list[bytes]:
    """A separate session whose second frame begins within the first one."""
    stream = _own(rng, port)
    first = rng.randrange(64, 1200)
    # The header of the next frame is read from its payload.
    at = rng.randrange(32, align(first), 32)
    return [
        *[stream.setup()] * 5,
        stream.data(0, bytes(first - 32)),
        stream.data(at, rng.randbytes(rng.randrange(1, 400))),
        stream.heartbeat(0),
    ]


def reversed_overlap(rng: random.Random, port: Port) -> list[bytes]:
    """The later frame first, then one that overlaps its start."""
    stream = _own(rng, port)
    at = rng.randrange(32, 1024, 32)
    return [
        *[stream.setup()] * 5,
        stream.data(at, rng.randbytes(300)),
        stream.data(0, rng.randbytes(at + rng.randrange(1, 300))),
        stream.heartbeat(at),
    ]


def wrong_terms(rng: random.Random, port: Port) -> list[bytes]:
    """Terms that have ended, that never began, and that are far ahead."""
    stream = _own(rng, port)
    count = rng.choice((1, 3, 1000, 1 << 20))
    begin = count * stream.term_length
    places = [begin, begin - 64, 0, begin + stream.term_length, begin + (1 << 40), begin + 3072]
    frames = [stream.data(rng.choice(places), rng.randbytes(64)) for _ in range(8)]
    beats = [stream.heartbeat(place) for place in places]
    return [*[stream.setup(begin)] * 3, *frames, *beats]


def false_setups(rng: random.Random, port: Port) -> list[bytes]:
    """Setups of one session with other terms, lengths and streams each time."""
    stream = _own(rng, port)
    out = [stream.setup()]
    for _ in range(6):
        name = rng.choice(
            ("term_offset", "initial_term_id", "active_term_id", "term_length", "mtu", "ttl")
        )
        out.append(stream.setup(**{name: rng.choice((*INTERESTING, 1 << 16, 1 << 24, 4096))}))
    out.append(stream.setup(stream_id=rng.choice(_STREAM_IDS)))
    return out


def padding(rng: random.Random, port: Port) -> list[bytes]:
    """Padding at the positions of messages, and messages at the positions of padding."""
    stream = _own(rng, port)
    left = stream.term_length
    return [
        *[stream.setup()] * 3,
        stream.data(0, kind=PAD, length=left),
        stream.data(64, rng.randbytes(100)),
        stream.data(stream.term_length - 64, rng.randbytes(32)),
        stream.data(stream.term_length, rng.randbytes(100)),
    ]


def ends(rng: random.Random, port: Port) -> list[bytes]:
    """A stream that ends, continues, and ends at another position."""
    stream = _own(rng, port)
    return [
        *[stream.setup()] * 3,
        stream.heartbeat(4096, BEGIN_AND_END | END_OF_STREAM),
        *stream.message(0, rng.randbytes(3000)),
        stream.heartbeat(0, BEGIN_AND_END | END_OF_STREAM),
        stream.heartbeat(rng.choice(INTERESTING_LONG) & ((1 << 40) - 32), END_OF_STREAM | 0x10),
    ]


def replies(rng: random.Random, port: Port) -> list[bytes]:
    """Unrequested status messages, retransmit requests, measurements and errors."""
    known = [each.stream for each in port.live] or [_own(rng, port)]
    out = []
    for _ in range(8):
        stream = rng.choice([rng.choice(known), _own(rng, port)])
        position = rng.choice((0, 64, 1 << 16, 1 << 30, 1 << 40))
        receiver_id = rng.choice(INTERESTING_LONG)
        out.append(
            rng.choice(
                (
                    stream.status(position, rng.choice(INTERESTING), receiver_id),
                    stream.status(position, 1 << 16, receiver_id, flags=0x80),
                    stream.nak(position, rng.choice(INTERESTING)),
                    stream.rtt(position, position, receiver_id),
                    stream.rtt(position, 0, receiver_id, is_reply=False),
                    stream.error(13, b"no" * rng.randrange(400), receiver_id),
                    stream.response_setup(rng.choice(INTERESTING)),
                )
            )
        )
    return out


def messages(rng: random.Random, port: Port) -> list[bytes]:
    """Unexpected complete messages of the port's schemas, with strange values."""
    stream = _own(rng, port)
    out = [stream.setup()] * 3
    position = 0
    for _ in range(12):
        schema = rng.choice(port.schemas or (cluster, archive))
        for frame in stream.message(position, _message(rng, schema)):
            out.append(frame)
            position += len(frame)
    return out


def _message(rng, schema):
    names = [name for name in schema.__all__ if hasattr(getattr(schema, name), "fields")]
    kinds = [getattr(schema, name) for name in names if hasattr(getattr(schema, name), "encode")]
    kind = rng.choice(kinds)
    values = _values(rng, kind)
    for name, entry in kind.groups:
        values[name] = [_values(rng, entry) for _ in range(rng.randrange(3))]
    return kind.encode(**values)


def _values(rng, block):
    values = {}
    for each in block.fields:
        if each.enum is not None:
            values[each.name] = rng.choice(list(each.enum))
        else:
            bits = {"b": 8, "h": 16, "i": 32, "q": 64}[each.code.lower()]
            value = rng.choice((*INTERESTING_LONG, rng.getrandbits(bits)))
            # Real session ids are small numbers; a sender that guesses one can send in its name.
            if "session_id" in each.name:
                value = rng.getrandbits(bits) | 1 << (bits - 3)
            value &= (1 << bits) - 1
            is_negative = each.code.islower() and value >= 1 << (bits - 1)
            values[each.name] = value - (1 << bits) if is_negative else value
    texts = ("", "aeron:udp?endpoint=127.0.0.1:1", "aeron:ipc", "aeron:udp?endpoint=x", "\x00|=:")
    for part in block.data:
        text = rng.choice(texts)
        values[part.name] = text if part.is_text else text.encode("latin-1")
    return values


def forged(rng: random.Random, port: Port) -> list[bytes]:
    """Frames within an honest stream, at its receiver's position and just ahead of it."""
    if not port.live:
        return overlap(rng, port)
    live = rng.choice(list(port.live))
    stream, position = live.stream, live.position
    ahead = position + rng.randrange(0, 4096, 32)
    return rng.choice(
        (
            [stream.data(ahead, bytes(rng.randrange(1, 1000)))],
            [stream.data(ahead, bytes(192)), stream.data(ahead + 64, bytes(300))],
            [stream.data(ahead, kind=PAD, length=stream.term_length - ahead % stream.term_length)],
            [stream.heartbeat(ahead + (1 << 20))],
            [stream.data(max(0, position - (1 << 20)) & ~31, bytes(100))],
            [stream.setup(ahead, term_length=1 << 30), stream.setup(0)],
        )
    )


STRANGER: tuple[Callable[[random.Random, Port], list[bytes]], ...] = (
    overlap,
    reversed_overlap,
    wrong_terms,
    false_setups,
    padding,
    ends,
    replies,
    messages,
)
"""The attacks of a sender that knows only the ports."""

INSIDER = (*STRANGER[:-1], forged, forged)
"""The attacks of a sender on a member's host that knows the streams; it sends no messages as a
member.
"""
