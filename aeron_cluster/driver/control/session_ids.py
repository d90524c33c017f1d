"""The session ids in use, and the next automatic one.

``io.aeron.driver.DriverConductor``'s ``nextAvailableSessionId`` and ``activeSessionSet``.
"""

from __future__ import annotations

__all__ = ["SessionIds"]


def _to_int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


class SessionIds:
    """The session ids of one driver's publications.

    Parameters
    ----------
    start : int
        The first automatic id; random, so that drivers differ.
    reserved_low, reserved_high : int
        A range reserved for explicit ids, both ends included.
    """

    def __init__(self, start: int, reserved_low: int, reserved_high: int) -> None:
        self._next = _to_int32(start)
        self._low = reserved_low
        self._high = reserved_high
        self._used: set[tuple[int, int, str]] = set()

    def is_used(self, session_id: int, stream_id: int, channel: str) -> bool:
        """Return whether a publication of the stream and canonical channel has the id."""
        return (session_id, stream_id, channel) in self._used

    def add(self, session_id: int, stream_id: int, channel: str) -> None:
        """Mark the id as used."""
        self._used.add((session_id, stream_id, channel))

    def release(self, session_id: int, stream_id: int, channel: str) -> None:
        """Release the id."""
        self._used.discard((session_id, stream_id, channel))

    def next(self, stream_id: int, channel: str | None = None) -> int:
        """Return an id that the stream does not use on the channel, or with None on any channel."""
        while True:
            session_id = self._next
            if self._low <= session_id <= self._high:
                session_id = _to_int32(self._high + 1)
            self._next = _to_int32(session_id + 1)
            if channel is not None:
                is_used = self.is_used(session_id, stream_id, channel)
            else:
                is_used = any(key[:2] == (session_id, stream_id) for key in self._used)
            if not is_used:
                return session_id
