"""Calls of a service with a table of C functions, and the calls that it may make.

Both tables are described in ``service.h``. The GIL is only taken for errors.
"""
cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t, intptr_t, uint8_t
from libc.string cimport memcpy, memset

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    exclusive_publication,
    exclusive_publication_offer,
)
from aeron_cluster.cluster.service.abi cimport (
    CLOSED,
    INVALID,
    MAX_POSITION_EXCEEDED,
    MOCKED_OFFER,
    NOT_CONNECTED,
    SERVICE_TERMINATE,
    SNAPSHOT_END,
    claim,
    cluster_table,
    leadership_term,
    log_header,
    session,
    snapshot_handler,
    snapshot_reader,
    snapshot_writer,
    vector,
)
from aeron_cluster.cluster.service.client_session cimport ClientSession
from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.host cimport (
    MAX_SCRATCH_LENGTH,
    claim_scratch,
    claim_to_cluster,
    claim_to_session,
    client_session,
    cluster_host,
    find_session,
    note_commit,
    offer_to_cluster,
    offer_to_session,
    put_host_header,
    send_cancel_timer,
    send_close_session,
    send_schedule_timer,
)
from aeron_cluster.cluster.service.native_service cimport NativeService
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_free,
    assembler_init,
    fragment_assembler,
)
from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.logbuffer.image_poller cimport (
    BREAK,
    CONTINUE,
    controlled_poll,
    frame_view,
    image_poller,
)
from aeron_cluster.logbuffer.term_appender cimport (
    buffer_claim,
    byte_vector,
    claim_abort,
    claim_commit,
    claim_payload,
)
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_acquire_i64, load_opaque_i64
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.errors import (
    AgentTerminationError,
    CallbackError,
    ModuleEndedError,
    OperationError,
)


cdef enum:
    MAX_VECTORS = 63
    SNAPSHOT_FRAGMENT_LIMIT = 256
    IS_EGRESS = 1 << 30  # a flag added to a claim's length, which is below it


# ---- calls of a service ----

cdef inline bint is_forbidden(void *context) noexcept nogil:
    """Return whether the running callback may not send; if so, store it for the error log."""
    cdef cluster_host *host = <cluster_host *>context
    if host.callback == NULL:
        return False
    host.rejected_in = host.callback
    return True


cdef inline int64_t as_on_followers(
        cluster_host *host, client_session *to, int64_t result, size_t length) noexcept nogil:
    """Count a message as sent that only the leader's egress rejects, and can never take."""
    if result != INVALID and result != MAX_POSITION_EXCEEDED:
        return result
    if to.unsendable_result == 0:
        to.unsendable_result = result
        to.unsendable_length = <int64_t>length
        to.unsendable_log_position = host.table.log_position
        host.has_unsendable = host.has_unreported = True
    return MOCKED_OFFER


cdef object module_end(int64_t result):
    """Return the error that an offer of a Python service raises."""
    if result == NOT_CONNECTED:
        return ModuleEndedError(
            "consensus module: expected a running one, but it ended", is_expected=True)
    return AgentTerminationError("the client of the driver was closed")


cdef int store_end(native_state *state, int64_t result) noexcept with gil:
    """Store why the container ends, to be raised when the callback has returned."""
    if not state.has_exception:
        (<NativeCalls>state.calls).exception = module_end(result)
        state.has_exception = True
    return 0


cdef inline int64_t noting_end(void *host, int64_t result) noexcept nogil:
    """Return a result of sending to the module; without it, the container ends with this callback.

    Whatever the callback returns: it was cut off, and may leave the service in an invalid state.
    """
    if result == NOT_CONNECTED or result == CLOSED:
        store_end(<native_state *>(<cluster_host *>host).native, result)
    return result


cdef int64_t session_offerv(
        void *host, session *to, const vector *vectors, int32_t count) noexcept nogil:
    cdef byte_vector parts[MAX_VECTORS + 1]
    cdef int32_t index
    cdef size_t length = 0
    if is_forbidden(host) or to == NULL or not 0 <= count <= MAX_VECTORS:
        return INVALID
    for index in range(count):
        if vectors[index].length < 0:
            return INVALID
        parts[index + 1].data = vectors[index].data
        parts[index + 1].length = <size_t>vectors[index].length
        length += <size_t>vectors[index].length
    return as_on_followers(
        <cluster_host *>host, <client_session *>to,
        offer_to_session(<cluster_host *>host, <client_session *>to, parts, count + 1), length)


