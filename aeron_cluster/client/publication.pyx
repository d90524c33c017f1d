"""Publications, shared and exclusive, and the claim of a range in their log.

``io.aeron.Publication``, ``io.aeron.ConcurrentPublication``, ``io.aeron.ExclusivePublication``,
``io.aeron.logbuffer.BufferClaim``.
"""
cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.logbuffer.gil_yield cimport LONG_LENGTH, maybe_yield_gil
from aeron_cluster.logbuffer.payload cimport payload, release_payload, acquire_payload
from aeron_cluster.logbuffer.term_appender cimport (
    INVALID_ARGUMENT,
    MAX_POSITION_EXCEEDED,
    claim_abort,
    claim_commit,
    claim_payload,
    concurrent_appender_init,
    exclusive_append_padding,
    exclusive_appender_init,
    exclusive_offer_block,
)
from aeron_cluster.logbuffer.vectors cimport Vectors
from aeron_cluster.memory.shared.atomic cimport store_release_i32
from aeron_cluster.memory.shared.counters cimport CountersReader, counter_address
from aeron_cluster.memory.shared.counters_layout cimport COUNTER_VALUE_LENGTH
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.system.invariants cimport check_violations

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.errors import (
    BufferUsageError,
    ClosedError,
    CorruptError,
    MaxPositionExceededError,
    MessageError,
    StateError,
)

# Indexed by the negated status.
cdef tuple NOT_SENT = (None, NotSent(-1), NotSent(-2), NotSent(-3))


cdef int64_t same_value(
        void *context, uint8_t *term, int32_t term_offset, int32_t frame_length) noexcept nogil:
    return (<const int64_t *>context)[0]


cdef int64_t supplied_value(
        void *context, uint8_t *term, int32_t term_offset, int32_t frame_length) noexcept with gil:
    return (<_ReservedValues>context).of_frame(
        PyBytes_FromStringAndSize(<const char *>term + term_offset, frame_length))


@cython.final
cdef class _ReservedValues:
    """The reserved values of an offer's frames: a number, or the results of a callable."""

    cdef object _supplier
    cdef object _error
    cdef int64_t value

    def __cinit__(self, given):
        if callable(given):
            self._supplier = given
        else:
            self.value = given

    cdef reserved_value_supplier function(self) noexcept:
        return same_value if self._supplier is None else supplied_value

    cdef void *context(self) noexcept:
        return <void *>&self.value if self._supplier is None else <void *>self

    cdef int64_t of_frame(self, bytes frame) noexcept:
        # A frame claimed in the log must be completed.
        if self._error is not None:
            return 0
        try:
            return self._supplier(frame)
        except BaseException as error:
            self._error = error
            return 0

    cdef int check(self) except -1:
        if self._error is not None:
            raise self._error
        return 0


