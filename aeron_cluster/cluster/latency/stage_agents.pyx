"""Agents that record when each stage of a node reaches a log position, and count durations.

No counterpart in Aeron. They run after the agents of their stages and compare positions, so the
stages need no code for it. A clock is read only if a position has changed. The file that they write
is described in ``aeron_cluster/latency.h``.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.string cimport memset

from aeron_cluster.client.image cimport has_frames
from aeron_cluster.client.publication cimport (
    exclusive_publication,
    exclusive_publication_limit,
    exclusive_publication_position,
)
from aeron_cluster.client.subscription cimport image_list
from aeron_cluster.cluster.agent.commit_pass cimport may_count, recorded_position
from aeron_cluster.cluster.agent.leadership_view cimport is_leading
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_opaque_i64,
    store_release_i64,
)
from aeron_cluster.memory.system.seams cimport Clock, Files, epoch_ms, nano_time


cdef enum:
    WINDOW_COUNT = 64
    # Up to 5,000 appending passes a second, each pass is stamped; above, one in 16. The selection
    # does not depend on durations, so percentiles are right.
    WINDOW_NS = 12_800_000
    BUSY_PERIOD = 16


# ---- the leader's log ----

cdef inline bint is_stamped(stage_state *state, int64_t now_ns) noexcept nogil:
    """Return whether to measure an appending pass, by reading clocks at every stage."""
    state.window_count += 1
    if state.window_count >= WINDOW_COUNT:
        state.period = 1 if now_ns - state.window_ns >= WINDOW_NS else BUSY_PERIOD
        state.window_count = 0
        state.window_ns = now_ns
    state.unstamped_count += 1
    if state.unstamped_count < state.period:
        return False
    state.unstamped_count = 0
    return True


cdef bint has_ingress(const module_state *module) noexcept nogil:
    """Return whether received ingress waits for a pass of the module."""
    cdef const image_list *images
    cdef int32_t index, place
    for index in range(module.ingress.count):
        images = module.ingress.subscriptions[index].current
        if images == NULL:
            continue
        for place in range(images.count):
            if has_frames(images.pollers[place]):
                return True
    return False


cdef int log_stage_do_work(void *context) except -1 nogil:
    cdef stage_state *state = <stage_state *>context
    cdef const module_state *module = state.module
    cdef const exclusive_publication *log = module.ingress.log.to
    cdef latency_stamp stamp
    cdef int64_t position
    if log == NULL or not is_leading(&module.leadership):
        state.clear_ns = 0
        return 0
    position = exclusive_publication_position(log)
    if state.term_id != module.leadership.leadership_term_id or state.clear_ns == 0:
        # Stamps of another term, or from before an election, must not be used.
        state.term_id = module.leadership.leadership_term_id
        store_release_i64(&state.file.header.epoch, state.file.header.epoch + 1)
        state.position = position
        state.clear_ns = module.core.now_ns
        return 0
    if position <= state.position:
        if position < exclusive_publication_limit(log) or not has_ingress(module):
            state.clear_ns = module.core.now_ns
        return 0
    state.position = position
    if is_stamped(state, module.core.now_ns):
        stamp.position = position
        stamp.time_ns = nano_time(&state.clock)
        stamp.begin_ns = state.clear_ns
        stamp.epoch = state.file.header.epoch
        latency_record(&state.file.histograms[<int>STAGE_LOG], stamp.time_ns - stamp.begin_ns)
        latency_put(state.file, STAGE_LOG, &stamp)
    if not has_ingress(module):
        state.clear_ns = module.core.now_ns
    return 0


# ---- the stages after it ----

cdef inline int reach(stage_state *state, int stage, int64_t position) noexcept nogil:
    # The work count is 0: it must not keep the thread busy.
    latency_take(
        state.file, stage, latency_end(state.file, stage), position, nano_time(&state.clock),
        state.is_last)
    return 0


cdef int recorded_stage_do_work(void *context) except -1 nogil:
    cdef stage_state *state = <stage_state *>context
    if not latency_is_awaited(state.file, STAGE_RECORDED) or not may_count(&state.module.commit):
        return 0
    return reach(state, STAGE_RECORDED, recorded_position(&state.module.commit))


cdef int committed_stage_do_work(void *context) except -1 nogil:
    cdef stage_state *state = <stage_state *>context
    if (
        not latency_is_awaited(state.file, STAGE_COMMITTED)
        or state.module.commit.commit_position == NULL
        or not may_count(&state.module.commit)
    ):
        return 0
    return reach(state, STAGE_COMMITTED, load_opaque_i64(state.module.commit.commit_position))


cdef int service_stage_do_work(void *context) except -1 nogil:
    cdef stage_state *state = <stage_state *>context
    cdef const container_state *container = state.container
    if (
        not latency_is_awaited(state.file, STAGE_SERVICE)
        or container.log == NULL
        or load_acquire_i32(&container.log.is_closed)
    ):
        return 0
    return reach(state, STAGE_SERVICE, load_opaque_i64(container.log.subscriber_position))


cdef int egress_stage_do_work(void *context) except -1 nogil:
    cdef stage_state *state = <stage_state *>context
    cdef int64_t end
    if not latency_is_awaited(state.file, STAGE_EGRESS):
        return 0
    # If the service has another thread, only answers from before the start of the sender's last
    # pass are certainly sent.
    end = latency_end(state.file, STAGE_EGRESS)
    if not state.is_sender_after_service:
        end, state.end = state.end, end
    latency_take(
        state.file, STAGE_EGRESS, end, INT64_MAX, nano_time(&state.clock), True)
    return 0


cdef int closed_do_work(void *_context) except -1 nogil:
    return 0


# ---- the file ----

def create_latency_file(Files files not None, path not None, Clock clock not None):
    """Create the file of a node's latencies, with all counts zero.

    Parameters
    ----------
    files : Files
    path : str
        The path in the directory of the node's driver; a file of an earlier node is replaced.
    clock : Clock

    Returns
    -------
    MappedFile
    """
    cdef MappedFile mapping
    cdef latency_file *file
    if files.exists(path):
        files.remove(path)
    mapping = MappedFile.create(files, path, LATENCY_LENGTH)
    file = <latency_file *>mapping.address
    file.header.version = LATENCY_VERSION
    file.header.stage_count = STAGE_COUNT
    file.header.bucket_bits = LATENCY_BITS
    file.header.bucket_count = LATENCY_BUCKET_COUNT
    file.header.started_ms = epoch_ms(&clock.c)
    # Stored last: a reader that finds the magic number finds the rest of the header.
    store_release_i64(&file.header.magic, LATENCY_MAGIC)
    return mapping


def bucket_of(int64_t duration_ns):
    """Return the bucket of a duration."""
    return latency_bucket(duration_ns)


cdef class StageAgent(Agent):
    """An agent that records when the agent before it reaches a log position.

    Parameters
    ----------
    mapping : MappedFile
        The result of `create_latency_file`.
    clock : Clock
    """

    def __cinit__(self, MappedFile mapping not None, Clock clock not None, *_args, **_keywords):
        memset(&self.c, 0, sizeof(self.c))
        self.mapping = mapping
        self.clock_owner = clock
        self.c.file = <latency_file *>mapping.address
        self.c.clock = clock.c
        self.c.term_id = -1
        self.state = <void *>&self.c

    @property
    def role_name(self):
        return self.name

    def on_close(self):
        """Do nothing in further passes: the file is unmapped after this."""
        self.do_work_fn = closed_do_work


@cython.final
cdef class LogStage(StageAgent):
    """Runs after the module's agent: stamps the log that it appended as leader.

    Parameters
    ----------
    mapping : MappedFile
    clock : Clock
    module : ModuleAgent
    """

    def __init__(self, mapping, clock, ModuleAgent module not None):
        self.agent = module
        self.c.module = &module.c
        self.c.period = 1
        self.do_work_fn = log_stage_do_work
        self.name = "stage-log"


@cython.final
cdef class RecordedStage(StageAgent):
    """Runs after the recorder, on the module's thread: stamps the recorded position.

    Parameters
    ----------
    mapping : MappedFile
    clock : Clock
    module : ModuleAgent
    """

    def __init__(self, mapping, clock, ModuleAgent module not None):
        self.agent = module
        self.c.module = &module.c
        self.do_work_fn = recorded_stage_do_work
        self.name = "stage-recorded"


@cython.final
cdef class CommittedStage(StageAgent):
    """Runs after the commit agent: stamps the commit position.

    Parameters
    ----------
    mapping : MappedFile
    clock : Clock
    module : ModuleAgent
    is_last : bool
        The node has no service.
    """

    def __init__(self, mapping, clock, ModuleAgent module not None, bint is_last=False):
        self.agent = module
        self.c.module = &module.c
        self.c.is_last = is_last
        self.do_work_fn = committed_stage_do_work
        self.name = "stage-committed"


@cython.final
cdef class ServiceStage(StageAgent):
    """Runs after the agent of the last service: stamps the position that it has processed.

    Parameters
    ----------
    mapping : MappedFile
    clock : Clock
    service : ServiceAgent
    """

    def __init__(self, mapping, clock, ServiceAgent service not None):
        self.agent = service
        self.c.container = &service.c
        self.do_work_fn = service_stage_do_work
        self.name = "stage-service"


@cython.final
cdef class EgressStage(StageAgent):
    """Runs after the driver's sender: stamps the position of the answers that it has sent.

    Parameters
    ----------
    mapping : MappedFile
    clock : Clock
    is_sender_after_service : bool
        Whether both run on one thread, in this order.
    """

    def __init__(self, mapping, clock, bint is_sender_after_service):
        self.c.is_sender_after_service = is_sender_after_service
        self.do_work_fn = egress_stage_do_work
        self.name = "stage-egress"
