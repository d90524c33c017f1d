"""A sum, as ``total.c`` keeps it, over the same table: `make` returns it in a capsule."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from aeron_cluster.cluster.service.abi cimport (
    ADMIN_ACTION,
    BACK_PRESSURED,
    SERVICE_CAPSULE,
    SERVICE_FAILED,
    SERVICE_OK,
    SERVICE_TERMINATE,
    SERVICE_VERSION,
    SNAPSHOT_END,
    cluster_table,
    explain,
    idle,
    log_header,
    service_table,
    session,
    session_offer,
    snapshot_offer,
    snapshot_poll,
    snapshot_reader,
    snapshot_writer,
)


cdef struct total:
    service_table table
    const cluster_table *cluster
    int64_t sum


cdef int load(void *context, const uint8_t *data, int32_t length) noexcept nogil:
    if length != sizeof(int64_t):
        return SERVICE_FAILED
    memcpy(&(<total *>context).sum, data, sizeof(int64_t))
    return SERVICE_OK


cdef int on_start(void *state, const cluster_table *cluster,
                  snapshot_reader *snapshot) noexcept nogil:
    cdef total *self = <total *>state
    cdef int found
    self.cluster = cluster
    while snapshot != NULL:
        found = snapshot_poll(cluster, snapshot, load, self, 1)
        if found == SNAPSHOT_END:
            break
        if found < 0:
            return found
        if idle(cluster, found) < 0:
            return SERVICE_TERMINATE
    return SERVICE_OK


cdef int on_session_message(void *state, session *sender, int64_t timestamp,
                            const uint8_t *data, int32_t length,
                            const log_header *header) noexcept nogil:
    cdef total *self = <total *>state
    cdef int64_t amount, sent
    if sender == NULL or length != sizeof(amount):
        explain(self.cluster, b"expected an amount of 8 bytes")
        return SERVICE_FAILED
    memcpy(&amount, data, sizeof(amount))
    self.sum += amount
    while True:
        sent = session_offer(self.cluster, sender, &self.sum, sizeof(self.sum))
        if sent != BACK_PRESSURED and sent != ADMIN_ACTION:
            return SERVICE_OK  # sent, or the client has gone
        if idle(self.cluster, 0) < 0:
            return SERVICE_TERMINATE


cdef int on_take_snapshot(void *state, snapshot_writer *writer) noexcept nogil:
    cdef total *self = <total *>state
    cdef int64_t sent
    while True:
        sent = snapshot_offer(self.cluster, writer, &self.sum, sizeof(self.sum))
        if sent > 0:
            return SERVICE_OK
        if sent != BACK_PRESSURED and sent != ADMIN_ACTION:
            return <int>sent
        if idle(self.cluster, 0) < 0:
            return SERVICE_TERMINATE


def make():
    """Return a capsule with a new service, for ``NativeService.from_capsule``."""
    self = <total *>calloc(1, sizeof(total))
    if self == NULL:
        raise MemoryError
    self.table.version = SERVICE_VERSION
    self.table.size = sizeof(service_table)
    self.table.name = b"total"
    self.table.state = self
    self.table.on_start = on_start
    self.table.on_session_message = on_session_message
    self.table.on_take_snapshot = on_take_snapshot
    self.table.destroy = free
    return PyCapsule_New(self, SERVICE_CAPSULE, NULL)
