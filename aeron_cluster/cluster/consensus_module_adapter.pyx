"""Take what services say to the consensus module: messages for the log, everything else to Python.

``io.aeron.cluster.ConsensusModuleAdapter``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.subscription cimport subscription_controlled_poll
from aeron_cluster.cluster.module_pass cimport (
    IGNORED_FOREIGN_SCHEMA,
    IGNORED_MALFORMED,
    IGNORED_UNKNOWN_SERVICE,
    ignore_message,
)
from aeron_cluster.cluster.pending_service_messages cimport (
    pending_enqueue,
    pending_has_room,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    SCHEMA_ID,
    SERVICE_ACK_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_BLOCK_LENGTH,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    session_message_header_cluster_session_id,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_free,
    assembler_init,
)
from aeron_cluster.logbuffer.image_poller cimport ABORT, BREAK, CONTINUE, frame_view

from aeron_cluster.errors import AgentTerminationError, MessageError


cdef enum:
    FRAGMENT_LIMIT = 25


cdef int call_on_service_message(
    module_pass *module, const uint8_t *payload, int32_t length, bint is_ack
) except -1 with gil:
    module.has_timestamp = False
    module.is_polling = True
    try:
        (<object>module.conductor).on_service_message(payload[:length], module.now_ns)
    except MessageError:
        return ignore_message(module, IGNORED_MALFORMED)
    except AgentTerminationError:
        raise
    except Exception as error:  # of this message alone: the others are taken in the same pass
        (<object>module.agent).set_aside(error)
        return BREAK if is_ack else CONTINUE
    finally:
        module.is_polling = False
    return BREAK if is_ack else CONTINUE


cdef inline int on_offer(
    module_pass *module, const sbe_message *message, const uint8_t *payload, int32_t length
) except -1 nogil:
    cdef int64_t service_id
    # The tracker keeps the message with this header, and so does the log.
    if message.block_length != SESSION_MESSAGE_HEADER_BLOCK_LENGTH:
        return ignore_message(module, IGNORED_MALFORMED)
    service_id = session_message_header_cluster_session_id(
        message.body, message.block_length, message.version)
    if not 0 <= service_id < module.tracker_count:
        return ignore_message(module, IGNORED_UNKNOWN_SERVICE)
    if not pending_has_room(module.trackers[service_id], length):
        return ABORT  # the service waits, as it does for any stream that is full
    pending_enqueue(module.trackers[service_id], payload, length)
    return CONTINUE


cdef int on_control_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *_header
) except -1 nogil:
    cdef module_pass *module = <module_pass *>context
    cdef sbe_message message
    if not sbe_wrap(&message, payload, length):
        return ignore_message(module, IGNORED_MALFORMED)
    if message.schema_id != SCHEMA_ID:
        return ignore_message(module, IGNORED_FOREIGN_SCHEMA)
    if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        return on_offer(module, &message, payload, length)
    return call_on_service_message(
        module, payload, length, message.template_id == SERVICE_ACK_TEMPLATE_ID)


cdef void control_init(module_pass *module) noexcept nogil:
    assembler_init(&module.control_assembler, on_control_message, <void *>module, NULL)


cdef void control_free(module_pass *module) noexcept nogil:
    assembler_free(&module.control_assembler)


cdef int poll_control(module_pass *module) except -1 nogil:
    return subscription_controlled_poll(
        module.control, assemble_controlled, &module.control_assembler, FRAGMENT_LIMIT)