cdef class LogPublication(MappedLog):
    """What `Publication` and `ExclusivePublication` have in common; created by `Aeron` only."""

    def __cinit__(self):
        self.channel_status_id = -1
        self.registration_id = self.original_registration_id = -1

    def __init__(
            self, conductor, MappedFile mapping not None, CountersReader counters not None, *,
            str channel not None, int64_t registration_id, int64_t original_registration_id,
            int32_t limit_counter_id, int32_t channel_status_id):
        self._map(mapping)
        self.limit = counter_address(&counters.reader, limit_counter_id)
        if self.limit == NULL:
            raise CorruptError(
                mapping.path, 0, "publisher limit counter", f"below {counters.reader.count}",
                limit_counter_id)
        self.counters = counters
        self.conductor = conductor
        self.channel = channel
        self.registration_id = registration_id
        self.original_registration_id = original_registration_id
        self.channel_status_id = channel_status_id
        self._begin()

    cdef void _begin(self) noexcept:
        pass

    cdef MappedFile hold(self):
        """Return the object that keeps the log mapped; raise if the publication is closed."""
        if load_acquire_i32(self.closed_flag) or self.mapping is None:
            raise closed(self)
        return self.mapping

    cdef int64_t _position(self) noexcept nogil:
        return CLOSED

    cdef int64_t _offer(self, const uint8_t *message, int32_t length) noexcept nogil:
        return CLOSED

    cdef int64_t _offer_vectored(
            self, const byte_vector *vectors, int32_t count, reserved_value_supplier supplier,
            void *context) noexcept nogil:
        return CLOSED

    cdef int64_t _try_claim(self, int32_t length, buffer_claim *claim) noexcept nogil:
        return CLOSED

    cdef object _sent(self, int64_t result, Py_ssize_t length):
        if result > 0:
            return result
        if result >= -3 and result != 0:
            return NOT_SENT[-result]
        if result == CLOSED:
            check_violations()
            raise closed(self)
        if result == MAX_POSITION_EXCEEDED:
            raise MaxPositionExceededError(
                f"{self!r}: expected a position below {self.log.max_possible_position}; this"
                " stream cannot grow further, add a new publication")
        raise MessageError(
            "message", f"at most {self.log.max_message_length} bytes"
            f" ({self.log.max_payload_length} in a claim)", length)

    def mark_closed(self):
        """Reject all further calls; those in progress finish. Called by the conductor."""
        store_release_i32(self.closed_flag, 1)

    def release(self):
        """Release the log; it is unmapped once no call uses it. Called by the conductor."""
        self.mapping = None

    def close(self):
        """Close the publication. Closing it again does nothing.

        Notes
        -----
        Any thread. Never blocks. Messages offered before remain available to its subscribers.
        """
        if self.conductor is not None:
            self.conductor.close_publication(self, self.revoke_on_close_)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        state = " closed" if self.is_closed else ""
        return (
            f"<{type(self).__name__} {self.channel} stream={self.stream_id}"
            f" session={self.session_id}{state}>")

    @property
    def is_closed(self):
        """Whether it was closed: by `close`, with its client, or with the driver."""
        return bool(load_acquire_i32(self.closed_flag))

    @property
    def max_payload_length(self):
        """The longest message that is not fragmented, and the longest claim, in bytes."""
        return self.log.max_payload_length

    @property
    def max_message_length(self):
        """The longest message, in bytes."""
        return self.log.max_message_length

    @property
    def max_possible_position(self):
        """The highest position that the stream can reach."""
        return self.log.max_possible_position

    @property
    def position(self):
        """The position up to which it has published, in bytes.

        Raises
        ------
        ClosedError
            If it is closed.
        """
        cdef MappedFile mapped = self.hold()
        mapped  # keeps the log mapped during the call
        return self._position()

    @property
    def position_limit(self):
        """The position up to which flow control allows it to publish.

        Raises
        ------
        ClosedError
            If it is closed.
        """
        self.hold()
        return load_acquire_i64(self.limit)

    @property
    def available_window(self):
        """The number of bytes that can be published now; below zero after an overshoot.

        Raises
        ------
        ClosedError
            If it is closed.
        """
        return self.position_limit - self.position

    @property
    def is_connected(self):
        """Whether it has a subscriber; of a closed publication False."""
        cdef MappedFile mapped = self.mapping
        if mapped is None or load_acquire_i32(self.closed_flag):
            return False
        return load_acquire_i32(&self.log.metadata.is_connected) == 1

    @property
    def channel_status(self):
        """`ChannelStatus` of its channel; -1 of a closed publication."""
        return self.conductor.channel_status(self)

    @property
    def local_socket_addresses(self):
        """The local addresses that the driver sends from, as ``host:port``; empty until bound."""
        return self.conductor.local_socket_addresses(self)

    @property
    def is_original(self):
        """Whether it was created for this request, rather than shared with an earlier one."""
        return self.registration_id == self.original_registration_id

    @property
    def position_limit_id(self):
        """The id of the counter that `position_limit` reads."""
        cdef Py_ssize_t words = self.limit - counter_address(&self.counters.reader, 0)
        return words * <Py_ssize_t>sizeof(int64_t) // COUNTER_VALUE_LENGTH

    def add_destination(self, endpoint_channel):
        """Send to one more destination; for a channel with ``control-mode=manual``.

        Parameters
        ----------
        endpoint_channel : str
            Its URI.

        Returns
        -------
        int
            The destination's registration id, for `remove_destination`.

        Raises
        ------
        RegistrationError
            If the driver rejects the request.
        DriverTimeoutError
            If it does not answer.

        Notes
        -----
        Blocks; agents of a node must not call it: see `async_add_destination`.
        """
        self.hold()
        return self.conductor.add_destination(self.original_registration_id, endpoint_channel)

    def remove_destination(self, destination):
        """Remove a destination, by its URI or by the id that `add_destination` returned."""
        self.hold()
        self.conductor.remove_destination(self.original_registration_id, destination)

    def async_add_destination(self, endpoint_channel):
        """Begin `add_destination`; poll ``Aeron.is_done`` with the returned id."""
        self.hold()
        return self.conductor.async_add_destination(
            self.original_registration_id, endpoint_channel)

    def async_remove_destination(self, destination):
        """Begin `remove_destination`; poll ``Aeron.is_done`` with the returned id."""
        self.hold()
        return self.conductor.async_remove_destination(self.original_registration_id, destination)

    def offer(self, message, reserved_value=None):
        """Publish a message, in fragments if it is longer than a frame.

        Parameters
        ----------
        message : bytes or buffer
            The message, at most ``max_message_length`` bytes.
        reserved_value : int or Callable, optional
            The reserved value of each of its frames, 64 bits; or a callable that returns it for the
            bytes of a frame, header and payload. Its exception is raised after the message was
            published, with 0 for the remaining frames.

        Returns
        -------
        int
            The position after the message, or a false `NotSent`.

        Raises
        ------
        ClosedError
            If the publication is closed.
        MaxPositionExceededError
            If the stream cannot grow further.
        MessageError
            If the message is too long.

        Notes
        -----
        Never blocks; a busy loop of it yields the GIL to other threads from time to time.
        """
        cdef payload taken
        cdef byte_vector whole
        cdef int64_t result
        cdef _ReservedValues values = None
        cdef MappedFile mapped = self.mapping
        if mapped is None:
            raise closed(self)
        if reserved_value is not None:
            values = _ReservedValues(reserved_value)
        acquire_payload(&taken, message)
        if values is None and taken.length < LONG_LENGTH:
            result = self._offer(taken.data, <int32_t>taken.length)
            maybe_yield_gil(&self.yield_calls, result < 0)
        elif taken.length > INT32_MAX:
            result = INVALID_ARGUMENT
        elif values is None:
            with nogil:
                result = self._offer(taken.data, <int32_t>taken.length)
        else:
            whole.data = taken.data
            whole.length = <size_t>taken.length
            result = offer_with(self, &whole, 1, values)
        release_payload(&taken)
        if values is not None:
            values.check()
        return self._sent(result, taken.length)

    def offer_vectored(self, parts, reserved_value=None):
        """Publish one message that is gathered from several buffers; otherwise as `offer`.

        Parameters
        ----------
        parts : Sequence of buffers
            The parts of the message, in order.
        reserved_value : int or Callable, optional
            As for `offer`.
        """
        cdef Vectors vectors = Vectors(parts)
        cdef int64_t result
        cdef _ReservedValues values = None
        cdef MappedFile mapped = self.mapping
        if mapped is None:
            raise closed(self)
        if reserved_value is not None:
            values = _ReservedValues(reserved_value)
        result = offer_with(self, vectors.vectors, vectors.count, values)
        if values is not None:
            values.check()
        return self._sent(result, vectors.length)

    def try_claim(self, int32_t length, BufferClaim claim not None):
        """Claim a range of the log, to write a message into it directly.

        Parameters
        ----------
        length : int
            The message's length in bytes, at most ``max_payload_length``.
        claim : BufferClaim
            The object to represent the range; a used one can be reused.

        Returns
        -------
        int
            The position after the message, or a false `NotSent`: then nothing is claimed.

        Raises
        ------
        ClosedError
            If the publication is closed.
        MaxPositionExceededError
            If the stream cannot grow further.
        MessageError
            If the length is out of range.
        StateError
            If the claim is still open.

        Notes
        -----
        Subscribers cannot read past the range until it is committed or aborted.
        """
        cdef int64_t result
        cdef MappedFile mapped = self.mapping
        if mapped is None:
            raise closed(self)
        if claim.mapping is not None:
            raise still_open()
        result = self._try_claim(length, &claim.c)
        maybe_yield_gil(&self.yield_calls, result < 0)
        if result > 0:
            claim.mapping = mapped
            return result
        return self._sent(result, length)


