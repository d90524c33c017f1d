"""The options that the commands which run nodes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

__all__ = [
    "IDLE_STRATEGIES",
    "access_options",
    "callback_options",
    "failover_option",
    "membership_options",
    "services_options",
    "threads_options",
]

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


def membership_options(function: _F) -> _F:
    """Add the options that name all members and this one.

    As ``members``, ``hosts``, ``member_id``, ``host`` and ``port_base``.
    """
    return _add_options(
        function,
        click.option(
            "--members",
            metavar="LIST",
            help="All members as id,ingress,consensus,log,catchup,archive, separated by |.",
        ),
        click.option(
            "--hosts",
            metavar="LIST",
            help="Instead of --members: the members' hosts, separated by commas, each with ten"
            " ports.",
        ),
        click.option("--member-id", type=int, help="The id of this member.  [default: 0]"),
        click.option(
            "--host", default="localhost", show_default=True, help="The host of this member."
        ),
        click.option(
            "--port-base",
            default=9000,
            show_default=True,
            type=click.IntRange(0, 65000),
            help="Without --members: the first of each member's ten ports; ingress has the next"
            " one.",
        ),
    )


def access_options(function: _F) -> _F:
    """Add ``--users`` and ``--policy``, as ``users`` and ``policy``."""
    return _add_options(
        function,
        click.option(
            "--users",
            metavar="FILE",
            help="Only these users may connect (see aeron-cluster users).",
        ),
        click.option(
            "--policy", metavar="FILE", help="Permissions of the users (see docs/security.md)."
        ),
    )


def callback_options(function: _F) -> _F:
    """Add the options for callbacks of services.

    As ``on_callback_error`` and ``check_determinism``.
    """
    return _add_options(
        function,
        click.option(
            "--on-callback-error",
            default="continue",
            show_default=True,
            type=click.Choice(["continue", "terminate"]),
            help="What to do if a service's callback raises: continue with the next message, or"
            " exit.",
        ),
        click.option(
            "--check-determinism",
            is_flag=True,
            help="For development: reject clocks, randomness, threads and I/O in callbacks.",
        ),
    )


def _add_options(function: _F, *options: Callable[[_F], _F]) -> _F:
    """Add options in the order in which the help lists them."""
    for add in reversed(options):
        function = add(function)
    return function


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
