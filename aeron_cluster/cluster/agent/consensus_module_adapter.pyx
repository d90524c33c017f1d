"""Handle messages of services to the consensus module: those for the log here, others in Python.

``io.aeron.cluster.ConsensusModuleAdapter``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.subscription cimport subscription_controlled_poll
from aeron_cluster.cluster.agent.module_core cimport (
    IGNORED_UNKNOWN_SCHEMA,
    IGNORED_MALFORMED,
    IGNORED_UNKNOWN_SERVICE,
    call_conductor,
    ignore_message,
)
from aeron_cluster.cluster.log.pending_service_messages cimport (
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


cdef enum:
    FRAGMENT_LIMIT = 25


cdef int call_on_service_message(
    control_state *control, const uint8_t *payload, int32_t length, int64_t service_position,
    bint is_ack
) except -1 with gil:
    call_conductor(
        control.core, (<object>control.core.conductor).on_service_message,
        (payload[:length], service_position))
    return BREAK if is_ack else CONTINUE


cdef inline int on_offer(
    control_state *control, const sbe_message *message, const uint8_t *payload, int32_t length
) except -1 nogil:
    cdef int64_t service_id
    # The tracker and the log store the message with this header.
    if message.block_length != SESSION_MESSAGE_HEADER_BLOCK_LENGTH:
        return ignore_message(control.core, IGNORED_MALFORMED)
    service_id = session_message_header_cluster_session_id(
        message.body, message.block_length, message.version)
    if not 0 <= service_id < control.tracker_count:
        return ignore_message(control.core, IGNORED_UNKNOWN_SERVICE)
    if not pending_has_room(control.trackers[service_id], length):
        return ABORT  # the service waits, as for any full stream
    pending_enqueue(control.trackers[service_id], payload, length)
    return CONTINUE


cdef int on_control_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef control_state *control = <control_state *>context
    cdef sbe_message message
    if not sbe_wrap(&message, payload, length):
        return ignore_message(control.core, IGNORED_MALFORMED)
    if message.schema_id != SCHEMA_ID:
        return ignore_message(control.core, IGNORED_UNKNOWN_SCHEMA)
    if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        return on_offer(control, &message, payload, length)
    # Where in the log a container of ours was, plus 1; 0 from others.
    return call_on_service_message(
        control, payload, length, header.frame.reserved_value - 1,
        message.template_id == SERVICE_ACK_TEMPLATE_ID)


cdef void control_init(control_state *control) noexcept nogil:
    assembler_init(&control.assembler, on_control_message, <void *>control, NULL)


cdef void control_free(control_state *control) noexcept nogil:
    assembler_free(&control.assembler)


cdef int poll_control(control_state *control) except -1 nogil:
    return subscription_controlled_poll(
        control.subscription, assemble_controlled, &control.assembler, FRAGMENT_LIMIT)
