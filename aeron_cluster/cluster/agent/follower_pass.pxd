"""The work of a follower in each duty cycle."""
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
    log_adapter *log_adapter  # reads the log on a follower; or NULL
    int64_t notified_commit_position  # as sent by the leader; never decreases
    int64_t last_leader_update_ns  # when the leader's last message was received
    int64_t sent_append_position  # last position sent to the leader, or the log's join position
    int64_t append_position_deadline_ns  # when to send it again
    int64_t lost_position  # where the recording waits for lost data; or -1
    int64_t lost_deadline_ns  # when to stop waiting for it
    int64_t termination_position  # the member ends at this position; INT64_MAX: unset
    int32_t log_limit  # fragments of the log per duty cycle
    bint is_termination_reported


# Read the next part of the log, and advance the commit position; returns the number of fragments.
cdef int follow_log(follower_state *follower) except -1 nogil

# Send the recorded position to the leader if it has changed or is due again.
cdef int report_append_position(follower_state *follower) noexcept nogil
