"""Replay recorded frames from segment files.

``io.aeron.archive.Replayer`` and ``ReplaySession``. A batch is read with one call into a buffer
that all sessions share, gets the session and the stream id of its publication, and is offered as
one block; a padding frame is appended as padding. Term ids, positions, flags and reserved values
are unchanged.
"""
cimport cython
from libc.errno cimport ENOENT
from libc.stdint cimport INT64_MAX
from libc.stdlib cimport calloc, free

from aeron_cluster.archive.agents.handover cimport handover_node
from aeron_cluster.archive.agents.session_agent cimport (
    begin_pass,
    end_pass,
    end_session,
    name_segment,
    note_work,
    session_agent,
)
from aeron_cluster.archive.storage.checksum cimport crc, crc_tables
from aeron_cluster.client.publication cimport ExclusivePublication
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FLAG_END,
    FRAME_ALIGNMENT,
    FRAME_DATA,
    FRAME_PAD,
    FRAME_VERSION,
    align_frame,
    data_header,
    term_id_of_position,
)
from aeron_cluster.logbuffer.local_log cimport LocalLog
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.places cimport is_frame_position
from aeron_cluster.logbuffer.term_appender cimport (
    ADMIN_ACTION,
    INVALID_ARGUMENT,
    MAX_POSITION_EXCEEDED,
    exclusive_append_padding,
    exclusive_offer_block,
    exclusive_position,
)
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.counters cimport (
    CountersReader,
    counter_get,
    counter_registration_id,
    counter_state,
)
from aeron_cluster.memory.shared.counters_layout cimport COUNTER_ALLOCATED
from aeron_cluster.memory.system.invariants cimport PLACE, check_violations, holds
from aeron_cluster.memory.system.seams cimport FILE_READ, Clock, Files, nano_time

import os

cdef dict FAULTS = {
    FAULT_LENGTH: "frame length",
    FAULT_TERM_ID: "term id",
    FAULT_TERM_OFFSET: "term offset",
    FAULT_TYPE: "type",
    FAULT_VERSION: "version",
    FAULT_PADDING: "type",
    FAULT_NOT_BEGUN: "flags",
    FAULT_BEGUN_TWICE: "flags",
    FAULT_NOT_FULL: "flags",
}
cdef dict EXPECTED = {
    FAULT_LENGTH: "32 to ",
    FAULT_NOT_BEGUN: "the first fragment of a message: ",
    FAULT_BEGUN_TWICE: "a further fragment of the message before it: ",
    FAULT_NOT_FULL: "the last fragment of a message, being shorter than the MTU: ",
}


cdef void fail(replay_session *session, int32_t end, int64_t result) noexcept nogil:
    session.end = end
    session.error_number = <int32_t>-result


cdef int32_t reject(
        replay_session *session, int32_t end, int32_t offset, ReplayFault fault,
        int64_t expected, int64_t found) noexcept nogil:
    """End a replay at the frame at an offset after its position; return -1."""
    fail(session, end, 0)
    session.fault = fault
    session.fault_position = session.position + offset
    session.fault_expected = expected
    session.fault_found = found
    return -1


cdef bint open_segment(replayer_state *replayer, replay_session *session) noexcept nogil:
    cdef int64_t result
    result = replayer.common.files.ops.open(
        replayer.common.files.state,
        name_segment(&replayer.common.path, session.recording_id, session.segment_base, b""),
        FILE_READ)
    if result < 0:
        fail(session, REPLAY_SEGMENT_MISSING if result == -ENOENT else REPLAY_READ_FAILED, result)
        return False
    session.handle = result
    return True


cdef void close_segment(replayer_state *replayer, replay_session *session) noexcept nogil:
    if session.handle >= 0:
        replayer.common.files.ops.close(replayer.common.files.state, session.handle)
        session.handle = -1


