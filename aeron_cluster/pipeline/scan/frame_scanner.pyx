"""Walks the frames of a recording and fills columns from them.

Upstream: ``RecordingReader`` and ``FragmentAssembler``, a window of some pages at a time: nothing
is mapped, and no Python object is made for a message. Padding, which is also what an aborted claim
leaves, is skipped as Java's readers do, and so are fragments of a message without its begin or
its end.
"""
cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport INT32_MAX, INT32_MIN, INT64_MIN, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memmove

from aeron_cluster.archive.storage.checksum cimport Checksum, crc
from aeron_cluster.codecs.cluster_codecs cimport (
    CLUSTER_TIME_UNIT_MILLIS,
    NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
    new_leadership_term_event_time_unit,
)
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FLAG_END,
    FLAG_UNFRAGMENTED,
    FRAME_DATA,
    FRAME_PAD,
    MAX_MESSAGE_LENGTH,
    MAX_UDP_PAYLOAD_LENGTH,
    align_i64,
    data_header,
    number_of_bits,
    term_id_of_position,
)
from aeron_cluster.pipeline.columns.column_buffers cimport ColumnBuffers, fill_columns
from aeron_cluster.pipeline.columns.rows cimport CHUNK_LENGTH, is_log_entry, read_entry, row


cdef enum:
    WINDOW_LENGTH = 65536  # the longest frame; it stays in the nearest cache but one
    INITIAL_ASSEMBLED_CAPACITY = 65536


# ---- which rows are wanted --------------------------------------------------------------------


cdef bint has_session(const row_selection *selection, int64_t session_id) noexcept nogil:
    cdef int32_t low = 0
    cdef int32_t high = selection.session_count
    cdef int32_t middle
    while low < high:
        middle = (low + high) >> 1
        if selection.sessions[middle] < session_id:
            low = middle + 1
        else:
            high = middle
    return low < selection.session_count and selection.sessions[low] == session_id


cdef inline bint is_wanted(const frame_scan *scan, const row *r) noexcept nogil:
    cdef const row_selection *selection = &scan.selection
    cdef int32_t kind
    if not scan.is_log:
        return not selection.has_sessions or has_session(selection, r.header.session_id)
    if selection.template_ids != 0:
        kind = r.template_id if is_log_entry(r.template_id) else 0
        if not (selection.template_ids >> kind) & 1:
            return False
    if selection.has_terms and not (
            selection.from_term <= r.leadership_term_id < selection.to_term):
        return False
    if selection.has_times and (
            r.timestamp == INT64_MIN
            or not selection.from_time <= r.timestamp < selection.to_time):
        return False
    return not selection.has_sessions or (
        r.cluster_session_id != INT64_MIN and has_session(selection, r.cluster_session_id))


# ---- the walk ---------------------------------------------------------------------------------


cdef inline bint is_bad_frame(
        const frame_scan *scan, const data_header *frame) noexcept nogil:
    cdef int32_t term_offset = <int32_t>(scan.position & (scan.term_length - 1))
    return (
        frame.frame_length < DATA_HEADER_LENGTH
        or frame.frame_length > scan.term_length - term_offset
        or frame.term_offset != term_offset
        or frame.term_id != term_id_of_position(
            scan.position, scan.position_bits_to_shift, scan.initial_term_id)
        or (frame.type != FRAME_PAD and (
            frame.type != FRAME_DATA or frame.frame_length > MAX_UDP_PAYLOAD_LENGTH))
        or scan.position + align_i64(frame.frame_length, DATA_HEADER_LENGTH) > scan.end_position
    )


cdef inline int32_t checksum_of(
        const frame_scan *scan, const data_header *frame) noexcept nogil:
    """Return the checksum of all after a frame's header, with its alignment."""
    return <int32_t>crc(
        scan.checksum, <const uint8_t *>frame + DATA_HEADER_LENGTH,
        align_i64(frame.frame_length, DATA_HEADER_LENGTH) - DATA_HEADER_LENGTH)


