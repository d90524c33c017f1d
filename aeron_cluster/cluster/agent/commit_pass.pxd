"""How far the log is recorded and committed."""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.cluster.agent.leadership_view cimport leadership_view
from aeron_cluster.cluster.agent.module_core cimport module_core
from aeron_cluster.cluster.log.pending_service_messages cimport pending_messages
from aeron_cluster.cluster.members.member_progress cimport cluster_members
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_acquire_i64


# One thread owns it.
cdef struct commit_state:
    module_core *core
    const leadership_view *leadership
    cluster_members *members
    const int64_t *recorded_position  # of the log; NULL while nothing records it
    int64_t *commit_position
    const int32_t *is_closed  # of the counters that it stores to; NULL: they stay
    int64_t uncommitted_position  # of the first thing to drop once it is committed
    int64_t send_deadline_ns  # when members get the commit position, though it has not moved
    int64_t backtrack_position  # at which a fall of the quorum position was reported last
    pending_messages **trackers  # by service id
    int32_t tracker_count


cdef inline bint may_count(const commit_state *commit) noexcept nogil:
    """Return whether its counters are its own still: the client may have been closed."""
    return commit.is_closed == NULL or not load_acquire_i32(commit.is_closed)


cdef inline int64_t recorded_position(const commit_state *commit) noexcept nogil:
    """Return up to where the log is recorded here; -1 while nothing records it."""
    if commit.recorded_position == NULL:
        return -1
    # Pairs with the release of the recorder: what was written is in the file.
    return load_acquire_i64(commit.recorded_position)


# At the leader: commit what a majority has, and send that to the followers. Returns a work count.
cdef int commit_as_leader(commit_state *commit) except -1 nogil
