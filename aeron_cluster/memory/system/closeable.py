"""Objects that a ``with`` or ``async with`` block closes, and closing without an exception.

Upstream: ``java.lang.AutoCloseable``, Agrona's CloseHelper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from aeron_cluster.errors import AeronClusterError, AgentTerminationError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AsyncCloseable", "Closeable", "close_reporting"]


class Closeable:
    """An object with a `close`, which a ``with`` block calls at its end."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it. Calling it again does nothing."""
        raise NotImplementedError


class AsyncCloseable:
    """An object whose `close` is awaited, at the end of an ``async with`` block."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close it. Calling it again does nothing."""
        raise NotImplementedError


def close_reporting(close: Callable[[], object], report: Callable[[Exception], object]) -> None:
    """Close a resource; report a failure, as of a driver that reads no commands, and continue.

    Parameters
    ----------
    close : callable
    report : callable
        Logs and counts an error.

    Raises
    ------
    AgentTerminationError
        Raised by the resource or by `report`, to end the agent.
    """
    try:
        close()
    except AgentTerminationError:
        raise
    except (AeronClusterError, OSError) as error:
        report(error)
