"""Lists of events in options.

``io.aeron.agent.EventConfiguration``, ``aeron_driver_agent.c``.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.config import parse_digits
from aeron_cluster.events.codes import EVENT_TYPES, ClusterEvent, ComponentType, DriverEvent, Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Selection", "select_events"]

_FRAMES: Final = frozenset((DriverEvent.FRAME_IN, DriverEvent.FRAME_OUT))
_OTHER_NAMES: Final[Mapping[ComponentType, Mapping[str, Event | None]]] = {
    ComponentType.DRIVER: {
        "SEND_NAK_MESSAGE": DriverEvent.NAK_SENT,
        "GENERIC_MESSAGE": DriverEvent.TEXT_DATA,  # in C
        # Events of extensions written in C.
        "ADD_DYNAMIC_DISSECTOR": None,
        "DYNAMIC_DISSECTOR_EVENT": None,
    },
    ComponentType.ARCHIVE: {},
    ComponentType.CLUSTER: {"DYNAMIC_JOIN_STATE_CHANGE_UNUSED": None},
}
# Upstream's agent instruments these together.
_IMPLIED: Final[Mapping[Event, Event]] = {
    ClusterEvent.REQUEST_VOTE: ClusterEvent.VOTE,
    ClusterEvent.APPEND_SESSION_CLOSE: ClusterEvent.APPEND_SESSION_OPEN,
}
_ALL_BITS: Final = 0xFFFF


class Selection(NamedTuple):
    """The events that an option names, and its unknown names with the nearest known one."""

    events: frozenset[Event]
    unknown: tuple[tuple[str, str | None], ...] = ()

    def __sub__(self, other: Selection) -> Selection:
        """Return the events without other ones, and all unknown names."""
        return Selection(self.events - other.events, self.unknown + other.unknown)


def select_events(component: ComponentType, text: str | None) -> Selection:
    """Return the events that an option names.

    Parameters
    ----------
    component : ComponentType
    text : str or None
        Names and numbers separated by commas; ``all``; of a driver also ``admin``, for all but
        frames, and a bit mask as in earlier versions of the C driver, such as ``0x3``.
    """
    chosen: set[Event] = set()
    unknown = []
    known = {event.name: event for event in EVENT_TYPES[component]}
    others = _OTHER_NAMES[component]
    for name in (each.strip() for each in (text or "").split(",")):
        found: Iterable[Event] | None = None
        if name == "all":
            found = known.values()
        elif name == "admin" and component is ComponentType.DRIVER:
            found = set(known.values()) - _FRAMES
        elif name in known:
            found = _with_implied(known[name])
        elif name in others:
            other = others[name]
            found = () if other is None else (other,)
        elif name.startswith("0x") and component is ComponentType.DRIVER:
            found = _of_mask(name)
        elif (number := parse_digits(name)) is not None:
            found = [event for event in known.values() if event & 0xFFFF == number] or None
        if found is not None:
            chosen.update(found)
        elif name:
            groups = ("all", "admin") if component is ComponentType.DRIVER else ("all",)
            near = difflib.get_close_matches(name.upper(), known, 1) or (
                difflib.get_close_matches(name.lower(), groups, 1)
            )
            unknown.append((name, near[0] if near else None))
    return Selection(frozenset(chosen), tuple(unknown))


def _with_implied(event: Event) -> Iterable[Event]:
    return (event, _IMPLIED[event]) if event in _IMPLIED else (event,)


def _of_mask(text: str) -> Iterable[Event] | None:
    try:
        mask = int(text, 16)
    except ValueError:
        return None
    if mask >= _ALL_BITS:
        return list(DriverEvent)
    kinds = (
        (0x1, [event for event in DriverEvent if event.name.startswith("CMD_IN_")]),
        (0x2, [event for event in DriverEvent if event.name.startswith("CMD_OUT_")]),
        (0x4, [DriverEvent.FRAME_IN]),
        (0x18, [DriverEvent.FRAME_OUT]),
        (0x80, [DriverEvent.UNTETHERED_SUBSCRIPTION_STATE_CHANGE]),
    )
    return [event for bits, events in kinds if mask & bits for event in events]
