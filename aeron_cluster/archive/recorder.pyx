"""Write the blocks of images to segment files.

``io.aeron.archive.Recorder``, ``RecordingSession`` and ``RecordingWriter``. A block is whole frames
of one term, written with one call; of a padding frame only the header is. The recorded position is
released when a block is in the file (and synced, where that is asked for), never before.
"""
cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.errno cimport EEXIST, ENOSPC
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from aeron_cluster.archive.checksum cimport crc
from aeron_cluster.archive.cycle_tracker cimport track_cycle
from aeron_cluster.archive.handover cimport handover_is_empty, handover_put, handover_take
from aeron_cluster.client.counter cimport Counter
from aeron_cluster.client.image cimport Image
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_PAD,
    align_frame,
    data_header,
)
from aeron_cluster.logbuffer.image_poller cimport block_handler, block_poll
from aeron_cluster.logbuffer.local_log cimport LocalLog
from aeron_cluster.memory.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.counters cimport AtomicCounter
from aeron_cluster.memory.mapped_file cimport MappedFile
from aeron_cluster.memory.seams cimport (
    FILE_CREATE,
    FILE_EXCLUSIVE,
    FILE_WRITE,
    nano_time,
)

import os

from aeron_cluster.errors import ClosedError


cdef enum:
    NAME_ROOM = 64  # for /<recording id>-<position>.rec


cdef int64_t *counter_word(object counter) except? NULL:
    if counter is None:
        return NULL
    if isinstance(counter, Counter):
        return (<Counter>counter).address
    return (<AtomicCounter?>counter).address


cdef void count_work(
        work_counters *counters, int64_t bytes_moved, int64_t time_ns, int64_t max_time_ns
) noexcept nogil:
    # One thread stores to each, so an opaque read finds what it stored.
    if counters.total_bytes != NULL:
        store_release_i64(
            counters.total_bytes, load_opaque_i64(counters.total_bytes) + bytes_moved)
    if counters.total_time_ns != NULL:
        store_release_i64(
            counters.total_time_ns, load_opaque_i64(counters.total_time_ns) + time_ns)
    if counters.max_time_ns != NULL and max_time_ns > load_opaque_i64(counters.max_time_ns):
        store_release_i64(counters.max_time_ns, max_time_ns)


cdef void fail(recording_session *session, int32_t end, int64_t result) noexcept nogil:
    session.end = end
    session.error_number = <int32_t>-result


cdef void open_segment(
        recorder_state *recorder, recording_session *session, bint is_new) noexcept nogil:
    """Open the file of the segment base, as long as a segment and empty after the position."""
    cdef int64_t result, offset
    cdef int flags = FILE_WRITE | FILE_CREATE
    if is_new:
        flags |= FILE_EXCLUSIVE
    snprintf(
        recorder.path + recorder.directory_length, NAME_ROOM, b"/%lld-%lld.rec",
        <long long>session.recording_id, <long long>session.segment_base)
    result = recorder.files.ops.open(recorder.files.state, recorder.path, flags)
    if result < 0:
        fail(session, RECORDING_OPEN_FAILED, result)
        return
    session.handle = result
    # What an earlier recorder left behind the position must not be taken for recorded frames.
    offset = session.position - session.segment_base
    result = recorder.files.ops.truncate(recorder.files.state, session.handle, offset)
    if result == 0:
        result = recorder.files.ops.truncate(
            recorder.files.state, session.handle, session.segment_length)
    if result == 0 and recorder.sync_level > 0:
        recorder.path[recorder.directory_length] = 0
        result = recorder.files.ops.sync_directory(recorder.files.state, recorder.path)
    if result < 0:
        fail(session, RECORDING_OPEN_FAILED, result)


cdef void close_segment(recorder_state *recorder, recording_session *session) noexcept nogil:
    if session.handle >= 0:
        recorder.files.ops.close(recorder.files.state, session.handle)
        session.handle = -1


cdef const uint8_t *with_checksums(
        recorder_state *recorder, const uint8_t *block, int32_t length) noexcept nogil:
    """Copy a block; the checksum of each frame's payload stands where its session id was."""
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
    cdef int64_t written, begin_ns, time_ns
    cdef int result
    if (<const data_header *>block).type == FRAME_PAD:
        data_length = DATA_HEADER_LENGTH
    elif recorder.checksum != NULL:
        data = with_checksums(recorder, block, length)
    begin_ns = nano_time(&recorder.clock)
    written = recorder.files.ops.write_at(
        recorder.files.state, session.handle, data, data_length,
        session.position - session.segment_base)
    if written != data_length:
        # Fewer bytes than asked for: there is no room for the rest.
        fail(session, RECORDING_WRITE_FAILED, written if written < 0 else -ENOSPC)
        return 0
    if recorder.sync_level > 0:
        result = recorder.files.ops.sync(
            recorder.files.state, session.handle, recorder.sync_level)
        if result < 0:
            fail(session, RECORDING_SYNC_FAILED, result)
            return 0
    time_ns = nano_time(&recorder.clock) - begin_ns
    recorder.pass_bytes += data_length
    recorder.pass_time_ns += time_ns
    if time_ns > recorder.pass_max_time_ns:
        recorder.pass_max_time_ns = time_ns
    session.position += length
    if session.acknowledged != NULL:
        # Before anybody may act on it: whoever finds the file knows at least as much.
        store_release_i64(session.acknowledged, session.position)
    # Pairs with the acquire of whoever reads the file up to here.
    store_release_i64(session.position_counter, session.position)
    if session.position - session.segment_base == session.segment_length:
        close_segment(recorder, session)
        session.segment_base = session.position
        open_segment(recorder, session, True)
    return 0


