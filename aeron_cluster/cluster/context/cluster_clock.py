"""The clock of timestamps in the log and of timers.

``io.aeron.cluster.service.ClusterClock``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from aeron_cluster.cluster.members.time_unit import NS_PER_UNIT
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.user_callback import UserComponent

__all__ = ["CLOCK_OPTION", "ClusterClock", "UserClock"]

CLOCK_OPTION: Final = "aeron.cluster.clock"
_MAX_NS: Final = 2**63 - 1


class ClusterClock(ABC):
    """A user's clock for the timestamps in a cluster's log and for its timers.

    Attributes
    ----------
    time_unit : ClusterTimeUnit
        The unit of `time`: ``MILLIS`` (the default), ``MICROS`` or ``NANOS``; the same on each
        member, and constant.

    Notes
    -----
    Called on the module's thread, at least once in each of its duty cycles, which thereby take the
    GIL. Timeouts are measured with the monotonic clock of the module's `Seams` instead.
    """

    time_unit: ClusterTimeUnit = ClusterTimeUnit.MILLIS

    @abstractmethod
    def time(self) -> int:
        """Return the time since 1970, in `time_unit`."""


class UserClock:
    """A user's clock, with checked readings.

    Parameters
    ----------
    clock : ClusterClock

    Attributes
    ----------
    time_unit : ClusterTimeUnit

    Raises
    ------
    ConfigurationError
        It is not a clock, or its unit is unknown.
    UserComponentError
        As for `time`.
    """

    def __init__(self, clock: object) -> None:
        if not isinstance(clock, ClusterClock):
            raise ConfigurationError(CLOCK_OPTION, "a known name or a ClusterClock", clock)
        self._component = UserComponent("cluster clock", clock)
        if clock.time_unit not in NS_PER_UNIT:
            names = ", ".join(each.name for each in NS_PER_UNIT)
            raise ConfigurationError(CLOCK_OPTION, f"a time_unit of {names}", clock.time_unit)
        self.time_unit = clock.time_unit
        self._clock = clock
        self._limit = _MAX_NS // NS_PER_UNIT[clock.time_unit]
        self.time()

    def time(self) -> int:
        """Return the time.

        Raises
        ------
        UserComponentError
            The clock raised, or did not return a time since 1970 in its unit.
        """
        expected = f"an int from 0 to {self._limit}"
        found: object = self._component.call(self._clock.time, expected)
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= self._limit:
            raise self._component.error("time", expected, found)
        return found
