"""A log in the process's private memory, with the functions of publisher, subscriber and driver.

A log buffer without a client and a driver: for tools, for benchmarks of hot functions, and for
tests that need a certain order of events.
"""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from aeron_cluster.errors import BufferUsageError, ConfigurationError, StateError

from aeron_cluster.logbuffer.frames cimport (
    LOG_EXCLUSIVE_PUBLICATION,
    PAGE_MAX_LENGTH,
    PAGE_MIN_LENGTH,
    TERM_MAX_LENGTH,
    TERM_MIN_LENGTH,
    compute_position,
    data_header,
    log_file_length,
    log_metadata,
)
from aeron_cluster.logbuffer.gap_scanner cimport gap, scan_loss
from aeron_cluster.logbuffer.gil_yield cimport LONG_LENGTH, maybe_yield_gil
from aeron_cluster.logbuffer.image_poller cimport (
    INVALID_POSITION,
    block_poll,
    controlled_peek,
    image_poller_init,
    raw_poll,
)
from aeron_cluster.logbuffer.log_buffers cimport (
    clean_log,
    log_buffers_create,
    producer_position,
)
from aeron_cluster.logbuffer.message_view cimport (
    HandlerCall,
    call_handler,
    new_handler_call,
    poll_python,
)
from aeron_cluster.logbuffer.payload cimport payload, release_payload, acquire_payload
from aeron_cluster.logbuffer.term_appender cimport (
    INVALID_ARGUMENT,
    byte_vector,
    claim_abort,
    claim_commit,
    claim_payload,
    concurrent_appender_init,
    concurrent_offer,
    concurrent_offer_vectored,
    concurrent_try_claim,
    exclusive_append_padding,
    exclusive_appender_init,
    exclusive_offer,
    exclusive_offer_block,
    exclusive_offer_vectored,
    exclusive_try_claim,
)
from aeron_cluster.logbuffer.term_rebuilder cimport (
    INSERT_INVALID,
    insert_packet,
    insert_padding,
    packet_extent,
    skip_to,
    term_rebuilder_free,
    term_rebuilder_init,
)
from aeron_cluster.logbuffer.term_scanner cimport scan_for_availability
from aeron_cluster.logbuffer.unblocker cimport unblock_log
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.system.invariants cimport check_violations


TYPES = ("concurrent", "exclusive", "image")


cdef int64_t call_supplier(
    void *context, uint8_t *term, int32_t term_offset, int32_t frame_length
) noexcept with gil:
    # An exception is printed as unraisable, and the frame gets 0.
    return (<object>context)(term_offset, frame_length)


cdef int call_block_handler(
    void *context, const uint8_t *block, int32_t length, int32_t session_id, int32_t term_id
) except -1 with gil:
    (<object>context)(<bytes>block[:length], session_id, term_id)
    return 0


cdef int call_raw_block_handler(
    void *context, int64_t file_offset, const uint8_t *block, int32_t length, int32_t session_id,
    int32_t term_id
) except -1 with gil:
    (<object>context)(file_offset, <bytes>block[:length], session_id, term_id)
    return 0


