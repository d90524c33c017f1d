"""The container's loop: checks for due work without the GIL, and reads the log up to its limit."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.subscription cimport Subscription, subscription_poller
from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.divergence_guard cimport DivergenceGuard
from aeron_cluster.cluster.service.host cimport cluster_host
from aeron_cluster.cluster.service.service_calls cimport ServiceCalls, service_calls
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler
from aeron_cluster.logbuffer.image_poller cimport frame_view, image_poller
from aeron_cluster.memory.agents.agent cimport Agent, duty_cycle, work_function
from aeron_cluster.memory.agents.cycle_tracker cimport cycle_tracker
from aeron_cluster.memory.agents.idle_strategy cimport IdleStrategy, idle_strategy
from aeron_cluster.memory.shared.activity_stamp cimport ActivityStamp, activity_stamp
from aeron_cluster.memory.shared.counters cimport CountersReader, counters_reader
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.system.seams cimport Clock, clock


cdef struct container_state:
    cluster_host *host
    const service_calls *calls
    fragment_assembler *assembler
    image_poller *log  # NULL while no log is joined
    image_poller rest  # of a log whose image was closed, at a position of its own
    int64_t rest_position
    bint is_end_known  # the Python half knows that the log has ended
    const counters_reader *counters
    const int64_t *commit_position  # NULL until the module's counter is found
    int64_t commit_registration_id
    int64_t max_log_position
    int64_t termination_position  # -1: not requested
    int64_t ack_position  # -1: not requested
    int32_t commit_counter_id
    int32_t fragment_limit
    subscription_poller *control
    activity_stamp *stamp
    clock clock
    int64_t last_tick_ns
    int64_t reading_since_ns  # start of reading the log in this duty cycle; 0 otherwise
    int64_t stall_ns  # longer callbacks in one duty cycle are reported
    cycle_tracker tracker
    idle_strategy *strategy
    duty_cycle **cycle  # of the thread that drives the agent, or NULL
    work_function client_work  # of the client, if it is not driven by another agent
    void *client_state
    bint is_busy  # call the Python half in each duty cycle, and do not read the log
    bint is_recording  # the service writes its snapshot: the Python half checks the recording
    bint is_joining  # join a log once no log is open
    bint is_active  # the service has started
    bint is_ending  # waiting callbacks are notified
    bint is_ended
    void *conductor  # the Python half, borrowed


# The handler of assembled log messages; its context is a container_state.
cdef int on_log_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil


@cython.final
cdef class ServiceAgent(Agent):
    cdef container_state c
    cdef readonly Cluster cluster
    cdef object conductor
    cdef str name
    # Keep the objects alive that the state points to.
    cdef ServiceCalls calls
    cdef Subscription control
    cdef ActivityStamp stamp
    cdef Clock clock_owner
    cdef IdleStrategy strategy
    cdef CountersReader counters
    cdef Agent client
    cdef Image image
    cdef MappedFile log_mapping
    cdef int32_t left_session_id  # session id of the last image
    cdef tuple cycle_counters
    cdef DivergenceGuard guard