cdef void update_limit(replay_session *session) noexcept nogil:
    """Determine the limit of the recording, and whether it is active."""
    cdef const counters_reader *reader = session.limit_reader
    cdef int64_t limit, final_limit
    cdef bint is_allocated
    final_limit = load_acquire_i64(&session.final_limit)
    if final_limit >= 0:
        session.limit = final_limit
        session.is_limit_the_end = 1
    else:
        # Read the state before the value: a freed counter keeps its last value.
        is_allocated = counter_state(reader, session.limit_counter_id) == COUNTER_ALLOCATED
        limit = counter_get(reader, session.limit_counter_id)
        if counter_registration_id(
                reader, session.limit_counter_id) != session.limit_registration_id:
            final_limit = session.limit  # the counter was reused
        else:
            if limit > session.limit:
                session.limit = limit
            if is_allocated:
                return
            final_limit = session.limit
    session.limit_reader = NULL
    if final_limit < session.replay_limit:
        session.replay_limit = final_limit


cdef bint has_data(const uint8_t *bytes, int32_t length) noexcept nogil:
    """Return whether a frame's alignment contains data, which the checksum covers."""
    cdef int32_t index
    for index in range(length):
        if bytes[index] != 0:
            return True
    return False


cdef int32_t check_flags(
        replay_session *session, const data_header *frame, int32_t offset, int32_t mtu_length,
        FragmentState *state) noexcept nogil:
    """Reject a frame with impossible begin and end flags, which no checksum covers; return -1.

    A publication fills every fragment of a message but the last to the MTU, and puts a whole
    message into one term. It may stop in the middle of a message, after which another stream may
    continue the recording, or padding may replace the rest.
    """
    cdef FragmentState before = FRAGMENT_END if frame.term_offset == 0 else state[0]
    if not frame.flags & FLAG_BEGIN and before == FRAGMENT_END:
        return reject(
            session, REPLAY_CORRUPT, offset, FAULT_NOT_BEGUN, frame.flags | FLAG_BEGIN,
            frame.flags)
    if (
        frame.flags & FLAG_BEGIN and before == FRAGMENT_PARTIAL
        and session.stream_position < session.position + offset
        and session.position + offset < load_acquire_i64(&session.stream_limit)
    ):
        return reject(
            session, REPLAY_CORRUPT, offset, FAULT_BEGUN_TWICE, frame.flags & ~FLAG_BEGIN,
            frame.flags)
    if not frame.flags & FLAG_END and frame.frame_length != mtu_length:
        return reject(
            session, REPLAY_CORRUPT, offset, FAULT_NOT_FULL, frame.flags | FLAG_END, frame.flags)
    state[0] = FRAGMENT_END if frame.flags & FLAG_END else FRAGMENT_PARTIAL
    return 0


