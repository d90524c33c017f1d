"""The cluster interface of services.

``io.aeron.cluster.service.Cluster``.
"""
cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memmove

from aeron_cluster.client.publication cimport BufferClaim, Publication
from aeron_cluster.cluster.service.abi cimport (
    CLOSED,
    NOT_CONNECTED,
    SERVICE_VERSION,
    cluster_table,
)
from aeron_cluster.cluster.service.client_session cimport ClientSession, new_session, rejection
from aeron_cluster.cluster.service.host cimport (
    MAX_SCRATCH_LENGTH,
    claim_to_cluster,
    client_session,
    find_session,
    fits_log,
    note_cluster_commit,
    offer_to_cluster,
    scratch_memory,
    send_cancel_timer,
    send_close_session,
    send_schedule_timer,
    session_index,
)
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.gil_yield cimport LONG_LENGTH
from aeron_cluster.logbuffer.payload cimport acquire_payload, payload, release_payload
from aeron_cluster.logbuffer.term_appender cimport byte_vector
from aeron_cluster.logbuffer.vectors cimport Vectors
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.cluster.members.role import Role
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    MessageError,
    ModuleEndedError,
    StateError,
)


cdef enum:
    CLOSE_ATTEMPTS = 3


@cython.final
cdef class Cluster:
    """The interface of the cluster for a service of one member.

    Created by the container, and passed to `ClusteredService.on_start`.

    Attributes
    ----------
    context : ContainerContext or None
        The options of the container; None in an offline host.

    Notes
    -----
    Only for the container's thread, within callbacks.
    """

    def __cinit__(self, Publication to_module, aeron, int32_t service_id):
        if to_module is not None:
            self.to_module = to_module
            self.module_log = to_module.hold()
            self.c.to_module = &to_module.c
        self.aeron = aeron
        self.sessions = []
        self.unreported = []
        self.c.table.version = SERVICE_VERSION
        self.c.table.size = sizeof(cluster_table)
        self.c.table.service_id = service_id
        self.c.table.member_id = -1
        self.c.table.leadership_term_id = -1
        self.c.table.log_position = -1
        # An open claim of it holds this object.
        self.c.scratch = <scratch_memory *>malloc(sizeof(scratch_memory))
        if self.c.scratch == NULL:
            raise MemoryError
        self.c.scratch.next = 0

    def __dealloc__(self):
        free(self.c.sessions)
        free(self.c.scratch)

    # ---- state ----

    @property
    def member_id(self):
        """The member id; -1 until the first log is joined."""
        return self.c.table.member_id

    @property
    def service_id(self):
        """The id of this service."""
        return self.c.table.service_id

    @property
    def role(self):
        """The `Role` of the member."""
        return Role(self.c.table.role)

    @property
    def log_position(self):
        """The position of the log after the event in progress, in bytes."""
        return self.c.table.log_position

    @property
    def leadership_term_id(self):
        """The term of the log that is being processed; -1 before the first."""
        return self.c.table.leadership_term_id

    @property
    def time(self):
        """The cluster's time: the timestamp of the event in progress, in `time_unit` since 1970."""
        return self.c.table.time

    @property
    def time_unit(self):
        """The unit of timestamps and deadlines, a ``ClusterTimeUnit``."""
        return ClusterTimeUnit(self.c.table.time_unit)

    @property
    def max_payload_length(self):
        """The longest message that the cluster's log accepts, from services or clients, in bytes.

        The same on every member; 0 before the log is read.
        """
        return self.c.max_payload_length

    def report(self, error not None):
        """Report an error that is not raised in the callback, since the callback did not cause it.

        After the callback it is passed to the container's error log and error handler: the first of
        each kind, and further ones once a minute.

        Parameters
        ----------
        error : Exception
        """
        self.c.has_unreported = True
        self.unreported.append(error)

    def take_unreported(self):
        """Return and clear the errors reported by `report`. Called by the container."""
        if self.c.has_unsendable:
            self.c.has_unsendable = False
            for session in self.sessions:
                (<ClientSession>session).report_unsendable()
        unreported, self.unreported = self.unreported, []
        self.c.has_unreported = False
        return unreported

    # ---- sessions ----

    @property
    def client_sessions(self):
        """The open sessions, in ascending order of their ids."""
        return tuple(self.sessions)

    def get_client_session(self, int64_t cluster_session_id):
        """Return an open session, or None."""
        cdef client_session *found = find_session(&self.c, cluster_session_id)
        return None if found == NULL else <ClientSession>found.object

    def close_client_session(self, int64_t cluster_session_id):
        """Request the consensus module to close a session.

        Returns
        -------
        bool
            False under back pressure, after three attempts with `idle` in between: retry.

        Raises
        ------
        StateError
            No such session is open.
        CallbackError
            Called from a callback that may not send.
        """
        cdef client_session *found
        if self.c.callback != NULL:
            raise rejection(self.c.callback)
        for attempt in range(CLOSE_ATTEMPTS):
            if attempt > 0:
                self.idle()
            found = find_session(&self.c, cluster_session_id)
            if found == NULL:
                raise StateError(
                    f"cluster session {cluster_session_id}: expected an open one, found none")
            if self._sent(send_close_session(&self.c, found), 0):
                return True
        return False

    cdef int insert(self, ClientSession session) except -1:
        cdef int64_t cluster_session_id = session.c.shown.id
        cdef int32_t index = session_index(&self.c, cluster_session_id)
        cdef int32_t count = self.c.table.session_count
        cdef int32_t capacity
        cdef client_session **grown
        if count == self.c.session_capacity:
            capacity = max(16, 2 * count)
            grown = <client_session **>realloc(
                self.c.sessions, capacity * sizeof(client_session *))
            if grown == NULL:
                raise MemoryError
            self.c.sessions = grown
            self.c.session_capacity = capacity
        self.sessions.insert(index, session)
        memmove(
            self.c.sessions + index + 1, self.c.sessions + index,
            (count - index) * sizeof(client_session *))
        self.c.sessions[index] = &session.c
        self.c.table.session_count = count + 1
        return 0

    cdef ClientSession remove(self, int64_t cluster_session_id):
        """Remove and return the session, or None if the id is unknown."""
        cdef int32_t index = session_index(&self.c, cluster_session_id)
        cdef int32_t count = self.c.table.session_count
        if find_session(&self.c, cluster_session_id) == NULL:
            return None
        memmove(
            self.c.sessions + index, self.c.sessions + index + 1,
            (count - index - 1) * sizeof(client_session *))
        self.c.table.session_count = count - 1
        (<ClientSession>self.sessions[index]).report_unsendable()
        return self.sessions.pop(index)

    # ---- sending to the log ----

    def offer(self, message):
        """Send a message to the log on behalf of this service.

        It is delivered to `ClusteredService.on_session_message` without a session, on every member.
        Every member's service must send the same messages, and so retry until each one is sent.

        Parameters
        ----------
        message : bytes-like
            The payload.

        Returns
        -------
        int
            A position; a false `NotSent` under back pressure.

        Raises
        ------
        CallbackError
            Called from a callback that may not send.
        ModuleEndedError, AgentTerminationError
            The consensus module has ended, or the client of the driver was closed, and so does
            this container: do not catch it in the callback.
        MaxPositionExceededError
            The consensus module no longer receives.
        MessageError
            It is too long.
        """
        cdef byte_vector vectors[2]
        cdef payload taken
        cdef int64_t result
        if self.c.callback != NULL:
            raise rejection(self.c.callback)
        acquire_payload(&taken, message)
        try:
            if taken.length > INT32_MAX - SESSION_HEADER_LENGTH:
                raise MessageError("message length", "below 2 GiB", taken.length)
            vectors[1].data = taken.data
            vectors[1].length = <size_t>taken.length
            if taken.length < LONG_LENGTH:
                result = offer_to_cluster(&self.c, vectors, 2)
            else:
                with nogil:
                    result = offer_to_cluster(&self.c, vectors, 2)
        finally:
            release_payload(&taken)
        return self._sent(result, taken.length + SESSION_HEADER_LENGTH)

    def offer_vectored(self, parts):
        """Send one message that is gathered from several buffers; otherwise as `offer`.

        Parameters
        ----------
        parts : iterable of buffers
            The parts of the payload, in order.
        """
        cdef Vectors vectors = Vectors(parts, 1)
        cdef int64_t result
        if self.c.callback != NULL:
            raise rejection(self.c.callback)
        if vectors.length > INT32_MAX - SESSION_HEADER_LENGTH:
            raise MessageError("message length", "below 2 GiB", vectors.length)
        with nogil:
            result = offer_to_cluster(&self.c, vectors.vectors, vectors.count)
        return self._sent(result, vectors.length + SESSION_HEADER_LENGTH)

    def try_claim(self, int32_t length, BufferClaim claim not None):
        """Claim space for such a message, to be written after `SESSION_HEADER_LENGTH` bytes.

        Parameters
        ----------
        length : int
            The payload's length in bytes; with the header it must fit one frame.
        claim : BufferClaim
            Set to the claimed range, which begins with the header.

        Returns
        -------
        int
            As `offer`.
        """
        cdef int64_t result
        if self.c.callback != NULL:
            raise rejection(self.c.callback)
        if claim.mapping is not None:
            raise StateError("claim: expected it to be committed or aborted before it claims again")
        result = claim_to_cluster(&self.c, length, &claim.c)
        if result > 0:
            claim.mapping = self.module_log
            if claim.mapping is None:  # a claim of an offline host
                claim.mapping = MappedFile.__new__(MappedFile)
                claim.owner = self
            if self.c.guard != NULL:
                claim.observer = note_cluster_commit
                claim.observer_context = <void *>&self.c
                claim.owner = self
        return self._sent(result, length + SESSION_HEADER_LENGTH)

    def schedule_timer(self, int64_t correlation_id, int64_t deadline):
        """Schedule a call of `ClusteredService.on_timer_event` at a point in cluster time.

        Parameters
        ----------
        correlation_id : int
            The id of the timer, chosen by the service; a scheduled one is rescheduled.
        deadline : int
            The point in time, in `time_unit`.

        Returns
        -------
        bool
            False under back pressure: retry, with `idle` in between.

        Raises
        ------
        CallbackError, ModuleEndedError, AgentTerminationError, MaxPositionExceededError
            As `offer`.
        """
        if self.c.callback != NULL:
            raise rejection(self.c.callback)
        return bool(self._sent(send_schedule_timer(&self.c, correlation_id, deadline), 0))

    def cancel_timer(self, int64_t correlation_id):
        """Cancel a timer, unless it is already firing. Returns as `schedule_timer`."""
        if self.c.callback != NULL:
            raise rejection(self.c.callback)
        return bool(self._sent(send_cancel_timer(&self.c, correlation_id), 0))

    cdef object _sent(self, int64_t result, Py_ssize_t length):
        if result > 0:
            return result
        # Other threads can run even if the caller retries immediately.
        with nogil:
            pass
        if length > 0 and not fits_log(&self.c, <size_t>(length - SESSION_HEADER_LENGTH)):
            raise MessageError(
                "message to the cluster",
                f"at most {self.c.max_payload_length} bytes, an eighth of a term of the log",
                length - SESSION_HEADER_LENGTH)
        if self.to_module is None:
            raise MessageError(
                "claim", f"at most {MAX_SCRATCH_LENGTH} bytes", length - SESSION_HEADER_LENGTH)
        if result == NOT_CONNECTED:
            raise ModuleEndedError(
                "consensus module: expected a running one, but it ended", is_expected=True)
        if result == CLOSED:  # as `idle`, which checks it once a millisecond
            raise AgentTerminationError("the client of the driver was closed")
        return self.to_module._sent(result, length)

    # ---- waiting ----

    def idle(self, int work_count=0):
        """Idle in a callback: one duty cycle of the other agents of this thread.

        Parameters
        ----------
        work_count : int
            The caller's work count since the last call; if it is 0, and the other agents did no
            work either, the thread idles by the container's idle strategy.

        Raises
        ------
        AgentTerminationError
            The node is ending: do not catch it in the callback.
        CallbackError
            Called from `ClusteredService.do_background_work`.
        """
        if self.c.idle == NULL:
            raise ClosedError("cluster: expected the container to run, found it closed")
        if self.watch is not None:
            with self.watch.suspended():
                self._idle(work_count)
        else:
            self._idle(work_count)

    cdef int _idle(self, int work_count) except -1:
        with nogil:
            self.c.idle(self.c.agent, work_count)
        return 0

    def __repr__(self):
        return (
            f"<Cluster member {self.c.table.member_id} service {self.c.table.service_id}"
            f" {self.role.name} at {self.c.table.log_position}>")


