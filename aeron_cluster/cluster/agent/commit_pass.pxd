"""The recorded and committed positions of the log."""
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
    const int64_t *recorded_position  # recorded position of the log; NULL while it is not recorded
    int64_t *commit_position
    const int32_t *is_closed  # the counters' closed flag; NULL: never closed
    int64_t uncommitted_position  # position of the first change to drop once committed
    int64_t send_deadline_ns  # when to send the commit position again without a change
    int64_t backtrack_position  # quorum position of the last reported decrease
    pending_messages **trackers  # by service id
    int32_t tracker_count


cdef inline bint may_count(const commit_state *commit) noexcept nogil:
    """Return whether the counters are still valid: the client may have been closed."""
    return commit.is_closed == NULL or not load_acquire_i32(commit.is_closed)


cdef inline int64_t recorded_position(const commit_state *commit) noexcept nogil:
    """Return the locally recorded position of the log; -1 while it is not recorded."""
    if commit.recorded_position == NULL:
        return -1
    # Pairs with the recorder's release: everything up to this position is in the file.
    return load_acquire_i64(commit.recorded_position)


# At the leader: commit what a majority has recorded, and send the commit position to the followers.
# Returns a work count.
cdef int commit_as_leader(commit_state *commit) except -1 nogil
