"""How the reference service rejects requests of surviving clients, and fails to handle them."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = [
    "FAILURES",
    "LONGEST_DETAIL",
    "Failure",
    "UnworkableRequestError",
    "WorseRequestError",
    "rejection_reason",
]

LONGEST_DETAIL: Final = 2500
"""The highest number of letters, of two bytes each: some reasons have several fragments."""


class Failure(NamedTuple):
    """The outcome of a request that was applied without an answer.

    Parameters
    ----------
    is_rejected : bool
        Whether the service rejected it, otherwise it failed to handle it.
    reason : str
    """

    is_rejected: bool
    reason: str


class UnworkableRequestError(Exception):
    """Raised for requests that the service fails to handle."""


class WorseRequestError(UnworkableRequestError):
    """Raised for others of these requests: the client receives the name of the exception."""


FAILURES: Final = (UnworkableRequestError, WorseRequestError)
"""The exceptions by which requests fail."""


def rejection_reason(client: int, number: int, length: int) -> str:
    """Return the reason for rejecting a request; the empty one for some.

    Parameters
    ----------
    client, number : int
        Of the request.
    length : int
        The number of letters of its detail; 0 for an empty reason.
    """
    return f"request {number} of client {client}: {'é' * length}" if length else ""
