cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.memory.system.seams cimport Files, Random, random


# The content of a file: what readers see, and what a loss of power may bring back.
cdef struct content:
    uint8_t *data  # a separate mapping: unwritten parts take no memory, and no time
    int64_t reserved  # bytes at data
    int64_t length
    int64_t durable_length  # at the last sync
    uint8_t *has_page  # a flag a page: it takes space
    uint8_t **before  # a page as it was at the last sync, NULL where it is so still
    int64_t page_end  # beyond it neither
    int32_t map_count
    bint was_mapped  # pages may have been written without has_page


cdef enum operation:
    OPEN
    READ
    WRITE
    TRUNCATE
    ALLOCATE
    SYNC
    MAP
    RENAME
    REMOVE
    MAKE_DIRECTORY
    SYNC_DIRECTORY
    LIST
    OPERATION_COUNT


cdef struct fault:
    int errno_
    int64_t after  # calls that succeed before
    int64_t count  # calls that fail then


cdef struct open_file:
    content *content
    int64_t handle  # -1: closed
    int64_t use  # how often the place was taken: a stale handle is not a later file's
    int32_t process
    bint is_writable
    bint is_locked


cdef struct disk:
    open_file *opened
    int32_t opened_count
    int32_t opened_capacity
    int64_t page_count  # taken
    int64_t page_capacity
    int32_t process_count  # views of it besides its owner's
    int64_t data_sync_count
    int64_t full_sync_count
    int64_t directory_sync_count
    random random
    uint64_t trace  # of all that was done to it
    bint fills  # what a read leaves of the caller's buffer is overwritten
    fault[<int>operation.OPERATION_COUNT] faults
    void *owner  # the MemoryFiles


# What the table's state of one process points to.
cdef struct disk_view:
    disk *device
    int32_t process  # whose files end with it
    int32_t map_count
    int64_t calls_left  # until it stops; -1: forever
    int64_t call_count


@cython.final
cdef class Inode:
    cdef content c
    cdef disk *_disk  # of the MemoryFiles that owns this
    cdef bint is_named
    cdef bint is_counted  # its pages are among those taken


@cython.no_gc_clear  # files still close through it
cdef class ProcessFiles(Files):
    cdef disk_view _view
    cdef MemoryFiles _owner  # None: itself


@cython.final
@cython.no_gc_clear  # files still close through it
cdef class MemoryFiles(ProcessFiles):
    cdef disk _disk
    cdef Random _random
    cdef object _root
    cdef dict _inodes  # of open files, by place
    cdef dict _mapped  # inodes and how often each is mapped, by address
