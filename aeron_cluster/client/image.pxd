"""Images: `aeron_cluster.logbuffer.image_poller` with the mapping that it reads."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.client.mapped_log cimport MappedLog
from aeron_cluster.logbuffer.image_poller cimport image_poller
from aeron_cluster.logbuffer.message_view cimport HandlerCall
from aeron_cluster.memory.shared.counters cimport CountersReader
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


# A loop without the GIL polls `&image.poller`, and keeps alive the image and the mapping that
# `hold` returned, until it has stopped.
@cython.final
cdef class Image(MappedLog):
    cdef image_poller poller
    cdef CountersReader counters  # keeps the position mapped
    cdef HandlerCall call  # of the last handler
    cdef readonly object subscription
    cdef readonly int64_t correlation_id
    cdef readonly int32_t subscriber_position_id
    cdef readonly int64_t join_position
    cdef readonly str source_identity
    cdef int64_t final_position
    cdef int64_t final_end_of_stream_position
    cdef bint final_is_revoked

    cdef MappedFile hold(self)
    cdef HandlerCall call_for(self, object handler)
    cdef int poll_with(
        self, object handler, int64_t limit_position, int fragment_limit, bint is_controlled
    ) except -1


# Whether a poll would find anything: checked without the GIL, before taking it.
cdef bint has_frames(const image_poller *poller) noexcept nogil
