"""The rolling hash of a service's effects, and the checkpoints at which members are compared."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from aeron_cluster.logbuffer.term_appender cimport byte_vector
from aeron_cluster.memory.system.seams cimport File, Files, files


cdef extern from "aeron_cluster/divergence.h" nogil:
    enum:
        CHECKPOINT_SNAPSHOT "AC_CHECKPOINT_SNAPSHOT"
        CHECKPOINT_UNSENT "AC_CHECKPOINT_UNSENT"

    ctypedef struct digest "ac_digest":
        pass

    ctypedef struct checkpoint "ac_checkpoint":
        int64_t position
        int64_t leadership_term_id
        int64_t previous_position
        int64_t base_position
        uint64_t hash
        uint64_t interval_hash
        uint64_t log_hash
        uint64_t claim_hash
        int64_t effect_count
        uint32_t flags
        uint32_t check

    uint64_t fold "ac_divergence_fold"(uint64_t hash, uint64_t word) noexcept
    void digest_begin "ac_digest_begin"(digest *digest) noexcept
    void digest_add "ac_digest_add"(digest *digest, const uint8_t *data, size_t length) noexcept
    uint64_t digest_end "ac_digest_end"(digest *digest) noexcept
    uint32_t checkpoint_check "ac_checkpoint_check"(const checkpoint *checkpoint) noexcept


# The kinds of a service's effects; the numbers are part of the hash.
cpdef enum Effect:
    EGRESS = 1
    EGRESS_CLAIM = 2
    CLUSTER_MESSAGE = 3
    SCHEDULE_TIMER = 4
    CANCEL_TIMER = 5
    CLOSE_SESSION = 6
    CALLBACK_FAILED = 7
    CLAIM_COMMITTED = 8  # for observers: only part of the hash of claims


# Called for every counted effect: an Effect, the session or timer, the deadline or the claimed
# length, and the payload.
ctypedef void (*effect_observer)(
    void *context, int effect, int64_t id, int64_t value, const byte_vector *parts,
    int32_t count) noexcept nogil


# Owned by one thread; others may copy a checkpoint, and detect a torn copy by its check.
cdef struct divergence_guard:
    uint64_t hash
    uint64_t interval_hash
    uint64_t log_hash
    uint64_t claim_hash
    uint64_t last_attempt  # the last attempt on an egress in the current event; 0: none
    uint64_t failed_claim  # a failed claim on an egress that may be retried; 0: none
    int64_t position  # log position after the current event
    int64_t next_position  # the next event from here on makes a checkpoint
    int64_t previous_position  # position of the last checkpoint, or the base
    int64_t base_position  # start of the hash
    int64_t interval
    int64_t effect_count
    uint32_t flags  # of the interval
    checkpoint *ring
    int64_t capacity
    int64_t written
    # The checkpoints of an earlier run on this directory after the start of this one, by position.
    checkpoint *earlier
    int64_t earlier_count
    int64_t earlier_index
    checkpoint differing  # the first one that differs from an earlier run
    checkpoint expected  # and its value in the earlier run
    bint has_differed
    bint has_report  # a report for the Python half: a difference, or a file error
    int64_t file_error  # a negated errno value, or 0
    files files
    int64_t file  # -1: none
    effect_observer observe  # or NULL
    void *observer


# The checkpoint after the current event.
cdef void guard_checkpoint(
    divergence_guard *guard, int64_t leadership_term_id, uint32_t flags) noexcept nogil
# Add an effect that always counts. `time` is the cluster's.
cdef void guard_effect(
    divergence_guard *guard, int effect, int64_t id, int64_t value, int64_t time,
    const byte_vector *parts, int32_t count) noexcept nogil
# Add an attempt on an egress: it fails only on a leader, so it counts whether it succeeds or not,
# and a retry of the same does not count again.
cdef void guard_attempt(
    divergence_guard *guard, int effect, int64_t cluster_session_id, int64_t value, int64_t time,
    const byte_vector *parts, int32_t count) noexcept nogil
# Add the result of a claim on an egress.
cdef void guard_claimed(
    divergence_guard *guard, int64_t cluster_session_id, int64_t length,
    bint is_claimed) noexcept nogil
# Add the payload of a committed claim.
cdef void guard_committed(
    divergence_guard *guard, int64_t cluster_session_id, const uint8_t *payload,
    int32_t length) noexcept nogil


cdef inline void guard_event(
        divergence_guard *guard, int64_t position, int64_t time,
        int64_t leadership_term_id) noexcept nogil:
    """Begin the next event; the effects of the previous one are complete."""
    if guard.failed_claim != 0:
        guard.failed_claim = 0
        guard.flags |= CHECKPOINT_UNSENT
    guard.last_attempt = 0
    if guard.position >= guard.next_position:
        guard_checkpoint(guard, leadership_term_id, 0)
    guard.position = position
    guard.log_hash = fold(fold(guard.log_hash, <uint64_t>position), <uint64_t>time)


@cython.final
cdef class DivergenceGuard:
    cdef divergence_guard c
    cdef File file  # None: only in memory
    cdef Files files
    cdef readonly str path
    cdef int32_t cluster_id
    cdef int32_t service_id
    cdef int32_t member_id
    cdef bint is_reported
    cdef list snapshots  # the checkpoints of snapshots, which the ring overwrites

    cdef object _record(self, const checkpoint *source)
    cdef int _write_all(self) except -1
    cdef int _write_header(self) except -1
