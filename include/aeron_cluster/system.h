/* The real clock, network and files behind the tables of seams.h. Only memory/system/seams.pyx
   includes it: it is C, so that the preprocessor can select what the operating system supports. */
#ifndef AERON_CLUSTER_SYSTEM_H
#define AERON_CLUSTER_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "aeron_cluster/seams.h"

/* ---- time ---- */
static inline int64_t ac_system_time(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t ac_system_nano_time(void *state) {
    return ac_system_time(CLOCK_MONOTONIC);
}

static inline int64_t ac_system_epoch_nanos(void *state) {
    return ac_system_time(CLOCK_REALTIME);
}

/* ---- datagrams ---- */
enum { AC_DATAGRAM_BATCH = 64 };

static inline socklen_t ac_to_sockaddr(const ac_address *address, struct sockaddr_storage *out) {
    memset(out, 0, sizeof(*out));
    if (address->family == 6) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(address->port);
        v6->sin6_scope_id = address->scope_id;
        memcpy(&v6->sin6_addr, address->host, 16);
        return sizeof(*v6);
    }
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address->port);
    memcpy(&v4->sin_addr, address->host, 4);
    return sizeof(*v4);
}

static inline void ac_from_sockaddr(const struct sockaddr_storage *in, ac_address *address) {
    memset(address, 0, sizeof(*address));
    if (in->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)in;
        address->family = 6;
        address->port = ntohs(v6->sin6_port);
        address->scope_id = v6->sin6_scope_id;
        memcpy(address->host, &v6->sin6_addr, 16);
    } else if (in->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)in;
        address->family = 4;
        address->port = ntohs(v4->sin_port);
        memcpy(address->host, &v4->sin_addr, 4);
    }
}

/* A handle is a file descriptor and, in a higher bit, whether the socket has timestamps enabled. */
#define AC_WITH_TIME_STAMPS (1LL << 32)

/* No progress without an error: no space or no data. */
static inline bool ac_is_no_progress(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == EINTR ||
           error == ECONNREFUSED;
}

/* An ICMP error for an earlier datagram is returned by the next call, which is then repeated. */
enum { AC_ICMP_ERRORS_IGNORED = 2 };

static inline unsigned ac_interface_index(const ac_address *address) {
    if (address->scope_id != 0) {
        return address->scope_id;
    }
    struct ifaddrs *all = NULL;
    unsigned index = 0;
    if (getifaddrs(&all) != 0) {
        return 0;
    }
    for (struct ifaddrs *each = all; each != NULL && index == 0; each = each->ifa_next) {
        if (each->ifa_addr != NULL && each->ifa_addr->sa_family == AF_INET6 &&
            memcmp(&((struct sockaddr_in6 *)each->ifa_addr)->sin6_addr, address->host, 16) == 0) {
            index = if_nametoindex(each->ifa_name);
        }
    }
    freeifaddrs(all);
    return index;
}

static inline int ac_join_group(int fd, const ac_address *group, const ac_address *interface) {
    if (group->family == 6) {
        struct ipv6_mreq request;
        memset(&request, 0, sizeof(request));
        memcpy(&request.ipv6mr_multiaddr, group->host, 16);
        request.ipv6mr_interface =
            interface->family == 6 ? ac_interface_index(interface) : group->scope_id;
        return setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof(request));
    }
    struct ip_mreq request;
    memset(&request, 0, sizeof(request));
    memcpy(&request.imr_multiaddr, group->host, 4);
    if (interface->family == 4) {
        memcpy(&request.imr_interface, interface->host, 4);
    }
    return setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof(request));
}

static inline int ac_send_through(int fd, const ac_address *interface) {
    if (interface->family == 6) {
        unsigned index = ac_interface_index(interface);
        return setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index));
    }
    struct in_addr host;
    memcpy(&host, interface->host, 4);
    return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &host, sizeof(host));
}

static inline int ac_set_multicast_ttl(int fd, int family, int ttl) {
    if (family == 6) {
        return setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &ttl, sizeof(ttl));
    }
    uint8_t octet = (uint8_t)ttl;
    return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &octet, sizeof(octet));
}

