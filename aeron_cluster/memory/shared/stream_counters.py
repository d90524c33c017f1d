"""The counters of streams, grouped by stream.

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
    """The stream of a counter.

    Parameters
    ----------
    session_id, stream_id : int
    channel : str
        The channel, truncated to the space in the key of a counter.
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
        The registration id of its resource.
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
        The complete channel, if a label contains it.
    positions : list of StreamPosition
    """

    key: StreamKey
    channel: str
    positions: list[StreamPosition] = field(default_factory=list)


@dataclass(slots=True)
class StreamBacklog:
    """The lags between the parts of a stream; None for a part that is not on this driver.

    Parameters
    ----------
    key : StreamKey
    publisher_id, publisher_position, publisher_limit : int, optional
    sender_id, sender_position, sender_limit : int, optional
    receiver_id, receiver_position, receiver_hwm : int, optional
    subscribers : dict of int to int
        The positions of subscribers by registration id.
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
        """Bytes that are published but not sent."""
        return _difference(self.publisher_position, self.sender_position)

    @property
    def sender_window(self) -> int | None:
        """Bytes that can be sent before a receiver must extend its window."""
        return _difference(self.sender_limit, self.sender_position)

    def subscriber_backlog(self, registration_id: int) -> int | None:
        """Return the received or locally published bytes that a subscriber has not read."""
        end = self.publisher_position if self.receiver_hwm is None else self.receiver_hwm
        return _difference(end, self.subscribers[registration_id])


def _difference(end: int | None, begin: int | None) -> int | None:
    return None if end is None or begin is None else end - begin


def stream_key(counter: CounterDescriptor) -> tuple[int, StreamKey]:
    """Decode the key of a stream's counter: the registration id, and the stream."""
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
        joined = counter.label.rfind(" @")  # the join position
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
                pass  # an image's counter for congestion control
    return [found[key] for key in sorted(found)]