cdef int64_t session_offer(
        void *host, session *to, const uint8_t *data, int32_t length) noexcept nogil:
    cdef byte_vector parts[2]
    if is_forbidden(host) or to == NULL or not 0 <= length <= INT32_MAX - SESSION_HEADER_LENGTH:
        return INVALID
    parts[1].data = data
    parts[1].length = <size_t>length
    return as_on_followers(
        <cluster_host *>host, <client_session *>to,
        offer_to_session(<cluster_host *>host, <client_session *>to, parts, 2), <size_t>length)


cdef int64_t cluster_offerv(void *host, const vector *vectors, int32_t count) noexcept nogil:
    cdef byte_vector parts[MAX_VECTORS + 1]
    cdef int32_t index
    if is_forbidden(host) or not 0 <= count <= MAX_VECTORS:
        return INVALID
    for index in range(count):
        if vectors[index].length < 0:
            return INVALID
        parts[index + 1].data = vectors[index].data
        parts[index + 1].length = <size_t>vectors[index].length
    return noting_end(host, offer_to_cluster(<cluster_host *>host, parts, count + 1))


cdef int64_t cluster_offer(void *host, const uint8_t *data, int32_t length) noexcept nogil:
    cdef byte_vector parts[2]
    if is_forbidden(host) or not 0 <= length <= INT32_MAX - SESSION_HEADER_LENGTH:
        return INVALID
    parts[1].data = data
    parts[1].length = <size_t>length
    return noting_end(host, offer_to_cluster(<cluster_host *>host, parts, 2))


cdef inline int64_t fill_claim(
        claim *to, const buffer_claim *buffer, int64_t result, bint is_egress) noexcept nogil:
    if result <= 0:
        memset(to, 0, sizeof(claim))
        return result
    to.data = claim_payload(buffer) + SESSION_HEADER_LENGTH
    to.length = buffer.length - SESSION_HEADER_LENGTH
    to.host[0] = buffer.frame
    to.host[1] = <void *><intptr_t>(buffer.length | (IS_EGRESS if is_egress else 0))
    return result


cdef int64_t session_try_claim(
        void *host, session *to, int32_t length, claim *claimed) noexcept nogil:
    cdef buffer_claim buffer
    cdef int64_t result = INVALID
    if not is_forbidden(host) and to != NULL and 0 <= length <= MAX_SCRATCH_LENGTH:
        result = claim_to_session(<cluster_host *>host, <client_session *>to, length, &buffer)
        if result == INVALID or result == MAX_POSITION_EXCEEDED:
            claim_scratch(<cluster_host *>host, length + SESSION_HEADER_LENGTH, &buffer)
            put_host_header(<cluster_host *>host, claim_payload(&buffer), to.id)
            result = as_on_followers(
                <cluster_host *>host, <client_session *>to, result, <size_t>length)
    return fill_claim(claimed, &buffer, result, True)


cdef int64_t cluster_try_claim(void *host, int32_t length, claim *claimed) noexcept nogil:
    cdef buffer_claim buffer
    cdef int64_t result = INVALID
    if not is_forbidden(host):
        result = noting_end(
            host, claim_to_cluster(<cluster_host *>host, length, &buffer))
    return fill_claim(claimed, &buffer, result, False)


cdef inline bint end_claim(claim *claimed, buffer_claim *buffer) noexcept nogil:
    """Return the buffer of a claim; False if the claim was committed or aborted before."""
    if claimed.host[0] == NULL:
        return False
    buffer.frame = <data_header *>claimed.host[0]
    buffer.length = <int32_t><intptr_t>claimed.host[1] & ~<int32_t>IS_EGRESS
    claimed.host[0] = NULL
    return True


cdef int commit_claim(void *host, claim *claimed) noexcept nogil:
    cdef buffer_claim buffer
    if not end_claim(claimed, &buffer):
        return INVALID
    if (<cluster_host *>host).guard != NULL:
        note_commit(
            <cluster_host *>host, &buffer, (<intptr_t>claimed.host[1] & IS_EGRESS) != 0)
    claim_commit(&buffer)
    return 0


cdef int abort_claim(void *host, claim *claimed) noexcept nogil:
    cdef buffer_claim buffer
    if not end_claim(claimed, &buffer):
        return INVALID
    claim_abort(&buffer)
    return 0


