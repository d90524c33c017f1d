"""A native service whose C functions pass each event on to a service in Python.

No counterpart in Aeron. The container calls it as any other service with a table of C functions
(``service.h``). What the Python service requests, it requests by the calls of that header, and what
it raises is returned as a code with an explanation. So everything that observes and checks services
in Python does so for the native path.
"""
cimport cython
from cpython.exc cimport PyErr_SetInterrupt
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uintptr_t
from libc.string cimport memcpy, memset

from aeron_cluster.cluster.service.abi cimport (
    ADMIN_ACTION,
    BACK_PRESSURED,
    CLOSED,
    INVALID,
    NOT_CONNECTED,
    SERVICE_FAILED,
    SERVICE_OK,
    SERVICE_TERMINATE,
    SERVICE_VERSION,
    SNAPSHOT_END,
    claim,
    cluster_table,
    leadership_term,
    log_header,
    service_table,
    session,
    snapshot_reader,
    snapshot_writer,
    vector,
)
from aeron_cluster.logbuffer.fragment_assembler cimport FragmentAssembler

import zlib

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.clustered_service import ClusteredService, LeadershipTerm, Role
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.codecs.cluster import CloseReason, ClusterTimeUnit
from aeron_cluster.errors import (
    AgentTerminationError,
    CallbackError,
    ClosedError,
    MessageError,
    ModuleEndedError,
    OperationError,
    StateError,
)
from aeron_cluster.simulator.members.journal import NativeHeader


cdef enum:
    LONGEST_CLAIM = 16  # fits the shortest datagrams that clients choose
    CLOSE_ATTEMPTS = 3
    WAYS = 3
    IN_PARTS = 1
    CLAIMED = 2


cdef object request_result(int64_t result, str call):
    """Return the result of a request to the module: False if it is to be repeated."""
    if result > 0:
        return True
    if result == BACK_PRESSURED or result == ADMIN_ACTION:
        return False
    raise failed_call(result, call)


cdef object failed_call(int64_t result, str call):
    if result == CLOSED:
        return AgentTerminationError(f"{call}: the container is closed")
    if result == NOT_CONNECTED:
        return ModuleEndedError(
            f"{call}: expected a running consensus module, but it ended", is_expected=True)
    return OperationError(f"{call}: it was rejected", result)


@cython.final
cdef class NativeSession:
    """A session, with the interface of a `ClientSession`."""

    cdef session *c  # NULL once it is closed
    cdef NativeCluster cluster
    cdef readonly int64_t id
    cdef readonly int response_stream_id
    cdef readonly str response_channel
    cdef readonly bytes encoded_principal

    @property
    def is_closing(self):
        """Whether this service requested to close it."""
        return self.c != NULL and self.c.is_closing != 0

    def offer(self, message):
        """Send a message to the client; returns as `ClientSession.offer`."""
        cdef int64_t result = NOT_CONNECTED
        if self.c != NULL:
            result = self.cluster.send(self.c, bytes(message))
        if result > 0:
            return result
        if result == BACK_PRESSURED or result == ADMIN_ACTION:
            return NotSent(result)
        if result == INVALID:
            raise CallbackError("sending messages", "this callback")
        return NotSent.NOT_CONNECTED

    def close(self):
        """Request the close of the session, if it is open."""
        return self.c == NULL or self.cluster.close_client_session(self.id)


# Both must still exist when the service is destroyed, so the garbage collector must not clear them.

