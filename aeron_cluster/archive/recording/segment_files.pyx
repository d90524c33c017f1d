"""Create, close and remove segment files by a separate agent.

Upstream does all of this on the recorder's thread.
"""
cimport cython
from libc.errno cimport EINVAL

from aeron_cluster.archive.agents.handover cimport (
    handover_is_empty,
    handover_put,
    handover_take,
)
from aeron_cluster.archive.agents.session_agent cimport name_directory, name_segment
from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i32,
    load_acquire_i32,
    store_release_i32,
)
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport FILE_CREATE, FILE_TRUNCATE, FILE_WRITE


cdef void request_segment_work(segment_files *worker, segment_work *work) noexcept nogil:
    work.node.session = <void *>work
    store_release_i32(&work.state, WORK_REQUESTED)
    handover_put(&worker.queue, &work.node)


cdef int64_t make_segment(segment_files *worker, segment_work *work) noexcept nogil:
    """Create the file; return its handle, or a negated errno value."""
    cdef const char *path
    cdef int64_t handle, result
    cdef bint has_room
    if not holds(
        work.base >= 0 and work.length > 0, PLACE, "a segment has a place and a length", work.base,
        work.length,
    ):
        return -EINVAL
    has_room = worker.files.ops.usable_space(
        worker.files.state, name_directory(&worker.path)) >= 2 * work.length
    path = name_segment(&worker.path, work.recording_id, work.base, b".new")
    handle = worker.files.ops.open(
        worker.files.state, path, FILE_WRITE | FILE_CREATE | FILE_TRUNCATE)
    if handle < 0:
        return handle
    result = worker.files.ops.truncate(worker.files.state, handle, work.length)
    # With little space left pages are allocated as they are written, to leave some for others.
    if result == 0 and has_room:
        result = worker.files.ops.allocate(worker.files.state, handle, 0, work.length)
    if result < 0:
        worker.files.ops.close(worker.files.state, handle)
        worker.files.ops.remove(worker.files.state, path)
        return result
    return handle


cdef void prepare(segment_files *worker, segment_work *work) noexcept nogil:
    cdef int64_t result
    if not compare_and_set_i32(&work.state, WORK_REQUESTED, WORK_BEGUN):
        # Cancelled: it may be requested again.
        store_release_i32(&work.state, WORK_NONE)
        return
    result = make_segment(worker, work)
    work.handle = result
    # Pairs with the acquire of the recorder, which takes the handle.
    store_release_i32(&work.state, WORK_READY if result >= 0 else WORK_FAILED)


cdef void close_file(segment_files *worker, int64_t *handle) noexcept nogil:
    if handle[0] >= 0:
        worker.files.ops.close(worker.files.state, handle[0])
        handle[0] = -1


cdef bint end_session_files(segment_files *worker, segment_work *work) noexcept nogil:
    """End a session; return False if another thread is still creating its next file."""
    cdef segment_work *prepared = work.prepared
    cdef int32_t state = load_acquire_i32(&prepared.state)
    if state == WORK_BEGUN:
        return False
    if state == WORK_READY:
        close_file(worker, &prepared.handle)
        worker.files.ops.remove(
            worker.files.state,
            name_segment(&worker.path, prepared.recording_id, prepared.base, b".new"))
    close_file(worker, &work.handle)
    # From now on the session and its work items belong to the conductor.
    handover_put(work.finished, work.session)
    return True


cdef int do_segment_work(segment_files *worker) noexcept nogil:
    cdef handover_node *node
    cdef segment_work *work
    cdef int count = 0
    if handover_is_empty(&worker.queue):
        return 0
    node = handover_take(&worker.queue)
    while node != NULL:
        work = <segment_work *>node.session
        node = node.next
        count += 1
        if work.kind == SEGMENT_PREPARE:
            prepare(worker, work)
        elif work.kind == SEGMENT_CLOSE:
            close_file(worker, &work.handle)
            store_release_i32(&work.state, WORK_NONE)
        elif not end_session_files(worker, work):
            handover_put(&worker.queue, &work.node)
    return count


cdef int segment_files_do_work(void *state) except -1 nogil:
    return do_segment_work(<segment_files *>state)


@cython.final
cdef class SegmentFiles(Agent):
    """The agent that creates, closes and removes segment files.

    Parameters
    ----------
    files : Files
        The file seam.
    directory : str
        The directory of the segment files.

    Notes
    -----
    With the system's files it has its own thread, since its calls may block on the disk; otherwise
    it is one of the archive's agents.
    """

    def __cinit__(self, Files files not None, str directory not None):
        self.files = files
        self.path = PathBuffer(directory)
        self.c.files = files.c
        self.c.path = self.path.c
        self.do_work_fn = segment_files_do_work
        self.state = <void *>&self.c

    @property
    def role_name(self):
        return "archive-files"

    def on_close(self):
        do_segment_work(&self.c)
