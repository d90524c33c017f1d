"""Time, randomness, datagrams and files, as passed to every component.

Each class owns one table of `include/aeron_cluster/seams.h`. Agents call the table without the GIL;
the methods here are the same calls for code that has it, with typed exceptions.
"""

import grp
import ipaddress
import os
import socket

cimport cython
from cpython.buffer cimport (
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.errno cimport EAGAIN, EEXIST, ENOENT, ENOSPC, ENOTEMPTY
from libc.string cimport memcpy, memset

from aeron_cluster.memory.system.check cimport check

from aeron_cluster.errors import ClosedError, ConfigurationError, InsufficientSpaceError
from aeron_cluster.memory.system.address import Address, Interface
from aeron_cluster.memory.system.file_access import FileAccess, access_of, allocated_space_of
from aeron_cluster.memory.system.process import SystemProcesses


cdef extern from "aeron_cluster/atomic.h" nogil:
    int64_t ac_get_and_add_i64(void *address, int64_t delta) noexcept


cdef extern from "aeron_cluster/system.h" nogil:
    int64_t ac_system_nano_time(void *state) noexcept
    int64_t ac_system_epoch_nanos(void *state) noexcept
    const datagram_ops ac_system_datagram_ops
    const file_ops ac_system_file_ops

    ctypedef struct ac_system_group:
        unsigned int id

    ctypedef struct ac_interface:
        const char *name
        address address
        int32_t prefix_length
        bint is_loopback
        bint is_multicast

    int ac_system_interfaces(void (*entry)(void *context, const ac_interface *each) noexcept nogil,
                             void *context) noexcept


# ---- time ----

cdef class Clock:
    """A monotonic and a wall clock. Safe from any thread unless a subclass restricts it."""

    def nano_time(self) -> int:
        """Return the monotonic time, in ns from an arbitrary origin."""
        return nano_time(&self.c)

    def epoch_nanos(self) -> int:
        """Return the wall clock's time, in ns since 1970."""
        return epoch_nanos(&self.c)

    def epoch_ms(self) -> int:
        """Return the wall clock's time, in ms since 1970."""
        return epoch_ms(&self.c)


cdef class SystemClock(Clock):
    """The system's clocks."""

    def __cinit__(self):
        self.c.nano_time = ac_system_nano_time
        self.c.epoch_nanos = ac_system_epoch_nanos


cdef int64_t _cached_nano_time(void *state) noexcept nogil:
    return (<cached_clock *>state).nano_time


cdef int64_t _cached_epoch_nanos(void *state) noexcept nogil:
    return (<cached_clock *>state).epoch_nanos


cdef class CachedClock(Clock):
    """The readings of another clock at the last `update`.

    Parameters
    ----------
    source : Clock
        The source of the readings.

    Notes
    -----
    Only for the thread that updates it.
    """

    def __cinit__(self, Clock source not None):
        self._source = source
        self.c.nano_time = _cached_nano_time
        self.c.epoch_nanos = _cached_epoch_nanos
        self.c.state = &self.readings
        update_cached_clock(&self.readings, &source.c)

    def update(self) -> None:
        """Update the readings."""
        update_cached_clock(&self.readings, &self._source.c)


# ---- randomness ----

cdef uint64_t _next_seeded(void *state) noexcept nogil:
    # SplitMix64 (Steele, Lea, Flood 2014): a counter and a mix, so that threads may share it.
    cdef uint64_t word = (
        <uint64_t>ac_get_and_add_i64(state, <int64_t>0x9E3779B97F4A7C15u) + 0x9E3779B97F4A7C15u
    )
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu
    return word ^ (word >> 31)


cdef class Random:
    """A source of 64 random bits at a time."""

    def next(self) -> int:
        """Return 64 random bits."""
        return next_random(&self.c)

    def below(self, uint64_t limit) -> int:
        """Return a number from 0 up to, not including, ``limit``, each equally likely."""
        if limit == 0:
            raise ValueError("limit: expected > 0, found 0")
        # Only numbers below the largest multiple of the limit are used; others are drawn again.
        cdef uint64_t surplus = (0 - limit) % limit
        cdef uint64_t word = next_random(&self.c)
        while word < surplus:
            word = next_random(&self.c)
        return word % limit

    def uniform(self) -> float:
        """Return a number from 0 up to, not including, 1."""
        return <double>(next_random(&self.c) >> 11) * (1.0 / 9007199254740992.0)


cdef class SeededRandom(Random):
    """A sequence determined by the seed alone. Safe from any thread.

    Parameters
    ----------
    seed : int
        The seed; only its lowest 64 bits are used.
    """

    def __cinit__(self, seed=0):
        self._word = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
        self.c.next = _next_seeded
        self.c.state = &self._word

    def split(self) -> SeededRandom:
        """Return a new sequence, seeded by this one's next bits."""
        return SeededRandom(next_random(&self.c))


cdef class SystemRandom(SeededRandom):
    """A sequence seeded by the operating system."""

    def __cinit__(self):
        self._word = int.from_bytes(os.urandom(8), "little")


# ---- datagrams ----

cdef int address_from(object value, address *result) except -1:
    cdef bytes packed
    cdef const char *octets
    memset(result, 0, sizeof(address))
    if value is None:
        return 0
    literal = ipaddress.ip_address(value[0])
    packed = literal.packed
    octets = packed
    memcpy(result.host, octets, len(packed))
    result.family = literal.version
    result.port = value[1]
    result.scope_id = value[2] if len(value) > 2 else 0
    return 0


cdef object address_to(const address *value):
    if value.family == 0:
        return None
    length = 4 if value.family == 4 else 16
    host = ipaddress.ip_address(PyBytes_FromStringAndSize(<const char *>value.host, length))
    return Address(str(host), value.port, value.scope_id)


@cython.no_gc
cdef class DatagramSocket:
    """A non-blocking socket. Created by `Network.open`; close it, or use it in a `with`."""

    def __cinit__(self, Network network not None, int64_t handle):
        self._network = network
        self.handle = handle

    def __dealloc__(self):
        if self.handle >= 0:
            self._network.c.ops.close(self._network.c.state, self.handle)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    cdef int64_t _open_handle(self) except -1:
        if self.handle < 0:
            raise ClosedError("socket: closed")
        return self.handle

    def close(self) -> None:
        """Close the socket; calling it again does nothing."""
        cdef int64_t handle = self.handle
        if handle >= 0:
            self.handle = -1
            check(self._network.c.ops.close(self._network.c.state, handle), None)

    def send(self, data, to=None) -> bool:
        """Send one datagram.

        Parameters
        ----------
        data : bytes-like
            The payload.
        to : Address, optional
            The destination; not given on a connected socket.

        Returns
        -------
        bool
            False if the system has no space for it.
        """
        cdef Py_buffer view
        cdef datagram one
        cdef int64_t handle = self._open_handle()
        cdef int sent
        memset(&one, 0, sizeof(one))
        address_from(to, &one.address)
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            one.data = <uint8_t *>view.buf
            one.length = <int32_t>view.len
            sent = self._network.c.ops.send(self._network.c.state, handle, &one, 1)
        finally:
            PyBuffer_Release(&view)
        return check(sent, to) == 1

    def receive(self, int32_t capacity=65536):
        """Receive one datagram.

        Parameters
        ----------
        capacity : int
            The maximum length of a datagram, in bytes; the payload of a longer one is empty.

        Returns
        -------
        tuple of (bytes, Address, int) or None
            The payload, the sender, and the kernel's receive time in ns since 1970 (0 if timestamps
            are disabled); None if there is no datagram.
        """
        cdef datagram one
        cdef int64_t handle = self._open_handle()
        cdef bytes data = PyBytes_FromStringAndSize(NULL, capacity)
        memset(&one, 0, sizeof(one))
        one.data = <uint8_t *>PyBytes_AS_STRING(data)
        one.capacity = capacity
        if check(self._network.c.ops.receive(self._network.c.state, handle, &one, 1), None) == 0:
            return None
        return data[:one.length], address_to(&one.address), one.receive_epoch_nanos

    def connect(self, to) -> None:
        """Restrict the socket to one remote address; None lifts the restriction."""
        cdef address target
        cdef int64_t handle = self._open_handle()
        address_from(to, &target)
        check(self._network.c.ops.connect(self._network.c.state, handle, &target), to)

    @property
    def local_address(self) -> Address:
        """The bound address."""
        cdef address found
        cdef int64_t handle = self._open_handle()
        check(self._network.c.ops.local_address(self._network.c.state, handle, &found), None)
        return address_to(&found)

    @property
    def buffer_lengths(self) -> tuple[int, int]:
        """The send and the receive buffer's length, in bytes, as the system granted them."""
        cdef int32_t send = 0
        cdef int32_t receive = 0
        cdef int64_t handle = self._open_handle()
        check(self._network.c.ops.buffer_lengths(self._network.c.state, handle, &send, &receive),
              None)
        return send, receive


cdef class Network:
    """Sockets for datagrams, and the interfaces and host names."""

    def open(self, *, bind=None, connect=None, multicast_group=None, multicast_interface=None,
             multicast_ttl=0, send_buffer_length=0, receive_buffer_length=0, reuse_address=False,
             receive_time_stamps=False) -> DatagramSocket:
        """Open a socket.

        Parameters
        ----------
        bind, connect : Address, optional
            The local address, and the only remote one.
        multicast_group, multicast_interface : Address, optional
            The group to join; the interface to join and to send on, named by its address.
        multicast_ttl : int
            The TTL of datagrams to a group; 0 for the system's default.
        send_buffer_length, receive_buffer_length : int
            In bytes; 0 for the system's default. `DatagramSocket.buffer_lengths` has the granted
            lengths.
        reuse_address : bool
            Share the port with other sockets that allow it too.
        receive_time_stamps : bool
            Whether the kernel records the receive time of each datagram.

        Raises
        ------
        PlatformError
            The address is in use, or does not belong to this machine.
        """
        cdef socket_options options
        memset(&options, 0, sizeof(options))
        address_from(bind, &options.bind)
        address_from(connect, &options.connect)
        address_from(multicast_group, &options.multicast_group)
        address_from(multicast_interface, &options.multicast_interface)
        options.multicast_ttl = multicast_ttl
        options.send_buffer_length = send_buffer_length
        options.receive_buffer_length = receive_buffer_length
        options.reuse_address = reuse_address
        options.receive_time_stamps = receive_time_stamps
        about = bind or connect or multicast_group
        return DatagramSocket(self, check(self.c.ops.open(self.c.state, &options), about))

    def interfaces(self) -> list[Interface]:
        """Return every address of the interfaces that are up."""
        return []

    def resolve(self, str host not None, int family=0) -> list[str]:
        """Return the literal addresses of a name, the preferred first. May block.

        Parameters
        ----------
        host : str
            A name, or a literal address.
        family : int
            4 or 6; 0 means both.

        Raises
        ------
        OSError
            The name does not resolve.
        """
        return [str(ipaddress.ip_address(host))]


cdef void _add_interface(void *context, const ac_interface *each) noexcept with gil:
    (<list>context).append(Interface(
        each.name.decode(), address_to(&each.address), each.prefix_length, each.is_loopback,
        each.is_multicast,
    ))


cdef class UdpNetwork(Network):
    """The system's UDP sockets."""

    def __cinit__(self):
        self.c.ops = &ac_system_datagram_ops

    def interfaces(self) -> list[Interface]:
        found = []
        check(ac_system_interfaces(_add_interface, <void *>found), "interfaces")
        return found

    def resolve(self, str host not None, int family=0) -> list[str]:
        kind = {0: socket.AF_UNSPEC, 4: socket.AF_INET, 6: socket.AF_INET6}[family]
        answers = socket.getaddrinfo(host, None, kind, socket.SOCK_DGRAM)
        return list(dict.fromkeys([answer[4][0] for answer in answers]))


# ---- files ----

cdef bytes _encode(object path):
    return os.fsencode(path)


@cython.no_gc
cdef class File:
    """An open file. Created by `Files.open`; close it, or use it in a `with`.

    Notes
    -----
    Offsets are explicit, so threads may share a file while it is open.
    """

    def __cinit__(self, Files files not None, str path not None, int64_t handle):
        self._files = files
        self.path = path
        self.handle = handle

    def __dealloc__(self):
        if self.handle >= 0:
            self._files.c.ops.close(self._files.c.state, self.handle)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    cdef int64_t _open_handle(self) except -1:
        if self.handle < 0:
            raise ClosedError(f"{self.path}: closed")
        return self.handle

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        cdef int64_t handle = self.handle
        if handle >= 0:
            self.handle = -1
            check(self._files.c.ops.close(self._files.c.state, handle), self.path)

    @property
    def length(self) -> int:
        """The file's length, in bytes."""
        cdef int64_t handle = self._open_handle()
        return check(self._files.c.ops.length(self._files.c.state, handle), self.path)

    def read_at(self, int64_t length, int64_t offset) -> bytes:
        """Return ``length`` bytes from ``offset``; fewer only at the end of the file."""
        cdef bytes data = PyBytes_FromStringAndSize(NULL, length)
        cdef int64_t handle = self._open_handle()
        cdef char *place = PyBytes_AS_STRING(data)
        cdef int64_t moved
        with nogil:
            moved = self._files.c.ops.read_at(self._files.c.state, handle, place, length, offset)
        check(moved, self.path)
        return data if moved == length else data[:moved]

    def read_into(self, buffer, int64_t offset) -> int:
        """Fill a writable buffer from ``offset`` and return the bytes read."""
        cdef Py_buffer view
        cdef int64_t handle = self._open_handle()
        cdef int64_t moved
        PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE | PyBUF_WRITABLE)
        try:
            with nogil:
                moved = self._files.c.ops.read_at(self._files.c.state, handle, view.buf, view.len,
                                                  offset)
        finally:
            PyBuffer_Release(&view)
        return check(moved, self.path)

    def write_at(self, data, int64_t offset) -> None:
        """Write all of ``data`` at ``offset``.

        Raises
        ------
        InsufficientSpaceError
            The disk is full; a part may have been written.
        """
        cdef Py_buffer view
        cdef int64_t handle = self._open_handle()
        cdef int64_t moved
        cdef int64_t length
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            length = view.len
            with nogil:
                moved = self._files.c.ops.write_at(self._files.c.state, handle, view.buf, length,
                                                   offset)
        finally:
            PyBuffer_Release(&view)
        if check(moved, self.path) < length:
            raise InsufficientSpaceError(
                ENOSPC, f"{moved} of {length} bytes written at {offset}", self.path)

    def truncate(self, int64_t length) -> None:
        """Set the length of the file to ``length`` bytes; an added part is a hole."""
        cdef int64_t handle = self._open_handle()
        check(self._files.c.ops.truncate(self._files.c.state, handle, length), self.path)

    def allocate(self, int64_t offset, int64_t length) -> None:
        """Allocate disk blocks for a range, and extend the file; its content is unchanged."""
        cdef int64_t handle = self._open_handle()
        cdef int result
        with nogil:
            result = self._files.c.ops.allocate(self._files.c.state, handle, offset, length)
        check(result, self.path)

    def sync(self, int level=SYNC_ALL) -> None:
        """Wait until written data is on the disk.

        Parameters
        ----------
        level : int
            0 nothing, 1 the data, 2 the metadata too.
        """
        cdef int64_t handle = self._open_handle()
        cdef int result
        with nogil:
            result = self._files.c.ops.sync(self._files.c.state, handle, level)
        check(result, self.path)

    def lock(self) -> bool:
        """Lock the file for this handle until it is closed, and return whether that worked.

        The lock is advisory, and shared by forked children.
        """
        cdef int64_t handle = self._open_handle()
        cdef int result = self._files.c.ops.lock(self._files.c.state, handle)
        if result == -EAGAIN:
            return False
        check(result, self.path)
        return True


