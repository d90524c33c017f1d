"""Reads the rows of a range as batches for Spark, and reports skipped parts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.arrow import arrow_batches, plan_schema

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import LeftOut, Range
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["read_range", "report", "report_name", "report_recordings"]

_OF_RECORDINGS: Final = "left-out-recordings.json"


def read_range(
    plan: Plan, schema: Any, report_dir: str | None = None, files: Files | None = None
) -> Iterator[Any]:
    """Yield the rows of a plan with one range or none.

    Parameters
    ----------
    plan : Plan
    schema : pyarrow.Schema
        The schema that Spark requests; columns without nulls may be nullable in it.
    report_dir : str, optional
        The directory for the report of skipped parts, written at the end of the range.
    files : Files, optional
        The file seam; by default the machine's.
    """
    pa = require("pyarrow", "spark")
    built = plan_schema(plan)
    for part in plan.ranges:
        left_out: list[LeftOut] = []
        for batch in arrow_batches(files or any_files(), plan, part, left_out, built):
            yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
        if report_dir is not None:
            report(Path(report_dir), part, left_out)


def report_name(part: Range) -> str:
    """Return the name of a range's report; a second read of the range replaces the report."""
    piece = part.piece
    span = f"{part.from_position:020d}-{part.to_position:020d}"
    return f"left-out-{max(piece.member, 0)}-{piece.recording_id}-{span}.json"


def report(directory: Path, part: Range, left_out: list[LeftOut]) -> None:
    """Write a line of JSON for each skipped part of a range; without any, write no file."""
    _report(directory / report_name(part), left_out)


def report_recordings(directory: Path, left_out: Sequence[LeftOut]) -> None:
    """Write a line of JSON for each omitted recording; without any, write no file."""
    _report(directory / _OF_RECORDINGS, left_out)


def _report(path: Path, left_out: Sequence[LeftOut]) -> None:
    if not left_out:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another attempt at the same range may be running in another process.
    draft = path.with_suffix(f".{os.getpid()}.{id(left_out):x}")
    draft.write_text("".join(json.dumps(asdict(each)) + "\n" for each in left_out))
    draft.replace(path)