@cython.final
cdef class ClusterState:
    """The state of a service's cluster interface, changed by the log and the consensus module.

    Parameters
    ----------
    cluster : Cluster
        The cluster of a live or an offline container.
    """

    def __cinit__(self, Cluster cluster not None):
        self.cluster = cluster

    def begin(self, int64_t log_position, int64_t time, int64_t leadership_term_id):
        """Set the position and term at which a recovery, or an offline run, begins."""
        self.cluster.c.table.log_position = log_position
        self.cluster.c.table.time = time
        self.cluster.c.table.leadership_term_id = leadership_term_id

    def begin_term(self, int64_t leadership_term_id, int64_t time, int32_t time_unit):
        """Apply a new term of the log."""
        self.cluster.c.table.leadership_term_id = leadership_term_id
        self.cluster.c.table.time = time
        self.cluster.c.table.time_unit = time_unit

    def set_time_unit(self, int32_t time_unit):
        """Set the time unit of a snapshot."""
        self.cluster.c.table.time_unit = time_unit

    def set_member_id(self, int32_t member_id):
        """Set the member id."""
        self.cluster.c.table.member_id = member_id

    def set_role(self, int32_t role):
        """Set the role."""
        self.cluster.c.table.role = role

    def add_session(self, opened not None):
        """Add an open session, and return it.

        Parameters
        ----------
        opened : SessionOpenEvent or ClientSession of the codecs
            The fields of the session, from the log or a snapshot.
        """
        cdef ClientSession session = new_session(
            &self.cluster.c, self.cluster, opened.cluster_session_id, opened.response_stream_id,
            opened.response_channel.encode(), opened.encoded_principal)
        self.cluster.insert(session)
        return session

    def remove_session(self, int64_t cluster_session_id):
        """Remove and return a closed session, or None if it was not open."""
        return self.cluster.remove(cluster_session_id)
