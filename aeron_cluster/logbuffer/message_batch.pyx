"""A batch of messages of a log: their headers as columns, their payloads in place.

No counterpart in Aeron, which delivers single messages, or raw blocks of frames.
"""
cimport cython
from cpython.buffer cimport (
    PyBUF_CONTIG,
    PyBUF_WRITABLE,
    PyBuffer_FillInfo,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_PAD,
    align_frame,
    data_header,
    index_of_position,
)
from aeron_cluster.logbuffer.image_poller cimport image_poller, is_bad_length, on_bad_frame
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_opaque_i64,
    store_release_i64,
)

from aeron_cluster.errors import BufferUsageError, MessageError


# The columns of a row: name, NumPy's format, offset.
BATCH_FIELDS = (
    ("position", "<i8", 0),
    ("reserved_value", "<i8", 8),
    ("session_id", "<i4", 16),
    ("stream_id", "<i4", 20),
    ("term_id", "<i4", 24),
    ("term_offset", "<i4", 28),
    ("offset", "<i4", 32),
    ("length", "<i4", 36),
    ("flags", "u1", 40),
)


# The found messages: their range in the term, in bytes.
cdef struct found_run:
    const uint8_t *term
    int64_t term_begin
    int32_t begin_offset
    int32_t end_offset
    int32_t count


cdef int find_run(
        image_poller *poller, int message_limit, batch_row *rows, found_run *found
) except -1 nogil:
    """Fill in rows for committed messages; return their number."""
    cdef int64_t position = load_opaque_i64(poller.subscriber_position)
    cdef int32_t term_length = poller.log.term_length
    cdef int32_t offset = <int32_t>(position & (term_length - 1))
    cdef int32_t length, end
    cdef const data_header *frame
    cdef batch_row *row
    found.term = poller.log.terms[index_of_position(position, poller.log.position_bits_to_shift)]
    found.term_begin = position - offset
    found.begin_offset = found.end_offset = offset
    found.count = 0
    while found.count < message_limit and offset < term_length:
        frame = <const data_header *>(found.term + offset)
        # Pairs with the release that commits a frame.
        length = load_acquire_i32(frame)
        if length <= 0:
            break
        if is_bad_length(length, term_length - offset):
            if found.count > 0:
                break  # the frames before it are delivered first
            return on_bad_frame(poller, found.term_begin + offset, length)
        end = offset + align_frame(length)
        if frame.type != FRAME_PAD:
            row = &rows[found.count]
            row.position = found.term_begin + end
            row.reserved_value = frame.reserved_value
            row.session_id = frame.session_id
            row.stream_id = frame.stream_id
            row.term_id = frame.term_id
            row.term_offset = frame.term_offset
            row.offset = offset + DATA_HEADER_LENGTH - found.begin_offset
            row.length = length - DATA_HEADER_LENGTH
            row.flags = frame.flags
            found.count += 1
        offset = end
    found.end_offset = offset
    return found.count


cdef MessageBatch new_batch(image_poller *poller, object image, int message_limit):
    cdef MessageBatch batch
    cdef Py_buffer view
    cdef found_run found
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return None
    rows = new_rows(message_limit)
    PyObject_GetBuffer(rows, &view, PyBUF_CONTIG)
    try:
        with nogil:
            find_run(poller, message_limit, <batch_row *>view.buf, &found)
    finally:
        PyBuffer_Release(&view)
    if found.count == 0:
        if found.end_offset > found.begin_offset:
            move_to(poller, found.term_begin + found.end_offset)
        return None
    batch = MessageBatch.__new__(MessageBatch)
    batch.poller = poller
    batch.image = image
    batch.owner = <object>poller.owner if poller.owner != NULL else None
    batch.data = found.term + found.begin_offset
    batch.length = found.end_offset - found.begin_offset
    batch.end_position = found.term_begin + found.end_offset
    batch.rows = rows[:found.count]
    batch.rows.flags.writeable = False
    return batch


# The type of a row, created with the first batch: creating it takes as long as reading hundreds of
# messages.
cdef object row_type = None


cdef object new_rows(int count):
    global row_type
    import numpy as np  # an optional dependency

    if row_type is None:
        names, formats, offsets = zip(*BATCH_FIELDS)
        row_type = np.dtype({
            "names": names, "formats": formats, "offsets": offsets, "itemsize": sizeof(batch_row)})
    return np.empty(count, row_type)


cdef int move_to(image_poller *poller, int64_t position) except -1:
    if not load_acquire_i32(&poller.is_closed):
        # Pairs with the acquire of the driver, after which the publisher may overwrite earlier
        # frames.
        store_release_i64(poller.subscriber_position, position)
    return 0