cdef void _add_name(void *context, const char *name) noexcept with gil:
    (<list>context).append(os.fsdecode(<bytes>name))


cdef class Files:
    """Files and directories. Paths are `str` or `os.PathLike`."""

    def open(self, path, *, bint write=False, bint create=False, bint exclusive=False,
             bint truncate=False) -> File:
        """Open a file.

        Parameters
        ----------
        path : path-like
            The path.
        write : bool
            Open it for reading and writing; implied by the others.
        create : bool
            Create it if it is missing, for its owner only.
        exclusive : bool
            Create it, and fail if it exists.
        truncate : bool
            Truncate it.

        Raises
        ------
        PlatformError
            Also the matching `FileNotFoundError`, `FileExistsError`, `PermissionError`,
            `IsADirectoryError`.
        """
        cdef int flags = FILE_READ
        if write or create or exclusive or truncate:
            flags = FILE_WRITE
        if create:
            flags |= FILE_CREATE
        if exclusive:
            flags |= FILE_EXCLUSIVE
        if truncate:
            flags |= FILE_TRUNCATE
        cdef bytes encoded = _encode(path)
        cdef int64_t handle = check(self.c.ops.open(self.c.state, encoded, flags), path)
        return File(self, os.fspath(path), handle)

    def read(self, path) -> bytes:
        """Return a whole file."""
        with self.open(path) as file:
            return file.read_at(file.length, 0)

    def replace(self, path, data) -> None:
        """Replace a file atomically and durably: a reader sees the old or the new one."""
        beside = f"{os.fspath(path)}.tmp"
        with self.open(beside, create=True, truncate=True) as file:
            try:
                file.write_at(data, 0)
            except InsufficientSpaceError:
                self.remove(beside)
                raise
            file.sync()
        self.rename(beside, path)
        self.sync_directory(os.path.dirname(os.path.abspath(path)))

    def rename(self, source, target) -> None:
        """Rename a file, replacing one of that name."""
        cdef bytes old = _encode(source)
        cdef bytes new = _encode(target)
        check(self.c.ops.rename(self.c.state, old, new), source)

    def remove(self, path) -> None:
        """Remove a file, a link or an empty directory."""
        cdef bytes encoded = _encode(path)
        check(self.c.ops.remove(self.c.state, encoded), path)

    def remove_tree(self, path) -> None:
        """Remove a file or a directory with all in it; links are removed, never followed.

        A missing path is not an error.
        """
        cdef bytes encoded = _encode(path)
        cdef int result = self.c.ops.remove(self.c.state, encoded)
        # Only a directory fails because it is not empty: a link to a directory is just removed.
        if result == -ENOTEMPTY or result == -EEXIST:
            for name in self.list(path):
                self.remove_tree(os.path.join(path, name))
            result = self.c.ops.remove(self.c.state, encoded)
        if result != -ENOENT:
            check(result, path)

    def make_directory(self, path, *, bint parents=False) -> None:
        """Create a directory for its owner only; its name is on the disk when this returns.

        Parameters
        ----------
        path : path-like
            The path; an existing one is an error.
        parents : bool
            Create missing parents too, and accept existing directories.
        """
        cdef bytes encoded = _encode(path)
        cdef int result = self.c.ops.make_directory(self.c.state, encoded)
        if parents and result == -ENOENT:
            above = os.path.dirname(os.fspath(path))
            if above and above != path:
                self.make_directory(above, parents=True)
                result = self.c.ops.make_directory(self.c.state, encoded)
        if parents and result == -EEXIST and self.is_directory(path):
            return
        check(result, path)
        self.sync_directory(os.path.dirname(os.path.abspath(os.fspath(path))))

    def sync_directory(self, path) -> None:
        """Wait until the names in a directory are on the disk."""
        cdef bytes encoded = _encode(path)
        cdef const char *name = encoded
        cdef int result
        with nogil:
            result = self.c.ops.sync_directory(self.c.state, name)
        check(result, path)

    def is_file(self, path) -> bool:
        """Return whether a path is an existing file."""
        cdef bytes encoded = _encode(path)
        return check(self.c.ops.kind(self.c.state, encoded), path) == 1

    def is_directory(self, path) -> bool:
        """Return whether a path is an existing directory."""
        cdef bytes encoded = _encode(path)
        return check(self.c.ops.kind(self.c.state, encoded), path) == 2

    def exists(self, path) -> bool:
        """Return whether a path exists."""
        cdef bytes encoded = _encode(path)
        return check(self.c.ops.kind(self.c.state, encoded), path) != 0

    def access(self, path) -> FileAccess | None:
        """Return the owner and mode of a file or directory; None if it does not exist.

        Links are not followed.
        """
        return FileAccess.private() if self.exists(path) else None

    def allocated_space(self, path) -> int:
        """Return the disk space of a file, in bytes; 0 without a file."""
        try:
            with self.open(path) as file:
                return file.length
        except FileNotFoundError:
            return 0

    def usable_space(self, path) -> int:
        """Return the free bytes of the file system of ``path``."""
        cdef bytes encoded = _encode(path)
        return check(self.c.ops.usable_space(self.c.state, encoded), path)

    def list(self, path) -> list[str]:
        """Return the names in a directory, sorted."""
        cdef bytes encoded = _encode(path)
        found = []
        check(self.c.ops.list(self.c.state, encoded, _add_name, <void *>found), path)
        return sorted(found)


