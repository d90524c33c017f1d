"""Handle messages of other members: positions outside elections here, all others in Python.

``io.aeron.cluster.ConsensusAdapter``, and the handling of positions outside elections in
``ConsensusModuleAgent``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.subscription cimport image_list, subscription_controlled_poll
from aeron_cluster.cluster.agent.leadership_view cimport NO_MEMBER, ROLE_LEADER
from aeron_cluster.cluster.agent.module_core cimport (
    IGNORED_MEMBER_ID_MISMATCH,
    IGNORED_UNKNOWN_SCHEMA,
    IGNORED_MALFORMED,
    IGNORED_NOT_A_MEMBER,
    IGNORED_NOT_FROM_LEADER,
    IGNORED_STALE_POSITION,
    IGNORED_UNKNOWN_MEMBER,
    IGNORED_UNKNOWN_TEMPLATE,
    call_conductor,
    ignore_message,
)
from aeron_cluster.cluster.members.member_progress cimport member_progress
from aeron_cluster.cluster.members.message_sender cimport NO_SENDER, sender_id
from aeron_cluster.codecs.cluster_codecs cimport (
    APPEND_POSITION_FLAGS_OFFSET,
    APPEND_POSITION_TEMPLATE_ID,
    BACKUP_QUERY_TEMPLATE_ID,
    BACKUP_RESPONSE_TEMPLATE_ID,
    CANVASS_POSITION_TEMPLATE_ID,
    CHALLENGE_RESPONSE_TEMPLATE_ID,
    CHALLENGE_TEMPLATE_ID,
    COMMIT_POSITION_BLOCK_LENGTH,
    COMMIT_POSITION_TEMPLATE_ID,
    HEARTBEAT_REQUEST_TEMPLATE_ID,
    SCHEMA_ID,
    SESSION_EVENT_TEMPLATE_ID,
    STANDBY_SNAPSHOT_TEMPLATE_ID,
    STOP_CATCHUP_TEMPLATE_ID,
    TERMINATION_ACK_TEMPLATE_ID,
    TERMINATION_POSITION_TEMPLATE_ID,
    append_position_flags,
    append_position_leadership_term_id,
    append_position_log_position,
    commit_position_leadership_term_id,
    commit_position_log_position,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.events.event_log cimport (
    EVENT_APPEND_POSITION,
    EVENT_COMMIT_POSITION,
    event_log,
    is_event_enabled,
    write_event,
)
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_drop,
    assembler_free,
    assembler_init,
)
from aeron_cluster.logbuffer.image_poller cimport CONTINUE, frame_view
from aeron_cluster.memory.shared.atomic cimport load_acquire_i64
from aeron_cluster.memory.system.invariants cimport PLACE, require


cdef enum:
    FRAGMENT_LIMIT = 10
    NO_FLAGS = 255  # of a member with an older schema


cdef int call_on_consensus_message(
    consensus_state *consensus, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil:
    call_conductor(
        consensus.core, (<object>consensus.core.conductor).on_consensus_message,
        (payload[:length], <Image>header.context))
    return CONTINUE


# ---- senders ----

cdef int call_authorized_members(
    consensus_state *consensus, const frame_view *header, uint64_t *members
) except -1 with gil:
    cdef Image image = <Image>header.context
    cdef sender_authorization *authorization = NULL
    cdef sender_authorization *free_one = NULL
    cdef int32_t i
    require(
        0 <= consensus.authorization_count <= MAX_AUTHORIZATIONS, PLACE,
        "each authorization has an entry", consensus.authorization_count, MAX_AUTHORIZATIONS)
    for i in range(consensus.authorization_count):
        if consensus.authorizations[i].correlation_id == image.correlation_id:
            authorization = &consensus.authorizations[i]
        elif consensus.authorizations[i].image == NULL:
            free_one = &consensus.authorizations[i]
    if authorization != NULL and authorization.image == NULL:  # looked up before the images changed
        authorization.image = header.context
        members[0] = authorization.members
        return 0
    members[0] = (<object>consensus.core.conductor).authorized_members(image)
    if members[0] == 0:
        # Its name may resolve to another address later, or have none yet: the next query may find
        # it.
        return 0
    if authorization == NULL:
        authorization = free_one
    if authorization == NULL and consensus.authorization_count < MAX_AUTHORIZATIONS:
        authorization = &consensus.authorizations[consensus.authorization_count]
        consensus.authorization_count += 1
    if authorization != NULL:  # for images without an entry Python is called each time
        authorization.image = header.context
        authorization.correlation_id = image.correlation_id
        authorization.members = members[0]
    return 0


cdef int call_on_member_id_mismatch(
    consensus_state *consensus, const frame_view *header, int32_t member_id
) except -1 with gil:
    (<object>consensus.core.conductor).on_member_id_mismatch(<Image>header.context, member_id)
    return 0


cdef inline int look_up_members(
    consensus_state *consensus, const frame_view *header, uint64_t *members
) except -1 nogil:
    """Look up the members that may send by an image: bits by index, 0 for an unknown sender."""
    cdef int32_t i
    for i in range(consensus.authorization_count):
        if consensus.authorizations[i].image == header.context:
            members[0] = consensus.authorizations[i].members
            return 0
    return call_authorized_members(consensus, header, members)


cdef int accepts_sender(
    consensus_state *consensus, const sbe_message *message, const frame_view *header,
    int32_t *sender
) except -1 nogil:
    """Whether it was sent by a member, and by the one it names; otherwise it is counted as ignored.

    ``sender`` is that member's index, or NO_MEMBER if the message has no member id.
    """
    cdef uint64_t members = 0
    cdef int32_t member_id = sender_id(message)
    cdef int32_t log_leader = consensus.leadership.log_leader_index
    sender[0] = NO_MEMBER
    look_up_members(consensus, header, &members)
    if members == 0:
        ignore_message(consensus.core, IGNORED_NOT_A_MEMBER)
        return False
    sender[0] = find_other(consensus, member_id)
    if member_id == NO_SENDER:
        if is_of_leader_alone(message.template_id) and (
            log_leader == NO_MEMBER or not members >> log_leader & 1
        ):
            ignore_message(consensus.core, IGNORED_NOT_FROM_LEADER)
            return False
        return True
    if sender[0] != NO_MEMBER:
        if members >> sender[0] & 1:
            return True
        # The member's name may have had no address when the image became available.
        call_authorized_members(consensus, header, &members)
        if members >> sender[0] & 1:
            return True
    call_on_member_id_mismatch(consensus, header, member_id)
    ignore_message(
        consensus.core,
        IGNORED_UNKNOWN_MEMBER if sender[0] == NO_MEMBER else IGNORED_MEMBER_ID_MISMATCH)
    return False


cdef void clear_sender_cache(consensus_state *consensus) noexcept nogil:
    """Clear the cache after the images of the stream changed: an address may be reused.

    The poll retains the image list, so no image polled from now on is freed before that is
    detected.
    """
    # Pairs with the release that swaps the lists.
    cdef const image_list *images = <const image_list *>load_acquire_i64(
        &consensus.subscription.current)
    cdef int32_t i
    if images != NULL and images.version != consensus.image_list_version:
        consensus.image_list_version = images.version
        for i in range(consensus.authorization_count):
            consensus.authorizations[i].image = NULL


cdef inline bint is_of_session(int32_t template_id) noexcept nogil:
    """Return whether it is a message that non-members, such as backups, send too."""
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
        or is_answer(template_id)
    )


cdef inline bint is_answer(int32_t template_id) noexcept nogil:
    """Return whether it is a leader's answer to a member's query of its member list."""
    return (
        template_id == BACKUP_RESPONSE_TEMPLATE_ID
        or template_id == SESSION_EVENT_TEMPLATE_ID
        or template_id == CHALLENGE_TEMPLATE_ID
    )


cdef inline bint is_of_leader_alone(int32_t template_id) noexcept nogil:
    """Return whether only the term's leader sends such messages, which have no sender id."""
    return (
        template_id == TERMINATION_POSITION_TEMPLATE_ID
        or template_id == STOP_CATCHUP_TEMPLATE_ID
        or is_answer(template_id)
    )


