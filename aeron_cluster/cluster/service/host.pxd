"""The container's interface for a service without the GIL: state, sessions, and sending."""
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from aeron_cluster.client.publication cimport (
    publication,
    publication_offer_vectored,
    publication_try_claim,
)
from aeron_cluster.cluster.service.abi cimport (
    INVALID,
    MOCKED_OFFER,
    NOT_CONNECTED,
    ROLE_LEADER,
    cluster_table,
    session,
)
from aeron_cluster.cluster.service.divergence_guard cimport (
    CANCEL_TIMER,
    CLOSE_SESSION,
    CLUSTER_MESSAGE,
    EGRESS,
    EGRESS_CLAIM,
    SCHEDULE_TIMER,
    divergence_guard,
    guard_attempt,
    guard_claimed,
    guard_committed,
    guard_effect,
    guard_event,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    cancel_timer_begin,
    cancel_timer_put_correlation_id,
    close_session_begin,
    close_session_put_cluster_session_id,
    schedule_timer_begin,
    schedule_timer_put_correlation_id,
    schedule_timer_put_deadline,
)
from aeron_cluster.codecs.sbe cimport sbe_writer
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH, put_session_header
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    MAX_UDP_PAYLOAD_LENGTH,
    align_frame,
    data_header,
)
from aeron_cluster.logbuffer.term_appender cimport (
    buffer_claim,
    byte_vector,
    claim_commit,
    claim_payload,
)
from aeron_cluster.memory.system.invariants cimport PLACE, require


cdef enum:
    CLUSTER_SESSION_ID_OFFSET = 16  # in it
    MAX_SCRATCH_LENGTH = MAX_UDP_PAYLOAD_LENGTH - DATA_HEADER_LENGTH - SESSION_HEADER_LENGTH
    SCRATCH_LENGTH = 2 * MAX_UDP_PAYLOAD_LENGTH
    SCHEDULE_TIMER_LENGTH = 24
    CANCEL_TIMER_LENGTH = 16
    CLOSE_SESSION_LENGTH = 16


# A client's session, part of a ClientSession.
cdef struct client_session:
    session shown  # first: native services have a pointer to it
    publication *egress  # NULL while not connected
    void *object  # the ClientSession, borrowed
    # The first message that a native service sent, and that the egress can never take.
    int64_t unsendable_result  # its status; 0: none
    int64_t unsendable_length
    int64_t unsendable_log_position


# Memory for claims that are never sent, used round and round: open ones of up to the longest
# together keep their content.
cdef struct scratch_memory:
    uint8_t bytes[SCRATCH_LENGTH]
    int32_t next


# One thread owns it.
cdef struct cluster_host:
    cluster_table table  # the table of a native service, and also the container's own state
    client_session **sessions  # table.session_count, in ascending order of their ids
    int32_t session_capacity
    publication *to_module  # NULL in an offline host, where every message counts as sent
    # The log's limit for a message to the cluster, without its header; 0 before a log is read.
    int32_t max_payload_length
    # The running callback if it may not send; NULL if sending is allowed.
    const char *callback
    # The callback in which a call was rejected without an exception; NULL: none.
    const char *rejected_in
    scratch_memory *scratch
    # Idles; an exception ends the callback.
    int (*idle)(void *agent, int work_count) except -1 nogil
    void *agent
    bint has_unreported  # an error is reported when the running callback has returned
    bint has_unsendable  # one of a session's first message that its egress can never take
    bint is_in_background  # background work is running: it must not idle
    void *native  # the state of a native service, or NULL
    divergence_guard *guard  # hashes the service's effects, or NULL


cdef inline int32_t session_index(
        const cluster_host *host, int64_t cluster_session_id) noexcept nogil:
    """Return the index of a session, or the index for inserting it."""
    cdef int32_t low = 0
    cdef int32_t high = host.table.session_count
    cdef int32_t middle
    while low < high:
        middle = (low + high) >> 1
        if host.sessions[middle].shown.id < cluster_session_id:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline client_session *find_session(
        const cluster_host *host, int64_t cluster_session_id) noexcept nogil:
    """Return an open session, or NULL."""
    cdef int32_t index = session_index(host, cluster_session_id)
    if index < host.table.session_count and host.sessions[index].shown.id == cluster_session_id:
        return host.sessions[index]
    return NULL


cdef inline int begin_event(
        cluster_host *host, int64_t position, int64_t time) except -1 nogil:
    """Move to an event of the log; `time` is what the guard counts it with."""
    require(
        position > host.table.log_position, PLACE, "the log position of a service never decreases",
        position, host.table.log_position)
    if host.guard != NULL:
        guard_event(host.guard, position, time, host.table.leadership_term_id)
    host.table.log_position = position
    return 0


