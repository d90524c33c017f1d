"""The wall clock without its latest steps, to check whether processes are active.

Heartbeats in shared memory are wall clock readings, so that other processes can compute their age.
When that clock is set forward, all heartbeats are suddenly old: Aeron's clients and drivers then
consider each other dead. Here a step is ignored until every active process has had the whole
timeout to send another heartbeat; a process that was silent before is still detected in time. When
the clock is set back, earlier heartbeats are in the future, and a process that does not replace its
heartbeat within the timeout is dead: by its age alone it would seem alive until the clock has
reached that time again.
"""
cimport cython

from aeron_cluster.memory.system.seams cimport epoch_ms, nano_time


@cython.final
cdef class StepWatch:
    """Detects silent processes, by the wall clock without the steps of the last timeout.

    Parameters
    ----------
    clock : Clock
    timeout_ns : int
        The timeout of silent processes, in ns.

    Notes
    -----
    Call `observe` more often than the timeout. Agents in C use the struct. One thread.
    """

    def __cinit__(self, Clock clock not None, int64_t timeout_ns):
        self._clock = clock
        step_watch_init(&self.c, timeout_ns)
        self.observe()

    def observe(self):
        """Read the clocks, for checks until the next call."""
        observe(&self.c, nano_time(&self._clock.c), epoch_ms(&self._clock.c))

    def is_silent(self, int64_t heartbeat_ms):
        """Return whether the writer of a heartbeat (ms since 1970) has been silent for too long."""
        return is_silent(&self.c, heartbeat_ms)
