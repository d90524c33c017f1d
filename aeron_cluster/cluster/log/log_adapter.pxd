"""Read the log of the cluster as a follower, or again after a start."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.cluster.log.pending_service_messages cimport pending_messages
from aeron_cluster.cluster.state.session_table cimport SessionTable, session_table
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler
from aeron_cluster.logbuffer.image_poller cimport image_poller
from aeron_cluster.memory.shared.atomic cimport load_opaque_i64
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.system.seams cimport Clock


# What the fragment before the next one was.
cdef enum FragmentState:
    FRAGMENT_UNKNOWN
    FRAGMENT_END  # the last one of a message
    FRAGMENT_PARTIAL  # another one


# One thread owns it.
cdef struct log_adapter:
    image_poller *poller  # NULL: no image
    fragment_assembler assembler
    session_table *sessions
    pending_messages **trackers
    int32_t tracker_count
    int64_t now_ns
    int32_t session_id  # of the last image, also when it is gone
    void *owner  # the LogAdapter, borrowed
    bint is_in_event  # Python is called from within a poll
    bint is_retired  # another image was set meanwhile
    bint accepts_extension_schemas  # messages of another schema are events too
    bint is_checked  # fragments must join, as those of a recording
    bint has_partial_message  # an image was set, or a log of before continued
    FragmentState fragment_state  # while they are checked
    int64_t checked_position  # after the last one that was
    int64_t recording_id  # that is checked


# Set up what puts fragments together; the caller sets the rest.
cdef void log_adapter_init(log_adapter *adapter) noexcept nogil

# Read on, at most `fragment_limit` fragments that begin before a position; how many there were.
cdef int log_adapter_poll(
    log_adapter *adapter, int64_t limit_position, int fragment_limit, int64_t now_ns
) except -1 nogil


cdef inline int64_t log_adapter_position(const log_adapter *adapter) noexcept nogil:
    """Return up to where the image was read; -1 without one, and once it is closed."""
    if adapter.poller == NULL or adapter.poller.is_closed:
        return -1
    return load_opaque_i64(adapter.poller.subscriber_position)


@cython.final
cdef class LogAdapter:
    cdef log_adapter c
    cdef readonly Image image
    cdef MappedFile mapping  # of the image
    cdef list retired  # images that a poll is still in, and their mappings
    cdef object on_event
    cdef Clock clock
    cdef SessionTable sessions
    cdef tuple trackers
