"""A recorded log, fed block by block to the loop of a service container; and logs for snapshots.

The loop is that of ``service_agent.pyx``, so a recording is delivered exactly as in a cluster.
"""
cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.divergence_guard cimport DivergenceGuard
from aeron_cluster.cluster.service.service_agent cimport on_log_message
from aeron_cluster.cluster.service.service_calls cimport ServiceCalls
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.fragment_assembler cimport assemble_controlled, assembler_init
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_DATA,
    FRAME_PAD,
    LOG_EXCLUSIVE_PUBLICATION,
    LOG_METADATA_LENGTH,
    align_frame,
    compute_max_message_length,
    data_header,
    log_file_length,
    log_metadata,
)
from aeron_cluster.logbuffer.image_poller cimport CONTINUE, frame_view, is_bad_length
from aeron_cluster.logbuffer.log_buffers cimport check_log, log_buffers, log_buffers_create
from aeron_cluster.logbuffer.term_appender cimport byte_vector
from aeron_cluster.memory.shared.atomic cimport store_release_i32, store_release_i64
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.cluster.service.divergence_guard import Effect
from aeron_cluster.errors import CorruptError, StateError


cdef enum:
    PAGE_SIZE = 4096
    MTU_LENGTH = 8192
    SESSION_ID = 1  # set in all frames of a recording


cdef int idle_offline(void *agent, int work_count) except -1 nogil:
    """Return immediately: nothing is waited for."""
    return check_snapshot(agent)


cdef int check_snapshot(void *context) except -1 with gil:
    """Raise if a snapshot's log is full: it is read afterwards, so an offer never succeeds."""
    publication = (<OfflineLog>context).snapshot_publication
    if publication is not None and publication.position >= publication.position_limit:
        raise StateError(
            f"snapshot: expected at most {publication.position_limit} bytes, found more")
    return 0


cdef void emit_effect(
        void *context, int effect, int64_t id, int64_t value, const byte_vector *parts,
        int32_t count) noexcept with gil:
    """Pass an effect to Python; an exception ends the run."""
    cdef OfflineLog log = <OfflineLog>context
    cdef int32_t index
    cdef bytes payload = None
    if log.failure is not None:
        return
    try:
        if count > 0:
            payload = b"".join([
                PyBytes_FromStringAndSize(<const char *>parts[index].data, parts[index].length)
                for index in range(count)])
        log.observer(Effect(effect), id, value, payload)
    except BaseException as error:
        log.failure = error
        log.c.is_busy = True  # no further message


cdef int raise_bad_frame(
        OfflineLog log, const data_header *frame, int64_t position, int32_t term_length
) except -1 with gil:
    cdef int32_t term_offset = <int32_t>(position & (term_length - 1))
    cdef int32_t room = term_length - term_offset
    if not DATA_HEADER_LENGTH <= frame.frame_length <= room:
        raise CorruptError(
            "recording of the log", position, "frame length",
            f"{<int>DATA_HEADER_LENGTH} to {room}", frame.frame_length)
    if frame.term_offset != term_offset:
        raise CorruptError(
            "recording of the log", position + 8, "term offset", term_offset, frame.term_offset)
    raise CorruptError("recording of the log", position + 6, "frame type", "0 or 1", frame.type)


cdef inline bint is_bad_frame(
        const data_header *frame, int64_t position, int32_t term_length) noexcept nogil:
    cdef int32_t term_offset = <int32_t>(position & (term_length - 1))
    return (
        is_bad_length(frame.frame_length, term_length - term_offset)
        or frame.term_offset != term_offset
        or (frame.type != FRAME_DATA and frame.type != FRAME_PAD)
    )


cdef int64_t feed(
        OfflineLog log, uint8_t *block, int64_t length, int64_t position, int64_t until,
        const frame_view *about) except -1 nogil:
    """Feed the frames of a block to the loop; return the number of consumed bytes."""
    cdef int64_t offset = 0
    cdef int64_t aligned
    cdef int32_t frame_length
    cdef int32_t term_length = <int32_t>1 << about.position_bits_to_shift
    cdef int action
    cdef frame_view view = about[0]
    log.c.host.max_payload_length = compute_max_message_length(term_length) - SESSION_HEADER_LENGTH
    while length - offset >= DATA_HEADER_LENGTH:
        view.frame = <const data_header *>(block + offset)
        frame_length = view.frame.frame_length
        if frame_length == 0:
            log.end = position + offset
            break
        if is_bad_frame(view.frame, position + offset, term_length):
            return raise_bad_frame(log, view.frame, position + offset, term_length)
        aligned = align_frame(frame_length)
        if view.frame.type == FRAME_PAD:
            offset += aligned
            continue
        if aligned > length - offset or position + offset + aligned > until:
            if position + offset + aligned > until:
                log.end = position + offset
            break
        offset += aligned
        # A recording is one stream, but its frames may have checksums in place of session ids
        # (which a replay also replaces), or two session ids after a catch-up.
        (<data_header *>view.frame).session_id = SESSION_ID
        action = assemble_controlled(
            log.c.assembler, <const uint8_t *>view.frame + DATA_HEADER_LENGTH,
            frame_length - DATA_HEADER_LENGTH, &view)
        if action != CONTINUE:
            break
    return offset


