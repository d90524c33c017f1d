"""The events of sender and receiver to the conductor."""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from aeron_cluster.driver.streams.agent_queue cimport queue_claim, queue_publish, spsc_queue
from aeron_cluster.driver.streams.counter_values cimport count
from aeron_cluster.logbuffer.frames cimport FRAME_HEADER_LENGTH, frame_header
from aeron_cluster.memory.shared.counters_layout cimport (
    SYSTEM_CONDUCTOR_PROXY_FAILS,
    SYSTEM_ERRORS,
    SYSTEM_INVALID_PACKETS,
)
from aeron_cluster.memory.system.seams cimport address


cdef enum:
    MAX_FRAME_TYPE = 15  # represents all higher types


cdef event *claim_event(
        spsc_queue *queue, int32_t type, void *subject, uint8_t *system_counters) noexcept nogil:
    cdef event *slot = <event *>queue_claim(queue)
    if slot == NULL:
        count(system_counters, SYSTEM_CONDUCTOR_PROXY_FAILS, 1)
        return NULL
    # The text after the head is not cleared: its length is part of the head.
    memset(slot, 0, sizeof(event) - TEXT_CAPACITY)
    slot.type = type
    slot.subject = subject
    return slot


cdef void drop_packet(
        spsc_queue *events, uint8_t *system_counters, void *owner, int32_t why,
        const uint8_t *packet, int32_t length, const address *source) noexcept nogil:
    cdef int32_t type = MAX_FRAME_TYPE
    cdef int64_t kind
    cdef event *slot
    if why != FAULT_SESSION_LIMIT:
        count(system_counters, SYSTEM_INVALID_PACKETS, 1)
    if events == NULL:
        return
    if length >= FRAME_HEADER_LENGTH:
        type = min(<int32_t>(<const frame_header *>packet).type, <int32_t>MAX_FRAME_TYPE)
    kind = <int64_t>1 << (type * 4 + why)
    if events.reported & kind:
        if why == FAULT_SESSION_LIMIT:
            count(system_counters, SYSTEM_ERRORS, 1)  # the other faults have a counter
        return
    slot = claim_event(events, EVENT_PACKET_DROPPED, owner, system_counters)
    if slot == NULL:
        return
    events.reported |= kind
    slot.index = type
    slot.error_code = why
    slot.term_length = length
    slot.source = source[0]
    queue_publish(events)
