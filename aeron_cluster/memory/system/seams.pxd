from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "<stdbool.h>" nogil:
    # For functions in a table, where bint would be an int.
    ctypedef bint c_bool "bool"


cdef extern from "aeron_cluster/seams.h" nogil:
    # ---- time ----
    ctypedef struct clock "ac_clock":
        int64_t (*nano_time)(void *state) noexcept nogil
        int64_t (*epoch_nanos)(void *state) noexcept nogil
        void *state

    int64_t nano_time "ac_nano_time"(const clock *clock) noexcept
    int64_t epoch_nanos "ac_epoch_nanos"(const clock *clock) noexcept
    int64_t epoch_ms "ac_epoch_ms"(const clock *clock) noexcept

    # ---- randomness ----
    ctypedef struct random "ac_random":
        uint64_t (*next)(void *state) noexcept nogil
        void *state

    uint64_t next_random "ac_next_random"(const random *random) noexcept

    # ---- datagrams ----
    ctypedef struct address "ac_address":
        uint8_t host[16]
        uint16_t port
        uint8_t family
        uint8_t padding
        uint32_t scope_id

    bint address_equals "ac_address_equals"(const address *a, const address *b) noexcept

    ctypedef struct datagram "ac_datagram":
        uint8_t *data
        int32_t length
        int32_t capacity
        address address
        int64_t receive_epoch_nanos

    ctypedef struct socket_options "ac_socket_options":
        address bind
        address connect
        address multicast_group
        address multicast_interface
        int32_t multicast_ttl
        int32_t send_buffer_length
        int32_t receive_buffer_length
        bint reuse_address
        bint receive_time_stamps

    ctypedef struct datagram_ops "ac_datagram_ops":
        int64_t (*open)(void *state, const socket_options *options) noexcept nogil
        int (*close)(void *state, int64_t handle) noexcept nogil
        int (*send)(void *state, int64_t handle, datagram *datagrams, int count) noexcept nogil
        int (*receive)(void *state, int64_t handle, datagram *datagrams, int count) noexcept nogil
        int (*connect)(void *state, int64_t handle, const address *address) noexcept nogil
        int (*local_address)(void *state, int64_t handle, address *address) noexcept nogil
        int (*buffer_lengths)(void *state, int64_t handle, int32_t *send,
                              int32_t *receive) noexcept nogil

    ctypedef struct network "ac_network":
        const datagram_ops *ops
        void *state

    # ---- files ----
    enum:
        FILE_READ "AC_FILE_READ"
        FILE_WRITE "AC_FILE_WRITE"
        FILE_CREATE "AC_FILE_CREATE"
        FILE_EXCLUSIVE "AC_FILE_EXCLUSIVE"
        FILE_TRUNCATE "AC_FILE_TRUNCATE"
        SYNC_NONE "AC_SYNC_NONE"
        SYNC_DATA "AC_SYNC_DATA"
        SYNC_ALL "AC_SYNC_ALL"

    ctypedef struct file_ops "ac_file_ops":
        int64_t (*open)(void *state, const char *path, int flags) noexcept nogil
        int (*close)(void *state, int64_t handle) noexcept nogil
        int64_t (*read_at)(void *state, int64_t handle, void *data, int64_t length,
                           int64_t offset) noexcept nogil
        int64_t (*write_at)(void *state, int64_t handle, const void *data, int64_t length,
                            int64_t offset) noexcept nogil
        int64_t (*length)(void *state, int64_t handle) noexcept nogil
        int (*truncate)(void *state, int64_t handle, int64_t length) noexcept nogil
        int (*allocate)(void *state, int64_t handle, int64_t offset,
                        int64_t length) noexcept nogil
        int (*sync)(void *state, int64_t handle, int level) noexcept nogil
        int (*lock)(void *state, int64_t handle) noexcept nogil
        int (*map)(void *state, int64_t handle, int64_t offset, int64_t length, c_bool writable,
                   void **address) noexcept nogil
        int (*unmap)(void *state, void *address, int64_t length) noexcept nogil
        int (*rename)(void *state, const char *source, const char *target) noexcept nogil
        int (*remove)(void *state, const char *path) noexcept nogil
        int (*make_directory)(void *state, const char *path) noexcept nogil
        int (*sync_directory)(void *state, const char *path) noexcept nogil
        int (*kind)(void *state, const char *path) noexcept nogil
        int64_t (*usable_space)(void *state, const char *path) noexcept nogil
        int (*list)(void *state, const char *path,
                    void (*entry)(void *context, const char *name) noexcept nogil,
                    void *context) noexcept nogil

    ctypedef struct files "ac_files":
        const file_ops *ops
        void *state


# Each class owns the state of its table: a copy of `c` needs the object too.

cdef class Clock:
    cdef clock c


cdef class SystemClock(Clock):
    pass


# Two readings of another clock, updated by the owner once per duty cycle.
cdef struct cached_clock:
    int64_t nano_time
    int64_t epoch_nanos


cdef class CachedClock(Clock):
    cdef cached_clock readings
    cdef Clock _source


cdef inline void update_cached_clock(cached_clock *readings, const clock *source) noexcept nogil:
    readings.nano_time = nano_time(source)
    readings.epoch_nanos = epoch_nanos(source)


cdef class Random:
    cdef random c


cdef class SeededRandom(Random):
    cdef uint64_t _word


cdef class SystemRandom(SeededRandom):
    pass


cdef class Network:
    cdef network c


# A socket for code that has the GIL; agents call the table.
cdef class DatagramSocket:
    cdef readonly int64_t handle  # -1 once closed
    cdef Network _network

    cdef int64_t _open_handle(self) except -1


cdef class UdpNetwork(Network):
    pass


cdef class Files:
    cdef files c


# A file for code that has the GIL; agents use the handle and call the table.
cdef class File:
    cdef readonly int64_t handle  # -1 once closed
    cdef readonly str path
    cdef Files _files

    cdef int64_t _open_handle(self) except -1


cdef class SystemFiles(Files):
    pass


cdef class Seams:
    cdef readonly Clock clock
    cdef readonly Random random
    cdef readonly Network network
    cdef readonly Files files
    cdef readonly object processes


# From an Address, a (host, port) pair or None (family 0); the host is a literal address.
cdef int address_from(object value, address *result) except -1
# An Address, or None if the family is 0.
cdef object address_to(const address *value)
