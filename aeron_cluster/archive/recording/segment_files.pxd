"""Create, close and remove segment files by a separate agent.

The next segment of a recording is requested when half of the current one is full: a file under
another name, so that it is not mistaken for a part of the recording, with all its pages allocated
if there is enough space. A recorder that needs it earlier creates it itself.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.archive.agents.handover cimport handover, handover_node
from aeron_cluster.archive.agents.session_agent cimport PathBuffer, segment_path
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.system.seams cimport Files, files


cdef enum segment_work_kind:
    SEGMENT_PREPARE
    SEGMENT_CLOSE
    SEGMENT_END


# The state of a prepared segment, or of a file to close (then NONE or REQUESTED).
cdef enum segment_work_state:
    WORK_NONE = 0  # owned by the recorder: it may request a segment
    WORK_REQUESTED = 1  # in the queue; the recorder may cancel it
    WORK_BEGUN = 2  # owned by the agent
    WORK_READY = 3  # owned by the recorder: `handle` is the file
    WORK_FAILED = 4  # owned by the recorder: it retries by itself, and reports the error
    WORK_CANCELLED = 5  # still in the queue


# One recording has one of each kind, so that nothing is allocated.
cdef struct segment_work:
    handover_node node
    int32_t kind
    int32_t state
    int64_t handle
    int64_t recording_id
    int64_t base  # the position of the file's first byte
    int64_t length
    segment_work *prepared  # of END: a prepared file that is no longer needed
    handover_node *session  # of END: the session to pass to the `finished` queue afterwards
    handover *finished


cdef struct segment_files:
    handover queue
    files files
    segment_path path


cdef inline void init_work(
        segment_work *work, int32_t kind, int64_t recording_id, int64_t length) noexcept nogil:
    work.kind = kind
    work.handle = -1
    work.recording_id = recording_id
    work.length = length


# Pass work to the agent. From the recorder's thread.
cdef void request_segment_work(segment_files *worker, segment_work *work) noexcept nogil
# Do all requested work; return its amount. At the end more than one thread may call it.
cdef int do_segment_work(segment_files *worker) noexcept nogil


@cython.final
cdef class SegmentFiles(Agent):
    cdef segment_files c
    cdef Files files
    cdef PathBuffer path
    cdef object recorder  # owner of the sessions in the queue