cdef int32_t prepare(
        replayer_state *replayer, replay_session *session, int32_t length) noexcept nogil:
    """Check and patch the frames read; return the bytes of those to be offered as one block.

    0: the first one is padding. -1: the session failed, or the first one exceeds its limit.
    """
    cdef log_buffers *log = session.appender.log
    cdef int32_t term_offset = <int32_t>(session.position & (log.term_length - 1))
    cdef int32_t term_id = term_id_of_position(
        session.position, log.position_bits_to_shift, log.initial_term_id)
    cdef int32_t offset = 0
    cdef int32_t aligned_length, rest
    cdef int32_t checksum
    cdef const crc_tables *checksums
    cdef data_header *frame
    cdef FragmentState state = session.fragment_state
    while offset + DATA_HEADER_LENGTH <= length:
        frame = <data_header *>(replayer.buffer + offset)
        if frame.frame_length <= 0:
            return reject(
                session, REPLAY_UNEXPECTED_END, offset, FAULT_LENGTH, 0, frame.frame_length)
        rest = log.term_length - term_offset - offset
        if frame.frame_length < DATA_HEADER_LENGTH or frame.frame_length > rest:
            return reject(session, REPLAY_CORRUPT, offset, FAULT_LENGTH, rest, frame.frame_length)
        if frame.term_id != term_id:
            return reject(session, REPLAY_CORRUPT, offset, FAULT_TERM_ID, term_id, frame.term_id)
        if frame.term_offset != term_offset + offset:
            return reject(
                session, REPLAY_CORRUPT, offset, FAULT_TERM_OFFSET, term_offset + offset,
                frame.term_offset)
        checksums = replayer.checksum
        if checksums == NULL and session.position + offset >= session.checksum_position:
            checksums = session.checksum
        aligned_length = align_frame(frame.frame_length)
        if checksums != NULL and frame.version != FRAME_VERSION:
            return reject(
                session, REPLAY_CORRUPT, offset, FAULT_VERSION, FRAME_VERSION, frame.version)
        if frame.type == FRAME_PAD:
            # A single flipped bit turns data into padding, which would not be detected. Alone in
            # the batch, a data frame is complete; no padding has a checksum instead of its session
            # id.
            if (
                checksums != NULL and offset == 0
                and DATA_HEADER_LENGTH < aligned_length <= min(length, align_frame(log.mtu_length))
                and frame.session_id == <int32_t>crc(
                    checksums, replayer.buffer + DATA_HEADER_LENGTH,
                    aligned_length - DATA_HEADER_LENGTH)
            ):
                return reject(session, REPLAY_CORRUPT, 0, FAULT_PADDING, FRAME_DATA, FRAME_PAD)
            session.next_fragment_state = state if offset > 0 else FRAGMENT_UNKNOWN
            return offset
        if checksums != NULL and frame.type != FRAME_DATA:
            return reject(session, REPLAY_CORRUPT, offset, FAULT_TYPE, FRAME_DATA, frame.type)
        if offset + aligned_length > length:
            break
        if checksums != NULL:
            checksum = <int32_t>crc(
                checksums, replayer.buffer + offset + DATA_HEADER_LENGTH,
                aligned_length - DATA_HEADER_LENGTH)
            if frame.session_id != checksum:
                return reject(
                    session, REPLAY_CHECKSUM_MISMATCH, offset, FAULT_NONE, checksum,
                    frame.session_id)
            if has_data(
                    replayer.buffer + offset + frame.frame_length,
                    aligned_length - frame.frame_length):
                return reject(
                    session, REPLAY_CORRUPT, offset, FAULT_LENGTH, aligned_length,
                    frame.frame_length)
            if check_flags(session, frame, offset, log.mtu_length, &state) < 0:
                return -1
        else:
            state = FRAGMENT_UNKNOWN
        frame.session_id = log.session_id
        frame.stream_id = log.stream_id
        offset += aligned_length
        if session.position + offset >= session.replay_limit:
            break
    if offset == 0 and length == session.limit - session.position and session.is_limit_the_end:
        return reject(
            session, REPLAY_CORRUPT, 0, FAULT_LENGTH, length,
            (<data_header *>replayer.buffer).frame_length)
    if offset == 0 and length == session.limit - session.position:
        session.cut_limit = session.limit
        return -1
    if offset == 0:
        # Not one complete frame in as many bytes as the longest frame.
        return reject(
            session, REPLAY_UNEXPECTED_END, 0, FAULT_LENGTH, length,
            (<data_header *>replayer.buffer).frame_length)
    session.next_fragment_state = state
    return offset


cdef int64_t publish(
        replayer_state *replayer, replay_session *session, int32_t length) noexcept nogil:
    """Offer the frames read; return the number of bytes of the recording, or a status."""
    cdef int32_t block_length = prepare(replayer, session, length)
    cdef int32_t frame_length
    cdef int64_t result
    if block_length < 0:
        return 0
    if block_length > 0:
        result = exclusive_offer_block(session.appender, replayer.buffer, block_length)
        return block_length if result > 0 else result
    frame_length = (<data_header *>replayer.buffer).frame_length
    result = exclusive_append_padding(session.appender, frame_length - DATA_HEADER_LENGTH)
    return align_frame(frame_length) if result > 0 else result


cdef bint is_in_place(const replay_session *session) noexcept nogil:
    """Check that a replay continues at the position of its publication, segment and recording."""
    cdef int64_t published = exclusive_position(session.appender)
    cdef int64_t offset = session.position - session.segment_base
    return holds(
        published == session.position, PLACE, "a replay publishes at its read position", published,
        session.position,
    ) and holds(
        0 <= offset <= session.segment_length, PLACE, "a replay reads within its segment", offset,
        session.segment_length,
    ) and holds(
        is_frame_position(session.position), PLACE, "a replay is at the position of a frame",
        session.position, FRAME_ALIGNMENT,
    )


