"""After a fork all our objects are unusable in the child: their threads are the parent's."""

from aeron_cluster.errors import ClosedError


cdef extern from "<pthread.h>" nogil:
    int pthread_atfork(void (*prepare)() noexcept nogil, void (*parent)() noexcept nogil,
                       void (*child)() noexcept nogil)


# The only process-wide state. The child's handler runs before any other thread can exist.
cdef int64_t _generation = 0


cdef void _on_child() noexcept nogil:
    global _generation
    _generation += 1


cdef int64_t fork_generation() noexcept nogil:
    return _generation


cdef int check_not_forked(int64_t generation, object what) except -1:
    if generation != _generation:
        raise ClosedError(f"{what}: made before this process was forked; make a new one")
    return 0


def generation() -> int:
    """Return the number that new objects store, to detect later that they were forked."""
    return _generation


def is_forked(generation: int) -> bool:
    """Return whether an object created under ``generation`` belongs to a parent process."""
    return generation != _generation


if pthread_atfork(NULL, NULL, _on_child) != 0:
    raise MemoryError("pthread_atfork")
