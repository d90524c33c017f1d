"""What a member does with each pass that follows a leader."""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.cluster.agent.commit_pass cimport commit_state
from aeron_cluster.cluster.agent.leadership_view cimport leadership_view
from aeron_cluster.cluster.agent.module_core cimport module_core
from aeron_cluster.cluster.log.log_adapter cimport log_adapter
from aeron_cluster.cluster.members.member_progress cimport cluster_members


# One thread owns it.
cdef struct follower_state:
    module_core *core
    const leadership_view *leadership
    cluster_members *members
    commit_state *commit
    log_adapter *log_adapter  # the log as a follower reads it; or NULL
    int64_t notified_commit_position  # as the leader sent it; never falls
    int64_t last_leader_update_ns  # when a message of the leader was received last
    int64_t sent_append_position  # what the leader was sent last, or the log's join position
    int64_t append_position_deadline_ns  # when it is sent again
    int64_t lost_position  # where the recording waits, too far behind for a retransmission; or -1
    int64_t lost_deadline_ns  # when that is given up
    int64_t termination_position  # it ends there; the largest number: none
    int32_t log_limit  # fragments of the log in a pass
    bint is_termination_reported


# Read on in the log, and commit what was read; returns how many fragments there were.
cdef int follow_log(follower_state *follower) except -1 nogil

# Send the leader how far the log is recorded, where that has moved, or it is time.
cdef int report_append_position(follower_state *follower) noexcept nogil