static inline int ac_set_socket_options(int fd, int family, const ac_socket_options *options) {
    const int on = 1;
    struct sockaddr_storage name;
    if (options->reuse_address && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0) {
        return -errno;
    }
#if defined(__APPLE__)
    if (options->reuse_address && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0) {
        return -errno;
    }
#endif
    if (options->send_buffer_length > 0 &&
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &options->send_buffer_length, sizeof(int32_t)) != 0) {
        return -errno;
    }
    if (options->receive_buffer_length > 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &options->receive_buffer_length, sizeof(int32_t)) !=
            0) {
        return -errno;
    }
    if (options->receive_time_stamps) {
#if defined(SO_TIMESTAMPNS)
        if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) != 0) {
            return -errno;
        }
#else
        return -ENOTSUP;
#endif
    }
    if (options->multicast_ttl > 0 &&
        ac_set_multicast_ttl(fd, family, options->multicast_ttl) != 0) {
        return -errno;
    }
    if (options->multicast_interface.family != 0 &&
        ac_send_through(fd, &options->multicast_interface) != 0) {
        return -errno;
    }
    if (options->bind.family != 0 &&
        bind(fd, (struct sockaddr *)&name, ac_to_sockaddr(&options->bind, &name)) != 0) {
        return -errno;
    }
    if (options->multicast_group.family != 0 &&
        ac_join_group(fd, &options->multicast_group, &options->multicast_interface) != 0) {
        return -errno;
    }
    if (options->connect.family != 0 &&
        connect(fd, (struct sockaddr *)&name, ac_to_sockaddr(&options->connect, &name)) != 0) {
        return -errno;
    }
    return 0;
}

static inline int64_t ac_system_open_socket(void *state, const ac_socket_options *options) {
    const int family = options->bind.family != 0      ? options->bind.family
                       : options->connect.family != 0 ? options->connect.family
                                                      : options->multicast_group.family;
    int fd = socket(family == 6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    if (fd < 0) {
        return -errno;
    }
    int result = ac_set_socket_options(fd, family, options);
    if (result == 0 &&
        (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)) {
        result = -errno;
    }
    if (result < 0) {
        close(fd);
        return result;
    }
    return options->receive_time_stamps ? fd | AC_WITH_TIME_STAMPS : fd;
}

static inline int ac_system_close(void *state, int64_t handle) {
    /* Not repeated on EINTR: the descriptor is closed, and its number may already be reused. */
    return close((int)handle) == 0 || errno == EINTR ? 0 : -errno;
}

static inline void ac_prepare_send(struct msghdr *message, struct iovec *vector,
                                   struct sockaddr_storage *name, const ac_datagram *datagram) {
    memset(message, 0, sizeof(*message));
    vector->iov_base = datagram->data;
    vector->iov_len = (size_t)datagram->length;
    message->msg_iov = vector;
    message->msg_iovlen = 1;
    if (datagram->address.family != 0) {
        message->msg_namelen = ac_to_sockaddr(&datagram->address, name);
        message->msg_name = name;
    }
}

static inline int ac_system_send_one(int fd, const ac_datagram *datagram) {
    /* A call without a message header saves the kernel from copying one. */
    struct sockaddr_storage name;
    socklen_t name_length = 0;
    if (datagram->address.family != 0) {
        name_length = ac_to_sockaddr(&datagram->address, &name);
    }
    ssize_t length;
    int icmp_errors = 0;
    do {
        length = sendto(fd, datagram->data, (size_t)datagram->length, 0,
                        name_length > 0 ? (struct sockaddr *)&name : NULL, name_length);
    } while (length < 0 && errno == ECONNREFUSED && icmp_errors++ < AC_ICMP_ERRORS_IGNORED);
    if (length < 0) {
        return ac_is_no_progress(errno) ? 0 : -errno;
    }
    return 1;
}

#define AC_CONTROL_LENGTH CMSG_SPACE(sizeof(struct timespec))

static inline void ac_prepare_receive(struct msghdr *message, struct iovec *vector,
                                      struct sockaddr_storage *name, uint8_t *control,
                                      const ac_datagram *datagram) {
    memset(message, 0, sizeof(*message));
    vector->iov_base = datagram->data;
    vector->iov_len = (size_t)datagram->capacity;
    message->msg_iov = vector;
    message->msg_iovlen = 1;
    message->msg_name = name;
    message->msg_namelen = sizeof(*name);
    message->msg_control = control;
    message->msg_controllen = AC_CONTROL_LENGTH;
}

static inline void ac_finish_receive(struct msghdr *message, const struct sockaddr_storage *name,
                                     int32_t length, ac_datagram *datagram) {
    /* A truncated datagram would look like a complete, shorter one. */
    datagram->length = (message->msg_flags & MSG_TRUNC) != 0 ? 0 : length;
    datagram->receive_epoch_nanos = 0;
    ac_from_sockaddr(name, &datagram->address);
#if defined(SCM_TIMESTAMPNS)
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL;
         part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
            datagram->receive_epoch_nanos = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
        }
    }
