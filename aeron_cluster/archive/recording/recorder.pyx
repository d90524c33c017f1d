"""Write the blocks of images to segment files.

``io.aeron.archive.Recorder``, ``RecordingSession`` and ``RecordingWriter``. A block is one or more
complete frames of one term, written with one call; only the header of a padding frame is written.
The recorded position is released only after a block is in the file (and synced, if requested).
"""
cimport cython
from libc.errno cimport EEXIST, ENOSPC
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from aeron_cluster.archive.agents.handover cimport handover_node
from aeron_cluster.archive.agents.session_agent cimport (
    PathBuffer,
    begin_pass,
    end_pass,
    end_session,
    name_directory,
    name_segment,
    note_work,
    session_agent,
)
from aeron_cluster.archive.recording.segment_files cimport (
    SEGMENT_CLOSE,
    SEGMENT_END,
    SEGMENT_PREPARE,
    WORK_BEGUN,
    WORK_CANCELLED,
    WORK_FAILED,
    WORK_NONE,
    WORK_READY,
    WORK_REQUESTED,
    SegmentFiles,
    request_segment_work,
    init_work,
)
from aeron_cluster.archive.storage.checksum cimport crc
from aeron_cluster.client.counter cimport counter_word
from aeron_cluster.client.image cimport Image
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_PAD,
    align_frame,
    data_header,
)
from aeron_cluster.logbuffer.image_poller cimport (
    block_handler,
    block_poll,
    has_position,
    image_poller,
)
from aeron_cluster.logbuffer.local_log cimport LocalLog
from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i32,
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.system.invariants cimport (
    PLACE,
    check_violations,
    holds,
    likely,
    record_violation,
)
from aeron_cluster.memory.system.seams cimport (
    FILE_CREATE,
    FILE_EXCLUSIVE,
    FILE_WRITE,
    Clock,
    Files,
    nano_time,
)

import os

from aeron_cluster.errors import ClosedError, CorruptError


# The type of a poll whose exception stays pending without the GIL, and ends its recording.
ctypedef int32_t (*plain_block_poll)(
    image_poller *poller, block_handler handler, void *context, int32_t block_length_limit
) noexcept nogil


cdef void fail(recording_session *session, int32_t end, int64_t result) noexcept nogil:
    session.end = end
    session.error_number = <int32_t>-result


cdef inline const char *name_of(
        recorder_state *recorder, recording_session *session) noexcept nogil:
    return name_segment(
        &recorder.common.path, session.recording_id, session.segment_base, b"")


cdef int64_t sync_names(recorder_state *recorder) noexcept nogil:
    cdef session_agent *common = &recorder.common
    if recorder.sync_level == 0:
        return 0
    return common.files.ops.sync_directory(common.files.state, name_directory(&common.path))


cdef void open_segment(
        recorder_state *recorder, recording_session *session, bint is_new) noexcept nogil:
    """Open the file of the segment base, as long as a segment and empty after the position."""
    cdef session_agent *common = &recorder.common
    cdef int64_t result, offset
    cdef int flags = FILE_WRITE | FILE_CREATE
    if is_new:
        flags |= FILE_EXCLUSIVE
    result = common.files.ops.open(common.files.state, name_of(recorder, session), flags)
    if result < 0:
        fail(session, RECORDING_OPEN_FAILED, result)
        return
    session.handle = result
    # Data of an earlier recorder after the position must not be mistaken for recorded frames.
    offset = session.position - session.segment_base
    result = common.files.ops.truncate(common.files.state, session.handle, offset)
    if result == 0:
        result = common.files.ops.truncate(
            common.files.state, session.handle, session.segment_length)
    if result == 0:
        result = sync_names(recorder)
    if result < 0:
        fail(session, RECORDING_OPEN_FAILED, result)


cdef void use_prepared(recorder_state *recorder, recording_session *session) noexcept nogil:
    """Rename the file that was created ahead to its final name."""
    cdef session_agent *common = &recorder.common
    cdef const char *path
    cdef int64_t result
    if not holds(
        session.prepared.base == session.segment_base, PLACE,
        "the prepared segment is the next one", session.prepared.base,
        session.segment_base,
    ) or not holds(
        session.prepared.handle >= 0, PLACE, "a ready segment is open",
        session.prepared.handle, 0,
    ):
        session.is_broken = True
        return
    path = name_of(recorder, session)
    result = common.files.ops.kind(common.files.state, path)
    if result > 0:
        result = -EEXIST
    elif result == 0:
        result = common.files.ops.rename(
            common.files.state,
            name_segment(&recorder.other_path, session.recording_id, session.segment_base, b".new"),
            path)
    if result == 0:
        session.handle = session.prepared.handle
        session.prepared.handle = -1
        store_release_i32(&session.prepared.state, WORK_NONE)
        result = sync_names(recorder)
    # Otherwise the file thread removes it.
    if result < 0:
        fail(session, RECORDING_OPEN_FAILED, result)


