"""The structs that the driver's agents share, drawn in one place because they point at each other.

Each struct belongs to a cdef class that frees it. An agent's tables hold bare pointers: the
conductor drops the owner only after the agent's acknowledgement (an event) said that it let go.
Fields stand in groups by the agent that writes them, a cache line or more apart.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.driver.streams.log_pages cimport log_pages
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.term_rebuilder cimport term_rebuilder
from aeron_cluster.memory.atomic cimport add_release_i64, load_acquire_i32, load_acquire_i64
from aeron_cluster.memory.counters cimport CountersManager
from aeron_cluster.memory.counters_layout cimport COUNTER_VALUE_LENGTH
from aeron_cluster.memory.seams cimport address, datagram, network, random


cdef enum:
    MAX_TRANSPORT_COUNT = 64  # sockets of one receive endpoint
    MAX_RESEND_COUNT = 256
    MAX_RECEIVER_COUNT = 1024  # that one publication remembers
    MAX_DESTINATION_COUNT = 1024  # of one multi-destination endpoint
    MAX_SESSION_COUNT = 65536  # that one receive endpoint remembers
    MAX_PENDING_SETUP_COUNT = 1024
    MAX_BATCH_COUNT = 8  # datagrams that one publication sends in a pass
    MAX_RECEIVE_COUNT = 16  # datagrams that one socket gives in a pass
    RECEIVE_BUFFER_LENGTH = 65536
    TEXT_CAPACITY = 1024  # of an error frame's text
    COMMAND_CAPACITY = 1024
    EVENT_CAPACITY = 256


# What an image or publication is doing; the numbers are the driver's own.
cpdef enum StreamState:
    STREAM_INIT = 0
    STREAM_ACTIVE = 1
    STREAM_DRAINING = 2
    STREAM_LINGER = 3
    STREAM_DONE = 4


cpdef enum FlowControlStrategy:
    FLOW_CONTROL_UNICAST = 0
    FLOW_CONTROL_MAX = 1
    FLOW_CONTROL_MIN = 2
    FLOW_CONTROL_TAGGED = 3


cpdef enum CongestionControlStrategy:
    CONGESTION_CONTROL_STATIC = 0
    CONGESTION_CONTROL_CUBIC = 1


cpdef enum SendMode:
    SEND_CONNECTED = 0  # to one receiver or a multicast group
    SEND_MANUAL = 1  # to destinations that come by command
    SEND_DYNAMIC = 2  # to destinations that come by status message
    SEND_RESPONSE = 3  # to whoever asked for the set-up


# ---- queues between the conductor and an agent: one writes, one reads ----
cdef enum command_type:
    COMMAND_ADD_ENDPOINT = 1
    COMMAND_REMOVE_ENDPOINT = 2
    COMMAND_ADD_PUBLICATION = 3
    COMMAND_REMOVE_PUBLICATION = 4
    COMMAND_ADD_DESTINATION = 5
    COMMAND_REMOVE_DESTINATION = 6
    COMMAND_REMOVE_DESTINATION_BY_ID = 7
    COMMAND_CHANGE_ADDRESS = 8
    COMMAND_ADD_TRANSPORT = 9
    COMMAND_REMOVE_TRANSPORT = 10
    COMMAND_ADD_SUBSCRIPTION = 11
    COMMAND_REMOVE_SUBSCRIPTION = 12
    COMMAND_REQUEST_SETUP = 13
    COMMAND_ADD_IMAGE = 14
    COMMAND_REMOVE_INIT_IN_PROGRESS = 15
    COMMAND_REMOVE_COOL_DOWN = 16
    COMMAND_REJECT_IMAGE = 17


cdef struct command:
    int32_t type
    int32_t index  # of a transport
    int32_t stream_id
    int32_t session_id
    bint has_session
    void *subject  # endpoint, publication or image
    int64_t id
    address address


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


# Why a datagram was dropped. Each is said once a frame type and agent; the counter says how often.
cdef enum fault:
    FAULT_LENGTH = 0  # shorter than its type's frame
    FAULT_VERSION = 1
    FAULT_CONTENT = 2  # a field outside its range
    FAULT_SESSION_LIMIT = 3  # one image more than a stream may have


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
    int32_t error_code  # or a fault
    void *subject  # the Python object that owns the struct; the agent's face keeps it alive
    int64_t id
    int64_t receiver_id
    int64_t group_tag
    bint has_group_tag
    address source
    address control
    int32_t text_length
    uint8_t text[TEXT_CAPACITY]


cdef struct spsc_queue:
    uint8_t *slots
    int32_t slot_length
    int32_t capacity  # a power of two
    uint8_t padding_0[64]
    int64_t tail  # the writer's
    int64_t head_seen
    int64_t reported  # a bit for each kind of fault that was said
    uint8_t padding_1[64]
    int64_t head  # the reader's
    int64_t tail_seen
    uint8_t padding_2[64]


# ---- small tables ----

# Position counters of subscribers or spies. The conductor writes; the sender may read, so that an
# array that was outgrown is kept until the end.
cdef struct position_set:
    int64_t **positions
    int32_t count
    int32_t capacity
    void *retired


# Open addressing over (stream id, session id); the capacity is a power of two.
cdef struct stream_slot:
    int32_t stream_id
    int32_t session_id
    int32_t state  # 0: the slot is empty
    int32_t count
    int32_t starting_count  # of a stream: sessions whose images are being made
    bint is_subscribed
    void *value


cdef struct stream_table:
    stream_slot *slots
    int32_t capacity
    int32_t count


# An array of pointers that an agent walks.
cdef struct pointer_array:
    void **items
    int32_t count
    int32_t capacity


# ---- sending ----
cdef struct flow_control_receiver:
    int64_t receiver_id
    int64_t last_position
    int64_t limit  # last position + window
    int64_t time_ns
    bint is_end_of_stream


cdef struct flow_control:
    int32_t strategy
    int32_t retransmit_window_multiple
    int32_t group_min_size
    int32_t receiver_count
    flow_control_receiver *receivers
    int64_t group_tag
    int64_t receiver_timeout_ns
    int64_t *receivers_counter  # NULL: none is kept
    # A set-up was asked for while receivers live: the limit is held until one more is admitted.
    bint is_setup_triggered
    bint is_setup_held
    int64_t setup_limit
    int64_t setup_deadline_ns


cdef enum retransmit_state:
    RETRANSMIT_INACTIVE = 0
    RETRANSMIT_DELAYED = 1
    RETRANSMIT_LINGERING = 2


cdef struct retransmit_action:
    int32_t state
    int32_t term_id
    int32_t term_offset
    int32_t length
    int64_t deadline_ns


cdef struct retransmit_handler:
    int32_t action_count  # slots there are
    int32_t active_count
    bint has_group_semantics
    int64_t delay_ns
    int64_t linger_ns
    int64_t *overflows
    retransmit_action actions[MAX_RESEND_COUNT]


cdef struct live_receiver:
    int64_t receiver_id
    int64_t time_ns


cdef struct send_destination:
    address address  # family 0: its name has not been resolved
    int64_t registration_id
    int64_t receiver_id
    int64_t last_activity_ns
    int64_t resolution_deadline_ns
    bint has_receiver_id


cdef struct send_endpoint:
    network network
    int64_t registration_id
    int64_t handle  # -1: closed
    int64_t control_handle  # of a multicast channel; else -1
    int32_t mode
    bint has_group_semantics
    bint is_multicast
    bint is_resolvable  # its remote address was given by name
    address response_address  # family 0: nobody asked yet
    send_destination *destinations
    int32_t destination_count
    int32_t destination_start
    int64_t *destinations_counter  # NULL: none is kept
    int64_t *status_counter
    uint8_t *system_counters
    int64_t last_status_message_ns
    stream_table publications
    spsc_queue *events  # to the conductor
    void *owner  # the Python object


cdef struct network_publication:
    # ---- fixed ----
    log_buffers *log
    log_pages *pages  # the conductor's
    void *owner
    int64_t registration_id
    int64_t response_correlation_id  # -1: none
    int32_t session_id
    int32_t stream_id
    int32_t mtu_length
    int32_t multicast_ttl
    int32_t window_length
    bint is_exclusive
    bint signals_end_of_stream
    bint spies_simulate_connection
    bint is_response
    bint has_group_semantics
    int64_t connection_timeout_ns
    int64_t unblock_timeout_ns
    send_endpoint *endpoint
    uint8_t *system_counters  # the value of counter 0
    int64_t *publisher_position
    int64_t *publisher_limit
    int64_t *sender_position
    int64_t *sender_limit
    int64_t *back_pressure_events
    int64_t *naks_received
    position_set spies
    uint8_t padding_0[64]
    # ---- the sender's ----
    flow_control flow_control
    live_receiver *receivers
    int32_t receiver_count
    bint has_initial_connection
    bint is_setup_elicited
    bint tracks_back_pressure
    bint awaits_status  # to go on, since the sender last looked
    bint is_end_said  # by a heartbeat
    int64_t setup_deadline_ns
    int64_t setup_interval_ns
    int64_t heartbeat_deadline_ns
    retransmit_handler retransmits
    uint8_t padding_1[64]
    # ---- written by the sender, read by the conductor ----
    uint8_t has_receivers
    uint8_t has_required_receivers
    uint8_t has_unicast_end_of_stream
    uint8_t padding_2[64]
    # ---- written by the conductor, read by the sender ----
    uint8_t is_end_of_stream
    uint8_t padding_3[64]
    # ---- the conductor's ----
    int32_t state
    int64_t clean_position
    int64_t last_sender_position  # at the last check for a blocked publisher
    int64_t last_progress_ns
    int64_t linger_start_ns


cdef struct ipc_publication:
    log_buffers *log
    log_pages *pages  # the conductor's
    int64_t registration_id
    int32_t session_id
    int32_t stream_id
    int32_t window_length
    int32_t state
    bint is_exclusive
    int64_t unblock_timeout_ns
    uint8_t *system_counters
    int64_t *publisher_position
    int64_t *publisher_limit
    position_set subscribers
    int64_t limit  # what publisher_limit says
    int64_t trip_limit
    int64_t clean_position
    int64_t consumer_position
    int64_t last_consumer_position  # at the last check for a blocked publisher
    int64_t last_progress_ns


# ---- receiving ----

# When a gap becomes a NAK; random is drawn for groups alone.
cdef struct loss_delay:
    bint is_multicast
    int64_t delay_ns
    int64_t retry_delay_ns
    double max_backoff_ns
    double group_size
    random *random


cdef struct loss_detector:
    loss_delay delay
    bint is_active
    int32_t term_id
    int32_t term_offset
    int32_t length
    int64_t deadline_ns


cdef struct congestion_control:
    int32_t strategy
    int32_t mtu_length
    int32_t max_window_length
    int32_t max_congestion_window  # in datagrams, as the next two
    int32_t congestion_window
    int32_t loss_window
    bint is_tcp_mode
    bint measures_rtt
    double k
    int64_t rtt_ns
    int64_t update_deadline_ns
    int64_t last_loss_ns
    int64_t last_rtt_request_ns
    int64_t *rtt_counter  # NULL: none is kept
    int64_t *window_counter


cdef struct loss_report:
    uint8_t *data
    int64_t capacity
    int64_t next_offset


# One way that a stream's frames come in: the transport of the same index.
cdef struct image_connection:
    bint is_used
    bint is_end_of_stream
    int64_t end_of_stream_position
    int64_t last_activity_ns
    int64_t last_frame_ns
    address control_address


cdef struct publication_image:
    # ---- fixed ----
    log_buffers *log
    void *owner
    int64_t correlation_id
    int32_t session_id
    int32_t stream_id
    int32_t mtu_length
    int32_t max_window_length
    bint is_reliable
    bint has_group_semantics
    bint asks_for_response_setup
    int64_t liveness_timeout_ns
    int64_t status_message_timeout_ns
    receive_endpoint *endpoint
    uint8_t *system_counters
    int64_t *high_water_mark
    int64_t *rebuild_position
    int64_t *naks_sent
    uint8_t padding_0[64]
    # ---- the receiver's ----
    int64_t last_status_position
    int64_t last_overrun_threshold
    int64_t last_status_change
    int64_t last_loss_change
    int64_t status_deadline_ns
    int64_t last_packet_ns
    bint is_end_of_stream
    bint is_sending_end_of_stream
    bint is_in_dispatcher
    term_rebuilder rebuilder
    bint has_conflict  # a datagram was refused for what is there, and nothing was rebuilt since
    int64_t conflict_position
    int64_t conflict_ns
    bint has_lost_interest  # nobody subscribes any more: who does so later gets another image
    int32_t connection_count  # slots ever used
    image_connection connections[MAX_TRANSPORT_COUNT]
    uint8_t padding_1[64]
    # ---- written by the conductor under a change number, read by the receiver ----
    int64_t begin_status_change
    int64_t next_status_position
    int64_t next_status_window
    int64_t end_status_change
    int64_t writable_end  # by itself: beyond it there are no pages to write to
    int64_t begin_loss_change
    int32_t loss_term_id
    int32_t loss_term_offset
    int64_t loss_length
    int64_t end_loss_change
    uint8_t padding_2[64]
    # ---- words that one writes and another reads, each by itself ----
    int32_t state  # the conductor's, but the receiver makes an active one drain
    uint8_t is_rebuilding
    uint8_t sends_status_messages
    uint8_t is_release_requested
    uint8_t is_rejected
    int64_t state_change_ns
    int64_t response_session_id  # INT64_MIN: none
    uint8_t padding_3[64]
    # ---- the conductor's; a rejection is written once, before is_rejected ----
    int32_t rejection_length
    uint8_t rejection_text[TEXT_CAPACITY]
    position_set subscribers
    loss_detector loss
    congestion_control congestion
    log_pages *pages
    int32_t window_length  # as congestion control has it; what is scheduled may have no pages yet
    int64_t clean_position
    int64_t tracked_high_water_mark
    int64_t tracked_min_position
    int64_t tracked_max_position
    loss_report *report  # NULL: none is kept
    uint8_t *report_entry  # NULL before the first loss
    uint8_t *report_text  # channel, then source
    int32_t channel_length
    int32_t source_length
    bint has_reported
    int32_t reported_term_id
    int32_t reported_offset
    int32_t reported_limit


cdef struct receive_transport:
    bint is_used
    bint is_polled
    bint has_explicit_control
    bint is_multicast
    int32_t multicast_ttl
    int32_t batch_count  # datagrams to ask for
    int64_t handle
    int64_t registration_id
    address control_address  # family 0: answers go to the source
    int64_t last_activity_ns
    int64_t setup_deadline_ns  # of the status message that asks for set-ups again and again
    int64_t resolution_deadline_ns


cdef struct pending_setup:
    int32_t stream_id
    int32_t session_id
    int64_t deadline_ns


cdef struct receive_dispatcher:
    stream_table streams  # by (stream id, 0)
    stream_table sessions
    pending_setup *pending
    int32_t pending_count
    int32_t session_limit


cdef struct receive_endpoint:
    network network
    int64_t registration_id
    int64_t receiver_id
    int64_t group_tag
    bint has_group_tag
    int32_t transport_count  # slots ever used
    receive_transport transports[MAX_TRANSPORT_COUNT]
    receive_dispatcher dispatcher
    int64_t *status_counter
    uint8_t *system_counters
    spsc_queue *events
    void *owner


cdef inline int64_t *system_counter(uint8_t *system_counters, int32_t counter_id) noexcept nogil:
    return <int64_t *>(system_counters + counter_id * COUNTER_VALUE_LENGTH)


# Each system counter may have two writers (sender and receiver): the field's own drivers add
# without a lock as well, and the counters that two agents share are statistics.
cdef inline void count(uint8_t *system_counters, int32_t counter_id, int64_t delta) noexcept nogil:
    add_release_i64(system_counter(system_counters, counter_id), delta)


# ---- queues ----
cdef int queue_init(spsc_queue *queue, int32_t slot_length, int32_t capacity) except -1
cdef void queue_free(spsc_queue *queue) noexcept nogil
# The slot to write, or NULL where the queue is full; queue_publish hands it over.
cdef void *queue_claim(spsc_queue *queue) noexcept nogil
cdef void queue_publish(spsc_queue *queue) noexcept nogil
# The slot to read, or NULL where the queue is empty; queue_release gives it back.
cdef void *queue_peek(spsc_queue *queue) noexcept nogil
cdef void queue_release(spsc_queue *queue) noexcept nogil
cdef int32_t queue_free_count(spsc_queue *queue) noexcept nogil

# An event slot with its head cleared, or NULL (counted as a conductor proxy failure).
cdef event *claim_event(
    spsc_queue *queue, int32_t type, void *subject, uint8_t *system_counters) noexcept nogil


# Count a datagram that is dropped, and say the first of each kind to the conductor.
cdef void drop_packet(
    spsc_queue *events, uint8_t *system_counters, void *owner, int32_t why,
    const uint8_t *packet, int32_t length, const address *source) noexcept nogil


# ---- tables; what may allocate is called on control events only and returns -1 without memory ----
cdef int positions_add(position_set *positions, int64_t *position) noexcept nogil
cdef bint positions_remove(position_set *positions, int64_t *position) noexcept nogil
cdef void positions_free(position_set *positions) noexcept nogil
cdef int pointers_add(pointer_array *pointers, void *item) noexcept nogil
cdef bint pointers_remove(pointer_array *pointers, void *item) noexcept nogil
cdef void pointers_free(pointer_array *pointers) noexcept nogil
# The slot of a new or known key, or NULL without memory.
cdef stream_slot *table_put(
    stream_table *table, int32_t stream_id, int32_t session_id, int32_t state) noexcept nogil
cdef void table_remove(stream_table *table, stream_slot *slot) noexcept nogil
cdef void table_free(stream_table *table) noexcept nogil


cdef inline uint32_t table_hash(int32_t stream_id, int32_t session_id) noexcept nogil:
    cdef uint32_t hash_ = <uint32_t>session_id * <uint32_t>0x9E3779B1
    hash_ ^= <uint32_t>stream_id * <uint32_t>0x85EBCA77
    return hash_ ^ (hash_ >> 15)


cdef inline stream_slot *table_find(
        stream_table *table, int32_t stream_id, int32_t session_id) noexcept nogil:
    """Return the slot of a key, or NULL; a table is at most half full, so the walk ends."""
    cdef uint32_t mask
    cdef uint32_t index
    cdef stream_slot *slot
    if table.count == 0:
        return NULL
    mask = <uint32_t>(table.capacity - 1)
    index = table_hash(stream_id, session_id) & mask
    while True:
        slot = &table.slots[index]
        if slot.state == 0:
            return NULL
        if slot.session_id == session_id and slot.stream_id == stream_id:
            return slot
        index = (index + 1) & mask


cdef inline int64_t positions_min(position_set *positions, int64_t otherwise) noexcept nogil:
    cdef int32_t index
    cdef int64_t value
    cdef int64_t result = otherwise
    for index in range(load_acquire_i32(&positions.count)):
        value = load_acquire_i64(positions.positions[index])
        if value < result:
            result = value
    return result


cdef inline int64_t positions_max(position_set *positions, int64_t otherwise) noexcept nogil:
    cdef int32_t index
    cdef int64_t value
    cdef int64_t result = otherwise
    for index in range(load_acquire_i32(&positions.count)):
        value = load_acquire_i64(positions.positions[index])
        if value > result:
            result = value
    return result


# Where a counter's value is; raises where there is no such counter. NULL for an id of -1.
cdef int64_t *value_address(CountersManager counters, int32_t counter_id) except? NULL