#endif
}

/* Used by most polls, and cheaper than a call with a message header to copy in and out. */
static inline int ac_system_receive_plain(int fd, ac_datagram *datagram) {
    struct sockaddr_storage name;
    socklen_t name_length = sizeof(name);
    ssize_t length;
    int icmp_errors = 0;
    do {
        length = recvfrom(fd, datagram->data, (size_t)datagram->capacity, MSG_TRUNC,
                          (struct sockaddr *)&name, &name_length);
    } while (length < 0 && errno == ECONNREFUSED && icmp_errors++ < AC_ICMP_ERRORS_IGNORED);
    if (length < 0) {
        return ac_is_no_progress(errno) ? 0 : -errno;
    }
    datagram->length = length > datagram->capacity ? 0 : (int32_t)length;
    datagram->receive_epoch_nanos = 0;
    ac_from_sockaddr(&name, &datagram->address);
    return 1;
}

static inline int ac_system_receive_one(int fd, ac_datagram *datagram) {
    struct msghdr message;
    struct iovec vector;
    struct sockaddr_storage name;
    _Alignas(struct cmsghdr) uint8_t control[AC_CONTROL_LENGTH];
    ac_prepare_receive(&message, &vector, &name, control, datagram);
    ssize_t length;
    int icmp_errors = 0;
    do {
        length = recvmsg(fd, &message, 0);
    } while (length < 0 && errno == ECONNREFUSED && icmp_errors++ < AC_ICMP_ERRORS_IGNORED);
    if (length < 0) {
        return ac_is_no_progress(errno) ? 0 : -errno;
    }
    ac_finish_receive(&message, &name, (int32_t)length, datagram);
    return 1;
}

#if defined(__linux__)
static inline int ac_system_send_batch(int fd, const ac_datagram *datagrams, int count) {
    struct mmsghdr messages[AC_DATAGRAM_BATCH];
    struct iovec vectors[AC_DATAGRAM_BATCH];
    struct sockaddr_storage names[AC_DATAGRAM_BATCH];
    for (int i = 0; i < count; i++) {
        ac_prepare_send(&messages[i].msg_hdr, &vectors[i], &names[i], &datagrams[i]);
    }
    int sent;
    int icmp_errors = 0;
    do {
        sent = sendmmsg(fd, messages, (unsigned)count, 0);
    } while (sent < 0 && errno == ECONNREFUSED && icmp_errors++ < AC_ICMP_ERRORS_IGNORED);
    if (sent < 0) {
        return ac_is_no_progress(errno) ? 0 : -errno;
    }
    return sent;
}

