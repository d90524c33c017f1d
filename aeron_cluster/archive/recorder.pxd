"""What the recorder keeps of each stream that it writes to segment files."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.archive.checksum cimport Checksum, crc_tables
from aeron_cluster.archive.cycle_tracker cimport cycle_tracker
from aeron_cluster.archive.handover cimport handover, handover_node
from aeron_cluster.logbuffer.image_poller cimport image_poller
from aeron_cluster.memory.agent cimport Agent
from aeron_cluster.memory.mapped_file cimport MappedFile
from aeron_cluster.memory.seams cimport Clock, Files, clock, files


# Why a recording ended.
cpdef enum RecordingEnd:
    RECORDING_GOES_ON = 0
    RECORDING_STREAM_ENDED = 1  # the image was closed, or its stream is at its end
    RECORDING_ABORTED = 2  # somebody asked for it
    RECORDING_CLOSED = 3  # with the recorder
    RECORDING_OPEN_FAILED = 4  # a segment file
    RECORDING_WRITE_FAILED = 5
    RECORDING_SYNC_FAILED = 6


cdef struct recording_session:
    image_poller *poller
    int64_t *position_counter  # of type rec-pos; stored by the recorder alone
    int64_t *acknowledged  # the same, where a killed process leaves it; or NULL
    handover_node node
    recording_session *next  # in the recorder's list
    void *owner  # the RecordingSession, borrowed
    void *recorder
    int64_t recording_id
    int64_t position  # up to where the file has it
    int64_t segment_base  # the position of the file's first byte
    int64_t handle  # of the segment file, or -1
    int32_t segment_length
    int32_t block_length_limit
    int32_t is_aborted  # set by the conductor
    int32_t end  # RecordingEnd
    int32_t error_number  # errno of what failed


# The counters of the recorder's work; each may be NULL.
cdef struct work_counters:
    int64_t *max_time_ns
    int64_t *total_bytes
    int64_t *total_time_ns


cdef struct recorder_state:
    handover added
    handover finished
    recording_session *sessions
    files files
    clock clock
    work_counters counters
    cycle_tracker tracker
    const crc_tables *checksum  # NULL: session ids stay as they are
    uint8_t *scratch  # a block with its checksums
    char *path  # the directory, and room for a name
    int32_t directory_length
    int32_t sync_level
    int32_t session_count
    int64_t pass_bytes
    int64_t pass_time_ns
    int64_t pass_max_time_ns


# A recording and its position, in shared memory that a file keeps.
cdef struct position_slot:
    int64_t number  # the recording id plus 1; 0: free
    int64_t position


@cython.final
cdef class PositionSlots:
    cdef MappedFile mapping
    cdef position_slot *slots
    cdef readonly int32_t count

    cdef position_slot *find(self, int64_t number) noexcept


@cython.final
cdef class RecordingSession:
    cdef recording_session c
    cdef PositionSlots slots
    cdef object source  # keep the log and the counter mapped
    cdef object mapping
    cdef object counter


@cython.final
cdef class Recorder(Agent):
    cdef recorder_state c
    cdef Files files
    cdef Clock clock
    cdef Checksum checksum
    cdef tuple counters  # keep the addresses mapped
    cdef tuple cycle_counters


# The word of a counter of either kind, or NULL of None.
cdef int64_t *counter_word(object counter) except? NULL
# Add a pass to the counters of an agent.
cdef void count_work(
    work_counters *counters, int64_t bytes_moved, int64_t time_ns, int64_t max_time_ns
) noexcept nogil
