"""The counters of streams, put together by stream.

Upstream: StreamStat and BacklogStat.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.memory.shared.counters_layout import CounterType

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = [
    "Stream",
    "StreamBacklog",
    "StreamKey",
    "StreamPosition",
    "backlogs",
    "stream_key",
    "streams",
]

_KEY: Final = struct.Struct("<qiii")  # registration id, session, stream, length of the channel
_STREAM_TYPES: Final = frozenset(
    (
        CounterType.COUNTER_TYPE_PUBLISHER_LIMIT,
        CounterType.COUNTER_TYPE_SENDER_POSITION,
        CounterType.COUNTER_TYPE_RECEIVER_HWM,
        CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION,
        CounterType.COUNTER_TYPE_RECEIVER_POSITION,
        CounterType.COUNTER_TYPE_SENDER_LIMIT,
        CounterType.COUNTER_TYPE_PUBLISHER_POSITION,
        CounterType.COUNTER_TYPE_SENDER_BACK_PRESSURE,
        CounterType.COUNTER_TYPE_SENDER_NAKS_RECEIVED,
        CounterType.COUNTER_TYPE_RECEIVER_NAKS_SENT,
    )
)
_POSITION_TYPES: Final = frozenset(
    (
        CounterType.COUNTER_TYPE_PUBLISHER_LIMIT,
        CounterType.COUNTER_TYPE_SENDER_POSITION,
        CounterType.COUNTER_TYPE_RECEIVER_HWM,
        CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION,
        CounterType.COUNTER_TYPE_RECEIVER_POSITION,
        CounterType.COUNTER_TYPE_SENDER_LIMIT,
        CounterType.COUNTER_TYPE_PER_IMAGE,
        CounterType.COUNTER_TYPE_PUBLISHER_POSITION,
    )
)


class StreamKey(NamedTuple):
    """Which stream a counter belongs to.

    Parameters
    ----------
    session_id, stream_id : int
    channel : str
        As much of it as the key of a counter has room for.
    """

    session_id: int
    stream_id: int
    channel: str


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """A counter of a stream.

    Parameters
    ----------
    name : str
        Its label up to the colon: ``pub-lmt``, ``snd-pos``, ``sub-pos`` and so on.
    registration_id : int
        Of what it belongs to.
    value : int
    """

    name: str
    registration_id: int
    value: int


@dataclass(slots=True)
class Stream:
    """A stream with its counters.

    Parameters
    ----------
    key : StreamKey
    channel : str
        Whole, where a label has it.
    positions : list of StreamPosition
    """

    key: StreamKey
    channel: str
    positions: list[StreamPosition] = field(default_factory=list)


@dataclass(slots=True)
class StreamBacklog:
    """How far the parts of a stream are behind each other; None where a part is not here.

    Parameters
    ----------
    key : StreamKey
    publisher_id, publisher_position, publisher_limit : int, optional
    sender_id, sender_position, sender_limit : int, optional
    receiver_id, receiver_position, receiver_hwm : int, optional
    subscribers : dict of int to int
        Positions of subscribers by registration id.
    """

    key: StreamKey
    publisher_id: int | None = None
    publisher_position: int | None = None
    publisher_limit: int | None = None
    sender_id: int | None = None
    sender_position: int | None = None
    sender_limit: int | None = None
    receiver_id: int | None = None
    receiver_position: int | None = None
    receiver_hwm: int | None = None
    subscribers: dict[int, int] = field(default_factory=dict)

    @property
    def publisher_window(self) -> int | None:
        """Bytes that can be published before back pressure."""
        return _difference(self.publisher_limit, self.publisher_position)

    @property
    def sender_backlog(self) -> int | None:
        """Bytes that are published and not sent."""
        return _difference(self.publisher_position, self.sender_position)

    @property
    def sender_window(self) -> int | None:
        """Bytes that can be sent before a receiver has to allow more."""
        return _difference(self.sender_limit, self.sender_position)

    def subscriber_backlog(self, registration_id: int) -> int | None:
        """Return how many bytes a subscriber has not read of what came in, or is published here."""
        end = self.publisher_position if self.receiver_hwm is None else self.receiver_hwm
        return _difference(end, self.subscribers[registration_id])


def _difference(end: int | None, begin: int | None) -> int | None:
    return None if end is None or begin is None else end - begin


def stream_key(counter: CounterDescriptor) -> tuple[int, StreamKey]:
    """Return what the key of a stream's counter has: the registration id, and which stream."""
    registration_id, session_id, stream_id, length = _KEY.unpack_from(counter.key)
    text = counter.key[_KEY.size : _KEY.size + max(0, length)]
    return registration_id, StreamKey(session_id, stream_id, text.decode("ascii", "replace"))


def streams(counters: Iterable[CounterDescriptor]) -> list[Stream]:
    """Return the streams of a driver with their counters, by session, stream and channel."""
    found: dict[StreamKey, Stream] = {}
    for counter in counters:
        if counter.type_id not in _STREAM_TYPES:
            continue
        registration_id, key = stream_key(counter)
        stream = found.setdefault(key, Stream(key, ""))
        name = counter.label.partition(":")[0]
        stream.positions.append(StreamPosition(name, registration_id, counter.value))
        channel = _whole_channel(counter, key.channel)
        if len(channel) > len(stream.channel):
            stream.channel = channel
    return [found[key] for key in sorted(found)]


def _whole_channel(counter: CounterDescriptor, channel: str) -> str:
    begin = counter.label.find("aeron:")
    if begin < 0:
        return channel
    end = len(counter.label)
    if counter.type_id == CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION:
        joined = counter.label.rfind(" @")  # where it joined
        end = joined if joined > begin else end
    return counter.label[begin:end]


def backlogs(counters: Iterable[CounterDescriptor]) -> list[StreamBacklog]:
    """Return the backlogs of the streams of a driver, by session, stream and channel."""
    found: dict[StreamKey, StreamBacklog] = {}
    for counter in counters:
        if counter.type_id not in _POSITION_TYPES:
            continue
        registration_id, key = stream_key(counter)
        backlog = found.setdefault(key, StreamBacklog(key))
        match counter.type_id:
            case CounterType.COUNTER_TYPE_PUBLISHER_LIMIT:
                backlog.publisher_id = registration_id
                backlog.publisher_limit = counter.value
            case CounterType.COUNTER_TYPE_PUBLISHER_POSITION:
                backlog.publisher_id = registration_id
                backlog.publisher_position = counter.value
            case CounterType.COUNTER_TYPE_SENDER_POSITION:
                backlog.sender_id = registration_id
                backlog.sender_position = counter.value
            case CounterType.COUNTER_TYPE_SENDER_LIMIT:
                backlog.sender_id = registration_id
                backlog.sender_limit = counter.value
            case CounterType.COUNTER_TYPE_RECEIVER_HWM:
                backlog.receiver_id = registration_id
                backlog.receiver_hwm = counter.value
            case CounterType.COUNTER_TYPE_RECEIVER_POSITION:
                backlog.receiver_id = registration_id
                backlog.receiver_position = counter.value
            case CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION:
                backlog.subscribers[registration_id] = counter.value
            case _:
                pass  # of an image, for congestion control
    return [found[key] for key in sorted(found)]
