"""Update the activity timestamp of a mark file once a second, without the GIL.

Upstream: ``MarkFile.timestampOrdered`` of Agrona; here it is a write through the file seam.
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
    """The activity timestamp of a mark file, for the agent that updates it.

    Parameters
    ----------
    file : File
        The file, open for writing; call `end` before it is closed.
    offset : int
        The offset of the timestamp, in bytes: an int64, ms since 1970.
    clock : Clock
        The clock; its wall time is written.
    interval_ns : int
        The interval of writes, in ns.

    Notes
    -----
    Native agents use the struct; `update` does the same for Python agents. For one thread.
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
        """Write the timestamp if it is due by the monotonic clock.

        Raises
        ------
        OSError
            It could not be written, although the previous write succeeded.
        """
        stamp_activity(&self.c, now_ns)
        self.check()

    def check(self):
        """Raise the error of a failed write, once until a write succeeds again.

        Raises
        ------
        OSError
            The write failed; it names the file.
        """
        cdef int32_t error_number = self.c.error_number
        self.c.error_number = 0
        if error_number != 0:
            check(-error_number, self._file.path)

    @property
    def failure_count(self):
        """The number of failed writes."""
        return self.c.failure_count

    def end(self):
        """Stop writing."""
        self.c.deadline_ns = INT64_MAX