static inline int ac_system_receive_batch(int fd, ac_datagram *datagrams, int count) {
    struct mmsghdr messages[AC_DATAGRAM_BATCH];
    struct iovec vectors[AC_DATAGRAM_BATCH];
    struct sockaddr_storage names[AC_DATAGRAM_BATCH];
    _Alignas(struct cmsghdr) uint8_t controls[AC_DATAGRAM_BATCH][AC_CONTROL_LENGTH];
    for (int i = 0; i < count; i++) {
        ac_prepare_receive(&messages[i].msg_hdr, &vectors[i], &names[i], controls[i],
                           &datagrams[i]);
    }
    int received;
    int icmp_errors = 0;
    do {
        received = recvmmsg(fd, messages, (unsigned)count, 0, NULL);
    } while (received < 0 && errno == ECONNREFUSED && icmp_errors++ < AC_ICMP_ERRORS_IGNORED);
    if (received < 0) {
        return ac_is_no_progress(errno) ? 0 : -errno;
    }
    for (int i = 0; i < received; i++) {
        ac_finish_receive(&messages[i].msg_hdr, &names[i], (int32_t)messages[i].msg_len,
                          &datagrams[i]);
    }
    return received;
}
#else
static inline int ac_system_send_batch(int fd, const ac_datagram *datagrams, int count) {
    for (int i = 0; i < count; i++) {
        const int sent = ac_system_send_one(fd, &datagrams[i]);
        if (sent <= 0) {
            return i > 0 ? i : sent;
        }
    }
    return count;
}

static inline int ac_system_receive_batch(int fd, ac_datagram *datagrams, int count) {
    for (int i = 0; i < count; i++) {
        const int received = ac_system_receive_one(fd, &datagrams[i]);
        if (received <= 0) {
            return i > 0 ? i : received;
        }
    }
    return count;
}
#endif

static inline int ac_system_send(void *state, int64_t handle, ac_datagram *datagrams, int count) {
    if (count == 1) {
        return ac_system_send_one((int)handle, datagrams);
    }
    for (int sent = 0; sent < count;) {
        const int batch = count - sent < AC_DATAGRAM_BATCH ? count - sent : AC_DATAGRAM_BATCH;
        const int result = ac_system_send_batch((int)handle, datagrams + sent, batch);
        if (result < batch) {
            return sent > 0 || result > 0 ? sent + (result > 0 ? result : 0) : result;
        }
        sent += batch;
    }
    return count;
}

static inline int ac_system_receive(void *state, int64_t handle, ac_datagram *datagrams,
                                    int count) {
    if (count == 1) {
        return (handle & AC_WITH_TIME_STAMPS) != 0
                   ? ac_system_receive_one((int)handle, datagrams)
                   : ac_system_receive_plain((int)handle, datagrams);
    }
    for (int received = 0; received < count;) {
        const int rest = count - received;
        const int batch = rest < AC_DATAGRAM_BATCH ? rest : AC_DATAGRAM_BATCH;
        const int result = ac_system_receive_batch((int)handle, datagrams + received, batch);
        if (result < batch) {
            return received > 0 || result > 0 ? received + (result > 0 ? result : 0) : result;
        }
        received += batch;
    }
    return count;
}

/* The system releases a port that it chose: it is bound again, unless another socket has it. */
static inline void ac_disconnect(int fd) {
    struct sockaddr_storage name;
    struct sockaddr none;
    socklen_t length = sizeof(name);
    ac_address local;
    memset(&none, 0, sizeof(none));
    none.sa_family = AF_UNSPEC;
    memset(&name, 0, sizeof(name));
    (void)getsockname(fd, (struct sockaddr *)&name, &length);
    ac_from_sockaddr(&name, &local);
    const uint16_t port = local.port;
    (void)connect(fd, &none, sizeof(none));
    length = sizeof(name);
    if (getsockname(fd, (struct sockaddr *)&name, &length) != 0) {
        return;
    }
    ac_from_sockaddr(&name, &local);
    if (local.port == 0) {
        local.port = port;
        (void)bind(fd, (struct sockaddr *)&name, ac_to_sockaddr(&local, &name));
    }
}

/* On Linux, a connected socket keeps its source address, from which another one may be out of
   reach: it is disconnected first. A failure leaves the earlier peer. */
