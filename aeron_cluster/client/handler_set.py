"""Handlers that are added and removed while a client runs.

The sets of handlers of ``io.aeron.ClientConductor``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["HandlerSet"]

_H = TypeVar("_H", bound=Callable[..., object])


class HandlerSet(Generic[_H]):
    """The handlers of one kind, by the ids under which they were added.

    Parameters
    ----------
    first : Callable, optional
        The context's handler.
    """

    def __init__(self, first: _H | None) -> None:
        self._by_id: dict[int, _H] = {} if first is None else {0: first}

    def add(self, registration_id: int, handler: _H) -> None:
        """Add a handler; it is called after those that were added before."""
        self._by_id[registration_id] = handler

    def remove(self, handler: _H | int) -> bool:
        """Remove a handler, given itself or its id; return whether it was found."""
        for registration_id, each in self._by_id.items():
            if handler in (registration_id, each):
                del self._by_id[registration_id]
                return True
        return False

    def __iter__(self) -> Iterator[_H]:
        return iter(tuple(self._by_id.values()))  # a handler may remove itself
