"""Calls the archive's conductor for a request, a deadline or an ended session."""
cimport cython

from aeron_cluster.archive.agents.handover cimport handover_is_empty
from aeron_cluster.archive.recording.recorder cimport Recorder
from aeron_cluster.archive.replay.replayer cimport Replayer
from aeron_cluster.archive.sessions.session_watch cimport SessionWatch, check_sessions
from aeron_cluster.client.counter cimport counter_word
from aeron_cluster.client.image cimport has_frames
from aeron_cluster.client.subscription cimport image_list
from aeron_cluster.memory.agents.agent cimport Agent, duty_cycle
from aeron_cluster.memory.agents.cycle_tracker cimport track_cycle
from aeron_cluster.memory.shared.activity_stamp cimport stamp_activity
from aeron_cluster.memory.system.seams cimport nano_time


cdef bint has_requests(const conductor_state *state) noexcept nogil:
    cdef const image_list *images
    cdef int index, image
    for index in range(state.control_count):
        images = state.control[index].current
        if images == NULL:
            continue
        for image in range(images.count):
            if has_frames(images.pollers[image]):
                return True
    return False


cdef const duty_cycle *outermost(const duty_cycle *cycle) noexcept:
    """Return the cycle that drives a cycle's agents, of which each has its thread."""
    while cycle != NULL and cycle.parent != NULL:
        cycle = cycle.parent
    return cycle


cdef int call_archive_conductor(conductor_state *state) except -1 with gil:
    cdef ArchiveConductorAgent agent = <ArchiveConductorAgent>state.agent
    return agent.conductor.do_work()


cdef int archive_conductor_do_work(void *context) except -1 nogil:
    cdef conductor_state *state = <conductor_state *>context
    cdef int64_t now_ns = nano_time(&state.clock)
    cdef bint is_stamp_failing
    track_cycle(&state.tracker, now_ns)
    is_stamp_failing = stamp_activity(state.stamp, now_ns)
    # If the conductor is called anyway, it sends the sessions' pings itself.
    if (
        is_stamp_failing
        or state.is_busy
        or now_ns >= state.deadline_ns
        or not handover_is_empty(state.recordings)
        or not handover_is_empty(state.replays)
        or has_requests(state)
        or check_sessions(state.sessions, now_ns)
    ):
        return call_archive_conductor(state)
    return 0


@cython.final
cdef class ArchiveConductorAgent(Agent):
    """The agent of an `ArchiveConductor`.

    Parameters
    ----------
    conductor : ArchiveConductor
        Its ``do_work()`` is called when something is due, ``close()`` at the end.
    clock : Clock
        For the deadlines.
    recorder : Recorder
    replayer : Replayer
    control : sequence of Subscription
        The subscriptions to requests, polled by the conductor.
    stamp : ActivityStamp
        Of the mark file.

    Notes
    -----
    It must run on the thread that drives the subscriptions' client.
    """

    def __cinit__(
            self, conductor not None, Clock clock not None, Recorder recorder not None,
            Replayer replayer not None, control not None, ActivityStamp stamp not None):
        cdef Subscription subscription
        self.conductor = conductor
        self.clock = clock
        self.recorder = recorder
        self.replayer = replayer
        self.control = list(control)
        self.c.clock = clock.c
        self.c.recordings = &recorder.c.common.finished
        self.c.replays = &replayer.c.common.finished
        self.stamp = stamp
        self.c.stamp = &stamp.c
        self.c.agent = <void *>self
        if len(self.control) > MAX_CONTROL_SUBSCRIPTIONS:
            raise ValueError(
                f"control: expected at most {MAX_CONTROL_SUBSCRIPTIONS} subscriptions, "
                f"found {len(control)}")
        for subscription in self.control:
            self.c.control[self.c.control_count] = &subscription.poller
            self.c.control_count += 1
        self.do_work_fn = archive_conductor_do_work
        self.state = <void *>&self.c

    @property
    def role_name(self):
        return "archive-conductor"

    @property
    def is_recorder_driven(self):
        """Whether another thread still drives the recorder: its positions may change."""
        cdef const duty_cycle *cycle = outermost((<Agent>self.recorder).cycle)
        return cycle != NULL and cycle != outermost(self.cycle)

    def set_cycle_counters(self, max_time, exceeded, int64_t threshold_ns):
        """Set the counters for the time between duty cycles."""
        self.counters = (max_time, exceeded)
        self.c.tracker.max_time_ns = counter_word(max_time)
        self.c.tracker.exceeded_count = counter_word(exceeded)
        self.c.tracker.threshold_ns = threshold_ns

    def set_next(self, int64_t deadline_ns, bint is_busy):
        """Set when to call the conductor next: at a deadline, or in every duty cycle."""
        self.c.deadline_ns = deadline_ns
        self.c.is_busy = is_busy

    def set_sessions(self, tuple watches not None):
        """Set the sessions to be watched."""
        cdef SessionWatch watch
        if watches == self.watches:
            return
        self.c.sessions = NULL
        for watch in watches:
            watch.c.next = self.c.sessions
            self.c.sessions = &watch.c
        self.watches = watches

    def on_close(self):
        self.conductor.close()
