"""Publishers on many threads and one subscriber on one log, all without the GIL.

Each publisher numbers its messages; the subscriber looks that each arrives once, whole and in its
publisher's order. The subscriber's thread does the driver's part, too: it cleans what was read and
moves the limit on.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from aeron_cluster.logbuffer.image_poller cimport frame_view, poll
from aeron_cluster.logbuffer.local_log cimport LocalLog
from aeron_cluster.logbuffer.log_buffers cimport clean_log
from aeron_cluster.logbuffer.term_appender cimport (
    ADMIN_ACTION,
    BACK_PRESSURED,
    NOT_CONNECTED,
    buffer_claim,
    claim_abort,
    claim_commit,
    claim_payload,
    concurrent_offer,
    concurrent_try_claim,
)
from aeron_cluster.memory.shared.atomic cimport store_release_i64


cdef enum:
    MAX_PUBLISHERS = 16
    MAX_LENGTH = 4096


cdef extern from "sched.h" nogil:
    int sched_yield()


cdef struct numbered:
    int32_t publisher
    int32_t sequence
    int32_t length


cdef struct received:
    int32_t expected[MAX_PUBLISHERS]
    int64_t messages
    int64_t wrong


cdef inline int32_t length_of(int32_t publisher, int32_t sequence) noexcept nogil:
    cdef uint64_t mixed = (<uint64_t>publisher * 31 + <uint64_t>sequence) * 1103515245
    return <int32_t>(sizeof(numbered) + (mixed >> 7) % 300)


cdef void fill(
    uint8_t *message, int32_t publisher, int32_t sequence, int32_t length
) noexcept nogil:
    cdef numbered *head = <numbered *>message
    head.publisher = publisher
    head.sequence = sequence
    head.length = length
    memset(message + sizeof(numbered), sequence & 0xFF, length - sizeof(numbered))


cdef int64_t publish_all(LocalLog log, int32_t publisher, int32_t count) noexcept nogil:
    cdef uint8_t[MAX_LENGTH] message
    cdef buffer_claim claim
    cdef int32_t sequence = 0
    cdef int32_t aborted = -1
    cdef int32_t length
    cdef int64_t position
    while sequence < count:
        length = length_of(publisher, sequence)
        if sequence % 3 == 0:
            position = concurrent_try_claim(&log.shared, length, &claim)
            if position > 0:
                fill(claim_payload(&claim), publisher, sequence, length)
                if sequence % 9 == 0 and aborted != sequence:
                    aborted = sequence
                    claim_abort(&claim)
                    continue  # retry the same message
                claim_commit(&claim)
        else:
            fill(message, publisher, sequence, length)
            position = concurrent_offer(&log.shared, message, length)
        if position > 0:
            sequence += 1
        elif position == BACK_PRESSURED or position == NOT_CONNECTED:
            sched_yield()
        elif position != ADMIN_ACTION:
            return position
    return sequence


cdef int on_fragment(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef received *seen = <received *>context
    cdef const numbered *head = <const numbered *>payload
    cdef int32_t i
    if (
        length < <int32_t>sizeof(numbered)
        or not 0 <= head.publisher < MAX_PUBLISHERS
        or head.length != length
        or head.sequence != seen.expected[head.publisher]
        or length != length_of(head.publisher, head.sequence)
    ):
        seen.wrong += 1
        return 0
    for i in range(<int32_t>sizeof(numbered), length):
        if payload[i] != (head.sequence & 0xFF):
            seen.wrong += 1
            break
    seen.expected[head.publisher] += 1
    seen.messages += 1
    return 0


cdef int64_t subscribe_all(LocalLog log, int64_t count, int64_t window) except -1 nogil:
    cdef received seen
    cdef int64_t clean_position = log.position
    cdef int32_t idle = 0
    cdef int fragments
    memset(&seen, 0, sizeof(seen))
    while seen.messages < count and seen.wrong == 0:
        fragments = poll(&log.poller, on_fragment, &seen, 64)
        if fragments == 0:
            idle += 1
            if idle > 2_000_000:
                return seen.messages
            sched_yield()
        else:
            idle = 0
        while clean_position < log.position:
            clean_position = clean_log(&log.log, clean_position, log.position)
        store_release_i64(&log.limit, log.position + window)
    return seen.messages if seen.wrong == 0 else -2


def publish(LocalLog log not None, int32_t publisher, int32_t count):
    """Offer and claim messages until `count` are in the log."""
    with nogil:
        sent = publish_all(log, publisher, count)
    return sent


def subscribe(LocalLog log not None, int64_t count, int64_t window):
    """Read `count` messages; return -2 if one of them was wrong."""
    cdef int64_t messages
    with nogil:
        messages = subscribe_all(log, count, window)
    return messages
