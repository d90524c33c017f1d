"""Quiet control sessions: pinged, and checked for loss, without the GIL."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.publication cimport ExclusivePublication, exclusive_publication
from aeron_cluster.logbuffer.image_poller cimport image_poller
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


cdef struct session_watch:
    exclusive_publication *responses
    const image_poller *requests
    const uint8_t *ping
    int32_t ping_length
    bint is_quiet  # nothing is queued for it; otherwise the Python half checks it
    int64_t ping_ns  # time of the next ping
    int64_t interval_ns
    session_watch *next


# Ping the due sessions; return whether the Python half must handle any session.
cdef bint check_sessions(session_watch *first, int64_t now_ns) noexcept nogil


@cython.final
cdef class SessionWatch:
    cdef session_watch c
    cdef MappedFile _mapping  # keeps the memory alive that `c` points to
    cdef ExclusivePublication _responses
    cdef Image _requests
    cdef bytes _ping
