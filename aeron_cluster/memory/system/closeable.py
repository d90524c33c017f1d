"""Objects that a ``with`` block closes.

Upstream: ``java.lang.AutoCloseable``.
"""

from __future__ import annotations

from typing import Self

__all__ = ["Closeable"]


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