cdef void open_next(recorder_state *recorder, recording_session *session) noexcept nogil:
    """Open the segment of a new base, unless the file thread is creating it."""
    cdef int32_t state = load_acquire_i32(&session.prepared.state)
    if state == WORK_REQUESTED and compare_and_set_i32(
            &session.prepared.state, WORK_REQUESTED, WORK_CANCELLED):
        state = WORK_CANCELLED
    elif state == WORK_REQUESTED or state == WORK_BEGUN:
        return  # in the next pass
    if state == WORK_READY:
        use_prepared(recorder, session)
        return
    if state == WORK_FAILED:
        store_release_i32(&session.prepared.state, WORK_NONE)
    open_segment(recorder, session, True)


cdef void prepare_next(recorder_state *recorder, recording_session *session) noexcept nogil:
    """Request the next segment when half of this one is written."""
    if load_acquire_i32(&session.prepared.state) != WORK_NONE:
        return
    session.prepared.base = session.segment_base + session.segment_length
    request_segment_work(recorder.segment_files, &session.prepared)


cdef bint is_in_place(const recording_session *session, int32_t length) noexcept nogil:
    """Check that a block continues its segment.

    The counter is not checked: after a client timeout the driver may have reused it.
    """
    cdef int64_t offset = session.position - session.segment_base
    return holds(
        0 <= offset <= session.segment_length - length, PLACE, "a block lies within its segment",
        offset, session.segment_length - length,
    ) and holds(session.handle >= 0, PLACE, "a block has an open file", session.handle, 0)


cdef void roll_segment(recorder_state *recorder, recording_session *session) noexcept nogil:
    if load_acquire_i32(&session.closed.state) == WORK_NONE:
        session.closed.handle = session.handle
        request_segment_work(recorder.segment_files, &session.closed)
    else:
        recorder.common.files.ops.close(recorder.common.files.state, session.handle)
    session.handle = -1
    session.segment_base = session.position
    open_next(recorder, session)


cdef const uint8_t *with_checksums(
        recorder_state *recorder, const uint8_t *block, int32_t length) noexcept nogil:
    """Copy a block, replacing each frame's session id by the checksum of its payload."""
    cdef data_header *frame
    cdef int32_t offset = 0
    cdef int32_t frame_length
    memcpy(recorder.scratch, block, length)
    while offset < length:
        frame = <data_header *>(recorder.scratch + offset)
        frame_length = align_frame(frame.frame_length)
        frame.session_id = <int32_t>crc(
            recorder.checksum, recorder.scratch + offset + DATA_HEADER_LENGTH,
            frame_length - DATA_HEADER_LENGTH)
        offset += frame_length
    return recorder.scratch


cdef int write_block(
        void *context, const uint8_t *block, int32_t length, int32_t session_id, int32_t term_id
) noexcept nogil:
    cdef recording_session *session = <recording_session *>context
    cdef recorder_state *recorder = <recorder_state *>session.recorder
    cdef const uint8_t *data = block
    cdef int32_t data_length = length
    cdef session_agent *common = &recorder.common
    cdef int64_t written, begin_ns, offset
    cdef int result
    if not is_in_place(session, length):
        session.is_broken = True
        return 0
    if (<const data_header *>block).type == FRAME_PAD:
        data_length = DATA_HEADER_LENGTH
    elif recorder.checksum != NULL:
        data = with_checksums(recorder, block, length)
    begin_ns = nano_time(&common.clock)
    written = common.files.ops.write_at(
        common.files.state, session.handle, data, data_length,
        session.position - session.segment_base)
    if written != data_length:
        # Fewer bytes than requested: the disk is full.
        fail(session, RECORDING_WRITE_FAILED, written if written < 0 else -ENOSPC)
        return 0
    if recorder.sync_level > 0:
        result = common.files.ops.sync(common.files.state, session.handle, recorder.sync_level)
        if result < 0:
            fail(session, RECORDING_SYNC_FAILED, result)
            return 0
    note_work(common, data_length, nano_time(&common.clock) - begin_ns)
    session.position += length
    if session.acknowledged != NULL:
        # Before the counter: a process that reads the file after a kill has at least this position.
        store_release_i64(session.acknowledged, session.position)
    # Pairs with the acquire of readers of the file up to here.
    store_release_i64(session.position_counter, session.position)
    offset = session.position - session.segment_base
    if offset == session.segment_length:
        roll_segment(recorder, session)
    elif offset >= session.segment_length // 2 > offset - length:
        prepare_next(recorder, session)
    return 0