static inline int ac_system_connect(void *state, int64_t handle, const ac_address *address) {
    const int fd = (int)handle;
    struct sockaddr_storage name;
    struct sockaddr_storage peer;
    const socklen_t length = ac_to_sockaddr(address, &name);
    socklen_t peer_length = sizeof(peer);
    const bool had_peer = getpeername(fd, (struct sockaddr *)&peer, &peer_length) == 0;
    if (address->family == 0) {
        name.ss_family = AF_UNSPEC;
    } else if (had_peer) {
        ac_disconnect(fd);
    }
    if (connect(fd, (struct sockaddr *)&name, length) == 0) {
        return 0;
    }
    const int error = errno;
    if (had_peer) {
        (void)connect(fd, (struct sockaddr *)&peer, peer_length);
    }
    return -error;
}

static inline int ac_system_local_address(void *state, int64_t handle, ac_address *address) {
    struct sockaddr_storage name;
    socklen_t length = sizeof(name);
    if (getsockname((int)handle, (struct sockaddr *)&name, &length) != 0) {
        return -errno;
    }
    ac_from_sockaddr(&name, address);
    return 0;
}

static inline int ac_system_buffer_length(int fd, int option, int32_t *length) {
    int value = 0;
    socklen_t size = sizeof(value);
    if (getsockopt(fd, SOL_SOCKET, option, &value, &size) != 0) {
        return -errno;
    }
#if defined(__linux__)
    value /= 2; /* the kernel doubles the requested value and returns the doubled one */
#endif
    *length = value;
    return 0;
}

static inline int ac_system_buffer_lengths(void *state, int64_t handle, int32_t *send,
                                           int32_t *receive) {
    const int result = ac_system_buffer_length((int)handle, SO_SNDBUF, send);
    return result < 0 ? result : ac_system_buffer_length((int)handle, SO_RCVBUF, receive);
}

static const ac_datagram_ops ac_system_datagram_ops = {
    .open = ac_system_open_socket,
    .close = ac_system_close,
    .send = ac_system_send,
    .receive = ac_system_receive,
    .connect = ac_system_connect,
    .local_address = ac_system_local_address,
    .buffer_lengths = ac_system_buffer_lengths,
};

/* One address of an interface. */
typedef struct ac_interface {
    const char *name;
    ac_address address;
    int32_t prefix_length;
    bool is_loopback;
    bool is_multicast;
} ac_interface;

static inline int32_t ac_prefix_length(const struct sockaddr *mask) {
    ac_address plain = {.family = 0};
    int32_t bits = 0;
    if (mask != NULL) {
        ac_from_sockaddr((const struct sockaddr_storage *)mask, &plain);
    }
    for (int i = 0; i < 16; i++) {
        bits += __builtin_popcount(plain.host[i]);
    }
    return bits;
}

/* Calls `entry` for each address of an interface that is up. */
static inline int ac_system_interfaces(void (*entry)(void *context, const ac_interface *each),
                                       void *context) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) {
        return -errno;
    }
    for (struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        if (each->ifa_addr == NULL || (each->ifa_flags & IFF_UP) == 0 ||
            (each->ifa_addr->sa_family != AF_INET && each->ifa_addr->sa_family != AF_INET6)) {
            continue;
        }
        ac_interface found = {
            .name = each->ifa_name,
            .prefix_length = ac_prefix_length(each->ifa_netmask),
            .is_loopback = (each->ifa_flags & IFF_LOOPBACK) != 0,
            .is_multicast = (each->ifa_flags & IFF_MULTICAST) != 0,
        };
        ac_from_sockaddr((const struct sockaddr_storage *)each->ifa_addr, &found.address);
        entry(context, &found);
    }
    freeifaddrs(all);
    return 0;
}

/* ---- files ---- */

/* The group of new files and directories; the state of the table below, NULL if no group is set. */
typedef struct ac_system_group {
    gid_t id;
} ac_system_group;

/* Set the final mode of a new file or directory, independent of the umask: a restrictive umask
   would make it useless for its owner, and a permissive one must not give rights to others. */
