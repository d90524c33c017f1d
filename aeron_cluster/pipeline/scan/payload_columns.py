"""Combines scanned columns with the columns that a decoder returns.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.archive.storage.segments import segment_name
from aeron_cluster.errors import ConfigurationError, PayloadError
from aeron_cluster.pipeline.columns.column_definitions import Column, select_columns
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.pieces import LeftOut

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload, PayloadDecoder
    from aeron_cluster.pipeline.scan.pieces import Piece

__all__ = ["PayloadColumns", "pick_with_payload"]

# The input of a decoder, and the column that locates its payloads.
_PAYLOAD: Final = "payload"
_POSITION: Final = "position"
_END_POSITION: Final = "end_position"


@dataclass(frozen=True, slots=True)
class PayloadColumns:
    """The columns of rows with decoded payloads.

    Parameters
    ----------
    decoder : PayloadDecoder
        The decoder of the requested columns only.
    names : tuple of str
        The names of all columns of the rows.
    """

    decoder: PayloadDecoder
    names: tuple[str, ...]

    def schema(self, scanned: Any) -> Any:
        """Return the columns of the rows.

        Parameters
        ----------
        scanned : pyarrow.Schema
            The scanned columns.
        """
        fields = {each.name: each for each in (*scanned, *self.decoder.arrow_fields())}
        return require("pyarrow", "arrow").schema([fields[name] for name in self.names])

    def decode(
        self, columns: dict[str, Any], piece: Piece, left_out: list[LeftOut] | None
    ) -> list[Any]:
        """Return the columns of some rows.

        Parameters
        ----------
        columns : dict of pyarrow.Array
            The scanned columns, by name.
        piece : Piece
            The recording of the rows.
        left_out : list of LeftOut, optional
            Collects the payloads that could not be read.

        Raises
        ------
        PayloadError
            A payload cannot be read, and `left_out` is not given.
        """
        bad: list[BadPayload] | None = None if left_out is None else []
        try:
            arrays = self.decoder.decode(columns[_PAYLOAD], bad)
        except PayloadError as error:
            position = columns[_POSITION][error.index].as_py()
            raise PayloadError(
                error.index,
                error.offset,
                error.what,
                error.expected,
                error.found,
                piece.recording_id,
                position,
                _segment(piece, position),
            ) from error
        if left_out is not None and bad:
            _report(columns, piece, bad, left_out)
        fields = self.decoder.arrow_fields()
        decoded = {each.name: array for each, array in zip(fields, arrays, strict=True)}
        return [decoded.get(name, columns.get(name)) for name in self.names]


def _segment(piece: Piece, position: int) -> str:
    base = piece.segment_base(position)
    return f"{piece.archive_dir}/{segment_name(piece.recording_id, base)}"


def _report(
    columns: dict[str, Any], piece: Piece, bad: Sequence[BadPayload], left_out: list[LeftOut]
) -> None:
    """Report the payloads that could not be read; adjacent ones with the same problem once."""
    for it in bad:
        begin = columns[_POSITION][it.index].as_py()
        end = columns[_END_POSITION][it.index].as_py()
        last = left_out[-1] if left_out else None
        segment = _segment(piece, begin)
        offset = begin - piece.segment_base(begin)
        if last is not None and (
            last.recording_id,
            last.member,
            last.segment,
            last.to_position,
            last.what,
            last.expected,
            last.found,
        ) == (piece.recording_id, piece.member, segment, begin, it.what, it.expected, it.found):
            left_out.pop()
            begin, offset = last.from_position, last.offset
        left_out.append(
            LeftOut(
                piece.recording_id,
                piece.member,
                segment,
                offset,
                begin,
                end,
                it.what,
                it.expected,
                it.found,
            )
        )


def pick_with_payload(
    available: Sequence[Column], names: Iterable[str] | None, decoder: PayloadDecoder | None
) -> tuple[tuple[Column, ...], PayloadColumns | None]:
    """Return the columns to scan for the requested columns, and the conversion.

    Parameters
    ----------
    available : sequence of Column
    names : iterable of str, optional
        The requested names, of these and of the decoder; by default all except ``payload``.
    decoder : PayloadDecoder, optional

    Raises
    ------
    ConfigurationError
        A name is unknown, or occurs twice, or the list is empty.
    """
    if names is not None:
        names = list(names)
        if not names:  # a batch without columns has no row count
            raise ConfigurationError("columns", "at least one", "none")
    if decoder is None:
        return select_columns(available, names), None
    by_name = {each.name: each for each in available}
    decoded = [each.name for each in decoder.arrow_fields()]
    for name in decoded:
        if name in by_name or decoded.count(name) > 1:
            raise ConfigurationError("payload", "names of no other column", name, "give a prefix")
    wanted = [each for each in by_name if each != _PAYLOAD] + decoded
    if names is not None:
        wanted = names
    for name in wanted:
        if name not in by_name and name not in decoded:
            known = ", ".join((*by_name, *decoded))
            raise ConfigurationError("columns", f"some of {known}", name)
        if wanted.count(name) > 1:
            raise ConfigurationError("columns", "each name once", name)
    picked = [name for name in wanted if name in decoded]
    scanned = [name for name in wanted if name in by_name]
    if not picked:
        return select_columns(available, scanned), None
    needed = (_POSITION, _END_POSITION, _PAYLOAD)
    scanned += [name for name in needed if name not in scanned]
    return select_columns(available, scanned), PayloadColumns(decoder.select(picked), tuple(wanted))