cdef class SystemFiles(Files):
    """The system's files: new ones are private to the owner, regardless of the umask."""

    def __cinit__(self, *args, **options):
        self.c.ops = &ac_system_file_ops

    def access(self, path) -> FileAccess | None:
        return access_of(path)

    def allocated_space(self, path) -> int:
        # Less than the length for a sparse file, and more for one allocated ahead.
        return allocated_space_of(path)


@cython.final
cdef class GroupFiles(SystemFiles):
    """The system's files: new ones are readable and writable for their owner and a group.

    Parameters
    ----------
    group : str
        The group's name or number; the process must be a member, or root.

    Raises
    ------
    ConfigurationError
        There is no such group.

    Notes
    -----
    The group has all of the owner's rights, since tools write to shared files.
    """

    cdef ac_system_group group

    def __cinit__(self, str group not None):
        try:
            self.group.id = int(group) if group.isdecimal() else grp.getgrnam(group).gr_gid
        except (KeyError, OverflowError, ValueError):
            raise ConfigurationError("group", "a group of this machine", group) from None
        self.c.state = &self.group


# ---- all of them ----

cdef class Seams:
    """The seams of a component; by default the real ones.

    Parameters
    ----------
    clock : Clock, optional
    random : Random, optional
    network : Network, optional
    files : Files, optional
    processes : Processes, optional
        The processes that may use a directory.
    """

    def __cinit__(self, *, Clock clock=None, Random random=None, Network network=None,
                  Files files=None, processes=None):
        self.clock = SystemClock() if clock is None else clock
        self.random = SystemRandom() if random is None else random
        self.network = UdpNetwork() if network is None else network
        self.files = SystemFiles() if files is None else files
        self.processes = SystemProcesses() if processes is None else processes
