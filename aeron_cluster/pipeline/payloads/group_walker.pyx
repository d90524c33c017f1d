"""Finds the entries of repeating groups and the variable parts in payloads.

Upstream: the ``limit`` of SBE's flyweights. Each payload is walked once, without creating a Python
object for an entry. The result is arrays of offsets, from which fields are read in bulk.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from aeron_cluster.pipeline.columns.column_memory cimport Buffer, new_buffer


cdef enum:
    INITIAL_CAPACITY = 1024
    OUT_OF_MEMORY = -1
    WALKED = 0
    DAMAGED = 1

    # The damaged part of a payload.
    GROUP_HEADER = 0
    GROUP_COUNT = 1
    GROUP_ENTRY = 2
    DATA_HEADER = 3
    DATA_LENGTH = 4


# A growing array of numbers; the first `kept` ones belong to completely walked payloads.
cdef struct numbers:
    int64_t *values
    int64_t count
    int64_t capacity
    int64_t kept


# A level is the message itself (the first level) or a repeating group.
cdef struct level:
    int32_t header_length
    int32_t block_offset
    int32_t block_width
    int32_t count_offset
    int32_t count_width
    int32_t since
    int32_t first_group
    int32_t group_count
    int32_t first_data
    int32_t data_count
    numbers begins
    numbers block_lengths
    numbers rows
    # For each entry of the parent level: the end of its entries here, and whether it has the group.
    numbers ends
    numbers presences


cdef struct variable_part:
    int32_t header_length
    int32_t length_offset
    int32_t length_width
    int32_t since
    numbers begins
    numbers lengths


cdef struct walk_state:
    const uint8_t *data
    bint is_swapped
    int64_t at
    int64_t limit
    int32_t version
    int64_t row
    # The remaining number of allowed entries with a length of 0.
    int64_t budget
    int32_t failure
    int32_t number
    uint64_t found


cdef inline int push(numbers *n, int64_t value) noexcept nogil:
    cdef int64_t capacity
    cdef int64_t *values
    if n.count == n.capacity:
        capacity = n.capacity * 2 if n.capacity > 0 else INITIAL_CAPACITY
        values = <int64_t *>realloc(n.values, capacity * sizeof(int64_t))
        if values == NULL:
            return OUT_OF_MEMORY
        n.values = values
        n.capacity = capacity
    n.values[n.count] = value
    n.count += 1
    return WALKED


cdef inline uint64_t number_at(const uint8_t *place, int32_t width, bint is_swapped) noexcept nogil:
    """Return a number as unsigned; a negative one becomes too large and is rejected."""
    cdef uint8_t bytes[8]
    cdef uint16_t two
    cdef uint32_t four
    cdef uint64_t eight
    cdef int32_t i
    for i in range(width):
        bytes[i] = place[width - 1 - i] if is_swapped else place[i]
    if width == 1:
        return bytes[0]
    if width == 2:
        memcpy(&two, bytes, 2)
        return two
    if width == 4:
        memcpy(&four, bytes, 4)
        return four
    memcpy(&eight, bytes, 8)
    return eight


cdef inline int damaged(
        walk_state *w, int32_t failure, int32_t number, uint64_t found) noexcept nogil:
    w.failure = failure
    w.number = number
    w.found = found
    return DAMAGED


cdef int walk_entry(
        walk_state *w, level *levels, variable_part *parts, int32_t number) noexcept nogil:
    """Walk the groups and variable parts after the block of a message or an entry."""
    cdef int32_t i
    cdef int status
    for i in range(levels[number].first_group, levels[number].first_group
                   + levels[number].group_count):
        status = walk_group(w, levels, parts, i)
        if status != WALKED:
            return status
    for i in range(levels[number].first_data, levels[number].first_data
                   + levels[number].data_count):
        status = walk_data(w, &parts[i], i)
        if status != WALKED:
            return status
    return WALKED


cdef int walk_group(
        walk_state *w, level *levels, variable_part *parts, int32_t number) noexcept nogil:
    cdef level *group = &levels[number]
    cdef bint is_there = w.version >= group.since
    cdef uint64_t block_length
    cdef uint64_t count
    cdef uint64_t _entry
    cdef int64_t begin
    cdef int status
    if is_there:
        if w.limit - w.at < group.header_length:
            return damaged(w, GROUP_HEADER, number, <uint64_t>(w.limit - w.at))
        block_length = number_at(
            w.data + w.at + group.block_offset, group.block_width, w.is_swapped)
        count = number_at(w.data + w.at + group.count_offset, group.count_width, w.is_swapped)
        w.at += group.header_length
        for _entry in range(count):
            begin = w.at
            if block_length > <uint64_t>(w.limit - w.at):
                return damaged(w, GROUP_ENTRY, number, block_length)
            if push(&group.begins, begin) < 0 or push(&group.rows, w.row) < 0:
                return OUT_OF_MEMORY
            if push(&group.block_lengths, <int64_t>block_length) < 0:
                return OUT_OF_MEMORY
            w.at += <int64_t>block_length
            status = walk_entry(w, levels, parts, number)
            if status != WALKED:
                return status
            if w.at == begin:
                # Without a limit, a few bytes could define billions of entries.
                w.budget -= 1
                if w.budget < 0:
                    return damaged(w, GROUP_COUNT, number, count)
    if push(&group.ends, group.begins.count) < 0 or push(&group.presences, is_there) < 0:
        return OUT_OF_MEMORY
    return WALKED


cdef int walk_data(walk_state *w, variable_part *part, int32_t number) noexcept nogil:
    cdef uint64_t length
    if w.version < part.since:
        if push(&part.begins, 0) < 0 or push(&part.lengths, -1) < 0:
            return OUT_OF_MEMORY
        return WALKED
    if w.limit - w.at < part.header_length:
        return damaged(w, DATA_HEADER, number, <uint64_t>(w.limit - w.at))
    length = number_at(w.data + w.at + part.length_offset, part.length_width, w.is_swapped)
    if length > <uint64_t>(w.limit - w.at - part.header_length):
        return damaged(w, DATA_LENGTH, number, length)
    w.at += part.header_length
    if push(&part.begins, w.at) < 0 or push(&part.lengths, <int64_t>length) < 0:
        return OUT_OF_MEMORY
    w.at += <int64_t>length
    return WALKED


cdef inline void keep(numbers *n) noexcept nogil:
    n.kept = n.count


cdef inline void forget(numbers *n) noexcept nogil:
    n.count = n.kept


cdef Buffer taken(numbers *n):
    """Move the numbers to a buffer that its reader owns."""
    cdef Py_ssize_t length = n.count * <Py_ssize_t>sizeof(int64_t)
    cdef void *data = n.values
    if data == NULL:
        data = malloc(1)
        if data == NULL:
            raise MemoryError
    cdef Py_ssize_t capacity = n.capacity * <Py_ssize_t>sizeof(int64_t)
    n.values = NULL
    n.count = n.kept = n.capacity = 0
    return new_buffer(None, data, length, capacity)


@cython.final
cdef class GroupWalker:
    """Walks payloads of one message of a schema.

    Parameters
    ----------
    levels : list of tuple
        The message, then its groups; groups of a parent are adjacent. For each level: the length of
        the group's header, offset and width of the block length in it, offset and width of the
        count, the version that added it, its first group and the number of groups, its first
        variable part and the number of parts.
    parts : list of tuple
        The variable parts: length of the header, offset and width of the length in it, version.
    is_big_endian : bool
    """

    cdef level *levels
    cdef variable_part *parts
    cdef int32_t level_count
    cdef int32_t part_count
    cdef bint is_swapped

    def __cinit__(self, list levels not None, list parts not None, bint is_big_endian):
        cdef int32_t i
        cdef level *one
        cdef variable_part *part
        self.is_swapped = is_big_endian
        self.levels = <level *>calloc(len(levels) + 1, sizeof(level))
        self.parts = <variable_part *>calloc(len(parts) + 1, sizeof(variable_part))
        if self.levels == NULL or self.parts == NULL:
            raise MemoryError
        for i in range(<int32_t>len(levels)):
            one = &self.levels[i]
            (
                one.header_length, one.block_offset, one.block_width, one.count_offset,
                one.count_width, one.since, one.first_group, one.group_count, one.first_data,
                one.data_count,
            ) = levels[i]
            if one.group_count and not i < one.first_group <= len(levels) - one.group_count:
                raise ValueError(f"level {i}: expected its groups after it")
            if one.data_count and not 0 <= one.first_data <= len(parts) - one.data_count:
                raise ValueError(f"level {i}: expected {len(parts)} variable parts at most")
            if i:
                check_number(one.block_offset, one.block_width, one.header_length)
                check_number(one.count_offset, one.count_width, one.header_length)
        for i in range(<int32_t>len(parts)):
            part = &self.parts[i]
            part.header_length, part.length_offset, part.length_width, part.since = parts[i]
            check_number(part.length_offset, part.length_width, part.header_length)
        self.level_count = <int32_t>len(levels)
        self.part_count = <int32_t>len(parts)

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.level_count):
            free(self.levels[i].begins.values)
            free(self.levels[i].block_lengths.values)
            free(self.levels[i].rows.values)
            free(self.levels[i].ends.values)
            free(self.levels[i].presences.values)
        for i in range(self.part_count):
            free(self.parts[i].begins.values)
            free(self.parts[i].lengths.values)
        free(self.levels)
        free(self.parts)

    cdef void keep_all(self) noexcept nogil:
        cdef int32_t i
        for i in range(self.level_count):
            keep(&self.levels[i].begins)
            keep(&self.levels[i].block_lengths)
            keep(&self.levels[i].rows)
            keep(&self.levels[i].ends)
            keep(&self.levels[i].presences)
        for i in range(self.part_count):
            keep(&self.parts[i].begins)
            keep(&self.parts[i].lengths)

    cdef void forget_all(self) noexcept nogil:
        cdef int32_t i
        for i in range(self.level_count):
            forget(&self.levels[i].begins)
            forget(&self.levels[i].block_lengths)
            forget(&self.levels[i].rows)
            forget(&self.levels[i].ends)
            forget(&self.levels[i].presences)
        for i in range(self.part_count):
            forget(&self.parts[i].begins)
            forget(&self.parts[i].lengths)

    def walk(self, const uint8_t[::1] data not None, const int64_t[::1] bodies not None,
             const int64_t[::1] ends not None, const int32_t[::1] versions not None):
        """Walk payloads, each from the end of its block to its own end.

        Parameters
        ----------
        data : buffer of bytes
        bodies, ends : buffer of int64
            The end of each block, and the end of each payload.
        versions : buffer of int32
            The schema versions with which the payloads were written.

        Returns
        -------
        list of tuple
            The damaged payloads, which have no entries: the payload's index, the offset of the
            damage, the damaged part (0 header, 1 count, 2 entry of a group; 3 header, 4 length of a
            variable part), the index of the group or part, and the found value.

        Raises
        ------
        ValueError
            A payload is not within the data.
        """
        cdef walk_state w
        cdef Py_ssize_t count = bodies.shape[0]
        cdef Py_ssize_t i
        cdef int status = WALKED
        cdef list failures = []
        if not count == ends.shape[0] == versions.shape[0]:
            raise ValueError("expected as many bodies as ends and versions")
        if count == 0:
            return failures
        cdef const int64_t *body = &bodies[0]
        cdef const int64_t *end = &ends[0]
        cdef const int32_t *version = &versions[0]
        for i in range(count):
            if not 0 <= body[i] <= end[i] <= data.shape[0]:
                raise ValueError(f"payload {i}: expected it within {data.shape[0]} bytes")
        w.data = &data[0] if data.shape[0] else NULL
        w.is_swapped = self.is_swapped
        i = 0
        while i < count:
            with nogil:
                while i < count:
                    w.at = body[i]
                    w.limit = end[i]
                    w.version = version[i]
                    w.row = i
                    w.budget = w.limit - w.at
                    status = walk_entry(&w, self.levels, self.parts, 0)
                    i += 1
                    if status != WALKED:
                        break
                    self.keep_all()
            if status == OUT_OF_MEMORY:
                raise MemoryError
            if status == DAMAGED:
                self.forget_all()
                failures.append((i - 1, w.at, w.failure, w.number, w.found))
        return failures

    def take_group(self, int32_t number):
        """Return the entries of a group, and drop them here.

        Parameters
        ----------
        number : int
            The index of the level, from 1.

        Returns
        -------
        tuple of Buffer
            For each entry, as int64: its start, the length of its block, and its payload. For each
            entry of the parent level: the end of its entries here, and whether it has the group.
        """
        if not 1 <= number < self.level_count:
            raise IndexError(number)
        cdef level *group = &self.levels[number]
        return (
            taken(&group.begins), taken(&group.block_lengths), taken(&group.rows),
            taken(&group.ends), taken(&group.presences),
        )

    def take_data(self, int32_t number):
        """Return the begins and lengths of a variable part, as int64; -1 if it is missing.

        Parameters
        ----------
        number : int
            The index of the part.
        """
        if not 0 <= number < self.part_count:
            raise IndexError(number)
        return taken(&self.parts[number].begins), taken(&self.parts[number].lengths)


cdef int check_number(int32_t offset, int32_t width, int32_t length) except -1:
    if width not in (1, 2, 4, 8) or offset < 0 or offset + width > length:
        raise ValueError(f"{width} bytes at {offset}: expected a number in {length} bytes")
    return 0


def gather(const uint8_t[::1] data not None, const int64_t[::1] begins not None,
           const int64_t[::1] lengths not None):
    """Return slices of some data as contiguous bytes.

    Parameters
    ----------
    data : buffer of bytes
    begins, lengths : buffer of int64
        A negative length counts as 0.

    Returns
    -------
    tuple of Buffer
        The bytes, and as int32 the start of each slice and the end of the last one.

    Raises
    ------
    ValueError
        A slice is not within the data, or the total is 2 GiB or more.
    """
    cdef Py_ssize_t count = begins.shape[0]
    cdef int64_t total = 0
    cdef Py_ssize_t i
    if lengths.shape[0] != count:
        raise ValueError("expected as many begins as lengths")
    cdef const int64_t *begin = &begins[0] if count else NULL
    cdef const int64_t *length = &lengths[0] if count else NULL
    cdef const uint8_t *source = &data[0] if data.shape[0] else NULL
    for i in range(count):
        if length[i] <= 0:
            continue
        if begin[i] < 0 or length[i] > data.shape[0] or begin[i] > data.shape[0] - length[i]:
            raise ValueError(f"part {i}: expected it within {data.shape[0]} bytes")
        total += length[i]
        if total > 0x7fffffff:
            raise ValueError("parts of payloads: expected less than 2 GiB a batch")
    cdef uint8_t *values = <uint8_t *>malloc(total if total else 1)
    cdef int32_t *offsets = <int32_t *>malloc((count + 1) * sizeof(int32_t))
    if values == NULL or offsets == NULL:
        free(values)
        free(offsets)
        raise MemoryError
    cdef int64_t at = 0
    with nogil:
        offsets[0] = 0
        for i in range(count):
            if length[i] > 0:
                memcpy(values + at, source + begin[i], length[i])
                at += length[i]
            offsets[i + 1] = <int32_t>at
    return (
        new_buffer(None, values, total, total),
        new_buffer(None, offsets, (count + 1) * <Py_ssize_t>sizeof(int32_t),
                   (count + 1) * <Py_ssize_t>sizeof(int32_t)),
    )