@cython.final
cdef class OfflineLog:
    """Drives a service with blocks of a recording.

    Parameters
    ----------
    conductor : object
        ``on_session_open``, ``on_session_close``, ``on_new_leadership_term`` and ``on_action`` are
        called for the events other than user messages.
    guard : DivergenceGuard
        The guard that hashes the service's effects.
    service_id : int
    """

    def __cinit__(self, conductor not None, DivergenceGuard guard not None, int32_t service_id):
        self.conductor = conductor
        self.guard = guard
        self.cluster = Cluster(None, None, service_id)
        self.cluster.c.guard = &guard.c
        self.cluster.c.idle = idle_offline
        self.cluster.c.agent = <void *>self
        self.c.host = &self.cluster.c
        self.c.conductor = <void *>conductor
        self.end = -1

    def __dealloc__(self):
        if self.cluster is not None:
            self.cluster.c.guard = NULL
            self.cluster.c.idle = NULL
            self.cluster.c.agent = NULL
        if self.guard is not None:
            self.guard.c.observe = NULL

    def set_service(self, ServiceCalls calls not None):
        """Set the service."""
        self.calls = calls
        self.c.calls = &calls.c
        assembler_init(&calls.assembler, on_log_message, &self.c, <void *>calls)
        self.c.assembler = &calls.assembler

    def set_observer(self, observer not None):
        """Set ``observer(effect, id, value, payload)``, called for each effect."""
        self.observer = observer
        self.guard.c.observer = <void *>self
        self.guard.c.observe = emit_effect

    def feed(
            self, bytearray block not None, int64_t position, int64_t until, *,
            int32_t initial_term_id, int32_t position_bits_to_shift):
        """Run the service over the frames of a block.

        Parameters
        ----------
        block : bytearray
            Bytes of the recording that begin with a frame; the service may keep views of them.
        position : int
            The log position of the first byte.
        until : int
            Frames that end after this position are not consumed.
        initial_term_id, position_bits_to_shift : int
            Of the recording.

        Returns
        -------
        tuple of int and bool
            The number of consumed bytes, which with padding may exceed the block; and whether the
            log ends.

        Raises
        ------
        BaseException
            The error that ends the run.
        """
        cdef frame_view view
        cdef uint8_t *begin = <uint8_t *>PyByteArray_AS_STRING(block)
        cdef int64_t length = PyByteArray_GET_SIZE(block)
        cdef int64_t taken
        memset(&view, 0, sizeof(view))
        view.owner = <void *>block
        view.initial_term_id = initial_term_id
        view.position_bits_to_shift = position_bits_to_shift
        view.fragmented_frame_length = -1
        self.end = -1
        if self.calls.c.needs_gil:
            try:
                taken = feed(self, begin, length, position, until, &view)
            finally:
                if self.calls.c.deliver != NULL:
                    self.calls.c.deliver(self.calls.c.service)
        else:
            with nogil:
                taken = feed(self, begin, length, position, until, &view)
        if self.failure is not None:
            raise self.failure
        return taken, self.end >= 0


def create_log(MappedFile mapping not None, int32_t term_length, int32_t session_id=1):
    """Create a log in zeroed memory, for a publication without flow control.

    Parameters
    ----------
    mapping : MappedFile
        Of `log_length` bytes.
    term_length : int
        In bytes.
    session_id : int
    """
    cdef log_buffers log
    cdef log_metadata settings
    memset(&settings, 0, sizeof(settings))
    settings.term_length = term_length
    settings.mtu_length = MTU_LENGTH
    settings.page_size = PAGE_SIZE
    settings.type = LOG_EXCLUSIVE_PUBLICATION
    settings.correlation_id = 1
    check_log(
        log_buffers_create(
            &log, mapping.address, mapping.length, &settings, session_id, 1, 0, 0),
        mapping.address, mapping.length, mapping.path)
    store_release_i32(&log.metadata.is_connected, 1)


def log_length(int32_t term_length):
    """Return the length of a log's file, in bytes."""
    return log_file_length(term_length, PAGE_SIZE)


def end_log(MappedFile mapping not None, int64_t position):
    """Mark the end of a log's stream, which its readers detect when they reach it."""
    cdef log_metadata *metadata = <log_metadata *>(
        mapping.address + mapping.length - LOG_METADATA_LENGTH)
    store_release_i64(&metadata.end_of_stream_position, position)
