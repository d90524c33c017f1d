"""A stream that the receiver rebuilds from datagrams.

``PublicationImage``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.receive.congestion_control cimport congestion_control
from aeron_cluster.driver.receive.loss_detector cimport loss_detector
from aeron_cluster.driver.receive.loss_report cimport LossReport, loss_report
from aeron_cluster.driver.receive.receive_endpoint cimport (
    MAX_TRANSPORT_COUNT,
    ReceiveEndpoint,
    receive_endpoint,
)
from aeron_cluster.driver.streams.agent_events cimport TEXT_CAPACITY
from aeron_cluster.driver.streams.log_pages cimport log_pages
from aeron_cluster.driver.streams.position_set cimport position_set
from aeron_cluster.driver.streams.published_log cimport StreamLog
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.term_rebuilder cimport term_rebuilder
from aeron_cluster.memory.system.seams cimport Random, address, clock


# One connection by which a stream is received: that of the transport with the same index.
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
    bint requests_response_setup
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
    int64_t conflict_position  # the contiguous one when a datagram overlapped inserted frames
    int64_t stall_position  # the contiguous one, and since when something is missing there
    int64_t stall_ns
    int32_t connection_count  # slots ever used
    image_connection connections[MAX_TRANSPORT_COUNT]
    uint8_t padding_1[64]
    # ---- written by the conductor under a change number, read by the receiver ----
    int64_t begin_status_change
    int64_t next_status_position
    int64_t next_status_window
    int64_t end_status_change
    int64_t writable_end  # atomic: no pages are allocated beyond it
    int64_t begin_loss_change
    int32_t loss_term_id
    int32_t loss_term_offset
    int64_t loss_length
    int64_t end_loss_change
    uint8_t padding_2[64]
    # ---- fields that one agent writes and another reads, each atomic ----
    int32_t state  # set by the conductor; only DRAINING is set by the receiver
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
    int32_t window_length  # from congestion control; scheduled positions may have no pages yet
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


# ---- the receiver's; the packet is a data header at least ----

cdef void on_image_packet(
    publication_image *image, int32_t transport_index, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil
# Handle a setup frame of an existing stream: its connection is active.
cdef void track_connection(
    publication_image *image, int32_t transport_index, const address *source, int64_t now_ns
) noexcept nogil
cdef void drop_connection(publication_image *image, int32_t transport_index) noexcept nogil
cdef void on_image_rtt(
    publication_image *image, int32_t transport_index, const uint8_t *packet,
    const address *source, int64_t now_ns) noexcept nogil
cdef bint is_image_connected(publication_image *image, int64_t now_ns) noexcept nogil
# The image's part of a duty cycle: the end of the stream, status messages, NAKs, round trip times.
cdef int run_image(publication_image *image, int64_t now_ns) noexcept nogil
cdef void drain_image(publication_image *image, int64_t now_ns) noexcept nogil

# ---- the conductor's ----

# Rebuild position, gaps, window, cleaning; returns a work count. The wall clock is for the loss
# report. Whether no step of its life cycle is due.
cdef bint is_image_steady(publication_image *image) noexcept nogil
cdef int track_rebuild(
    publication_image *image, int64_t now_ns, const clock *clock) noexcept nogil


@cython.final
cdef class PublicationImage(StreamLog):
    cdef publication_image *c
    cdef ReceiveEndpoint _endpoint  # the struct points into it
    cdef LossReport _loss_report  # the same
    cdef Random _random  # the same
    cdef bytes _report_text  # the same
    cdef readonly str source_identity

    cdef publication_image *_open(self) except NULL