cdef int replay(replayer_state *replayer, replay_session *session) noexcept nogil:
    """Read one batch and publish it; return whether it did."""
    cdef log_buffers *log = session.appender.log
    cdef int64_t window, length, result, begin_ns, time_ns
    cdef bint is_caught_up = (
        session.position >= session.limit or session.cut_limit == session.limit)
    if not is_in_place(session):
        return 0
    if is_caught_up and session.limit_reader != NULL:
        update_limit(session)
    if session.position >= session.replay_limit:
        session.end = REPLAY_COMPLETE
        return 1
    if session.cut_limit == session.limit:
        # The counter was freed, so this is the final position: the frame never becomes complete.
        if session.limit_reader == NULL:
            session.end = REPLAY_COMPLETE
        return session.limit_reader == NULL
    window = load_acquire_i64(session.appender.position_limit) - exclusive_position(
        session.appender)
    if session.position >= session.limit or window <= 0:
        return 0
    if session.position == session.segment_base + session.segment_length:
        close_segment(replayer, session)
        session.segment_base = session.position
    if session.handle < 0 and not open_segment(replayer, session):
        return 1
    # Not beyond the window, except for one frame: more was not requested.
    length = min(session.limit - session.position, <int64_t>session.read_length_limit)
    length = min(length, <int64_t>replayer.buffer_length)
    length = min(length, log.term_length - (session.position & (log.term_length - 1)))
    length = min(length, max(window, <int64_t>align_frame(log.mtu_length)))
    if not holds(
        0 < length <= replayer.buffer_length, PLACE, "a read fits the buffer", length,
        replayer.buffer_length,
    ):
        return 0
    begin_ns = nano_time(&replayer.common.clock)
    result = replayer.common.files.ops.read_at(
        replayer.common.files.state, session.handle, replayer.buffer, length,
        session.position - session.segment_base)
    time_ns = nano_time(&replayer.common.clock) - begin_ns
    if result < 0:
        fail(session, REPLAY_READ_FAILED, result)
        return 1
    if not holds(
        result <= length, PLACE, "no more is read than requested", result, length
    ):
        return 0
    note_work(&replayer.common, result, time_ns)
    result = publish(replayer, session, <int32_t>result)
    if result > 0:
        session.position += result
        session.fragment_state = session.next_fragment_state
        if session.position >= session.replay_limit:
            session.end = REPLAY_COMPLETE
        return 1
    if result == INVALID_ARGUMENT:
        reject(
            session, REPLAY_CORRUPT, 0, FAULT_LENGTH, log.mtu_length,
            (<data_header *>replayer.buffer).frame_length)
    elif result == MAX_POSITION_EXCEEDED:
        session.end = REPLAY_MAX_POSITION
    # Back pressure, a rotated term or a lost subscriber: the next pass retries.
    return result == ADMIN_ACTION or session.end != REPLAY_ACTIVE


cdef int advance(replayer_state *replayer, replay_session *session) noexcept nogil:
    cdef bint is_connected
    if load_acquire_i32(&session.is_aborted):
        session.end = REPLAY_ABORTED
        return 1
    if load_acquire_i32(session.closed_flag):
        session.end = REPLAY_DISCONNECTED
        return 1
    is_connected = load_acquire_i32(&session.appender.log.metadata.is_connected) == 1
    if session.is_connected:
        if is_connected:
            return replay(replayer, session)
        session.end = REPLAY_DISCONNECTED
        return 1
    if is_connected:
        session.is_connected = 1
        return 1 + replay(replayer, session)
    if nano_time(&replayer.common.clock) >= session.connect_deadline_ns:
        session.end = REPLAY_NOT_CONNECTED
        return 1
    return 0


cdef void finish(replayer_state *replayer, replay_session *session) noexcept nogil:
    close_segment(replayer, session)
    end_session(&replayer.common, &session.node)


