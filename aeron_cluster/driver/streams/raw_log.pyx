"""A log that the driver created and mapped.

``RawLog``.
"""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memset

from aeron_cluster.driver.streams.log_pages cimport (
    ALLOCATION_LENGTH,
    BLOCK_LENGTH,
    PageAllocator,
    allocate_pages,
    has_all_pages,
)
from aeron_cluster.logbuffer.frames cimport (
    LOG_EXCLUSIVE_PUBLICATION,
    LOG_IMAGE,
    PARTITION_COUNT,
    compute_position,
    fragmented_length,
    log_file_length,
    log_metadata,
)
from aeron_cluster.logbuffer.log_buffers cimport check_log, log_buffers, log_buffers_create
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_acquire_i64

import os

from aeron_cluster.errors import ClosedError


@cython.final
@cython.no_gc_clear  # a collection would drop the buffer without releasing it
cdef class RawLog:
    """A new log with its metadata.

    Parameters
    ----------
    memory : buffer
        Zeroed memory; the page of the metadata at its end is allocated.
    path : str
        The path of the file.
    settings : LogSettings
    allocator : PageAllocator, optional
        Allocates the pages of the terms; by default all are already allocated.
    """

    def __cinit__(
            self, memory, str path not None, settings not None, PageAllocator allocator=None):
        cdef log_metadata metadata
        cdef int status
        self.path = path
        self.settings = settings
        PyObject_GetBuffer(memory, &self._buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        self._is_open = True
        memset(&metadata, 0, sizeof(metadata))
        metadata.correlation_id = settings.correlation_id
        metadata.initial_term_id = settings.initial_term_id
        metadata.mtu_length = settings.mtu_length
        metadata.term_length = settings.term_length
        metadata.page_size = settings.page_size
        metadata.publication_window_length = settings.publication_window_length
        metadata.receiver_window_length = settings.receiver_window_length
        metadata.socket_sndbuf_length = settings.socket_sndbuf_length
        metadata.os_default_socket_sndbuf_length = settings.os_default_socket_sndbuf_length
        metadata.os_max_socket_sndbuf_length = settings.os_max_socket_sndbuf_length
        metadata.socket_rcvbuf_length = settings.socket_rcvbuf_length
        metadata.os_default_socket_rcvbuf_length = settings.os_default_socket_rcvbuf_length
        metadata.os_max_socket_rcvbuf_length = settings.os_max_socket_rcvbuf_length
        metadata.max_resend = settings.max_resend
        metadata.entity_tag = settings.entity_tag
        metadata.response_correlation_id = settings.response_correlation_id
        metadata.linger_timeout_ns = settings.linger_timeout_ns
        metadata.untethered_window_limit_timeout_ns = settings.untethered_window_limit_timeout_ns
        metadata.untethered_resting_timeout_ns = settings.untethered_resting_timeout_ns
        metadata.untethered_linger_timeout_ns = settings.untethered_linger_timeout_ns
        metadata.group = settings.group
        metadata.is_response = settings.is_response
        metadata.rejoin = settings.rejoin
        metadata.reliable = settings.reliable
        metadata.sparse = settings.sparse
        metadata.signal_eos = settings.signal_eos
        metadata.spies_simulate_connection = settings.spies_simulate_connection
        metadata.tether = settings.tether
        metadata.type = settings.type
        status = log_buffers_create(
            &self.c, <uint8_t *>self._buffer.buf, self._buffer.len, &metadata,
            settings.session_id, settings.stream_id, settings.term_id, settings.term_offset)
        check_log(status, <uint8_t *>self._buffer.buf, self._buffer.len, path)
        self.pages.end = INT64_MAX
        if allocator is not None:
            self._begin_pages(allocator)

    def __dealloc__(self):
        if self._is_open:
            self._is_open = False
            PyBuffer_Release(&self._buffer)

    cdef int _begin_pages(self, PageAllocator allocator) except -1:
        cdef int64_t longest = fragmented_length(
            self.c.max_message_length, self.c.max_payload_length)
        self._allocator = allocator
        self._encoded_path = os.fsencode(self.path)
        self.pages.allocator = &allocator.c
        self.pages.path = self._encoded_path
        self.pages.term_length = self.c.term_length
        self.pages.shift = self.c.position_bits_to_shift
        self.pages.unit_length = self.c.page_size
        self.pages.end = self.start_position & -<int64_t>self.c.page_size
        self.pages.last = self.pages.end + PARTITION_COUNT * <int64_t>self.c.term_length
        self.pages.ahead = max(2 * ALLOCATION_LENGTH, self.c.term_length // 32)
        self.pages.slack = self.c.page_size
        if self.settings.type == LOG_EXCLUSIVE_PUBLICATION:
            self.pages.slack += max(longest, min(<int32_t>BLOCK_LENGTH, self.c.term_length))
        elif self.settings.type != LOG_IMAGE:
            # Two publishers below the limit may both exceed it.
            self.pages.slack += 2 * longest
        return 0

    def allocate_pages_until(self, int64_t position):
        """Allocate the pages up to a position, and the one after it.

        Raises
        ------
        InsufficientSpaceError
            There is no space; the error names the driver's directory.
        """
        cdef int failure
        while not has_all_pages(&self.pages) and self.pages.end <= position:
            failure = allocate_pages(&self.pages, position + 1)
            if failure != 0:
                raise self._allocator.error(failure)

    @property
    def has_all_pages(self):
        """Whether every page of the file is allocated."""
        return has_all_pages(&self.pages)

    cdef log_buffers *pointer(self) except NULL:
        if not self._is_open:
            raise ClosedError(self.path)
        return &self.c

    @property
    def length(self):
        return self.pointer().length

    @property
    def term_length(self):
        return self.pointer().term_length

    @property
    def initial_term_id(self):
        return self.pointer().initial_term_id

    @property
    def start_position(self):
        cdef log_buffers *log = self.pointer()
        return compute_position(
            self.settings.term_id, self.settings.term_offset, log.position_bits_to_shift,
            log.initial_term_id)

    @property
    def end_of_stream_position(self):
        return load_acquire_i64(&self.pointer().metadata.end_of_stream_position)

    @property
    def is_connected(self):
        return load_acquire_i32(&self.pointer().metadata.is_connected) == 1

    @property
    def is_closed(self):
        return not self._is_open

    @staticmethod
    def file_length(int32_t term_length, int32_t page_size):
        return log_file_length(term_length, page_size)

    def close(self):
        if self._is_open:
            self._is_open = False
            PyBuffer_Release(&self._buffer)