cdef int64_t schedule_timer(void *host, int64_t correlation_id, int64_t deadline) noexcept nogil:
    if is_forbidden(host):
        return INVALID
    return noting_end(
        host, send_schedule_timer(<cluster_host *>host, correlation_id, deadline))


cdef int64_t cancel_timer(void *host, int64_t correlation_id) noexcept nogil:
    if is_forbidden(host):
        return INVALID
    return noting_end(host, send_cancel_timer(<cluster_host *>host, correlation_id))


cdef session *session_by_id(void *host, int64_t cluster_session_id) noexcept nogil:
    return <session *>find_session(<cluster_host *>host, cluster_session_id)


cdef session *session_at(void *host, int32_t index) noexcept nogil:
    cdef cluster_host *self = <cluster_host *>host
    return <session *>self.sessions[index] if 0 <= index < self.table.session_count else NULL


cdef int64_t close_session(void *host, int64_t cluster_session_id) noexcept nogil:
    cdef client_session *found = find_session(<cluster_host *>host, cluster_session_id)
    if is_forbidden(host) or found == NULL:
        return INVALID
    return noting_end(host, send_close_session(<cluster_host *>host, found))


# C code cannot handle an exception of a wait: it is stored until the callback has returned.
ctypedef int (*idle_function)(void *agent, int work_count) noexcept nogil


cdef int _raise_pending() except -1:
    return -1


cdef int store_exception(native_state *state) noexcept with gil:
    try:
        _raise_pending()
    except BaseException as error:
        (<NativeCalls>state.calls).exception = error
        state.has_exception = True
    return CLOSED


cdef int idle_once(void *host, int32_t work_count) noexcept nogil:
    cdef cluster_host *self = <cluster_host *>host
    cdef native_state *state = <native_state *>self.native
    if state.has_exception or self.idle == NULL:
        return CLOSED
    if self.is_in_background:
        return INVALID
    if (<idle_function>self.idle)(self.agent, work_count) < 0:
        return store_exception(state)
    return 0


cdef void explain(void *host, const char *text, int32_t length) noexcept nogil:
    cdef native_state *state = <native_state *>(<cluster_host *>host).native
    state.explanation_length = min(max(length, 0), <int>EXPLANATION_LENGTH)
    memcpy(state.explanation, text, state.explanation_length)


# ---- snapshots ----

cdef int64_t snapshot_offer(
        void *host, snapshot_writer *writer, const uint8_t *data, int32_t length) noexcept nogil:
    if writer == NULL or length < 0:
        return INVALID
    return exclusive_publication_offer(<exclusive_publication *>writer, data, length)


cdef struct native_reader:
    image_poller *poller
    fragment_assembler assembler
    # The final position of a closed image.
    const int64_t *final_position
    const int64_t *final_end_of_stream_position
    # The handler of the running poll.
    snapshot_handler handler
    void *context
    int32_t remaining
    int result