cdef int replayer_do_work(void *state) except -1 nogil:
    cdef replayer_state *replayer = <replayer_state *>state
    cdef handover_node **link = &replayer.common.sessions
    cdef replay_session *session
    cdef int work_count = begin_pass(&replayer.common)
    while link[0] != NULL:
        session = <replay_session *>link[0].session
        work_count += advance(replayer, session)
        check_violations()
        if session.end == REPLAY_ACTIVE:
            link = &session.node.next
        else:
            link[0] = session.node.next
            finish(replayer, session)
    end_pass(&replayer.common)
    return work_count


@cython.final
cdef class ReplaySession:
    """A replay of a recording or a part of it.

    Parameters
    ----------
    publication : ExclusivePublication or LocalLog
        The publication for the replay, at `position`, with the recording's term length and MTU.
    recording_id : int
        The recording's id in the catalog.
    position : int
        The position of the frame at which the replay begins.
    limit : int
        The known end of the recording.
    replay_limit : int
        The position at which the replay ends; the frame that reaches it is the last one.
    segment_base : int
        The base position of the segment that contains `position`.
    segment_length : int
        Bytes of each segment file.
    read_length_limit : int
        The longest read, in bytes; the replayer's own limit applies as well.
    connect_deadline_ns : int
        The deadline for a subscriber to connect, in the replayer's monotonic time.
    counters : CountersReader, optional
        The counters with the one that limits an active recording.
    limit_counter_id, limit_registration_id : int
        The id and registration id of that counter.
    checksum : Checksum, optional
        The checksum of the recording's frames from `checksum_position` on; the replayer's own,
        which it requires of every frame, has precedence.
    checksum_position : int
    stream_position : int
        The position from which all frames are of one stream, which does not begin a message within
        another; by default unknown.
    stream_limit : int
        The position at which that stream ended; by default it is still recorded.
    """

    def __init__(
            self, publication not None, *, int64_t recording_id, int64_t position, int64_t limit,
            int64_t replay_limit, int64_t segment_base, int32_t segment_length,
            int32_t read_length_limit, int64_t connect_deadline_ns,
            CountersReader counters=None, int32_t limit_counter_id=-1,
            int64_t limit_registration_id=-1, Checksum checksum=None,
            int64_t checksum_position=0, int64_t stream_position=INT64_MAX,
            int64_t stream_limit=INT64_MAX):
        if isinstance(publication, ExclusivePublication):
            self.mapping = (<ExclusivePublication>publication).hold()
            self.c.appender = &(<ExclusivePublication>publication).c.appender
            self.c.closed_flag = &(<ExclusivePublication>publication).c.is_closed
        else:
            self.c.appender = &(<LocalLog?>publication).exclusive
            self.c.closed_flag = &self.c.open_flag
        self.publication = publication
        self.node = &self.c.node
        self.c.node.session = <void *>&self.c
        if counters is not None:
            self.counters = counters
            self.c.limit_reader = &counters.reader
            self.c.limit_counter_id = limit_counter_id
            self.c.limit_registration_id = limit_registration_id
        else:
            self.c.is_limit_the_end = 1
        if checksum is not None:
            self.checksum = checksum
            self.c.checksum = &checksum.c
            self.c.checksum_position = checksum_position
        self.c.stream_position = stream_position
        self.c.stream_limit = stream_limit
        self.c.fault_position = position
        self.c.final_limit = -1
        self.c.recording_id = recording_id
        self.c.position = position
        self.c.limit = limit
        self.c.cut_limit = -1
        self.c.replay_limit = replay_limit
        self.c.segment_base = segment_base
        self.c.segment_length = segment_length
        self.c.read_length_limit = read_length_limit
        self.c.connect_deadline_ns = connect_deadline_ns
        self.c.handle = -1

    @property
    def recording_id(self):
        """The recording's id in the catalog."""
        return self.c.recording_id

    @property
    def segment_base(self):
        """The base position of the segment that is read."""
        return self.c.segment_base

    @property
    def end(self):
        """The reason of its end; only for sessions that the replayer returned."""
        return ReplayEnd(self.c.end)

    @property
    def final_position(self):
        """The final position; only for sessions that the replayer returned."""
        return self.c.position

    @property
    def replay_limit(self):
        """The position at which it ends; only for sessions that the replayer returned."""
        return self.c.replay_limit

    @property
    def fault_position(self):
        """The position of the invalid frame, if one ended the replay."""
        return self.c.fault_position

    @property
    def error_number(self):
        """The errno of the failure, or 0."""
        return self.c.error_number

    def abort(self):
        """Request the replayer to end it in its next pass."""
        # Pairs with the acquire in the replayer's pass.
        store_release_i32(&self.c.is_aborted, 1)

    def set_final_limit(self, int64_t position):
        """Set the stop position of the recording that it follows."""
        # Pairs with the acquire in the replayer's pass.
        store_release_i64(&self.c.final_limit, position)

    def set_stream_limit(self, int64_t position):
        """Set the position at which the recorded stream ended: another one may continue it."""
        # Pairs with the acquire where flags are checked.
        store_release_i64(&self.c.stream_limit, position)

    def error_text(self):
        """Return a description of the failure; empty if there was none."""
        position = self.c.position
        offset = self.c.fault_position - self.c.segment_base
        fault = f"{self.c.fault_position} (segmentOffset={offset})"
        match self.c.end:
            case ReplayEnd.REPLAY_SEGMENT_MISSING:
                return "recording segment not found"
            case ReplayEnd.REPLAY_READ_FAILED:
                return f"cannot read at position={position}: {os.strerror(self.c.error_number)}"
            case ReplayEnd.REPLAY_UNEXPECTED_END:
                return (
                    f"unexpected end of recording at position={fault}:"
                    f" frame length {self.c.fault_found}")
            case ReplayEnd.REPLAY_CORRUPT:
                return (
                    f"damaged frame at position={fault}: {FAULTS[self.c.fault]}"
                    f" {self.c.fault_found}, expected {EXPECTED.get(self.c.fault, '')}"
                    f"{self.c.fault_expected}")
            case ReplayEnd.REPLAY_CHECKSUM_MISMATCH:
                return (
                    f"CRC checksum mismatch at position={fault}: recorded"
                    f" checksum={self.c.fault_found}, computed checksum={self.c.fault_expected}")
            case ReplayEnd.REPLAY_MAX_POSITION:
                return f"the stream cannot grow beyond position={position}"
        return ""

    def __repr__(self):
        return f"<ReplaySession of recording {self.c.recording_id} at {self.c.position}>"


