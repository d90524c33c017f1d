"""Events of the sender and the receiver to the conductor."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.agent_queue cimport spsc_queue
from aeron_cluster.memory.system.seams cimport address


cdef enum:
    EVENT_CAPACITY = 256  # of a queue
    TEXT_CAPACITY = 1024  # of an error frame's text


cdef enum event_type:
    EVENT_ENDPOINT_RELEASED = 1
    EVENT_PUBLICATION_RELEASED = 2
    EVENT_RESOLUTION_DUE = 3
    EVENT_RESPONSE_SETUP = 4
    EVENT_RESPONSE_CONNECTED = 5
    EVENT_PUBLICATION_ERROR = 6
    EVENT_IMAGE_REQUESTED = 7
    EVENT_TRANSPORT_RELEASED = 8
    EVENT_IMAGE_RELEASED = 9
    EVENT_PACKET_DROPPED = 10
    EVENT_ADDRESS_CHANGED = 11


# The reason for dropping a datagram. Each is reported once per frame type and agent; a counter has
# their number.
cdef enum packet_fault:
    FAULT_LENGTH = 0  # shorter than its type's frame
    FAULT_VERSION = 1
    FAULT_CONTENT = 2  # a field outside its range
    FAULT_SESSION_LIMIT = 3  # more images than a stream may have


cdef struct event:
    int32_t type
    int32_t index  # of a transport; a frame's type
    int32_t stream_id
    int32_t session_id
    int32_t initial_term_id
    int32_t active_term_id
    int32_t term_offset
    int32_t term_length
    int32_t mtu_length
    int32_t ttl
    int32_t flags
    int32_t error_code  # or a fault, or the system's error number
    void *subject  # the Python object that owns the struct; kept alive by the agent's Python object
    int64_t id
    int64_t receiver_id
    int64_t group_tag
    bint has_group_tag
    address source
    address control
    int32_t text_length
    uint8_t text[TEXT_CAPACITY]


# Return an event slot with a cleared head, or NULL (counted as a conductor proxy failure).
cdef event *claim_event(
    spsc_queue *queue, int32_t type, void *subject, uint8_t *system_counters) noexcept nogil

# Count a dropped datagram, and report the first of each kind to the conductor.
cdef void drop_packet(
    spsc_queue *events, uint8_t *system_counters, void *owner, int32_t why,
    const uint8_t *packet, int32_t length, const address *source) noexcept nogil
