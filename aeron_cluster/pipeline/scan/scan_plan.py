"""The plan of a pass over recordings, as a value that can be pickled.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from aeron_cluster.pipeline.scan.pieces import LeftOut, Mode, Range, Selection

if TYPE_CHECKING:
    from aeron_cluster.pipeline.columns.column_definitions import Column
    from aeron_cluster.pipeline.scan.payload_columns import PayloadColumns

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a pass.

    Parameters
    ----------
    ranges : tuple of Range
        In the order of the rows; each can be read on its own.
    columns : tuple of Column
        The scanned columns; if payloads are decoded, they differ from those of the rows.
    is_log : bool
    is_assembled : bool
        Whether rows are messages or frames.
    selection : Selection
    mode : str
        ``strict`` raises at the first damage, ``permissive`` leaves out what cannot be read and
        reports it.
    max_rows : int
        Of a batch.
    max_length : int
        Of a batch, in bytes of payload; a longer message is a separate batch.
    payload : PayloadColumns, optional
        The conversion of the scanned columns.
    checksum : str
        The checksum of each frame; empty for none.
    left_out : tuple of LeftOut
        Recordings that a permissive plan could not have ranges of.
    """

    ranges: tuple[Range, ...]
    columns: tuple[Column, ...]
    is_log: bool
    is_assembled: bool
    selection: Selection = field(default_factory=Selection)
    mode: Mode = "strict"
    max_rows: int = 16384
    max_length: int = 4 * 1024 * 1024
    payload: PayloadColumns | None = None
    checksum: str = ""
    left_out: tuple[LeftOut, ...] = ()

    def with_ranges(self, ranges: tuple[Range, ...]) -> Self:
        """Return the same plan over other ranges."""
        return replace(self, ranges=ranges)

    def parts(self) -> list[Self]:
        """Return a plan for each range, and one without ranges for parts skipped already."""
        parts = [replace(self, ranges=(part,), left_out=()) for part in self.ranges]
        return [*parts, self.with_ranges(())] if self.left_out else parts
