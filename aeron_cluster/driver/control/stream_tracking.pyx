"""The conductor's work for all streams in each duty cycle.

``DriverConductor.trackStreamPositions``.
"""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.driver.receive.publication_image cimport (
    PublicationImage,
    is_image_steady,
    publication_image,
    track_rebuild,
)
from aeron_cluster.driver.send.network_publication cimport (
    NetworkPublication,
    network_publication,
    check_network_publication,
    update_publication_limits,
)
from aeron_cluster.driver.streams.ipc_publication cimport (
    IpcPublication,
    ipc_publication,
    check_ipc_publication,
    update_ipc_limits,
)
from aeron_cluster.driver.streams.pointer_array cimport (
    pointer_array,
    pointers_add,
    pointers_free,
    pointers_remove,
)
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport Clock, nano_time


cdef int stream_tracking_do_work(void *state) except -1 nogil:
    return track_streams(<stream_tracking *>state)


cdef int track_streams(stream_tracking *tracking) noexcept nogil:
    cdef int work_count = 0
    cdef int index
    if not holds(
        0 <= tracking.network_publications.count <= tracking.network_publications.capacity, PLACE,
        "each publication has an entry", tracking.network_publications.count,
        tracking.network_publications.capacity,
    ) or not holds(
        0 <= tracking.images.count <= tracking.images.capacity, PLACE, "each image has an entry",
        tracking.images.count, tracking.images.capacity,
    ):
        return 0
    if tracking.images.count > 0:
        work_count += track_images(tracking)
    for index in range(tracking.network_publications.count):
        work_count += update_publication_limits(
            <network_publication *>tracking.network_publications.items[index])
    for index in range(tracking.ipc_publications.count):
        work_count += update_ipc_limits(
            <ipc_publication *>tracking.ipc_publications.items[index])
    return work_count


cdef bint check_streams(stream_tracking *tracking, int64_t now_ns) noexcept nogil:
    cdef bint is_all = True
    cdef int index
    for index in range(tracking.images.count):
        if not is_image_steady(<publication_image *>tracking.images.items[index]):
            is_all = False
    for index in range(tracking.network_publications.count):
        if not check_network_publication(
                <network_publication *>tracking.network_publications.items[index], now_ns):
            is_all = False
    for index in range(tracking.ipc_publications.count):
        if not check_ipc_publication(
                <ipc_publication *>tracking.ipc_publications.items[index], now_ns):
            is_all = False
    return is_all


cdef int track_images(stream_tracking *tracking) noexcept nogil:
    cdef int64_t now_ns = nano_time(&tracking.clock)
    cdef int work_count = 0
    cdef int index
    for index in range(tracking.images.count):
        work_count += track_rebuild(
            <publication_image *>tracking.images.items[index], now_ns, &tracking.clock)
    return work_count


@cython.final
cdef class StreamTracking(Agent):
    """The conductor's work for all streams: rebuild positions, gaps, limits and cleaning, in C.

    A separate agent, so that it runs in each duty cycle without the conductor's other work; both
    must run on one thread. Its methods may only be called between two duty cycles.

    Parameters
    ----------
    clock
        The clock.
    """

    def __cinit__(self, Clock clock not None):
        self._retained = {}
        self._clock = clock
        self.c.clock = clock.c
        self.do_work_fn = stream_tracking_do_work
        self.state = &self.c

    def __dealloc__(self):
        pointers_free(&self.c.images)
        pointers_free(&self.c.network_publications)
        pointers_free(&self.c.ipc_publications)

    @property
    def role_name(self):
        return "stream-tracking"

    cdef int _add(self, pointer_array *pointers, void *item, object owner) except -1:
        if <size_t>item in self._retained:
            return 0
        if pointers_add(pointers, item) < 0:
            raise MemoryError
        self._retained[<size_t>item] = owner
        return 0

    cdef int _remove(self, pointer_array *pointers, void *item) except -1:
        pointers_remove(pointers, item)
        self._retained.pop(<size_t>item, None)
        return 0

    def add_image(self, PublicationImage image not None):
        """Track an image from the next duty cycle on."""
        self._add(&self.c.images, image._open(), image)

    def remove_image(self, PublicationImage image not None):
        """Stop tracking an image, before it is closed."""
        self._remove(&self.c.images, image.c)

    def add_network_publication(self, NetworkPublication publication not None):
        """Track a publication from the next duty cycle on."""
        self._add(&self.c.network_publications, publication._open(), publication)

    def remove_network_publication(self, NetworkPublication publication not None):
        """Stop tracking a publication, before it is closed."""
        self._remove(&self.c.network_publications, publication.c)

    def add_ipc_publication(self, IpcPublication publication not None):
        """Track a publication from the next duty cycle on."""
        self._add(&self.c.ipc_publications, publication._open(), publication)

    def remove_ipc_publication(self, IpcPublication publication not None):
        """Stop tracking a publication, before it is closed."""
        self._remove(&self.c.ipc_publications, &publication.c)
