/* The seams: time, randomness, datagrams and files as tables of function pointers.

   No component reads a clock, draws a random number, opens a socket or touches a file except
   through one of these tables, which is passed to it. Production uses the system's (memory/), the
   simulator its own. Every function may be called without the GIL and never raises: a negative
   result is a negated errno value. */
#ifndef AERON_CLUSTER_SEAMS_H
#define AERON_CLUSTER_SEAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- time ---- */
typedef struct ac_clock {
    int64_t (*nano_time)(void *state);   /* monotonic, ns, from an arbitrary origin */
    int64_t (*epoch_nanos)(void *state); /* wall clock, ns since 1970 */
    void *state;
} ac_clock;

static inline int64_t ac_nano_time(const ac_clock *clock) {
    return clock->nano_time(clock->state);
}

static inline int64_t ac_epoch_nanos(const ac_clock *clock) {
    return clock->epoch_nanos(clock->state);
}

static inline int64_t ac_epoch_ms(const ac_clock *clock) {
    return clock->epoch_nanos(clock->state) / 1000000;
}

/* ---- randomness ---- */
typedef struct ac_random {
    uint64_t (*next)(void *state);
    void *state;
} ac_random;

static inline uint64_t ac_next_random(const ac_random *random) {
    return random->next(random->state);
}

/* ---- datagrams ---- */

/* A network address: family is 4 or 6 (0: none); host holds 4 or 16 bytes in network order. */
typedef struct ac_address {
    uint8_t host[16];
    uint16_t port; /* host order */
    uint8_t family;
    uint8_t padding;
    uint32_t scope_id; /* IPv6 only */
} ac_address;

_Static_assert(sizeof(ac_address) == 24, "an address fits three words");

static inline bool ac_address_equals(const ac_address *a, const ac_address *b) {
    if (a->family != b->family || a->port != b->port) {
        return false;
    }
    return __builtin_memcmp(a->host, b->host, a->family == 4 ? 4 : 16) == 0;
}

/* One datagram of a batch. On send: data and length are read, address is the destination (ignored
   on a connected socket; family 0 there). On receive: data and capacity are given; length and
   address are set, and length is 0 if the datagram was longer than the capacity. */
typedef struct ac_datagram {
    uint8_t *data;
    int32_t length;
    int32_t capacity;
    ac_address address;
    int64_t receive_epoch_nanos; /* 0 if the socket has timestamps disabled */
} ac_datagram;

typedef struct ac_socket_options {
    ac_address bind;                /* family 0: not bound */
    ac_address connect;             /* family 0: not connected */
    ac_address multicast_group;     /* family 0: no group is joined */
    ac_address multicast_interface; /* family 0: the system's choice */
    int32_t multicast_ttl;          /* 0: leave the system's */
    int32_t send_buffer_length;     /* SO_SNDBUF, 0: leave the system's */
    int32_t receive_buffer_length;  /* SO_RCVBUF, 0: leave the system's */
    bool reuse_address;
    bool receive_time_stamps;
} ac_socket_options;

typedef struct ac_datagram_ops {
    /* Returns a handle >= 0. */
    int64_t (*open)(void *state, const ac_socket_options *options);
    int (*close)(void *state, int64_t handle);
    /* Neither blocks; both return the number of sent or filled datagrams, 0 if the system would
       block. */
    int (*send)(void *state, int64_t handle, ac_datagram *datagrams, int count);
    int (*receive)(void *state, int64_t handle, ac_datagram *datagrams, int count);
    int (*connect)(void *state, int64_t handle, const ac_address *address);
    int (*local_address)(void *state, int64_t handle, ac_address *address);
    /* The lengths that the system granted, in the unit in which they are requested. */
    int (*buffer_lengths)(void *state, int64_t handle, int32_t *send, int32_t *receive);
} ac_datagram_ops;

typedef struct ac_network {
    const ac_datagram_ops *ops;
    void *state;
} ac_network;

/* ---- files ---- */
enum {
    AC_FILE_READ = 0,
    AC_FILE_WRITE = 1,     /* read and write */
    AC_FILE_CREATE = 2,    /* create it if it is missing */
    AC_FILE_EXCLUSIVE = 4, /* fail with EEXIST if it exists */
    AC_FILE_TRUNCATE = 8,
};

typedef enum ac_sync_level {
    AC_SYNC_NONE = 0,
    AC_SYNC_DATA = 1,
    AC_SYNC_ALL = 2,
} ac_sync_level;

typedef struct ac_file_ops {
    /* Returns a handle >= 0. New files get mode 0600, new directories 0700. */
    int64_t (*open)(void *state, const char *path, int flags);
    int (*close)(void *state, int64_t handle);
    /* Return the bytes moved: fewer than requested only at the end of the file, or when full. */
    int64_t (*read_at)(void *state, int64_t handle, void *data, int64_t length, int64_t offset);
    int64_t (*write_at)(void *state, int64_t handle, const void *data, int64_t length,
                        int64_t offset);
    int64_t (*length)(void *state, int64_t handle);
    int (*truncate)(void *state, int64_t handle, int64_t length);
    /* Allocate the pages of a range; existing content is kept. */
    int (*allocate)(void *state, int64_t handle, int64_t offset, int64_t length);
    int (*sync)(void *state, int64_t handle, int level);
    /* Lock the file for this handle until it is closed; EAGAIN if another handle has the lock. It
       is advisory. */
    int (*lock)(void *state, int64_t handle);
    /* Shared mapping; a writable one needs a handle opened for writing. */
    int (*map)(void *state, int64_t handle, int64_t offset, int64_t length, bool writable,
               void **address);
    int (*unmap)(void *state, void *address, int64_t length);
    int (*rename)(void *state, const char *from, const char *to);
    int (*remove)(void *state, const char *path); /* a file, a link or an empty directory */
    int (*make_directory)(void *state, const char *path);
    int (*sync_directory)(void *state, const char *path);
    /* 1 a file, 2 a directory, 0 missing; links are followed. */
    int (*kind)(void *state, const char *path);
    int64_t (*usable_space)(void *state, const char *path);
    /* Calls `entry` for each entry (never "." or ".."), in no particular order. */
    int (*list)(void *state, const char *path, void (*entry)(void *context, const char *name),
                void *context);
} ac_file_ops;

typedef struct ac_files {
    const ac_file_ops *ops;
    void *state;
} ac_files;

#endif
