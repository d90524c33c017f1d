"""Agents that record when each stage of a node reaches a log position."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.cluster.agent.module_agent cimport ModuleAgent, module_state
from aeron_cluster.cluster.service.service_agent cimport ServiceAgent, container_state
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.system.seams cimport Clock, clock


cdef extern from "aeron_cluster/latency.h" nogil:
    enum:
        LATENCY_VERSION "AC_LATENCY_VERSION"
        LATENCY_BITS "AC_LATENCY_BITS"
        LATENCY_BUCKET_COUNT "AC_LATENCY_BUCKET_COUNT"
        LATENCY_LENGTH "((int)sizeof(ac_latency_file))"
        STAGE_LOG "AC_STAGE_LOG"
        STAGE_RECORDED "AC_STAGE_RECORDED"
        STAGE_COMMITTED "AC_STAGE_COMMITTED"
        STAGE_SERVICE "AC_STAGE_SERVICE"
        STAGE_EGRESS "AC_STAGE_EGRESS"
        STAGE_TOTAL "AC_STAGE_TOTAL"
        STAGE_COUNT "AC_STAGE_COUNT"

    int64_t LATENCY_MAGIC "AC_LATENCY_MAGIC"

    ctypedef struct latency_header "ac_latency_header":
        int64_t magic
        int32_t version
        int32_t stage_count
        int32_t bucket_bits
        int32_t bucket_count
        int64_t started_ms
        int64_t epoch

    ctypedef struct latency_histogram "ac_latency_histogram":
        int64_t count

    ctypedef struct latency_stamp "ac_latency_stamp":
        int64_t position
        int64_t time_ns
        int64_t begin_ns
        int64_t epoch

    ctypedef struct latency_file "ac_latency_file":
        latency_header header
        latency_histogram histograms[STAGE_COUNT]

    int32_t latency_bucket "ac_latency_bucket"(int64_t duration_ns) noexcept
    void latency_record "ac_latency_record"(
        latency_histogram *histogram, int64_t duration_ns) noexcept
    void latency_put "ac_latency_put"(
        latency_file *file, int stage, const latency_stamp *stamp) noexcept
    bint latency_is_awaited "ac_latency_is_awaited"(const latency_file *file, int stage) noexcept
    int64_t latency_end "ac_latency_end"(const latency_file *file, int stage) noexcept
    int latency_take "ac_latency_take"(
        latency_file *file, int stage, int64_t end, int64_t position, int64_t now_ns,
        bint is_last) noexcept


# Owned by one thread: that of the agent before it.
cdef struct stage_state:
    latency_file *file
    clock clock
    const module_state *module  # for the stages of the module
    const container_state *container  # for the service's stage
    int64_t position  # for the log's stage: the position of the last stamp
    int64_t clear_ns  # a time at which no ingress waited; 0 before the first pass
    int64_t term_id  # the term of the epoch
    int64_t window_ns  # start of the window in which the rate of passes is measured
    int32_t window_count
    int32_t period  # one in this many appending passes is stamped
    int32_t unstamped_count
    int64_t end  # for egress: the end of the stamps before the sender's pass
    bint is_last  # no stage follows
    bint is_sender_after_service  # on one thread


cdef class StageAgent(Agent):
    cdef stage_state c
    cdef MappedFile mapping
    cdef Clock clock_owner
    cdef Agent agent  # the agent whose positions it reads
    cdef str name


@cython.final
cdef class LogStage(StageAgent):
    pass


@cython.final
cdef class RecordedStage(StageAgent):
    pass


@cython.final
cdef class CommittedStage(StageAgent):
    pass


@cython.final
cdef class ServiceStage(StageAgent):
    pass


@cython.final
cdef class EgressStage(StageAgent):
    pass
