"""The rolling hash of what a service did, and the checkpoints at which members are compared."""
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


# What a service does, as it counts; the numbers are part of the hash.
cpdef enum Effect:
    EGRESS = 1
    EGRESS_CLAIM = 2
    CLUSTER_MESSAGE = 3
    SCHEDULE_TIMER = 4
    CANCEL_TIMER = 5
    CLOSE_SESSION = 6
    CALLBACK_FAILED = 7
    CLAIM_COMMITTED = 8  # for observers: in the hash of claims alone


# Called for every effect, once it counts: an Effect, the session or timer, the deadline or what was
# claimed, and the payload.
ctypedef void (*effect_observer)(
    void *context, int effect, int64_t id, int64_t value, const byte_vector *parts,
    int32_t count) noexcept nogil


# One thread owns it; others may copy a checkpoint, and see by its check whether it is whole.
cdef struct divergence_guard:
    uint64_t hash
    uint64_t interval_hash
    uint64_t log_hash
    uint64_t claim_hash
    uint64_t last_attempt  # on an egress, by the event in progress; 0: none
    uint64_t failed_claim  # on an egress, that may yet be tried again; 0: none
    int64_t position  # of the log, after the event in progress
    int64_t next_position  # from here on the next event brings a checkpoint
    int64_t previous_position  # of the last checkpoint, or the base
    int64_t base_position  # where the hash began
    int64_t interval
    int64_t effect_count
    uint32_t flags  # of the interval
    checkpoint *ring
    int64_t capacity
    int64_t written
    # What an earlier run on this directory did from where this one began, by position.
    checkpoint *earlier
    int64_t earlier_count
    int64_t earlier_index
    checkpoint differing  # the first of those that came out otherwise
    checkpoint expected  # and what it had been
    bint has_differed
    bint has_report  # for the Python half: that, or an error of the file
    int64_t file_error  # a negated errno value, or 0
    files files
    int64_t file  # -1: none
    effect_observer observe  # or NULL
    void *observer


# The checkpoint after the event in progress.
cdef void guard_checkpoint(
    divergence_guard *guard, int64_t leadership_term_id, uint32_t flags) noexcept nogil
# An effect that counts each time. `time` is the cluster's.
cdef void guard_effect(
    divergence_guard *guard, int effect, int64_t id, int64_t value, int64_t time,
    const byte_vector *parts, int32_t count) noexcept nogil
# An attempt on an egress: only a leader sees it fail, so that it counts whether it succeeds, and
# counts once if the same is tried again.
cdef void guard_attempt(
    divergence_guard *guard, int effect, int64_t cluster_session_id, int64_t value, int64_t time,
    const byte_vector *parts, int32_t count) noexcept nogil
# How a claim on an egress came out.
cdef void guard_claimed(
    divergence_guard *guard, int64_t cluster_session_id, int64_t length,
    bint is_claimed) noexcept nogil
# The payload of one that is committed.
cdef void guard_committed(
    divergence_guard *guard, int64_t cluster_session_id, const uint8_t *payload,
    int32_t length) noexcept nogil


cdef inline void guard_event(
        divergence_guard *guard, int64_t position, int64_t time,
        int64_t leadership_term_id) noexcept nogil:
    """Begin the next event; with it the one before has had all of its effects."""
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
    cdef File file  # None: in memory alone
    cdef Files files
    cdef readonly str path
    cdef int32_t cluster_id
    cdef int32_t service_id
    cdef int32_t member_id
    cdef bint is_reported
    cdef list snapshots  # the checkpoints of snapshots, which the ring forgets

    cdef object _record(self, const checkpoint *source)
    cdef int _write_all(self) except -1
    cdef int _write_header(self) except -1