cdef inline void put_host_header(
        const cluster_host *host, uint8_t *at, int64_t cluster_session_id) noexcept nogil:
    """Write the session header of a message of the service."""
    put_session_header(at, host.table.leadership_term_id, cluster_session_id, host.table.time)


# Each returns a position, or a status as in service.h; INVALID if the running callback may not
# send. The first vector is reserved for the header.

cdef inline int64_t offer_under_header(
        const cluster_host *host, publication *to, int64_t cluster_session_id,
        byte_vector *vectors, int32_t count) noexcept nogil:
    cdef uint8_t header[SESSION_HEADER_LENGTH]
    put_host_header(host, header, cluster_session_id)
    vectors[0].data = header
    vectors[0].length = SESSION_HEADER_LENGTH
    return publication_offer_vectored(to, vectors, count)


cdef inline int64_t claim_under_header(
        const cluster_host *host, publication *to, int64_t cluster_session_id, int32_t length,
        buffer_claim *claim) noexcept nogil:
    cdef int64_t result
    if not 0 <= length <= INT32_MAX - SESSION_HEADER_LENGTH:
        return INVALID
    result = publication_try_claim(to, length + SESSION_HEADER_LENGTH, claim)
    if result > 0:
        put_host_header(host, claim_payload(claim), cluster_session_id)
    return result


cdef inline int64_t claim_scratch(
        const cluster_host *host, int32_t length, buffer_claim *claim) noexcept nogil:
    """Claim scratch memory that is never sent, of at most MAX_UDP_PAYLOAD_LENGTH with its frame."""
    cdef scratch_memory *scratch = host.scratch
    cdef int32_t taken = align_frame(length + DATA_HEADER_LENGTH)
    if scratch.next + taken > SCRATCH_LENGTH:
        scratch.next = 0
    claim.frame = <data_header *>(scratch.bytes + scratch.next)
    claim.length = length
    scratch.next += taken
    if host.guard != NULL:
        memset(claim_payload(claim), 0, <size_t>length)  # as a log is where nothing was written
    return MOCKED_OFFER


cdef inline int64_t claim_to_module(
        const cluster_host *host, int32_t length, buffer_claim *claim) noexcept nogil:
    if host.to_module == NULL:
        return claim_scratch(host, length, claim)
    return publication_try_claim(host.to_module, length, claim)


cdef inline int64_t offer_to_session(
        const cluster_host *host, const client_session *to, byte_vector *vectors,
        int32_t count) noexcept nogil:
    if host.callback != NULL:
        return INVALID
    if host.guard != NULL:
        guard_attempt(
            host.guard, EGRESS, to.shown.id, 0, host.table.time, vectors + 1, count - 1)
    if host.table.role != ROLE_LEADER:
        return MOCKED_OFFER
    if to.egress == NULL:
        return NOT_CONNECTED
    return offer_under_header(host, to.egress, to.shown.id, vectors, count)


cdef inline int64_t claim_as_leader(
        const cluster_host *host, const client_session *to, int32_t length,
        buffer_claim *claim) noexcept nogil:
    if to.egress == NULL:
        return NOT_CONNECTED
    return claim_under_header(host, to.egress, to.shown.id, length, claim)


cdef inline int64_t claim_to_session(
        const cluster_host *host, const client_session *to, int32_t length,
        buffer_claim *claim) noexcept nogil:
    cdef int64_t result
    if host.callback != NULL:
        return INVALID
    if host.guard != NULL:
        guard_attempt(
            host.guard, EGRESS_CLAIM, to.shown.id, length, host.table.time, NULL, 0)
    if host.table.role == ROLE_LEADER:
        result = claim_as_leader(host, to, length, claim)
        if host.guard != NULL:
            guard_claimed(host.guard, to.shown.id, length, result > 0)
        return result
    if not 0 <= length <= MAX_SCRATCH_LENGTH:
        return INVALID
    claim_scratch(host, length + SESSION_HEADER_LENGTH, claim)
    put_host_header(host, claim_payload(claim), to.shown.id)
    return MOCKED_OFFER


cdef inline bint fits_log(const cluster_host *host, size_t length) noexcept nogil:
    """Whether a leader could append a payload: one that it cannot would block all later ones."""
    return host.max_payload_length == 0 or length <= <size_t>host.max_payload_length


cdef inline int64_t offer_to_cluster(
        const cluster_host *host, byte_vector *vectors, int32_t count) noexcept nogil:
    cdef int64_t result
    cdef size_t length = 0
    cdef int32_t index
    for index in range(1, count):
        length += vectors[index].length
    if host.callback != NULL or not fits_log(host, length):
        return INVALID
    if host.to_module == NULL:
        result = MOCKED_OFFER
    else:
        result = offer_under_header(host, host.to_module, host.table.service_id, vectors, count)
    if host.guard != NULL and result > 0:
        guard_effect(
            host.guard, CLUSTER_MESSAGE, host.table.service_id, 0, host.table.time, vectors + 1,
            count - 1)
    return result