@cython.final
@cython.no_gc_clear
cdef class NativeCluster:
    """The calls of a native service, with the interface of a `Cluster`."""

    cdef const cluster_table *c  # NULL once the service is destroyed
    cdef dict sessions  # a NativeSession for each open one, by id
    cdef public object watch
    cdef readonly object context

    cdef const cluster_table *table(self) except NULL:
        if self.c == NULL:
            raise ClosedError("native service: expected it to run, found it destroyed")
        return self.c

    cdef NativeSession known(self, session *found):
        """Return the object of a session, which has the same address as long as it is open."""
        cdef NativeSession made = self.sessions.get(found.id)
        if made is None:
            made = NativeSession.__new__(NativeSession)
            made.c = found
            made.cluster = self
            made.id = found.id
            made.response_stream_id = found.response_stream_id
            made.response_channel = found.response_channel[:found.response_channel_length].decode()
            made.encoded_principal = found.encoded_principal[:found.encoded_principal_length]
            self.sessions[made.id] = made
        assert made.c == found, f"session {found.id} has moved"
        return made

    cdef int forget(self, int64_t cluster_session_id) except -1:
        cdef NativeSession closed = self.sessions.pop(cluster_session_id, None)
        if closed is not None:
            closed.c = NULL
        return 0

    cdef int64_t send(self, session *to, bytes message) except? -100:
        """Send to a session, or to the cluster if it is NULL, in one of three ways."""
        cdef const cluster_table *c = self.table()
        cdef const uint8_t *data = message
        cdef vector parts[2]
        cdef claim room
        cdef int64_t result
        cdef int32_t length
        if len(message) > INT32_MAX:
            raise MessageError("message length", "below 2 GiB", len(message))
        length = <int32_t>len(message)
        # All members do the same, also when they try again.
        way = zlib.crc32(message) % WAYS
        if way == CLAIMED and length <= LONGEST_CLAIM:
            if to == NULL:
                result = c.cluster_try_claim(c.host, length, &room)
            else:
                result = c.session_try_claim(c.host, to, length, &room)
            if result > 0:
                memcpy(room.data, data, length)
                assert c.claim_commit(c.host, &room) == 0
            return result
        if way == IN_PARTS:
            parts[0].data = data
            parts[0].length = length // 2
            parts[1].data = data + parts[0].length
            parts[1].length = length - parts[0].length
            if to == NULL:
                return c.cluster_offerv(c.host, parts, 2)
            return c.session_offerv(c.host, to, parts, 2)
        if to == NULL:
            return c.cluster_offer(c.host, data, length)
        return c.session_offer(c.host, to, data, length)

    @property
    def member_id(self):
        """The member id."""
        return self.table().member_id

    @property
    def service_id(self):
        """The id of this service."""
        return self.table().service_id

    @property
    def role(self):
        """The `Role` of the member."""
        return Role(self.table().role)

    @property
    def log_position(self):
        """The position of the log after the event in progress, in bytes."""
        return self.table().log_position

    @property
    def leadership_term_id(self):
        """The term of the log that is being processed."""
        return self.table().leadership_term_id

    @property
    def time(self):
        """The timestamp of the event in progress."""
        return self.table().time

    @property
    def time_unit(self):
        """The unit of timestamps and deadlines."""
        return ClusterTimeUnit(self.table().time_unit)

    @property
    def max_payload_length(self):
        """Unknown to a native service, so 0."""
        return 0

    @property
    def client_sessions(self):
        """The open sessions, in ascending order of their ids."""
        cdef const cluster_table *c = self.table()
        cdef int32_t index
        return tuple([
            self.known(c.session_at(c.host, index)) for index in range(c.session_count)])

    def get_client_session(self, int64_t cluster_session_id):
        """Return an open session, or None."""
        cdef const cluster_table *c = self.table()
        cdef session *found = c.session_by_id(c.host, cluster_session_id)
        return None if found == NULL else self.known(found)

    def close_client_session(self, int64_t cluster_session_id):
        """Request the consensus module to close a session."""
        cdef const cluster_table *c = self.table()
        for attempt in range(CLOSE_ATTEMPTS):
            if attempt > 0:
                self.idle()
            if c.session_by_id(c.host, cluster_session_id) == NULL:
                raise StateError(f"cluster session {cluster_session_id}: expected an open one")
            if request_result(c.close_session(c.host, cluster_session_id), "close_session"):
                return True
        return False

    def offer(self, message):
        """Send a message to the log; returns as `Cluster.offer`."""
        cdef int64_t result = self.send(NULL, bytes(message))
        if result == INVALID:
            expected = "one that its log has room for"
            raise MessageError("message to the cluster", expected, len(message))
        return result if request_result(result, "cluster_offer") else NotSent(result)

    def schedule_timer(self, int64_t correlation_id, int64_t deadline):
        """Schedule a timer, as `Cluster.schedule_timer`."""
        cdef const cluster_table *c = self.table()
        return request_result(
            c.schedule_timer(c.host, correlation_id, deadline), "schedule_timer")

    def cancel_timer(self, int64_t correlation_id):
        """Cancel a timer, as `Cluster.cancel_timer`."""
        cdef const cluster_table *c = self.table()
        return request_result(c.cancel_timer(c.host, correlation_id), "cancel_timer")

    def idle(self, int work_count=0):
        """Wait in a callback, as `Cluster.idle`."""
        cdef const cluster_table *c = self.table()
        cdef int result
        with nogil:
            result = c.idle(c.host, work_count)
        if result == CLOSED:
            raise AgentTerminationError("native service: its container ends the wait")
        if result < 0:
            raise CallbackError("waiting", "do_background_work")

    def report(self, error not None):
        """Drop an error that the callback does not raise: native services cannot report any."""


