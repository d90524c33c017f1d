"""Payloads of an SBE schema as typed columns.

Stands for the decoders that SBE generates. What is fixed in a block is read of all payloads at
once; groups and variable parts are walked first, to know where they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Self, get_args

import numpy as np

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import (
    binary_array,
    list_array,
    pa,
    placed,
    struct_array,
    text_array,
)
from aeron_cluster.pipeline.payloads.payload_bytes import PayloadBytes, as_numbers
from aeron_cluster.pipeline.payloads.problems import Problems
from aeron_cluster.pipeline.payloads.sbe_columns import Forms, Items, block_fields, member_array
from aeron_cluster.pipeline.payloads.sbe_dtypes import block_dtype, blocks_at
from aeron_cluster.pipeline.payloads.sbe_levels import Levels
from aeron_cluster.pipeline.payloads.sbe_schema import read_schema
from aeron_cluster.pipeline.payloads.sbe_types import (
    HEADER_NUMBERS,
    Layout,
    Member,
    Message,
    Schema,
)

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload
    from aeron_cluster.pipeline.payloads.group_walker import GroupWalker
    from aeron_cluster.pipeline.payloads.sbe_dtypes import Integers, Mask

__all__ = ["SbeDecoder", "sbe_decoder"]

Unknown = Literal["error", "null"]
Told = Literal["names", "values"]

# What a walk can end with, in the order of its numbers.
_PARTS: Final = (
    "header of group",
    "count of group",
    "block length of an entry of group",
    "header of",
    "length of",
)


@dataclass(frozen=True)
class SbeDecoder:
    """Payloads of one message as columns, or of all of a schema as a struct each.

    Made by `sbe_decoder`.

    Parameters
    ----------
    schema : Schema
    message : str
        Whose fields are the columns; where it is empty each message is one.
    prefix : str
        Of the columns' names.
    unknown : str
        ``error`` where a payload of another schema, or of a message that the schema does not have,
        cannot be read; ``null`` where it is one without values.
    forms : Forms
    names : tuple of str, optional
        Which columns; all of them where it is missing.
    """

    schema: Schema
    message: str = ""
    prefix: str = ""
    unknown: Unknown = "error"
    forms: Forms = field(default_factory=Forms)
    names: tuple[str, ...] | None = None

    def arrow_fields(self) -> list[Any]:
        """Return the columns as `pyarrow.Field`."""
        fields = {each.name: each for each in self._all_fields()}
        return list(fields.values()) if self.names is None else [fields[it] for it in self.names]

    def arrow_schema(self) -> Any:
        """Return the columns as a `pyarrow.Schema`."""
        return pa.schema(self.arrow_fields())

    def pick(self, names: Iterable[str]) -> Self:
        """Return a decoder of some of the columns: nothing else of a payload is looked at."""
        known = [each.name for each in self._all_fields()]
        wanted = tuple(names)
        for name in wanted:
            if name not in known:
                raise ConfigurationError("columns", f"some of {', '.join(known)}", name)
        return replace(self, names=wanted)

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads; see `PayloadDecoder`."""
        batch = PayloadBytes.of(payloads)
        problems = Problems(batch.count)
        heads = self._heads(batch, problems)
        fields = self.arrow_fields()
        found: dict[str, tuple[Any, Integers]] = {}
        for message in self._wanted():
            rows = heads.rows[heads.template_ids == message.template_id]
            at = np.flatnonzero(heads.template_ids == message.template_id)
            reading = _Reading(self, message, batch, heads.only(at, rows), problems)
            for name, array in reading.columns().items():
                found[name] = (array, reading.rows)
        problems.tell(bad)
        is_out = problems.rows
        return [placed(*found[each.name], batch.count, is_out) for each in fields]

    def _all_fields(self) -> list[Any]:
        if self.message:
            it = self._message()
            return [
                each.with_name(f"{self.prefix}{each.name}")
                for each in block_fields(it.block, self.forms)
            ]
        return [
            pa.field(f"{self.prefix}{it.name}", pa.struct(block_fields(it.block, self.forms)))
            for it in self.schema.messages
        ]

    def _message(self) -> Message:
        found = self.schema.message(self.message)
        assert found is not None
        return found

    def _wanted(self) -> Sequence[Message]:
        if self.message:
            return [self._message()]
        if self.names is None:
            return self.schema.messages
        return [it for it in self.schema.messages if f"{self.prefix}{it.name}" in self.names]

    def _heads(self, batch: PayloadBytes, problems: Problems) -> _Heads:
        """Read all headers, and leave out what is of nobody here."""
        header = self.schema.header
        rows = np.flatnonzero(batch.is_there)
        is_short = batch.lengths[rows] < header.length
        for row in rows[is_short]:
            expected = f"{header.length} bytes or more"
            problems.add(int(row), 0, "message header", expected, int(batch.lengths[row]))
        rows = rows[~is_short]
        numbers = blocks_at(
            batch.data, batch.begins[rows], _numbers_dtype(header, self.schema.byte_order)
        )
        heads = _Heads(rows, *(numbers[name].astype(np.int64) for name in HEADER_NUMBERS))
        known = np.array([it.template_id for it in self.schema.messages], np.int64)
        is_ours = heads.schema_ids == self.schema.schema_id
        is_known = is_ours & np.isin(heads.template_ids, known)
        if self.unknown == "error":
            for at in np.flatnonzero(~is_known):
                what, numbers_found, expected = (
                    ("schema id", heads.schema_ids, str(self.schema.schema_id))
                    if not is_ours[at]
                    else ("template id", heads.template_ids, "one of the schema")
                )
                problems.add(int(rows[at]), 0, what, expected, int(numbers_found[at]))
        kept = np.flatnonzero(is_known)
        return heads.only(kept, rows[kept])


