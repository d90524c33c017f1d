"""The recorder's state of each stream that it writes to segment files."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.archive.agents.handover cimport handover_node
from aeron_cluster.archive.agents.session_agent cimport (
    PathBuffer,
    Session,
    SessionAgent,
    segment_path,
    session_agent,
)
from aeron_cluster.archive.recording.segment_files cimport SegmentFiles, segment_files, segment_work
from aeron_cluster.archive.storage.checksum cimport Checksum, crc_tables
from aeron_cluster.logbuffer.image_poller cimport image_poller
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


# The reason of a recording's end.
cpdef enum RecordingEnd:
    RECORDING_ACTIVE = 0
    RECORDING_STREAM_ENDED = 1  # the image was closed, or its stream ended
    RECORDING_ABORTED = 2  # on request
    RECORDING_CLOSED = 3  # the recorder was closed
    RECORDING_OPEN_FAILED = 4  # a segment file could not be opened
    RECORDING_WRITE_FAILED = 5
    RECORDING_SYNC_FAILED = 6


cdef struct recording_session:
    image_poller *poller
    int64_t *position_counter  # of type rec-pos; only the recorder stores to it
    int64_t *acknowledged  # the same position, in memory that survives a kill; or NULL
    handover_node node
    segment_work prepared  # the segment after this one
    segment_work closed  # the segment before this one
    segment_work ended
    void *recorder
    int64_t recording_id
    int64_t position  # the position up to which the file is written
    int64_t segment_base  # the position of the file's first byte
    int64_t handle  # of the segment file; -1: not ready yet, or the recording has ended
    int32_t segment_length
    int32_t block_length_limit
    int32_t is_aborted  # set by the conductor
    int32_t end  # RecordingEnd
    int32_t error_number  # errno of the failed call
    bint is_broken  # its own state is invalid: it must not be used


cdef struct recorder_state:
    session_agent common
    void *owner  # the Recorder, borrowed
    bint has_failed  # a session of this pass found an invalid frame
    segment_files *segment_files
    segment_path other_path  # the other path of a rename
    const crc_tables *checksum  # NULL: session ids are not replaced
    uint8_t *scratch  # a block with its checksums
    int32_t sync_level


# A recording and its position, in a mapped file.
cdef struct position_slot:
    int64_t number  # the recording id plus 1; 0: free
    int64_t position


@cython.final
cdef class PositionSlots:
    cdef MappedFile mapping
    cdef position_slot *slots
    cdef readonly int32_t count

    cdef position_slot *find(self, int64_t number) noexcept
    cdef position_slot *find_or_claim(self, int64_t recording_id) noexcept


@cython.final
cdef class RecordingSession(Session):
    cdef recording_session c
    cdef PositionSlots slots
    cdef object source  # keeps the log and the counter mapped
    cdef object mapping
    cdef object counter


@cython.final
cdef class Recorder(SessionAgent):
    cdef recorder_state c
    cdef Checksum checksum
    cdef readonly SegmentFiles segment_files
    cdef PathBuffer other_path
    cdef list failures  # errors of images; one is raised at the end of each duty cycle

    cdef int close_broken(self, recording_session *session) except -1
