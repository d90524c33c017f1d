"""What the commands that look at something share: JSON, and looking again and again."""

from __future__ import annotations

import contextlib
import functools
import time  # noqa: TID251 - a pause for people, not for agents
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.live import Live

from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.durations import Seconds
from aeron_cluster.cli.options.member import print_json

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["show", "watch_options"]

_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")


def watch_options(function: _F) -> _F:
    """Add ``--json``, as ``is_json``, and ``--watch``, as ``interval``: None without it."""

    @click.option(
        "--json", "is_json", is_flag=True, help="Print one JSON object (one line per update)."
    )
    @click.option("--watch", is_flag=True, help="Repeat until Ctrl-C.")
    @click.option(
        "--interval",
        default=1.0,
        show_default=True,
        type=Seconds(0.01, 3600.0),
        help="Seconds between two updates with --watch.",
    )
    @functools.wraps(function)
    def call(*args: Any, watch: bool, interval: float, **keywords: Any) -> Any:  # noqa: ANN401 - whatever the command takes
        return function(*args, interval=interval if watch else None, **keywords)

    return call  # type: ignore[return-value]


def show(
    look: Callable[[], _T],
    as_object: Callable[[_T], dict[str, object]],
    as_view: Callable[[_T], RenderableType],
    *,
    is_json: bool,
    interval: float | None,
) -> None:
    """Print what is seen, once, or again and again until Ctrl-C.

    Parameters
    ----------
    look : Callable
    as_object, as_view : Callable
        What is printed of it, for programs and for people.
    is_json : bool
    interval : float, optional
        Seconds between two looks; left out, there is one.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(KeyboardInterrupt))
        if is_json:
            for seen in _looks(look, interval):
                print_json(**as_object(seen))
            return
        out = console()
        update: Callable[[RenderableType], object] = out.print  # a file or pipe gets all updates
        if interval is not None and out.is_terminal:
            live = stack.enter_context(Live(console=out, screen=True, auto_refresh=False))
            update = functools.partial(live.update, refresh=True)
        for seen in _looks(look, interval):
            update(as_view(seen))


def _looks(look: Callable[[], _T], interval: float | None) -> Iterator[_T]:
    yield look()
    while interval is not None:
        time.sleep(interval)
        yield look()
