"""Records of an event log as lines of text, and as values.

``io.aeron.agent.CommonEventDissector``, ``EventLogReaderAgent``.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.errors import MessageError
from aeron_cluster.events.archive_messages import describe_message
from aeron_cluster.events.codes import EVENT_TYPES, ArchiveEvent, ComponentType, DriverEvent, Event
from aeron_cluster.events.driver_frames import describe_frame
from aeron_cluster.events.layouts import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EventRecord", "decode_record", "format_time_ns"]

_HEADER: Final = struct.Struct("<iiq")
_KEY_OFFSET: Final = 24
_NS: Final = 1_000_000_000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event of a log.

    Parameters
    ----------
    component : str
        ``DRIVER``, ``ARCHIVE`` or ``CLUSTER``.
    event : str
        The name of the event.
    code : int
        Its code.
    time_ns : int
        The time, by the clock of the process, in ns.
    captured_length, length : int
        The captured bytes, and those before something was left out.
    values : dict
        The values by upstream's names, in the order of the text.
    line : str
        The line of text, without its end.
    """

    component: str
    event: str
    code: int
    time_ns: int
    captured_length: int
    length: int
    values: dict[str, Any]
    line: str


def format_time_ns(time_ns: int) -> str:
    """Return a time as at the beginning of a line."""
    return f"[{time_ns // _NS}.{time_ns % _NS:09}]"


def decode_record(message_type: int, record: bytes) -> EventRecord:
    """Return a record of an event log.

    Parameters
    ----------
    message_type : int
        The component's number << 16, and the event's code.
    record : bytes
        The header and the captured bytes.
    """
    number, code = message_type >> 16, message_type & 0xFFFF
    captured, length, time_ns = _HEADER.unpack_from(record)
    try:
        component = ComponentType(number).name
        event = EVENT_TYPES[ComponentType(number)](message_type)
    except ValueError:
        component, name = f"Unknown EventCodeType: {number}", f"code {code}"
        items: list[tuple[str, Any, str]] = []
    else:
        name = event.name
        items = _describe(event, record[_HEADER.size : _HEADER.size + captured], length)
    shown = " ".join(form.format(_shown(value)) for _, value, form in items)
    line = f"{format_time_ns(time_ns)} {component}: {name} [{captured}/{length}]: {shown}"
    # A peer's text must not add lines.
    line = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", line)
    values = {key: value for key, value, _ in items}
    return EventRecord(component, name, code, time_ns, captured, length, values, line)


def _describe(event: Event, data: bytes, length: int) -> list[tuple[str, Any, str]]:
    """Return the names, values and formats of an event, in the order of its text."""
    try:
        layout = LAYOUTS.get(event)
        if layout is not None:
            values = layout.decode(data)
            if event is ArchiveEvent.REPLAY_SESSION_STATE_CHANGE:
                _add_replay_ids(values)
            elif event is DriverEvent.CMD_IN_ADD_COUNTER:
                _add_offsets(values)
            kinds = {field.name: field.kind for field in layout.fields}
            return [
                (name, _value(kinds.get(name, ""), values[name]), form)
                for name, form in layout.text
                if values[name] is not None
            ]
        if isinstance(event, ArchiveEvent):
            return _items(describe_message(event, data))
        return describe_frame(data)
    except (struct.error, ValueError, MessageError):
        pass  # it was longer than what is captured
    return [("undecoded", data.hex(), "{}")] if len(data) < length else [("hex", data.hex(), "{}")]


def _items(pairs: Iterable[tuple[str, Any]]) -> list[tuple[str, Any, str]]:
    return [(name, value, f"{name}={{}}") for name, value in pairs]


def _add_replay_ids(values: dict[str, Any]) -> None:
    number = values["replaySessionId"]
    values["replayId"] = number >> 32
    values["sessionId"] = (number + 2**31) % 2**32 - 2**31


def _add_offsets(values: dict[str, Any]) -> None:
    key_length = len(values["keyBuffer"])
    values["keyBufferOffset"] = _KEY_OFFSET
    values["keyBufferLength"] = key_length
    values["labelBufferOffset"] = _KEY_OFFSET + key_length + -key_length % 4 + 4
    values["labelBufferLength"] = len(values["labelBuffer"])


def _value(kind: str, value: Any) -> Any:  # noqa: ANN401 - as the kind requires
    match kind:
        case "v":
            return f"{value >> 16 & 0xFF}.{value >> 8 & 0xFF}.{value & 0xFF}"
        case "f":
            return f"{value:08b}"
        case _:
            return value


def _shown(value: Any) -> str:  # noqa: ANN401 - any value of an event
    return str(value).lower() if isinstance(value, bool) else str(value)