cdef class LocalLog:
    """A log without a driver: messages offered to it can be polled from it.

    Parameters
    ----------
    type : str
        ``concurrent``, ``exclusive`` or ``image``: its kind of writer.
    term_length, mtu_length, page_size : int
        In bytes.
    session_id, stream_id, initial_term_id : int
        Of the stream.
    position : int
        The start position of the stream, in bytes: a multiple of 32.
    reserved_value_supplier : callable, optional
        ``supplier(term_offset, frame_length)``, called for each frame.

    Raises
    ------
    ConfigurationError
        A type or length is invalid.

    Notes
    -----
    It has a buffer: the complete log file. Any thread may offer to a concurrent log; all other
    methods are for one thread.
    """

    def __init__(
        self, str type not None = "concurrent", *, int32_t term_length = TERM_MIN_LENGTH,
        int32_t mtu_length = 1408, int32_t page_size = PAGE_MIN_LENGTH, int32_t session_id = 1,
        int32_t stream_id = 1, int32_t initial_term_id = 0, int64_t position = 0,
        reserved_value_supplier = None,
    ):
        cdef log_metadata settings
        cdef int64_t length
        cdef int32_t term_id, term_offset
        cdef int status
        if self.address != NULL:
            raise StateError("log: expected to be made once, found it made")
        if type not in TYPES:
            raise ConfigurationError("type", " or ".join(TYPES), type)
        for name, value, low, high in (
            ("term_length", term_length, TERM_MIN_LENGTH, TERM_MAX_LENGTH),
            ("page_size", page_size, PAGE_MIN_LENGTH, PAGE_MAX_LENGTH),
        ):
            if not low <= value <= high or value & (value - 1):
                raise ConfigurationError(name, f"a power of two from {low} to {high}", value)
        if position < 0 or position % 32 != 0 or position > <int64_t>term_length << 31:
            raise ConfigurationError("position", "a multiple of 32 of the stream", position)
        memset(&settings, 0, sizeof(settings))
        settings.initial_term_id = initial_term_id
        settings.term_length = term_length
        settings.mtu_length = mtu_length
        settings.page_size = page_size
        settings.type = TYPES.index(type)
        settings.correlation_id = 1
        length = log_file_length(term_length, page_size)
        self.address = <uint8_t *>malloc(length)
        if self.address == NULL:
            raise MemoryError(f"log: expected room for {length} bytes")
        memset(self.address, 0, length)
        self.type = settings.type
        term_id = initial_term_id + <int32_t>(position // term_length)
        term_offset = <int32_t>(position % term_length)
        status = log_buffers_create(
            &self.log, self.address, length, &settings, session_id, stream_id, term_id,
            term_offset,
        )
        if status != 0:
            raise ConfigurationError(
                "mtu_length", "a multiple of 32 from 64 to 65504", mtu_length
            )
        self.position = position
        self.limit = INT64_MAX
        concurrent_appender_init(&self.shared, &self.log, &self.limit)
        exclusive_appender_init(&self.exclusive, &self.log, &self.limit)
        image_poller_init(
            &self.poller, &self.log, &self.position, <void *>self, <void *>self
        )
        if term_rebuilder_init(&self.rebuilder, &self.log, position) < 0:
            raise MemoryError("log: expected room for a map of what was inserted")
        if reserved_value_supplier is not None:
            self.reserved_value_supplier = reserved_value_supplier
            self.shared.supplier = call_supplier
            self.shared.supplier_context = <void *>reserved_value_supplier
            self.exclusive.supplier = call_supplier
            self.exclusive.supplier_context = <void *>reserved_value_supplier

    def __dealloc__(self):
        term_rebuilder_free(&self.rebuilder)
        free(self.address)

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        if self.address == NULL:
            raise StateError("log: expected to be made, found it not")
        PyBuffer_FillInfo(buffer, self, self.address, self.log.length, 0, flags)

    cdef HandlerCall call_of(self, object handler):
        if self.call is None or self.call.handler is not handler:
            self.call = new_handler_call(handler)
        return self.call

    # ---- the publisher ----

    cdef int64_t offer_bytes(self, const uint8_t *data, int32_t length) noexcept nogil:
        if self.type == LOG_EXCLUSIVE_PUBLICATION:
            return exclusive_offer(&self.exclusive, data, length)
        return concurrent_offer(&self.shared, data, length)

    def offer(self, message):
        """Append a message.

        Parameters
        ----------
        message : buffer
            The payload; it is copied.

        Returns
        -------
        int
            The position after it, or an ``AppendStatus``.

        Raises
        ------
        ValueError
            The message is longer than ``max_message_length``.
        """
        cdef payload taken
        cdef int32_t length
        cdef int64_t position
        acquire_payload(&taken, message)
        if taken.length > self.log.max_message_length:
            release_payload(&taken)
            raise ValueError(
                f"message length: expected <= {self.log.max_message_length}, found {taken.length}"
            )
        length = <int32_t>taken.length
        if length >= LONG_LENGTH:
            with nogil:
                position = self.offer_bytes(taken.data, length)
        else:
            position = self.offer_bytes(taken.data, length)
            maybe_yield_gil(&self.turns, position < 0)
        release_payload(&taken)
        check_violations()
        return position

    def offer_vectored(self, messages):
        """Append several buffers as one message; otherwise as :meth:`offer`."""
        cdef payload *taken
        cdef byte_vector *vectors
        cdef int32_t held = 0
        cdef int32_t i
        cdef int64_t position = INVALID_ARGUMENT
        messages = tuple(messages)
        cdef int32_t count = <int32_t>len(messages)
        taken = <payload *>malloc((count + 1) * sizeof(payload))
        vectors = <byte_vector *>malloc((count + 1) * sizeof(byte_vector))
        try:
            if taken == NULL or vectors == NULL:
                raise MemoryError("log: expected room for a table of vectors")
            for i in range(count):
                acquire_payload(&taken[i], messages[i])
                held += 1
                vectors[i].data = taken[i].data
                vectors[i].length = taken[i].length
            with nogil:
                if self.type == LOG_EXCLUSIVE_PUBLICATION:
                    position = exclusive_offer_vectored(&self.exclusive, vectors, count)
                else:
                    position = concurrent_offer_vectored(&self.shared, vectors, count)
        finally:
            for i in range(held):
                release_payload(&taken[i])
            free(taken)
            free(vectors)
        check_violations()
        if position == INVALID_ARGUMENT:
            raise ValueError(
                f"message length: expected <= {self.log.max_message_length}, found more"
            )
        return position

    def try_claim(self, int32_t length):
        """Claim space for a message.

        Parameters
        ----------
        length : int
            The length of the payload, in bytes.

        Returns
        -------
        LocalClaim or int
            The claim, to be filled and committed, or an ``AppendStatus``.

        Raises
        ------
        ValueError
            The length is negative, or more than ``max_payload_length``.
        """
        cdef LocalClaim claim = LocalClaim.__new__(LocalClaim)
        cdef int64_t position
        if self.type == LOG_EXCLUSIVE_PUBLICATION:
            position = exclusive_try_claim(&self.exclusive, length, &claim.claim)
        else:
            position = concurrent_try_claim(&self.shared, length, &claim.claim)
        check_violations()
        if position == INVALID_ARGUMENT:
            raise ValueError(
                f"claim length: expected 0 to {self.log.max_payload_length}, found {length}"
            )
        maybe_yield_gil(&self.turns, position < 0)
        if position < 0:
            return position
        claim.owner = self
        return claim

    def append_padding(self, int32_t length):
        """Append a padding frame of a payload length; exclusive logs only."""
        cdef int64_t position = exclusive_append_padding(&self.exclusive, length)
        check_violations()
        if position == INVALID_ARGUMENT:
            raise ValueError(f"padding length: expected within a message's, found {length}")
        return position

    def offer_block(self, block):
        """Append complete frames that were built for this position; exclusive logs only."""
        cdef payload taken
        cdef int64_t position
        acquire_payload(&taken, block)
        position = exclusive_offer_block(
            &self.exclusive, taken.data,
            <int32_t>taken.length if taken.length <= self.log.term_length else -1,
        )
        release_payload(&taken)
        check_violations()
        if position == INVALID_ARGUMENT:
            raise ValueError("block: expected frames that begin at the tail, found others")
        return position

    @property
    def producer_position(self):
        """The position after the last append."""
        return producer_position(&self.log)

    @property
    def position_limit(self):
        """The position from which on appends are back-pressured."""
        return load_acquire_i64(&self.limit)

    @position_limit.setter
    def position_limit(self, int64_t position):
        store_release_i64(&self.limit, position)

    @property
    def is_connected(self):
        """Whether the log's metadata has subscribers."""
        return load_acquire_i32(&self.log.metadata.is_connected) == 1

    @is_connected.setter
    def is_connected(self, bint value):
        store_release_i32(&self.log.metadata.is_connected, value)

    # ---- the subscriber ----

    def poll(self, handler, int fragment_limit = 10, *, int64_t limit_position = INT64_MAX):
        """Call a handler for committed fragments.

        Parameters
        ----------
        handler : callable
            ``handler(message, header)``.
        fragment_limit : int
            The highest number of fragments.
        limit_position : int
            Only fragments that begin before it.

        Returns
        -------
        int
            The number of fragments.
        """
        return poll_python(
            &self.poller, self.call_of(handler), limit_position, fragment_limit, False
        )

    def controlled_poll(
        self, handler, int fragment_limit = 10, *, int64_t limit_position = INT64_MAX
    ):
        """Poll like :meth:`poll`, with a handler that returns an ``Action``."""
        return poll_python(
            &self.poller, self.call_of(handler), limit_position, fragment_limit, True
        )

    def controlled_peek(self, int64_t initial_position, handler, int64_t limit_position):
        """Call a handler for fragments from a position on, without moving the subscriber's.

        Returns
        -------
        int
            The position at which the next peek may begin.

        Raises
        ------
        ValueError
            The position is not valid for the subscriber.
        """
        cdef HandlerCall call = self.call_of(handler)
        cdef int64_t position
        with nogil:
            position = controlled_peek(
                &self.poller, initial_position, call_handler, <void *>call, limit_position
            )
        if position == INVALID_POSITION:
            raise ValueError(
                f"position: expected a frame's in this term from {self.position} on, found "
                f"{initial_position}"
            )
        return position

    def block_poll(self, handler, int32_t block_length_limit):
        """Call ``handler(block, session_id, term_id)`` with a block of complete frames."""
        return block_poll(
            &self.poller, call_block_handler, <void *>handler, block_length_limit
        )

    def raw_poll(self, handler, int32_t block_length_limit):
        """Call ``handler(file_offset, block, session_id, term_id)`` with a block."""
        return raw_poll(
            &self.poller, call_raw_block_handler, <void *>handler, block_length_limit
        )

    @property
    def subscriber_position(self):
        """The position after the polled frames."""
        return self.position

    @subscriber_position.setter
    def subscriber_position(self, int64_t position):
        store_release_i64(&self.position, position)

    def close_image(self):
        """Make polls return nothing from now on."""
        self.poller.is_closed = True

    # ---- the driver ----

    def insert(self, packet):
        """Insert a data packet.

        Returns
        -------
        int
            1 if a part of it is new, 0 if all of it is a duplicate, -1 if it is invalid or overlaps
            other frames: then nothing is written.
        """
        cdef payload taken
        cdef int32_t length
        cdef int32_t extent = 0
        cdef int64_t position
        cdef const data_header *header
        acquire_payload(&taken, packet)
        length = <int32_t>taken.length if taken.length <= self.log.term_length else -1
        status = INSERT_INVALID
        if length > 0:
            extent = packet_extent(taken.data, length, self.log.term_length)
        if extent > 0:
            header = <const data_header *>taken.data
            position = compute_position(
                header.term_id, header.term_offset, self.log.position_bits_to_shift,
                self.log.initial_term_id)
            if position >= 0:
                status = insert_packet(&self.rebuilder, position, taken.data, length, extent)
        release_payload(&taken)
        check_violations()
        return status

    def scan_loss(self, int64_t rebuild_position, int64_t hwm_position):
        """Return the new rebuild position, and the first gap as (term id, offset, length) or None.
        """
        cdef gap found
        cdef int64_t position = scan_loss(&self.log, rebuild_position, hwm_position, &found)
        if found.length == 0:
            return position, None
        return position, (found.term_id, found.term_offset, found.length)

    def fill_gap(self, int32_t term_id, int32_t term_offset, int32_t length):
        """Fill a gap with padding; return whether it was still empty."""
        cdef gap lost
        if not 0 <= term_offset <= self.log.term_length - length or length < 0:
            raise ValueError(f"gap: expected in the term, found {length} at {term_offset}")
        lost.term_id = term_id
        lost.term_offset = term_offset
        lost.length = length
        return insert_padding(&self.rebuilder, &lost)

    def scan_for_availability(self, int64_t position, int32_t max_length):
        """Return the bytes that a sender may send from a position, and the padding after them."""
        cdef int32_t padding = 0
        cdef int32_t offset = <int32_t>(position & (self.log.term_length - 1))
        cdef int32_t available = scan_for_availability(
            self.log.terms[(position // self.log.term_length) % 3], offset, max_length,
            self.log.term_length, &padding,
        )
        return available, padding

    @property
    def contiguous_position(self):
        """The position up to which everything was inserted."""
        return self.rebuilder.contiguous_position

    @property
    def high_water_position(self):
        """The position after all inserted frames."""
        return self.rebuilder.high_water_position

    def skip_to(self, int64_t position):
        """Stop expecting frames below a position."""
        skip_to(&self.rebuilder, position)

    def unblock(self, int64_t blocked_position):
        """Unblock the log at its consumer's position; return whether anything was done."""
        return unblock_log(&self.log, blocked_position)

    def clean(self, int64_t position, int64_t limit):
        """Zero bytes up to a position, at most to the end of a term; return the new position."""
        return clean_log(&self.log, position, limit)


cdef class LocalClaim:
    """Space for one message in a :class:`LocalLog`, to be filled through its buffer."""

    def __init__(self):
        raise TypeError("a LocalClaim is only created by try_claim")

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        if self.owner is None:
            raise BufferUsageError("claim: expected use before commit or abort, found it after")
        PyBuffer_FillInfo(buffer, self, claim_payload(&self.claim), self.claim.length, 0, flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *buffer):
        self.exports -= 1

    def __len__(self):
        return self.claim.length

    cdef int check_open(self) except -1:
        if self.owner is None:
            raise StateError("claim: expected to be open, found it committed or aborted")
        if self.exports != 0:
            raise BufferUsageError(
                f"claim: expected no view of it left, found {self.exports} still held"
            )
        return 0

    def set_header(self, *, flags=None, reserved_value=None):
        """Set fields of the frame's header before it is committed."""
        self.check_open()
        if flags is not None:
            self.claim.frame.flags = flags
        if reserved_value is not None:
            self.claim.frame.reserved_value = reserved_value

    def commit(self):
        """Publish the message."""
        self.check_open()
        claim_commit(&self.claim)
        self.owner = None

    def abort(self):
        """Turn the space into padding."""
        self.check_open()
        claim_abort(&self.claim)
        self.owner = None
