"""A message or frame found by the scanner: the source of one row of columns."""
from libc.stdint cimport INT32_MIN, INT64_MIN, int32_t, int64_t, uint8_t, uint16_t

from aeron_cluster.codecs.cluster_codecs cimport (
    CLUSTER_ACTION_REQUEST_TEMPLATE_ID,
    NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
    SCHEMA_ID,
    SESSION_CLOSE_EVENT_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    SESSION_OPEN_EVENT_TEMPLATE_ID,
    TIMER_EVENT_TEMPLATE_ID,
    cluster_action_request_leadership_term_id,
    cluster_action_request_timestamp,
    new_leadership_term_event_leadership_term_id,
    new_leadership_term_event_timestamp,
    session_close_event_cluster_session_id,
    session_close_event_leadership_term_id,
    session_close_event_timestamp,
    session_message_header_cluster_session_id,
    session_message_header_leadership_term_id,
    session_message_header_timestamp,
    session_open_event_cluster_session_id,
    session_open_event_leadership_term_id,
    session_open_event_timestamp,
    timer_event_leadership_term_id,
    timer_event_timestamp,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.frames cimport data_header


# The number of rows that are filled at a time, column by column: they and the filled columns fit
# into the first-level cache.
cdef enum:
    CHUNK_LENGTH = 128


cdef struct row:
    data_header header  # of the first frame, but length and flags are those of the whole message
    int64_t position  # of the first byte
    int64_t end_position  # after the last frame
    const uint8_t *payload
    int32_t payload_length
    # Fields of a log entry; SBE's null value (the lowest) if it lacks them.
    int32_t template_id
    int64_t leadership_term_id
    int64_t cluster_session_id
    int64_t timestamp
    sbe_message entry


cdef inline bint is_log_entry(int32_t template_id) noexcept nogil:
    return (
        template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID
        or TIMER_EVENT_TEMPLATE_ID <= template_id <= NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID
    )


# Decode the log entry in a row's payload.
cdef inline void read_entry(row *r) noexcept nogil:
    cdef const uint8_t *body
    cdef uint16_t block, version
    r.template_id = INT32_MIN
    r.leadership_term_id = INT64_MIN
    r.cluster_session_id = INT64_MIN
    r.timestamp = INT64_MIN
    if not sbe_wrap(&r.entry, r.payload, r.payload_length) or r.entry.schema_id != SCHEMA_ID:
        return
    r.template_id = r.entry.template_id
    body = r.entry.body
    block = r.entry.block_length
    version = r.entry.version
    if r.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        r.leadership_term_id = session_message_header_leadership_term_id(body, block, version)
        r.cluster_session_id = session_message_header_cluster_session_id(body, block, version)
        r.timestamp = session_message_header_timestamp(body, block, version)
    elif r.template_id == TIMER_EVENT_TEMPLATE_ID:
        r.leadership_term_id = timer_event_leadership_term_id(body, block, version)
        r.timestamp = timer_event_timestamp(body, block, version)
    elif r.template_id == SESSION_OPEN_EVENT_TEMPLATE_ID:
        r.leadership_term_id = session_open_event_leadership_term_id(body, block, version)
        r.cluster_session_id = session_open_event_cluster_session_id(body, block, version)
        r.timestamp = session_open_event_timestamp(body, block, version)
    elif r.template_id == SESSION_CLOSE_EVENT_TEMPLATE_ID:
        r.leadership_term_id = session_close_event_leadership_term_id(body, block, version)
        r.cluster_session_id = session_close_event_cluster_session_id(body, block, version)
        r.timestamp = session_close_event_timestamp(body, block, version)
    elif r.template_id == CLUSTER_ACTION_REQUEST_TEMPLATE_ID:
        r.leadership_term_id = cluster_action_request_leadership_term_id(body, block, version)
        r.timestamp = cluster_action_request_timestamp(body, block, version)
    elif r.template_id == NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID:
        r.leadership_term_id = new_leadership_term_event_leadership_term_id(body, block, version)
        r.timestamp = new_leadership_term_event_timestamp(body, block, version)
