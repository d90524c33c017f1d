"""Calls in a user's busy loop yield the GIL to other threads from time to time, at little cost."""
from libc.stdint cimport uint32_t


cdef enum:
    # Releasing and acquiring the GIL takes 30 to 60 ns, several times a short offer. Without a
    # release another thread waits 5 ms for the GIL; its wait is equally short if the release is at
    # every call, every 16th or every 64th.
    CALLS_PER_YIELD = 16
    # Copying this many bytes takes longer than releasing the GIL: it is done without the GIL.
    LONG_LENGTH = 4096


# Called after each call that held the GIL; releases it immediately if the call did nothing.
cdef inline void maybe_yield_gil(uint32_t *calls, bint is_idle) noexcept:
    calls[0] += 1
    if is_idle or calls[0] % CALLS_PER_YIELD == 0:
        with nogil:
            pass