cdef int raise_pending() except -1:
    return -1


cdef int defer_bad_frame(recorder_state *recorder) except -1 with gil:
    """Store an image's error until the end of the pass: the other recordings continue."""
    try:
        raise_pending()
    except CorruptError as error:
        (<Recorder>recorder.owner).failures.append(error)
        recorder.has_failed = True
    return 0


cdef int raise_bad_frame(recorder_state *recorder) except -1 with gil:
    cdef Recorder owner = <Recorder>recorder.owner
    failure = owner.failures.pop(0)
    recorder.has_failed = len(owner.failures) > 0
    raise failure


cdef int record(recorder_state *recorder, recording_session *session) except -1 nogil:
    """Write one block, or detect the end of the recording."""
    cdef int32_t length
    cdef int64_t source_position
    if load_acquire_i32(&session.is_aborted):
        session.end = RECORDING_ABORTED
        return 1
    if session.handle < 0:
        open_next(recorder, session)
        if session.handle < 0:
            return session.end != RECORDING_ACTIVE
    if not load_acquire_i32(&session.poller.is_closed):
        # Read before its owner: a driver that reuses a counter changes the owner first.
        source_position = load_acquire_i64(session.poller.subscriber_position)
        if not likely(source_position == session.position):
            if not has_position(session.poller):
                return 0  # the client timed out: its conductor raises the error and closes it
            session.is_broken = True
            record_violation(
                PLACE, "a source is read at the end of its file", source_position, session.position)
            return 0
    length = (<plain_block_poll>block_poll)(
        session.poller, <block_handler>write_block, <void *>session, session.block_length_limit)
    if length == -1:
        defer_bad_frame(recorder)
    if length > 0 or session.end != RECORDING_ACTIVE:
        return 1
    # An image with an invalid frame ends here, long before it becomes unavailable.
    if (
        load_acquire_i32(&session.poller.is_closed) or session.poller.is_given_up
        or session.position >= load_acquire_i64(
            &session.poller.log.metadata.end_of_stream_position)
    ):
        session.end = RECORDING_STREAM_ENDED
        return 1
    return 0


cdef int recorder_do_work(void *state) except -1 nogil:
    cdef recorder_state *recorder = <recorder_state *>state
    cdef handover_node **link = &recorder.common.sessions
    cdef recording_session *session
    cdef int work_count = begin_pass(&recorder.common)
    while link[0] != NULL:
        session = <recording_session *>link[0].session
        if session.recorder == NULL:
            session.recorder = <void *>recorder
            session.ended.finished = &recorder.common.finished
            open_segment(recorder, session, False)
        if session.end == RECORDING_ACTIVE:
            work_count += record(recorder, session)
            check_violations()
        if session.end == RECORDING_ACTIVE:
            link = &session.node.next
        else:
            link[0] = session.node.next
            finish(recorder, session)
    end_pass(&recorder.common)
    if recorder.has_failed:
        return raise_bad_frame(recorder)
    return work_count


cdef void finish(recorder_state *recorder, recording_session *session) noexcept nogil:
    cdef session_agent *common = &recorder.common
    cdef bint has_segment_work = (
        load_acquire_i32(&session.prepared.state) != WORK_NONE
        or load_acquire_i32(&session.closed.state) != WORK_NONE)
    if has_segment_work:
        compare_and_set_i32(&session.prepared.state, WORK_REQUESTED, WORK_CANCELLED)
        common.session_count -= 1
        session.ended.handle = session.handle
        session.handle = -1
        request_segment_work(recorder.segment_files, &session.ended)
        return
    if session.handle >= 0:
        common.files.ops.close(common.files.state, session.handle)
        session.handle = -1
    end_session(common, &session.node)


