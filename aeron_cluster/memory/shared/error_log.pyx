# cython: freethreading_compatible=True
"""The distinct error log: each error once, with its count and times.

Agrona's ``DistinctErrorLog`` and ``ErrorLogReader``. A record is ``int32 length, int32 count, int64
last_ms, int64 first_ms`` and the text, at a multiple of 8; length counts the 24 bytes before it.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT32_MAX, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset

from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i32,
    get_and_add_i32,
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i32,
    spin_wait_hint,
    store_release_i32,
    store_release_i64,
)

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.shared.error_text import ErrorLogEntry, describe_error

cdef int64_t HEADER_LENGTH = 24
cdef int64_t COUNT_OFFSET = 4
cdef int64_t LAST_OFFSET = 8
cdef int64_t FIRST_OFFSET = 16


cdef inline int64_t align(int64_t length) noexcept nogil:
    return (length + 7) & ~<int64_t>7


cdef inline bint is_record_length(int32_t length, int64_t available) noexcept nogil:
    return length >= HEADER_LENGTH and length <= available


cdef uint64_t hash_of(const char *text, int32_t length) noexcept nogil:
    """FNV-1a."""
    cdef uint64_t result = 0xCBF29CE484222325
    cdef int32_t i
    for i in range(length):
        result = (result ^ <uint8_t>text[i]) * <uint64_t>0x100000001B3
    return result


# ---- writing ----


cdef int remember(
        error_log *log, int64_t offset, const char *text, int32_t length) noexcept nogil:
    cdef error_observation *grown
    cdef error_observation *added
    cdef int32_t capacity
    if log.observation_count == log.observation_capacity:
        capacity = max(16, 2 * log.observation_capacity)
        grown = <error_observation *>realloc(
            log.observations, capacity * sizeof(error_observation))
        if grown == NULL:
            return ErrorLogStatus.ERROR_LOG_NO_MEMORY
        log.observations = grown
        log.observation_capacity = capacity
    added = &log.observations[log.observation_count]
    added.hash = hash_of(text, length)
    added.offset = offset
    added.length = length
    log.observation_count += 1
    return ErrorLogStatus.ERROR_LOG_OK


cdef int error_log_init(error_log *log, void *memory, int64_t length) noexcept nogil:
    cdef int32_t record_length
    memset(log, 0, sizeof(error_log))
    if length < HEADER_LENGTH or length > INT32_MAX or <uintptr_t>memory & 7:
        return ErrorLogStatus.ERROR_LOG_INVALID_CAPACITY
    log.buffer = <uint8_t *>memory
    log.capacity = length
    while log.next_offset + HEADER_LENGTH <= length:
        record_length = load_acquire_i32(log.buffer + log.next_offset)
        if record_length <= 0:
            break
        if not is_record_length(record_length, length - log.next_offset):
            log.next_offset = length  # unreadable content is not overwritten
            break
        if remember(
            log, log.next_offset, <const char *>(log.buffer + log.next_offset + HEADER_LENGTH),
            record_length - <int32_t>HEADER_LENGTH
        ) != ErrorLogStatus.ERROR_LOG_OK:
            error_log_free(log)
            return ErrorLogStatus.ERROR_LOG_NO_MEMORY
        log.next_offset += align(record_length)
    return ErrorLogStatus.ERROR_LOG_OK


cdef void error_log_free(error_log *log) noexcept nogil:
    free(log.observations)
    log.observations = NULL
    log.observation_count = 0
    log.observation_capacity = 0


cdef int64_t offset_of(error_log *log, const char *text, int32_t length) noexcept nogil:
    """Return the offset of the record with this text, or -1."""
    cdef uint64_t hash = hash_of(text, length)
    cdef error_observation *known
    cdef int32_t i
    for i in range(log.observation_count):
        known = &log.observations[i]
        if (
            known.hash == hash
            and known.length == length
            and memcmp(log.buffer + known.offset + HEADER_LENGTH, text, length) == 0
        ):
            return known.offset
    return -1


cdef int record_locked(
        error_log *log, int64_t now_ms, const char *text, int32_t length) noexcept nogil:
    cdef int64_t offset = offset_of(log, text, length)
    cdef int status = ErrorLogStatus.ERROR_LOG_OK
    cdef uint8_t *record
    if offset < 0:
        offset = log.next_offset
        if HEADER_LENGTH + length > log.capacity - offset:
            return ErrorLogStatus.ERROR_LOG_FULL
        record = log.buffer + offset
        memcpy(record + HEADER_LENGTH, text, length)
        memcpy(record + FIRST_OFFSET, &now_ms, sizeof(now_ms))
        status = remember(log, offset, text, length)
        if status != ErrorLogStatus.ERROR_LOG_OK:
            return status
        log.next_offset += align(HEADER_LENGTH + length)
        # Pairs with the acquire in error_log_read.
        store_release_i32(record, <int32_t>HEADER_LENGTH + length)
        status = ErrorLogStatus.ERROR_LOG_NEW
    record = log.buffer + offset
    get_and_add_i32(record + COUNT_OFFSET, 1)
    store_release_i64(record + LAST_OFFSET, now_ms)
    return status


cdef int error_log_record(
        error_log *log, int64_t now_ms, const char *text, int32_t length) noexcept nogil:
    cdef int status
    # Locked only while texts are compared or copied.
    while not compare_and_set_i32(&log.lock, 0, 1):
        spin_wait_hint()
    status = record_locked(log, now_ms, text, length)
    store_release_i32(&log.lock, 0)  # pairs with the compare-and-set above
    return status


# ---- reading ----


cdef int32_t error_log_read(
        const void *memory, int64_t length, error_handler handler, void *context,
        int64_t since_ms) noexcept nogil:
    cdef const uint8_t *buffer = <const uint8_t *>memory
    cdef int64_t offset = 0
    cdef int32_t handled = 0
    cdef int32_t record_length
    cdef error_record record
    while offset + HEADER_LENGTH <= length:
        record_length = load_acquire_i32(buffer + offset)
        if not is_record_length(record_length, length - offset):
            break
        record.last_observation_ms = load_acquire_i64(buffer + offset + LAST_OFFSET)
        if record.last_observation_ms >= since_ms:
            record.text = <const char *>(buffer + offset + HEADER_LENGTH)
            record.length = record_length - <int32_t>HEADER_LENGTH
            record.observation_count = load_opaque_i32(buffer + offset + COUNT_OFFSET)
            memcpy(
                &record.first_observation_ms, buffer + offset + FIRST_OFFSET, sizeof(int64_t))
            handler(&record, context)
            handled += 1
        offset += align(record_length)
    return handled


# ---- for Python ----


cdef void append_entry(const error_record *record, void *context) noexcept with gil:
    cdef list entries = <list>context
    entries.append(ErrorLogEntry(
        record.observation_count,
        record.first_observation_ms,
        record.last_observation_ms,
        record.text[:record.length].decode("ascii", "replace"),
    ))


def read_error_log(object buffer not None, *, int64_t since_ms=0) -> list[ErrorLogEntry]:
    """Read the entries of a distinct error log.

    Parameters
    ----------
    buffer : buffer
        The log: a section of a CnC or mark file.
    since_ms : int
        Skip errors that were not observed since then, in ms since 1970.

    Returns
    -------
    list of ErrorLogEntry
        In the order of their first observation; up to the first invalid record.
    """
    cdef Py_buffer memory
    cdef list entries = []
    PyObject_GetBuffer(buffer, &memory, PyBUF_SIMPLE)
    try:
        error_log_read(memory.buf, memory.len, append_entry, <void *>entries, since_ms)
    finally:
        PyBuffer_Release(&memory)
    return entries


@cython.final
cdef class DistinctErrorLog(BufferMemory):
    """Record each error once, with the count and times of its observations.

    Parameters
    ----------
    buffer : writable buffer
        The log, aligned to 8. Existing entries stay. It is retained while this object exists.

    Raises
    ------
    ConfigurationError
        The buffer is too short or not aligned.

    Notes
    -----
    Any thread may record.
    """

    def __init__(self, object buffer not None) -> None:
        self.hold(buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        cdef int status = error_log_init(&self.log, self.memory.buf, self.memory.len)
        if status == ErrorLogStatus.ERROR_LOG_NO_MEMORY:
            raise MemoryError
        if status != ErrorLogStatus.ERROR_LOG_OK:
            raise ConfigurationError(
                "error log buffer length",
                f"{HEADER_LENGTH} to {INT32_MAX} bytes, aligned to 8", self.memory.len)
        self.is_open = True

    def __dealloc__(self) -> None:
        error_log_free(&self.log)

    def record(self, error: BaseException | str, *, int64_t now_ms) -> bool:
        """Record an error.

        Parameters
        ----------
        error : BaseException or str
            An exception, recorded with its causes and places of raising, or a text. Equal texts are
            the same error; other characters than ASCII are escaped.
        now_ms : int
            The time, in ms since 1970.

        Returns
        -------
        bool
            False if the log is full; the error should then be logged elsewhere.
        """
        self.check_open()
        text = error if isinstance(error, str) else describe_error(error)
        cdef bytes encoded = text.encode("ascii", "backslashreplace")
        cdef const char *data = encoded
        cdef int32_t length = <int32_t>min(len(encoded), <Py_ssize_t>INT32_MAX // 2)
        cdef int status
        with nogil:
            status = error_log_record(&self.log, now_ms, data, length)
        return status >= ErrorLogStatus.ERROR_LOG_OK

    def entries(self, *, int64_t since_ms=0) -> list[ErrorLogEntry]:
        """Return the entries of the log.

        Parameters
        ----------
        since_ms : int
            Skip errors that were not observed since then, in ms since 1970.

        Returns
        -------
        list of ErrorLogEntry
            In the order of their first observation.
        """
        self.check_open()
        cdef list entries = []
        error_log_read(
            self.memory.buf, self.memory.len, append_entry, <void *>entries, since_ms)
        return entries
