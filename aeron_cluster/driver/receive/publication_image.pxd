"""A stream that the receiver rebuilds from datagrams.

``PublicationImage``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.data_plane cimport publication_image
from aeron_cluster.driver.receive.loss_report cimport LossReport
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.driver.receive.receive_endpoint cimport ReceiveEndpoint
from aeron_cluster.memory.counters cimport CountersManager
from aeron_cluster.memory.seams cimport Random, address, clock


# ---- the receiver's; the packet is a data header at least ----

cdef void on_image_packet(
    publication_image *image, int32_t transport_index, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil
# A set-up frame of a stream that runs: its way is alive.
cdef void track_connection(
    publication_image *image, int32_t transport_index, const address *source, int64_t now_ns
) noexcept nogil
cdef void drop_connection(publication_image *image, int32_t transport_index) noexcept nogil
cdef void on_image_rtt(
    publication_image *image, int32_t transport_index, const uint8_t *packet,
    const address *source, int64_t now_ns) noexcept nogil
cdef bint is_image_connected(publication_image *image, int64_t now_ns) noexcept nogil
# The image's share of a pass: the end of the stream, status messages, NAKs, round trip times.
cdef int run_image(publication_image *image, int64_t now_ns) noexcept nogil
cdef void drain_image(publication_image *image, int64_t now_ns) noexcept nogil

# ---- the conductor's ----

# Rebuild position, gaps, window, cleaning; a work count. The wall clock is for the loss report.
# Whether its life takes no step now.
cdef bint is_image_steady(publication_image *image) noexcept nogil
cdef int track_rebuild(
    publication_image *image, int64_t now_ns, const clock *clock) noexcept nogil


@cython.final
cdef class PublicationImage:
    cdef publication_image *c
    cdef RawLog _log  # the struct points into it
    cdef CountersManager _counters  # the same
    cdef ReceiveEndpoint _endpoint  # the same
    cdef LossReport _loss_report  # the same
    cdef Random _random  # the same
    cdef bytes _report_text  # the same
    cdef readonly str source_identity
    cdef bint _is_closed

    cdef publication_image *_open(self) except NULL
