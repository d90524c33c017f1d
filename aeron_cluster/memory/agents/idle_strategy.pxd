from libc.stdint cimport int64_t


cpdef enum IdleKind:
    BUSY_SPIN = 0
    YIELDING = 1
    BACKOFF = 2
    SLEEPING = 3
    NO_OP = 4


cdef struct idle_strategy:
    int kind
    int phase  # backoff: 0 none, 1 spinning, 2 yielding, 3 parking
    int64_t count  # backoff: spins or yields so far in this phase
    int64_t park_period_ns  # backoff: the next period; sleeping: the fixed period
    int64_t max_spins
    int64_t max_yields
    int64_t min_park_period_ns
    int64_t max_park_period_ns


# Wait by the strategy if no work was done; reset it otherwise.
cdef void idle(idle_strategy *strategy, int work_count) noexcept nogil
cdef void reset(idle_strategy *strategy) noexcept nogil


cdef class IdleStrategy:
    cdef idle_strategy c
