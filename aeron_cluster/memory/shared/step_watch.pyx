"""The wall clock without its latest steps, to check by it whether a process is active.

Heartbeats in shared memory are readings of the wall clock, so that other processes know their
age. When that clock is set forward, all of them are old at once, whatever their writers: Aeron's
clients and drivers then consider each other dead. Here a step counts for nothing until every active
process has had the whole timeout to send another one; one that was silent before is detected as
early as ever. When it is set back, the earlier heartbeats are in the future, and a process that
leaves its heartbeat there for longer than the timeout is dead: by its age alone it would live until
the clock has reached that time again.
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
        How long a process may be silent, in ns.

    Notes
    -----
    Let it look more often than the timeout is long. Agents in C take the struct. One thread.
    """

    def __cinit__(self, Clock clock not None, int64_t timeout_ns):
        self._clock = clock
        step_watch_init(&self.c, timeout_ns)
        self.observe()

    def observe(self):
        """Take the time by which silences are judged until the next look."""
        observe(&self.c, nano_time(&self._clock.c), epoch_ms(&self._clock.c))

    def is_silent(self, int64_t heartbeat_ms):
        """Return whether the writer of a heartbeat, in ms since 1970, is silent for too long."""
        return is_silent(&self.c, heartbeat_ms)
