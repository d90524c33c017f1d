"""Images: a subscription's view of one publisher's stream.

``io.aeron.Image``.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.frames cimport DATA_HEADER_LENGTH, index_of_position
from aeron_cluster.logbuffer.image_poller cimport (
    INVALID_POSITION,
    block_poll,
    controlled_peek,
    has_position,
    image_poller_init,
    is_valid_position,
    raw_poll,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers, producer_position
from aeron_cluster.logbuffer.message_view cimport (
    HandlerCall,
    MessageView,
    call_handler,
    new_handler_call,
    poll_python,
)
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    load_acquire_u8,
    load_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.counters cimport CountersReader, counter_address
from aeron_cluster.memory.shared.counters_layout cimport counter_value
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.errors import BufferUsageError, ClosedError, CorruptError, MessageError

cdef bint has_frames(const image_poller *poller) noexcept nogil:
    cdef int64_t position
    cdef int32_t offset, index
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return False
    position = load_opaque_i64(poller.subscriber_position)
    offset = <int32_t>(position & (poller.log.term_length - 1))
    index = index_of_position(position, poller.log.position_bits_to_shift)
    # Pairs with the release that commits a frame.
    return load_acquire_i32(poller.log.terms[index] + offset) > 0


cdef int give_up(
        void *context, int64_t position, int32_t room, int32_t length) except -1 with gil:
    cdef Image image = <Image>context
    cdef log_buffers *log = &image.log
    error = CorruptError(
        f"image of session {log.session_id} stream {log.stream_id} from {image.source_identity}",
        position, "frame length", f"{DATA_HEADER_LENGTH} to {room}", length)
    error.add_note("the image is given up: the driver is requested to reject it")
    if image.subscription is not None:
        image.subscription.give_up_image(
            image.correlation_id, position,
            f"frame length {length} at {position}, expected {error.expected}")
    raise error


# A Python handler of blocks, and its arguments.
@cython.internal
@cython.final
cdef class BlockCall:
    cdef object handler
    cdef MappedFile owner


cdef BlockCall new_block_call(MappedFile owner, object handler):
    """Return a call of the handler with blocks of a log, or None if the log was released."""
    cdef BlockCall call = None
    if owner is not None:
        call = BlockCall.__new__(BlockCall)
        call.handler = handler
        call.owner = owner
    return call


cdef MessageView view_of(MappedFile owner, const uint8_t *data, int32_t length):
    cdef MessageView view = MessageView.__new__(MessageView)
    view.owner = owner
    view.data = data
    view.length = length
    return view


cdef int end_view(MessageView view, object handler) except -1:
    view.data = NULL
    if view.exports > 0:
        raise BufferUsageError(
            f"{handler!r}: expected no view of its block to remain, found {view.exports}")
    return 0


cdef int call_block_handler(
        void *context, const uint8_t *block, int32_t length, int32_t session_id,
        int32_t term_id) except -1 with gil:
    cdef BlockCall call = <BlockCall>context
    cdef MessageView view = view_of(call.owner, block, length)
    try:
        call.handler(view, session_id, term_id)
    finally:
        end_view(view, call.handler)
    return 0


cdef int call_raw_handler(
        void *context, int64_t file_offset, const uint8_t *block, int32_t length,
        int32_t session_id, int32_t term_id) except -1 with gil:
    cdef BlockCall call = <BlockCall>context
    cdef MessageView view = view_of(call.owner, block, length)
    try:
        call.handler(file_offset, view, session_id, term_id)
    finally:
        end_view(view, call.handler)
    return 0


@cython.final
cdef class Image(MappedLog):
    """A subscription's view of one publisher's stream, with the position read so far.

    Created when the driver announces it; `Subscription.images` has them.

    Notes
    -----
    Only one thread may poll. All other members may be used by any thread.
    """

    def __init__(
            self, subscription, MappedFile mapping not None, CountersReader counters not None, *,
            int64_t correlation_id, int32_t subscriber_position_id, str source_identity not None):
        cdef int64_t *position = counter_address(&counters.reader, subscriber_position_id)
        if position == NULL:
            raise CorruptError(
                mapping.path, 0, "subscriber position counter", f"below {counters.reader.count}",
                subscriber_position_id)
        self._map(mapping)
        self.counters = counters
        self.subscription = subscription
        self.correlation_id = correlation_id
        self.subscriber_position_id = subscriber_position_id
        self.source_identity = source_identity
        self.join_position = load_acquire_i64(position)
        self.final_end_of_stream_position = INT64_MAX
        image_poller_init(&self.poller, &self.log, position, <void *>self, <void *>mapping)
        self.poller.give_up = give_up
        self.poller.registration = &(<counter_value *>position).registration_id
        self.poller.registration_id = load_acquire_i64(self.poller.registration)

    cdef MappedFile hold(self):
        """Return the object that keeps the log mapped, or None if it was released."""
        return self.mapping

    cdef HandlerCall call_for(self, object handler):
        cdef HandlerCall call = self.call
        if call is None or call.handler is not handler:
            call = self.call = new_handler_call(handler)
        return call

    cdef int poll_with(
            self, object handler, int64_t limit_position, int fragment_limit, bint is_controlled
    ) except -1:
        cdef MappedFile mapped = self.mapping
        cdef HandlerCall call
        if mapped is None:
            return 0
        call = self.call_for(handler)
        return poll_python(&self.poller, call, limit_position, fragment_limit, is_controlled)

    def mark_closed(self):
        """Stop polling and record the final state. Called by the conductor."""
        if load_acquire_i32(&self.poller.is_closed):
            return
        self.final_position = load_acquire_i64(self.poller.subscriber_position)
        if not has_position(&self.poller):
            self.final_position = self.join_position  # the counter is another stream's now
        self.final_end_of_stream_position = load_acquire_i64(
            &self.log.metadata.end_of_stream_position)
        self.final_is_revoked = load_acquire_u8(&self.log.metadata.is_publication_revoked) == 1
        # Pairs with the acquire of every reader of the final state.
        store_release_i32(&self.poller.is_closed, 1)

    def release(self):
        """Release the log; it is unmapped once no call uses it. Called by the conductor."""
        self.mapping = None
        self.call = None

    def poll(self, handler, int fragment_limit=10):
        """Call ``handler`` for the received fragments, in order.

        Parameters
        ----------
        handler : Callable[[MessageView, Header], object]
            Called with the payload, in place and valid only during the call, and the header of
            each. A `FragmentAssembler` here calls its own handler with complete messages.
        fragment_limit : int
            The highest number of fragments.

        Returns
        -------
        int
            The number of fragments; 0 for an image that was closed or given up.

        Raises
        ------
        CorruptError
            If the frame at the position is invalid. It is raised once: the image is given up
            (`is_given_up`), and the driver requested to reject it.
        BaseException
            Raised by the handler. The position advances past the fragment.

        Notes
        -----
        For one thread. Checks for fragments without the GIL, and acquires it once for all of them.
        """
        return self.poll_with(handler, INT64_MAX, fragment_limit, False)

    def bounded_poll(self, handler, int64_t limit_position, int fragment_limit=10):
        """Poll fragments that begin before ``limit_position``; otherwise as `poll`."""
        return self.poll_with(handler, limit_position, fragment_limit, False)

    def controlled_poll(self, handler, int fragment_limit=10):
        """Poll with a handler that returns an `Action` for each fragment; otherwise as `poll`."""
        return self.poll_with(handler, INT64_MAX, fragment_limit, True)

    def bounded_controlled_poll(self, handler, int64_t limit_position, int fragment_limit=10):
        """Poll fragments that begin before ``limit_position``; otherwise as `controlled_poll`."""
        return self.poll_with(handler, limit_position, fragment_limit, True)

    def controlled_peek(self, int64_t initial_position, handler, int64_t limit_position):
        """Read fragments without moving the position of the image.

        Parameters
        ----------
        initial_position : int
            The position of a frame to begin with, not before ``position``, within its term.
        handler : Callable[[MessageView, Header], Action]
            Called with each fragment that begins before ``limit_position``.
        limit_position : int
            The first position not allowed.

        Returns
        -------
        int
            The position at which the next peek may begin.

        Raises
        ------
        MessageError
            If ``initial_position`` is not valid for the image.
        """
        cdef HandlerCall call
        cdef int64_t result
        cdef MappedFile mapped = self.mapping
        if mapped is None:
            return initial_position
        call = self.call_for(handler)
        with nogil:
            result = controlled_peek(
                &self.poller, initial_position, call_handler, <void *>call, limit_position)
        if result == INVALID_POSITION:
            raise MessageError(
                "initial position", f"a frame of this term, not before {self.position}",
                initial_position)
        return result

    def block_poll(self, handler, int32_t block_length_limit):
        """Call ``handler`` with a block of complete frames of one term.

        Parameters
        ----------
        handler : Callable[[MessageView, int, int], object]
            Called with the frames including their headers, the session id and the term id. A
            padding frame is passed alone.
        block_length_limit : int
            The longest block, in bytes.

        Returns
        -------
        int
            The length of the block, in bytes.
        """
        cdef BlockCall call = new_block_call(self.mapping, handler)
        cdef int32_t length
        if call is None:
            return 0
        with nogil:
            length = block_poll(
                &self.poller, call_block_handler, <void *>call, block_length_limit)
        return length

    def raw_poll(self, handler, int32_t block_length_limit):
        """Call ``handler`` with the place of a block in ``log_file``; otherwise as `block_poll`.

        Parameters
        ----------
        handler : Callable[[int, MessageView, int, int], object]
            Called with the offset in the file, then the arguments of `block_poll`'s handler.
        block_length_limit : int
            The longest block, in bytes.
        """
        cdef BlockCall call = new_block_call(self.mapping, handler)
        cdef int32_t length
        if call is None:
            return 0
        with nogil:
            length = raw_poll(&self.poller, call_raw_handler, <void *>call, block_length_limit)
        return length

    def reject(self, str reason not None):
        """Reject the image: its publisher receives the reason, and it becomes unavailable.

        Parameters
        ----------
        reason : str
            At most 1023 ASCII characters.

        Raises
        ------
        ClosedError
            If it is closed.
        RegistrationError
            If the driver no longer has it.

        Notes
        -----
        Blocks; agents of a node must not call it.
        """
        if load_acquire_i32(&self.poller.is_closed):
            raise ClosedError(f"{self!r}: rejected after it was closed")
        self.subscription.reject_image(self.correlation_id, self.position, reason)

    def __repr__(self):
        state = " given up" if load_acquire_i32(&self.poller.is_given_up) else ""
        state += " closed" if load_acquire_i32(&self.poller.is_closed) else ""
        return (
            f"<Image session={self.log.session_id} stream={self.log.stream_id} from"
            f" {self.source_identity} at {self.position}{state}>")

    @property
    def is_closed(self):
        """Whether it became unavailable, or its subscription was closed."""
        return bool(load_acquire_i32(&self.poller.is_closed))

    @property
    def is_given_up(self):
        """Whether a poll found an invalid frame; it is no longer read, and will be rejected."""
        return bool(load_acquire_i32(&self.poller.is_given_up))

    @property
    def position(self):
        """The position up to which it was read; of a closed image, the final one.

        It can be set to a later frame within the term.
        """
        if load_acquire_i32(&self.poller.is_closed):
            return self.final_position
        return load_acquire_i64(self.poller.subscriber_position)

    @position.setter
    def position(self, int64_t value):
        if load_acquire_i32(&self.poller.is_closed):
            raise ClosedError(f"{self!r}: moved after it was closed")
        if not is_valid_position(&self.poller, value):
            raise MessageError(
                "position", f"a frame of this term, not before {self.position}", value)
        store_release_i64(self.poller.subscriber_position, value)

    def skip_to_end(self):
        """Move to the end of what its publishers have claimed: all of that is never read.

        Only of publications of the same driver (IPC, spies): the log of a network's image has no
        end of its publisher, and stays where it is.
        """
        cdef int64_t end, position
        if load_acquire_i32(&self.poller.is_closed):
            return
        end = producer_position(&self.log)
        position = load_acquire_i64(self.poller.subscriber_position)
        if end > position:
            store_release_i64(self.poller.subscriber_position, end)

    @property
    def end_of_stream_position(self):
        """The position at which the stream ends, or 2**63 - 1 while unknown."""
        cdef MappedFile mapped = self.mapping
        if mapped is None or load_acquire_i32(&self.poller.is_closed):
            return self.final_end_of_stream_position
        return load_acquire_i64(&self.log.metadata.end_of_stream_position)

    @property
    def is_end_of_stream(self):
        """Whether the stream ended and everything was read."""
        return self.position >= self.end_of_stream_position

    @property
    def is_publication_revoked(self):
        """Whether the publisher revoked the stream instead of ending it."""
        cdef MappedFile mapped = self.mapping
        if mapped is None or load_acquire_i32(&self.poller.is_closed):
            return bool(self.final_is_revoked)
        return load_acquire_u8(&self.log.metadata.is_publication_revoked) == 1

    @property
    def active_transport_count(self):
        """The number of active transports; 0 for IPC and spies."""
        cdef MappedFile mapped = self.mapping
        if mapped is None or load_acquire_i32(&self.poller.is_closed):
            return 0
        return load_acquire_i32(&self.log.metadata.active_transport_count)

    @property
    def log_file(self):
        """The path of its log file; None once it was released."""
        cdef MappedFile mapped = self.mapping
        return None if mapped is None else mapped.path
