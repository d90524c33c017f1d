"""The unanswered requests of a surviving client, in order."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["RequestWindow"]


class RequestWindow:
    """The requests that were accepted and not answered, and which of them to send next.

    Parameters
    ----------
    first_sequence : int
        The sequence of the next request.
    length : int
        The largest distance of the newest request from the oldest unanswered one.
    """

    def __init__(self, first_sequence: int, length: int) -> None:
        self.length = length
        self.next_sequence = first_sequence
        self._unanswered: dict[int, bytes] = {}  # in order: each is added after the last one
        self._unsent = first_sequence

    def __repr__(self) -> str:
        return f"<RequestWindow {self.acknowledged} < {self._unsent} <= {self.next_sequence}>"

    def __len__(self) -> int:
        return len(self._unanswered)

    @property
    def sequences(self) -> tuple[int, ...]:
        """The unanswered requests, ascending."""
        return tuple(self._unanswered)

    @property
    def acknowledged(self) -> int:
        """The sequence up to which every request was answered."""
        return next(iter(self._unanswered), self.next_sequence) - 1

    @property
    def is_full(self) -> bool:
        """Whether no more requests may be added."""
        return self.next_sequence - self.acknowledged > self.length

    @property
    def last_sent(self) -> int:
        """The sequence up to which requests were sent since the last restart."""
        return self._unsent - 1

    def payload_length(self, sequence: int) -> int:
        """Return the length of an unanswered request, in bytes."""
        return len(self._unanswered[sequence])

    @property
    def has_sent(self) -> bool:
        """Whether any sent request is unanswered."""
        return self.acknowledged + 1 < self._unsent

    def add(self, payload: bytes) -> int:
        """Add a request after the others; return its sequence."""
        assert not self.is_full
        sequence = self.next_sequence
        self._unanswered[sequence] = payload
        self.next_sequence = sequence + 1
        return sequence

    def unsent(self) -> Iterator[tuple[int, bytes]]:
        """Yield the requests to send, in order; call `sent` for each one that was sent."""
        while self._unsent < self.next_sequence:
            payload = self._unanswered.get(self._unsent)
            if payload is None:  # answered meanwhile
                self._unsent += 1
            else:
                yield self._unsent, payload

    def sent(self, sequence: int) -> None:
        """Record that a request was sent."""
        assert sequence == self._unsent
        self._unsent = sequence + 1

    def answer(self, sequence: int) -> bool:
        """Remove an answered request; return False if it was removed before."""
        return self._unanswered.pop(sequence, None) is not None

    def rewind(self) -> int:
        """Restart sending at the oldest unanswered request; return how many will be resent."""
        first = self.acknowledged + 1
        resent = sum(sequence < self._unsent for sequence in self._unanswered)
        self._unsent = min(self._unsent, first)
        return resent