cdef int raise_released() except -1:
    raise BufferUsageError("message batch: expected use before its release, found it after")


cdef class Batch:
    """The common part of batches: consecutive messages of a log, in place."""

    def __init__(self):
        raise TypeError(f"a {type(self).__name__} is only created by a poll")

    cdef int check(self) except -1:
        if self.is_over:
            raise_released()
        return 0

    cdef int end(self) except -1:
        """Reject further use; raise an error if views are still referenced."""
        self.is_over = True
        self.rows = None
        if self.exports:
            raise BufferUsageError(
                f"message batch: expected no view of it at its release, found {self.exports} at"
                f" position {self.end_position}")
        self.owner = None
        return 0

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        self.check()
        if flags & PyBUF_WRITABLE == PyBUF_WRITABLE:
            raise BufferUsageError("message batch: expected a read-only use, found a writable one")
        PyBuffer_FillInfo(buffer, self, <void *>self.data, self.length, 1, flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *buffer):
        self.exports -= 1

    def __len__(self):
        self.check()
        return len(self.rows)

    cdef object payload(self, Py_ssize_t index):
        row = self.rows[index]
        begin = int(row["offset"])
        return memoryview(self)[begin:begin + int(row["length"])]

    cdef Py_ssize_t index_of(self, Py_ssize_t index) except -1:
        """Return a checked index; negative ones count from the end."""
        self.check()
        if index < 0:
            index += len(self.rows)
        if not 0 <= index < len(self.rows):
            raise IndexError(f"message index: expected below {len(self.rows)}, found {index}")
        return index

    def __getitem__(self, Py_ssize_t index):
        """Return the payload of a message, in place."""
        return self.payload(self.index_of(index))

    @property
    def data(self):
        """The bytes from the first message to the last one, as an array over the log."""
        import numpy as np

        self.check()
        return np.frombuffer(self, np.uint8)

    def records(self, dtype):
        """Return the payloads as a structured array.

        Parameters
        ----------
        dtype : numpy.dtype or what makes one
            The NumPy type at the start of each payload.

        Returns
        -------
        numpy.ndarray
            A view of the log without a copy if all messages have the same length; else a copy.

        Raises
        ------
        MessageError
            A payload is shorter than the type.
        """
        import numpy as np

        self.check()
        kind = np.dtype(dtype)
        offsets = self.rows["offset"]
        shortest = int(self.rows["length"].min())
        if shortest < kind.itemsize:
            raise MessageError("record", f"at least {kind.itemsize} bytes", shortest)
        steps = np.diff(offsets)
        if len(steps) and (steps != steps[0]).any():
            places = offsets[:, None] + np.arange(kind.itemsize, dtype=np.int32)
            return np.frombuffer(self, np.uint8)[places].view(kind)[:, 0]
        stride = int(steps[0]) if len(steps) else kind.itemsize
        # From an array, which exports the buffer: of a memoryview NumPy would only keep the object.
        data = np.frombuffer(self, np.uint8)
        return np.ndarray(len(offsets), kind, data, int(offsets[0]), (stride,))

    def __repr__(self):
        kind = type(self).__name__
        if self.is_over:
            return f"<{kind} released>"
        return f"<{kind} of {len(self.rows)} messages to position {self.end_position}>"


@cython.final
cdef class MessageBatch(Batch):
    """Consecutive messages of one publisher, in place.

    Created by `Subscription.poll_batch`; release it, or use it in a ``with``. Its buffer is the
    part of the log with the frames.

    Notes
    -----
    The publisher cannot overwrite the messages before the batch is released; after that it cannot
    be used. If arrays over it still exist at the release, a `BufferUsageError` is raised; the
    memory stays mapped while they exist, so reading them never crashes, but may return other data.
    """

    @property
    def headers(self):
        """A structured array with a row for each message.

        Its columns are ``position`` (after the message), ``reserved_value``, ``session_id``,
        ``stream_id``, ``term_id``, ``term_offset``, ``flags``, and ``offset`` and ``length`` of the
        payload in the batch, in bytes.
        """
        self.check()
        return self.rows

    @property
    def is_released(self):
        """Whether it was released."""
        return self.is_over

    def release(self):
        """Advance the subscriber past the messages. Releasing again does nothing.

        Raises
        ------
        BufferUsageError
            An array or a view over the batch is still referenced; it is released anyway.
        """
        cdef image_poller *poller = self.poller
        if self.is_over:
            return
        self.poller = NULL
        move_to(poller, self.end_position)
        self.image = None
        self.end()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()
