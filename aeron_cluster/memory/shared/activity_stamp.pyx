"""Saying in a mark file that its owner is alive, once a second, without the GIL.

What ``MarkFile.timestampOrdered`` is to Agrona's agents; here it is a write through the file seam.
"""
cimport cython
from libc.errno cimport ENOSPC
from libc.stdint cimport INT64_MAX

from aeron_cluster.memory.system.check cimport check
from aeron_cluster.memory.system.seams cimport epoch_ms


cdef bint write_activity(activity_stamp *stamp, int64_t now_ns) noexcept nogil:
    cdef int64_t now_ms = epoch_ms(&stamp.clock)
    cdef int64_t written
    cdef bint is_first
    stamp.deadline_ns = now_ns + stamp.interval_ns
    written = stamp.files.ops.write_at(
        stamp.files.state, stamp.handle, &now_ms, sizeof(now_ms), stamp.offset)
    if written == sizeof(now_ms):
        stamp.is_failing = False
        return False
    stamp.failure_count += 1
    is_first = not stamp.is_failing
    stamp.is_failing = True
    if is_first:
        stamp.error_number = <int32_t>-written if written < 0 else ENOSPC
    return is_first


@cython.final
cdef class ActivityStamp:
    """The timestamp of a mark file, for the agent that keeps it young.

    Parameters
    ----------
    file : File
        Open for writing; `end` comes before it is closed.
    offset : int
        Of the timestamp, in bytes: an int64, ms since 1970.
    clock : Clock
        Whose wall clock is written.
    interval_ns : int
        From one write to the next.

    Notes
    -----
    Agents in C take the struct; `update` is the same for those in Python. One thread.
    """

    def __cinit__(
            self, File file not None, int64_t offset, Clock clock not None, *,
            int64_t interval_ns=1_000_000_000):
        self._file = file
        self._clock = clock
        self.c.files = file._files.c
        self.c.handle = file._open_handle()
        self.c.offset = offset
        self.c.clock = clock.c
        self.c.interval_ns = interval_ns

    def update(self, int64_t now_ns):
        """Write the timestamp where it is due by the monotonic clock.

        Raises
        ------
        OSError
            It could not be written, and the one before could.
        """
        stamp_activity(&self.c, now_ns)
        self.check()

    def check(self):
        """Raise what a write failed with, once, until a write succeeded again.

        Raises
        ------
        OSError
            With the file.
        """
        cdef int32_t error_number = self.c.error_number
        self.c.error_number = 0
        if error_number != 0:
            check(-error_number, self._file.path)

    @property
    def failure_count(self):
        """How many writes failed."""
        return self.c.failure_count

    def end(self):
        """Write no more."""
        self.c.deadline_ns = INT64_MAX
