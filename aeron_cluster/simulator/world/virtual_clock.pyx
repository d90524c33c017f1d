"""Virtual time, which advances only on request, and machines' clocks, which may be wrong."""

cimport cython

cdef enum:
    MILLION = 1_000_000

# 2026-01-01T00:00:00Z, an arbitrary fixed day.
_EPOCH_NS = 1_767_225_600 * 1_000_000_000


@cython.final
cdef class VirtualTime:
    """The simulation's time, in ns since its start."""

    @property
    def now_ns(self) -> int:
        """The time, in ns since the simulation began."""
        return self.c.now_ns

    def advance(self, int64_t duration_ns) -> int:
        """Advance time, and return the new time, in ns."""
        return self.advance_to(self.c.now_ns + duration_ns)

    def advance_to(self, int64_t now_ns) -> int:
        """Advance to a time that is not before the current one, in ns, and return it."""
        if now_ns < self.c.now_ns:
            raise ValueError(f"now_ns: expected >= {self.c.now_ns}, found {now_ns}")
        self.c.now_ns = now_ns
        return now_ns


cdef inline int64_t _drifted(int64_t elapsed_ns, int64_t drift_ppm) noexcept nogil:
    # In parts, since the product of a year and a percentage exceeds 64 bits.
    return (elapsed_ns + elapsed_ns // MILLION * drift_ppm
            + elapsed_ns % MILLION * drift_ppm // MILLION)


cdef int64_t _nano_time(void *state) noexcept nogil:
    cdef virtual_clock *clock = <virtual_clock *>state
    return clock.nano_time + _drifted(clock.time.now_ns - clock.since_ns, clock.nano_drift_ppm)


cdef int64_t _epoch_nanos(void *state) noexcept nogil:
    cdef virtual_clock *clock = <virtual_clock *>state
    return clock.epoch_nanos + _drifted(clock.time.now_ns - clock.since_ns, clock.epoch_drift_ppm)


@cython.final
cdef class VirtualClock(Clock):
    """One machine's clocks, which follow a `VirtualTime` with configurable errors.

    Parameters
    ----------
    nano_time : int
        The current reading of the monotonic clock, in ns.
    epoch_nanos : int, optional
        The current reading of the wall clock, in ns since 1970; by default a fixed day plus the
        time so far.
    time : VirtualTime, optional
        The time to follow; by default a new one.
    """

    def __cinit__(self, int64_t nano_time=0, epoch_nanos=None, *, VirtualTime time=None):
        if time is None:
            time = VirtualTime()
        self.time = time
        self._readings.time = &time.c
        self._readings.since_ns = time.c.now_ns
        self._readings.nano_time = nano_time
        self._readings.epoch_nanos = (
            _EPOCH_NS + time.c.now_ns if epoch_nanos is None else epoch_nanos)
        self.c.nano_time = _nano_time
        self.c.epoch_nanos = _epoch_nanos
        self.c.state = &self._readings

    cdef void _settle(self) noexcept:
        cdef int64_t nano_time = _nano_time(&self._readings)
        self._readings.epoch_nanos = _epoch_nanos(&self._readings)
        self._readings.nano_time = nano_time
        self._readings.since_ns = self.time.c.now_ns

    def advance(self, int64_t duration_ns) -> None:
        """Advance the followed time, in ns."""
        self.time.advance(duration_ns)

    def step_wall_clock(self, int64_t duration_ns) -> None:
        """Set the wall clock forward, or back if negative, in ns."""
        self._readings.epoch_nanos += duration_ns

    def drift(self, *, int64_t nano_ppm=0, int64_t epoch_ppm=0) -> None:
        """Run the clocks fast, or slow if negative, from now on.

        Parameters
        ----------
        nano_ppm, epoch_ppm : int
            Parts per million, at least -1,000,000, which stops the clock.
        """
        if nano_ppm < -MILLION or epoch_ppm < -MILLION:
            raise ValueError(f"ppm: expected >= {-MILLION}, found {min(nano_ppm, epoch_ppm)}")
        self._settle()
        self._readings.nano_drift_ppm = nano_ppm
        self._readings.epoch_drift_ppm = epoch_ppm
