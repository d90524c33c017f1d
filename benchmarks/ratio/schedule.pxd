"""When messages are to be sent: one after the other's echo, or at a rate whatever is late.

At a rate a round trip counts from the time at which its message was to be sent. Counted from when a
sender that was kept busy came to it, whatever keeps senders busy would hide itself: of a pause of a
second at 1,000 messages a second one would show, and not a thousand ("coordinated omission").
"""
from libc.stdint cimport int64_t


cdef struct schedule:
    int64_t begin_ns
    int64_t rate  # messages a second; 0: none, each as soon as it may be


cdef inline int64_t intended_ns(
    const schedule *plan, int64_t index, int64_t now_ns
) noexcept nogil:
    """Return when a message is to be sent."""
    if plan.rate == 0:
        return now_ns
    return plan.begin_ns + index * 1000000000 // plan.rate
