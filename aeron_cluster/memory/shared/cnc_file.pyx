"""The CnC file, shared by a driver and its clients.

``CncFileDescriptor`` in Aeron.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT32_MAX
from libc.string cimport memset

from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_opaque_i32, store_release_i32
from aeron_cluster.memory.shared.commands cimport (
    BROADCAST_TRAILER_LENGTH,
    CNC_HEADER_LENGTH,
    CNC_VERSION,
    RING_TRAILER_LENGTH,
)
from aeron_cluster.memory.shared.counters_layout cimport (
    COUNTER_METADATA_LENGTH,
    COUNTER_VALUE_LENGTH,
)
from aeron_cluster.memory.shared.ring_buffer cimport (
    ring_buffer,
    ring_consumer_heartbeat_ms,
    ring_init,
    ring_next_correlation_id,
    ring_set_consumer_heartbeat_ms,
)
from aeron_cluster.memory.system.fork cimport check_not_forked, fork_generation
from aeron_cluster.memory.system.seams cimport Files

from aeron_cluster.errors import ClosedError, ConfigurationError, CorruptError, VersionError
from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter
from aeron_cluster.memory.shared.counters import CountersManager, CountersReader
from aeron_cluster.memory.shared.error_log import DistinctErrorLog
from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer

CNC_FILE_NAME = "cnc.dat"

cdef enum:
    COUNTERS_PIECE = 256  # number of counters for which disk blocks are allocated at a time

# The lengths in the header: by offset, the field, and its condition.
_LENGTHS = {
    4: ("to_driver_buffer_length", "a power of two from 64, and 768"),
    8: ("to_clients_buffer_length", "a power of two from 64, and 128"),
    12: ("counters_metadata_buffer_length", "512 bytes for each counter"),
    16: ("counters_values_buffer_length", "128 bytes for each counter, at least one"),
    20: ("error_log_buffer_length", "24 bytes or more, a multiple of 8"),
}


cdef inline bint is_buffer_length(int64_t length, int64_t trailer_length) noexcept nogil:
    """Return whether a length is a power of two plus a trailer."""
    cdef int64_t capacity = length - trailer_length
    return capacity >= 64 and (capacity & (capacity - 1)) == 0


cdef int cnc_sections_init(cnc_sections *sections, void *memory, int64_t length) noexcept nogil:
    cdef cnc_header *header = <cnc_header *>memory
    cdef uint8_t *address = <uint8_t *>memory + CNC_HEADER_LENGTH
    cdef int64_t counters, total
    memset(sections, 0, sizeof(cnc_sections))
    # Each length is read once, since other processes can write to the file.
    sections.header = header
    sections.to_driver_length = load_opaque_i32(&header.to_driver_buffer_length)
    sections.to_clients_length = load_opaque_i32(&header.to_clients_buffer_length)
    sections.counters_metadata_length = load_opaque_i32(&header.counters_metadata_buffer_length)
    sections.counters_values_length = load_opaque_i32(&header.counters_values_buffer_length)
    sections.error_log_length = load_opaque_i32(&header.error_log_buffer_length)
    counters = sections.counters_values_length // COUNTER_VALUE_LENGTH
    total = (
        <int64_t>CNC_HEADER_LENGTH
        + max(sections.to_driver_length, 0)
        + max(sections.to_clients_length, 0)
        + max(sections.counters_metadata_length, 0)
        + max(sections.counters_values_length, 0)
        + max(sections.error_log_length, 0)
    )
    if total > length:
        return CNC_HEADER_LENGTH
    if not is_buffer_length(sections.to_driver_length, RING_TRAILER_LENGTH):
        return 4
    if not is_buffer_length(sections.to_clients_length, BROADCAST_TRAILER_LENGTH):
        return 8
    if counters < 1 or sections.counters_values_length & 7:
        return 16
    if (
        sections.counters_metadata_length // COUNTER_METADATA_LENGTH < counters
        or sections.counters_metadata_length & 7
    ):
        return 12
    if sections.error_log_length < 24 or sections.error_log_length & 7:
        return 20
    sections.to_driver = address
    sections.to_clients = sections.to_driver + sections.to_driver_length
    sections.counters_metadata = sections.to_clients + sections.to_clients_length
    sections.counters_values = sections.counters_metadata + sections.counters_metadata_length
    sections.error_log = sections.counters_values + sections.counters_values_length
    return 0


def version_text(int32_t version) -> str:
    """Return a CnC version as text: ``0.2.0``."""
    return f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}"


@cython.final
@cython.no_gc_clear  # a collection would drop the buffer without releasing it
cdef class CncFile:
    """A mapped CnC file.

    Create one with `create` (a driver) or `open` (a client).

    Attributes
    ----------
    path : str
        The file.

    Notes
    -----
    Rings, counters and logs over its sections keep the mapping alive.
    """

    def __init__(self, *args: object, **keywords: object) -> None:
        raise TypeError("CncFile: use create or open")

    def __dealloc__(self) -> None:
        PyBuffer_Release(&self.memory)

    @staticmethod
    def create(
        Files files not None,
        path: object,
        *,
        int32_t to_driver_buffer_length=1024 * 1024 + 768,
        int32_t to_clients_buffer_length=1024 * 1024 + 128,
        int32_t counters_values_buffer_length=8 * 1024 * 1024,
        int32_t error_log_buffer_length=4 * 1024 * 1024,
        int64_t client_liveness_timeout_ns,
        int64_t start_timestamp_ms,
        int64_t pid,
        int32_t file_page_size=4096,
    ) -> CncFile:
        """Create a driver's file; clients wait until `signal_ready` was called.

        Parameters
        ----------
        files : Files
            The seam.
        path : path-like
            The path, which must not exist yet.
        to_driver_buffer_length, to_clients_buffer_length : int
            Lengths of the command ring and the event buffer: a power of two, plus 768 or 128 bytes.
        counters_values_buffer_length : int
            128 bytes per counter; the metadata use four times as much.
        error_log_buffer_length : int
            In bytes.
        client_liveness_timeout_ns : int
            The client liveness timeout, in ns.
        start_timestamp_ms : int
            The current time, in ms since 1970.
        pid : int
            The process id of the driver.
        file_page_size : int
            A power of two in bytes; the file's length is a multiple of it.

        Returns
        -------
        CncFile
            The file, with everything except the version in its header.

        Raises
        ------
        ConfigurationError
            A length is invalid.
        InsufficientSpaceError
            There is not enough space.
        PlatformError
            The file already exists, or cannot be created.
        """
        if file_page_size < 4096 or file_page_size & (file_page_size - 1):
            raise ConfigurationError("file_page_size", "a power of two from 4096", file_page_size)
        cdef cnc_header header
        cdef int64_t length = CNC_HEADER_LENGTH
        memset(&header, 0, sizeof(header))
        header.to_driver_buffer_length = to_driver_buffer_length
        header.to_clients_buffer_length = to_clients_buffer_length
        header.counters_metadata_buffer_length = <int32_t>min(
            <int64_t>counters_values_buffer_length * 4, <int64_t>INT32_MAX)
        header.counters_values_buffer_length = counters_values_buffer_length
        header.error_log_buffer_length = error_log_buffer_length
        header.client_liveness_timeout_ns = client_liveness_timeout_ns
        header.start_timestamp_ms = start_timestamp_ms
        header.pid = pid
        header.file_page_size = file_page_size
        for part in (
            to_driver_buffer_length,
            to_clients_buffer_length,
            <int64_t>counters_values_buffer_length * 5,
            error_log_buffer_length,
        ):
            length += max(<int64_t>part, <int64_t>0)
        length = (length + file_page_size - 1) & ~<int64_t>(file_page_size - 1)
        if length > INT32_MAX:
            raise ConfigurationError("CnC file length", f"{INT32_MAX} bytes or less", length)
        # The lengths in the header are checked before the file is created.
        cdef cnc_sections sections
        wrong = cnc_sections_init(&sections, &header, length)
        if wrong:
            name, expected = _LENGTHS[wrong]
            raise ConfigurationError(
                name, expected, (<int32_t *>(<uint8_t *>&header + <int>wrong))[0])
        cdef CncFile self = CncFile.__new__(CncFile)
        cdef MappedFile file
        # Counters are by far the largest part, and few of them are ever used.
        with files.open(path, exclusive=True) as opened:
            try:
                opened.truncate(length)
                used = CNC_HEADER_LENGTH + to_driver_buffer_length + to_clients_buffer_length
                opened.allocate(0, used)
                used += counters_values_buffer_length + header.counters_metadata_buffer_length
                opened.allocate(used, length - used)
                file = MappedFile.of(opened, writable=True)
                (<cnc_header *>file.address)[0] = header
                self.place(file)
                self.make_counters_room(files, 1)
            except BaseException:
                files.remove(path)
                raise
        return self

    def make_counters_room(self, Files files not None, int32_t count) -> int:
        """Allocate disk blocks for a number of counters and some more.

        Parameters
        ----------
        files : Files
            The seam.
        count : int
            Counters with ids below this number get blocks.

        Returns
        -------
        int
            The number of counters with allocated blocks.

        Raises
        ------
        ClosedError
            This object is closed.
        InsufficientSpaceError
            The disk is full.
        PlatformError
            The file is missing, or cannot be written.

        Notes
        -----
        For the driver, before it allocates a counter. Readers of the counters stop at the first one
        that was never used.
        """
        cdef int64_t room = self.sections.counters_metadata_length // COUNTER_METADATA_LENGTH
        cdef const uint8_t *begin = <const uint8_t *>self.memory.buf
        room = min(room, (<int64_t>count + COUNTERS_PIECE - 1) // COUNTERS_PIECE * COUNTERS_PIECE)
        self.check_open()
        with files.open(self.path, write=True) as file:
            file.allocate(self.sections.counters_metadata - begin, room * COUNTER_METADATA_LENGTH)
            file.allocate(self.sections.counters_values - begin, room * COUNTER_VALUE_LENGTH)
        return room

    @staticmethod
    def is_ready(Files files not None, path: object) -> bool:
        """Return whether a driver has finished the file at ``path``, so that it can be opened."""
        if not files.is_file(path):
            return False
        try:
            opened = files.open(path)
        except FileNotFoundError:
            return False  # a driver that ended or is starting has just removed it
        with opened as file:
            head = file.read_at(CNC_HEADER_LENGTH, 0)
            return len(head) == CNC_HEADER_LENGTH < file.length and any(head[:4])

    @staticmethod
    def open(Files files not None, path: object) -> CncFile:
        """Map a driver's file as its client.

        Parameters
        ----------
        files : Files
            The seam.
        path : path-like
            The file.

        Raises
        ------
        VersionError
            The driver has another version.
        CorruptError
            The file is not a complete CnC file.
        PlatformError
            The file is missing, or cannot be mapped.
        """
        cdef CncFile self = CncFile.__new__(CncFile)
        cdef MappedFile file = MappedFile.open(files, path, writable=True)
        if file.length <= CNC_HEADER_LENGTH:
            raise CorruptError(
                file.path, 0, "length", f"more than {CNC_HEADER_LENGTH}", file.length)
        # Pairs with the release in signal_ready: the other fields are visible with the version.
        cdef int32_t version = load_acquire_i32(file.address)
        if version == 0:
            raise CorruptError(
                file.path, 0, "CnC version", "one (the driver has not finished it)", 0)
        if version >> 16 != CNC_VERSION >> 16 or (version >> 8 & 0xFF) < (CNC_VERSION >> 8 & 0xFF):
            raise VersionError(
                file.path, 0, "CnC version",
                f"{version_text(CNC_VERSION)} or a later {CNC_VERSION >> 16}.x (Aeron 1.51)",
                f"{version_text(version)} ({version})")
        self.place(file)
        return self

    cdef int place(self, MappedFile file) except -1:
        cdef int wrong
        PyObject_GetBuffer(file, &self.memory, PyBUF_SIMPLE | PyBUF_WRITABLE)
        self.file = file
        self.path = file.path
        wrong = cnc_sections_init(&self.sections, self.memory.buf, self.memory.len)
        if wrong == CNC_HEADER_LENGTH:
            raise CorruptError(
                file.path, 4, "length of the sections",
                f"{file.length - CNC_HEADER_LENGTH} bytes or less", self.section_lengths)
        if wrong:
            name, expected = _LENGTHS[wrong]
            raise CorruptError(
                file.path, wrong, name, expected,
                (<int32_t *>(<uint8_t *>self.memory.buf + wrong))[0])
        self.generation = fork_generation()
        self.is_open = True
        return 0

    def signal_ready(self, int64_t now_ms) -> None:
        """Signal readiness to clients: the first heartbeat, and the version.

        Parameters
        ----------
        now_ms : int
            The time, in ms since 1970.

        Notes
        -----
        Called once by a driver, when everything that clients may read is initialised. The first
        correlation id is skipped, so that clients start with 1: in some places 0 means none.
        """
        self.check_open()
        cdef ring_buffer ring
        ring_init(&ring, self.sections.to_driver, self.sections.to_driver_length)
        ring_next_correlation_id(&ring)
        ring_set_consumer_heartbeat_ms(&ring, now_ms)
        store_release_i32(&self.sections.header.cnc_version, CNC_VERSION)

    def close(self) -> None:
        """Reject every further call; the memory is released with this object and its parts."""
        self.is_open = False
        if self.file is not None:
            self.file.close()

    def __enter__(self) -> CncFile:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<CncFile {self.path}, {'open' if self.is_open else 'closed'}>"

    @property
    def closed(self) -> bool:
        """Whether this was closed."""
        return not self.is_open

    @property
    def length(self) -> int:
        """The length of the file in bytes."""
        return self.memory.len

    @property
    def section_lengths(self) -> tuple[int, int, int, int, int]:
        """Lengths of command ring, event buffer, the counters' metadata and values, the log."""
        return (
            self.sections.to_driver_length,
            self.sections.to_clients_length,
            self.sections.counters_metadata_length,
            self.sections.counters_values_length,
            self.sections.error_log_length,
        )

    @property
    def version(self) -> int:
        """The file's version, ``major << 16 | minor << 8 | patch``; 0 until it is ready."""
        self.check_open()
        return load_acquire_i32(&self.sections.header.cnc_version)

    @property
    def client_liveness_timeout_ns(self) -> int:
        """The client liveness timeout, in ns."""
        self.check_open()
        return self.sections.header.client_liveness_timeout_ns

    @property
    def start_timestamp_ms(self) -> int:
        """The start time of the driver, in ms since 1970."""
        self.check_open()
        return self.sections.header.start_timestamp_ms

    @property
    def pid(self) -> int:
        """The driver's process id."""
        self.check_open()
        return self.sections.header.pid

    @property
    def file_page_size(self) -> int:
        """The page size of log buffers, in bytes; 4096 in files without the field."""
        self.check_open()
        return self.sections.header.file_page_size or 4096

    @property
    def driver_heartbeat_ms(self) -> int:
        """The driver's last activity, in ms since 1970; -1 once it has closed."""
        self.check_open()
        cdef ring_buffer ring
        ring_init(&ring, self.sections.to_driver, self.sections.to_driver_length)
        return ring_consumer_heartbeat_ms(&ring)

    def is_driver_active(self, int64_t now_ms, int64_t timeout_ms) -> bool:
        """Return whether the driver was active within the timeout; both in ms."""
        heartbeat_ms = self.driver_heartbeat_ms
        return heartbeat_ms > 0 and now_ms - heartbeat_ms <= timeout_ms

    def to_driver(self) -> ManyToOneRingBuffer:
        """Return a ring over the commands from clients to the driver."""
        return ManyToOneRingBuffer(
            self.section(self.sections.to_driver, self.sections.to_driver_length))

    def to_clients_transmitter(self) -> BroadcastTransmitter:
        """Return the transmitter of events to clients."""
        return BroadcastTransmitter(
            self.section(self.sections.to_clients, self.sections.to_clients_length))

    def to_clients_receiver(self) -> BroadcastReceiver:
        """Return a receiver of events to clients."""
        return BroadcastReceiver(
            self.section(self.sections.to_clients, self.sections.to_clients_length))

    def counters_reader(self) -> CountersReader:
        """Return a reader of the counters."""
        return CountersReader(
            self.section(
                self.sections.counters_metadata, self.sections.counters_metadata_length),
            self.section(self.sections.counters_values, self.sections.counters_values_length))

    def counters_manager(self, int64_t reuse_timeout_ms=1000) -> CountersManager:
        """Return the driver's manager of the counters.

        Parameters
        ----------
        reuse_timeout_ms : int
            The time before a freed counter is reused, in ms.
        """
        return CountersManager(
            self.section(
                self.sections.counters_metadata, self.sections.counters_metadata_length),
            self.section(self.sections.counters_values, self.sections.counters_values_length),
            reuse_timeout_ms)

    def error_log(self) -> DistinctErrorLog:
        """Return the log of the driver's errors."""
        return DistinctErrorLog(
            self.section(self.sections.error_log, self.sections.error_log_length))

    cdef object section(self, const uint8_t *address, int32_t length):
        self.check_open()
        offset = address - <const uint8_t *>self.memory.buf
        return memoryview(self.file)[offset:offset + length]

    cdef int check_open(self) except -1:
        if not self.is_open:
            raise ClosedError(f"{self.path}: expected an open CnC file, found it closed")
        return check_not_forked(self.generation, self.path)
