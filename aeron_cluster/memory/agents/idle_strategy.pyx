"""Idle strategies: how a thread waits after a duty cycle without work.

Upstream: Agrona's IdleStrategy and its implementations.
"""

import difflib

from aeron_cluster.config import duration_ns
from aeron_cluster.errors import ConfigurationError

cdef extern from "<sched.h>" nogil:
    int sched_yield() noexcept


cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec

    int nanosleep(const timespec *requested, timespec *remaining) noexcept


cdef extern from "aeron_cluster/atomic.h" nogil:
    void ac_spin_wait_hint() noexcept


cdef enum:
    PHASE_NOT_IDLE = 0
    PHASE_SPINNING = 1
    PHASE_YIELDING = 2
    PHASE_PARKING = 3


cdef void _park(int64_t period_ns) noexcept nogil:
    cdef timespec period
    period.tv_sec = period_ns // 1000000000
    period.tv_nsec = period_ns % 1000000000
    nanosleep(&period, NULL)


cdef void _back_off(idle_strategy *strategy) noexcept nogil:
    if strategy.phase == PHASE_NOT_IDLE:
        strategy.phase = PHASE_SPINNING
        strategy.count = 0
    if strategy.phase == PHASE_SPINNING:
        strategy.count += 1
        if strategy.count <= strategy.max_spins:
            ac_spin_wait_hint()
            return
        strategy.phase = PHASE_YIELDING
        strategy.count = 0
    if strategy.phase == PHASE_YIELDING:
        strategy.count += 1
        if strategy.count <= strategy.max_yields:
            sched_yield()
            return
        strategy.phase = PHASE_PARKING
        strategy.park_period_ns = strategy.min_park_period_ns
    _park(strategy.park_period_ns)
    strategy.park_period_ns = min(strategy.park_period_ns * 2, strategy.max_park_period_ns)


cdef void reset(idle_strategy *strategy) noexcept nogil:
    strategy.phase = PHASE_NOT_IDLE


cdef void idle(idle_strategy *strategy, int work_count) noexcept nogil:
    if work_count > 0:
        strategy.phase = PHASE_NOT_IDLE
    elif strategy.kind == IdleKind.BACKOFF:
        _back_off(strategy)
    elif strategy.kind == IdleKind.BUSY_SPIN:
        ac_spin_wait_hint()
    elif strategy.kind == IdleKind.YIELDING:
        sched_yield()
    elif strategy.kind == IdleKind.SLEEPING:
        _park(strategy.park_period_ns)


# Our own names, the C driver's, Agrona's aliases and its class names.
_NAMES = {
    "spin": (IdleKind.BUSY_SPIN, None),
    "busy_spin": (IdleKind.BUSY_SPIN, None),
    "spinning": (IdleKind.BUSY_SPIN, None),
    "yield": (IdleKind.YIELDING, None),
    "yielding": (IdleKind.YIELDING, None),
    "backoff": (IdleKind.BACKOFF, None),
    "sleep": (IdleKind.SLEEPING, None),
    "sleeping": (IdleKind.SLEEPING, None),
    "sleep-ns": (IdleKind.SLEEPING, None),
    "sleep-ms": (IdleKind.SLEEPING, 1_000_000),
    "noop": (IdleKind.NO_OP, None),
    "org.agrona.concurrent.BusySpinIdleStrategy": (IdleKind.BUSY_SPIN, None),
    "org.agrona.concurrent.YieldingIdleStrategy": (IdleKind.YIELDING, None),
    "org.agrona.concurrent.BackoffIdleStrategy": (IdleKind.BACKOFF, None),
    "org.agrona.concurrent.SleepingIdleStrategy": (IdleKind.SLEEPING, None),
    "org.agrona.concurrent.SleepingMillisIdleStrategy": (IdleKind.SLEEPING, 1_000_000),
    "org.agrona.concurrent.NoOpIdleStrategy": (IdleKind.NO_OP, None),
}


def idle_kind(name: str) -> IdleKind:
    """Return the kind of strategy for a configured name.

    Raises
    ------
    ConfigurationError
        The name is unknown.
    """
    return IdleKind(_look_up(name)[0])


def _look_up(name):
    try:
        return _NAMES[name]
    except KeyError:
        nearest = difflib.get_close_matches(name, _NAMES, 1)
        raise ConfigurationError(
            "idle strategy", f"one of {', '.join(list(_NAMES)[:11])} or a class of Agrona", name,
            f"did you mean {nearest[0]}?" if nearest else "") from None


cdef class IdleStrategy:
    """A strategy and its state.

    Parameters
    ----------
    name : str
        ``spin``, ``yield``, ``backoff``, ``sleep``, ``noop``, or the name that Aeron's C driver or
        Agrona gives it.
    max_spins, max_yields : int
        Backoff: the numbers of spins, then yields, before it parks.
    min_park_period_ns, max_park_period_ns : int, str or timedelta
        Backoff: the first period of parking, doubled each time up to the second value.
    sleep_period_ns : int, str or timedelta
        Sleep: the period.

    Notes
    -----
    For one thread at a time: the agent's.
    """

    def __cinit__(self, str name not None="backoff", *, int64_t max_spins=10,
                  int64_t max_yields=20, min_park_period_ns=1_000,
                  max_park_period_ns=1_000_000, sleep_period_ns=1_000):
        kind, period_ns = _look_up(name)
        cdef int64_t min_park_ns = duration_ns("min_park_period_ns", min_park_period_ns)
        cdef int64_t max_park_ns = duration_ns("max_park_period_ns", max_park_period_ns)
        cdef int64_t sleep_ns = duration_ns("sleep_period_ns", sleep_period_ns)
        if not 0 < min_park_ns <= max_park_ns:
            raise ConfigurationError("min_park_period_ns", f"1 to {max_park_ns}", min_park_ns)
        if sleep_ns <= 0:
            raise ConfigurationError("sleep_period_ns", "> 0", sleep_ns)
        self.c.kind = kind
        self.c.max_spins = max_spins
        self.c.max_yields = max_yields
        self.c.min_park_period_ns = min_park_ns
        self.c.max_park_period_ns = max_park_ns
        self.c.park_period_ns = sleep_ns if period_ns is None else period_ns

    @property
    def kind(self) -> IdleKind:
        """The name of the strategy."""
        return IdleKind(self.c.kind)

    def __repr__(self):
        return f"<IdleStrategy {self.kind.name.lower()}>"

    def idle(self, int work_count=0) -> None:
        """Wait by the strategy; if work was done, reset it without waiting."""
        with nogil:
            idle(&self.c, work_count)

    def reset(self) -> None:
        """Start over: the next wait is the shortest."""
        reset(&self.c)


def as_strategy(given: IdleStrategy | str, option: str = "idle strategy") -> IdleStrategy:
    """Return a given strategy, or a new one of a given name.

    Parameters
    ----------
    given : IdleStrategy or str
    option : str
        The name of the option, for the error.

    Raises
    ------
    ConfigurationError
        The name is unknown.
    """
    try:
        return IdleStrategy(given) if isinstance(given, str) else given
    except ConfigurationError as error:
        raise ConfigurationError(option, error.expected, error.found, error.hint) from None
