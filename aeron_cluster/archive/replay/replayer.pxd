"""The replayer's state of each recording that it replays."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.archive.agents.handover cimport handover_node
from aeron_cluster.archive.agents.session_agent cimport Session, SessionAgent, session_agent
from aeron_cluster.archive.storage.checksum cimport Checksum, crc_tables
from aeron_cluster.logbuffer.term_appender cimport exclusive_appender
from aeron_cluster.memory.shared.counters cimport counters_reader


# The reason of a replay's end.
cpdef enum ReplayEnd:
    REPLAY_ACTIVE = 0
    REPLAY_COMPLETE = 1
    REPLAY_ABORTED = 2  # on request
    REPLAY_CLOSED = 3  # the replayer was closed
    REPLAY_NOT_CONNECTED = 4  # no subscriber connected
    REPLAY_DISCONNECTED = 5  # no subscriber is left, or the publication was closed
    REPLAY_SEGMENT_MISSING = 6
    REPLAY_READ_FAILED = 7
    REPLAY_UNEXPECTED_END = 8  # a frame is missing
    REPLAY_CORRUPT = 9  # a frame that is invalid at its position
    REPLAY_CHECKSUM_MISMATCH = 10
    REPLAY_MAX_POSITION = 11


# The fault of the frame at which a replay ended.
cdef enum ReplayFault:
    FAULT_NONE
    FAULT_LENGTH
    FAULT_TERM_ID
    FAULT_TERM_OFFSET
    FAULT_TYPE
    FAULT_VERSION
    FAULT_PADDING  # a padding frame that contains data
    FAULT_NOT_BEGUN  # a continuing fragment without a first one
    FAULT_BEGUN_TWICE  # a first fragment before the end of the previous message
    FAULT_NOT_FULL  # a fragment without END that is shorter than the MTU


# The kind of the previous frame.
cdef enum FragmentState:
    FRAGMENT_UNKNOWN
    FRAGMENT_END  # the last fragment of a message
    FRAGMENT_PARTIAL  # any other fragment


cdef struct replay_session:
    exclusive_appender *appender
    const int32_t *closed_flag  # the publication's closed flag
    handover_node node
    # The counter of the recorded position while the recording is active; otherwise NULL.
    const counters_reader *limit_reader
    int64_t limit_registration_id
    int32_t limit_counter_id
    int32_t is_aborted  # set by the conductor
    int64_t final_limit  # set by the conductor when the recording stopped; -1 until then
    int64_t recording_id
    int64_t position
    int64_t limit  # the known end of the recording
    int64_t cut_limit  # a limit within the next frame, which waits for a higher one
    int64_t replay_limit  # the position at which the replay ends
    int32_t is_limit_the_end  # the recording is stopped: no frame exceeds the limit
    int64_t segment_base
    int64_t handle  # of the segment file, or -1
    int64_t connect_deadline_ns
    int32_t segment_length
    int32_t read_length_limit
    int32_t is_connected  # a subscriber connected
    int32_t end  # ReplayEnd
    int32_t error_number  # errno of the failed call
    # The checksum of the recording's frames from a position on; NULL: unknown.
    const crc_tables *checksum
    int64_t checksum_position
    # From this position on all frames are of one stream, which does not stop within a message.
    int64_t stream_position
    int64_t stream_limit  # the end of that stream; set by the conductor when it ends
    FragmentState fragment_state  # of the last published frame
    FragmentState next_fragment_state  # after the read frames are published
    # The fault of the frame that ended the replay.
    int64_t fault_position
    int64_t fault_expected
    int64_t fault_found
    ReplayFault fault
    int32_t open_flag  # the closed flag for a log without a publication


cdef struct replayer_state:
    session_agent common
    const crc_tables *checksum  # required of every frame; NULL: as set in each session
    uint8_t *buffer
    int32_t buffer_length


@cython.final
cdef class ReplaySession(Session):
    cdef replay_session c
    cdef readonly object publication  # keeps the log and the counters mapped
    cdef object mapping
    cdef object counters
    cdef Checksum checksum


@cython.final
cdef class Replayer(SessionAgent):
    cdef replayer_state c
    cdef Checksum checksum
