"""Handle ingress: messages of sessions go to the log, all others to Python.

``io.aeron.cluster.IngressAdapter``, and the handling of session messages and keep-alives in
``ConsensusModuleAgent``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.subscription cimport subscription_controlled_poll
from aeron_cluster.cluster.agent.leadership_view cimport ROLE_LEADER
from aeron_cluster.cluster.agent.module_core cimport (
    IGNORED_CLOSED_SESSION,
    IGNORED_UNKNOWN_SCHEMA,
    IGNORED_MALFORMED,
    IGNORED_NOT_LEADER,
    IGNORED_STALE_TERM,
    IGNORED_TOO_LONG,
    IGNORED_UNKNOWN_SESSION,
    IGNORED_UNKNOWN_TEMPLATE,
    call_conductor,
    ignore_message,
    timestamp_of,
)
from aeron_cluster.cluster.log.log_publisher cimport append_session_message, raise_log_failure
from aeron_cluster.cluster.state.session_table cimport session_entry, session_find
from aeron_cluster.codecs.cluster_codecs cimport (
    ADMIN_REQUEST_TEMPLATE_ID,
    CHALLENGE_RESPONSE_TEMPLATE_ID,
    SCHEMA_ID,
    SESSION_CLOSE_REQUEST_TEMPLATE_ID,
    SESSION_CONNECT_REQUEST_TEMPLATE_ID,
    SESSION_KEEP_ALIVE_BLOCK_LENGTH,
    SESSION_KEEP_ALIVE_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_BLOCK_LENGTH,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    session_keep_alive_cluster_session_id,
    session_keep_alive_leadership_term_id,
    session_message_header_cluster_session_id,
    session_message_header_leadership_term_id,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_drop,
    assembler_free,
    assembler_init,
)
from aeron_cluster.logbuffer.image_poller cimport ABORT, CONTINUE, frame_view
from aeron_cluster.logbuffer.term_appender cimport INVALID_ARGUMENT


cdef int call_on_ingress(
    ingress_state *ingress, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil:
    is_accepted = call_conductor(
        ingress.core, (<object>ingress.core.conductor).on_ingress,
        (payload[:length], <Image>header.context))
    return ABORT if is_accepted is False else CONTINUE


cdef int link_image(session_entry *session, const frame_view *header) except -1 with gil:
    session.ingress_image = (<Image>header.context).correlation_id
    return CONTINUE


cdef inline session_entry *find_open_session(
        ingress_state *ingress, int64_t leadership_term_id, int64_t cluster_session_id
) noexcept nogil:
    """Return the session of a message, or NULL if it is dropped."""
    cdef session_entry *session
    if ingress.leadership.role != ROLE_LEADER:
        ignore_message(ingress.core, IGNORED_NOT_LEADER)
        return NULL
    if leadership_term_id != ingress.log.leadership_term_id:
        ignore_message(ingress.core, IGNORED_STALE_TERM)
        return NULL
    session = session_find(ingress.sessions, cluster_session_id)
    if session == NULL:
        ignore_message(ingress.core, IGNORED_UNKNOWN_SESSION)
    elif not session.is_open:
        ignore_message(ingress.core, IGNORED_CLOSED_SESSION)
        return NULL
    return session


cdef int on_not_appended(ingress_state *ingress) except -1 nogil:
    if ingress.log.failure == 0:
        return ABORT
    if ingress.log.failure == INVALID_ARGUMENT:
        ingress.log.failure = 0
        return ignore_message(ingress.core, IGNORED_TOO_LONG)
    return raise_log_failure(ingress.log)


cdef inline int on_session_message(
    ingress_state *ingress, const sbe_message *message
) except -1 nogil:
    cdef session_entry *session
    cdef const uint8_t *payload
    if message.block_length < SESSION_MESSAGE_HEADER_BLOCK_LENGTH:
        return ignore_message(ingress.core, IGNORED_MALFORMED)
    session = find_open_session(
        ingress,
        session_message_header_leadership_term_id(
            message.body, message.block_length, message.version),
        session_message_header_cluster_session_id(
            message.body, message.block_length, message.version))
    if session == NULL:
        return CONTINUE
    # Also if it cannot be appended now: the log is slow, not the client.
    session.last_activity_ns = ingress.core.now_ns
    payload = message.body + message.block_length
    if append_session_message(
            ingress.log, session.id, timestamp_of(ingress.core), payload,
            <int32_t>(message.limit - payload)) > 0:
        return CONTINUE
    return on_not_appended(ingress)


cdef int on_keep_alive(
    ingress_state *ingress, const sbe_message *message, const frame_view *header
) except -1 nogil:
    cdef session_entry *session
    if message.block_length < SESSION_KEEP_ALIVE_BLOCK_LENGTH:
        return ignore_message(ingress.core, IGNORED_MALFORMED)
    session = find_open_session(
        ingress,
        session_keep_alive_leadership_term_id(message.body, message.block_length, message.version),
        session_keep_alive_cluster_session_id(message.body, message.block_length, message.version))
    if session == NULL:
        return CONTINUE
    session.last_activity_ns = ingress.core.now_ns
    if session.ingress_image == -1:
        return link_image(session, header)
    return CONTINUE


cdef int on_ingress_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef ingress_state *ingress = <ingress_state *>context
    cdef sbe_message message
    if not sbe_wrap(&message, payload, length):
        return ignore_message(ingress.core, IGNORED_MALFORMED)
    if message.schema_id != SCHEMA_ID:
        if ingress.accepts_extension_schemas:
            return call_on_ingress(ingress, payload, length, header)
        return ignore_message(ingress.core, IGNORED_UNKNOWN_SCHEMA)
    if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        return on_session_message(ingress, &message)
    if message.template_id == SESSION_KEEP_ALIVE_TEMPLATE_ID:
        return on_keep_alive(ingress, &message, header)
    if (
        message.template_id == SESSION_CONNECT_REQUEST_TEMPLATE_ID
        or message.template_id == SESSION_CLOSE_REQUEST_TEMPLATE_ID
        or message.template_id == CHALLENGE_RESPONSE_TEMPLATE_ID
        or message.template_id == ADMIN_REQUEST_TEMPLATE_ID
    ):
        return call_on_ingress(ingress, payload, length, header)
    return ignore_message(ingress.core, IGNORED_UNKNOWN_TEMPLATE)


cdef void ingress_init(ingress_state *ingress) noexcept nogil:
    cdef int index
    for index in range(MAX_INGRESS):
        assembler_init(
            &ingress.assemblers[index], on_ingress_message, <void *>ingress, NULL)


cdef void ingress_free(ingress_state *ingress) noexcept nogil:
    cdef int index
    for index in range(MAX_INGRESS):
        assembler_free(&ingress.assemblers[index])


cdef void ingress_drop(ingress_state *ingress, int32_t image_session_id) noexcept nogil:
    cdef int index
    for index in range(MAX_INGRESS):
        assembler_drop(&ingress.assemblers[index], image_session_id)


cdef int poll_ingress(ingress_state *ingress, int index) except -1 nogil:
    # Session ids may be the same on both paths: each has its own assembler.
    return subscription_controlled_poll(
        ingress.subscriptions[index], assemble_controlled, &ingress.assemblers[index],
        ingress.fragment_limit)
