"""A process of a surviving client that another one has replaced without ending it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aeron_cluster.errors import AeronClusterError, SupersededError

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.surviving_client import SurvivingClient

__all__ = ["EarlierProcess"]


class EarlierProcess:
    """Works until the service rejects it, since a later process uses its id.

    Parameters
    ----------
    surviving : SurvivingClient
    pending : dict of int to bytes
        Its requests that have no answer, by their sequence.
    """

    def __init__(self, surviving: SurvivingClient, pending: dict[int, bytes]) -> None:
        self.surviving = surviving
        self.pending = pending
        self._pending_before = set(pending)

    @property
    def is_to_send(self) -> bool:
        """Whether it needs a request to be notified of its successor."""
        return self.surviving.is_connected and not self.pending

    def send(self, request: bytes) -> int:
        """Send a request; return its sequence, or a false value."""
        sequence = self.surviving.send(request)
        if sequence:
            self.pending[sequence] = request
        return sequence

    def do_work(self) -> SupersededError | None:
        """Advance; return the error with which it ended."""
        self._pending_before = set(self.pending)
        try:
            self.surviving.do_work()
        except SupersededError as error:
            return error
        return None

    def violation(self, error: SupersededError) -> str:
        """Return how the requests in doubt differ from those without an answer; empty if not.

        One whose answer came in the same pass may be among them.
        """
        if self.pending.keys() <= {*error.in_doubt} <= self._pending_before:
            return ""
        expected = tuple(sorted(self.pending))
        return f"a superseded client has {expected} in doubt, was notified of {error.in_doubt}"

    def close(self) -> None:
        """End it in order, as its user does."""
        self.pending.clear()
        with contextlib.suppress(AeronClusterError):
            self.surviving.close()