cdef int64_t offer_with(
        LogPublication to, const byte_vector *vectors, int32_t count, _ReservedValues values
) except? -1:
    cdef reserved_value_supplier supplier = NULL if values is None else values.function()
    cdef void *context = NULL if values is None else values.context()
    cdef int64_t result
    with nogil:
        result = to._offer_vectored(vectors, count, supplier, context)
    return result


cdef object closed(LogPublication publication):
    return ClosedError(f"{publication!r}: used after it was closed")


@cython.final
cdef class Publication(LogPublication):
    """A publication shared by all threads and clients that add the same channel and stream.

    Created by `Aeron.add_publication`. Any thread may use it.
    """

    def __cinit__(self):
        self.closed_flag = &self.c.is_closed

    cdef void _begin(self) noexcept:
        concurrent_appender_init(&self.c.appender, &self.log, self.limit)

    cdef int64_t _position(self) noexcept nogil:
        return publication_position(&self.c)

    cdef int64_t _offer(self, const uint8_t *message, int32_t length) noexcept nogil:
        return publication_offer(&self.c, message, length)

    cdef int64_t _offer_vectored(
            self, const byte_vector *vectors, int32_t count, reserved_value_supplier supplier,
            void *context) noexcept nogil:
        # Other threads offer with other values, or without.
        cdef concurrent_appender marking = self.c.appender
        if load_acquire_i32(&self.c.is_closed):
            return CLOSED
        marking.supplier = supplier
        marking.supplier_context = context
        return concurrent_offer_vectored(&marking, vectors, count)

    cdef int64_t _try_claim(self, int32_t length, buffer_claim *claim) noexcept nogil:
        return publication_try_claim(&self.c, length, claim)