cdef int record(recorder_state *recorder, recording_session *session) except -1 nogil:
    """Write one block, or find out that the recording is at its end."""
    cdef int32_t length
    if load_acquire_i32(&session.is_aborted):
        session.end = RECORDING_ABORTED
        return 1
    length = block_poll(
        session.poller, <block_handler>write_block, <void *>session, session.block_length_limit)
    if length > 0 or session.end != RECORDING_GOES_ON:
        return 1
    if session.poller.is_closed or session.position >= load_acquire_i64(
            &session.poller.log.metadata.end_of_stream_position):
        session.end = RECORDING_STREAM_ENDED
        return 1
    return 0


cdef int take_added(recorder_state *recorder) noexcept nogil:
    cdef handover_node *node = handover_take(&recorder.added)
    cdef recording_session *session
    cdef int count = 0
    while node != NULL:
        session = <recording_session *>node.session
        node = node.next
        session.recorder = <void *>recorder
        session.next = recorder.sessions
        recorder.sessions = session
        recorder.session_count += 1
        open_segment(recorder, session, False)
        count += 1
    return count


cdef int recorder_do_work(void *state) except -1 nogil:
    cdef recorder_state *recorder = <recorder_state *>state
    cdef recording_session **link = &recorder.sessions
    cdef recording_session *session
    cdef int work_count = 0
    track_cycle(&recorder.tracker, nano_time(&recorder.clock))
    if not handover_is_empty(&recorder.added):
        work_count += take_added(recorder)
    while link[0] != NULL:
        session = link[0]
        if session.end == RECORDING_GOES_ON:
            work_count += record(recorder, session)
        if session.end == RECORDING_GOES_ON:
            link = &session.next
        else:
            link[0] = session.next
            finish(recorder, session)
    if recorder.pass_bytes > 0:
        count_work(
            &recorder.counters, recorder.pass_bytes, recorder.pass_time_ns,
            recorder.pass_max_time_ns)
        recorder.pass_bytes = recorder.pass_time_ns = recorder.pass_max_time_ns = 0
    return work_count


cdef void finish(recorder_state *recorder, recording_session *session) noexcept nogil:
    close_segment(recorder, session)
    recorder.session_count -= 1
    handover_put(&recorder.finished, &session.node)


cdef void release(handover_node *node) noexcept:
    """Let go of sessions that nobody takes back."""
    cdef handover_node *following
    while node != NULL:
        following = node.next
        Py_DECREF(<RecordingSession>(<recording_session *>node.session).owner)
        node = following