@dataclass(frozen=True, slots=True)
class _Heads:
    """The headers of messages, and which payloads they are of."""

    rows: Integers
    block_lengths: Integers
    template_ids: Integers
    schema_ids: Integers
    versions: Integers

    def only(self, at: Integers, rows: Integers) -> _Heads:
        return _Heads(
            rows,
            self.block_lengths[at],
            self.template_ids[at],
            self.schema_ids[at],
            self.versions[at],
        )


class _Reading:
    """Reads the payloads of one message.

    Parameters
    ----------
    decoder : SbeDecoder
    message : Message
    batch : PayloadBytes
    heads : _Heads
        Of the payloads of that message.
    problems : Problems
    """

    def __init__(
        self,
        decoder: SbeDecoder,
        message: Message,
        batch: PayloadBytes,
        heads: _Heads,
        problems: Problems,
    ) -> None:
        self._decoder = decoder
        self._schema = decoder.schema
        self._message = message
        self._levels = Levels(message)
        self._data = batch.data
        self._batch = batch
        self._problems = problems
        heads = self._whole(heads)
        self._walker: GroupWalker | None = None
        if self._needs_walk():
            heads = self._walk(heads)
        self._heads = heads

    @property
    def rows(self) -> Integers:
        """Which payloads could be read."""
        return self._heads.rows

    def columns(self) -> dict[str, Any]:
        """Return the columns, as many values as there are `rows`."""
        heads = self._heads
        begins = self._batch.begins[heads.rows] + self._schema.header.length
        items = Items(
            heads.block_lengths,
            heads.versions,
            heads.rows,
            np.full(heads.rows.size, self._schema.header.length, np.int64),
        )
        prefix = self._decoder.prefix
        names = self._decoder.names
        if self._decoder.message:
            wanted = None if names is None else {name.removeprefix(prefix) for name in names}
            arrays = self._block(0, begins, items, wanted)
            return {f"{prefix}{name}": array for name, array in arrays.items()}
        arrays = self._block(0, begins, items, None)
        arrow_type = pa.struct(block_fields(self._message.block, self._decoder.forms))
        whole = struct_array(arrow_type, list(arrays.values()), items.count)
        return {f"{prefix}{self._message.name}": whole}

    def _needs_walk(self) -> bool:
        if self._levels.is_flat:
            return False
        if not self._decoder.message or self._decoder.names is None:
            return True
        block = self._message.block
        behind = {each.name for each in block.items if not isinstance(each, Member)}
        prefix = self._decoder.prefix
        return any(name.removeprefix(prefix) in behind for name in self._decoder.names)

    def _whole(self, heads: _Heads) -> _Heads:
        """Leave out payloads that are shorter than their blocks."""
        room = self._batch.lengths[heads.rows] - self._schema.header.length
        fits = (heads.block_lengths >= 0) & (heads.block_lengths <= room)
        what = f"{self._message.name}: block length"
        for at in np.flatnonzero(~fits):
            expected = f"at most the {room[at]} bytes there are"
            row = int(heads.rows[at])
            self._problems.add(row, 0, what, expected, int(heads.block_lengths[at]))
        kept = np.flatnonzero(fits)
        return heads.only(kept, heads.rows[kept])

    def _walk(self, heads: _Heads) -> _Heads:
        """Find groups and variable parts, and leave out payloads where they do not fit."""
        self._walker = self._levels.walker(is_big_endian=self._schema.is_big_endian)
        begins = self._batch.begins[heads.rows]
        ends = begins + self._batch.lengths[heads.rows]
        bodies = begins + self._schema.header.length + heads.block_lengths
        # A version is a number of any width; none that fits is behind what is compared with it.
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
        self._walked_rows = heads.rows
        self._walked_versions = heads.versions
        kept = np.flatnonzero(is_kept)
        return heads.only(kept, heads.rows[kept])

    def _block(
        self, number: int, begins: Integers, items: Items, wanted: set[str] | None
    ) -> dict[str, Any]:
        """Return what is wanted of a level, by name."""
        level = self._levels.levels[number]
        blocks = blocks_at(self._data, begins, block_dtype(level.block, self._schema.byte_order))
        arrays: dict[str, Any] = {}
        for member in level.block.members:
            if wanted is None or member.name in wanted:
                arrays[member.name] = member_array(
                    member,
                    blocks,
                    items,
                    0,
                    self._decoder.forms,
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
        rows = self._walked_rows[walked]
        items = Items(
            lengths, self._walked_versions[walked], rows, begins - self._batch.begins[rows]
        )
        level = self._levels.levels[number]
        arrays = self._block(number, begins, items, None)
        entry_type = pa.struct(block_fields(level.block, self._decoder.forms))
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


def sbe_decoder(
    schema: str | os.PathLike[str] | Schema,
    message: str | None = None,
    *,
    prefix: str = "",
    unknown: Unknown = "error",
    enums: Told = "names",
    widened: bool = False,
) -> SbeDecoder:
    """Return a decoder of payloads that an SBE schema describes.

    Parameters
    ----------
    schema : str, PathLike or Schema
        An XML file, or what `read_schema` made of one. Nothing is read of the file afterwards.
    message : str, optional
        A message whose fields are the columns; of other messages all of them are null. Without it
        each message of the schema is a column, a struct of its fields.
    prefix : str
        Of the names of the columns, where they would be those of others.
    unknown : str
        Of payloads of another schema, or of a message that the schema does not have: ``error``, or
        ``null`` for no values.
    enums : str
        ``names`` of values, and of sets a truth for each choice; or ``values``, their numbers.
    widened : bool
        Unsigned numbers as signed ones that hold them, of 64 bits as decimals, for who has no
        unsigned ones, as Spark.

    Raises
    ------
    MissingFileError
        The schema is not there.
    SchemaError
        It is none.
    ConfigurationError
        It has no such message, or an option is none.
    """
    read = schema if isinstance(schema, Schema) else read_schema(schema)
    if message and read.message(message) is None:
        known = ", ".join(each.name for each in read.messages) or "none"
        raise ConfigurationError("message", f"one of {known}", message)
    if unknown not in get_args(Unknown):
        raise ConfigurationError("unknown", "error or null", unknown)
    if enums not in get_args(Told):
        raise ConfigurationError("enums", "names or values", enums)
    forms = Forms(has_names=enums == "names", is_widened=widened)
    return SbeDecoder(read, message or "", prefix, unknown, forms)
