"""What a member does with each pass that follows a leader.

The follower's half of ``ConsensusModuleAgent.consensusWork``.
"""
from libc.stdint cimport INT64_MAX, int64_t

from aeron_cluster.cluster.consensus_publisher cimport send_append_position
from aeron_cluster.cluster.log_adapter cimport log_adapter_poll, log_adapter_position
from aeron_cluster.cluster.module_pass cimport NO_MEMBER, may_count, module_pass, recorded_position
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.atomic cimport load_opaque_i64, store_release_i64
from aeron_cluster.memory.seams cimport nano_time


cdef enum:
    NO_FLAGS = 0
    NOT_LOST = -1


cdef int call_on_log_ended(module_pass *module) except -1 with gil:
    (<object>module.conductor).on_log_ended(module.now_ns)
    return 1


cdef int call_on_log_lost(module_pass *module) except -1 with gil:
    (<object>module.conductor).on_log_lost(module.now_ns)
    return 1


cdef int call_on_termination_position(module_pass *module) except -1 with gil:
    (<object>module.conductor).on_termination_position(module.now_ns)
    return 1


cdef inline int64_t readable_position(const module_pass *module) noexcept nogil:
    """Return up to where the log may be read: it is committed, and recorded here."""
    cdef int64_t limit = recorded_position(module)
    if limit > module.notified_commit_position:
        limit = module.notified_commit_position
    return limit if limit < module.termination_position else module.termination_position


cdef inline void raise_commit_position(module_pass *module, int64_t position) noexcept nogil:
    if (
        module.commit_position != NULL
        and may_count(module)
        and position > load_opaque_i64(module.commit_position)
    ):
        # Pairs with the acquire of the services, which then read the log up to there: the module
        # has taken what is in it.
        store_release_i64(module.commit_position, position)


cdef bint is_log_lost(module_pass *module) noexcept nogil:
    """Return whether the recording waits for what the leader's driver will not send again."""
    cdef const log_buffers *log = module.log_adapter.poller.log
    cdef int64_t position = recorded_position(module)
    if (module.notified_commit_position - position
            <= log.term_length // 2 + log.max_message_length):
        module.lost_position = NOT_LOST
        return False
    # It may come still, out of order or from a slow archive, as long as anything does.
    if module.lost_position != position:
        module.lost_position = position
        module.lost_deadline_ns = module.now_ns + module.heartbeat_interval_ns
        return False
    return module.now_ns >= module.lost_deadline_ns


cdef int follow_log(module_pass *module) except -1 nogil:
    cdef int64_t position = -1
    cdef int64_t limit
    cdef int count = 0
    if module.log_adapter != NULL:
        position = log_adapter_position(module.log_adapter)
    if module.termination_position != INT64_MAX and position >= module.termination_position:
        if module.is_termination_told:
            return 0
        module.is_termination_told = True
        return call_on_termination_position(module)
    limit = readable_position(module)
    if 0 <= position < limit:
        count = log_adapter_poll(module.log_adapter, limit, module.log_limit, module.now_ns)
        if module.is_electing or module.log_adapter == NULL:  # since something that was read
            return count
        position = log_adapter_position(module.log_adapter)
    if position >= 0:
        raise_commit_position(module, position)
        # Of an image with a bad frame nothing more is read, and it may be a while until it is gone.
        if module.log_adapter.poller.is_given_up or is_log_lost(module):
            return call_on_log_lost(module)
    elif count == 0:
        return call_on_log_ended(module)
    return count


cdef int tell_append_position(module_pass *module) noexcept nogil:
    cdef int64_t position = recorded_position(module)
    cdef int64_t now_ns
    if module.leader_index == NO_MEMBER:
        return 0
    if position < module.sent_append_position:
        position = module.sent_append_position
    now_ns = nano_time(&module.clock)
    if position == module.sent_append_position and now_ns < module.append_position_deadline_ns:
        return 0
    if not send_append_position(
            module.peers[module.leader_index], module.leadership_term_id, position,
            module.members[module.own_index].member_id, NO_FLAGS):
        return 0
    module.sent_append_position = position
    module.append_position_deadline_ns = now_ns + module.heartbeat_interval_ns
    return 1