@cython.final
cdef class PositionSlots:
    """How far each active recording was acknowledged, where a killed process leaves it.

    Parameters
    ----------
    mapping : MappedFile
        Writable, and allocated: pages that a full disk cannot take back.
    offset, length : int
        The part of it that is used, in bytes.

    Notes
    -----
    A killed process may leave a write half done. What lies behind the position that it stored here
    was told to nobody; that holds as long as the machine runs, not after it lost power.
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
        """Return the positions that a process left, by recording id."""
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

    def release(self, int64_t recording_id):
        """Forget a recording whose end is stored elsewhere."""
        cdef position_slot *slot = self.find(recording_id + 1)
        if slot != NULL:
            store_release_i64(&slot.number, 0)


@cython.final
cdef class RecordingSession:
    """One stream that is written to segment files.

    Parameters
    ----------
    source : Image or LocalLog
        What is recorded.
    counter : Counter or AtomicCounter
        Of type rec-pos: up to where the file has the stream.
    recording_id : int
        As in the catalog.
    position : int
        Where the recording goes on: the image's join position.
    segment_base : int
        The position of the first byte of the segment that holds `position`.
    segment_length : int
        Bytes of each segment file.
    block_length_limit : int
        Bytes written with one call; no more than a term.
    slots : PositionSlots, optional
        Keep the position for who comes after a kill; more recordings than slots go without.
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
        self.c.node.session = <void *>&self.c
        self.c.owner = <void *>self
        self.c.recording_id = recording_id
        self.c.position = position
        self.c.segment_base = segment_base
        self.c.segment_length = segment_length
        self.c.block_length_limit = min(block_length_limit, self.c.poller.log.term_length)
        self.c.handle = -1
        if slots is not None:
            slot = slots.find(0)
            if slot != NULL:
                self.slots = slots
                self.c.acknowledged = &slot.position
                store_release_i64(&slot.position, position)
                store_release_i64(&slot.number, recording_id + 1)
        store_release_i64(self.c.position_counter, position)

    @property
    def recording_id(self):
        """As in the catalog."""
        return self.c.recording_id

    @property
    def source(self):
        """The image that is recorded."""
        return self.source

    @property
    def position(self):
        """Up to where the file has the stream."""
        return load_acquire_i64(self.c.position_counter)

    @property
    def end(self):
        """Why it ended; meant for sessions that the recorder gave back."""
        return RecordingEnd(self.c.end)

    @property
    def final_position(self):
        """Where it ended; meant for sessions that the recorder gave back."""
        return self.c.position

    @property
    def error_number(self):
        """The errno of what failed, or 0."""
        return self.c.error_number

    def abort(self):
        """Let the recorder end it with its next pass."""
        # Pairs with the acquire in the recorder's pass.
        store_release_i32(&self.c.is_aborted, 1)

    def error_text(self, str directory not None):
        """Return what went wrong, in words; empty where nothing did."""
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
cdef class Recorder(Agent):
    """The agent that writes recordings.

    Parameters
    ----------
    files : Files
        The file seam.
    clock : Clock
        What writes are timed with.
    directory : str
        Of the segment files.
    sync_level : int
        0 leaves blocks to the page cache, 1 syncs data after each block, 2 also metadata.
    checksum : Checksum, optional
        Stored in the place of each data frame's session id.
    block_length_limit : int
        The longest block of any session, in bytes.
    counters : sequence, optional
        For the longest write in ns, bytes written, and ns spent on it.

    Notes
    -----
    One thread drives it; another one adds sessions and takes back those that ended.
    """

    def __cinit__(
            self, Files files not None, Clock clock not None, str directory not None, *,
            int32_t sync_level=0, Checksum checksum=None, int32_t block_length_limit=1024 * 1024,
            counters=(None, None, None)):
        encoded = os.fsencode(directory)
        self.files = files
        self.clock = clock
        self.checksum = checksum
        self.counters = tuple(counters)
        self.c.files = files.c
        self.c.clock = clock.c
        self.c.sync_level = sync_level
        self.c.counters.max_time_ns = counter_word(self.counters[0])
        self.c.counters.total_bytes = counter_word(self.counters[1])
        self.c.counters.total_time_ns = counter_word(self.counters[2])
        self.c.directory_length = len(encoded)
        self.c.path = <char *>calloc(1, len(encoded) + NAME_ROOM)
        if self.c.path == NULL:
            raise MemoryError()
        memcpy(self.c.path, <const char *>encoded, len(encoded))
        if checksum is not None:
            self.c.checksum = &checksum.c
            self.c.scratch = <uint8_t *>calloc(1, block_length_limit)
            if self.c.scratch == NULL:
                raise MemoryError()
        self.do_work_fn = recorder_do_work
        self.state = <void *>&self.c

    def __dealloc__(self):
        cdef recording_session *session
        release(handover_take(&self.c.added))
        release(handover_take(&self.c.finished))
        while self.c.sessions != NULL:
            session = self.c.sessions
            self.c.sessions = session.next
            session.node.next = NULL
            release(&session.node)
        free(self.c.path)
        free(self.c.scratch)

    @property
    def role_name(self):
        return "archive-recorder"

    def set_cycle_counters(self, max_time, exceeded, int64_t threshold_ns):
        """Say where the time between passes is counted."""
        self.cycle_counters = (max_time, exceeded)
        self.c.tracker.max_time_ns = counter_word(max_time)
        self.c.tracker.exceeded_count = counter_word(exceeded)
        self.c.tracker.threshold_ns = threshold_ns

    @property
    def session_count(self):
        """How many sessions it writes, as of its own thread's last pass."""
        return self.c.session_count

    @property
    def has_finished(self):
        """Whether a session ended that nobody took back yet."""
        return not handover_is_empty(&self.c.finished)

    def add(self, RecordingSession session not None):
        """Begin to write a session; `take_finished` returns it."""
        Py_INCREF(session)  # until then
        handover_put(&self.c.added, &session.c.node)

    def take_finished(self):
        """Return the sessions that ended, in that order."""
        cdef handover_node *node = handover_take(&self.c.finished)
        cdef RecordingSession session
        sessions = []
        while node != NULL:
            session = <RecordingSession>(<recording_session *>node.session).owner
            node = node.next
            Py_DECREF(session)
            sessions.append(session)
        return sessions

    def on_close(self):
        cdef recording_session *session
        take_added(&self.c)
        while self.c.sessions != NULL:
            session = self.c.sessions
            self.c.sessions = session.next
            if session.end == RECORDING_GOES_ON:
                session.end = RECORDING_CLOSED
            finish(&self.c, session)
