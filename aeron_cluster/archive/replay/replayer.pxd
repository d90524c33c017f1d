"""The replayer's state of each recording that it replays."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.archive.agents.handover cimport handover_node
from aeron_cluster.archive.agents.session_agent cimport Session, SessionAgent, session_agent
from aeron_cluster.archive.storage.checksum cimport Checksum, crc_tables
from aeron_cluster.logbuffer.term_appender cimport exclusive_appender
from aeron_cluster.memory.shared.counters cimport counters_reader


# Why a replay ended.
cpdef enum ReplayEnd:
    REPLAY_GOES_ON = 0
    REPLAY_COMPLETE = 1
    REPLAY_ABORTED = 2  # on request
    REPLAY_CLOSED = 3  # with the replayer
    REPLAY_NOT_CONNECTED = 4  # no subscriber connected
    REPLAY_DISCONNECTED = 5  # no subscriber is left, or the publication was closed
    REPLAY_SEGMENT_MISSING = 6
    REPLAY_READ_FAILED = 7
    REPLAY_UNEXPECTED_END = 8  # no frame, where there must be one
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
    FAULT_PADDING  # data whose type is padding
    FAULT_NOT_BEGUN  # a fragment that continues a message, where none was begun
    FAULT_BEGUN_TWICE  # the first fragment of a message, before the end of the one before it
    FAULT_NOT_FULL  # a fragment without END that is shorter than the MTU


# The kind of the previous frame.
cdef enum FragmentState:
    FRAGMENT_UNKNOWN
    FRAGMENT_END  # the last one of a message
    FRAGMENT_PARTIAL  # another one


cdef struct replay_session:
    exclusive_appender *appender
    const int32_t *closed_flag  # of the publication
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
    int32_t is_limit_the_end  # of a stopped recording: no frame exceeds it
    int64_t segment_base
    int64_t handle  # of the segment file, or -1
    int64_t connect_deadline_ns
    int32_t segment_length
    int32_t read_length_limit
    int32_t is_connected  # a subscriber connected
    int32_t end  # ReplayEnd
    int32_t error_number  # errno of what failed
    # The checksum of the recording's frames from a position on; NULL: unknown.
    const crc_tables *checksum
    int64_t checksum_position
    # From here on all frames are of one stream, which does not stop within a message.
    int64_t stream_position
    int64_t stream_limit  # up to here; set by the conductor where that stream ended
    FragmentState fragment_state  # of the last frame published
    FragmentState next_fragment_state  # once what was read is published
    # Of the frame that ended the replay.
    int64_t fault_position
    int64_t fault_expected
    int64_t fault_found
    ReplayFault fault
    int32_t open_flag  # the closed flag for a log without a publication


cdef struct replayer_state:
    session_agent common
    const crc_tables *checksum  # every frame must have it; NULL: as set in each session
    uint8_t *buffer
    int32_t buffer_length


@cython.final
cdef class ReplaySession(Session):
    cdef replay_session c
    cdef readonly object publication  # keep the log and the counters mapped
    cdef object mapping
    cdef object counters
    cdef Checksum checksum


@cython.final
cdef class Replayer(SessionAgent):
    cdef replayer_state c
    cdef Checksum checksum
