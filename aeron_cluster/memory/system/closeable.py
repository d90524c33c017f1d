"""Objects that a ``with`` or ``async with`` block closes.

Upstream: ``java.lang.AutoCloseable``.
"""

from __future__ import annotations

from typing import Self

__all__ = ["AsyncCloseable", "Closeable"]


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
