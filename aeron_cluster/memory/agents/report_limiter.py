"""Limit the reports of errors that a peer or a client can cause repeatedly.

No counterpart upstream. Every error is counted; the first ones of a kind are reported in full,
later ones as a count, at most once per interval. So received messages cannot fill log files or
error logs.
"""

from __future__ import annotations

import logging
import re
import threading
import traceback
from collections.abc import Hashable
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import ElectionRestartError
from aeron_cluster.memory.shared.error_text import cut_text

if TYPE_CHECKING:
    from types import TracebackType

    from aeron_cluster.memory.system.seams import Clock

__all__ = ["Admission", "ErrorLogger", "ReportLimiter", "kind_of_error"]

_BURST: Final = 3
_INTERVAL_NS: Final = 60_000_000_000
_MAX_KEYS: Final = 256
# After this many intervals without an error of its kind, the next one is reported in full again.
_QUIET_INTERVALS: Final = 10
_NUMBERS: Final = re.compile(r"\d+")
_MAX_TEXT_LENGTH: Final = 1024
_MAX_CAUSES: Final = 8
_NS_PER_S: Final = 1_000_000_000


class Admission(NamedTuple):
    """The decision about a report.

    Parameters
    ----------
    is_full : bool
        Whether to report it in full.
    suppressed : int
        If positive, a count is due: the number of its kind since the last report, including this
        one unless it is reported in full. 0 if no count is due.
    """

    is_full: bool
    suppressed: int

    @property
    def is_due(self) -> bool:
        """Whether anything is to be reported: the error in full, or a count."""
        return self.is_full or self.suppressed > 0


class _Kind:
    __slots__ = ("full_count", "last_ns", "reported_ns", "suppressed")

    def __init__(self, now_ns: int) -> None:
        self.full_count = 0
        self.suppressed = 0
        self.last_ns = now_ns
        self.reported_ns = now_ns


class ReportLimiter:
    """Decides which errors are reported in full, and when a count of the others is due.

    Parameters
    ----------
    clock : Clock
    burst : int
        The number of each kind that is reported in full.
    interval_ns : int
        The interval of counts after those, in ns. A kind without errors for ten intervals starts
        over.
    max_keys : int
        The number of distinguished kinds; all further ones count as one.

    Notes
    -----
    Any thread may call it.
    """

    def __init__(
        self,
        clock: Clock,
        burst: int = _BURST,
        interval_ns: int = _INTERVAL_NS,
        *,
        max_keys: int = _MAX_KEYS,
    ) -> None:
        self._clock = clock
        self._burst = burst
        self._interval_ns = interval_ns
        self._max_keys = max_keys
        self._kinds: dict[Hashable, _Kind] = {}
        self._others = _Kind(clock.nano_time())
        self._searched_ns: int | None = None
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def interval_ns(self) -> int:
        """The shortest time between two counts of a kind, in ns."""
        return self._interval_ns

    def admit(self, key: Hashable) -> Admission:
        """Count a report, and return whether it is made.

        Parameters
        ----------
        key : Hashable
            Its kind, which must not contain values that a sender can vary.
        """
        now_ns = self._clock.nano_time()
        with self._lock:
            kind = self._find(key, now_ns)
            if now_ns - kind.last_ns >= _QUIET_INTERVALS * self._interval_ns:
                kind.full_count = 0
            kind.last_ns = now_ns
            if kind.full_count < self._burst:
                kind.full_count += 1
                return self._report(kind, now_ns, is_full=True)
            kind.suppressed += 1
            if now_ns - kind.reported_ns >= self._interval_ns:
                return self._report(kind, now_ns, is_full=False)
            return Admission(is_full=False, suppressed=0)

    def _find(self, key: Hashable, now_ns: int) -> _Kind:
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= self._max_keys:
                self._forget_quiet(now_ns)
            if len(self._kinds) >= self._max_keys:
                return self._others
            kind = self._kinds[key] = _Kind(now_ns)
        return kind

    def _forget_quiet(self, now_ns: int) -> None:
        # At most one search per interval, however fast new keys arrive.
        if self._searched_ns is not None and now_ns - self._searched_ns < self._interval_ns:
            return
        self._searched_ns = now_ns
        quiet_ns = _QUIET_INTERVALS * self._interval_ns
        for key in [key for key, kind in self._kinds.items() if now_ns - kind.last_ns >= quiet_ns]:
            del self._kinds[key]

    @staticmethod
    def _report(kind: _Kind, now_ns: int, *, is_full: bool) -> Admission:
        suppressed, kind.suppressed = kind.suppressed, 0
        kind.reported_ns = now_ns
        return Admission(is_full, suppressed)


def kind_of_error(error: BaseException) -> Hashable:
    """Return the kind of an error: class and place of raising, and those of its causes.

    For an error that was never raised, the text without its numbers replaces the place.
    """
    places: list[Hashable] = []
    cause: BaseException | None = error
    while cause is not None and len(places) < _MAX_CAUSES:
        places.append((type(cause), _place(cause)))
        cause = cause.__cause__
    return tuple(places)


def _place(error: BaseException) -> Hashable:
    trace: TracebackType | None = error.__traceback__
    if trace is None:
        return _NUMBERS.sub("0", str(error)[:_MAX_TEXT_LENGTH])
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno


class ErrorLogger:
    """An error handler that logs: the first errors of a kind with traceback, then their count.

    Parameters
    ----------
    logger : logging.Logger
    clock : Clock
    """

    def __init__(self, logger: logging.Logger, clock: Clock) -> None:
        self._logger = logger
        self._limiter = ReportLimiter(clock)

    def __call__(self, error: BaseException) -> None:
        """Log an error, or count it."""
        admission = self._limiter.admit(kind_of_error(error))
        if admission.suppressed:
            self._logger.error(
                "%d more errors like the next were not logged (at most one report in %d s)",
                admission.suppressed - (not admission.is_full),
                self._limiter.interval_ns // _NS_PER_S,
            )
        if admission.is_full:
            self._log_full(error)
        elif admission.suppressed:
            self._logger.error("%s: %s", type(error).__name__, str(error)[:_MAX_TEXT_LENGTH])

    def _log_full(self, error: BaseException) -> None:
        # Each is an exception's text, or a frame with its line of source.
        lines = [line.rstrip("\n") for line in traceback.format_exception(error)]
        cut = [cut_text(line) for line in lines]
        if cut == lines:
            # An error that was created to report an event has nothing but its text.
            is_raised = not isinstance(error, ElectionRestartError) and (
                error.__traceback__ or error.__cause__ or error.__context__
            )
            self._logger.error("%s", error, exc_info=error if is_raised else None)
            return
        self._logger.error("%s\n%s", str(error)[:_MAX_TEXT_LENGTH], "\n".join(cut))