@cython.final
cdef class NativeImage:
    """The messages of a snapshot, with the interface of an `Image`."""

    cdef NativeCluster cluster
    cdef snapshot_reader *reader
    cdef object handler
    cdef object error
    cdef readonly bint is_end_of_stream

    def poll(self, handler, int limit):
        """Pass messages to a handler, each of them complete, and return their number."""
        cdef const cluster_table *c = self.cluster.table()
        cdef int result
        if self.reader == NULL:
            raise ClosedError("snapshot: expected a poll in on_start")
        # What it would assemble is complete.
        if isinstance(handler, FragmentAssembler):
            handler = (<FragmentAssembler>handler).call.handler
        self.handler = handler
        with nogil:
            result = c.snapshot_poll(
                c.host, self.reader, on_snapshot_message, <void *>self, limit)
        error, self.error, self.handler = self.error, None, None
        if error is not None:
            raise error
        if result == SNAPSHOT_END:
            self.is_end_of_stream = True
        elif result < 0:
            raise failed_call(result, "snapshot_poll")
        return max(result, 0)


cdef int on_snapshot_message(void *context, const uint8_t *data, int32_t length) noexcept with gil:
    cdef NativeImage image = <NativeImage>context
    try:
        image.handler(data[:length], None)
    except BaseException as error:
        image.error = error
        return SERVICE_FAILED
    return SERVICE_OK


@cython.final
cdef class NativePublication:
    """The stream of a snapshot, with the interface of an `ExclusivePublication`."""

    cdef NativeCluster cluster
    cdef snapshot_writer *writer

    def offer(self, message):
        """Write a message; returns as `ExclusivePublication.offer`."""
        cdef const cluster_table *c = self.cluster.table()
        cdef bytes data = bytes(message)
        cdef int64_t result
        if self.writer == NULL:
            raise ClosedError("snapshot: expected an offer in on_take_snapshot")
        result = c.snapshot_offer(c.host, self.writer, data, <int32_t>len(data))
        if result > 0:
            return result
        if result in (BACK_PRESSURED, ADMIN_ACTION, NOT_CONNECTED):
            return NotSent(result)
        raise failed_call(result, "snapshot_offer")


@cython.final
@cython.no_gc_clear
cdef class NativeBridge:
    """The state of a native service that has its callbacks in Python.

    Parameters
    ----------
    service : ClusteredService
        The service that gets the events.
    """

    cdef service_table c
    cdef object service
    cdef NativeCluster cluster

    def __init__(self, service not None):
        self.service = service
        self.cluster = NativeCluster.__new__(NativeCluster)
        self.cluster.sessions = {}
        memset(&self.c, 0, sizeof(service_table))
        self.c.version = SERVICE_VERSION
        self.c.size = sizeof(service_table)
        self.c.name = b"bridge"
        self.c.state = <void *>self
        self.c.on_start = on_start
        self.c.on_session_open = on_session_open
        self.c.on_session_close = on_session_close
        self.c.on_session_message = on_session_message
        self.c.on_timer_event = on_timer_event
        self.c.on_take_snapshot = on_take_snapshot
        self.c.on_role_change = on_role_change
        self.c.on_new_leadership_term_event = on_new_leadership_term_event
        self.c.on_terminate = on_terminate
        self.c.destroy = destroy
        if type(service).do_background_work is not ClusteredService.do_background_work:
            self.c.do_background_work = do_background_work

    cdef int fail(self, object error) noexcept:
        """Return the code for what the service raised, after it was explained."""
        cdef bytes text
        if isinstance(error, AgentTerminationError):
            return SERVICE_TERMINATE
        if isinstance(error, KeyboardInterrupt):
            PyErr_SetInterrupt()  # it is raised once the container has returned
        text = f"{type(error).__name__}: {error}".encode()
        if self.cluster.c != NULL:
            self.cluster.c.explain(self.cluster.c.host, text, <int32_t>len(text))
        return SERVICE_FAILED


