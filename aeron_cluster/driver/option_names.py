"""The names of Java classes and C functions for strategies, and unsupported options.

``io.aeron.driver.Configuration``, ``aeron_symbol_table_func_load``. An unknown name is an error at
the start.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Final

from aeron_cluster.config import parse_duration_ns
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.idle_strategy import IdleKind, IdleStrategy, idle_kind

__all__ = ["NAMES", "UNAVAILABLE", "canonical_name", "make_idle_strategy"]

_DRIVER: Final = "io.aeron.driver."
_BINDINGS: Final = "aeron_udp_channel_transport_bindings_default"


def _table(**names: str) -> dict[str, str]:
    """Return the meaning of each name, from lists separated by blanks."""
    return {name: meaning for meaning, text in names.items() for name in (meaning, *text.split())}


NAMES: Final[dict[str, dict[str, str]]] = {
    "unicast_flow_control_supplier": _table(
        unicast=f"max unicast_max aeron_unicast_flow_control_strategy_supplier "
        f"{_DRIVER}DefaultUnicastFlowControlSupplier"
    ),
    "unicast_flow_control_strategy": _table(unicast=f"{_DRIVER}UnicastFlowControl"),
    "multicast_flow_control_supplier": _table(
        max=f"multicast_max aeron_max_multicast_flow_control_strategy_supplier "
        f"{_DRIVER}DefaultMulticastFlowControlSupplier {_DRIVER}MaxMulticastFlowControlSupplier",
        min=f"multicast_min aeron_min_flow_control_strategy_supplier "
        f"{_DRIVER}MinMulticastFlowControlSupplier",
        tagged=f"multicast_tagged aeron_tagged_flow_control_strategy_supplier "
        f"{_DRIVER}TaggedMulticastFlowControlSupplier "
        f"{_DRIVER}PreferredMulticastFlowControlSupplier",  # deprecated; the same
    ),
    "multicast_flow_control_strategy": _table(
        max=f"{_DRIVER}MaxMulticastFlowControl",
        min=f"{_DRIVER}MinMulticastFlowControl",
        tagged=f"{_DRIVER}TaggedMulticastFlowControl {_DRIVER}PreferredMulticastFlowControl",
    ),
    "congestion_control_supplier": _table(
        static=f"default aeron_congestion_control_default_strategy_supplier "
        f"aeron_static_window_congestion_control_strategy_supplier "
        f"{_DRIVER}DefaultCongestionControlSupplier",
        cubic=f"aeron_cubic_congestion_control_strategy_supplier "
        f"{_DRIVER}ext.CubicCongestionControlSupplier",
    ),
    "driver_termination_validator": _table(
        allow=f"aeron_driver_termination_validator_default_allow "
        f"{_DRIVER}DefaultAllowTerminationValidator",
        deny=f"aeron_driver_termination_validator_default_deny "
        f"{_DRIVER}DefaultDenyTerminationValidator",
    ),
    "send_channel_endpoint_supplier": _table(
        default=f"{_DRIVER}DefaultSendChannelEndpointSupplier",
        debug=f"{_DRIVER}ext.DebugSendChannelEndpointSupplier",
    ),
    "receive_channel_endpoint_supplier": _table(
        default=f"{_DRIVER}DefaultReceiveChannelEndpointSupplier",
        debug=f"{_DRIVER}ext.DebugReceiveChannelEndpointSupplier",
    ),
    "name_resolver_supplier": _table(
        default="aeron_default_name_resolver_supplier",
        driver="aeron_driver_name_resolver_supplier",
        csv_table="aeron_csv_table_name_resolver_supplier",
    ),
    "udp_channel_transport_bindings_media": _table(default=_BINDINGS),
    "conductor_udp_channel_transport_bindings_media": _table(default=_BINDINGS),
}
"""The meaning of each value, by the keyword of an option."""

UNAVAILABLE: Final = {
    "driver_async_executor_idle_strategy": "the resolver's thread blocks without an idle strategy",
    "driver_async_executor_idle_strategy_init_args": "the resolver's thread has no idle strategy",
    "driver_connect": "sockets of publications with an endpoint are always connected",
    "driver_dynamic_libraries": "libraries are not loaded",
    "agent_on_start_function": "functions of libraries are not called; there are CPU affinities",
}
"""The reasons why options must keep their default, by keyword."""

_IDLE_FUNCTIONS: Final = {
    "aeron_idle_strategy_sleeping": "sleep-ns",
    "aeron_idle_strategy_yielding": "yield",
    "aeron_idle_strategy_busy_spinning": "spin",
    "aeron_idle_strategy_noop": "noop",
    "aeron_idle_strategy_backoff": "backoff",
}
_BACKOFF: Final = re.compile(r"(\d{1,100})-(\d{1,100})-(\w+)-(\w+)")


def canonical_name(name: str, keyword: str, value: str) -> str:
    """Return the meaning of an option's value.

    Parameters
    ----------
    name : str
        The property.
    keyword : str
        One of `NAMES`.
    value : str

    Raises
    ------
    ConfigurationError
        The name is unknown; the error has the nearest one.
    """
    known = NAMES[keyword]
    found = known.get(value.strip())
    if found is None:
        near = difflib.get_close_matches(value, known, 1)
        meanings = ", ".join(dict.fromkeys(known.values()))
        raise ConfigurationError(
            name,
            f"one of {meanings}, or the corresponding class or function of Aeron",
            value,
            f"did you mean {near[0]}?" if near else "",
        )
    return found


def make_idle_strategy(name: str, value: str, arguments: str | None) -> IdleStrategy:
    """Return the idle strategy of an option and its arguments.

    Parameters
    ----------
    name : str
        The property.
    value : str
    arguments : str or None
        In the format of Aeron's C driver: a duration for the sleeping strategy,
        ``spins-yields-shortest-longest`` for backoff.

    Raises
    ------
    ConfigurationError
    """
    value = _IDLE_FUNCTIONS.get(value, value)
    try:
        kind = idle_kind(value)
    except ConfigurationError as error:
        raise ConfigurationError(name, error.expected, value, error.hint) from None
    called = f"{name}.init.args"
    options: dict[str, Any] = {}
    if arguments is not None:
        match kind:
            case IdleKind.SLEEPING:
                value = "sleep"
                options["sleep_period_ns"] = parse_duration_ns(called, arguments)
            case IdleKind.BACKOFF:
                found = _BACKOFF.fullmatch(arguments.strip())
                if found is None:
                    raise ConfigurationError(
                        called, "spins-yields-shortest-longest, such as 10-20-1us-1ms", arguments
                    )
                options["max_spins"], options["max_yields"] = int(found[1]), int(found[2])
                options["min_park_period_ns"] = parse_duration_ns(called, found[3])
                options["max_park_period_ns"] = parse_duration_ns(called, found[4])
            case _:
                raise ConfigurationError(called, f"none for the strategy {value}", arguments)
    try:
        return IdleStrategy(value, **options)
    except ConfigurationError as error:
        raise ConfigurationError(called, f"{error.name} {error.expected}", error.found) from None
