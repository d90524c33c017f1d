"""An agent that takes the GIL only to fail."""

from libc.stdint cimport int64_t

from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.system.check cimport check_nogil


cdef extern from "aeron_cluster/atomic.h" nogil:
    int64_t ac_load_acquire_i64(const void *address) noexcept
    void ac_store_release_i64(void *address, int64_t value) noexcept
    int64_t ac_get_and_add_i64(void *address, int64_t delta) noexcept


cdef struct counting:
    int64_t passes
    int64_t fails_at


cdef int _do_work(void *state) except -1 nogil:
    cdef counting *counts = <counting *>state
    cdef int64_t passes = ac_get_and_add_i64(&counts.passes, 1) + 1
    if passes == ac_load_acquire_i64(&counts.fails_at):
        check_nogil(-2, b"counting")
    return 1


cdef class CountingAgent(Agent):
    cdef counting counts

    def __cinit__(self):
        self.do_work_fn = _do_work
        self.state = &self.counts

    @property
    def role_name(self):
        return "counting"

    @property
    def passes(self):
        return ac_load_acquire_i64(&self.counts.passes)

    def fail_at(self, int64_t passes):
        ac_store_release_i64(&self.counts.fails_at, passes)
