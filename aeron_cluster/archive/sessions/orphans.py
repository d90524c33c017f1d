"""Resources that a session requested from the driver and no longer needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from aeron_cluster.errors import DriverTimeoutError, RegistrationError, StateError

__all__ = ["Orphans"]


class _Closable(Protocol):
    def close(self) -> None: ...


_GetResource: TypeAlias = Callable[[int], _Closable | None]


class Orphans:
    """Closes each such resource when the driver provides it."""

    def __init__(self) -> None:
        self._awaited: list[tuple[_GetResource, int]] = []
        self._undone: list[tuple[Callable[[int], bool], int]] = []

    @property
    def is_busy(self) -> bool:
        """Whether any resource is pending."""
        return bool(self._awaited or self._undone)

    def drop(self, get: _GetResource, registration_id: int) -> None:
        """Close the result of `get` for the id, now or when it arrives."""
        if not self._is_closed(get, registration_id):
            self._awaited.append((get, registration_id))

    def ignore(self, is_done: Callable[[int], bool], correlation_id: int) -> None:
        """Consume the driver's answer to a request without a resource."""
        self._undone.append((is_done, correlation_id))

    def do_work(self) -> int:
        """Close the resources that have arrived; return how many."""
        before = len(self._awaited) + len(self._undone)
        if before:
            self._awaited = [each for each in self._awaited if not self._is_closed(*each)]
            self._undone = [each for each in self._undone if not self._is_answered(*each)]
        return before - len(self._awaited) - len(self._undone)

    @staticmethod
    def _is_answered(is_done: Callable[[int], bool], correlation_id: int) -> bool:
        try:
            return is_done(correlation_id)
        except (RegistrationError, DriverTimeoutError):
            return True  # rejected

    @staticmethod
    def _is_closed(get: _GetResource, registration_id: int) -> bool:
        try:
            found = get(registration_id)
        except (RegistrationError, DriverTimeoutError, StateError, OSError):
            return True  # it never arrives
        if found is None:
            return False
        found.close()
        return True
