"""Memory of another object that is used in place."""
cimport cython
from cpython.buffer cimport PyBuffer_Release, PyObject_GetBuffer

from aeron_cluster.memory.system.fork cimport check_not_forked, fork_generation

from aeron_cluster.errors import ClosedError


@cython.no_gc_clear  # a collection would drop the buffer without releasing it
cdef class BufferMemory:
    """The common part of ring buffers, broadcast and error log: an exported buffer."""

    cdef int hold(self, object buffer, int flags) except -1:
        if self.memory.buf != NULL:
            raise RuntimeError(f"{type(self).__name__}: initialised once")
        PyObject_GetBuffer(buffer, &self.memory, flags)
        self.generation = fork_generation()
        return 0

    def __dealloc__(self) -> None:
        PyBuffer_Release(&self.memory)

    def close(self) -> None:
        """Reject every further call; the memory is released with this object."""
        self.is_open = False

    @property
    def closed(self) -> bool:
        """Whether this was closed."""
        return not self.is_open

    cdef int check_open(self) except -1:
        if not self.is_open:
            raise ClosedError(f"{type(self).__name__}: expected an open one, found it closed")
        return check_not_forked(self.generation, type(self).__name__)