cdef int on_snapshot_message(
        void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef native_reader *reader = <native_reader *>context
    reader.remaining -= 1
    reader.result = reader.handler(reader.context, payload, length)
    return BREAK if reader.result < 0 or reader.remaining <= 0 else CONTINUE


ctypedef int (*poll_function)(
    image_poller *poller, void *handler, void *context, int fragment_limit) noexcept nogil


cdef bint is_read_to_end(const native_reader *reader) noexcept nogil:
    if load_acquire_i32(&reader.poller.is_closed):
        return reader.final_position[0] >= reader.final_end_of_stream_position[0]
    return load_opaque_i64(reader.poller.subscriber_position) >= load_acquire_i64(
        &reader.poller.log.metadata.end_of_stream_position)


cdef int snapshot_poll(
        void *host, snapshot_reader *source, snapshot_handler handler, void *context,
        int32_t limit) noexcept nogil:
    cdef native_reader *reader = <native_reader *>source
    if reader == NULL or handler == NULL:
        return INVALID
    reader.handler = handler
    reader.context = context
    reader.remaining = limit
    reader.result = 0
    if (<poll_function>controlled_poll)(
            reader.poller, <void *>assemble_controlled, &reader.assembler,
            SNAPSHOT_FRAGMENT_LIMIT) < 0:
        return store_exception(<native_state *>(<cluster_host *>host).native)
    if reader.result < 0:
        return reader.result
    if reader.remaining == limit:
        if is_read_to_end(reader):
            return SNAPSHOT_END
        if load_acquire_i32(&reader.poller.is_closed):
            return CLOSED
    return limit - reader.remaining


# ---- callbacks ----

cdef int report_failure(
        native_state *state, const char *callback, int result, int64_t cluster_session_id
) except -1 with gil:
    """Report a callback's errors in the Python half."""
    cdef NativeCalls calls = <NativeCalls>state.calls
    name = (<bytes>callback).decode("ascii")
    try:
        calls.check(callback, result)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        calls.on_failure(error, name, None if cluster_session_id == -1 else cluster_session_id)
    return 0


cdef inline int end_callback(
        native_state *state, const char *callback, int result, int64_t cluster_session_id
) except -1 nogil:
    if result < 0 or state.has_exception or state.host.rejected_in != NULL:
        return report_failure(state, callback, result, cluster_session_id)
    state.explanation_length = 0  # of no failure, nor of the next callback's
    return 0


cdef int native_on_message(
        void *service, client_session *from_session, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1 nogil:
    cdef native_state *state = <native_state *>service
    cdef log_header place
    place.position = state.host.table.log_position
    place.leadership_term_id = state.host.table.leadership_term_id
    place.cluster_session_id = cluster_session_id
    return end_callback(
        state, b"on_session_message",
        state.table.on_session_message(
            state.table.state, <session *>from_session, state.host.table.time, payload, length,
            &place),
        cluster_session_id)


cdef int native_on_timer(void *service, int64_t correlation_id) except -1 nogil:
    cdef native_state *state = <native_state *>service
    if state.table.on_timer_event == NULL:
        return 0
    return end_callback(
        state, b"on_timer_event",
        state.table.on_timer_event(
            state.table.state, correlation_id, state.host.table.time), -1)


cdef int native_background_work(void *service, int64_t now_ns) except -1 nogil:
    cdef native_state *state = <native_state *>service
    cdef const char *before = state.host.callback
    # Of a callback that waits.
    cdef const char *rejected_before = state.host.rejected_in
    cdef char explanation_before[EXPLANATION_LENGTH]
    cdef int length_before = state.explanation_length
    cdef int result
    if length_before > 0:
        memcpy(explanation_before, state.explanation, length_before)
    state.host.callback = b"do_background_work"
    state.host.rejected_in = NULL
    state.explanation_length = 0
    result = state.table.do_background_work(state.table.state, now_ns)
    state.host.callback = before
    end_callback(state, b"do_background_work", result, -1)
    state.host.rejected_in = rejected_before
    state.explanation_length = length_before
    if length_before > 0:
        memcpy(state.explanation, explanation_before, length_before)
    return result if result > 0 else 0


@cython.final
cdef class NativeCalls(ServiceCalls):
    """The callbacks of a `NativeService`.

    Parameters
    ----------
    cluster : Cluster
    on_failure : callable
        As for `ServiceCalls`.
    service : NativeService
        The service; closed with this.
    """

    def __init__(self, Cluster cluster not None, on_failure, NativeService service not None):
        cdef cluster_table *table = &cluster.c.table
        self.service = service
        self.n.table = service.table
        self.n.host = &cluster.c
        self.n.calls = <void *>self
        cluster.c.native = &self.n
        table.host = &cluster.c
        table.session_offer = session_offer
        table.session_offerv = session_offerv
        table.session_try_claim = session_try_claim
        table.cluster_offer = cluster_offer
        table.cluster_offerv = cluster_offerv
        table.cluster_try_claim = cluster_try_claim
        table.claim_commit = commit_claim
        table.claim_abort = abort_claim
        table.schedule_timer = schedule_timer
        table.cancel_timer = cancel_timer
        table.session_by_id = session_by_id
        table.session_at = session_at
        table.close_session = close_session
        table.idle = idle_once
        table.explain = explain
        table.snapshot_offer = snapshot_offer
        table.snapshot_poll = snapshot_poll
        self.c.service = &self.n
        self.c.on_message = native_on_message
        self.c.on_timer = native_on_timer
        if service.table.do_background_work != NULL:
            self.c.do_background_work = native_background_work

    cdef int check(self, const char *callback, int result) except -1:
        """Raise a callback's error."""
        cdef const char *rejected_in = self.n.host.rejected_in
        name = (<bytes>callback).decode("ascii")
        text = self.n.explanation[:self.n.explanation_length].decode("utf-8", "replace")
        self.n.explanation_length = 0
        self.n.host.rejected_in = NULL
        if self.n.has_exception:
            exception, self.exception = self.exception, None
            self.n.has_exception = False
            raise exception
        if result == SERVICE_TERMINATE:
            raise AgentTerminationError(f"{self.service.name}: {name} requested the end: {text}")
        if result < 0:
            raise OperationError(f"{self.service.name}: {text or 'no explanation'}", result)
        if rejected_in != NULL:
            raise CallbackError(
                "sending messages or scheduling timers", (<bytes>rejected_in).decode("ascii"))
        return 0

    def on_start(self, Image image):
        """Start the service, with the rest of its snapshot or None."""
        cdef native_reader reader
        cdef snapshot_reader *source = NULL
        cdef MappedFile mapped = None
        cdef int result
        cdef const char *before = self.forbid(b"on_start")
        memset(&reader, 0, sizeof(reader))
        if image is not None:
            mapped = image.hold()
            reader.poller = &image.poller
            reader.final_position = &image.final_position
            reader.final_end_of_stream_position = &image.final_end_of_stream_position
            assembler_init(&reader.assembler, on_snapshot_message, &reader, NULL)
            source = <snapshot_reader *>&reader
        with nogil:
            result = self.n.table.on_start(self.n.table.state, &self.n.host.table, source)
            assembler_free(&reader.assembler)
        self.cluster.c.callback = before
        mapped  # the log stays mapped during the call
        self.check(b"on_start", result)

    def on_session_open(self, ClientSession opened not None):
        """Call the service for an opened session."""
        cdef int result = 0
        if self.n.table.on_session_open != NULL:
            with nogil:
                result = self.n.table.on_session_open(
                    self.n.table.state, &opened.c.shown, self.n.host.table.time)
        self.check(b"on_session_open", result)

    def on_session_close(self, ClientSession closed not None, int32_t reason):
        """Call the service for a closed session."""
        cdef int result = 0
        if self.n.table.on_session_close != NULL:
            with nogil:
                result = self.n.table.on_session_close(
                    self.n.table.state, &closed.c.shown, self.n.host.table.time, reason)
        self.check(b"on_session_close", result)

    def on_take_snapshot(self, ExclusivePublication publication not None):
        """Call the service to write its state."""
        cdef MappedFile mapped = publication.hold()
        cdef const char *before = self.forbid(b"on_take_snapshot")
        cdef int result
        with nogil:
            result = self.n.table.on_take_snapshot(
                self.n.table.state, <snapshot_writer *>&publication.c)
        self.cluster.c.callback = before
        mapped  # stays mapped during the call
        self.check(b"on_take_snapshot", result)

    def on_role_change(self, int32_t role):
        """Call the service with the new role."""
        cdef const char *before = self.forbid(b"on_role_change")
        cdef int result = 0
        if self.n.table.on_role_change != NULL:
            with nogil:
                result = self.n.table.on_role_change(self.n.table.state, role)
        self.cluster.c.callback = before
        self.check(b"on_role_change", result)

    def on_new_leadership_term_event(self, term):
        """Call the service for a new term."""
        cdef leadership_term event
        cdef int result = 0
        if self.n.table.on_new_leadership_term_event != NULL:
            event.leadership_term_id = term.leadership_term_id
            event.log_position = term.log_position
            event.timestamp = term.timestamp
            event.term_base_log_position = term.term_base_log_position
            event.leader_member_id = term.leader_member_id
            event.log_session_id = term.log_session_id
            event.time_unit = term.time_unit
            event.app_version = term.app_version
            with nogil:
                result = self.n.table.on_new_leadership_term_event(self.n.table.state, &event)
        self.check(b"on_new_leadership_term_event", result)

    def on_terminate(self):
        """Notify it of the end."""
        cdef const char *before = self.forbid(b"on_terminate")
        cdef int result = 0
        if self.n.table.on_terminate != NULL:
            with nogil:
                result = self.n.table.on_terminate(self.n.table.state)
        self.cluster.c.callback = before
        self.check(b"on_terminate", result)

    def close(self):
        """Call the service to free its state."""
        self.service.close()
