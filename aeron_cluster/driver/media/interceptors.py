"""Interceptors that drop datagrams, as configured.

``aeron_udp_channel_transport_bindings.c``, ``DebugChannelEndpointConfiguration``.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from aeron_cluster.driver.media.lossy_network import LossyNetwork
from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.memory.system.seams import Network

__all__ = ["Interceptors"]

_ALL_TYPES: Final = 2**32 - 1
_MAX_INT32: Final = 2**31 - 1
_NAK, _STATUS, _RTT_MEASUREMENT = 2, 3, 6
_PAD, _DATA, _SETUP = 0, 1, 5
_CONTROL_TYPES: Final = 1 << _NAK | 1 << _STATUS | 1 << _RTT_MEASUREMENT
_DATA_TYPES: Final = 1 << _PAD | 1 << _DATA | 1 << _SETUP | 1 << _RTT_MEASUREMENT

# Each by its name and by that of upstream's function.
_INTERCEPTORS: Final = {
    name: kind
    for kind in ("loss", "fixed-loss", "multi-gap-loss")
    for name in (kind, f"aeron_udp_channel_interceptor_{kind.replace('-', '_')}_load")
}


class Interceptors:
    """The rules for dropping datagrams of the sender's and the receiver's sockets.

    Parameters
    ----------
    context : DriverContext

    Raises
    ------
    ConfigurationError
        An option is invalid; the error names it.
    """

    def __init__(self, context: DriverContext) -> None:
        self._context = context
        self._sending: list[Callable[[LossyNetwork], None]] = []
        self._receiving: list[Callable[[LossyNetwork], None]] = []
        for name in _names(context, "udp_channel_incoming_interceptors"):
            rule = self._rule(name)
            self._sending.append(rule)
            self._receiving.append(rule)
        for name in _names(context, "udp_channel_outgoing_interceptors"):
            self._rule(name)  # only for received datagrams, as in upstream
        debug = ((self._sending, "send", True), (self._receiving, "receive", False))
        for rules, side, is_outgoing in debug:
            for what, types, leaves in (
                ("data", _ALL_TYPES if is_outgoing else _DATA_TYPES, is_outgoing),
                ("control", _CONTROL_TYPES if is_outgoing else _ALL_TYPES, not is_outgoing),
            ):
                keyword = f"debug_{side}_{what}_loss"
                rate = _rate(f"aeron.debug.{side}.{what}.loss.rate", context[f"{keyword}_rate"])
                if rate > 0:
                    rules.append(_random(rate, context[f"{keyword}_seed"], types, leaves=leaves))

    def sending(self, network: Network) -> Network:
        """Return the network for sending endpoints: `network` itself if nothing is dropped."""
        return _with(self._sending, network)

    def receiving(self, network: Network) -> Network:
        """Return the network for receive endpoints."""
        return _with(self._receiving, network)

    def _rule(self, name: str) -> Callable[[LossyNetwork], None]:
        match name:
            case "loss":
                found = self._arguments("loss", {"rate": None, "seed": "0", "recv-msg-mask": "0"})
                return _random(
                    _rate(found.name, found.text("rate")),
                    found.number("seed", limit=2**64 - 1),
                    found.number("recv-msg-mask", 16, limit=2**64 - 1),
                    leaves=False,
                )
            case "fixed-loss":
                keys = dict.fromkeys(("term-id", "term-offset", "length"))
                found = self._arguments("fixed.loss", keys)
                term_id, offset, length = (found.number(key) for key in keys)
                return lambda network: network.lose_range(term_id, offset, length)
            case _:
                keys = dict.fromkeys(("term-id", "gap-radix", "gap-length", "total-gaps"))
                found = self._arguments("multi.gap.loss", keys)
                term_id, radix, length, count = (found.number(key) for key in keys)
                bits = max(radix - 1, 0).bit_length()
                limit = min(count * radix + length, _MAX_INT32)  # beyond every term
                return lambda network: network.lose_repeatedly(term_id, bits, length, limit)

    def _arguments(self, name: str, keys: dict[str, str | None]) -> _Arguments:
        keyword = f"udp_channel_transport_bindings_{name.replace('.', '_')}_args"
        return _Arguments(
            f"aeron.udp.channel.transport.bindings.{name}.args", self._context[keyword] or "", keys
        )


class _Arguments:
    """The arguments of an interceptor, ``key=value`` separated by bars."""

    def __init__(self, name: str, text: str, keys: dict[str, str | None]) -> None:
        self.name = name
        self._values = dict(keys)
        for part in filter(None, text.split("|")):
            key, equals, value = part.partition("=")
            if not equals or key not in keys:
                near = difflib.get_close_matches(key, keys, 1)
                hint = f"did you mean {near[0]}?" if near else ""
                raise ConfigurationError(name, f"key=value of {', '.join(keys)}", part, hint)
            self._values[key] = value

    def text(self, key: str) -> str:
        value = self._values[key]
        if value is None:
            raise ConfigurationError(self.name, f"{key}=VALUE", "none")
        return value

    def number(self, key: str, base: int = 10, *, limit: int = _MAX_INT32) -> int:
        text = self.text(key)
        try:
            value = int(text, base)
        except ValueError:
            raise ConfigurationError(self.name, f"{key}=NUMBER", text) from None
        least = -(2**31) if key == "term-id" else 0
        if not least <= value <= limit:
            raise ConfigurationError(self.name, f"{key}=NUMBER from {least} to {limit}", text)
        return value


def _names(context: DriverContext, keyword: str) -> list[str]:
    names = [each.strip() for each in (context[keyword] or "").split(",") if each.strip()]
    for name in names:
        if name not in _INTERCEPTORS:
            near = difflib.get_close_matches(name, _INTERCEPTORS, 1)
            hint = f"did you mean {near[0]}?" if near else ""
            known = ", ".join(dict.fromkeys(_INTERCEPTORS.values()))
            raise ConfigurationError(
                f"aeron.{keyword.replace('_', '.')}",
                f"names of {known}, or the corresponding functions of Aeron",
                name,
                hint,
            )
    return [_INTERCEPTORS[name] for name in names]


def _rate(name: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1
    if not 0 <= rate <= 1:
        raise ConfigurationError(name, "a rate from 0 to 1", text)
    return rate


def _random(rate: float, seed: int, types: int, *, leaves: bool) -> Callable[[LossyNetwork], None]:
    return lambda network: network.lose_at_random(
        rate, seed % 2**64, types & _ALL_TYPES, is_outgoing=leaves
    )


def _with(rules: list[Callable[[LossyNetwork], None]], network: Network) -> Network:
    if not rules:
        return network
    lossy = LossyNetwork(network)
    for add in rules:
        add(lossy)
    return lossy
