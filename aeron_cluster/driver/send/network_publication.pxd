"""A stream of the sender: data, setup frames, heartbeats, retransmits, and its receivers.

``NetworkPublication``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.send.flow_control cimport flow_control
from aeron_cluster.driver.send.retransmit cimport retransmit_handler
from aeron_cluster.driver.send.send_endpoint cimport SendEndpoint, send_endpoint
from aeron_cluster.driver.streams.log_pages cimport log_pages
from aeron_cluster.driver.streams.position_set cimport position_set
from aeron_cluster.driver.streams.published_log cimport PublishedLog, publisher_progress
from aeron_cluster.events.event_log cimport EventSource, event_source
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.system.seams cimport address


cdef enum:
    MAX_BATCH_COUNT = 16  # datagrams that one publication may send per duty cycle


cdef struct live_receiver:
    int64_t receiver_id
    int64_t time_ns


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
    int32_t max_batch_count  # datagrams that it sends per duty cycle
    bint signals_end_of_stream
    bint spies_simulate_connection
    bint is_response
    bint has_group_semantics
    int64_t connection_timeout_ns
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
    address response_address  # of the receiver that requested a response; family 0: none yet
    int32_t receiver_count
    bint has_initial_connection
    bint is_setup_elicited
    bint tracks_back_pressure
    bint awaits_status  # it needs a status message to continue, since the sender's last poll
    bint is_end_sent  # by a heartbeat
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
    publisher_progress progress
    int64_t linger_start_ns
    # ---- fixed; rarely read ----
    event_source events


# ---- for the sender; lengths of frames are already checked ----

# The publication's part of a duty cycle; returns the bytes of data (with padding) or of a
# heartbeat.
cdef int send_publication(network_publication *publication, int64_t now_ns) noexcept nogil
# For the last time that it is sent: its end, if no heartbeat was due since.
cdef void send_unsent_end(network_publication *publication, int64_t now_ns) noexcept nogil
cdef void on_publication_status(
    network_publication *publication, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil
# Whether a status message is too far from the sender's position to belong to this stream.
cdef bint is_status_rejected(
    network_publication *publication, const uint8_t *packet) noexcept nogil
# Returns False if the range is outside its term.
cdef bint on_publication_nak(
    network_publication *publication, const uint8_t *packet, int64_t now_ns) noexcept nogil
cdef void on_publication_error(
    network_publication *publication, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil
cdef void on_publication_rtt(
    network_publication *publication, const uint8_t *packet, int64_t now_ns) noexcept nogil

# ---- the conductor's ----

# Position, limit, cleaning; returns the number of changed limits.
cdef int update_publication_limits(network_publication *publication) noexcept nogil
# On the conductor's timer: update the connected flag of an active publication; return whether it is
# active and makes progress, so that the conductor has nothing to do for it.
cdef bint check_network_publication(
    network_publication *publication, int64_t now_ns) noexcept nogil


@cython.final
cdef class NetworkPublication(PublishedLog):
    cdef network_publication *c
    cdef SendEndpoint _endpoint  # the struct points into it
    cdef EventSource _events  # the same

    cdef network_publication *_open(self) except NULL