cdef inline int64_t claim_to_cluster(
        const cluster_host *host, int32_t length, buffer_claim *claim) noexcept nogil:
    if host.callback != NULL or length >= 0 and not fits_log(host, <size_t>length):
        return INVALID
    if host.to_module != NULL:
        return claim_under_header(host, host.to_module, host.table.service_id, length, claim)
    if not 0 <= length <= MAX_SCRATCH_LENGTH:
        return INVALID
    return claim_scratch(host, length + SESSION_HEADER_LENGTH, claim)


cdef inline int64_t send_schedule_timer(
        const cluster_host *host, int64_t correlation_id, int64_t deadline) noexcept nogil:
    cdef buffer_claim claim
    cdef sbe_writer writer
    cdef uint8_t *body
    cdef int64_t result
    if host.callback != NULL:
        return INVALID
    result = claim_to_module(host, SCHEDULE_TIMER_LENGTH, &claim)
    if result > 0:
        # Shows the module which events the service had not read; upstream's modules ignore it.
        claim.frame.reserved_value = host.table.log_position + 1
        writer.at = claim_payload(&claim)
        writer.limit = writer.at + SCHEDULE_TIMER_LENGTH
        body = schedule_timer_begin(&writer)
        schedule_timer_put_correlation_id(body, correlation_id)
        schedule_timer_put_deadline(body, deadline)
        claim_commit(&claim)
        if host.guard != NULL:
            guard_effect(
                host.guard, SCHEDULE_TIMER, correlation_id, deadline, host.table.time, NULL, 0)
    return result


cdef inline int64_t send_cancel_timer(
        const cluster_host *host, int64_t correlation_id) noexcept nogil:
    cdef buffer_claim claim
    cdef sbe_writer writer
    cdef uint8_t *body
    cdef int64_t result
    if host.callback != NULL:
        return INVALID
    result = claim_to_module(host, CANCEL_TIMER_LENGTH, &claim)
    if result > 0:
        writer.at = claim_payload(&claim)
        writer.limit = writer.at + CANCEL_TIMER_LENGTH
        body = cancel_timer_begin(&writer)
        cancel_timer_put_correlation_id(body, correlation_id)
        claim_commit(&claim)
        if host.guard != NULL:
            guard_effect(host.guard, CANCEL_TIMER, correlation_id, 0, host.table.time, NULL, 0)
    return result


cdef inline int64_t send_close_session(
        const cluster_host *host, client_session *closing) noexcept nogil:
    cdef buffer_claim claim
    cdef sbe_writer writer
    cdef uint8_t *body
    cdef int64_t result
    if host.callback != NULL:
        return INVALID
    if closing.shown.is_closing:
        # A new leader sends the request again, but followers do not: it counts as the same call on
        # all.
        if host.guard != NULL:
            guard_effect(
                host.guard, CLOSE_SESSION, closing.shown.id, 0, host.table.time, NULL, 0)
        return 1
    result = claim_to_module(host, CLOSE_SESSION_LENGTH, &claim)
    if result > 0:
        writer.at = claim_payload(&claim)
        writer.limit = writer.at + CLOSE_SESSION_LENGTH
        body = close_session_begin(&writer)
        close_session_put_cluster_session_id(body, closing.shown.id)
        claim_commit(&claim)
        closing.shown.is_closing = True
        if host.guard != NULL:
            guard_effect(
                host.guard, CLOSE_SESSION, closing.shown.id, 0, host.table.time, NULL, 0)
    return result


cdef inline void note_commit(
        const cluster_host *host, buffer_claim *claim, bint is_egress) noexcept nogil:
    """Count the payload of a claim that is about to be committed."""
    cdef const uint8_t *begin = claim_payload(claim)
    cdef int32_t length = claim.length - SESSION_HEADER_LENGTH
    cdef byte_vector part
    cdef int64_t cluster_session_id
    if is_egress:
        memcpy(&cluster_session_id, begin + CLUSTER_SESSION_ID_OFFSET, sizeof(cluster_session_id))
        guard_committed(
            host.guard, cluster_session_id, begin + SESSION_HEADER_LENGTH, length)
    else:
        part.data = begin + SESSION_HEADER_LENGTH
        part.length = <size_t>length
        guard_effect(
            host.guard, CLUSTER_MESSAGE, host.table.service_id, 0, host.table.time, &part, 1)


cdef inline void note_egress_commit(void *host, buffer_claim *claim) noexcept nogil:
    note_commit(<cluster_host *>host, claim, True)


cdef inline void note_cluster_commit(void *host, buffer_claim *claim) noexcept nogil:
    note_commit(<cluster_host *>host, claim, False)
