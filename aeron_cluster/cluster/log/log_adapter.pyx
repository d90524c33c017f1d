"""Read the log of the cluster, on a follower or in a replay after a start.

``io.aeron.cluster.LogAdapter``. Session messages are handled here: a session's activity is
recorded, and a service's message is removed from its pending ones. All other messages go to Python.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from aeron_cluster.client.image cimport Image
from aeron_cluster.cluster.log.log_publisher cimport LogPublisher
from aeron_cluster.cluster.log.pending_service_messages cimport (
    PendingServiceMessages,
    pending_messages,
    pending_sweep_follower,
    service_id_of,
)
from aeron_cluster.cluster.state.session_table cimport session_entry, session_find
from aeron_cluster.codecs.cluster_codecs cimport (
    CLUSTER_ACTION_REQUEST_TEMPLATE_ID,
    NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
    SCHEMA_ID,
    SESSION_CLOSE_EVENT_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_BLOCK_LENGTH,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    SESSION_OPEN_EVENT_TEMPLATE_ID,
    TIMER_EVENT_TEMPLATE_ID,
    session_message_header_cluster_session_id,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_drop,
    assembler_free,
    assembler_init,
    assembler_move,
)
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FLAG_END,
    FRAME_DATA,
    align_frame,
    compute_position,
    data_header,
    index_of_position,
)
from aeron_cluster.logbuffer.image_poller cimport (
    BREAK,
    CONTINUE,
    bounded_controlled_poll,
    end_position,
    frame_view,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.term_scanner cimport scan_message_begin
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32
from aeron_cluster.memory.system.seams cimport SystemClock, nano_time

from aeron_cluster.errors import (
    ClosedError,
    CorruptError,
    DamagedRecordingError,
    ForeignMessageError,
)


cdef int call_on_event(
    log_adapter *adapter, const uint8_t *payload, int32_t length, int64_t position
) except -1 with gil:
    adapter.is_in_event = True
    try:
        (<LogAdapter>adapter.owner).on_event(payload[:length], position)
    finally:
        adapter.is_in_event = False
    # A replaced image is not read any further.
    return BREAK if adapter.is_retired else CONTINUE


cdef int release_retired_images(log_adapter *adapter) except -1 with gil:
    adapter.is_retired = False
    assembler_free(&adapter.assembler)
    (<LogAdapter>adapter.owner).retired.clear()
    return 0


cdef int raise_bad_message(
    log_adapter *adapter, int64_t position, int32_t length
) except -1 with gil:
    raise CorruptError(
        f"log {(<LogAdapter>adapter.owner).image!r}", position, f"message of {length} bytes",
        "a complete message", "another")


cdef int raise_foreign_schema(
    log_adapter *adapter, int64_t position, int32_t schema_id
) except -1 with gil:
    raise ForeignMessageError(
        f"log {(<LogAdapter>adapter.owner).image!r}", position, "schema id of a message",
        SCHEMA_ID, schema_id)


cdef int raise_unknown_service(
    log_adapter *adapter, int64_t position, int32_t service_id
) except -1 with gil:
    raise ForeignMessageError(
        f"log {(<LogAdapter>adapter.owner).image!r}", position, "service id",
        f"below {adapter.tracker_count}", service_id)


cdef int raise_bad_flags(
    log_adapter *adapter, int64_t position, int32_t flags, FragmentState before
) except -1 with gil:
    if not flags & FLAG_BEGIN and before == FRAGMENT_END:
        expected = "the first fragment of a message"
    elif flags & FLAG_BEGIN and before == FRAGMENT_PARTIAL:
        expected = "a further fragment of the message before it, or a leadership term"
    else:
        expected = "the last fragment of a message, being shorter than the MTU"
    raise DamagedRecordingError(
        adapter.recording_id, position,
        f"damaged frame at position={position}: flags {flags}, expected those of {expected}")


cdef int on_session_message(
    log_adapter *adapter, const sbe_message *message, int64_t position
) except -1 nogil:
    cdef int64_t cluster_session_id = session_message_header_cluster_session_id(
        message.body, message.block_length, message.version)
    cdef session_entry *session
    cdef int32_t service_id
    if cluster_session_id >= 0:
        session = session_find(adapter.sessions, cluster_session_id)
        if session != NULL:
            session.last_activity_ns = adapter.now_ns
        return CONTINUE
    service_id = service_id_of(cluster_session_id)
    if service_id >= adapter.tracker_count:
        return raise_unknown_service(adapter, position, service_id)
    pending_sweep_follower(adapter.trackers[service_id], cluster_session_id)
    return CONTINUE


cdef int on_log_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef log_adapter *adapter = <log_adapter *>context
    cdef int64_t position = end_position(header)
    cdef sbe_message message
    if not sbe_wrap(&message, payload, length):
        return raise_bad_message(adapter, position, length)
    if message.schema_id != SCHEMA_ID:
        if adapter.accepts_extension_schemas:
            return call_on_event(adapter, payload, length, position)
        return raise_foreign_schema(adapter, position, message.schema_id)
    if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        if message.block_length < SESSION_MESSAGE_HEADER_BLOCK_LENGTH:
            return raise_bad_message(adapter, position, length)
        return on_session_message(adapter, &message, position)
    if message.template_id == CLUSTER_ACTION_REQUEST_TEMPLATE_ID:
        call_on_event(adapter, payload, length, position)
        return BREAK  # the action is executed before the next message is read
    if (
        message.template_id == TIMER_EVENT_TEMPLATE_ID
        or message.template_id == SESSION_OPEN_EVENT_TEMPLATE_ID
        or message.template_id == SESSION_CLOSE_EVENT_TEMPLATE_ID
        or message.template_id == NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID
    ):
        return call_on_event(adapter, payload, length, position)
    return CONTINUE


cdef inline bint is_new_term(const uint8_t *payload, int32_t length) noexcept nogil:
    cdef sbe_message message
    return (
        sbe_wrap(&message, payload, length)
        and message.schema_id == SCHEMA_ID
        and message.template_id == NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID
    )


cdef inline bint is_continued(const data_header *frame, int32_t term_length) noexcept nogil:
    """Return whether the next available frame is a further fragment."""
    cdef int32_t length = align_frame(frame.frame_length)
    cdef const data_header *following = <const data_header *>(<const uint8_t *>frame + length)
    if frame.term_offset + length > term_length - DATA_HEADER_LENGTH:
        return False
    return (
        load_acquire_i32(&following.frame_length) > 0
        and following.type == FRAME_DATA
        and not following.flags & FLAG_BEGIN
    )


cdef int check_fragment(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    """Handle a fragment after checking its begin and end flags, which no checksum covers.

    A leader's log is one stream of consecutive messages, and all fragments except the last of a
    message have the maximum length. A leader may fail in the middle of a message; the next leader's
    first message is that of its term.
    """
    cdef log_adapter *adapter = <log_adapter *>context
    cdef const data_header *frame = header.frame
    cdef int64_t position = compute_position(
        frame.term_id, frame.term_offset, header.position_bits_to_shift, header.initial_term_id)
    # A message never continues in another term.
    cdef FragmentState before = FRAGMENT_END if frame.term_offset == 0 else adapter.fragment_state
    cdef bint is_first = frame.flags & FLAG_BEGIN != 0
    cdef bint is_last = frame.flags & FLAG_END != 0
    if (
        (not is_first and before == FRAGMENT_END)
        or (is_first and before == FRAGMENT_PARTIAL and not is_new_term(payload, length))
        or (not is_last and frame.frame_length != adapter.poller.log.mtu_length)
    ):
        return raise_bad_flags(adapter, position, frame.flags, before)
    # Checked before a partial message could be delivered as a complete one.
    if is_last and is_continued(frame, adapter.poller.log.term_length):
        return raise_bad_flags(
            adapter, position + align_frame(frame.frame_length),
            (<const data_header *>(
                <const uint8_t *>frame + align_frame(frame.frame_length))).flags,
            FRAGMENT_END)
    adapter.fragment_state = FRAGMENT_END if is_last else FRAGMENT_PARTIAL
    adapter.checked_position = position + align_frame(frame.frame_length)
    return assemble_controlled(&adapter.assembler, payload, length, header)


cdef int assemble_partial(
    log_adapter *adapter, const log_buffers *log, int64_t position
) except -1 nogil:
    """Assemble the first part, up to a position, of the message that spans the position."""
    cdef int32_t limit = <int32_t>(position & (log.term_length - 1))
    cdef const uint8_t *term = log.terms[index_of_position(position, log.position_bits_to_shift)]
    cdef int32_t offset = scan_message_begin(term, limit)
    cdef frame_view view
    assembler_drop(&adapter.assembler, adapter.session_id)
    adapter.session_id = log.session_id
    assembler_drop(&adapter.assembler, adapter.session_id)
    view.context = NULL
    view.owner = NULL
    view.initial_term_id = log.initial_term_id
    view.position_bits_to_shift = log.position_bits_to_shift
    view.fragmented_frame_length = -1
    while 0 <= offset < limit:
        view.frame = <const data_header *>(term + offset)
        assemble_controlled(
            &adapter.assembler, term + offset + DATA_HEADER_LENGTH,
            view.frame.frame_length - DATA_HEADER_LENGTH, &view)
        offset += align_frame(view.frame.frame_length)
    return 0


cdef void log_adapter_init(log_adapter *adapter) noexcept nogil:
    assembler_init(&adapter.assembler, on_log_message, <void *>adapter, NULL)


cdef int log_adapter_poll(
    log_adapter *adapter, int64_t limit_position, int fragment_limit, int64_t now_ns
) except -1 nogil:
    cdef int found
    if adapter.is_retired:  # by a handler that raised
        release_retired_images(adapter)
    if adapter.poller == NULL:
        return 0
    adapter.now_ns = now_ns
    if adapter.is_checked:
        found = bounded_controlled_poll(
            adapter.poller, check_fragment, adapter, limit_position, fragment_limit)
    else:
        found = bounded_controlled_poll(
            adapter.poller, assemble_controlled, &adapter.assembler, limit_position,
            fragment_limit)
    if adapter.is_retired:
        release_retired_images(adapter)
    return found


@cython.final
cdef class LogAdapter:
    """Reads the log on a follower.

    Parameters
    ----------
    on_event : callable
        ``on_event(message, position)`` is called for every message except those of sessions, with
        its bytes and the log position after it.
    sessions : SessionTable
        The table of sessions, for their activity.
    trackers : sequence of PendingServiceMessages
        The pending messages of each service, by id; messages in the log are removed from them.
    clock : Clock, optional
        The clock, for the activity of sessions.

    Notes
    -----
    Runs on the thread of the consensus module.
    """

    def __cinit__(
            self, on_event not None, SessionTable sessions not None, trackers not None,
            Clock clock=None):
        cdef PendingServiceMessages tracker
        cdef int index
        self.on_event = on_event
        self.sessions = sessions
        self.trackers = tuple(trackers)
        self.retired = []
        self.clock = SystemClock() if clock is None else clock
        self.c.sessions = &sessions.c
        self.c.owner = <void *>self
        log_adapter_init(&self.c)
        self.c.trackers = <pending_messages **>calloc(
            len(self.trackers) + 1, sizeof(pending_messages *))
        if self.c.trackers == NULL:
            raise MemoryError("log adapter: expected room for services")
        for index, tracker in enumerate(self.trackers):
            self.c.trackers[index] = &tracker.c
        self.c.tracker_count = <int32_t>len(self.trackers)

    def __dealloc__(self):
        assembler_free(&self.c.assembler)
        free(self.c.trackers)

    def enable_extension_schemas(self):
        """Pass messages of other schemas than the cluster's to ``on_event`` too."""
        self.c.accepts_extension_schemas = True

    def set_image(self, Image image):
        """Read this image from now on, or nothing; also allowed from within an event.

        Raises
        ------
        ClosedError
            Its log is already closed.
        """
        cdef MappedFile mapping = None
        if image is not None:
            mapping = image.hold()
            if mapping is None:
                raise ClosedError(f"{image!r}: read after it was closed")
        if self.c.is_in_event:
            self.retired.append((self.image, self.mapping))
            self.c.is_retired = True
        if image is not None:
            # A recorded log that ends within a message continues in the leader's log.
            assembler_move(&self.c.assembler, self.c.session_id, image.log.session_id)
            self.c.session_id = image.log.session_id
            if not self.c.has_partial_message:
                self.c.fragment_state = FRAGMENT_END
            elif image.join_position != self.c.checked_position:
                self.c.fragment_state = FRAGMENT_UNKNOWN
            self.c.has_partial_message = True
        self.c.is_checked = False
        self.c.poller = NULL if image is None else &image.poller
        self.image = image
        self.mapping = mapping

    def check_fragments(self, int64_t recording_id):
        """Check that the fragments of the image, a replay of this member's log, are contiguous.

        Checked until another image is set. The very first image begins with a message.

        Parameters
        ----------
        recording_id : int
            The recording of the log, named in errors.
        """
        self.c.recording_id = recording_id
        self.c.is_checked = True

    def resume_mid_message(self, LogPublisher log not None, int64_t position):
        """Continue after the committed part of this leader's log, possibly within a message.

        The next image begins there, and the committed part of that message is not delivered again.

        Parameters
        ----------
        log : LogPublisher
            The publisher of the led log; without a connection nothing is done.
        position : int
            The start position of the next image, in bytes of log.
        """
        if log.mapping is None:
            return
        self.c.has_partial_message = True
        self.c.checked_position = -1
        with nogil:
            assemble_partial(&self.c, log.c.to.appender.log, position)

    @property
    def position(self):
        """The position up to which the image was read, in bytes of log; -1 without one."""
        return -1 if self.image is None else self.image.position

    def is_done(self, int64_t position):
        """Return whether the log was read up to a position, or cannot be read any further."""
        return self.image is None or self.image.is_closed or self.image.position >= position

    def poll(self, int64_t limit_position, int fragment_limit):
        """Read the next fragments.

        Parameters
        ----------
        limit_position : int
            Only messages with a last fragment that begins before this position are read.
        fragment_limit : int
            The highest number of fragments.

        Returns
        -------
        int
            The number of fragments. Polling stops after each cluster action.

        Raises
        ------
        CorruptError
            A message is invalid. The position advances past it.
        ForeignMessageError
            Likewise, where this member lacks the service or the extension that it is for.
        DamagedRecordingError
            A fragment is not contiguous, if that is checked; the position advances past it.
        BaseException
            Raised by ``on_event``; the position advances past the message.
        """
        cdef int64_t now_ns = nano_time(&self.clock.c)
        cdef int found
        with nogil:
            found = log_adapter_poll(&self.c, limit_position, fragment_limit, now_ns)
        return found
