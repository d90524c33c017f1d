"""The plan of a pass over recordings; it can be pickled.

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
        The ranges in the order of the rows; each can be read independently.
    columns : tuple of Column
        The scanned columns; if payloads are decoded, the rows have other columns.
    is_log : bool
    is_assembled : bool
        Whether rows are messages; otherwise frames.
    selection : Selection
    mode : str
        ``strict`` raises at the first damage; ``permissive`` skips and reports it.
    max_rows : int
        The limits of a batch.
    max_length : int
        The limits of a batch, its length in bytes of payload; a longer message is a separate batch.
    payload : PayloadColumns, optional
        The decoder of payloads, with the columns of the rows.
    checksum : str
        The checksum of each frame; empty for none.
    left_out : tuple of LeftOut
        Recordings that a permissive plan omits.
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
        """Return the same plan with other ranges."""
        return replace(self, ranges=ranges)

    def parts(self) -> list[Self]:
        """Return a plan for each range, and one without ranges for omitted recordings."""
        parts = [replace(self, ranges=(part,), left_out=()) for part in self.ranges]
        return [*parts, self.with_ranges(())] if self.left_out else parts
