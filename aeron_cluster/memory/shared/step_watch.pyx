"""The wall clock without its latest steps, for those who judge by it whether somebody lives.

Heartbeats in shared memory are readings of the wall clock, so that other processes can tell their
age. When that clock is set forward, all of them are old at once, whoever wrote them: Aeron's own
clients and drivers then take each other for dead. Here a step counts for nothing until everybody
who lives has had the whole time-out to show himself again; who was silent before, is found as
early as ever. When it is set back, the heartbeats of before are of a time to come, and whoever
leaves his there for longer than the time-out is dead: by its age alone he would live until the
clock has come there again.
"""
cimport cython

from aeron_cluster.memory.system.seams cimport epoch_ms, nano_time


@cython.final
cdef class StepWatch:
    """Tells who is silent, by the wall clock without the steps of the last time-out.

    Parameters
    ----------
    clock : Clock
    timeout_ns : int
        How long somebody may be silent, in ns.

    Notes
    -----
    Let it look more often than the time-out is long. Agents in C take the struct. One thread.
    """

    def __cinit__(self, Clock clock not None, int64_t timeout_ns):
        self._clock = clock
        step_watch_init(&self.c, timeout_ns)
        self.observe()

    def observe(self):
        """Take the time by which silences are judged until the next look."""
        observe(&self.c, nano_time(&self._clock.c), epoch_ms(&self._clock.c))

    def is_silent(self, int64_t heartbeat_ms):
        """Return whether who wrote a heartbeat, in ms since 1970, is silent for too long."""
        return is_silent(&self.c, heartbeat_ms)