cdef inline int check_room(const frame_scan *scan, int64_t length) noexcept nogil:
    """Return whether another row fits; SCAN_DONE stands for yes."""
    if scan.row_count == CHUNK_LENGTH:
        return SCAN_CHUNK_FULL
    if scan.batch_rows + scan.row_count == scan.max_rows:
        return SCAN_BATCH_FULL
    if (
        scan.has_payload
        and scan.batch_length + length > scan.max_length
        and scan.batch_rows + scan.row_count > 0
    ):
        return SCAN_BATCH_FULL
    return SCAN_DONE


cdef inline int add_row(
        frame_scan *scan, const data_header *header, int64_t position, int64_t end_position,
        const uint8_t *payload, int32_t payload_length) noexcept nogil:
    """Take a row that check_room has room for, where it is wanted."""
    cdef row *r = &scan.rows[scan.row_count]
    cdef int32_t unit
    r.header = header[0]
    r.position = position
    r.end_position = end_position
    r.payload = payload
    r.payload_length = payload_length
    if scan.has_checksums:
        r.header.session_id = scan.session_id
    if scan.is_log:
        read_entry(r)
        if r.template_id == NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID and scan.time_unit >= 0:
            unit = new_leadership_term_event_time_unit(
                r.entry.body, r.entry.block_length, r.entry.version)
            if unit == INT32_MIN:
                unit = CLUSTER_TIME_UNIT_MILLIS
            if unit != scan.time_unit:
                return SCAN_BAD_UNIT
    if is_wanted(scan, r):
        scan.batch_length += payload_length
        scan.row_count += 1
    return SCAN_DONE


cdef inline void drop_partial(frame_scan *scan) noexcept nogil:
    if scan.is_begun:
        scan.is_begun = False
        scan.assembled_length = scan.partial_offset


cdef int append_fragment(
        frame_scan *scan, const uint8_t *payload, int32_t length) noexcept nogil:
    """Add to the begun message. Rows of this chunk point to what would move: they go first."""
    cdef int64_t wanted = scan.assembled_length + length
    cdef int64_t capacity = scan.assembled_capacity
    cdef uint8_t *assembled
    if wanted > capacity:
        if scan.row_count > 0:
            return SCAN_CHUNK_FULL
        if capacity == 0:
            capacity = INITIAL_ASSEMBLED_CAPACITY
        while capacity < wanted:
            capacity *= 2
        assembled = <uint8_t *>realloc(scan.assembled, capacity)
        if assembled == NULL:
            return SCAN_NO_MEMORY
        scan.assembled = assembled
        scan.assembled_capacity = capacity
    memcpy(scan.assembled + scan.assembled_length, payload, length)
    scan.assembled_length = wanted
    return SCAN_DONE


cdef int take_fragment(
        frame_scan *scan, const data_header *frame, int64_t frame_end) noexcept nogil:
    """Take a frame that is not a whole message. SCAN_DONE: it was taken."""
    cdef const uint8_t *payload = <const uint8_t *>frame + DATA_HEADER_LENGTH
    cdef int32_t length = frame.frame_length - DATA_HEADER_LENGTH
    cdef int32_t flags = frame.flags
    cdef int64_t message_length
    cdef int status
    if flags & FLAG_BEGIN:
        drop_partial(scan)
        scan.partial_offset = scan.assembled_length
        status = append_fragment(scan, payload, length)
        if status != SCAN_DONE:
            return status
        scan.is_begun = True
        scan.partial_header = frame[0]
        scan.partial_position = scan.position
        return SCAN_DONE
    if not scan.is_begun:
        return SCAN_DONE
    message_length = scan.assembled_length - scan.partial_offset + length
    # No message goes over the end of a term, or is longer than a publication takes.
    if message_length > MAX_MESSAGE_LENGTH or frame.term_id != scan.partial_header.term_id:
        drop_partial(scan)
        return SCAN_DONE
    if flags & FLAG_END:
        status = check_room(scan, message_length)
        if status != SCAN_DONE:
            return status
    status = append_fragment(scan, payload, length)
    if status != SCAN_DONE or not flags & FLAG_END:
        return status
    scan.partial_header.flags |= <uint8_t>flags
    scan.partial_header.frame_length = <int32_t>(DATA_HEADER_LENGTH + message_length)
    scan.is_begun = False
    return add_row(
        scan, &scan.partial_header, scan.partial_position, frame_end,
        scan.assembled + scan.partial_offset,
        <int32_t>message_length)


