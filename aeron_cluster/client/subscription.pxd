"""Subscriptions: the images of a stream, polled one after the other."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.logbuffer.image_poller cimport fragment_handler, image_poller
from aeron_cluster.logbuffer.message_batch cimport MessageBatch


cdef struct image_list:
    int64_t version
    image_poller **pollers
    int32_t count


# The state for polls without the GIL. The conductor replaces `current`; a replaced list is freed
# once the poller has used a later version.
cdef struct subscription_poller:
    image_list *current
    int64_t seen_version  # stored by the poller
    int32_t next_index  # the index at which the next poll begins
    int32_t is_closed


# Both begin each poll with another image; the limit is for all images together.
cdef int subscription_poll(
    subscription_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil
cdef int subscription_controlled_poll(
    subscription_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil
cdef bint subscription_is_connected(subscription_poller *poller) noexcept nogil


# Immutable; kept alive by its poller, together with the mappings.
@cython.final
cdef class ImageList:
    cdef image_list c
    cdef tuple images
    cdef tuple mappings


# A loop without the GIL polls `subscription.poller` between `pin` and `unpin`, one at a time.
@cython.final
cdef class Subscription:
    cdef subscription_poller poller
    cdef ImageList current
    cdef list retired  # lists that a pinned poller may still use
    cdef bint is_pinned
    cdef object conductor
    cdef readonly str channel
    cdef readonly int32_t stream_id
    cdef readonly int64_t registration_id
    cdef readonly int32_t channel_status_id
    cdef readonly object available_image_handler
    cdef readonly object unavailable_image_handler
    cdef readonly object image_filter
    cdef readonly int64_t filtered_image_count
    cdef MessageBatch batch  # the last one, until it is released

    cdef int pin(self) except -1
    cdef int unpin(self) except -1
    cdef ImageList _enter(self)
    cdef bint _any(self, ImageList images) noexcept
    cdef int _release_batch(self) except -1
    cdef int _poll(self, object handler, int fragment_limit, bint is_controlled) except -1
