"""The open and closing sessions of a cluster, for the hot paths.

Upstream: the per-message look-ups of ``ConsensusModuleAgent`` in its map of sessions. The Python
half puts, opens and removes sessions; the native half looks them up and stores their last activity.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from aeron_cluster.memory.system.invariants cimport PLACE, check_violations, holds


cdef enum:
    INITIAL_CAPACITY = 64


cdef void insert(session_table *table, const session_entry *entry) noexcept nogil:
    cdef uint64_t slot = session_slot(table, entry.id)
    if not holds(
        <uint64_t>table.count * 2 <= table.mask + 1, PLACE, "a table is at most half full",
        table.count, <int64_t>table.mask,
    ):
        return
    while table.entries[slot].is_used:
        slot = (slot + 1) & table.mask
    table.entries[slot] = entry[0]
    table.count += 1


cdef void remove_entry(session_table *table, session_entry *entry) noexcept nogil:
    """Free an entry, and move up displaced entries after it."""
    cdef uint64_t free_slot = <uint64_t>(entry - table.entries)
    cdef uint64_t slot = free_slot
    cdef uint64_t home
    if not holds(
        free_slot <= table.mask and entry.is_used, PLACE, "a removed entry is in the table",
        <int64_t>free_slot, <int64_t>table.mask,
    ) or not holds(
        0 < table.count <= <int64_t>(table.mask + 1) // 2, PLACE, "a table is at most half full",
        table.count, <int64_t>table.mask,
    ):
        return
    table.count -= 1
    while True:
        slot = (slot + 1) & table.mask
        if not table.entries[slot].is_used:
            break
        home = session_slot(table, table.entries[slot].id)
        # Not if that would move it before its home slot, cyclically.
        if ((slot - home) & table.mask) >= ((slot - free_slot) & table.mask):
            table.entries[free_slot] = table.entries[slot]
            free_slot = slot
    table.entries[free_slot].is_used = False


@cython.final
cdef class SessionTable:
    """The native half's view of each session: whether it is open, and when it was active.

    Notes
    -----
    Runs on the thread of the consensus module. Times are on the monotonic clock.
    """

    def __cinit__(self):
        self.c.entries = <session_entry *>calloc(INITIAL_CAPACITY, sizeof(session_entry))
        if self.c.entries == NULL:
            raise MemoryError("session table: expected room for sessions")
        self.c.mask = INITIAL_CAPACITY - 1

    def __dealloc__(self):
        free(self.c.entries)

    cdef int grow(self) except -1:
        cdef session_table before = self.c
        cdef uint64_t slot
        self.c.entries = <session_entry *>calloc((before.mask + 1) * 2, sizeof(session_entry))
        if self.c.entries == NULL:
            self.c.entries = before.entries
            raise MemoryError("session table: expected room for sessions")
        self.c.mask = before.mask * 2 + 1
        self.c.count = 0
        for slot in range(before.mask + 1):
            if before.entries[slot].is_used:
                insert(&self.c, &before.entries[slot])
        free(before.entries)
        return 0

    cdef session_entry *entry_of(self, int64_t cluster_session_id) except NULL:
        cdef session_entry *entry = session_find(&self.c, cluster_session_id)
        if entry == NULL:
            raise KeyError(cluster_session_id)
        return entry

    def put(
            self, int64_t cluster_session_id, *, bint is_open, int64_t last_activity_ns,
            int64_t ingress_image=-1):
        """Add a session, or replace a known one.

        Parameters
        ----------
        cluster_session_id : int
        is_open : bool
            Whether its messages are accepted.
        last_activity_ns : int
            The time of its last activity.
        ingress_image : int
            The correlation id of the image of its messages; -1 while it is unknown.
        """
        cdef session_entry *entry = session_find(&self.c, cluster_session_id)
        cdef session_entry added
        added.id = cluster_session_id
        added.last_activity_ns = last_activity_ns
        added.ingress_image = ingress_image
        added.is_open = is_open
        added.is_used = True
        if entry != NULL:
            entry[0] = added
            return
        if <uint64_t>self.c.count * 2 > self.c.mask:
            self.grow()
        insert(&self.c, &added)
        check_violations()

    def remove(self, int64_t cluster_session_id):
        """Remove a session; return whether it existed."""
        cdef session_entry *entry = session_find(&self.c, cluster_session_id)
        if entry == NULL:
            return False
        remove_entry(&self.c, entry)
        check_violations()
        return True

    def is_open(self, int64_t cluster_session_id):
        """Return whether messages of a session are accepted; False for an unknown one."""
        cdef session_entry *entry = session_find(&self.c, cluster_session_id)
        return entry != NULL and entry.is_open

    def set_open(self, int64_t cluster_session_id, bint is_open):
        """Set whether messages of a session are accepted.

        Raises
        ------
        KeyError
            The session does not exist.
        """
        self.entry_of(cluster_session_id).is_open = is_open

    def last_activity_ns(self, int64_t cluster_session_id):
        """Return the time of a session's last activity.

        Raises
        ------
        KeyError
            The session does not exist.
        """
        return self.entry_of(cluster_session_id).last_activity_ns

    def touch(self, int64_t cluster_session_id, int64_t now_ns):
        """Record that a session is active.

        Raises
        ------
        KeyError
            The session does not exist.
        """
        self.entry_of(cluster_session_id).last_activity_ns = now_ns

    def touch_all(self, int64_t now_ns):
        """Record that every session is active, as after a snapshot."""
        cdef uint64_t slot
        for slot in range(self.c.mask + 1):
            self.c.entries[slot].last_activity_ns = now_ns

    def ingress_image(self, int64_t cluster_session_id):
        """Return the correlation id of the image of a session's messages, or -1.

        Raises
        ------
        KeyError
            The session does not exist.
        """
        return self.entry_of(cluster_session_id).ingress_image

    def link(self, int64_t cluster_session_id, int64_t image_correlation_id):
        """Set the image of a session's messages.

        Raises
        ------
        KeyError
            The session does not exist.
        """
        self.entry_of(cluster_session_id).ingress_image = image_correlation_id

    def earliest_activity_ns(self):
        """Return the activity time of the longest inactive open session; 2**63 - 1 without one."""
        cdef int64_t earliest_ns = INT64_MAX
        cdef uint64_t slot
        for slot in range(self.c.mask + 1):
            if (
                self.c.entries[slot].is_used
                and self.c.entries[slot].is_open
                and self.c.entries[slot].last_activity_ns < earliest_ns
            ):
                earliest_ns = self.c.entries[slot].last_activity_ns
        return earliest_ns

    def clear(self):
        """Remove every session."""
        cdef uint64_t slot
        for slot in range(self.c.mask + 1):
            self.c.entries[slot].is_used = False
        self.c.count = 0

    def __len__(self):
        return self.c.count

    def __contains__(self, int64_t cluster_session_id):
        return session_find(&self.c, cluster_session_id) != NULL