static inline int ac_system_give_access(const ac_system_group *group, int fd, bool is_directory) {
    mode_t wanted = is_directory ? 0700 : 0600;
    if (group != NULL) {
        wanted = is_directory ? 02770 : 0660;
        if (fchown(fd, (uid_t)-1, group->id) != 0) {
            return -errno;
        }
    }
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return -errno;
    }
    if ((status.st_mode & 07777) == wanted || fchmod(fd, wanted) == 0) {
        return 0;
    }
    /* A file system without modes. */
    return errno == EPERM || errno == ENOSYS || errno == ENOTSUP || errno == EOPNOTSUPP ? 0
                                                                                        : -errno;
}

/* Create a file; EEXIST if it exists. */
static inline int ac_system_make_file(const ac_system_group *group, const char *path, int mode) {
    int fd;
    do {
        fd = open(path, mode | O_CREAT | O_EXCL, 0600);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return -errno;
    }
    const int result = ac_system_give_access(group, fd, false);
    if (result < 0) {
        close(fd);
        unlink(path);
        return result;
    }
    return fd;
}

static inline int ac_system_open_there(const char *path, int mode) {
    int fd;
    do {
        fd = open(path, mode);
    } while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

static inline int64_t ac_system_open_file(void *state, const char *path, int flags) {
    int mode = O_CLOEXEC;
    if ((flags & AC_FILE_WRITE) != 0) {
        /* A link created by another user must not redirect our writes. */
        mode |= O_RDWR | O_NOFOLLOW;
        mode |= (flags & AC_FILE_TRUNCATE) != 0 ? O_TRUNC : 0;
    } else if (flags != AC_FILE_READ) {
        return -EINVAL;
    }
    int fd = -ENOENT;
    if ((flags & AC_FILE_EXCLUSIVE) != 0) {
        fd = ac_system_make_file(state, path, mode);
    } else if ((flags & AC_FILE_CREATE) != 0) {
        /* Another process may create or remove it in between, but not forever. */
        for (int attempt = 0; fd == -ENOENT && attempt < 8; attempt++) {
            fd = ac_system_make_file(state, path, mode);
            if (fd == -EEXIST) {
                fd = ac_system_open_there(path, mode);
            } else if (fd == -ENOENT) {
                break; /* its directory */
            }
        }
    } else {
        fd = ac_system_open_there(path, mode);
    }
    if (fd < 0) {
        return fd;
    }
    struct stat status;
    const int result = fstat(fd, &status) != 0 ? -errno : S_ISDIR(status.st_mode) ? -EISDIR : 0;
    if (result < 0) {
        close(fd);
        return result;
    }
    return fd;
}

static inline int64_t ac_system_read_at(void *state, int64_t handle, void *data, int64_t length,
                                        int64_t offset) {
    int64_t done = 0;
    while (done < length) {
        const ssize_t moved =
            pread((int)handle, (uint8_t *)data + done, (size_t)(length - done), offset + done);
        if (moved > 0) {
            done += moved;
        } else if (moved == 0) {
            break;
        } else if (errno != EINTR) {
            return done > 0 ? done : -errno;
        }
    }
    return done;
}

static inline int64_t ac_system_write_at(void *state, int64_t handle, const void *data,
                                         int64_t length, int64_t offset) {
    int64_t done = 0;
    while (done < length) {
        const ssize_t moved = pwrite((int)handle, (const uint8_t *)data + done,
                                     (size_t)(length - done), offset + done);
        if (moved >= 0) {
            done += moved;
        } else if (errno != EINTR) {
            return done > 0 ? done : -errno;
        }
    }
    return done;
}

static inline int64_t ac_system_length(void *state, int64_t handle) {
    struct stat status;
    return fstat((int)handle, &status) == 0 ? (int64_t)status.st_size : -errno;
}

static inline int ac_system_truncate(void *state, int64_t handle, int64_t length) {
    return ftruncate((int)handle, length) == 0 ? 0 : -errno;
}

static inline int ac_system_allocate(void *state, int64_t handle, int64_t offset, int64_t length) {
#if defined(__APPLE__)
    struct stat status;
    if (fstat((int)handle, &status) != 0) {
        return -errno;
    }
    if (offset + length > status.st_size) {
        fstore_t request = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, offset + length - status.st_size, 0};
        if (fcntl((int)handle, F_PREALLOCATE, &request) != 0 ||
            ftruncate((int)handle, offset + length) != 0) {
            return -errno;
        }
    }
    return 0;
#else
    int result;
    do {
        result = posix_fallocate((int)handle, offset, length);
    } while (result == EINTR);
    return -result;
#endif
}