cdef inline int32_t find_other(consensus_state *consensus, int32_t member_id) noexcept nogil:
    """Return the index of another member, or NO_MEMBER if no other has the id."""
    cdef const cluster_members *members = consensus.members
    cdef int32_t i
    for i in range(members.count):
        if members.progress[i].member_id == member_id and i != members.own_index:
            return i
    return NO_MEMBER


# ---- frequent messages outside elections ----

cdef int on_append_position(
    consensus_state *consensus, const sbe_message *message, int32_t sender, const uint8_t *payload,
    int32_t length, const frame_view *header
) except -1 nogil:
    cdef member_progress *member
    cdef int64_t leadership_term_id
    cdef uint8_t flags
    if message.block_length < APPEND_POSITION_FLAGS_OFFSET or sender == NO_MEMBER:
        return ignore_message(consensus.core, IGNORED_MALFORMED)
    leadership_term_id = append_position_leadership_term_id(
        message.body, message.block_length, message.version)
    if (consensus.leadership.role != ROLE_LEADER
            or leadership_term_id > consensus.leadership.leadership_term_id):
        return ignore_message(consensus.core, IGNORED_STALE_POSITION)
    member = &consensus.members.progress[sender]
    flags = append_position_flags(message.body, message.block_length, message.version)
    # The part of an earlier term's log that counts is looked up in the recording log.
    if (member.is_catching_up or flags != 0 and flags != NO_FLAGS
            or leadership_term_id != consensus.leadership.leadership_term_id):
        return call_on_consensus_message(consensus, payload, length, header)
    member.leadership_term_id = leadership_term_id
    member.log_position = append_position_log_position(
        message.body, message.block_length, message.version)
    member.time_of_last_append_ns = consensus.core.now_ns
    return CONTINUE


