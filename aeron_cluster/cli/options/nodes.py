"""The options that the commands which run nodes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

__all__ = ["IDLE_STRATEGIES", "failover_option", "services_options", "threads_options"]

IDLE_STRATEGIES: Final = ("backoff", "yield", "spin", "sleep-ms", "noop")

_F = TypeVar("_F", bound=Callable[..., Any])


def services_options(function: _F) -> _F:
    """Add ``--service`` and ``--service-option``, as ``services`` and ``service_options``."""
    options = click.option(
        "--service-option",
        "service_options",
        multiple=True,
        metavar="KEY=VALUE",
        help="An argument of the class, factory or library; 1:KEY=VALUE, of service 1 alone. May be"
        " repeated.",
    )
    return click.option(
        "--service",
        "services",
        required=True,
        multiple=True,
        metavar="WHAT",
        help="module:Class or module:factory of a Python service; ./libkv.so or ./libkv.so:symbol"
        " of a native one. May be repeated.",
    )(options(function))


def failover_option(function: _F) -> _F:
    """Add ``--failover``, as ``failover``."""
    return click.option(
        "--failover",
        default="default",
        show_default=True,
        type=click.Choice(["fast", "default"]),
        help="How soon a silent leader is replaced: about 1 s, or Aeron's 10 s. Use the same on all"
        " members.",
    )(function)


def threads_options(idle: str) -> Callable[[_F], _F]:
    """Add ``--threads`` and ``--idle``, as ``threads`` and ``idle``.

    Parameters
    ----------
    idle : str
        The idle strategy by default.
    """

    def add(function: _F) -> _F:
        strategy = click.option(
            "--idle",
            default=idle,
            show_default=True,
            type=click.Choice(IDLE_STRATEGIES),
            help="Idle strategy of the threads: yield and spin respond faster and keep a CPU busy.",
        )
        return click.option(
            "--threads",
            default="one",
            show_default=True,
            type=click.Choice(["one", "two", "each"]),
            help="One for everything; one for driver and archive, one for the cluster; or one per"
            " agent.",
        )(strategy(function))

    return add
