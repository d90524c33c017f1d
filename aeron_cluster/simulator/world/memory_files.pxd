cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.memory.system.seams cimport Files, Random, random


# The content of a file: the current one, and the one that a power loss may restore.
cdef struct content:
    uint8_t *data  # a separate mapping: unwritten parts use no memory
    int64_t reserved  # bytes at data
    int64_t length
    int64_t durable_length  # at the last sync
    uint8_t *has_page  # a flag per page: it is allocated
    uint8_t **before  # a page's content at the last sync; NULL if it is unchanged
    int64_t page_end  # end of both arrays
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
    int64_t after  # number of successful calls before
    int64_t count  # number of failing calls after that


cdef struct open_file:
    content *content
    int64_t handle  # -1: closed
    int64_t use  # the number of uses of the slot: a stale handle does not match a later file
    int32_t process
    bint is_writable
    bint is_locked


cdef struct disk:
    open_file *opened
    int32_t opened_count
    int32_t opened_capacity
    int64_t page_count  # allocated pages
    int64_t page_capacity
    int32_t process_count  # views besides its owner's
    int64_t data_sync_count
    int64_t full_sync_count
    int64_t directory_sync_count
    random random
    uint64_t trace  # hash of all calls
    bint fills  # a short read overwrites the rest of the caller's buffer
    fault[<int>operation.OPERATION_COUNT] faults
    void *owner  # the MemoryFiles


# The table's state of one process.
cdef struct disk_view:
    disk *device
    int32_t process  # its files are closed with it
    int32_t map_count
    int64_t calls_left  # calls until it stops; -1: unlimited
    int64_t call_count


@cython.final
cdef class Inode:
    cdef content c
    cdef disk *_disk  # the disk of the owning MemoryFiles
    cdef bint is_named
    cdef bint is_counted  # its pages are counted as allocated


@cython.no_gc_clear  # needed for closing files
cdef class ProcessFiles(Files):
    cdef disk_view _view
    cdef MemoryFiles _owner  # None for the owner itself


@cython.final
@cython.no_gc_clear  # needed for closing files
cdef class MemoryFiles(ProcessFiles):
    cdef disk _disk
    cdef Random _random
    cdef object _root
    cdef dict _inodes  # open files, by slot
    cdef dict _mapped  # inodes and the number of their mappings, by address
    cdef public tuple whole_pages
