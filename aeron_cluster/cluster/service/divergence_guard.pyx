"""The rolling hash of a service's effects, and the checkpoints at which members are compared.

No counterpart in Aeron. Every member of a cluster runs the same service over the same log, so all
members have the same hash at the same position, unless one has diverged before it.

``divergence-<service id>.dat`` in the cluster directory contains the checkpoints::

      0 magic, "AERONDIV"          8      32 interval, bytes of log    i64
      8 version, major << 16      i32     40 capacity, checkpoints     i64
     12 header length             i32     48 snapshots, checkpoints    i64
     16 cluster id                i32     56 check of the bytes before i64
     20 service id                i32     64 the checkpoints of the last snapshots
     24 member id, or -1          i32        the checkpoints, round and round
     28 checkpoint length         i32

A checkpoint is an ``ac_checkpoint`` of ``divergence.h``; one with a wrong check is ignored. Java
does not read the file, and snapshots do not refer to it.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import struct

from aeron_cluster.memory.system.check cimport check

from aeron_cluster.cluster.service.checkpoint import Checkpoint
from aeron_cluster.errors import ConfigurationError, CorruptError, DivergenceError, VersionError


cdef enum:
    HEADER_LENGTH = 64
    SNAPSHOT_COUNT = 64
    CHECKPOINT_LENGTH = 80
    VERSION = 1 << 16
    MAX_CAPACITY = 1 << 24

cdef object HEADER = struct.Struct("<8siiiiiiqqqq")
cdef bytes MAGIC = b"AERONDIV"

DEFAULT_CAPACITY = 16384
"""The number of retained checkpoints."""

DEFAULT_INTERVAL = 65536
"""The interval of checkpoints in bytes of log."""


# ---- without the GIL ----

cdef inline uint64_t digest_of(
        int effect, int64_t id, int64_t value, const byte_vector *parts,
        int32_t count) noexcept nogil:
    cdef digest payload
    cdef uint64_t hash = fold(fold(fold(0, <uint64_t>effect), <uint64_t>id), <uint64_t>value)
    cdef int32_t index
    if count > 0:
        digest_begin(&payload)
        for index in range(count):
            digest_add(&payload, parts[index].data, parts[index].length)
        hash = fold(hash, digest_end(&payload))
    return hash


cdef inline void count_effect(
        divergence_guard *guard, uint64_t effect, int64_t time) noexcept nogil:
    effect = fold(fold(effect, <uint64_t>guard.position), <uint64_t>time)
    guard.hash = fold(guard.hash, effect)
    guard.interval_hash = fold(guard.interval_hash, effect)
    guard.effect_count += 1


cdef inline void notify_observer(
        divergence_guard *guard, int effect, int64_t id, int64_t value, const byte_vector *parts,
        int32_t count) noexcept nogil:
    if guard.observe != NULL:
        guard.observe(guard.observer, effect, id, value, parts, count)


cdef void guard_effect(
        divergence_guard *guard, int effect, int64_t id, int64_t value, int64_t time,
        const byte_vector *parts, int32_t count) noexcept nogil:
    count_effect(guard, digest_of(effect, id, value, parts, count), time)
    notify_observer(guard, effect, id, value, parts, count)


cdef void guard_attempt(
        divergence_guard *guard, int effect, int64_t cluster_session_id, int64_t value,
        int64_t time, const byte_vector *parts, int32_t count) noexcept nogil:
    cdef uint64_t attempt = digest_of(effect, cluster_session_id, value, parts, count)
    if attempt | 1 == guard.last_attempt:
        return
    guard.last_attempt = attempt | 1
    count_effect(guard, attempt, time)
    notify_observer(guard, effect, cluster_session_id, value, parts, count)


cdef void guard_claimed(
        divergence_guard *guard, int64_t cluster_session_id, int64_t length,
        bint is_claimed) noexcept nogil:
    cdef uint64_t claim = fold(fold(0, <uint64_t>cluster_session_id), <uint64_t>length) | 1
    if guard.failed_claim != 0 and guard.failed_claim != claim:
        guard.flags |= CHECKPOINT_UNSENT
    guard.failed_claim = 0 if is_claimed else claim


cdef void guard_committed(
        divergence_guard *guard, int64_t cluster_session_id, const uint8_t *payload,
        int32_t length) noexcept nogil:
    cdef byte_vector part
    part.data = payload
    part.length = <size_t>length
    guard.claim_hash = fold(
        guard.claim_hash,
        fold(digest_of(EGRESS_CLAIM, cluster_session_id, length, &part, 1),
             <uint64_t>guard.position))
    notify_observer(guard, CLAIM_COMMITTED, cluster_session_id, length, &part, 1)


cdef inline bint is_other(const checkpoint *made, const checkpoint *before) noexcept nogil:
    """As ``Checkpoint.differs_from``."""
    if made.base_position == before.base_position and made.log_hash != before.log_hash:
        return False
    if made.base_position == before.base_position and made.hash != before.hash:
        return True
    if made.previous_position != before.previous_position:
        return False
    if made.interval_hash != before.interval_hash:
        return True
    return (
        made.claim_hash != before.claim_hash
        and not (made.flags | before.flags) & CHECKPOINT_UNSENT
    )


cdef void compare_with_earlier(divergence_guard *guard, const checkpoint *made) noexcept nogil:
    cdef checkpoint *before
    while (
        guard.earlier_index < guard.earlier_count
        and guard.earlier[guard.earlier_index].position < made.position
    ):
        guard.earlier_index += 1
    if guard.earlier_index == guard.earlier_count:
        return
    before = &guard.earlier[guard.earlier_index]
    if before.position != made.position or guard.has_differed:
        return
    if is_other(made, before):
        guard.has_differed = True
        guard.differing = made[0]
        guard.expected = before[0]
        guard.has_report = True


cdef void guard_checkpoint(
        divergence_guard *guard, int64_t leadership_term_id, uint32_t flags) noexcept nogil:
    cdef int64_t slot = guard.written % guard.capacity
    cdef checkpoint *made = &guard.ring[slot]
    cdef int64_t result
    made.check = 0
    made.position = guard.position
    made.leadership_term_id = leadership_term_id
    made.previous_position = guard.previous_position
    made.base_position = guard.base_position
    made.hash = guard.hash
    made.interval_hash = guard.interval_hash
    made.log_hash = guard.log_hash
    made.claim_hash = guard.claim_hash
    made.effect_count = guard.effect_count
    made.flags = guard.flags | flags
    made.check = checkpoint_check(made)
    guard.written += 1
    guard.previous_position = guard.position
    guard.next_position = guard.position - guard.position % guard.interval + guard.interval
    guard.interval_hash = 0
    guard.claim_hash = 0
    guard.flags = 0
    if guard.earlier_index < guard.earlier_count:
        compare_with_earlier(guard, made)
    if guard.file >= 0:
        result = guard.files.ops.write_at(
            guard.files.state, guard.file, made, CHECKPOINT_LENGTH,
            HEADER_LENGTH + (SNAPSHOT_COUNT + slot) * <int64_t>CHECKPOINT_LENGTH)
        if result < 0 and guard.file_error == 0:
            guard.file_error = result
            guard.has_report = True


# ---- with it ----

cdef bint is_complete(const checkpoint *found) noexcept:
    return found.check == checkpoint_check(found)


cdef void fill(checkpoint *target, object record) noexcept:
    target.position = record.position
    target.leadership_term_id = record.leadership_term_id
    target.previous_position = record.previous_position
    target.base_position = record.base_position
    target.hash = record.hash
    target.interval_hash = record.interval_hash
    target.log_hash = record.log_hash
    target.claim_hash = record.claim_hash
    target.effect_count = record.effect_count
    target.flags = (
        (CHECKPOINT_SNAPSHOT if record.is_snapshot else 0)
        | (CHECKPOINT_UNSENT if record.is_unsent else 0)
    )
    target.check = checkpoint_check(target)


cdef object record_of(const checkpoint *source):
    return Checkpoint(
        source.position, source.leadership_term_id, source.previous_position,
        source.base_position, source.hash, source.interval_hash, source.log_hash,
        source.claim_hash, source.effect_count, bool(source.flags & CHECKPOINT_SNAPSHOT),
        bool(source.flags & CHECKPOINT_UNSENT))


cdef bytes bytes_of(object record):
    cdef checkpoint made
    fill(&made, record)
    return (<const char *>&made)[:CHECKPOINT_LENGTH]


def _header_check(bytes fields not None):
    cdef digest found
    digest_begin(&found)
    digest_add(&found, <const uint8_t *><const char *>fields, len(fields))
    return <int64_t>digest_end(&found)


def payload_digest(*parts):
    """Return the digest of a payload in parts, 64 bits unsigned."""
    cdef digest found
    cdef bytes part
    digest_begin(&found)
    for part in parts:
        digest_add(&found, <const uint8_t *><const char *>part, len(part))
    return digest_end(&found)


def fold_word(uint64_t hash, uint64_t word):
    """Return a hash with one more word folded in."""
    return fold(hash, word)


def read_divergence_file(Files files not None, path):
    """Read the checkpoints of one service of one member.

    Parameters
    ----------
    files : Files
        The file seam.
    path : path-like
        ``divergence-<service id>.dat``; a live member may be writing to it.

    Returns
    -------
    tuple
        Cluster id, service id, member id (-1: unknown), interval in bytes of log, the checkpoints
        of snapshots, and all checkpoints, both ordered by position.

    Raises
    ------
    CorruptError
        It is not such a file.
    VersionError
        It was written by another version.
    """
    cdef const char *at
    cdef checkpoint *found
    cdef Py_ssize_t index, count
    data = files.read(path)
    where = str(path)
    if len(data) < HEADER_LENGTH:
        raise CorruptError(where, 0, "length", f"at least {<int>HEADER_LENGTH}", len(data))
    magic, version, _, cluster_id, service_id, member_id, length, interval, _, snapshots, \
        header_check = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise CorruptError(where, 0, "magic", MAGIC, magic)
    if version >> 16 != VERSION >> 16 or length != CHECKPOINT_LENGTH:
        raise VersionError(where, 8, "version", f"{VERSION >> 16}.x", version >> 16)
    if header_check != _header_check(data[:HEADER_LENGTH - 8]):
        raise CorruptError(where, 56, "check", "that of the header", header_check)
    at = <const char *><bytes>data
    count = (len(data) - HEADER_LENGTH) // CHECKPOINT_LENGTH
    marked, every = {}, {}
    for index in range(count):
        found = <checkpoint *>(at + HEADER_LENGTH + index * CHECKPOINT_LENGTH)
        if is_complete(found):
            record = record_of(found)
            (marked if index < snapshots else every)[record.position, record.is_snapshot] = record
    return (
        cluster_id, service_id, member_id, interval,
        tuple(marked[key] for key in sorted(marked)), tuple(every[key] for key in sorted(every)))


@cython.final
cdef class DivergenceGuard:
    """Hashes the effects of a service, and stores checkpoints of the hash by log position.

    Parameters
    ----------
    interval : int
        The interval of checkpoints in bytes of log; 1 makes one after every event.
    capacity : int
        The number of retained checkpoints, the newest ones.

    Notes
    -----
    Used by a container (``divergence_interval``) or an offline host, which drive it with the log's
    events. Any thread may read checkpoints.
    """

    def __cinit__(
            self, *, int64_t interval=DEFAULT_INTERVAL, int64_t capacity=DEFAULT_CAPACITY):
        if interval < 1:
            raise ConfigurationError("interval", ">= 1", interval)
        if not 1 <= capacity <= MAX_CAPACITY:
            raise ConfigurationError("capacity", f"1 to {<int>MAX_CAPACITY}", capacity)
        self.c.file = -1
        self.c.interval = interval
        self.c.capacity = capacity
        self.c.next_position = interval
        self.member_id = -1
        self.snapshots = []
        self.c.ring = <checkpoint *>calloc(capacity, sizeof(checkpoint))
        if self.c.ring == NULL:
            raise MemoryError(f"divergence guard: expected room for {capacity} checkpoints")
        # Zeros are not a checkpoint.
        assert not is_complete(self.c.ring)

    def __dealloc__(self):
        free(self.c.ring)
        free(self.c.earlier)

    @staticmethod
    def open(
            Files files not None, path, *, int32_t cluster_id=0, int32_t service_id=0,
            int64_t interval=DEFAULT_INTERVAL, int64_t capacity=DEFAULT_CAPACITY):
        """Return a guard that writes its checkpoints to a file, for comparisons.

        Parameters
        ----------
        files : Files
            The file seam.
        path : path-like
            The file; created if it is missing. Nothing is written before `begin`.
        cluster_id, service_id : int
            The ids of its owner.
        interval, capacity : int
            As for the class.

        Raises
        ------
        CorruptError, VersionError
            There is a different file; it is left unchanged.
        """
        cdef DivergenceGuard self = DivergenceGuard(interval=interval, capacity=capacity)
        self.files = files
        self.path = str(path)
        self.cluster_id = cluster_id
        self.service_id = service_id
        if files.exists(path):
            *_, found_interval, snapshots, every = read_divergence_file(files, path)
            self.snapshots = list(snapshots)
            if found_interval == interval:
                self._keep(every)
        self.file = files.open(path, write=True, create=True)
        return self

    cdef int _write_header(self) except -1:
        fields = HEADER.pack(
            MAGIC, VERSION, HEADER_LENGTH, self.cluster_id, self.service_id, self.member_id,
            CHECKPOINT_LENGTH, self.c.interval, self.c.capacity, SNAPSHOT_COUNT, 0)[:-8]
        self.file.write_at(fields + struct.pack("<q", _header_check(fields)), 0)
        return 0

    cdef int _write_all(self) except -1:
        """Rewrite the file with the checkpoints that this run begins with."""
        cdef int64_t index
        cdef list parts = [bytes_of(each) for each in self.snapshots]
        parts.append(bytes((SNAPSHOT_COUNT - len(self.snapshots)) * CHECKPOINT_LENGTH))
        for index in range(min(self.c.written, self.c.capacity)):
            parts.append((<const char *>&self.c.ring[index])[:CHECKPOINT_LENGTH])
        self.file.truncate(0)
        self.file.write_at(b"".join(parts), HEADER_LENGTH)
        self._write_header()
        return 0

    def _keep(self, every):
        """Retain the checkpoints of an earlier run, until `begin` sets the start of this one."""
        cdef Py_ssize_t index
        free(self.c.earlier)
        self.c.earlier_index = self.c.earlier_count = 0
        self.c.earlier = <checkpoint *>calloc(len(every) + 1, sizeof(checkpoint))
        if self.c.earlier == NULL:
            raise MemoryError("divergence guard: expected room for an earlier run")
        for index, record in enumerate(every):
            fill(&self.c.earlier[index], record)
        self.c.earlier_count = len(every)

    def begin(self, int64_t position):
        """Start where a recovery begins: after a snapshot, or at the beginning of the log.

        The hash continues from its value there, if known; later checkpoints of an earlier run are
        compared with this one's.

        Parameters
        ----------
        position : int
            The log position, in bytes.
        """
        cdef int64_t index, after = 0
        cdef checkpoint *each
        memset(self.c.ring, 0, self.c.capacity * sizeof(checkpoint))
        self.c.written = 0
        for index in range(self.c.earlier_count):
            each = &self.c.earlier[index]
            if each.position <= position:
                self.c.ring[self.c.written % self.c.capacity] = each[0]
                self.c.written += 1
                after = index + 1
        self.c.earlier_index = after
        self.snapshots = [one for one in self.snapshots if one.position <= position]
        known = None
        if self.snapshots and self.snapshots[-1].position == position:
            known = self.snapshots[-1]
        self.c.hash = 0 if known is None else known.hash
        self.c.log_hash = 0 if known is None else known.log_hash
        self.c.effect_count = 0 if known is None else known.effect_count
        self.c.base_position = position if known is None else known.base_position
        self.c.previous_position = self.c.position = position
        self.c.next_position = position - position % self.c.interval + self.c.interval
        self.c.interval_hash = self.c.claim_hash = 0
        self.c.last_attempt = self.c.failed_claim = 0
        self.c.flags = 0
        if self.file is not None:
            self._write_all()
            self.c.files = self.files.c
            self.c.file = self.file.handle

    def set_member_id(self, int32_t member_id):
        """Set the member id."""
        if member_id == self.member_id:
            return
        self.member_id = member_id
        if self.c.file >= 0:
            self._write_header()

    def mark_snapshot(self, int64_t leadership_term_id):
        """Make the checkpoint of a snapshot, from which a later run continues.

        Parameters
        ----------
        leadership_term_id : int
            The term in progress.
        """
        guard_checkpoint(&self.c, leadership_term_id, CHECKPOINT_SNAPSHOT)
        record = record_of(&self.c.ring[(self.c.written - 1) % self.c.capacity])
        self.snapshots = [
            each for each in self.snapshots if each.position < record.position][1 - SNAPSHOT_COUNT:]
        self.snapshots.append(record)
        if self.c.file >= 0:
            self.file.write_at(
                b"".join([bytes_of(each) for each in self.snapshots]), HEADER_LENGTH)

    def mark(self, int64_t leadership_term_id):
        """Make a checkpoint after the current event, if it has none."""
        if self.c.position > self.c.previous_position:
            guard_checkpoint(&self.c, leadership_term_id, 0)

    def note_failure(self, int callback, int64_t time):
        """Count a failed callback: members on which it succeeded now have another state."""
        guard_effect(&self.c, CALLBACK_FAILED, callback, 0, time, NULL, 0)

    def take_reports(self):
        """Return unreported errors: exceptions, for the error log.

        Returns
        -------
        list of Exception
            A `PlatformError` if the file could not be written; a `DivergenceError` if an earlier
            run had other effects.
        """
        cdef int64_t error = self.c.file_error
        found = []
        if not self.c.has_report:
            return found
        self.c.has_report = False
        if error < 0:
            self.c.file = -1  # a failed write is not retried forever
            self.c.file_error = 0
            try:
                check(error, self.path)
            except OSError as failure:
                found.append(failure)
        if self.c.has_differed and not self.is_reported:
            self.is_reported = True
            found.append(DivergenceError(
                self.service_id, self.c.differing.previous_position, self.c.differing.position,
                self.c.differing.leadership_term_id,
                {"an earlier run": self.c.expected.hash, "this one": self.c.differing.hash},
                member_id=self.member_id))
        return found

    @property
    def differing(self):
        """The first checkpoint that differs from an earlier run's, or None.

        A pair: the checkpoint of this run, and that of the earlier one.
        """
        if not self.c.has_differed:
            return None
        return record_of(&self.c.differing), record_of(&self.c.expected)

    @property
    def hash(self):
        """The hash of all effects so far, 64 bits unsigned."""
        return self.c.hash

    @property
    def effect_count(self):
        """The number of effects so far."""
        return self.c.effect_count

    @property
    def position(self):
        """The log position after the current event, in bytes."""
        return self.c.position

    @property
    def interval(self):
        """How many bytes of log lie between two checkpoints."""
        return self.c.interval

    cdef object _record(self, const checkpoint *source):
        # The owner may be writing it: then the check of the copy is wrong.
        cdef checkpoint copy = source[0]
        return record_of(&copy) if is_complete(&copy) else None

    def checkpoints(self):
        """Return the retained checkpoints, by position.

        Returns
        -------
        tuple of Checkpoint
        """
        cdef int64_t index
        cdef int64_t end = self.c.written
        found = []
        for index in range(max(0, end - self.c.capacity), end):
            record = self._record(&self.c.ring[index % self.c.capacity])
            if record is not None:
                found.append(record)
        return tuple(found)

    def checkpoint_at(self, int64_t position):
        """Return the checkpoint at a position of the log.

        Parameters
        ----------
        position : int
            In bytes.

        Returns
        -------
        Checkpoint or None
            None if that position has none, or no longer. Members with the same log have
            checkpoints at the same positions.
        """
        cdef int64_t low = max(0, self.c.written - self.c.capacity)
        cdef int64_t high = self.c.written
        cdef int64_t middle
        # Checkpoints are in ascending order of their positions.
        while low < high:
            middle = (low + high) // 2
            if self.c.ring[middle % self.c.capacity].position < position:
                low = middle + 1
            else:
                high = middle
        if low == self.c.written:
            return None
        record = self._record(&self.c.ring[low % self.c.capacity])
        return record if record is not None and record.position == position else None

    def close(self):
        """Close the file. Closing it again does nothing."""
        self.c.file = -1
        if self.file is not None:
            self.file.close()

    def __repr__(self):
        return (
            f"<DivergenceGuard {self.c.hash:016x} at {self.c.position},"
            f" {self.c.effect_count} effects>")