@cython.final
cdef class Replayer(SessionAgent):
    """The agent that replays recordings.

    Parameters
    ----------
    files : Files
        The file seam.
    clock : Clock
        The clock for reads and deadlines.
    directory : str
        The directory of the segment files.
    buffer_length : int
        The longest read, in bytes; at least the longest frame.
    checksum : Checksum, optional
        The checksum to verify for each data frame of every session.
    counters : sequence, optional
        The counters of the longest read in ns, bytes read, and ns spent reading.

    Notes
    -----
    One thread drives it; another one adds sessions and takes back those that ended.
    """

    def __cinit__(
            self, Files files not None, Clock clock not None, str directory not None, *,
            int32_t buffer_length=1024 * 1024, Checksum checksum=None,
            counters=(None, None, None)):
        self.begin(&self.c.common, files, clock, directory, counters)
        self.checksum = checksum
        if checksum is not None:
            self.c.checksum = &checksum.c
        self.c.buffer_length = buffer_length - buffer_length % FRAME_ALIGNMENT
        self.c.buffer = <uint8_t *>calloc(1, buffer_length)
        if self.c.buffer == NULL:
            raise MemoryError()
        self.do_work_fn = replayer_do_work
        self.state = <void *>&self.c

    def __dealloc__(self):
        free(self.c.buffer)

    @property
    def role_name(self):
        return "archive-replayer"

    def on_close(self):
        cdef session_agent *common = &self.c.common
        cdef replay_session *session
        begin_pass(common)
        while common.sessions != NULL:
            session = <replay_session *>common.sessions.session
            common.sessions = session.node.next
            session.end = REPLAY_CLOSED
            finish(&self.c, session)
