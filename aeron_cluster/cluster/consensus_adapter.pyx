"""Take what the other members say: settled members' positions here, everything else to Python.

``io.aeron.cluster.ConsensusAdapter``, and of ``ConsensusModuleAgent`` what it does with positions
while no election runs.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.subscription cimport image_list, subscription_controlled_poll
from aeron_cluster.cluster.member_progress cimport member_progress
from aeron_cluster.cluster.module_pass cimport (
    IGNORED_FOREIGN_SCHEMA,
    IGNORED_MALFORMED,
    IGNORED_NOT_A_MEMBER,
    IGNORED_NOT_THE_LEADER,
    IGNORED_STALE_POSITION,
    IGNORED_UNKNOWN_MEMBER,
    IGNORED_UNKNOWN_TEMPLATE,
    MAX_VERDICTS,
    NO_MEMBER,
    ROLE_LEADER,
    ignore_message,
    image_verdict,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    APPEND_POSITION_FLAGS_OFFSET,
    APPEND_POSITION_TEMPLATE_ID,
    BACKUP_QUERY_TEMPLATE_ID,
    CANVASS_POSITION_TEMPLATE_ID,
    CHALLENGE_RESPONSE_TEMPLATE_ID,
    COMMIT_POSITION_BLOCK_LENGTH,
    COMMIT_POSITION_TEMPLATE_ID,
    HEARTBEAT_REQUEST_TEMPLATE_ID,
    SCHEMA_ID,
    STANDBY_SNAPSHOT_TEMPLATE_ID,
    STOP_CATCHUP_TEMPLATE_ID,
    TERMINATION_ACK_TEMPLATE_ID,
    TERMINATION_POSITION_TEMPLATE_ID,
    append_position_flags,
    append_position_follower_member_id,
    append_position_leadership_term_id,
    append_position_log_position,
    commit_position_leader_member_id,
    commit_position_leadership_term_id,
    commit_position_log_position,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_drop,
    assembler_free,
    assembler_init,
)
from aeron_cluster.logbuffer.image_poller cimport CONTINUE, frame_view
from aeron_cluster.memory.atomic cimport load_acquire_i64

from aeron_cluster.errors import MessageError


cdef enum:
    FRAGMENT_LIMIT = 10
    NO_FLAGS = 255  # of a member whose schema had none


cdef int call_on_consensus_message(
    module_pass *module, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil:
    cdef Image image = <Image>header.context
    module.has_timestamp = False
    module.is_polling = True
    try:
        (<object>module.conductor).on_consensus_message(payload[:length], image, module.now_ns)
    except MessageError:
        return ignore_message(module, IGNORED_MALFORMED)
    finally:
        module.is_polling = False
    return CONTINUE


# ---- who speaks ----

cdef int call_is_member(module_pass *module, const frame_view *header) except -1 with gil:
    cdef Image image = <Image>header.context
    cdef image_verdict *free_one = NULL
    cdef image_verdict *each
    cdef int32_t i
    cdef bint is_member
    for i in range(module.verdict_count):
        each = &module.verdicts[i]
        if each.correlation_id == image.correlation_id:  # known from before the images changed
            each.image = header.context
            return each.is_member
        if each.image == NULL:
            free_one = each
    is_member = (<object>module.conductor).is_member(image)
    if not is_member:
        # It may be one whose name has moved, or has no address yet: asked again, he is known.
        return False
    if free_one == NULL and module.verdict_count < MAX_VERDICTS:
        free_one = &module.verdicts[module.verdict_count]
        module.verdict_count += 1
    if free_one != NULL:  # of more images than these Python is asked each time
        free_one.image = header.context
        free_one.correlation_id = image.correlation_id
        free_one.is_member = is_member
    return is_member


cdef inline int is_of_member(module_pass *module, const frame_view *header) except -1 nogil:
    cdef int32_t i
    for i in range(module.verdict_count):
        if module.verdicts[i].image == header.context:
            return module.verdicts[i].is_member
    return call_is_member(module, header)


cdef void forget_places(module_pass *module) noexcept nogil:
    """Look images up anew after the images of the stream have changed: another may lie there.

    None that is polled from now on can go before this is seen, as the list of it is held.
    """
    # Pairs with the release that swaps the lists.
    cdef const image_list *images = <const image_list *>load_acquire_i64(
        &module.consensus.current)
    cdef int32_t i
    if images != NULL and images.version != module.verdict_version:
        module.verdict_version = images.version
        for i in range(module.verdict_count):
            module.verdicts[i].image = NULL


cdef inline bint is_of_session(int32_t template_id) noexcept nogil:
    """Return whether somebody who is no member says such a thing, as a backup does."""
    return (
        template_id == BACKUP_QUERY_TEMPLATE_ID
        or template_id == HEARTBEAT_REQUEST_TEMPLATE_ID
        or template_id == STANDBY_SNAPSHOT_TEMPLATE_ID
        or template_id == CHALLENGE_RESPONSE_TEMPLATE_ID
    )


cdef inline bint is_between_members(int32_t template_id) noexcept nogil:
    return (
        CANVASS_POSITION_TEMPLATE_ID <= template_id <= STOP_CATCHUP_TEMPLATE_ID
        or template_id == TERMINATION_POSITION_TEMPLATE_ID
        or template_id == TERMINATION_ACK_TEMPLATE_ID
    )


cdef inline int32_t find_other(module_pass *module, int32_t member_id) noexcept nogil:
    """Return the place of another member, or NO_MEMBER where no other has the id."""
    cdef int32_t i
    for i in range(module.member_count):
        if module.members[i].member_id == member_id and i != module.own_index:
            return i
    return NO_MEMBER


# ---- what settled members say all the time ----

cdef int on_append_position(
    module_pass *module, const sbe_message *message, const uint8_t *payload, int32_t length,
    const frame_view *header
) except -1 nogil:
    cdef member_progress *member
    cdef int64_t leadership_term_id
    cdef int32_t index
    cdef uint8_t flags
    if message.block_length < APPEND_POSITION_FLAGS_OFFSET:
        return ignore_message(module, IGNORED_MALFORMED)
    leadership_term_id = append_position_leadership_term_id(
        message.body, message.block_length, message.version)
    if module.role != ROLE_LEADER or leadership_term_id > module.leadership_term_id:
        return ignore_message(module, IGNORED_STALE_POSITION)
    index = find_other(
        module,
        append_position_follower_member_id(message.body, message.block_length, message.version))
    if index == NO_MEMBER:
        return ignore_message(module, IGNORED_UNKNOWN_MEMBER)
    member = &module.members[index]
    flags = append_position_flags(message.body, message.block_length, message.version)
    if member.is_catching_up or flags != 0 and flags != NO_FLAGS:
        return call_on_consensus_message(module, payload, length, header)
    member.leadership_term_id = leadership_term_id
    member.log_position = append_position_log_position(
        message.body, message.block_length, message.version)
    member.time_of_last_append_ns = module.now_ns
    return CONTINUE


cdef int on_commit_position(
    module_pass *module, const sbe_message *message, const uint8_t *payload, int32_t length,
    const frame_view *header
) except -1 nogil:
    cdef int64_t leadership_term_id, log_position
    cdef int32_t index
    if message.block_length < COMMIT_POSITION_BLOCK_LENGTH:
        return ignore_message(module, IGNORED_MALFORMED)
    leadership_term_id = commit_position_leadership_term_id(
        message.body, message.block_length, message.version)
    index = find_other(
        module,
        commit_position_leader_member_id(message.body, message.block_length, message.version))
    if index == NO_MEMBER:
        return ignore_message(module, IGNORED_UNKNOWN_MEMBER)
    if leadership_term_id > module.leadership_term_id:
        return call_on_consensus_message(module, payload, length, header)
    if leadership_term_id < module.leadership_term_id:
        return ignore_message(module, IGNORED_STALE_POSITION)
    if index != module.leader_index:
        return ignore_message(module, IGNORED_NOT_THE_LEADER)
    log_position = commit_position_log_position(
        message.body, message.block_length, message.version)
    if log_position > module.notified_commit_position:
        module.notified_commit_position = log_position
    module.last_leader_update_ns = module.now_ns
    return CONTINUE


cdef int on_consensus_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef module_pass *module = <module_pass *>context
    cdef sbe_message message
    if not sbe_wrap(&message, payload, length):
        return ignore_message(module, IGNORED_MALFORMED)
    if message.schema_id != SCHEMA_ID:
        return ignore_message(module, IGNORED_FOREIGN_SCHEMA)
    if is_of_session(message.template_id):
        return call_on_consensus_message(module, payload, length, header)
    if not is_between_members(message.template_id):
        return ignore_message(module, IGNORED_UNKNOWN_TEMPLATE)
    if not is_of_member(module, header):
        return ignore_message(module, IGNORED_NOT_A_MEMBER)
    if not module.is_electing:
        if message.template_id == APPEND_POSITION_TEMPLATE_ID:
            return on_append_position(module, &message, payload, length, header)
        if message.template_id == COMMIT_POSITION_TEMPLATE_ID:
            return on_commit_position(module, &message, payload, length, header)
    return call_on_consensus_message(module, payload, length, header)


cdef void consensus_init(module_pass *module) noexcept nogil:
    assembler_init(&module.consensus_assembler, on_consensus_message, <void *>module, NULL)


cdef void consensus_free(module_pass *module) noexcept nogil:
    assembler_free(&module.consensus_assembler)


cdef void consensus_drop(module_pass *module, int32_t image_session_id) noexcept nogil:
    assembler_drop(&module.consensus_assembler, image_session_id)


cdef int poll_consensus(module_pass *module) except -1 nogil:
    forget_places(module)
    return subscription_controlled_poll(
        module.consensus, assemble_controlled, &module.consensus_assembler, FRAGMENT_LIMIT)