static inline int ac_system_sync(void *state, int64_t handle, int level) {
    if (level == AC_SYNC_NONE) {
        return 0;
    }
#if defined(__APPLE__)
    return fcntl((int)handle, F_FULLFSYNC) == 0 ? 0 : -errno;
#else
    return (level == AC_SYNC_DATA ? fdatasync((int)handle) : fsync((int)handle)) == 0 ? 0 : -errno;
#endif
}

static inline int ac_system_lock(void *state, int64_t handle) {
    if (flock((int)handle, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    return errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

static inline int ac_system_map(void *state, int64_t handle, int64_t offset, int64_t length,
                                bool writable, void **address) {
    void *found = mmap(NULL, (size_t)length, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED,
                       (int)handle, offset);
    if (found == MAP_FAILED) {
        return -errno;
    }
    *address = found;
    return 0;
}

static inline int ac_system_unmap(void *state, void *address, int64_t length) {
    return munmap(address, (size_t)length) == 0 ? 0 : -errno;
}

static inline int ac_system_rename(void *state, const char *from, const char *to) {
    return rename(from, to) == 0 ? 0 : -errno;
}

static inline int ac_system_remove(void *state, const char *path) {
    return remove(path) == 0 ? 0 : -errno;
}

static inline int ac_system_make_directory(void *state, const char *path) {
    if (mkdir(path, 0700) != 0) {
        return -errno;
    }
    /* The umask may have removed even the owner's access. */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && chmod(path, 0700) == 0) {
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) {
        return -errno;
    }
    const int result = ac_system_give_access(state, fd, true);
    close(fd);
    if (result < 0) {
        rmdir(path);
    }
    return result;
}

static inline int ac_system_sync_directory(void *state, const char *path) {
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    const int result = fsync(fd) == 0 ? 0 : -errno;
    close(fd);
    return result;
}

static inline int ac_system_kind(void *state, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    }
    return S_ISDIR(status.st_mode) ? 2 : 1;
}

static inline int64_t ac_system_usable_space(void *state, const char *path) {
    struct statvfs status;
    if (statvfs(path, &status) != 0) {
        return -errno;
    }
    return (int64_t)status.f_bavail * (int64_t)status.f_frsize;
}

static inline int ac_system_list(void *state, const char *path,
                                 void (*entry)(void *context, const char *name), void *context) {
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return -errno;
    }
    for (;;) {
        errno = 0;
        const struct dirent *each = readdir(directory);
        if (each == NULL) {
            break;
        }
        if (strcmp(each->d_name, ".") != 0 && strcmp(each->d_name, "..") != 0) {
            entry(context, each->d_name);
        }
    }
    const int result = -errno;
    closedir(directory);
    return result;
}

static const ac_file_ops ac_system_file_ops = {
    .open = ac_system_open_file,
    .close = ac_system_close,
    .read_at = ac_system_read_at,
    .write_at = ac_system_write_at,
    .length = ac_system_length,
    .truncate = ac_system_truncate,
    .allocate = ac_system_allocate,
    .sync = ac_system_sync,
    .lock = ac_system_lock,
    .map = ac_system_map,
    .unmap = ac_system_unmap,
    .rename = ac_system_rename,
    .remove = ac_system_remove,
    .make_directory = ac_system_make_directory,
    .sync_directory = ac_system_sync_directory,
    .kind = ac_system_kind,
    .usable_space = ac_system_usable_space,
    .list = ac_system_list,
};

#endif
