"""The flow control of a publication: the `fc` channel parameter and its defaults."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.errors import StreamParameterError

_STRATEGIES = {
    "max": FlowControlStrategy.FLOW_CONTROL_MAX,
    "min": FlowControlStrategy.FLOW_CONTROL_MIN,
    "tagged": FlowControlStrategy.FLOW_CONTROL_TAGGED,
}
_UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"(\d+)(ns|us|ms|s)?")
_GROUP = re.compile(r"(-?\d+)?(?:/(\d+))?")


@dataclass(frozen=True, slots=True)
class FlowControlOptions:
    """The flow control of a publication.

    Attributes
    ----------
    strategy
        A ``FlowControlStrategy``.
    receiver_timeout_ns
        The time without a status message after which a receiver is removed from a group, in ns.
    group_tag
        The tag of receivers that count, for the tagged strategy.
    group_min_size
        The number of receivers that a group needs before the publication is connected.
    retransmit_window_multiple
        The number of windows that one NAK may request.
    """

    strategy: int
    receiver_timeout_ns: int = 5_000_000_000
    group_tag: int = -1
    group_min_size: int = 0
    retransmit_window_multiple: int = 16

    @classmethod
    def parse(
        cls,
        text: str | None,
        *,
        has_group_semantics: bool,
        default_strategy: str = "max",
        receiver_timeout_ns: int = 5_000_000_000,
        group_tag: int = -1,
        group_min_size: int = 0,
        unicast_window_multiple: int = 16,
        multicast_window_multiple: int = 4,
    ) -> FlowControlOptions:
        """Parse an `fc` channel parameter; None means that the channel has none.

        Raises
        ------
        StreamParameterError
            A strategy or an option is unknown, or the channel is unicast.
        """
        if not has_group_semantics:
            if text is not None:
                raise StreamParameterError(
                    "fc",
                    "a multicast or multi-destination channel",
                    text,
                    upstream=f"unsupported unicast flow control strategy: fc={text}",
                )
            return cls(
                FlowControlStrategy.FLOW_CONTROL_UNICAST,
                retransmit_window_multiple=unicast_window_multiple,
            )
        name, *options = (default_strategy if text is None else text).split(",")
        if name not in _STRATEGIES:
            near = difflib.get_close_matches(name, _STRATEGIES, 1, 0)
            raise StreamParameterError(
                "fc",
                " or ".join(_STRATEGIES),
                name,
                near[0],
                upstream=f"unsupported multicast flow control strategy: fc={text}",
            )
        multiple = multicast_window_multiple
        for option in options:
            key, _, value = option.partition(":")
            match key:
                case "t":
                    receiver_timeout_ns = _duration_ns(value)
                case "g":
                    tag, size = _group(value)
                    group_tag = group_tag if tag is None else tag
                    group_min_size = group_min_size if size is None else size
                case "rrwm":
                    multiple = _multiple(value)
                case _:
                    raise StreamParameterError("fc", "the options t, g or rrwm", option)
        return cls(_STRATEGIES[name], receiver_timeout_ns, group_tag, group_min_size, multiple)


def _duration_ns(text: str) -> int:
    found = _DURATION.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise StreamParameterError(
            "fc t",
            "a duration such as 5s",
            text,
            upstream=f"fc receiver timeout: {text} should end with: s, ms, us, or ns.",
        )
    return int(found[1]) * _UNITS_NS[found[2] or "ns"]


def _group(text: str) -> tuple[int | None, int | None]:
    found = _GROUP.fullmatch(text)
    if found is None or not text:
        raise StreamParameterError("fc g", "[tag][/minimum size]", text)
    tag = int(found[1]) if found[1] is not None else None
    size = int(found[2]) if found[2] is not None else None
    if tag is not None and not -(1 << 63) <= tag < 1 << 63:
        raise StreamParameterError("fc g", "a 64-bit tag", text)
    if size is not None and size >= 1 << 31:
        raise StreamParameterError("fc g", "a 32-bit minimum size", text)
    return tag, size


def _multiple(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1 << 15:
        raise StreamParameterError("fc rrwm", "a small positive number", text)
    return int(text)
