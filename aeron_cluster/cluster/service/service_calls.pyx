"""Calls of a service, written in Python or as a table of C functions.

The callbacks of ``io.aeron.cluster.service.ClusteredServiceAgent``.
"""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.cluster.service.client_session cimport ClientSession
from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.host cimport client_session
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assembler_free,
    owner_of_buffer,
    partial_message,
)
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.logbuffer.message_view cimport Header, MessageView, set_message

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import BufferUsageError


cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject *o)


# Called through a pointer without `nogil`'s promise: the loop holds the GIL for a whole batch.
ctypedef int (*message_call)(
    void *service, client_session *session, int64_t cluster_session_id, const uint8_t *payload,
    int32_t length, const frame_view *header) except -1 nogil
ctypedef int (*timer_call)(void *service, int64_t correlation_id) except -1 nogil
ctypedef int (*work_call)(void *service, int64_t now_ns) except -1 nogil


cdef class ServiceCalls:
    """The callbacks of a service, with the cluster calls that each allows.

    Parameters
    ----------
    cluster : Cluster
        The host of the service.
    on_failure : callable
        ``on_failure(error, callback, cluster_session_id)``, called if a callback raised, even if
        not an `Exception`, as by `sys.exit()`; an exception of `on_failure` ends the container. A
        `KeyboardInterrupt` propagates to the caller that drives the container.
    """

    def __cinit__(self, Cluster cluster not None, on_failure, *_):
        self.cluster = cluster
        self.on_failure = on_failure

    def __dealloc__(self):
        assembler_free(&self.assembler)

    cdef const char *forbid(self, const char *callback) noexcept:
        """Reject calls until the returned value is restored; NULL allows them."""
        cdef const char *before = self.cluster.c.callback
        self.cluster.c.callback = callback
        return before


cdef object detach_assembled(PythonCalls calls, const uint8_t *payload):
    """Release an assembled message with the last of its readers."""
    cdef partial_message *message
    cdef int32_t index
    for index in range(calls.assembler.count):
        message = &calls.assembler.messages[index]
        if message.buffer != NULL and message.buffer <= payload <= message.buffer + message.length:
            owner = owner_of_buffer(message.buffer)
            message.buffer = NULL
            message.capacity = 0
            return owner
    return None


cdef int call_on_message(
        void *service, client_session *session, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1:
    cdef PythonCalls calls = <PythonCalls>service
    # Held here, an object without other owners counts two references: that of `calls` and this one.
    cdef MessageView view = calls.view
    cdef Header seen = calls.header
    cdef bint is_kept = False
    if Py_REFCNT(<PyObject *>seen) > 2:
        seen = calls.header = Header.__new__(Header)
    set_message(view, seen, payload, length, header)
    if calls.time_object is None or calls.time != calls.cluster.c.table.time:
        calls.time = calls.cluster.c.table.time
        calls.time_object = calls.time
    try:
        try:
            calls.on_session_message(
                None if session == NULL else <ClientSession>session.object,
                calls.time_object, view, seen)
        finally:
            view.data = NULL
            if view.exports != 0 or Py_REFCNT(<PyObject *>view) > 2:
                is_kept = view.exports != 0
                calls.view = MessageView.__new__(MessageView)
                if not is_kept:
                    view.owner = None
                elif header.fragmented_frame_length != -1:
                    view.owner = detach_assembled(calls, payload)
        if is_kept:
            raise BufferUsageError(
                f"{name_of(calls.service)}.on_session_message: expected no view of the message "
                f"after the callback, found {view.exports} still held at position {seen.position}")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        calls.on_failure(error, "on_session_message", cluster_session_id)
    return 0


cdef int call_on_timer(void *service, int64_t correlation_id) except -1:
    cdef PythonCalls calls = <PythonCalls>service
    try:
        calls.on_timer_event(correlation_id, calls.cluster.c.table.time)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        calls.on_failure(error, "on_timer_event", None)
    return 0


cdef int call_background_work(void *service, int64_t now_ns) except -1:
    cdef PythonCalls calls = <PythonCalls>service
    cdef const char *before = calls.forbid(b"do_background_work")
    cdef int work_count = 0
    try:
        work_count = calls.background_work(now_ns)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        calls.on_failure(error, "do_background_work", None)
    finally:
        calls.cluster.c.callback = before
    return max(work_count, 0)


cdef str name_of(object service):
    kind = type(service)
    return f"{kind.__module__}.{kind.__qualname__}"


cdef class PythonCalls(ServiceCalls):
    """The callbacks of a `ClusteredService`.

    Parameters
    ----------
    cluster : Cluster
    on_failure : callable
        As of `ServiceCalls`.
    service : ClusteredService
    """

    def __init__(self, Cluster cluster not None, on_failure, service not None):
        self.service = service
        self.on_session_message = service.on_session_message
        self.on_timer_event = service.on_timer_event
        self.view = MessageView.__new__(MessageView)
        self.header = Header.__new__(Header)
        self.c.service = <void *>self
        self.c.needs_gil = True
        self.c.on_message = <message_call><void *>call_on_message
        self.c.on_timer = <timer_call><void *>call_on_timer
        own_work = getattr(type(service), "do_background_work", None)
        if own_work is not ClusteredService.do_background_work:
            self.background_work = service.do_background_work
            self.c.do_background_work = <work_call><void *>call_background_work

    def on_start(self, image):
        """Start the service, with the rest of its snapshot or None."""
        cdef const char *before = self.forbid(b"on_start")
        try:
            self.service.on_start(self.cluster, image)
        finally:
            self.cluster.c.callback = before

    def on_session_open(self, ClientSession session not None):
        """Call the service for an opened session."""
        self.service.on_session_open(session, self.cluster.c.table.time)

    def on_session_close(self, ClientSession session not None, reason):
        """Call the service for a closed session."""
        self.service.on_session_close(session, self.cluster.c.table.time, reason)

    def on_take_snapshot(self, publication):
        """Call the service to write its state."""
        self.service.on_take_snapshot(publication)

    def on_role_change(self, role):
        """Call the service with the new role."""
        cdef const char *before = self.forbid(b"on_role_change")
        try:
            self.service.on_role_change(role)
        finally:
            self.cluster.c.callback = before

    def on_new_leadership_term_event(self, term):
        """Call the service for a new term."""
        self.service.on_new_leadership_term_event(term)

    def on_terminate(self):
        """Notify it of the end."""
        cdef const char *before = self.forbid(b"on_terminate")
        try:
            self.service.on_terminate(self.cluster)
        finally:
            self.cluster.c.callback = before

    def close(self):
        """Do nothing: a Python service has no native resources."""
