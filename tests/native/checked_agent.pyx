"""An agent whose pass checks its own state, which a test makes invalid."""

from libc.stdint cimport int64_t

from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.system.invariants cimport PLACE, check_violations, holds, require


cdef extern from "aeron_cluster/atomic.h" nogil:
    int64_t ac_load_acquire_i64(const void *address) noexcept
    void ac_store_release_i64(void *address, int64_t value) noexcept


cdef struct checked:
    int64_t passes
    int64_t position  # may not fall below the limit
    int64_t limit
    int64_t written  # what a pass does after the check
    bint raises


cdef int advance(checked *state) noexcept nogil:
    cdef int64_t position = ac_load_acquire_i64(&state.position)
    if not holds(
        position >= state.limit, PLACE, "a position never falls", position, state.limit
    ):
        return 0
    state.written += 1
    return 1


cdef int advance_or_raise(checked *state) except -1 nogil:
    cdef int64_t position = ac_load_acquire_i64(&state.position)
    require(position >= state.limit, PLACE, "a position never falls", position, state.limit)
    state.written += 1
    return 1


cdef int checked_do_work(void *context) except -1 nogil:
    cdef checked *state = <checked *>context
    ac_store_release_i64(&state.passes, state.passes + 1)
    return advance_or_raise(state) if state.raises else advance(state)


cdef class CheckedAgent(Agent):
    cdef checked c

    def __cinit__(self, bint raises=False):
        self.c.raises = raises
        self.do_work_fn = checked_do_work
        self.state = &self.c

    @property
    def role_name(self):
        return "checked"

    @property
    def passes(self):
        return ac_load_acquire_i64(&self.c.passes)

    @property
    def written(self):
        return self.c.written

    def set_position(self, int64_t position):
        """Store a position; one below 0 is invalid."""
        ac_store_release_i64(&self.c.position, position)

    def advance(self):
        """Do the work of a pass outside of a pass."""
        cdef int work_count
        with nogil:
            work_count = advance(&self.c)
            check_violations()
        return work_count

    def advance_twice(self):
        """Cause two violations, of which the first one is raised."""
        cdef int64_t position = self.c.position
        with nogil:
            advance(&self.c)
            self.c.position = position - 1
            advance(&self.c)
            check_violations()