cdef int on_start(
        void *state, const cluster_table *cluster, snapshot_reader *snapshot) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    cdef NativeImage image = None
    self.cluster.c = cluster
    if snapshot != NULL:
        image = NativeImage.__new__(NativeImage)
        image.cluster = self.cluster
        image.reader = snapshot
    try:
        self.service.on_start(self.cluster, image)
    except BaseException as error:
        return self.fail(error)
    finally:
        if image is not None:
            image.reader = NULL
    return SERVICE_OK


cdef int on_session_open(void *state, session *opened, int64_t timestamp) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        self.service.on_session_open(self.cluster.known(opened), timestamp)
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int on_session_close(
        void *state, session *closed, int64_t timestamp, int32_t close_reason) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        try:
            self.service.on_session_close(
                self.cluster.known(closed), timestamp, CloseReason(close_reason))
        finally:
            self.cluster.forget(closed.id)
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int on_session_message(
        void *state, session *sender, int64_t timestamp, const uint8_t *data, int32_t length,
        const log_header *header) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        self.service.on_session_message(
            None if sender == NULL else self.cluster.known(sender), timestamp, data[:length],
            NativeHeader(header.position, header.leadership_term_id, header.cluster_session_id))
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int on_timer_event(void *state, int64_t correlation_id, int64_t timestamp) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        self.service.on_timer_event(correlation_id, timestamp)
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int on_take_snapshot(void *state, snapshot_writer *writer) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    cdef NativePublication publication = NativePublication.__new__(NativePublication)
    publication.cluster = self.cluster
    publication.writer = writer
    try:
        self.service.on_take_snapshot(publication)
    except BaseException as error:
        return self.fail(error)
    finally:
        publication.writer = NULL
    return SERVICE_OK


cdef int on_role_change(void *state, int32_t new_role) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        self.service.on_role_change(Role(new_role))
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int on_new_leadership_term_event(void *state, const leadership_term *term) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        self.service.on_new_leadership_term_event(LeadershipTerm(
            term.leadership_term_id, term.log_position, term.timestamp,
            term.term_base_log_position, term.leader_member_id, term.log_session_id,
            ClusterTimeUnit(term.time_unit), term.app_version))
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int on_terminate(void *state) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        self.service.on_terminate(self.cluster)
    except BaseException as error:
        return self.fail(error)
    return SERVICE_OK


cdef int do_background_work(void *state, int64_t now_ns) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    try:
        return self.service.do_background_work(now_ns)
    except BaseException as error:
        return self.fail(error)


cdef void destroy(void *state) noexcept with gil:
    cdef NativeBridge self = <NativeBridge>state
    cdef NativeSession each
    self.cluster.c = NULL
    for each in self.cluster.sessions.values():
        each.c = NULL
    self.cluster.sessions.clear()


def native(service not None):
    """Return a native service that passes its events on to a service in Python.

    Parameters
    ----------
    service : ClusteredService
        The service; a message is `bytes` for it, and its header a `NativeHeader`.

    Returns
    -------
    NativeService
        The service for a container.
    """
    bridge = NativeBridge(service)
    return NativeService.from_address(<uintptr_t>&(<NativeBridge>bridge).c, keep_alive=bridge)
