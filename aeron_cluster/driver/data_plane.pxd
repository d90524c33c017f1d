# The structs that the driver's agents share, drawn in one place because they point at each other.
#
# Each struct belongs to a cdef class that frees it. An agent's tables hold bare pointers: the
# conductor drops the owner only after the agent's acknowledgement (an event) said that it let go.
# Fields stand in groups by the agent that writes them, a cache line or more apart.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.memory.seams cimport address, network, random


cdef enum:
    MAX_TRANSPORT_COUNT = 64  # sockets of one receive endpoint
    MAX_RESEND_COUNT = 256
    MAX_RECEIVER_COUNT = 1024  # that one publication remembers
    MAX_DESTINATION_COUNT = 1024  # of one multi-destination endpoint
    MAX_ERROR_TEXT_LENGTH = 1023
    MAX_BATCH_COUNT = 8  # datagrams of one socket call
    RECEIVE_BUFFER_LENGTH = 65536


# What an image or publication is doing; the numbers are the driver's own.
cpdef enum StreamState:
    INIT = 0
    ACTIVE = 1
    DRAINING = 2
    LINGER = 3
    DONE = 4


cpdef enum FlowControlStrategy:
    FLOW_CONTROL_UNICAST = 0
    FLOW_CONTROL_MAX = 1
    FLOW_CONTROL_MIN = 2
    FLOW_CONTROL_TAGGED = 3


cpdef enum CongestionControlStrategy:
    CONGESTION_CONTROL_STATIC = 0
    CONGESTION_CONTROL_CUBIC = 1


cpdef enum SendMode:
    SEND_CONNECTED = 0  # one receiver or a multicast group
    SEND_MANUAL = 1  # destinations by command
    SEND_DYNAMIC = 2  # destinations by status message
    SEND_RESPONSE = 3  # to whoever asked for the set-up


# The three terms of one log and what its arithmetic needs. The mapping outlives the struct.
cdef struct term_log:
    uint8_t *terms[3]
    uint8_t *metadata
    int32_t term_length
    int32_t bits_to_shift
    int32_t initial_term_id


# Position counters of subscribers or spies. The conductor writes; the sender may read, so that an
# array that was outgrown is kept until the end.
cdef struct position_set:
    int64_t **positions
    int32_t count
    int32_t capacity
    void *retired


cdef struct flow_control_receiver:
    int64_t receiver_id
    int64_t last_position
    int64_t limit  # last position + window
    int64_t time_ns
    bint is_end_of_stream


cdef struct flow_control:
    int strategy
    int32_t retransmit_window_multiple
    int32_t group_min_size
    bint has_required_receivers
    int64_t group_tag
    int64_t receiver_timeout_ns
    int64_t *receivers_counter  # NULL: none is kept
    flow_control_receiver *receivers
    int32_t receiver_count
    # A set-up was asked for while receivers live: their limit is held until one is admitted.
    bint is_setup_held
    int64_t setup_limit
    int64_t setup_deadline_ns


cdef struct retransmit_action:
    int state
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
    retransmit_action actions[MAX_RESEND_COUNT]


cdef struct live_receiver:
    int64_t receiver_id
    int64_t time_ns


cdef struct network_publication:
    # ---- fixed ----
    term_log log
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
    int64_t setup_deadline_ns
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
    int state
    int64_t clean_position
    int64_t last_sender_position  # at the last check for a blocked publisher
    int64_t last_progress_ns
    int64_t linger_start_ns


cdef struct ipc_publication:
    term_log log
    int64_t registration_id
    int32_t session_id
    int32_t stream_id
    int32_t window_length
    bint is_exclusive
    int64_t unblock_timeout_ns
    uint8_t *system_counters
    int64_t *publisher_position
    int64_t *publisher_limit
    position_set subscribers
    int state
    int64_t trip_limit
    int64_t clean_position
    int64_t consumer_position
    int64_t last_consumer_position
    int64_t last_progress_ns


# The NAK delay of one image; random is drawn for groups alone.
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
    int strategy
    int32_t mtu_length
    int32_t max_window_length
    int32_t window_length  # static
    int32_t min_congestion_window  # cubic; in datagrams
    int32_t max_congestion_window
    int32_t congestion_window
    int32_t loss_window
    bint is_tcp_mode
    bint measures_rtt
    double k
    int64_t rtt_ns
    int64_t update_deadline_ns
    int64_t last_loss_ns
    int64_t rtt_deadline_ns
    int64_t *rtt_counter  # NULL: none is kept
    int64_t *window_counter


