"""Take what clients say to their leader: messages go to the log, everything else to Python.

``io.aeron.cluster.IngressAdapter``, and of ``ConsensusModuleAgent`` what it does with messages and
keep-alives of sessions.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.subscription cimport subscription_controlled_poll
from aeron_cluster.cluster.log_publisher cimport append_session_message, raise_log_failure
from aeron_cluster.cluster.module_pass cimport (
    IGNORED_CLOSED_SESSION,
    IGNORED_FOREIGN_SCHEMA,
    IGNORED_MALFORMED,
    IGNORED_NOT_LEADER,
    IGNORED_STALE_TERM,
    IGNORED_TOO_LONG,
    IGNORED_UNKNOWN_SESSION,
    IGNORED_UNKNOWN_TEMPLATE,
    MAX_INGRESS,
    ROLE_LEADER,
    ignore_message,
    timestamp_of,
)
from aeron_cluster.cluster.session_table cimport session_entry, session_find
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

from aeron_cluster.errors import AgentTerminationError, MessageError


cdef int call_on_ingress(
    module_pass *module, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil:
    cdef Image image = <Image>header.context
    module.has_timestamp = False  # Python appends to the log with times of its own
    module.is_polling = True
    try:
        is_taken = (<object>module.conductor).on_ingress(payload[:length], image, module.now_ns)
    except MessageError:
        return ignore_message(module, IGNORED_MALFORMED)
    except AgentTerminationError:
        raise
    except Exception as error:  # of this message alone: the others are taken in the same pass
        (<object>module.agent).set_aside(error)
        return CONTINUE
    finally:
        module.is_polling = False
    return CONTINUE if is_taken else ABORT


cdef int link_image(session_entry *session, const frame_view *header) except -1 with gil:
    session.ingress_image = (<Image>header.context).correlation_id
    return CONTINUE


cdef inline session_entry *find_open_session(
        module_pass *module, int64_t leadership_term_id, int64_t cluster_session_id) noexcept nogil:
    """Return the session that a message is of, or NULL where it is dropped."""
    cdef session_entry *session
    if module.role != ROLE_LEADER:
        ignore_message(module, IGNORED_NOT_LEADER)
        return NULL
    if leadership_term_id != module.log.leadership_term_id:
        ignore_message(module, IGNORED_STALE_TERM)
        return NULL
    session = session_find(module.sessions, cluster_session_id)
    if session == NULL:
        ignore_message(module, IGNORED_UNKNOWN_SESSION)
    elif not session.is_open:
        ignore_message(module, IGNORED_CLOSED_SESSION)
        return NULL
    return session


cdef int on_not_appended(module_pass *module) except -1 nogil:
    if module.log.failure == 0:
        return ABORT
    if module.log.failure == INVALID_ARGUMENT:
        module.log.failure = 0
        return ignore_message(module, IGNORED_TOO_LONG)
    return raise_log_failure(module.log)


cdef inline int on_session_message(
    module_pass *module, const sbe_message *message
) except -1 nogil:
    cdef session_entry *session
    cdef const uint8_t *payload
    if message.block_length < SESSION_MESSAGE_HEADER_BLOCK_LENGTH:
        return ignore_message(module, IGNORED_MALFORMED)
    session = find_open_session(
        module,
        session_message_header_leadership_term_id(
            message.body, message.block_length, message.version),
        session_message_header_cluster_session_id(
            message.body, message.block_length, message.version))
    if session == NULL:
        return CONTINUE
    # Also when it cannot be appended now: it is the log that is late, not the client.
    session.last_activity_ns = module.now_ns
    payload = message.body + message.block_length
    if append_session_message(
            module.log, session.id, timestamp_of(module), payload,
            <int32_t>(message.limit - payload)) > 0:
        return CONTINUE
    return on_not_appended(module)


cdef int on_keep_alive(
    module_pass *module, const sbe_message *message, const frame_view *header
) except -1 nogil:
    cdef session_entry *session
    if message.block_length < SESSION_KEEP_ALIVE_BLOCK_LENGTH:
        return ignore_message(module, IGNORED_MALFORMED)
    session = find_open_session(
        module,
        session_keep_alive_leadership_term_id(message.body, message.block_length, message.version),
        session_keep_alive_cluster_session_id(message.body, message.block_length, message.version))
    if session == NULL:
        return CONTINUE
    session.last_activity_ns = module.now_ns
    if session.ingress_image == -1:
        return link_image(session, header)
    return CONTINUE


cdef int on_ingress_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef module_pass *module = <module_pass *>context
    cdef sbe_message message
    if not sbe_wrap(&message, payload, length):
        return ignore_message(module, IGNORED_MALFORMED)
    if message.schema_id != SCHEMA_ID:
        if module.takes_foreign:
            return call_on_ingress(module, payload, length, header)
        return ignore_message(module, IGNORED_FOREIGN_SCHEMA)
    if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        return on_session_message(module, &message)
    if message.template_id == SESSION_KEEP_ALIVE_TEMPLATE_ID:
        return on_keep_alive(module, &message, header)
    if (
        message.template_id == SESSION_CONNECT_REQUEST_TEMPLATE_ID
        or message.template_id == SESSION_CLOSE_REQUEST_TEMPLATE_ID
        or message.template_id == CHALLENGE_RESPONSE_TEMPLATE_ID
        or message.template_id == ADMIN_REQUEST_TEMPLATE_ID
    ):
        return call_on_ingress(module, payload, length, header)
    return ignore_message(module, IGNORED_UNKNOWN_TEMPLATE)


cdef void ingress_init(module_pass *module) noexcept nogil:
    cdef int index
    for index in range(MAX_INGRESS):
        assembler_init(
            &module.ingress_assemblers[index], on_ingress_message, <void *>module, NULL)


cdef void ingress_free(module_pass *module) noexcept nogil:
    cdef int index
    for index in range(MAX_INGRESS):
        assembler_free(&module.ingress_assemblers[index])


cdef void ingress_drop(module_pass *module, int32_t image_session_id) noexcept nogil:
    cdef int index
    for index in range(MAX_INGRESS):
        assembler_drop(&module.ingress_assemblers[index], image_session_id)


cdef int poll_ingress(module_pass *module, int index) except -1 nogil:
    # Session ids may be the same by both ways: each has an assembler of its own.
    return subscription_controlled_poll(
        module.ingress[index], assemble_controlled, &module.ingress_assemblers[index],
        module.ingress_limit)