cdef int walk(frame_scan *scan) noexcept nogil:
    """Take frames until something else is to be done first; the next call continues there."""
    cdef const data_header *frame
    cdef int64_t left, frame_end
    cdef int status
    cdef bint is_behind
    while True:
        is_behind = scan.position >= scan.to_position
        if is_behind and not scan.is_begun or scan.position >= scan.end_position:
            drop_partial(scan)
            return SCAN_DONE
        left = scan.window_position + scan.window_length - scan.position
        if left < DATA_HEADER_LENGTH:
            return SCAN_NEEDS_DATA
        frame = <const data_header *>(scan.window + (scan.position - scan.window_position))
        if is_bad_frame(scan, frame):
            return SCAN_BAD_FRAME
        frame_end = scan.position + align_i64(frame.frame_length, DATA_HEADER_LENGTH)
        if frame.type == FRAME_PAD:
            drop_partial(scan)
            scan.position = frame_end
            continue
        if left < (frame.frame_length if scan.checksum == NULL else frame_end - scan.position):
            return SCAN_NEEDS_DATA
        if scan.checksum != NULL and frame.session_id != checksum_of(scan, frame):
            return SCAN_BAD_CHECKSUM
        if not scan.is_assembled or frame.flags & FLAG_UNFRAGMENTED == FLAG_UNFRAGMENTED:
            drop_partial(scan)
            if is_behind:
                return SCAN_DONE
            status = check_room(scan, frame.frame_length - DATA_HEADER_LENGTH)
            if status != SCAN_DONE:
                return status
            status = add_row(
                scan, frame, scan.position, frame_end,
                <const uint8_t *>frame + DATA_HEADER_LENGTH,
                frame.frame_length - DATA_HEADER_LENGTH)
        else:
            if is_behind and frame.flags & FLAG_BEGIN:
                drop_partial(scan)
                return SCAN_DONE
            status = take_fragment(scan, frame, frame_end)
        if status != SCAN_DONE:
            return status
        scan.position = frame_end


cdef int flush(frame_scan *scan, ColumnBuffers buffers) noexcept nogil:
    """Fill the columns from the chunk; afterwards nothing points into window or messages."""
    cdef int64_t partial_length
    if scan.row_count > 0:
        if fill_columns(buffers, scan.rows, scan.row_count) < 0:
            return -1
        scan.batch_rows += scan.row_count
        scan.row_count = 0
    partial_length = scan.assembled_length - scan.partial_offset if scan.is_begun else 0
    if partial_length > 0 and scan.partial_offset > 0:
        memmove(scan.assembled, scan.assembled + scan.partial_offset, partial_length)
    scan.partial_offset = 0
    scan.assembled_length = partial_length
    return 0


cdef int run(frame_scan *scan, ColumnBuffers buffers) noexcept nogil:
    """Continue until the GIL is needed."""
    cdef int status
    while True:
        status = walk(scan)
        if flush(scan, buffers) < 0:
            return SCAN_NO_MEMORY
        if status != SCAN_CHUNK_FULL:
            return status