@cython.final
cdef class ExclusivePublication(LogPublication):
    """A publication with its own session, for one thread: faster than a shared one.

    Created by `Aeron.add_exclusive_publication`.
    """

    def __cinit__(self):
        self.closed_flag = &self.c.is_closed

    cdef void _begin(self) noexcept:
        exclusive_appender_init(&self.c.appender, &self.log, self.limit)

    cdef int64_t _position(self) noexcept nogil:
        return exclusive_publication_position(&self.c)

    cdef int64_t _offer(self, const uint8_t *message, int32_t length) noexcept nogil:
        return exclusive_publication_offer(&self.c, message, length)

    cdef int64_t _offer_vectored(
            self, const byte_vector *vectors, int32_t count, reserved_value_supplier supplier,
            void *context) noexcept nogil:
        cdef int64_t result
        self.c.appender.supplier = supplier
        self.c.appender.supplier_context = context
        result = exclusive_publication_offer_vectored(&self.c, vectors, count)
        self.c.appender.supplier = NULL
        self.c.appender.supplier_context = NULL
        return result

    cdef int64_t _try_claim(self, int32_t length, buffer_claim *claim) noexcept nogil:
        return exclusive_publication_try_claim(&self.c, length, claim)

    @property
    def term_id(self):
        """The current term id."""
        return self.c.appender.term_id

    @property
    def term_offset(self):
        """The offset in the term of the next frame, in bytes."""
        return self.c.appender.term_offset

    def append_padding(self, int32_t length):
        """Append padding that subscribers skip: ``length`` bytes besides its header."""
        cdef int64_t result
        cdef MappedFile mapped = self.hold()
        mapped  # keeps the log mapped during the call
        with nogil:
            result = exclusive_append_padding(&self.c.appender, length)
        return self._sent(result, length)

    def offer_block(self, block):
        """Append complete frames that were built for this position of this stream.

        Parameters
        ----------
        block : buffer
            Frames of one term, the first a data frame at ``term_offset``.
        """
        cdef payload taken
        cdef int64_t result
        cdef MappedFile mapped = self.hold()
        mapped  # keeps the log mapped during the call
        acquire_payload(&taken, block)
        if taken.length > INT32_MAX:
            result = INVALID_ARGUMENT
        else:
            with nogil:
                result = exclusive_offer_block(
                    &self.c.appender, taken.data, <int32_t>taken.length)
        release_payload(&taken)
        if result == INVALID_ARGUMENT:
            raise MessageError(
                "block", f"complete frames for term {self.term_id} from {self.term_offset} on",
                f"{taken.length} bytes that are not")
        return self._sent(result, taken.length)

    @property
    def revoke_on_close(self):
        """Whether `close` revokes the stream; can be set."""
        return self.revoke_on_close_

    @revoke_on_close.setter
    def revoke_on_close(self, bint value):
        self.revoke_on_close_ = value

    def revoke(self):
        """Close it and end the stream immediately: its subscribers receive nothing more of it."""
        if self.conductor is not None:
            self.conductor.close_publication(self, True)


