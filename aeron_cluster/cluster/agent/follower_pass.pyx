"""A follower's work in each duty cycle.

The follower's half of ``ConsensusModuleAgent.consensusWork``.
"""
from libc.stdint cimport INT64_MAX, int64_t

from aeron_cluster.cluster.agent.commit_pass cimport may_count, recorded_position
from aeron_cluster.cluster.agent.leadership_view cimport NO_MEMBER
from aeron_cluster.cluster.log.log_adapter cimport log_adapter_poll, log_adapter_position
from aeron_cluster.cluster.members.consensus_publisher cimport send_append_position
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.atomic cimport load_opaque_i64, store_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, holds, require
from aeron_cluster.memory.system.seams cimport nano_time


cdef enum:
    NO_FLAGS = 0
    NOT_LOST = -1


cdef int call_on_log_ended(follower_state *follower) except -1 with gil:
    (<object>follower.core.conductor).on_log_ended(follower.core.now_ns)
    return 1


cdef int call_on_log_lost(follower_state *follower) except -1 with gil:
    (<object>follower.core.conductor).on_log_lost(follower.core.now_ns)
    return 1


cdef int call_on_termination_position(follower_state *follower) except -1 with gil:
    (<object>follower.core.conductor).on_termination_position(follower.core.now_ns)
    return 1


cdef inline int64_t readable_position(
    const follower_state *follower, int64_t recorded
) noexcept nogil:
    """Return the position up to which the log may be read: committed, and recorded locally."""
    cdef int64_t limit = recorded
    if limit > follower.notified_commit_position:
        limit = follower.notified_commit_position
    return limit if limit < follower.termination_position else follower.termination_position


cdef inline void raise_commit_position(follower_state *follower, int64_t position) noexcept nogil:
    if (
        follower.commit.commit_position != NULL
        and may_count(follower.commit)
        and position > load_opaque_i64(follower.commit.commit_position)
    ):
        # Pairs with the acquire of the services, which then read the log up to this position: the
        # module has already applied it.
        store_release_i64(follower.commit.commit_position, position)


cdef bint is_log_lost(follower_state *follower) noexcept nogil:
    """Return whether the recording waits for data that the leader's driver will not retransmit."""
    cdef const log_buffers *log = follower.log_adapter.poller.log
    cdef int64_t position = recorded_position(follower.commit)
    if (follower.notified_commit_position - position
            <= log.term_length // 2 + log.max_message_length):
        follower.lost_position = NOT_LOST
        return False
    # While any data arrives, it may still come, out of order or from a slow archive.
    if follower.lost_position != position:
        follower.lost_position = position
        follower.lost_deadline_ns = follower.core.now_ns + follower.members.heartbeat_interval_ns
        return False
    return follower.core.now_ns >= follower.lost_deadline_ns


cdef int follow_log(follower_state *follower) except -1 nogil:
    cdef int64_t position = -1
    cdef int64_t limit, recorded
    cdef int count = 0
    if follower.log_adapter != NULL:
        position = log_adapter_position(follower.log_adapter)
    if follower.termination_position != INT64_MAX and position >= follower.termination_position:
        if follower.is_termination_reported:
            return 0
        follower.is_termination_reported = True
        return call_on_termination_position(follower)
    recorded = recorded_position(follower.commit)
    limit = readable_position(follower, recorded)
    if 0 <= position < limit:
        count = log_adapter_poll(
            follower.log_adapter, limit, follower.log_limit, follower.core.now_ns)
        # An entry that was just read started an election.
        if follower.leadership.is_electing or follower.log_adapter == NULL:
            return count
        position = log_adapter_position(follower.log_adapter)
        # Compared with its value before the poll: the archive may have advanced the counter
        # meanwhile.
        require(
            position <= recorded, PLACE, "the commit position is recorded here", position, recorded)
    if position >= 0:
        raise_commit_position(follower, position)
        # An image with an invalid frame is not read any further, long before it is closed.
        if follower.log_adapter.poller.is_given_up or is_log_lost(follower):
            return call_on_log_lost(follower)
    elif count == 0:
        return call_on_log_ended(follower)
    return count


cdef int report_append_position(follower_state *follower) noexcept nogil:
    cdef int64_t position = recorded_position(follower.commit)
    cdef const leadership_view *leadership = follower.leadership
    cdef const cluster_members *members = follower.members
    cdef int64_t now_ns
    if leadership.leader_index == NO_MEMBER:
        return 0
    if not holds(
        0 <= leadership.leader_index < members.count, PLACE, "the leader is one of the members",
        leadership.leader_index, members.count,
    ):
        return 0
    if position < follower.sent_append_position:
        position = follower.sent_append_position
    now_ns = nano_time(&follower.core.clock)
    if position == follower.sent_append_position and now_ns < follower.append_position_deadline_ns:
        return 0
    if not send_append_position(
            members.peers[leadership.leader_index], leadership.leadership_term_id, position,
            members.progress[members.own_index].member_id, NO_FLAGS):
        return 0
    follower.sent_append_position = position
    follower.append_position_deadline_ns = now_ns + members.heartbeat_interval_ns
    return 1
