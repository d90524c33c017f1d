"""The common part of recorder and replayer: sessions, segment names, counters."""
cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdio cimport snprintf

from aeron_cluster.archive.agents.handover cimport handover, handover_node, handover_put
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.cycle_tracker cimport cycle_tracker
from aeron_cluster.memory.system.seams cimport Clock, Files, clock, files


cdef enum:
    MAX_SEGMENT_NAME_LENGTH = 64  # for /<recording id>-<position>.rec and a suffix


# The counters of an agent's work; each may be NULL.
cdef struct work_counters:
    int64_t *max_time_ns
    int64_t *total_bytes
    int64_t *total_time_ns


# The directory of the segments, with space for a file name after it.
cdef struct segment_path:
    char *text
    int32_t directory_length


# All fields belong to the agent's thread, except the two queues, through which another thread adds
# sessions and takes them back.
cdef struct session_agent:
    handover added
    handover finished
    handover_node *sessions  # a node is in this list or in a queue
    files files
    clock clock
    segment_path path
    work_counters counters
    cycle_tracker tracker
    int32_t session_count
    int64_t pass_bytes
    int64_t pass_time_ns
    int64_t pass_max_time_ns


cdef inline const char *name_segment(
        segment_path *path, int64_t recording_id, int64_t base, const char *suffix
) noexcept nogil:
    snprintf(
        path.text + path.directory_length, MAX_SEGMENT_NAME_LENGTH, b"/%lld-%lld.rec%s",
        <long long>recording_id, <long long>base, suffix)
    return path.text


cdef inline const char *name_directory(segment_path *path) noexcept nogil:
    path.text[path.directory_length] = 0
    return path.text


cdef inline void note_work(session_agent *agent, int64_t length, int64_t time_ns) noexcept nogil:
    agent.pass_bytes += length
    agent.pass_time_ns += time_ns
    if time_ns > agent.pass_max_time_ns:
        agent.pass_max_time_ns = time_ns


# Begin a duty cycle: track its time, and take over added sessions. Returns their number.
cdef int begin_pass(session_agent *agent) noexcept nogil
# End a duty cycle: store the counters.
cdef void end_pass(session_agent *agent) noexcept nogil


cdef inline void end_session(session_agent *agent, handover_node *node) noexcept nogil:
    """Pass back a session that was removed from the list."""
    agent.session_count -= 1
    handover_put(&agent.finished, node)


cdef class PathBuffer:
    cdef segment_path c


cdef class Session:
    cdef handover_node *node  # in the struct of the subclass


cdef class SessionAgent(Agent):
    cdef session_agent *common  # in the struct of the subclass
    cdef Files files
    cdef Clock clock
    cdef PathBuffer path
    cdef tuple counters  # keeps the counters' memory mapped
    cdef tuple cycle_counters
    cdef set retained  # the sessions that were not retrieved yet

    cdef int begin(
        self, session_agent *common, Files files, Clock clock, str directory, object counters
    ) except -1
