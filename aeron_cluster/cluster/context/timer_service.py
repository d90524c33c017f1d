"""A timer service of the user in place of the wheel or the heap.

``io.aeron.cluster.TimerService`` and ``TimerServiceSupplier``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from aeron_cluster.cluster.context.timers import POLL_LIMIT, KnownTimers, OnExpiry
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import UserComponentError
from aeron_cluster.memory.agents.user_callback import UserComponent

__all__ = ["TimerHandler", "TimerService", "TimerServiceSupplier", "UserTimers"]

TimerHandler: TypeAlias = Callable[[int], bool]
"""Called with a correlation id when its timer expires; on False the service retains the timer."""

_METHODS: Final = (
    "poll",
    "schedule_timer_for_correlation_id",
    "cancel_timer_by_correlation_id",
    "snapshot",
    "current_time",
)


class TimerService(Protocol):
    """A timer service of the user: it stores the timers of a cluster's services.

    Notes
    -----
    Called on the module's thread. Times are in the cluster's time unit. A timer's id is its
    correlation id; it expires once, when its deadline is reached or later.
    """

    def poll(self, now: int) -> int:
        """Call the handler for expired timers, at most 20, until it returns False.

        Parameters
        ----------
        now : int
            The cluster time.

        Returns
        -------
        int
            The number of timers for which the handler returned True.
        """

    def schedule_timer_for_correlation_id(self, correlation_id: int, deadline: int) -> None:
        """Schedule a timer, or move it."""

    def cancel_timer_by_correlation_id(self, correlation_id: int) -> bool:
        """Cancel a timer; False for an unknown id."""

    def snapshot(self, snapshot_taker: Callable[[int, int], None]) -> None:
        """Call ``snapshot_taker(correlation_id, deadline)`` for each timer."""

    def current_time(self, now: int) -> None:
        """Receive the cluster time at which the member begins to lead, or its snapshot was read."""


TimerServiceSupplier: TypeAlias = Callable[[ClusterTimeUnit, TimerHandler], TimerService]
"""Creates a timer service from the unit of its times and the handler of expired timers."""


class UserTimers(KnownTimers):
    """The timers of a user's timer service, whose results are checked.

    Parameters
    ----------
    supplier : TimerServiceSupplier
    time_unit : ClusterTimeUnit

    Raises
    ------
    UserComponentError
        From here and every method: the service, or its supplier, raised or returned something
        other than a timer service should.
    """

    def __init__(self, supplier: TimerServiceSupplier, time_unit: ClusterTimeUnit) -> None:
        super().__init__()
        self._now = 0
        self._expired = 0
        self._on_expiry: OnExpiry | None = None
        self._failure: Exception | None = None
        # Cancelled timers that the service may still have, since it failed to cancel them.
        self._cancelled: set[int] = set()
        created = UserComponent("timer service supplier", supplier)
        expected = "a timer service"
        self._service = created.call(supplier, expected, time_unit, self._on_timer_event)
        missing = [name for name in _METHODS if not callable(getattr(self._service, name, None))]
        if missing:
            raise created.error(
                "call", f"{expected} with the method {missing[0]}", type(self._service)
            )
        self._component = UserComponent("timer service", self._service)

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Schedule a timer, or move it."""
        schedule = self._service.schedule_timer_for_correlation_id
        self._component.call(schedule, "no exception", correlation_id, deadline)
        self._cancelled.discard(correlation_id)
        self._deadlines.set(correlation_id, deadline)

    def cancel(self, correlation_id: int) -> bool:
        """Cancel a timer; False for an unknown id.

        The timer is cancelled even if the service fails: the services of all members expect it. If
        the service expires it later, that has no event.
        """
        is_known = correlation_id in self._deadlines
        cancel = self._service.cancel_timer_by_correlation_id
        expected = f"{is_known} for timer {correlation_id}"
        if is_known:
            self._deadlines.remove(correlation_id)
            self._cancelled.add(correlation_id)
        found: object = self._component.call(cancel, expected, correlation_id)
        if found is not is_known:
            raise self._component.error(cancel.__name__, expected, found)
        self._cancelled.discard(correlation_id)
        return is_known

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` due timers, and return their number."""
        self._now, self._expired, self._failure = now, 0, None
        self._on_expiry = on_expiry
        found: object = None
        try:
            found = self._component.call(self._service.poll, "the number of expired timers", now)
        except UserComponentError:
            if self._failure is None:
                raise
        finally:
            self._on_expiry = None
        if self._failure is not None:  # even if the service has caught it
            raise self._failure
        if isinstance(found, bool) or found != self._expired:
            raise self._component.error("poll", f"{self._expired}, the expired timers", found)
        return self._expired

    def _on_timer_event(self, correlation_id: int) -> bool:
        """Expire a timer for the service."""
        try:
            return self._expire(correlation_id)
        except Exception as error:
            self._failure = error
            raise

    def _expire(self, correlation_id: int) -> bool:
        deadline = self._deadlines.get(correlation_id)
        found = f"timer {correlation_id} with deadline {deadline}"
        if self._on_expiry is None:
            raise self._component.error("poll", "no expired timer outside of it", found)
        if correlation_id in self._cancelled:
            self._cancelled.remove(correlation_id)
            self._expired += 1
            return True
        if deadline is None or deadline > self._now:
            raise self._component.error("poll", f"a timer that is due at {self._now}", found)
        if self._expired == POLL_LIMIT:
            return False
        self._deadlines.remove(correlation_id)
        is_taken = False
        try:
            is_taken = self._on_expiry(correlation_id, deadline)
        finally:
            if not is_taken:
                self._deadlines.set(correlation_id, deadline)
        self._expired += is_taken
        return is_taken

    def snapshot(self) -> list[tuple[int, int]]:
        """Return the correlation id and the deadline of every timer, for a snapshot."""
        expected = "each scheduled timer once, with its deadline"
        found: dict[int, int] = {}

        def take(correlation_id: int, deadline: int) -> None:
            if correlation_id in self._cancelled:
                return
            if correlation_id in found or self._deadlines.get(correlation_id) != deadline:
                raise self._component.error("snapshot", expected, (correlation_id, deadline))
            found[correlation_id] = deadline

        self._component.call(self._service.snapshot, expected, take)
        if len(found) != len(self):
            missing = next(timer for timer in self if timer[0] not in found)
            raise self._component.error("snapshot", expected, f"none for {missing}")
        return list(found.items())

    def move_to(self, now: int) -> None:
        """Start from a time, never an earlier one, without expiring anything."""
        self._component.call(self._service.current_time, "no exception", now)
