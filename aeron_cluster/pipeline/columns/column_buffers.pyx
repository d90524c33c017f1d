"""Columns of a batch in Arrow's layout, filled from rows without a Python object per message.

No counterpart in Aeron. Each column is filled by its own loop over a chunk of rows, so that
unrequested columns cost nothing.
"""
cimport cython
from libc.stdint cimport INT32_MIN, INT64_MAX, INT64_MIN, int16_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from aeron_cluster.codecs.cluster_codecs cimport (
    CLUSTER_ACTION_REQUEST_TEMPLATE_ID,
    CLUSTER_TIME_UNIT_MILLIS,
    CLUSTER_TIME_UNIT_NANOS,
    NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
    SESSION_CLOSE_EVENT_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    SESSION_OPEN_EVENT_TEMPLATE_ID,
    TIMER_EVENT_TEMPLATE_ID,
    cluster_action_request_action,
    cluster_action_request_flags,
    cluster_action_request_log_position,
    new_leadership_term_event_app_version,
    new_leadership_term_event_leader_member_id,
    new_leadership_term_event_log_position,
    new_leadership_term_event_log_session_id,
    new_leadership_term_event_term_base_log_position,
    new_leadership_term_event_time_unit,
    session_close_event_close_reason,
    session_open_event_correlation_id,
    session_open_event_read_encoded_principal,
    session_open_event_read_response_channel,
    session_open_event_response_stream_id,
    timer_event_correlation_id,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_reader, sbe_reader_after
from aeron_cluster.pipeline.columns.column_memory cimport (
    Buffer,
    SpareBlocks,
    new_buffer,
    repeated_i32,
    repeated_i64,
    zeros_of,
)
from aeron_cluster.pipeline.columns.log_labels cimport (
    action_name,
    label,
    reason_name,
    type_name,
    unit_name,
)
from aeron_cluster.pipeline.columns.rows cimport is_log_entry, row


cdef enum:
    INITIAL_VARIABLE_CAPACITY = 65536
    US_OF_MS = 1000
    NS_OF_US = 1000


# ---- one value --------------------------------------------------------------------------------


cdef inline void set_bit(uint8_t *bits, int32_t at) noexcept nogil:
    bits[at >> 3] |= <uint8_t>(1 << (at & 7))


cdef inline void mark(column *c, int32_t at, bint is_valid) noexcept nogil:
    if is_valid:
        set_bit(c.validity, at)
    else:
        c.null_count += 1


cdef void mark_valid(column *c, int32_t at, int32_t count) noexcept nogil:
    """Mark a run of values as valid."""
    cdef int32_t end = at + count
    while at < end and at & 7:
        set_bit(c.validity, at)
        at += 1
    if at < end:
        memset(c.validity + (at >> 3), 0xff, (end - at) >> 3)
        at += (end - at) & ~7
    while at < end:
        set_bit(c.validity, at)
        at += 1


cdef void write_null_run(column *c, int32_t at) noexcept nogil:
    """Write the leading missing values of a batch, before its first valid value."""
    if c.null_run < 0:
        return
    c.null_run = -1
    if c.has_offsets:
        memset(c.offsets, 0, <size_t>(at + 1) * sizeof(int32_t))
    elif c.width > 0:
        memset(c.values, 0, <size_t>at * c.width)


cdef void fill_nulls(column *c, int32_t at, int32_t count) noexcept nogil:
    """Fill a run of missing values: in a log, most columns of most batches have only these."""
    cdef int32_t i
    c.null_count += count
    if c.null_run == at:
        c.null_run += count
        return
    if c.has_offsets:
        for i in range(count):
            c.offsets[at + i + 1] = <int32_t>c.length
    elif c.width > 0:
        memset(c.values + <int64_t>at * c.width, 0, <size_t>count * c.width)


cdef int grow(column *c, int64_t length) noexcept nogil:
    cdef int64_t capacity = c.capacity * 2
    cdef uint8_t *values
    if capacity < length:
        capacity = length
    values = <uint8_t *>realloc(c.values, capacity)
    if values == NULL:
        return -1
    c.values = values
    c.capacity = capacity
    return 0


cdef inline int append(
        column *c, int32_t at, const void *data, int64_t length) noexcept nogil:
    if length > c.capacity - c.length and grow(c, c.length + length) < 0:
        return -1
    if length > 0:
        memcpy(c.values + c.length, data, length)
    c.length += length
    c.offsets[at + 1] = <int32_t>c.length
    return 0


cdef inline int append_label(column *c, int32_t at, label name) noexcept nogil:
    """Append a label, or a missing value if it is NULL."""
    if c.validity != NULL:
        mark(c, at, name.text != NULL)
    return append(c, at, name.text, name.length)


cdef int append_run(column *c, int32_t at, label name, int32_t count) noexcept nogil:
    """Append the same label for each value of a run."""
    cdef int64_t length = <int64_t>name.length * count
    cdef int64_t there = name.length
    cdef int64_t more
    cdef int64_t end = c.length
    cdef int32_t *offsets = c.offsets + at + 1
    cdef uint8_t *begin
    cdef int32_t i
    if name.text == NULL:
        fill_nulls(c, at, count)
        return 0
    write_null_run(c, at)
    if length > c.capacity - c.length and grow(c, c.length + length) < 0:
        return -1
    begin = c.values + c.length
    if count > 0:
        memcpy(begin, name.text, there)
    # Each copy doubles the filled length.
    while there < length:
        more = there if there < length - there else length - there
        memcpy(begin + there, begin, more)
        there += more
    for i in range(count):
        end += name.length
        offsets[i] = <int32_t>end
    c.length = end
    if c.validity != NULL:
        mark_valid(c, at, count)
    return 0


# ---- columns that are a field of the row -------------------------------------------------------


cdef inline const void *field(const void *first, int32_t index) noexcept nogil:
    return <const uint8_t *>first + <int64_t>index * sizeof(row)


cdef void copy_i32(column *c, int32_t at, const int32_t *first, int32_t count) noexcept nogil:
    cdef int32_t *values = <int32_t *>c.values + at
    cdef int32_t i
    for i in range(count):
        values[i] = (<const int32_t *>field(first, i))[0]


cdef void copy_i64(column *c, int32_t at, const int64_t *first, int32_t count) noexcept nogil:
    cdef int64_t *values = <int64_t *>c.values + at
    cdef int32_t i
    for i in range(count):
        values[i] = (<const int64_t *>field(first, i))[0]


cdef void copy_null_i32(column *c, int32_t at, const int32_t *first, int32_t count) noexcept nogil:
    cdef int32_t *values = <int32_t *>c.values + at
    cdef int32_t missing = 0
    cdef int32_t i
    copy_i32(c, at, first, count)
    for i in range(count):
        missing += values[i] == INT32_MIN
    if missing == 0:
        mark_valid(c, at, count)
        return
    for i in range(count):
        mark(c, at + i, values[i] != INT32_MIN)


cdef void copy_null_i64(column *c, int32_t at, const int64_t *first, int32_t count) noexcept nogil:
    copy_i64(c, at, first, count)
    mark_i64(c, at, count)


cdef void mark_i64(column *c, int32_t at, int32_t count) noexcept nogil:
    """Mark filled values as valid or, for SBE's null value (the lowest), as missing."""
    cdef int64_t *values = <int64_t *>c.values + at
    cdef int32_t missing = 0
    cdef int32_t i
    for i in range(count):
        missing += values[i] == INT64_MIN
    if missing == 0:
        mark_valid(c, at, count)
        return
    for i in range(count):
        mark(c, at + i, values[i] != INT64_MIN)


cdef void fill_flags(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    cdef int16_t *values = <int16_t *>c.values + at
    cdef int32_t i
    for i in range(count):
        values[i] = rows[i].header.flags


# ---- payloads and texts ------------------------------------------------------------------------


cdef int fill_payload(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    cdef int32_t i
    for i in range(count):
        if append(c, at + i, rows[i].payload, rows[i].payload_length) < 0:
            return -1
    return 0


cdef int fill_log_payload(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    """Append payloads of session messages and of frames that are not log entries."""
    cdef int32_t i
    cdef const uint8_t *begin
    cdef int64_t length
    for i in range(count):
        begin = rows[i].payload
        length = rows[i].payload_length
        if rows[i].template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
            begin = rows[i].entry.body + rows[i].entry.block_length
            length = rows[i].entry.limit - begin
        elif is_log_entry(rows[i].template_id):
            mark(c, at + i, False)
            c.offsets[at + i + 1] = <int32_t>c.length
            continue
        mark(c, at + i, True)
        if append(c, at + i, begin, length) < 0:
            return -1
    return 0


cdef int fill_session_payload(
        column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    """Append payloads when all rows are session messages."""
    cdef int32_t i
    cdef const uint8_t *begin
    for i in range(count):
        begin = rows[i].entry.body + rows[i].entry.block_length
        if append(c, at + i, begin, rows[i].entry.limit - begin) < 0:
            return -1
    mark_valid(c, at, count)
    return 0


cdef int fill_type(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    cdef int32_t i
    for i in range(count):
        if append_label(c, at + i, type_name(rows[i].template_id)) < 0:
            return -1
    return 0


cdef int fill_unit(
        column *c, int32_t at, const row *rows, int32_t count, int32_t time_unit) noexcept nogil:
    cdef label name = unit_name(time_unit)
    cdef int32_t i
    for i in range(count):
        if append_label(
                c, at + i, name if rows[i].timestamp != INT64_MIN else label(NULL, 0)) < 0:
            return -1
    return 0


# ---- values that are computed ------------------------------------------------------------------


cdef void fill_timestamp(
        column *c, int32_t at, const row *rows, int32_t count, int32_t time_unit) noexcept nogil:
    """Fill microseconds since 1970, rounded down; missing if unit or time is invalid."""
    cdef int64_t *values = <int64_t *>c.values + at
    cdef int64_t time
    cdef int32_t i
    if unit_name(time_unit).text == NULL:
        fill_nulls(c, at, count)
        return
    write_null_run(c, at)
    for i in range(count):
        time = rows[i].timestamp
        if time_unit == CLUSTER_TIME_UNIT_MILLIS:
            if INT64_MIN // US_OF_MS < time < INT64_MAX // US_OF_MS:
                time *= US_OF_MS
            else:
                time = INT64_MIN
        elif time_unit == CLUSTER_TIME_UNIT_NANOS and time != INT64_MIN:
            # Division in C rounds towards zero.
            time = time // NS_OF_US - (1 if time % NS_OF_US < 0 else 0)
        values[i] = time
    mark_i64(c, at, count)


cdef void fill_correlation_id(
        column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    cdef int64_t *values = <int64_t *>c.values + at
    cdef const sbe_message *entry
    cdef int32_t i
    for i in range(count):
        entry = &rows[i].entry
        values[i] = INT64_MIN
        if rows[i].template_id == SESSION_OPEN_EVENT_TEMPLATE_ID:
            values[i] = session_open_event_correlation_id(
                entry.body, entry.block_length, entry.version)
        elif rows[i].template_id == TIMER_EVENT_TEMPLATE_ID:
            values[i] = timer_event_correlation_id(
                entry.body, entry.block_length, entry.version)
    mark_i64(c, at, count)


cdef void fill_committed(
        column *c, int32_t at, const row *rows, int32_t count,
        const row_constants *k) noexcept nogil:
    cdef bint is_committed
    cdef int32_t i
    for i in range(count):
        is_committed = rows[i].end_position <= k.committed_position
        if is_committed:
            set_bit(c.values, at + i)
        mark(c, at + i, is_committed or k.rest_committed >= 0)


# ---- fields of structs -------------------------------------------------------------------------


cdef inline int32_t template_of(int32_t id) noexcept nogil:
    """Return the template id of the log entry that a struct or its field belongs to."""
    if id < <int32_t>ColumnId.SESSION_CLOSE:
        return SESSION_OPEN_EVENT_TEMPLATE_ID
    if id < <int32_t>ColumnId.TIMER:
        return SESSION_CLOSE_EVENT_TEMPLATE_ID
    if id < <int32_t>ColumnId.CLUSTER_ACTION:
        return TIMER_EVENT_TEMPLATE_ID
    if id < <int32_t>ColumnId.NEW_LEADERSHIP_TERM:
        return CLUSTER_ACTION_REQUEST_TEMPLATE_ID
    return NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID


cdef void fill_struct(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    cdef int32_t wanted = template_of(c.id)
    cdef int32_t i
    for i in range(count):
        mark(c, at + i, rows[i].template_id == wanted)


cdef int64_t number_of(int32_t id, const sbe_message *m) noexcept nogil:
    if id == <int32_t>ColumnId.SESSION_OPEN_CORRELATION_ID:
        return session_open_event_correlation_id(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.SESSION_OPEN_RESPONSE_STREAM_ID:
        return session_open_event_response_stream_id(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.TIMER_CORRELATION_ID:
        return timer_event_correlation_id(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.CLUSTER_ACTION_LOG_POSITION:
        return cluster_action_request_log_position(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.CLUSTER_ACTION_FLAGS:
        return cluster_action_request_flags(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_LOG_POSITION:
        return new_leadership_term_event_log_position(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION:
        return new_leadership_term_event_term_base_log_position(
            m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID:
        return new_leadership_term_event_leader_member_id(m.body, m.block_length, m.version)
    if id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_LOG_SESSION_ID:
        return new_leadership_term_event_log_session_id(m.body, m.block_length, m.version)
    return new_leadership_term_event_app_version(m.body, m.block_length, m.version)


cdef void fill_number(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    """Fill a field of a struct; SBE's null value, the lowest of its width, is a missing value."""
    cdef int32_t wanted = template_of(c.id)
    cdef int64_t missing = INT64_MIN if c.width == 8 else INT32_MIN
    cdef int64_t value
    cdef int32_t i
    for i in range(count):
        value = missing
        if rows[i].template_id == wanted:
            value = number_of(c.id, &rows[i].entry)
        if c.width == 8:
            (<int64_t *>c.values)[at + i] = value
        else:
            (<int32_t *>c.values)[at + i] = <int32_t>value
        mark(c, at + i, value != missing)


cdef label label_of(int32_t id, const sbe_message *m) noexcept nogil:
    cdef int32_t unit
    if id == <int32_t>ColumnId.SESSION_CLOSE_REASON:
        return reason_name(session_close_event_close_reason(m.body, m.block_length, m.version))
    if id == <int32_t>ColumnId.CLUSTER_ACTION_ACTION:
        return action_name(cluster_action_request_action(m.body, m.block_length, m.version))
    unit = new_leadership_term_event_time_unit(m.body, m.block_length, m.version)
    # Older writers omit it and mean ms, as in ClusterClock.map.
    return unit_name(CLUSTER_TIME_UNIT_MILLIS if unit == INT32_MIN else unit)


cdef int fill_label(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    cdef int32_t wanted = template_of(c.id)
    cdef label found
    cdef int32_t i
    for i in range(count):
        found = label(NULL, 0)
        if rows[i].template_id == wanted:
            found = label_of(c.id, &rows[i].entry)
        if append_label(c, at + i, found) < 0:
            return -1
    return 0


cdef int fill_session_data(column *c, int32_t at, const row *rows, int32_t count) noexcept nogil:
    """Fill the channel or the principal of a session's client."""
    cdef sbe_reader reader
    cdef const uint8_t *data = NULL
    cdef int64_t length
    cdef int32_t i
    for i in range(count):
        length = -1
        if rows[i].template_id == SESSION_OPEN_EVENT_TEMPLATE_ID:
            reader = sbe_reader_after(&rows[i].entry)
            length = session_open_event_read_response_channel(
                &reader, rows[i].entry.version, &data)
            if length >= 0 and c.id == <int32_t>ColumnId.SESSION_OPEN_ENCODED_PRINCIPAL:
                length = session_open_event_read_encoded_principal(
                    &reader, rows[i].entry.version, &data)
            elif length >= 0 and not is_ascii(data, length):
                length = -1
        mark(c, at + i, length >= 0)
        if append(c, at + i, data, length if length > 0 else 0) < 0:
            return -1
    return 0


cdef inline bint is_ascii(const uint8_t *data, int64_t length) noexcept nogil:
    """Return whether all bytes are ASCII, as in a channel: Arrow's strings must be valid UTF-8."""
    cdef int64_t i
    for i in range(length):
        if data[i] >= 128:
            return False
    return True


# ---- all of them -------------------------------------------------------------------------------


cdef int fill_run(
        column *c, int32_t at, const row *first, int32_t count,
        const row_constants *k) noexcept nogil:
    """Fill a column in the faster way that is possible for a run of entries of one kind.

    Returns
    -------
    int
        1 if it was filled, 0 if each row has its own value, -1 if memory is exhausted.
    """
    cdef bint has_time = first.timestamp != INT64_MIN
    if c.id == <int32_t>ColumnId.MESSAGE_TYPE:
        return 1 if append_run(c, at, type_name(first.template_id), count) == 0 else -1
    if (
        c.id == <int32_t>ColumnId.LOG_PAYLOAD
        and first.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID
    ):
        write_null_run(c, at)
        return 1 if fill_session_payload(c, at, first, count) == 0 else -1
    if c.id == <int32_t>ColumnId.TIMESTAMP_UNIT and has_time:
        return 1 if append_run(c, at, unit_name(k.time_unit), count) == 0 else -1
    if c.id >= <int32_t>ColumnId.SESSION_OPEN and template_of(c.id) != first.template_id or (
            c.id == <int32_t>ColumnId.CORRELATION_ID
            and first.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID):
        fill_nulls(c, at, count)
        return 1
    return 0


cdef int fill_column(
        column *c, int32_t at, const row *rows, int32_t count,
        const row_constants *k) noexcept nogil:
    cdef ColumnId id = <ColumnId>c.id
    if is_repeated(c.id):
        return 0
    if id != ColumnId.TIMESTAMP:
        write_null_run(c, at)
    if id == ColumnId.POSITION:
        copy_i64(c, at, &rows.position, count)
    elif id == ColumnId.END_POSITION:
        copy_i64(c, at, &rows.end_position, count)
    elif id == ColumnId.TERM_ID:
        copy_i32(c, at, &rows.header.term_id, count)
    elif id == ColumnId.TERM_OFFSET:
        copy_i32(c, at, &rows.header.term_offset, count)
    elif id == ColumnId.SESSION_ID:
        copy_i32(c, at, &rows.header.session_id, count)
    elif id == ColumnId.STREAM_ID:
        copy_i32(c, at, &rows.header.stream_id, count)
    elif id == ColumnId.FLAGS:
        fill_flags(c, at, rows, count)
    elif id == ColumnId.RESERVED_VALUE:
        copy_i64(c, at, &rows.header.reserved_value, count)
    elif id == ColumnId.FRAME_LENGTH:
        copy_i32(c, at, &rows.header.frame_length, count)
    elif id == ColumnId.PAYLOAD:
        return fill_payload(c, at, rows, count)
    elif id == ColumnId.LOG_PAYLOAD:
        return fill_log_payload(c, at, rows, count)
    elif id == ColumnId.TEMPLATE_ID:
        copy_null_i32(c, at, &rows.template_id, count)
    elif id == ColumnId.MESSAGE_TYPE:
        return fill_type(c, at, rows, count)
    elif id == ColumnId.LEADERSHIP_TERM_ID:
        copy_null_i64(c, at, &rows.leadership_term_id, count)
    elif id == ColumnId.CLUSTER_SESSION_ID:
        copy_null_i64(c, at, &rows.cluster_session_id, count)
    elif id == ColumnId.TIMESTAMP:
        fill_timestamp(c, at, rows, count, k.time_unit)
    elif id == ColumnId.TIMESTAMP_RAW:
        copy_null_i64(c, at, &rows.timestamp, count)
    elif id == ColumnId.TIMESTAMP_UNIT:
        return fill_unit(c, at, rows, count, k.time_unit)
    elif id == ColumnId.CORRELATION_ID:
        fill_correlation_id(c, at, rows, count)
    elif id == ColumnId.COMMITTED:
        fill_committed(c, at, rows, count, k)
    elif is_struct(c.id):
        fill_struct(c, at, rows, count)
    elif (
        id == ColumnId.SESSION_OPEN_RESPONSE_CHANNEL
        or id == ColumnId.SESSION_OPEN_ENCODED_PRINCIPAL
    ):
        return fill_session_data(c, at, rows, count)
    elif c.has_offsets:
        return fill_label(c, at, rows, count)
    else:
        fill_number(c, at, rows, count)
    return 0


cdef bint are_of_one_kind(const row *rows, int32_t count) noexcept nogil:
    """Return whether rows are entries of one kind, all with a time or all without."""
    cdef int32_t others = 0
    cdef int32_t i
    for i in range(count):
        others += (
            rows[i].template_id != rows.template_id
            or (rows[i].timestamp == INT64_MIN) != (rows.timestamp == INT64_MIN))
    return others == 0


cdef int fill_columns(ColumnBuffers buffers, const row *rows, int32_t count) noexcept nogil:
    cdef bint is_run = buffers.has_entries and are_of_one_kind(rows, count)
    cdef int32_t at = buffers.row_count
    cdef int filled = 0
    cdef int32_t i
    for i in range(buffers.column_count):
        if is_run and buffers.columns[i].id >= <int32_t>ColumnId.LOG_PAYLOAD:
            filled = fill_run(&buffers.columns[i], at, rows, count, &buffers.constants)
        else:
            filled = 0
        if filled == 0:
            filled = fill_column(&buffers.columns[i], at, rows, count, &buffers.constants)
        if filled < 0:
            return -1
    buffers.row_count += count
    return 0


# ---- how columns are laid out ------------------------------------------------------------------


cdef inline int64_t bits_length(int32_t count) noexcept nogil:
    """Return the length in bytes of a number of bits."""
    return (<int64_t>count + 7) // 8


cdef inline bint is_repeated(int32_t id) noexcept nogil:
    """Return whether a column has the same value in each row of a recording."""
    return id == <int32_t>ColumnId.RECORDING_ID or id == <int32_t>ColumnId.MEMBER


cdef bint is_struct(int32_t id) noexcept nogil:
    return (
        id == <int32_t>ColumnId.SESSION_OPEN
        or id == <int32_t>ColumnId.SESSION_CLOSE
        or id == <int32_t>ColumnId.TIMER
        or id == <int32_t>ColumnId.CLUSTER_ACTION
        or id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM
    )


cdef bint is_variable(int32_t id) noexcept nogil:
    return (
        id == <int32_t>ColumnId.PAYLOAD
        or id == <int32_t>ColumnId.LOG_PAYLOAD
        or id == <int32_t>ColumnId.MESSAGE_TYPE
        or id == <int32_t>ColumnId.TIMESTAMP_UNIT
        or id == <int32_t>ColumnId.SESSION_OPEN_RESPONSE_CHANNEL
        or id == <int32_t>ColumnId.SESSION_OPEN_ENCODED_PRINCIPAL
        or id == <int32_t>ColumnId.SESSION_CLOSE_REASON
        or id == <int32_t>ColumnId.CLUSTER_ACTION_ACTION
        or id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_TIME_UNIT
    )


cdef int32_t width_of(int32_t id) noexcept nogil:
    """Return the bytes per value; 0 for bits and for variable lengths."""
    if is_struct(id) or is_variable(id) or id == <int32_t>ColumnId.COMMITTED:
        return 0
    if id == <int32_t>ColumnId.FLAGS:
        return 2
    if (
        id == <int32_t>ColumnId.MEMBER
        or <int32_t>ColumnId.TERM_ID <= id <= <int32_t>ColumnId.STREAM_ID
        or id == <int32_t>ColumnId.FRAME_LENGTH
        or id == <int32_t>ColumnId.TEMPLATE_ID
        or id == <int32_t>ColumnId.SESSION_OPEN_RESPONSE_STREAM_ID
        or id == <int32_t>ColumnId.CLUSTER_ACTION_FLAGS
        or id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID
        or id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_LOG_SESSION_ID
        or id == <int32_t>ColumnId.NEW_LEADERSHIP_TERM_APP_VERSION
    ):
        return 4
    return 8


cdef bint is_nullable(int32_t id) noexcept nogil:
    return id >= <int32_t>ColumnId.LOG_PAYLOAD and id != <int32_t>ColumnId.MESSAGE_TYPE


@cython.final
cdef class ColumnBuffers:
    """The columns of a batch that is being filled.

    Parameters
    ----------
    ids : list of int
        The columns, each a `ColumnId`; the fields of a struct follow it.
    row_capacity : int
        The maximum number of rows in a batch.
    """

    def __cinit__(self, list ids not None, int32_t row_capacity):
        cdef int32_t i
        if row_capacity < 1:
            raise ValueError(f"row_capacity: expected at least 1, found {row_capacity}")
        self.row_capacity = row_capacity
        self.columns = <column *>calloc(len(ids) if ids else 1, sizeof(column))
        if self.columns == NULL:
            raise MemoryError
        self.column_count = <int32_t>len(ids)
        for i in range(self.column_count):
            self.columns[i].id = ColumnId(ids[i])
            self.columns[i].width = width_of(self.columns[i].id)
            self.columns[i].has_offsets = is_variable(self.columns[i].id)
            self.has_entries = self.has_entries or self.columns[i].id >= ColumnId.LOG_PAYLOAD
        self.constants.time_unit = -1
        self.spares = SpareBlocks.__new__(SpareBlocks)
        self.zeros = zeros_of((<Py_ssize_t>row_capacity + 1) * <Py_ssize_t>sizeof(int64_t))
        self.reserve()

    def __dealloc__(self):
        self.release()
        free(self.columns)

    cdef void release(self) noexcept:
        cdef int32_t i
        for i in range(self.column_count):
            free(self.columns[i].values)
            free(self.columns[i].offsets)
            free(self.columns[i].validity)
            self.columns[i].values = NULL
            self.columns[i].offsets = NULL
            self.columns[i].validity = NULL

    cdef int reserve(self) except -1:
        """Allocate memory for a batch."""
        cdef int32_t i
        cdef column *c
        cdef int64_t bits = bits_length(self.row_capacity)
        cdef bint is_short = False
        cdef int64_t capacity
        for i in range(self.column_count):
            c = &self.columns[i]
            c.last_length = c.length
            c.length = 0
            c.null_count = 0
            c.null_run = 0
            if is_repeated(c.id):
                continue
            if c.has_offsets:
                # Slightly more than the last batch used.
                c.capacity = max(INITIAL_VARIABLE_CAPACITY, c.last_length + c.last_length // 16)
                c.offsets = <int32_t *>self.spares.take(
                    (self.row_capacity + 1) * sizeof(int32_t), &c.offsets_capacity)
                if c.offsets != NULL:
                    c.offsets[0] = 0
            else:
                c.capacity = <int64_t>self.row_capacity * c.width if c.width > 0 else bits
            c.values = <uint8_t *>self.spares.take(c.capacity, &c.capacity)
            is_short = is_short or c.values == NULL or c.has_offsets and c.offsets == NULL
            if c.values != NULL and not c.has_offsets and c.width == 0:
                memset(c.values, 0, bits)
            if is_nullable(c.id):
                c.validity = <uint8_t *>self.spares.take(bits, &capacity)
                c.validity_capacity = capacity
                is_short = is_short or c.validity == NULL
                if c.validity != NULL:
                    memset(c.validity, 0, bits)
        self.row_count = 0
        if is_short:
            self.release()
            raise MemoryError
        return 0

    def set_constants(
            self, int64_t recording_id, int32_t member, int32_t time_unit,
            int64_t committed_position, bint is_rest_uncommitted):
        """Set the values that are the same in all rows.

        Parameters
        ----------
        recording_id, member : int
        time_unit : int
            A `ClusterTimeUnit`; -1 if unknown.
        committed_position : int
            Rows that end at or before this position are committed.
        is_rest_uncommitted : bool
            Whether other rows are known to be uncommitted; otherwise their state is unknown.
        """
        self.constants.recording_id = recording_id
        self.constants.member = member
        self.constants.time_unit = time_unit
        self.constants.committed_position = committed_position
        self.constants.rest_committed = 0 if is_rest_uncommitted else -1
        self.recording_ids = None
        self.members = None

    def __len__(self):
        """The number of rows so far."""
        return self.row_count

    cdef tuple empty_column(self, column *c):
        """Return the buffers of a column without values; its memory stays for the next batch."""
        self.spares.give(c.values, c.capacity)
        self.spares.give(c.offsets, c.offsets_capacity)
        self.spares.give(c.validity, c.validity_capacity)
        c.values = NULL
        c.offsets = NULL
        c.validity = NULL
        return self.zeros, self.zeros, self.zeros if c.has_offsets else None

    cdef Buffer repeated(self, int32_t id):
        """Return the values of a column that is the same in each batch."""
        if id == <int32_t>ColumnId.MEMBER:
            if self.members is None:
                self.members = repeated_i32(self.constants.member, self.row_capacity)
            return self.members
        if self.recording_ids is None:
            self.recording_ids = repeated_i64(self.constants.recording_id, self.row_capacity)
        return self.recording_ids

    def take(self):
        """Return the filled columns, and begin another batch.

        Returns
        -------
        list of tuple
            For each column the number of missing values, and its validity, values and offsets: each
            a `Buffer`, or None if the column has none.
        """
        cdef int32_t i
        cdef column *c
        cdef list buffers = []
        cdef Py_ssize_t bits = bits_length(self.row_count)
        cdef Py_ssize_t held
        for i in range(self.column_count):
            c = &self.columns[i]
            validity = offsets = None
            if is_repeated(c.id):
                buffers.append((0, None, self.repeated(c.id), None))
                continue
            if self.row_count > 0 and c.null_run == self.row_count:
                buffers.append((c.null_count, *self.empty_column(c)))
                continue
            held = (
                c.length if c.has_offsets
                else <Py_ssize_t>self.row_count * c.width if c.width > 0
                else bits)
            values = new_buffer(self.spares, c.values, held, c.capacity)
            c.values = NULL
            if c.offsets != NULL:
                offsets = new_buffer(
                    self.spares, c.offsets, (self.row_count + 1) * <Py_ssize_t>sizeof(int32_t),
                    c.offsets_capacity)
                c.offsets = NULL
            if c.validity != NULL:
                validity = new_buffer(self.spares, c.validity, bits, c.validity_capacity)
                c.validity = NULL
            buffers.append((c.null_count, validity, values, offsets))
        self.reserve()
        return buffers
