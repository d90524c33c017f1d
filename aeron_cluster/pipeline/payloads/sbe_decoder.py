"""Payloads of an SBE schema as typed columns.

Upstream: the decoders that SBE generates. What is fixed in a block is read of all payloads at
once; groups and variable parts are walked first, to know where they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import pa, placed, struct_array
from aeron_cluster.pipeline.payloads.payload_bytes import PayloadBytes
from aeron_cluster.pipeline.payloads.problems import Problems
from aeron_cluster.pipeline.payloads.sbe_columns import Forms, block_fields
from aeron_cluster.pipeline.payloads.sbe_reading import Heads, MessageReading
from aeron_cluster.pipeline.payloads.sbe_schema import read_schema
from aeron_cluster.pipeline.payloads.sbe_types import Message, Schema

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload
    from aeron_cluster.pipeline.payloads.sbe_dtypes import Integers

__all__ = ["SbeDecoder", "sbe_decoder"]

Unknown = Literal["error", "null"]
EnumForm = Literal["names", "values"]


@dataclass(frozen=True)
class SbeDecoder:
    """Payloads of one message as columns, or of all of a schema as a struct each.

    Made by `sbe_decoder`.

    Parameters
    ----------
    schema : Schema
    message : str
        The message whose fields are the columns; if empty, each message is a column.
    prefix : str
        A prefix of the columns' names.
    unknown : str
        ``error`` where a payload of another schema, or of a message that the schema does not have,
        cannot be read; ``null`` where it is one without values.
    forms : Forms
    names : tuple of str, optional
        The columns; by default all.
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
        """Return a decoder of some of the columns: nothing else of a payload is read."""
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
            own = heads.only(np.flatnonzero(heads.template_ids == message.template_id))
            wanted = None
            if self.message and self.names is not None:
                wanted = {name.removeprefix(self.prefix) for name in self.names}
            reading = MessageReading(self.schema, message, wanted, self.forms, batch, own, problems)
            arrays = reading.arrays()
            if not self.message:
                kind = pa.struct(block_fields(message.block, self.forms))
                arrays = {
                    message.name: struct_array(kind, list(arrays.values()), reading.rows.size)
                }
            for name, array in arrays.items():
                found[f"{self.prefix}{name}"] = (array, reading.rows)
        problems.report(bad)
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

    def _heads(self, batch: PayloadBytes, problems: Problems) -> Heads:
        """Read all headers, and leave out messages of other schemas."""
        header = self.schema.header
        rows = np.flatnonzero(batch.is_there)
        is_short = batch.lengths[rows] < header.length
        for row in rows[is_short]:
            expected = f"{header.length} bytes or more"
            problems.add(int(row), 0, "message header", expected, int(batch.lengths[row]))
        heads = Heads.of(self.schema, batch, rows[~is_short])
        known = np.array([it.template_id for it in self.schema.messages], np.int64)
        is_ours = heads.schema_ids == self.schema.schema_id
        is_known = is_ours & np.isin(heads.template_ids, known)
        if self.unknown == "error":
            for at in np.flatnonzero(~is_known):
                row = int(heads.rows[at])
                if is_ours[at]:
                    found = int(heads.template_ids[at])
                    problems.add(row, 0, "template id", "one of the schema", found)
                else:
                    found = int(heads.schema_ids[at])
                    problems.add(row, 0, "schema id", self.schema.schema_id, found)
        return heads.only(np.flatnonzero(is_known))


def sbe_decoder(
    schema: str | os.PathLike[str] | Schema,
    message: str | None = None,
    *,
    prefix: str = "",
    unknown: Unknown = "error",
    enums: EnumForm = "names",
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
        A prefix of the columns' names, to avoid conflicts.
    unknown : str
        Of payloads of another schema, or of a message that the schema does not have: ``error``, or
        ``null`` for no values.
    enums : str
        ``names`` of values, and of sets a truth for each choice; or ``values``, their numbers.
    widened : bool
        Unsigned numbers as signed ones that hold them, of 64 bits as decimals, for readers without
        unsigned ones, as Spark.

    Raises
    ------
    MissingFileError
        The schema is not there.
    SchemaError
        The schema is invalid.
    ConfigurationError
        It has no such message, or an option is invalid.
    """
    read = schema if isinstance(schema, Schema) else read_schema(schema)
    if message and read.message(message) is None:
        known = ", ".join(each.name for each in read.messages) or "none"
        raise ConfigurationError("message", f"one of {known}", message)
    if unknown not in get_args(Unknown):
        raise ConfigurationError("unknown", "error or null", unknown)
    if enums not in get_args(EnumForm):
        raise ConfigurationError("enums", "names or values", enums)
    forms = Forms(has_names=enums == "names", is_widened=widened)
    return SbeDecoder(read, message or "", prefix, unknown, forms)