@cython.final
cdef class FrameScanner:
    """Fills batches of columns from a range of a recording.

    Parameters
    ----------
    source : SegmentReader
        ``read_into(buffer, position)`` reads from there to the end of its segment at most, and
        ``error(position, what, expected, found)`` makes an exception of what is wrong there.
    buffers : ColumnBuffers
        What is built.
    from_position, to_position : int
        Frames that begin in between are taken, in bytes of the stream; the first is the begin of a
        frame. What began in between is read to its end.
    end_position : int
        Of the recording.
    initial_term_id, term_length : int
        Of the recording.
    is_log : bool
        Whether payloads are entries of a cluster's log.
    is_assembled : bool
        Whether rows are messages or frames.
    has_payload : bool
        Whether payloads count for the length of a batch.
    time_unit : int
        Of a log; -1 where it is not known. An entry with another one is an error.
    max_rows, max_length : int
        Of a batch, in bytes of payload; a longer message is a separate batch.

    Notes
    -----
    It belongs to one thread. After an exception it stands at the frame it could not take, and can
    continue after it (`skip_to`).
    """

    def __cinit__(
            self, source not None, ColumnBuffers buffers not None, *, int64_t from_position,
            int64_t to_position, int64_t end_position, int32_t initial_term_id,
            int32_t term_length, bint is_log, bint is_assembled, bint has_payload,
            int32_t time_unit, int32_t max_rows, int64_t max_length):
        if max_rows > buffers.row_capacity or not 0 < max_length <= INT32_MAX // 2:
            raise ValueError(
                f"expected at most {buffers.row_capacity} rows and {INT32_MAX // 2} bytes a batch,"
                f" found {max_rows} and {max_length}")
        self.source = source
        self.buffers = buffers
        self.window = bytearray(WINDOW_LENGTH)
        self.c.window = <const uint8_t *>PyByteArray_AS_STRING(self.window)
        self.c.position = from_position
        self.c.to_position = to_position
        self.c.end_position = end_position
        self.c.initial_term_id = initial_term_id
        self.c.term_length = term_length
        self.c.position_bits_to_shift = number_of_bits(term_length)
        self.c.is_log = is_log
        self.c.is_assembled = is_assembled or is_log
        self.c.has_payload = has_payload
        self.c.time_unit = time_unit
        self.c.max_rows = max_rows
        self.c.max_length = max_length

    def __dealloc__(self):
        free(self.c.assembled)
        free(self.c.selection.sessions)

    def select(
            self, *, tuple terms=None, tuple times=None, int64_t template_ids=0,
            list sessions=None):
        """Select which rows are wanted; those without the requested field are not.

        Parameters
        ----------
        terms, times : tuple of int, optional
            From, and up to but not with, of leadership terms and raw times of a log.
        template_ids : int
            A bit for each kind of entry; bit 0 for what is none. 0 wants all.
        sessions : list of int, optional
            Cluster sessions of a log, else sessions of the stream.
        """
        cdef int64_t *held
        if terms is not None:
            self.c.selection.from_term, self.c.selection.to_term = terms
            self.c.selection.has_terms = True
        if times is not None:
            self.c.selection.from_time, self.c.selection.to_time = times
            self.c.selection.has_times = True
        self.c.selection.template_ids = template_ids
        if sessions is not None:
            held = <int64_t *>malloc((len(sessions) + 1) * sizeof(int64_t))
            if held == NULL:
                raise MemoryError
            free(self.c.selection.sessions)
            self.c.selection.sessions = held
            self.c.selection.session_count = 0
            for session_id in sorted(sessions):
                held[self.c.selection.session_count] = session_id
                self.c.selection.session_count += 1
            self.c.selection.has_sessions = True

    @property
    def position(self):
        """Up to where frames were taken, in bytes of the stream."""
        return self.c.position

    @property
    def is_behind(self):
        """Whether only the rest of a message that began in the range is still looked for."""
        return self.c.position >= self.c.to_position

    def replace_session_id(self, int32_t session_id):
        """Set the session of all frames: an archive with checksums keeps these in its place."""
        self.c.has_checksums = True
        self.c.session_id = session_id

    def check(self, Checksum checksum not None):
        """Set the checksum of each frame: it stands in the place of its session id.

        What fills the end of a term has none.
        """
        self.checksum = checksum
        self.c.checksum = &checksum.c

    def skip_to(self, int64_t position):
        """Continue at the begin of another frame; a partial message is dropped."""
        drop_partial(&self.c)
        self.c.position = position
        self.c.window_length = 0

    def next_batch(self):
        """Fill the columns until a batch is full or the range is at its end.

        Returns
        -------
        bool
            Whether there may be more.

        Raises
        ------
        SegmentError
            A frame or a segment is damaged or is not there; rows before it stay in the columns.
        """
        cdef int status
        self.c.batch_rows = self.buffers.row_count
        if self.c.batch_rows == 0:
            self.c.batch_length = 0
        while True:
            with nogil:
                status = run(&self.c, self.buffers)
            if status == SCAN_DONE:
                return False
            if status == SCAN_BATCH_FULL:
                return True
            if status == SCAN_NEEDS_DATA:
                self.refill()
            else:
                self.fail(status)

    cdef int refill(self) except -1:
        """Have the window begin at the next frame and hold all of it."""
        cdef int64_t needed = DATA_HEADER_LENGTH
        cdef int64_t left = self.c.window_position + self.c.window_length - self.c.position
        if 0 < left <= self.c.window_length and left >= DATA_HEADER_LENGTH:
            needed = (<const data_header *>(
                self.c.window + (self.c.position - self.c.window_position))).frame_length
            if self.c.checksum != NULL:
                needed = align_i64(needed, DATA_HEADER_LENGTH)
        self.c.window_length = 0
        length = self.source.read_into(self.window, self.c.position)
        if length < needed:
            raise self.source.error(
                self.c.position, "length of the file", f"at least {needed} bytes from here on",
                length)
        self.c.window_position = self.c.position
        self.c.window_length = length
        return 0

    cdef int fail(self, int status) except -1:
        """Raise what is wrong with the frame where the walk ended."""
        cdef const data_header *frame = <const data_header *>(
            self.c.window + (self.c.position - self.c.window_position))
        cdef int64_t position = self.c.position
        cdef int32_t term_offset = <int32_t>(position & (self.c.term_length - 1))
        cdef int32_t room = self.c.term_length - term_offset
        cdef int32_t term_id = term_id_of_position(
            position, self.c.position_bits_to_shift, self.c.initial_term_id)
        if status == SCAN_NO_MEMORY:
            raise MemoryError
        if status == SCAN_BAD_CHECKSUM:
            error = self.source.error(
                position + 12, "checksum", checksum_of(&self.c, frame), frame.session_id)
            # The frame is where it should be, and so is what follows it.
            error.resume_position = position + align_i64(frame.frame_length, DATA_HEADER_LENGTH)
            raise error
        if status == SCAN_BAD_UNIT:
            raise self.source.error(
                position, "time unit of a leadership term", self.c.time_unit, "another one")
        if frame.type != FRAME_PAD and room > MAX_UDP_PAYLOAD_LENGTH:
            room = MAX_UDP_PAYLOAD_LENGTH
        if not DATA_HEADER_LENGTH <= frame.frame_length <= room:
            raise self.source.error(
                position, "frame length", f"{<int>DATA_HEADER_LENGTH} to {room}",
                frame.frame_length)
        if frame.type != FRAME_PAD and frame.type != FRAME_DATA:
            raise self.source.error(position + 6, "frame type", "0 or 1", frame.type)
        if frame.term_offset != term_offset:
            raise self.source.error(position + 8, "term offset", term_offset, frame.term_offset)
        if frame.term_id != term_id:
            raise self.source.error(position + 20, "term id", term_id, frame.term_id)
        raise self.source.error(
            position, "end of frame", f"up to {self.c.end_position}",
            position + align_i64(frame.frame_length, DATA_HEADER_LENGTH))
