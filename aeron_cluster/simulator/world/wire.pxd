cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from aeron_cluster.memory.system.seams cimport Network, Random, address, random
from aeron_cluster.simulator.world.virtual_clock cimport VirtualTime, virtual_time


# The faults of datagrams from one host to another. Shares are fractions of 2**32.
cdef struct link:
    bint is_blocked
    uint16_t blocked_port  # a port of the target host; 0: none
    int64_t clogged_until_ns  # datagrams sent before arrive no earlier
    uint64_t loss
    uint64_t duplicate
    uint64_t corrupt  # share with one corrupted byte
    uint64_t truncate
    int64_t min_delay_ns
    int64_t max_delay_ns


cdef struct packet:
    packet *next  # next in a socket's queue
    int64_t due_ns
    uint64_t sequence  # order of datagrams due at the same time
    address source
    address target
    int32_t host  # the target host
    int32_t length
    uint8_t data[1]


cdef struct endpoint:
    int64_t handle  # -1: closed
    int64_t use  # the number of uses of the slot: a stale handle does not match a later socket
    bint reuse_address
    bint receive_time_stamps
    int32_t host
    int32_t process
    address local
    address peer  # family 0: not connected
    address group  # family 0: none joined
    int32_t send_buffer_length
    int32_t receive_buffer_length
    packet *first
    packet *last
    int64_t queued_bytes


cdef struct host:
    address *addresses
    int32_t address_count
    int32_t next_port
    int64_t arrivals  # number of datagrams delivered to its sockets so far
    int32_t process_count  # number of views after the first


# A tapped message, as it was sent; its payload follows.
cdef struct tapped:
    int64_t time_ns
    int32_t host
    int32_t stream_id
    int32_t session_id
    int32_t term_id
    int32_t term_offset
    int32_t length


cdef struct wire_counts:
    int64_t sent
    int64_t delivered
    int64_t blocked
    int64_t lost
    int64_t duplicated
    int64_t corrupted
    int64_t discarded  # discarded for a wrong checksum: corrupted or truncated ones
    int64_t truncated
    int64_t undeliverable  # without a receiver
    int64_t overflowed  # the socket's queue was full


cdef struct wire:
    const virtual_time *time
    int64_t epoch_nanos  # wall clock at time 0, for receive timestamps
    random random
    host *hosts
    int32_t host_count
    link *links  # [from * host_capacity + to]
    int32_t host_capacity
    endpoint *endpoints
    int32_t endpoint_count
    int32_t endpoint_capacity
    packet **flying  # a heap by due time
    int64_t flying_count
    int64_t flying_capacity
    uint64_t sequence
    uint64_t trace  # hash of all events
    bint has_checksums  # corrupted and truncated datagrams are discarded, as in UDP
    uint64_t tap_templates[4]  # a bit for each template of tapped cluster messages
    bint is_tapped
    uint8_t *tapped
    int64_t tapped_length
    int64_t tapped_capacity
    wire_counts counts


# Deliver due datagrams to the current sockets.
cdef void pump(wire *wire) noexcept nogil


# The state of the network table for one process of a host.
cdef struct host_view:
    wire *wire
    int32_t host
    int32_t process  # its sockets are closed with it
    int64_t calls_left  # sends until it stops; -1: unlimited
    int64_t call_count
    int64_t calls_from_padding  # value for calls_left when padding of the stream is sent; 0: none
    int32_t padded_stream_id


@cython.final
@cython.no_gc_clear  # needed for closing sockets
cdef class Wire:
    cdef wire c
    cdef VirtualTime _time
    cdef Random _random
    cdef dict _names
    cdef list _hosts

    cdef int32_t _host_of(self, HostNetwork network) except -1


@cython.final
@cython.no_gc_clear  # needed for closing sockets
cdef class HostNetwork(Network):
    cdef host_view _view
    cdef readonly Wire wire
    cdef readonly tuple addresses

    cdef int _join(self, Wire wire, int32_t host, tuple addresses) except -1
