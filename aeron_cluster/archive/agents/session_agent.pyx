"""The common part of recorder and replayer: sessions, segment names, counters.

Upstream: ``io.aeron.archive.SessionWorker``.
"""
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from aeron_cluster.archive.agents.handover cimport handover_is_empty, handover_take
from aeron_cluster.client.counter cimport counter_word
from aeron_cluster.memory.agents.cycle_tracker cimport track_cycle
from aeron_cluster.memory.shared.atomic cimport load_opaque_i64, store_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport nano_time

import os


cdef int begin_pass(session_agent *agent) noexcept nogil:
    cdef handover_node *node
    cdef handover_node *following
    cdef int count = 0
    if not holds(
        agent.session_count >= 0, PLACE, "no more sessions end than were added",
        agent.session_count, 0,
    ):
        return 0
    track_cycle(&agent.tracker, nano_time(&agent.clock))
    if handover_is_empty(&agent.added):
        return 0
    node = handover_take(&agent.added)
    while node != NULL:
        following = node.next
        node.next = agent.sessions
        agent.sessions = node
        agent.session_count += 1
        count += 1
        node = following
    return count


cdef void end_pass(session_agent *agent) noexcept nogil:
    cdef work_counters *counters = &agent.counters
    if agent.pass_bytes == 0:
        return
    # Each counter has a single writer, which reads its own stores with an opaque load.
    if counters.total_bytes != NULL:
        store_release_i64(
            counters.total_bytes, load_opaque_i64(counters.total_bytes) + agent.pass_bytes)
    if counters.total_time_ns != NULL:
        store_release_i64(
            counters.total_time_ns, load_opaque_i64(counters.total_time_ns) + agent.pass_time_ns)
    if counters.max_time_ns != NULL and (
            agent.pass_max_time_ns > load_opaque_i64(counters.max_time_ns)):
        store_release_i64(counters.max_time_ns, agent.pass_max_time_ns)
    agent.pass_bytes = agent.pass_time_ns = agent.pass_max_time_ns = 0


cdef class PathBuffer:
    """Builds the paths of one directory's segments.

    Parameters
    ----------
    directory : str
    """

    def __cinit__(self, str directory not None):
        encoded = os.fsencode(directory)
        self.c.directory_length = len(encoded)
        self.c.text = <char *>calloc(1, len(encoded) + MAX_SEGMENT_NAME_LENGTH)
        if self.c.text == NULL:
            raise MemoryError()
        memcpy(self.c.text, <const char *>encoded, len(encoded))

    def __dealloc__(self):
        free(self.c.text)


cdef class Session:
    """A recorded or replayed stream, processed by an agent."""


cdef class SessionAgent(Agent):
    """An agent that processes sessions.

    Notes
    -----
    One thread drives it; another one adds sessions and takes back those that ended.
    """

    cdef int begin(
            self, session_agent *common, Files files, Clock clock, str directory, object counters
    ) except -1:
        self.files = files
        self.clock = clock
        self.path = PathBuffer(directory)
        self.counters = tuple(counters)
        common.files = files.c
        common.clock = clock.c
        common.path = self.path.c
        common.counters.max_time_ns = counter_word(self.counters[0])
        common.counters.total_bytes = counter_word(self.counters[1])
        common.counters.total_time_ns = counter_word(self.counters[2])
        self.common = common
        self.retained = set()
        return 0

    def set_cycle_counters(self, max_time, exceeded, int64_t threshold_ns):
        """Set the counters for the time between duty cycles."""
        self.cycle_counters = (max_time, exceeded)
        self.common.tracker.max_time_ns = counter_word(max_time)
        self.common.tracker.exceeded_count = counter_word(exceeded)
        self.common.tracker.threshold_ns = threshold_ns

    @property
    def session_count(self):
        """The number of its sessions, as of its thread's last duty cycle."""
        return self.common.session_count

    @property
    def has_finished(self):
        """Whether an ended session was not retrieved yet."""
        return not handover_is_empty(&self.common.finished)

    def add(self, Session session not None):
        """Add a session; `take_finished` returns it after its end."""
        self.retained.add(session)  # until `take_finished`
        session.node.owner = <void *>session
        handover_put(&self.common.added, session.node)

    def take_finished(self):
        """Return the sessions that ended, in the order of their ends."""
        cdef handover_node *node = handover_take(&self.common.finished)
        sessions = []
        while node != NULL:
            session = <object>node.owner
            node = node.next
            self.retained.remove(session)
            sessions.append(session)
        return sessions
