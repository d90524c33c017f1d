"""Read the log of the cluster, on a follower or in a replay after a start."""
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


# The kind of the previous fragment.
cdef enum FragmentState:
    FRAGMENT_UNKNOWN
    FRAGMENT_END  # the last fragment of a message
    FRAGMENT_PARTIAL  # any other fragment


# One thread owns it.
cdef struct log_adapter:
    image_poller *poller  # NULL: no image
    fragment_assembler assembler
    session_table *sessions
    pending_messages **trackers
    int32_t tracker_count
    int64_t now_ns
    int32_t session_id  # session id of the last image, even after its release
    void *owner  # the LogAdapter, borrowed
    bint is_in_event  # Python is called from within a poll
    bint is_retired  # another image was set during the poll
    bint accepts_extension_schemas  # messages of other schemas are events too
    bint is_checked  # fragments must be contiguous, as in a recording
    bint has_partial_message  # an image was set before, or an earlier log is continued
    FragmentState fragment_state  # while fragments are checked
    int64_t checked_position  # after the last checked fragment
    int64_t recording_id  # id of the checked recording


# Initialise the fragment assembler; the caller sets the other fields.
cdef void log_adapter_init(log_adapter *adapter) noexcept nogil

# Read up to `fragment_limit` fragments that begin before a position; returns their number.
cdef int log_adapter_poll(
    log_adapter *adapter, int64_t limit_position, int fragment_limit, int64_t now_ns
) except -1 nogil


cdef inline int64_t log_adapter_position(const log_adapter *adapter) noexcept nogil:
    """Return the read position of the image; -1 without an image, and once it is closed."""
    if adapter.poller == NULL or adapter.poller.is_closed:
        return -1
    return load_opaque_i64(adapter.poller.subscriber_position)


@cython.final
cdef class LogAdapter:
    cdef log_adapter c
    cdef readonly Image image
    cdef MappedFile mapping  # keeps the image mapped
    cdef list retired  # images that a poll still reads, and their mappings
    cdef object on_event
    cdef Clock clock
    cdef SessionTable sessions
    cdef tuple trackers
