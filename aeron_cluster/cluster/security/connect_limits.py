"""Limits of pending connect requests, from one source and in total.

No counterpart upstream, which accepts any number of requests, and counts unauthenticated ones
towards ``aeron.cluster.max.sessions``: ten requests that never complete block all others.

Each accepted request costs a publication, to an address chosen by an unknown client, for up to a
session timeout. A rejected one costs nothing and is not answered; its client sends it again, or
times out. Requests that already wait are not affected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from aeron_cluster.cluster.security.source_identity import IPC, source_group
from aeron_cluster.errors import ClusterError

__all__ = ["Admission", "ConnectLimits", "default_limits"]

_MIN_IN_TOTAL: Final = 256
_MIN_PER_SOURCE: Final = 64
# Each mistake of a client under test is reported; a flood is not.
_MAX_MISTAKES: Final = 8
_MAX_MISTAKEN_SOURCES: Final = 256


def default_limits(max_sessions: int) -> tuple[int, int]:
    """Return the default limits of pending requests, in total and from one source.

    Notes
    -----
    All clients may reconnect together from one host, but no source gets more than half.
    """
    return max(_MIN_IN_TOTAL, 2 * max_sessions), max(_MIN_PER_SOURCE, max_sessions)


class ConnectLimits:
    """Admits pending requests, up to the limits.

    Parameters
    ----------
    max_pending, max_per_source : int
        The limit in total, and for one host or IPv6 network. IPC clients, which share the driver,
        count only in the total.
    count_rejected : Callable[[], object]
        Called for each rejected request.
    report : Callable[[Exception], object]
        Called with one error when a limit is reached, and not again while the source has pending
        requests, or, for the total, while more than half of the limit is pending.
    """

    def __init__(
        self,
        max_pending: int,
        max_per_source: int,
        count_rejected: Callable[[], object],
        report: Callable[[Exception], object],
    ) -> None:
        self._max_pending = max_pending
        self._max_per_source = max_per_source
        self._count_rejected = count_rejected
        self._report = report
        self._count = 0
        # By source, only for sources with pending requests.
        self._counts: dict[str, int] = {}
        # The reported sources at their limit; "" for the total.
        self._reported: set[str] = set()
        # By source: the requests rejected by the limits, since the last accepted one.
        self._mistakes: dict[str, int] = {}

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<ConnectLimits {self._count} of {self._max_pending} from {len(self._counts)}>"

    def admit(self, source_identity: str) -> Admission | None:
        """Admit a request until the admission is released; None if a limit is reached.

        Parameters
        ----------
        source_identity : str
            The source identity of its image.
        """
        source = source_group(source_identity)
        count = self._counts.get(source, 0)
        if source != IPC and count >= self._max_per_source:
            self._reject(
                source,
                f"{count} connect requests from {source} wait already, the next are ignored"
                " (aeron.cluster.max.pending.sessions.per.source)",
            )
            return None
        if self._count >= self._max_pending:
            self._reject(
                "",
                f"{self._count} connect requests wait already, the next are ignored"
                " (aeron.cluster.max.pending.sessions)",
            )
            return None
        self._count += 1
        self._counts[source] = count + 1
        return Admission(self, source)

    def reject(self, source_identity: str, error: Exception) -> None:
        """Count an invalid request, and report it.

        Notes
        -----
        At most 8 per source are reported, until one of its clients is authenticated.
        """
        self._count_rejected()
        self._note(source_group(source_identity), error)

    def _note(self, source: str, error: Exception) -> None:
        """Report the result of a request: the client's text may differ each time."""
        count = self._mistakes.get(source, 0)
        if count < _MAX_MISTAKES and (count or len(self._mistakes) < _MAX_MISTAKEN_SOURCES):
            self._mistakes[source] = count + 1
            self._report(error)

    def _reject(self, source: str, text: str) -> None:
        self._count_rejected()
        if source not in self._reported:
            self._reported.add(source)
            self._report(ClusterError(text))

    def _release(self, source: str, *, is_accepted: bool) -> None:
        self._count -= 1
        if is_accepted:
            self._mistakes.pop(source, None)
        if self._count <= self._max_pending // 2:
            self._reported.discard("")
        self._counts[source] -= 1
        if not self._counts[source]:
            del self._counts[source]
            self._reported.discard(source)


class Admission:
    """The admission of a pending request; released once, however often `release` is called."""

    __slots__ = ("_limits", "_source")

    def __init__(self, limits: ConnectLimits, source: str) -> None:
        self._limits: ConnectLimits | None = limits
        self._source = source

    def release(self, *, is_accepted: bool = False) -> None:
        """Release the admission, since the request was accepted, or has ended."""
        if self._limits is not None:
            limits, self._limits = self._limits, None
            limits._release(self._source, is_accepted=is_accepted)  # noqa: SLF001 - its other half

    def report(self, error: Exception) -> None:
        """Report the failure of the request, as `ConnectLimits.reject` does."""
        if self._limits is not None:
            self._limits._note(self._source, error)  # noqa: SLF001 - its other half
