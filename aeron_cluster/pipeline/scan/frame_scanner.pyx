"""Walks the frames of a recording and fills columns.

Upstream: ``RecordingReader`` and ``FragmentAssembler``, with a window of some pages: files are not
mapped, and no Python object is created for a message. Like Java's readers, it skips padding (also
from aborted claims) and fragments of incomplete messages.
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
    WINDOW_LENGTH = 65536  # the longest frame; it fits into the L2 cache
    INITIAL_ASSEMBLED_CAPACITY = 65536


# ---- the requested rows -----------------------------------------------------------------------


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
    """Return the checksum of a frame's bytes after the header, including alignment."""
    return <int32_t>crc(
        scan.checksum, <const uint8_t *>frame + DATA_HEADER_LENGTH,
        align_i64(frame.frame_length, DATA_HEADER_LENGTH) - DATA_HEADER_LENGTH)


cdef inline int check_room(const frame_scan *scan, int64_t length) noexcept nogil:
    """Return SCAN_DONE if another row fits."""
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
    """Add a row if it is requested; `check_room` must have succeeded."""
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
    """Append to the partial message. If its buffer must move, flush first: rows point into it."""
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


cdef int scan_fragment(
        frame_scan *scan, const data_header *frame, int64_t frame_end) noexcept nogil:
    """Process a frame that is not a complete message. Return SCAN_DONE if it was processed."""
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
    # No message crosses the end of a term or exceeds the maximum length of a publication.
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
    """Process frames until the caller must act; the next call continues at the same frame."""
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
            status = scan_fragment(scan, frame, frame_end)
        if status != SCAN_DONE:
            return status
        scan.position = frame_end


cdef int flush(frame_scan *scan, ColumnBuffers buffers) noexcept nogil:
    """Fill the columns from the chunk; afterwards no row points into the window or the messages."""
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
        Its ``read_into(buffer, position)`` reads at most to the end of the segment; its
        ``error(position, what, expected, found)`` returns an exception for a problem.
    buffers : ColumnBuffers
        The columns to fill.
    from_position, to_position : int
        The range in bytes of the stream, beginning at a frame. Frames that begin in it are read; a
        message that begins in it is read to its end.
    end_position : int
        The end of the recording.
    initial_term_id, term_length : int
        The values of the recording.
    is_log : bool
        Whether the recording is a cluster's log.
    is_assembled : bool
        Whether rows are messages; otherwise frames.
    has_payload : bool
        Whether payloads count towards the length of a batch.
    time_unit : int
        The time unit of a log; -1 if unknown. An entry with another one is an error.
    max_rows, max_length : int
        The limits of a batch, its length in bytes of payload; a longer message is a separate batch.

    Notes
    -----
    It must be used by one thread. After an exception it remains at the bad frame, and can continue
    after it (`skip_to`).
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
        """Select rows; rows without a requested field are omitted.

        Parameters
        ----------
        terms, times : tuple of int, optional
            The start and the excluded end, of leadership terms and of raw times of a log.
        template_ids : int
            A bit for each kind of entry; bit 0 for other messages; 0 for all.
        sessions : list of int, optional
            Cluster sessions for a log, otherwise sessions of the stream.
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
        """The end of the processed frames, in bytes of the stream."""
        return self.c.position

    @property
    def is_behind(self):
        """Whether the range is read except for the rest of its last message."""
        return self.c.position >= self.c.to_position

    def replace_session_id(self, int32_t session_id):
        """Set the session id of all frames: archives with checksums store these in its field."""
        self.c.has_checksums = True
        self.c.session_id = session_id

    def check(self, Checksum checksum not None):
        """Check the checksum of each frame, which is in the field of the session id.

        Padding at the end of a term has no checksum.
        """
        self.checksum = checksum
        self.c.checksum = &checksum.c

    def skip_to(self, int64_t position):
        """Continue at another frame; a partial message is dropped."""
        drop_partial(&self.c)
        self.c.position = position
        self.c.window_length = 0

    def next_batch(self):
        """Fill the columns until a batch is full or the range ends.

        Returns
        -------
        bool
            Whether there may be more.

        Raises
        ------
        SegmentError
            A frame or a segment is damaged or missing; rows before it remain in the columns.
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
        """Move the window so that it contains the whole next frame."""
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
        """Raise the error of the frame at which the walk ended."""
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
            # The frame's position is right, so the next frame can be read.
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
