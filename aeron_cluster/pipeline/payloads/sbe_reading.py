"""Reads the payloads of one message of an SBE schema.

Upstream: one decoder that SBE generates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from aeron_cluster.pipeline.payloads.arrow_arrays import (
    binary_array,
    list_array,
    pa,
    struct_array,
    text_array,
)
from aeron_cluster.pipeline.payloads.payload_bytes import as_numbers
from aeron_cluster.pipeline.payloads.sbe_columns import Forms, Items, block_fields, member_array
from aeron_cluster.pipeline.payloads.sbe_dtypes import block_dtype, blocks_at
from aeron_cluster.pipeline.payloads.sbe_levels import Levels
from aeron_cluster.pipeline.payloads.sbe_types import (
    HEADER_NUMBERS,
    Layout,
    Member,
    Message,
    Schema,
)

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.group_walker import GroupWalker
    from aeron_cluster.pipeline.payloads.payload_bytes import PayloadBytes
    from aeron_cluster.pipeline.payloads.problems import Problems
    from aeron_cluster.pipeline.payloads.sbe_dtypes import Integers, Mask

__all__ = ["Heads", "MessageReading"]

# What a walk can end with, in the order of its numbers.
_PARTS: Final = (
    "header of group",
    "count of group",
    "block length of an entry of group",
    "header of",
    "length of",
)


@dataclass(frozen=True, slots=True)
class Heads:
    """The headers of messages, and which payloads they are of."""

    rows: Integers
    block_lengths: Integers
    template_ids: Integers
    schema_ids: Integers
    versions: Integers

    @classmethod
    def of(cls, schema: Schema, batch: PayloadBytes, rows: Integers) -> Self:
        """Read the headers of some payloads, which are long enough for that."""
        dtype = _numbers_dtype(schema.header, schema.byte_order)
        numbers = blocks_at(batch.data, batch.begins[rows], dtype)
        return cls(rows, *(numbers[name].astype(np.int64) for name in HEADER_NUMBERS))

    def only(self, at: Integers) -> Heads:
        """Return some of them, by their indices here."""
        return Heads(
            self.rows[at],
            self.block_lengths[at],
            self.template_ids[at],
            self.schema_ids[at],
            self.versions[at],
        )


class MessageReading:
    """Reads the payloads of one message.

    Parameters
    ----------
    schema : Schema
    message : Message
    wanted : set of str, optional
        Its fields, groups and variable parts to read; by default all.
    forms : Forms
    batch : PayloadBytes
    heads : Heads
        The payloads of that message.
    problems : Problems
    """

    def __init__(
        self,
        schema: Schema,
        message: Message,
        wanted: set[str] | None,
        forms: Forms,
        batch: PayloadBytes,
        heads: Heads,
        problems: Problems,
    ) -> None:
        self._schema = schema
        self._message = message
        self._wanted = wanted
        self._forms = forms
        self._levels = Levels(message)
        self._data = batch.data
        self._batch = batch
        self._problems = problems
        self._walker: GroupWalker | None = None
        self._walked = heads
        heads = self._whole(heads)
        self._heads = self._walk(heads) if self._needs_walk() else heads

    @property
    def rows(self) -> Integers:
        """Which payloads could be read."""
        return self._heads.rows

    def arrays(self) -> dict[str, Any]:
        """Return what is wanted, by name: as many values as there are `rows`."""
        rows = self._heads.rows
        header_length = self._schema.header.length
        items = Items(
            self._heads.block_lengths,
            self._heads.versions,
            rows,
            np.full(rows.size, header_length, np.int64),
        )
        return self._block(0, self._batch.begins[rows] + header_length, items, self._wanted)

    def _needs_walk(self) -> bool:
        items = self._message.block.items
        after = {each.name for each in items if not isinstance(each, Member)}
        return bool(after if self._wanted is None else after & self._wanted)

    def _whole(self, heads: Heads) -> Heads:
        """Leave out payloads that are shorter than their blocks."""
        room = self._batch.lengths[heads.rows] - self._schema.header.length
        fits = (heads.block_lengths >= 0) & (heads.block_lengths <= room)
        what = f"{self._message.name}: block length"
        for at in np.flatnonzero(~fits):
            expected = f"at most the {room[at]} bytes there are"
            row = int(heads.rows[at])
            self._problems.add(row, 0, what, expected, int(heads.block_lengths[at]))
        kept = np.flatnonzero(fits)
        return heads.only(kept)

    def _walk(self, heads: Heads) -> Heads:
        """Find groups and variable parts, and skip payloads where they do not fit."""
        self._walker = self._levels.walker(is_big_endian=self._schema.is_big_endian)
        begins = self._batch.begins[heads.rows]
        ends = begins + self._batch.lengths[heads.rows]
        bodies = begins + self._schema.header.length + heads.block_lengths
        # A version is a number of any width; one that does not fit exceeds what is compared.
        versions = np.clip(heads.versions, 0, 2**31 - 1).astype(np.int32)
        failures = self._walker.walk(self._data, bodies, ends, versions)
        is_kept = np.ones(heads.rows.size, np.bool_)
        for at, place, failure, number, found in failures:
            is_kept[at] = False
            room = int(ends[at]) - place
            if failure >= _PARTS.index("header of"):
                name, data = self._levels.parts[number]
                room -= data.header.length if failure == _PARTS.index("length of") else 0
            else:
                name = self._levels.levels[number].name
            self._problems.add(
                int(heads.rows[at]),
                place - int(begins[at]),
                f"{_PARTS[failure]} {name}",
                f"one that fits into the {room} bytes left",
                found,
            )
        # Entries know their payload by its number in the walk.
        self._walked = heads
        kept = np.flatnonzero(is_kept)
        return heads.only(kept)

    def _block(
        self, number: int, begins: Integers, items: Items, wanted: set[str] | None
    ) -> dict[str, Any]:
        """Return what is wanted of a level, by name."""
        level = self._levels.levels[number]
        longest = int(items.block_lengths.max()) if items.count else 0
        dtype = block_dtype(level.block, self._schema.byte_order, longest)
        blocks = blocks_at(self._data, begins, dtype)
        arrays: dict[str, Any] = {}
        for member in level.block.members:
            if wanted is None or member.name in wanted:
                arrays[member.name] = member_array(
                    member,
                    blocks,
                    items,
                    0,
                    self._forms,
                    f"{level.name}.{member.name}",
                    self._problems,
                )
        for index, group in enumerate(level.block.groups):
            if wanted is None or group.name in wanted:
                arrays[group.name] = self._group(level.first_group + index)
        for index, data in enumerate(level.block.data):
            if wanted is None or data.name in wanted:
                arrays[data.name] = self._part(level.first_data + index, items)
        return arrays

    def _group(self, number: int) -> Any:
        assert self._walker is not None
        begins, lengths, walked, ends, presences = map(as_numbers, self._walker.take_group(number))
        rows = self._walked.rows[walked]
        items = Items(
            lengths, self._walked.versions[walked], rows, begins - self._batch.begins[rows]
        )
        level = self._levels.levels[number]
        arrays = self._block(number, begins, items, None)
        entry_type = pa.struct(block_fields(level.block, self._forms))
        entries = struct_array(entry_type, list(arrays.values()), items.count)
        return list_array(pa.list_(entry_type), ends, entries, presences != 0)

    def _part(self, number: int, items: Items) -> Any:
        assert self._walker is not None
        begins, lengths = map(as_numbers, self._walker.take_data(number))
        name, data = self._levels.parts[number]
        present: Mask = lengths >= 0
        if not data.encoding:
            return binary_array(self._data, begins, lengths, present)

        def refuse(index: int, part: bytes) -> None:
            row = int(items.rows[index])
            place = int(begins[index] - self._batch.begins[row])
            self._problems.add(row, place, name, f"text in {data.encoding}", part)

        return text_array(self._data, begins, lengths, present, data.encoding, refuse)


def _numbers_dtype(header: Layout, byte_order: str) -> np.dtype[Any]:
    return np.dtype(
        {
            "names": list(HEADER_NUMBERS),
            "formats": [f"{byte_order}u{number.width}" for number in header.numbers],
            "offsets": [number.offset for number in header.numbers],
            "itemsize": header.length,
        }
    )