@cython.final
cdef class PositionSlots:
    """The acknowledged position of each active recording, in memory that survives a kill.

    Parameters
    ----------
    mapping : MappedFile
        A writable mapping with allocated pages, so that a full disk does not matter.
    offset, length : int
        The used part of it, in bytes.

    Notes
    -----
    A killed process may leave a partly written block. Data after the stored position was never
    published; this only holds while the machine runs, not after a power loss.
    """

    def __init__(self, MappedFile mapping not None, int64_t offset, int64_t length):
        self.mapping = mapping
        self.slots = <position_slot *>(mapping.address + offset)
        self.count = <int32_t>(length // sizeof(position_slot))

    cdef position_slot *find(self, int64_t number) noexcept:
        cdef int index
        for index in range(self.count):
            if self.slots[index].number == number:
                return &self.slots[index]
        return NULL

    @staticmethod
    def read(const uint8_t[::1] data not None):
        """Return the positions that an earlier process stored, by recording id."""
        cdef const position_slot *slots
        cdef Py_ssize_t index
        found = {}
        if data.shape[0] < <Py_ssize_t>sizeof(position_slot):
            return found
        slots = <const position_slot *>&data[0]
        for index in range(data.shape[0] // <Py_ssize_t>sizeof(position_slot)):
            if slots[index].number > 0:
                found[slots[index].number - 1] = slots[index].position
        return found

    def note(self, int64_t recording_id, int64_t position):
        """Store the position of an active recording, if there is a slot for it."""
        cdef position_slot *slot = self.find_or_claim(recording_id)
        if slot != NULL:
            store_release_i64(&slot.position, position)
            store_release_i64(&slot.number, recording_id + 1)

    cdef position_slot *find_or_claim(self, int64_t recording_id) noexcept:
        """Return the recording's slot, or a free one."""
        cdef position_slot *slot = self.find(recording_id + 1)
        return slot if slot != NULL else self.find(0)

    def release(self, int64_t recording_id):
        """Free the slot of a recording whose end is stored in the catalog."""
        cdef position_slot *slot = self.find(recording_id + 1)
        if slot != NULL:
            store_release_i64(&slot.number, 0)


@cython.final
cdef class RecordingSession:
    """A stream that is written to segment files.

    Parameters
    ----------
    source : Image or LocalLog
        The recorded image.
    counter : Counter or AtomicCounter
        The counter of type rec-pos: the recorded position.
    recording_id : int
        The recording's id in the catalog.
    position : int
        The position at which the recording continues: the image's join position.
    segment_base : int
        The base position of the segment that contains `position`.
    segment_length : int
        Bytes of each segment file.
    block_length_limit : int
        The longest write, in bytes; at most a term.
    slots : PositionSlots, optional
        Slots for positions that survive a kill; recordings without a free slot have none.
    """

    def __init__(
            self, source not None, counter not None, *, int64_t recording_id, int64_t position,
            int64_t segment_base, int32_t segment_length, int32_t block_length_limit,
            PositionSlots slots=None):
        cdef position_slot *slot
        if isinstance(source, Image):
            self.mapping = (<Image>source).hold()
            if self.mapping is None:
                raise ClosedError(f"{source!r}: recorded after it was closed")
            self.c.poller = &(<Image>source).poller
        else:
            self.c.poller = &(<LocalLog?>source).poller
        self.source = source
        self.counter = counter
        self.c.position_counter = counter_word(counter)
        self.node = &self.c.node
        self.c.node.session = <void *>&self.c
        self.c.recording_id = recording_id
        self.c.position = position
        self.c.segment_base = segment_base
        self.c.segment_length = segment_length
        self.c.block_length_limit = min(block_length_limit, self.c.poller.log.term_length)
        self.c.handle = -1
        init_work(&self.c.prepared, SEGMENT_PREPARE, recording_id, segment_length)
        init_work(&self.c.closed, SEGMENT_CLOSE, recording_id, segment_length)
        init_work(&self.c.ended, SEGMENT_END, recording_id, segment_length)
        self.c.ended.prepared = &self.c.prepared
        self.c.ended.session = &self.c.node
        if slots is not None:
            slot = slots.find_or_claim(recording_id)
            if slot != NULL:
                self.slots = slots
                self.c.acknowledged = &slot.position
                store_release_i64(&slot.position, position)
                store_release_i64(&slot.number, recording_id + 1)
        store_release_i64(self.c.position_counter, position)

    @property
    def recording_id(self):
        """The recording's id in the catalog."""
        return self.c.recording_id

    @property
    def source(self):
        """The image that is recorded."""
        return self.source

    @property
    def position(self):
        """The recorded position."""
        return load_acquire_i64(self.c.position_counter)

    @property
    def end(self):
        """The reason of its end; only for sessions that the recorder returned."""
        return RecordingEnd(self.c.end)

    @property
    def final_position(self):
        """The stop position; only for sessions that the recorder returned."""
        return self.c.position

    @property
    def is_broken(self):
        """Whether the recorder found its state invalid, and stopped."""
        return self.c.is_broken

    @property
    def error_number(self):
        """The errno of the failure, or 0."""
        return self.c.error_number

    def abort(self):
        """Request the recorder to end it in its next pass."""
        # Pairs with the acquire in the recorder's pass.
        store_release_i32(&self.c.is_aborted, 1)

    def error_text(self, str directory not None):
        """Return a description of the failure; empty if there was none."""
        name = f"{directory}/{self.c.recording_id}-{self.c.segment_base}.rec"
        if self.c.end == RECORDING_OPEN_FAILED and self.c.error_number == EEXIST:
            return f"segment file already exists: {name}"
        what = {
            RECORDING_OPEN_FAILED: "cannot open segment file",
            RECORDING_WRITE_FAILED: "cannot write to segment file",
            RECORDING_SYNC_FAILED: "cannot sync segment file",
        }.get(self.c.end)
        if what is None:
            return ""
        return f"{what} {name} at {self.c.position}: {os.strerror(self.c.error_number)}"

    def __repr__(self):
        return f"<RecordingSession {self.c.recording_id} at {self.position}>"


@cython.final
cdef class Recorder(SessionAgent):
    """The agent that writes recordings.

    Parameters
    ----------
    files : Files
        The file seam.
    clock : Clock
        The clock for timing writes.
    directory : str
        The directory of the segment files.
    segment_files : SegmentFiles
        The agent that creates segments ahead, on another thread or the same.
    sync_level : int
        0 leaves blocks to the page cache, 1 syncs data after each block, 2 also metadata.
    checksum : Checksum, optional
        The checksum stored instead of each data frame's session id.
    block_length_limit : int
        The longest block of any session, in bytes.
    counters : sequence, optional
        The counters of the longest write in ns, bytes written, and ns spent writing.

    Notes
    -----
    One thread drives it; another one adds sessions and retrieves those that ended.
    """

    def __cinit__(
            self, Files files not None, Clock clock not None, str directory not None,
            SegmentFiles segment_files not None, *, int32_t sync_level=0, Checksum checksum=None,
            int32_t block_length_limit=1024 * 1024, counters=(None, None, None)):
        self.begin(&self.c.common, files, clock, directory, counters)
        self.checksum = checksum
        self.segment_files = segment_files
        segment_files.recorder = self
        self.other_path = PathBuffer(directory)
        self.c.segment_files = &segment_files.c
        self.c.other_path = self.other_path.c
        self.c.sync_level = sync_level
        if checksum is not None:
            self.c.checksum = &checksum.c
            self.c.scratch = <uint8_t *>calloc(1, block_length_limit)
            if self.c.scratch == NULL:
                raise MemoryError()
        self.failures = []
        self.c.owner = <void *>self
        self.do_work_fn = recorder_do_work
        self.state = <void *>&self.c

    def __dealloc__(self):
        free(self.c.scratch)

    @property
    def role_name(self):
        return "archive-recorder"

    def on_close(self):
        cdef session_agent *common = &self.c.common
        cdef recording_session *session
        begin_pass(common)
        while common.sessions != NULL:
            session = <recording_session *>common.sessions.session
            common.sessions = session.node.next
            if session.end == RECORDING_ACTIVE:
                session.end = RECORDING_CLOSED
            if session.is_broken:
                # Not returned: its end is found in its segments, as after a kill.
                self.close_broken(session)
            else:
                finish(&self.c, session)

    cdef int close_broken(self, recording_session *session) except -1:
        if session.handle >= 0:
            self.c.common.files.ops.close(self.c.common.files.state, session.handle)
            session.handle = -1
        return 0
