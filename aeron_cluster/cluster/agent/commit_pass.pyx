"""Commit what a majority of members has recorded.

The leader's half of ``ConsensusModuleAgent.consensusWork``, after recording.
"""
from libc.stdint cimport INT64_MAX

from aeron_cluster.client.publication cimport exclusive_publication
from aeron_cluster.cluster.log.pending_service_messages cimport pending_sweep_leader
from aeron_cluster.cluster.members.consensus_publisher cimport send_commit_position
from aeron_cluster.cluster.members.member_progress cimport member_progress, quorum_position
from aeron_cluster.memory.shared.atomic cimport load_opaque_i64, store_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, require
from aeron_cluster.memory.system.seams cimport nano_time


cdef int call_on_committed(commit_state *commit, int64_t position) except -1 with gil:
    (<object>commit.core.conductor).on_committed(position)
    return 0


cdef int report_backtrack(
    commit_state *commit, int64_t position, int64_t committed
) except -1 with gil:
    (<object>commit.core.agent).report_backtrack(position, committed)
    return 0


cdef int64_t quorum_recorded(commit_state *commit, int64_t recorded, int64_t now_ns) noexcept nogil:
    """Return the position that a majority has recorded; a leader that records slowly delays it."""
    cdef const cluster_members *members = commit.members
    cdef member_progress *progress = members.progress
    cdef int32_t count = members.count
    cdef int64_t timeout_ns = members.heartbeat_timeout_ns
    cdef member_progress *own = &progress[members.own_index]
    cdef int64_t position
    own.log_position = recorded
    own.time_of_last_append_ns = now_ns
    position = quorum_position(progress, count, now_ns, timeout_ns)
    return position if position < recorded else recorded


cdef int send_position(
    commit_state *commit, int64_t position, int64_t committed, int64_t now_ns
) except -1 nogil:
    """Send the commit position to the followers, after a change or at intervals.

    A follower that cannot be reached now receives the next position: there is no queue.
    """
    cdef const cluster_members *members = commit.members
    cdef exclusive_publication **peers = members.peers
    cdef int32_t own_id = members.progress[members.own_index].member_id
    cdef int32_t count = members.count
    cdef int32_t index
    cdef int64_t term_id = commit.leadership.leadership_term_id
    if position <= committed and now_ns < commit.send_deadline_ns:
        return 0
    if position < committed and committed > commit.backtrack_position:
        commit.backtrack_position = committed
        report_backtrack(commit, position, committed)
    for index in range(count):
        send_commit_position(peers[index], term_id, position, own_id)
    commit.send_deadline_ns = now_ns + members.heartbeat_interval_ns
    return 1


cdef int commit_as_leader(commit_state *commit) except -1 nogil:
    cdef int64_t position, committed, now_ns, recorded
    cdef int index
    cdef int work_count = 0
    if (
        commit.recorded_position == NULL
        or commit.commit_position == NULL
        or not may_count(commit)
    ):
        return 0
    committed = load_opaque_i64(commit.commit_position)
    if commit.members.count > 1:
        if commit.leadership.is_electing:  # an election computes its own positions
            return 0
        now_ns = nano_time(&commit.core.clock)
        recorded = recorded_position(commit)
        position = quorum_recorded(commit, recorded, now_ns)
        require(
            position <= recorded, PLACE, "the commit position is recorded", position, recorded)
        work_count = send_position(commit, position, committed, now_ns)
    else:
        position = recorded_position(commit)
    if position > committed:
        # Pairs with the acquire of the services, which then read the log up to this position.
        store_release_i64(commit.commit_position, position)
        committed = position
        work_count = 1
        for index in range(commit.tracker_count):
            pending_sweep_leader(commit.trackers[index], position)
    if committed >= commit.uncommitted_position:
        commit.uncommitted_position = INT64_MAX
        call_on_committed(commit, committed)
    return work_count
