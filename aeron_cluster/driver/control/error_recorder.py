"""Records the driver's errors: counted, in the distinct error log, and logged once per kind.

``org.agrona.ErrorHandler`` as ``io.aeron.driver.MediaDriver`` sets it up.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.shared.error_text import describe_error

if TYPE_CHECKING:
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.memory.shared.error_log import DistinctErrorLog
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["ErrorRecorder"]

_log = logging.getLogger(__name__)
# Per type, so that errors varied by a client or peer leave space for other types.
_MAX_KINDS_OF_TYPE = 64
_MAX_TEXT_LENGTH = 1024


class ErrorRecorder:
    """Records errors in the CnC file and logs the first of each kind by ``logging``.

    Parameters
    ----------
    log : DistinctErrorLog
    counters : SystemCounters
    clock : Clock
    """

    def __init__(self, log: DistinctErrorLog, counters: SystemCounters, clock: Clock) -> None:
        self._errors = log
        self._counters = counters
        self._clock = clock
        self._first_texts: dict[type[BaseException], dict[object, str]] = {}

    def record(self, error: BaseException, kind: object = None) -> None:
        """Record an error that was handled.

        Parameters
        ----------
        error : BaseException
        kind : object, optional
            The key of equal errors, if their texts differ; by default type and text.
        """
        self._counters.add(SystemCounter.SYSTEM_ERRORS)
        is_expected = isinstance(error, AeronClusterError | OSError)
        # For an error in our code the place matters.
        text = f"{type(error).__name__}: {error}" if is_expected else describe_error(error)
        kind = text if kind is None else kind
        # Values from other processes must not fill the log: one record per kind.
        kinds = self._first_texts.setdefault(type(error), {})
        first = kinds.get(kind)
        if first is None and len(kinds) <= _MAX_KINDS_OF_TYPE:
            if len(kinds) == _MAX_KINDS_OF_TYPE:
                kind, text = None, f"{type(error).__name__}: further kinds are counted as one"
            elif is_expected:
                text = text[:_MAX_TEXT_LENGTH]
            first = kinds[kind] = text
            _log.log(logging.WARNING if is_expected else logging.ERROR, "%s", text)
        self._errors.record(first or kinds[None], now_ms=self._clock.epoch_ms())
