"""The unanswered requests of a surviving client, in order."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["RequestWindow"]


class RequestWindow:
    """What was taken from the user and not answered, and what of it is to be sent next.

    Parameters
    ----------
    first_sequence : int
        Of the next request.
    length : int
        How far the newest request may be ahead of the oldest unanswered one.
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
        """Up to here every request was answered."""
        return next(iter(self._unanswered), self.next_sequence) - 1

    @property
    def is_full(self) -> bool:
        """Whether no more requests may be added."""
        return self.next_sequence - self.acknowledged > self.length

    @property
    def last_sent(self) -> int:
        """Up to here everything was sent since it was last begun again."""
        return self._unsent - 1

    def payload_length(self, sequence: int) -> int:
        """Return the length of an unanswered request, in bytes."""
        return len(self._unanswered[sequence])

    @property
    def has_sent(self) -> bool:
        """Whether something was sent and not answered."""
        return self.acknowledged + 1 < self._unsent

    def add(self, payload: bytes) -> int:
        """Add a request after the others; return its sequence."""
        assert not self.is_full
        sequence = self.next_sequence
        self._unanswered[sequence] = payload
        self.next_sequence = sequence + 1
        return sequence

    def unsent(self) -> Iterator[tuple[int, bytes]]:
        """Give what is to be sent, in order; call `sent` for each one that was sent."""
        while self._unsent < self.next_sequence:
            payload = self._unanswered.get(self._unsent)
            if payload is None:  # answered since it was to be sent again
                self._unsent += 1
            else:
                yield self._unsent, payload

    def sent(self, sequence: int) -> None:
        """Note that a request is on its way."""
        assert sequence == self._unsent
        self._unsent = sequence + 1

    def answer(self, sequence: int) -> bool:
        """Forget a request that was answered; False where that is no news."""
        return self._unanswered.pop(sequence, None) is not None

    def rewind(self) -> int:
        """Begin to send again with the oldest unanswered one; return how many were sent before."""
        first = self.acknowledged + 1
        again = sum(sequence < self._unsent for sequence in self._unanswered)
        self._unsent = min(self._unsent, first)
        return again
