"""Consume the pings of an archive, and check for its other responses.

Upstream's ``io.aeron.archive.client.ControlResponsePoller`` ignores pings while it polls.
"""
from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.client.image cimport has_frames
from aeron_cluster.client.subscription cimport image_list, subscription_poller
from aeron_cluster.codecs.archive_codecs cimport PING_TEMPLATE_ID, SCHEMA_ID
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.logbuffer.frames cimport FLAG_UNFRAGMENTED
from aeron_cluster.logbuffer.image_poller cimport ABORT, CONTINUE, controlled_poll, frame_view


cdef enum:
    PING_LIMIT = 10


cdef int skip_if_ping(
        void *_, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef sbe_message message
    if (
        header.frame.flags & FLAG_UNFRAGMENTED == FLAG_UNFRAGMENTED
        and sbe_wrap(&message, payload, length)
        and message.schema_id == SCHEMA_ID
        and message.template_id == PING_TEMPLATE_ID
    ):
        return CONTINUE
    return ABORT


cdef int skip_pings(subscription_poller *responses) except -1 nogil:
    cdef const image_list *images = responses.current
    cdef int index
    if images == NULL:
        return False
    for index in range(images.count):
        if has_frames(images.pollers[index]):
            controlled_poll(images.pollers[index], skip_if_ping, NULL, PING_LIMIT)
            if has_frames(images.pollers[index]):
                return True
    return False
