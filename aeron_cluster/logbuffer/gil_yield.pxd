"""Calls that a user may spin on let other threads have the GIL, at a fraction of its price."""
from libc.stdint cimport uint32_t


cdef enum:
    # Letting it go and taking it again costs 30 to 60 ns, several times a short offer. A thread
    # that wants the GIL while another makes such calls without pause waits 5 ms if it is never let
    # go; it waits equally little whether that is at every call, every 16th or every 64th.
    CALLS_PER_YIELD = 16
    # A copy of this many bytes takes longer than the GIL costs: it is made without.
    LONG_LENGTH = 4096


# After each call that held the GIL throughout; at once where there was nothing to do.
cdef inline void maybe_yield_gil(uint32_t *calls, bint is_idle) noexcept:
    calls[0] += 1
    if is_idle or calls[0] % CALLS_PER_YIELD == 0:
        with nogil:
            pass
