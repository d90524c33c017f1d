"""Clocks and timer services as users write them, and ones that fail."""

from collections.abc import Callable

from aeron_cluster.cluster.context.cluster_clock import ClusterClock
from aeron_cluster.codecs.cluster import ClusterTimeUnit


class MicrosClock(ClusterClock):
    """Counts microseconds of another clock, given in ns; fails as long as `failure` is set."""

    time_unit = ClusterTimeUnit.MICROS

    def __init__(self, epoch_nanos: Callable[[], int]) -> None:
        self.epoch_nanos = epoch_nanos
        self.failure: object = None
        self.count = 0

    def time(self):
        self.count += 1
        if isinstance(self.failure, BaseException):
            raise self.failure
        return self.epoch_nanos() // 1000 if self.failure is None else self.failure


class DictTimers:
    """A timer service that searches all timers; fails as long as `failure` is set."""

    def __init__(self, time_unit, handler):
        self.time_unit = time_unit
        self.handler = handler
        self.deadlines = {}
        self.times = []
        self.failure = None

    def _fail(self):
        if self.failure is not None:
            raise self.failure

    def poll(self, now):
        self._fail()
        count = 0
        for correlation_id, deadline in sorted(self.deadlines.items(), key=lambda each: each[1]):
            if deadline > now:
                break
            del self.deadlines[correlation_id]
            if not self.handler(correlation_id):
                self.deadlines[correlation_id] = deadline
                break
            count += 1
        return count

    def schedule_timer_for_correlation_id(self, correlation_id, deadline):
        self._fail()
        self.deadlines[correlation_id] = deadline

    def cancel_timer_by_correlation_id(self, correlation_id):
        self._fail()
        return self.deadlines.pop(correlation_id, None) is not None

    def snapshot(self, snapshot_taker):
        self._fail()
        for correlation_id, deadline in self.deadlines.items():
            snapshot_taker(correlation_id, deadline)

    def current_time(self, now):
        self._fail()
        self.times.append(now)
