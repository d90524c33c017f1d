"""The common part of a driver's streams: the log, and what publications do to it.

The part that is the same in ``PublicationImage``, ``IpcPublication`` and ``NetworkPublication``.
"""
from aeron_cluster.driver.streams.counter_values cimport count
from aeron_cluster.logbuffer.log_buffers cimport producer_position
from aeron_cluster.logbuffer.unblocker cimport unblock_log
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_u8,
    store_release_i64,
    store_release_u8,
)
from aeron_cluster.memory.shared.counters_layout cimport SYSTEM_UNBLOCKED_PUBLICATIONS

from aeron_cluster.errors import ClosedError


cdef void progress_init(
    publisher_progress *progress, int64_t position, int64_t unblock_timeout_ns, bint is_exclusive,
    int64_t now_ns
) noexcept nogil:
    progress.position = position
    progress.time_ns = now_ns
    progress.unblock_timeout_ns = unblock_timeout_ns
    progress.is_exclusive = is_exclusive


cdef bint is_possibly_blocked(log_buffers *log, int64_t position) noexcept nogil:
    cdef int32_t expected = <int32_t>(position >> log.position_bits_to_shift)
    if load_acquire_i32(&log.metadata.active_term_count) != expected:
        return True
    return producer_position(log) > position


cdef bint is_moving(
    publisher_progress *progress, log_buffers *log, int64_t position, int64_t now_ns
) noexcept nogil:
    if position == progress.position and is_possibly_blocked(log, position):
        return False
    progress.position = position
    progress.time_ns = now_ns
    return True


cdef class StreamLog:
    """The log of an image or a publication, as the conductor sees it."""

    cdef int _check_open(self) except -1:
        if self._is_closed:
            raise ClosedError(
                f"{type(self).__name__} of session {self.session_id}, stream {self.stream_id}")
        return 0

    cdef log_buffers *_buffers(self) except NULL:
        self._check_open()
        return self._log.pointer()

    @property
    def log(self):
        return self._log

    @property
    def is_revoked(self):
        """Return whether the flag in the log's metadata is set."""
        return load_acquire_u8(&self._buffers().metadata.is_publication_revoked) == 1

    def close(self):
        """Release log and counters; only once no agent uses the stream."""
        self._is_closed = True
        self._log = None
        self._counters = None


cdef class PublishedLog(StreamLog):
    """The log of a publication; a subclass has its limits."""

    cdef int64_t _read_position(self) noexcept:
        return 0

    @property
    def producer_position(self):
        return producer_position(self._buffers())

    @property
    def is_connected(self):
        return load_acquire_i32(&self._buffers().metadata.is_connected) == 1

    def revoke(self):
        """Set the flag in the log's metadata: unread messages must not be read any more."""
        store_release_u8(&self._buffers().metadata.is_publication_revoked, 1)

    def set_end_position(self, int64_t position):
        """Write the end of the stream into the log's metadata."""
        store_release_i64(&self._buffers().metadata.end_of_stream_position, position)

    def check_blocked_publisher(self, int64_t now_ns):
        """Unblock after the unblock timeout without progress; return whether it did."""
        cdef publisher_progress *progress = self._progress
        cdef log_buffers *log = self._buffers()
        if progress.is_exclusive or is_moving(progress, log, self._read_position(), now_ns):
            return False
        if now_ns - (progress.time_ns + progress.unblock_timeout_ns) <= 0:
            return False
        progress.time_ns = now_ns
        return self.unblock()

    def unblock(self):
        """Unblock the log after a publisher died in a claim; return whether it did."""
        if not unblock_log(self._buffers(), self._read_position()):
            return False
        count(self._system_counters, SYSTEM_UNBLOCKED_PUBLICATIONS, 1)
        return True