cdef int on_commit_position(
    consensus_state *consensus, const sbe_message *message, int32_t sender, const uint8_t *payload,
    int32_t length, const frame_view *header
) except -1 nogil:
    cdef int64_t leadership_term_id, log_position
    if message.block_length < COMMIT_POSITION_BLOCK_LENGTH or sender == NO_MEMBER:
        return ignore_message(consensus.core, IGNORED_MALFORMED)
    leadership_term_id = commit_position_leadership_term_id(
        message.body, message.block_length, message.version)
    if leadership_term_id > consensus.leadership.leadership_term_id:
        return call_on_consensus_message(consensus, payload, length, header)
    if leadership_term_id < consensus.leadership.leadership_term_id:
        return ignore_message(consensus.core, IGNORED_STALE_POSITION)
    if sender != consensus.leadership.leader_index:
        return ignore_message(consensus.core, IGNORED_NOT_FROM_LEADER)
    log_position = commit_position_log_position(
        message.body, message.block_length, message.version)
    if log_position > consensus.follower.notified_commit_position:
        consensus.follower.notified_commit_position = log_position
    consensus.follower.last_leader_update_ns = consensus.core.now_ns
    return CONTINUE


cdef int on_consensus_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef consensus_state *consensus = <consensus_state *>context
    cdef sbe_message message
    cdef int32_t sender
    if not sbe_wrap(&message, payload, length):
        return ignore_message(consensus.core, IGNORED_MALFORMED)
    if message.schema_id != SCHEMA_ID:
        return ignore_message(consensus.core, IGNORED_UNKNOWN_SCHEMA)
    if is_of_session(message.template_id):
        return call_on_consensus_message(consensus, payload, length, header)
    if not is_between_members(message.template_id):
        return ignore_message(consensus.core, IGNORED_UNKNOWN_TEMPLATE)
    if not accepts_sender(consensus, &message, header, &sender):
        return CONTINUE
    if not consensus.leadership.is_electing:
        if message.template_id == APPEND_POSITION_TEMPLATE_ID:
            return on_append_position(consensus, &message, sender, payload, length, header)
        if message.template_id == COMMIT_POSITION_TEMPLATE_ID:
            return on_commit_position(consensus, &message, sender, payload, length, header)
    return call_on_consensus_message(consensus, payload, length, header)


cdef void consensus_init(consensus_state *consensus) noexcept nogil:
    assembler_init(&consensus.assembler, on_consensus_message, <void *>consensus, NULL)


# ---- the event log ----

cdef void log_position(
        consensus_state *consensus, int event, int32_t member_id,
        int64_t leadership_term_id, int64_t log_position, uint8_t flags, int32_t length
) noexcept nogil:
    cdef uint8_t[25] fields
    memcpy(fields, &leadership_term_id, 8)
    memcpy(fields + 8, &log_position, 8)
    memcpy(fields + 16, &member_id, 4)
    memcpy(fields + 20, &consensus.own_id, 4)
    fields[24] = flags
    write_event(consensus.events, event, fields, length)


cdef int on_logged_consensus_message(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    """Record a position, and handle the message as without an event log."""
    cdef consensus_state *consensus = <consensus_state *>context
    cdef sbe_message message
    cdef uint8_t flags
    if sbe_wrap(&message, payload, length) and message.schema_id == SCHEMA_ID:
        if (
            message.template_id == APPEND_POSITION_TEMPLATE_ID
            and message.block_length >= APPEND_POSITION_FLAGS_OFFSET
            and is_event_enabled(consensus.events, EVENT_APPEND_POSITION)
        ):
            flags = append_position_flags(message.body, message.block_length, message.version)
            log_position(
                consensus, EVENT_APPEND_POSITION, sender_id(&message),
                append_position_leadership_term_id(
                    message.body, message.block_length, message.version),
                append_position_log_position(
                    message.body, message.block_length, message.version),
                0 if flags == NO_FLAGS else flags, 25)
        elif (
            message.template_id == COMMIT_POSITION_TEMPLATE_ID
            and message.block_length >= COMMIT_POSITION_BLOCK_LENGTH
            and is_event_enabled(consensus.events, EVENT_COMMIT_POSITION)
        ):
            log_position(
                consensus, EVENT_COMMIT_POSITION, sender_id(&message),
                commit_position_leadership_term_id(
                    message.body, message.block_length, message.version),
                commit_position_log_position(
                    message.body, message.block_length, message.version),
                0, 24)
    return on_consensus_message(context, payload, length, header)


cdef void consensus_log_positions(
        consensus_state *consensus, event_log *events, int32_t own_id) noexcept nogil:
    consensus.events = events
    consensus.own_id = own_id
    assembler_init(&consensus.assembler, on_logged_consensus_message, <void *>consensus, NULL)


cdef void consensus_free(consensus_state *consensus) noexcept nogil:
    assembler_free(&consensus.assembler)


cdef void consensus_drop(consensus_state *consensus, int32_t image_session_id) noexcept nogil:
    assembler_drop(&consensus.assembler, image_session_id)


cdef int poll_consensus(consensus_state *consensus) except -1 nogil:
    clear_sender_cache(consensus)
    return subscription_controlled_poll(
        consensus.subscription, assemble_controlled, &consensus.assembler, FRAGMENT_LIMIT)
