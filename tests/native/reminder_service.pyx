"""A native service in Cython: it sends a session's message to every session at a given time.

Built like a user's service, against the installed headers and ``.pxd`` files.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from aeron_cluster.cluster.service.abi cimport (
    BACK_PRESSURED,
    SERVICE_CAPSULE,
    SERVICE_OK,
    SERVICE_TERMINATE,
    SERVICE_VERSION,
    claim,
    claim_abort,
    claim_commit,
    cluster_offerv,
    cluster_table,
    explain,
    idle,
    log_header,
    schedule_timer,
    service_table,
    session,
    session_at,
    session_offerv,
    session_try_claim,
    snapshot_offer,
    snapshot_poll,
    snapshot_reader,
    snapshot_writer,
    vector,
)
from aeron_cluster.cluster.service.native_service cimport NativeService


cdef enum:
    DELAY = 10
    CAPACITY = 64


cdef struct reminder:
    service_table table
    const cluster_table *cluster
    int32_t length
    uint8_t text[CAPACITY]
    int *destroyed


cdef int load(void *context, const uint8_t *data, int32_t length) noexcept nogil:
    cdef reminder *self = <reminder *>context
    memcpy(self.text, data, length)
    self.length = length
    return SERVICE_OK


cdef int on_start(void *state, const cluster_table *cluster,
                  snapshot_reader *snapshot) noexcept nogil:
    cdef reminder *self = <reminder *>state
    self.cluster = cluster
    while snapshot != NULL and snapshot_poll(cluster, snapshot, load, state, 1) >= 0:
        pass
    return SERVICE_OK


cdef int on_session_message(void *state, session *sender, int64_t timestamp,
                            const uint8_t *data, int32_t length,
                            const log_header *header) noexcept nogil:
    cdef reminder *self = <reminder *>state
    cdef vector parts[2]
    if length > CAPACITY:
        explain(self.cluster, b"more than 64 bytes")
        return -42
    if sender == NULL:
        return SERVICE_OK
    memcpy(self.text, data, length)
    self.length = length
    parts[0].data = b"noted: "
    parts[0].length = 7
    parts[1].data = data
    parts[1].length = length
    session_offerv(self.cluster, sender, parts, 2)
    cluster_offerv(self.cluster, &parts[1], 1)
    while schedule_timer(self.cluster, header.position, timestamp + DELAY) == BACK_PRESSURED:
        if idle(self.cluster, 0) < 0:
            return SERVICE_TERMINATE
    return SERVICE_OK


cdef int on_timer_event(void *state, int64_t correlation_id, int64_t timestamp) noexcept nogil:
    cdef reminder *self = <reminder *>state
    cdef session *to
    cdef claim room
    cdef int32_t index
    for index in range(self.cluster.session_count):
        to = session_at(self.cluster, index)
        if session_try_claim(self.cluster, to, self.length, &room) > 0:
            if to.encoded_principal_length > 0:
                claim_abort(self.cluster, &room)
                continue
            memcpy(room.data, self.text, self.length)
            claim_commit(self.cluster, &room)
    return SERVICE_OK


cdef int on_take_snapshot(void *state, snapshot_writer *writer) noexcept nogil:
    cdef reminder *self = <reminder *>state
    return <int>(snapshot_offer(self.cluster, writer, self.text, self.length) <= 0) * -1


cdef void destroy(void *state) noexcept nogil:
    cdef reminder *self = <reminder *>state
    self.destroyed[0] += 1
    free(self)


cdef int destroyed = 0


def make():
    """Return a capsule with a new service."""
    self = <reminder *>calloc(1, sizeof(reminder))
    if self == NULL:
        raise MemoryError
    self.destroyed = &destroyed
    self.table.version = SERVICE_VERSION
    self.table.size = sizeof(service_table)
    self.table.name = b"reminder"
    self.table.state = self
    self.table.on_start = on_start
    self.table.on_session_message = on_session_message
    self.table.on_timer_event = on_timer_event
    self.table.on_take_snapshot = on_take_snapshot
    self.table.destroy = destroy
    return PyCapsule_New(self, SERVICE_CAPSULE, NULL)


def destroyed_count():
    return destroyed


def table_address(NativeService service):
    """Return the address of the table that a container would drive."""
    return <uintptr_t>&service.table
