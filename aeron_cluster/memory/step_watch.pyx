"""The wall clock without its latest steps, for those who judge by it whether somebody lives.

Heartbeats in shared memory are readings of the wall clock, so that other processes can tell their
age. When that clock is set forward, all of them are old at once, whoever wrote them: Aeron's own
clients and drivers then take each other for dead. Here a step counts for nothing until everybody
who lives has had the whole time-out to show himself again; who was silent before, is found as
early as ever.
"""
cimport cython

from aeron_cluster.memory.seams cimport epoch_ms, nano_time


@cython.final
cdef class StepWatch:
    """Tells the wall clock's time without the steps of the last time-out.

    Parameters
    ----------
    clock : Clock
    timeout_ns : int
        How long somebody may be silent, in ns.

    Notes
    -----
    Ask it more often than the time-out is long. Agents in C take the struct. One thread.
    """

    def __cinit__(self, Clock clock not None, int64_t timeout_ns):
        self._clock = clock
        step_watch_init(&self.c, timeout_ns)
        self.now_ms()

    def now_ms(self):
        """Return the time by which a heartbeat's age is judged now, in ms since 1970."""
        return unstepped_ms(&self.c, nano_time(&self._clock.c), epoch_ms(&self._clock.c))