cdef object still_open():
    return StateError("claim: expected it to be committed or aborted before it claims again")


@cython.final
cdef class BufferClaim:
    """A claimed range of a log, writable until `commit` or `abort`.

    Notes
    -----
    It is a writable buffer: ``struct.pack_into("<q", claim, 0, number)``. As a context manager it
    commits at the end of the block, and aborts if the block raises. An open claim is aborted when
    it is deallocated.
    """

    cdef int _check(self) except -1:
        if self.mapping is None:
            raise StateError("claim: expected try_claim to have succeeded before it is used")
        return 0

    cdef int _end(self) except -1:
        self._check()
        if self.exports > 0:
            raise BufferUsageError(
                f"claim: expected no view of it to remain, found {self.exports}")
        return 0

    cdef void _detach(self) noexcept:
        """Forget the range, which may be freed with its owner."""
        self.mapping = None
        self.observer = NULL
        if self.owner is not None:
            self.owner = None

    def __dealloc__(self):
        if self.mapping is not None:
            claim_abort(&self.c)

    def __len__(self):
        return self.c.length if self.mapping is not None else 0

    def __bool__(self):
        return self.mapping is not None

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        self._check()
        PyBuffer_FillInfo(buffer, self, claim_payload(&self.c), self.c.length, 0, flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *buffer):
        self.exports -= 1

    def put(self, data, Py_ssize_t offset=0):
        """Copy ``data`` to ``offset`` in the range."""
        cdef payload taken
        acquire_payload(&taken, data)
        try:
            self._check()  # exporting the buffer may have run arbitrary code
            if offset < 0 or taken.length > self.c.length - offset:
                raise MessageError(
                    "claim", f"bytes that fit its {self.c.length}", taken.length, offset)
            memcpy(claim_payload(&self.c) + offset, taken.data, taken.length)
        finally:
            release_payload(&taken)

    @property
    def flags(self):
        """The frame's flags, 8 bits."""
        self._check()
        return self.c.frame.flags

    @flags.setter
    def flags(self, uint8_t value):
        self._check()
        self.c.frame.flags = value

    @property
    def reserved_value(self):
        """The frame's reserved value, 64 bits."""
        self._check()
        return self.c.frame.reserved_value

    @reserved_value.setter
    def reserved_value(self, int64_t value):
        self._check()
        self.c.frame.reserved_value = value

    def commit(self):
        """Publish the range.

        Raises
        ------
        StateError
            If nothing is claimed.
        BufferUsageError
            If a view of the range is still referenced.
        """
        self._end()
        if self.observer != NULL:
            self.observer(self.observer_context, &self.c)
        claim_commit(&self.c)
        self._detach()

    def abort(self):
        """Turn the range into padding that subscribers skip."""
        self._end()
        claim_abort(&self.c)
        self._detach()

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, kind, value, traceback):
        if self.mapping is not None:
            if kind is None:
                self.commit()
            else:
                self.abort()
