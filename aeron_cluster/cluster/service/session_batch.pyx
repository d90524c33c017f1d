"""Batches of consecutive session messages of the log, for a service that takes batches.

No counterpart in Aeron. The end of a batch depends on when a member reads its log, so members have
different batches. The output of a service must nevertheless belong to one message: the service
first moves to that message, which sets the cluster's position and time.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t

from aeron_cluster.cluster.service.client_session cimport ClientSession
from aeron_cluster.cluster.service.host cimport (
    begin_event,
    client_session,
    cluster_host,
    find_session,
)
from aeron_cluster.logbuffer.message_batch cimport Batch

from aeron_cluster.errors import BufferUsageError


# The columns of a row: name, NumPy's format, offset.
SESSION_BATCH_FIELDS = (
    ("position", "<i8", 0),
    ("timestamp", "<i8", 8),
    ("cluster_session_id", "<i8", 16),
    ("offset", "<i4", 24),
    ("length", "<i4", 28),
)

# The type of a row, created with the first batch.
cdef object row_type = None


cdef object rows_of(const session_row *collected, int32_t count):
    global row_type
    import numpy as np  # optional for this package

    if row_type is None:
        names, formats, offsets = zip(*SESSION_BATCH_FIELDS)
        row_type = np.dtype({
            "names": names, "formats": formats, "offsets": offsets,
            "itemsize": sizeof(session_row)})
    # An array over bytes is read-only.
    return np.frombuffer(
        PyBytes_FromStringAndSize(<const char *>collected, count * sizeof(session_row)), row_type)


cdef SessionMessageBatch new_session_batch(
        cluster_host *host, const session_row *collected, int32_t count, object collector):
    cdef SessionMessageBatch batch = SessionMessageBatch.__new__(SessionMessageBatch)
    cdef const session_row *last = &collected[count - 1]
    batch.rows = rows_of(collected, count)
    batch.host = host
    batch.collected = collected
    batch.collector = collector
    batch.count = count
    batch.current = -1
    batch.length = last.offset + last.length
    batch.end_position = last.position
    return batch


@cython.final
cdef class SessionMessageBatch(Batch):
    """Consecutive session messages of the log, in place.

    The argument of `ClusteredService.on_session_messages`, valid during that call. Its buffer is
    the part of the log with the messages.

    Examples
    --------
    >>> def on_session_messages(self, batch):
    ...     self.total += int(batch.records("<i8").sum())
    >>> def on_session_messages(self, batch):
    ...     for session, timestamp, message in batch:
    ...         session.offer(self.apply(message))
    """

    @property
    def headers(self):
        """A structured array with a row for each message.

        Its columns are ``position`` (of the log, after the message), ``timestamp`` (the cluster's
        time), ``cluster_session_id`` (negative for a message that a service offered to the
        cluster), and ``offset`` and ``length`` of the payload in the batch, in bytes.
        """
        self.check()
        return self.rows

    def at(self, Py_ssize_t index):
        """Move to a message: later output and timers of the service belong to it.

        Parameters
        ----------
        index : int
            The index; not before that of the last call.

        Returns
        -------
        ClientSession or None
            The sending session; None for a message that a service offered to the cluster.

        Raises
        ------
        BufferUsageError
            The batch is already after that message.

        Notes
        -----
        `Cluster.log_position` and `Cluster.time` are those of the message. Before the first call
        the cluster is positioned before the batch, and nothing can be sent.
        """
        cdef int32_t place = <int32_t>self.index_of(index)
        if place < self.current:
            raise BufferUsageError(
                f"message batch: expected to move to message {self.current} or a later one, found"
                f" {place}")
        self.move(place)
        return self.session_at(place)

    def __iter__(self):
        """Move to each message in turn; return its session, timestamp and payload."""
        cdef int32_t index
        for index in range(self.current + 1, self.count):
            session = self.at(index)
            yield session, self.collected[index].timestamp, self.payload(index)

    cdef int move(self, int32_t index) except -1:
        cdef cluster_host *host = self.host
        cdef const session_row *row
        while self.current < index:
            self.current += 1
            row = &self.collected[self.current]
            host.table.time = row.timestamp
            begin_event(host, row.position, row.timestamp)
        host.callback = NULL
        return 0

    cdef object session_at(self, int32_t index):
        cdef client_session *session = find_session(
            self.host, self.collected[index].cluster_session_id)
        return None if session == NULL else <ClientSession>session.object
