"""A mapped log: check, create, rotate, clean and describe it.

Aeron's ``LogBufferDescriptor`` and ``LogBuffers``.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from aeron_cluster.errors import ClosedError, CorruptError

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_UNFRAGMENTED,
    FRAME_ALIGNMENT,
    FRAME_DATA,
    LOG_IMAGE,
    LOG_METADATA_LENGTH,
    MAX_UDP_PAYLOAD_LENGTH,
    MIN_MTU_LENGTH,
    PAGE_MAX_LENGTH,
    PAGE_MIN_LENGTH,
    PARTITION_COUNT,
    TERM_MAX_LENGTH,
    TERM_MIN_LENGTH,
    compute_max_message_length,
    compute_position,
    compute_term_count,
    data_header,
    index_of_position,
    index_of_term_count,
    log_file_length,
    log_metadata,
    max_possible_position,
    number_of_bits,
    pack_tail,
    tail_term_id,
    tail_term_offset,
)
from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i32,
    compare_and_set_i64,
    load_acquire_i32,
    load_acquire_i64,
    load_acquire_u8,
    store_release_i64,
)


cdef inline bint is_power_of_two_between(int32_t value, int32_t low, int32_t high) noexcept nogil:
    return low <= value <= high and (value & (value - 1)) == 0


cdef int check_lengths(
    int64_t length, int32_t term_length, int32_t page_size, int32_t mtu_length
) noexcept nogil:
    if not is_power_of_two_between(term_length, TERM_MIN_LENGTH, TERM_MAX_LENGTH):
        return LOG_BAD_TERM_LENGTH
    if not is_power_of_two_between(page_size, PAGE_MIN_LENGTH, PAGE_MAX_LENGTH):
        return LOG_BAD_PAGE_SIZE
    if length != log_file_length(term_length, page_size):
        return LOG_BAD_LENGTH
    if (
        mtu_length < MIN_MTU_LENGTH
        or mtu_length > MAX_UDP_PAYLOAD_LENGTH
        or mtu_length % FRAME_ALIGNMENT != 0
    ):
        return LOG_BAD_MTU_LENGTH
    return LOG_OK


cdef void fill(
    log_buffers *log, uint8_t *address, int64_t length, log_metadata *metadata
) noexcept nogil:
    cdef const data_header *header = <const data_header *>metadata.default_frame_header
    cdef int index
    for index in range(PARTITION_COUNT):
        log.terms[index] = address + <int64_t>index * metadata.term_length
    log.metadata = metadata
    log.length = length
    log.term_length = metadata.term_length
    log.mtu_length = metadata.mtu_length
    log.max_payload_length = metadata.mtu_length - DATA_HEADER_LENGTH
    log.max_message_length = compute_max_message_length(metadata.term_length)
    log.max_possible_position = max_possible_position(metadata.term_length)
    log.initial_term_id = metadata.initial_term_id
    log.position_bits_to_shift = number_of_bits(metadata.term_length)
    log.page_size = metadata.page_size
    log.session_id = header.session_id
    log.stream_id = header.stream_id


cdef int log_buffers_init(log_buffers *log, uint8_t *address, int64_t length) noexcept nogil:
    cdef log_metadata *metadata
    cdef int status
    if length < LOG_METADATA_LENGTH:
        return LOG_TOO_SHORT
    # At the end of the file: with large pages there is slack after the third term.
    metadata = <log_metadata *>(address + length - LOG_METADATA_LENGTH)
    status = check_lengths(length, metadata.term_length, metadata.page_size, metadata.mtu_length)
    if status != LOG_OK:
        return status
    if metadata.default_frame_header_length != DATA_HEADER_LENGTH:
        return LOG_BAD_HEADER_LENGTH
    fill(log, address, length, metadata)
    return LOG_OK


cdef int log_buffers_create(
    log_buffers *log, uint8_t *address, int64_t length, const log_metadata *settings,
    int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset
) noexcept nogil:
    cdef log_metadata *metadata
    cdef data_header *header
    cdef int32_t term_count = compute_term_count(term_id, settings.initial_term_id)
    cdef int32_t index, following
    cdef int status = check_lengths(
        length, settings.term_length, settings.page_size, settings.mtu_length
    )
    if status != LOG_OK:
        return status
    if (
        term_count < 0
        or term_offset < 0
        or term_offset > settings.term_length
        or term_offset % FRAME_ALIGNMENT != 0
    ):
        return LOG_BAD_POSITION
    metadata = <log_metadata *>(address + length - LOG_METADATA_LENGTH)
    memcpy(
        &metadata.correlation_id, &settings.correlation_id,
        sizeof(log_metadata) - (<const uint8_t *>&settings.correlation_id
                                - <const uint8_t *>settings),
    )
    metadata.is_publication_revoked = 0
    metadata.default_frame_header_length = DATA_HEADER_LENGTH
    memset(metadata.default_frame_header, 0, sizeof(metadata.default_frame_header))
    header = <data_header *>metadata.default_frame_header
    header.flags = FLAG_UNFRAGMENTED
    header.type = FRAME_DATA
    header.term_offset = term_offset
    header.session_id = session_id
    header.stream_id = stream_id
    header.term_id = settings.initial_term_id
    metadata.is_connected = 0
    metadata.active_transport_count = 0
    if settings.type == LOG_IMAGE:
        # The position of an image is in counters: its tails are unused.
        metadata.active_term_count = 0
        memset(metadata.tail_counters, 0, sizeof(metadata.tail_counters))
    else:
        metadata.active_term_count = term_count
        index = index_of_term_count(term_count)
        metadata.tail_counters[index] = pack_tail(term_id, term_offset)
        for following in range(1, PARTITION_COUNT):
            # As if each term had been left three terms before, as rotation expects.
            metadata.tail_counters[(index + following) % PARTITION_COUNT] = pack_tail(
                term_id + following - PARTITION_COUNT, 0
            )
    store_release_i64(&metadata.end_of_stream_position, INT64_MAX)
    fill(log, address, length, metadata)
    return LOG_OK


cdef int check_log(int status, uint8_t *address, int64_t length, object path) except -1:
    cdef log_metadata *metadata
    cdef int64_t start = length - LOG_METADATA_LENGTH
    cdef Py_ssize_t offset
    if status == LOG_OK:
        return 0
    if status == LOG_TOO_SHORT:
        raise CorruptError(path, 0, "log length", f">= {LOG_METADATA_LENGTH}", length)
    metadata = <log_metadata *>(address + start)
    if status == LOG_BAD_TERM_LENGTH:
        offset = <uint8_t *>&metadata.term_length - address
        raise CorruptError(
            path, offset, "term length",
            f"a power of two from {TERM_MIN_LENGTH} to {TERM_MAX_LENGTH}", metadata.term_length,
        )
    if status == LOG_BAD_PAGE_SIZE:
        offset = <uint8_t *>&metadata.page_size - address
        raise CorruptError(
            path, offset, "page size",
            f"a power of two from {PAGE_MIN_LENGTH} to {PAGE_MAX_LENGTH}", metadata.page_size,
        )
    if status == LOG_BAD_LENGTH:
        raise CorruptError(
            path, 0, "log length",
            f"{log_file_length(metadata.term_length, metadata.page_size)} for term length "
            f"{metadata.term_length} and page size {metadata.page_size}", length,
        )
    if status == LOG_BAD_MTU_LENGTH:
        offset = <uint8_t *>&metadata.mtu_length - address
        raise CorruptError(
            path, offset, "MTU length",
            f"a multiple of {FRAME_ALIGNMENT} from {MIN_MTU_LENGTH} to {MAX_UDP_PAYLOAD_LENGTH}",
            metadata.mtu_length,
        )
    if status == LOG_BAD_HEADER_LENGTH:
        offset = <uint8_t *>&metadata.default_frame_header_length - address
        raise CorruptError(
            path, offset, "default frame header length", DATA_HEADER_LENGTH,
            metadata.default_frame_header_length,
        )
    raise CorruptError(path, start, "start", "a term id and an aligned offset of the log", "none")


cdef void rotate_log(log_buffers *log, int32_t term_count, int32_t term_id) noexcept nogil:
    cdef int32_t next_term_id = term_id + 1
    cdef int32_t next_term_count = term_count + 1
    cdef int32_t expected_term_id = next_term_id - PARTITION_COUNT
    cdef int64_t *tail
    cdef int64_t raw_tail
    if next_term_count < 0:
        return  # the last term was unblocked: the stream ends with it
    tail = &log.metadata.tail_counters[index_of_term_count(next_term_count)]
    raw_tail = load_acquire_i64(tail)
    while tail_term_id(raw_tail) == expected_term_id:
        # Late appenders may still add to this tail, each once, hence the loop.
        if compare_and_set_i64(tail, raw_tail, pack_tail(next_term_id, 0)):
            break
        raw_tail = load_acquire_i64(tail)
    compare_and_set_i32(&log.metadata.active_term_count, term_count, next_term_count)


cdef int64_t producer_position(log_buffers *log) noexcept nogil:
    cdef int32_t term_count = load_acquire_i32(&log.metadata.active_term_count)
    cdef int64_t raw_tail = load_acquire_i64(
        &log.metadata.tail_counters[index_of_term_count(term_count)]
    )
    return compute_position(
        tail_term_id(raw_tail), tail_term_offset(raw_tail, log.term_length),
        log.position_bits_to_shift, log.initial_term_id,
    )


cdef int64_t clean_log(log_buffers *log, int64_t position, int64_t limit) noexcept nogil:
    cdef int32_t offset
    cdef int32_t length
    cdef int64_t wanted = limit - position
    cdef uint8_t *start
    if wanted <= 0:
        return position
    offset = <int32_t>(position & (log.term_length - 1))
    length = log.term_length - offset
    if wanted < length:
        length = <int32_t>wanted
    start = log.terms[index_of_position(position, log.position_bits_to_shift)] + offset
    memset(start + sizeof(int64_t), 0, length - sizeof(int64_t))
    # The frame length is stored last: it pairs with the acquire of a scan that finds no frame.
    store_release_i64(start, 0)
    return position + length


@cython.no_gc_clear  # a collection would drop the buffer without releasing it
cdef class LogBuffer:
    """A read-only description of a log, over any object with a buffer: a map, or bytes.

    Upstream: ``LogBufferInspector``.

    Parameters
    ----------
    buffer : buffer
        The complete log file. It is retained until :meth:`close`.
    path : str
        The path for errors.

    Raises
    ------
    CorruptError
        A length, term length, page size or MTU is invalid.

    Notes
    -----
    Any thread may read; values that a publisher or driver may change are read each time.
    """

    cdef log_buffers log
    cdef Py_buffer buffer
    cdef bint is_open
    cdef readonly str path

    def __init__(self, buffer, str path not None = "<log>"):
        if self.is_open:
            self.close()
        PyObject_GetBuffer(buffer, &self.buffer, PyBUF_SIMPLE)
        self.is_open = True
        self.path = path
        check_log(
            log_buffers_init(&self.log, <uint8_t *>self.buffer.buf, self.buffer.len),
            <uint8_t *>self.buffer.buf, self.buffer.len, path,
        )

    def __dealloc__(self):
        if self.is_open:
            PyBuffer_Release(&self.buffer)

    def close(self):
        """Release the buffer. Calling it again does nothing."""
        if self.is_open:
            self.is_open = False
            PyBuffer_Release(&self.buffer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    cdef log_metadata *opened(self) except NULL:
        if not self.is_open:
            raise ClosedError(f"{self.path}: expected an open log, found it closed")
        return self.log.metadata

    @property
    def term_length(self):
        """The length of each of the three terms, in bytes."""
        return self.opened().term_length

    @property
    def mtu_length(self):
        """The longest frame, header included, in bytes."""
        return self.opened().mtu_length

    @property
    def page_size(self):
        """The page size, in bytes; the file's length is a multiple of it."""
        return self.opened().page_size

    @property
    def max_payload_length(self):
        """The longest payload of one frame, in bytes."""
        self.opened()
        return self.log.max_payload_length

    @property
    def max_message_length(self):
        """The longest message that may be offered, in bytes."""
        self.opened()
        return self.log.max_message_length

    @property
    def max_possible_position(self):
        """The highest possible position of the stream."""
        self.opened()
        return self.log.max_possible_position

    @property
    def correlation_id(self):
        """The registration id of the publication, or the correlation id of the image."""
        return self.opened().correlation_id

    @property
    def initial_term_id(self):
        """The id of the stream's first term."""
        return self.opened().initial_term_id

    @property
    def session_id(self):
        """The session in the default frame header."""
        return (<data_header *>self.opened().default_frame_header).session_id

    @property
    def stream_id(self):
        """The stream in the default frame header."""
        return (<data_header *>self.opened().default_frame_header).stream_id

    @property
    def type(self):
        """0 concurrent publication, 1 exclusive publication, 2 image."""
        return self.opened().type

    @property
    def active_term_count(self):
        """The terms begun since the initial one; 0 in an image."""
        return load_acquire_i32(&self.opened().active_term_count)

    @property
    def raw_tails(self):
        """The three tail counters: the term id in the high half, an unclamped offset below."""
        cdef log_metadata *metadata = self.opened()
        return (
            load_acquire_i64(&metadata.tail_counters[0]),
            load_acquire_i64(&metadata.tail_counters[1]),
            load_acquire_i64(&metadata.tail_counters[2]),
        )

    @property
    def producer_position(self):
        """The position in the tails of a publication; meaningless for an image."""
        self.opened()
        return producer_position(&self.log)

    @property
    def end_of_stream_position(self):
        """The position where the stream ended; ``2**63 - 1`` until it is known."""
        return load_acquire_i64(&self.opened().end_of_stream_position)

    @property
    def is_connected(self):
        """Whether the driver marked the publication as connected."""
        return load_acquire_i32(&self.opened().is_connected) == 1

    @property
    def is_publication_revoked(self):
        """Whether the publication was revoked."""
        return load_acquire_u8(&self.opened().is_publication_revoked) == 1

    @property
    def active_transport_count(self):
        """The number of transports that an image receives from; 0 for publications."""
        return load_acquire_i32(&self.opened().active_transport_count)

    def term(self, int index):
        """Return a term as a read-only view.

        Parameters
        ----------
        index : int
            0, 1 or 2.

        Returns
        -------
        memoryview
            A view of the live term, which keeps its memory alive.

        Raises
        ------
        IndexError
            The index is invalid.
        """
        self.opened()
        if not 0 <= index < PARTITION_COUNT:
            raise IndexError(f"term index: expected 0 to 2, found {index}")
        start = index * <int64_t>self.log.term_length
        return memoryview(self.buffer.obj).cast("B").toreadonly()[
            start:start + self.log.term_length
        ]