# One way that a stream's frames come in.
cdef struct image_connection:
    bint is_used
    bint is_end_of_stream
    int64_t end_of_stream_position
    int64_t last_activity_ns
    int64_t last_frame_ns
    address control_address


cdef struct publication_image:
    # ---- fixed ----
    term_log log
    int64_t correlation_id
    int32_t session_id
    int32_t stream_id
    int32_t mtu_length
    int32_t max_receiver_window_length
    bint is_reliable
    bint has_group_semantics
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
    bint is_rejected
    int32_t rejection_length
    int32_t connection_count  # slots ever used
    uint8_t rejection_text[MAX_ERROR_TEXT_LENGTH + 1]
    image_connection connections[MAX_TRANSPORT_COUNT]
    uint8_t padding_1[64]
    # ---- written by the conductor under a change number, read by the receiver ----
    int64_t begin_status_change
    int64_t next_status_position
    int32_t next_status_window
    int64_t end_status_change
    int64_t begin_loss_change
    int32_t loss_term_id
    int32_t loss_term_offset
    int32_t loss_length
    int64_t end_loss_change
    uint8_t padding_2[64]
    # ---- written by more than one, each word by itself ----
    int32_t state  # INIT and ACTIVE by either, DRAINING by the receiver, the rest by the conductor
    uint8_t is_rebuilding
    uint8_t sends_status_messages
    int64_t time_of_last_state_change_ns
    int64_t response_session_id  # INT64_MIN: none
    uint8_t padding_3[64]
    # ---- the conductor's ----
    position_set subscribers
    loss_detector loss
    congestion_control congestion
    int64_t clean_position
    int64_t scheduled_status_position
    int32_t scheduled_window_length
    int64_t *loss_entry  # in the loss report; NULL before the first loss
    loss_report *loss_report
    int32_t reported_term_id
    int32_t reported_begin_offset
    int32_t reported_end_offset
    uint8_t *channel_text  # of the loss report's entry: channel, then source
    int32_t channel_length
    int32_t source_length


cdef struct loss_report:
    uint8_t *data
    int64_t capacity
    int64_t next_offset


cdef struct send_destination:
    address address
    int64_t registration_id
    int64_t receiver_id
    int64_t last_activity_ns
    bint has_receiver_id


# Open addressing over (stream id, session id); the capacity is a power of two.
cdef struct stream_slot:
    int32_t stream_id
    int32_t session_id
    int32_t state
    void *value


cdef struct stream_table:
    stream_slot *slots
    int32_t capacity
    int32_t count


cdef struct send_endpoint:
    network network
    int64_t registration_id
    int64_t handle  # -1: closed
    int64_t control_handle  # of a multicast channel; else -1
    int mode
    bint has_group_semantics
    bint is_multicast
    address response_address  # family 0: nobody asked yet
    send_destination *destinations
    int32_t destination_count
    int32_t destination_start
    int64_t *destinations_counter
    int64_t *status_counter
    uint8_t *system_counters
    int64_t last_status_message_ns
    int64_t resolution_deadline_ns
    bint is_resolvable  # a unicast endpoint given by name
    stream_table publications


cdef struct receive_transport:
    bint is_used
    bint has_explicit_control
    bint is_multicast
    int64_t handle
    int64_t registration_id
    int32_t multicast_ttl
    address control_address  # family 0: answers go to the source
    int64_t last_activity_ns
    int64_t setup_deadline_ns  # of the periodic eliciting status message


cdef struct pending_setup:
    int32_t stream_id
    int32_t session_id
    int32_t transport_index
    int64_t deadline_ns


cdef struct receive_dispatcher:
    stream_table streams  # session id 0; value: not used; state: all sessions wanted
    stream_table sessions
    int32_t session_limit
    int32_t interest_count


cdef struct receive_endpoint:
    network network
    int64_t registration_id
    int64_t receiver_id
    int64_t group_tag
    bint has_group_tag
    receive_transport transports[MAX_TRANSPORT_COUNT]
    int32_t transport_count  # slots ever used
    receive_dispatcher dispatcher
    int64_t *status_counter
    uint8_t *system_counters
