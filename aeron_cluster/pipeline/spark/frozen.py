"""The ends of recordings at the time of `load`; later data are not read.

Spark requests the plan at a frame's first action, but it must end where the recordings ended at
`load`. If a schema is given, Spark even creates the source at the first action, so `load`
determines the ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aeron_cluster.pipeline.sources.plans import plan_log, plan_recordings
from aeron_cluster.pipeline.spark.places import archive_dir_of, log_recording_id

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Range
    from aeron_cluster.pipeline.scan.scan_plan import Plan
    from aeron_cluster.pipeline.spark.option_values import Ends
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["freeze", "until"]


def freeze(files: Files, options: SourceOptions) -> Ends:
    """Return the current ends of recordings."""
    if options.ends is not None:
        return options.ends
    mode = options.mode
    if options.is_log:
        plan = plan_log(
            files, options.members, log_recording_id(options), columns=["position"], mode=mode
        )
    else:
        plan = plan_recordings(
            files, archive_dir_of(files, options), options.recording_ids, mode=mode
        )
    pieces = [part.piece for part in plan.ranges]
    return tuple((each.archive_dir, each.recording_id, each.end_position) for each in pieces)


def until(plan: Plan, ends: Ends) -> Plan:
    """Return a plan that is limited to some ends."""
    by_recording = {(directory, recording): end for directory, recording, end in ends}
    kept = []
    for part in plan.ranges:
        end = by_recording.get((part.piece.archive_dir, part.piece.recording_id), -1)
        if part.from_position < end:
            kept.append(_until(part, end))
    return plan.with_ranges(tuple(kept))


def _until(part: Range, end: int) -> Range:
    piece = replace(part.piece, end_position=min(part.piece.end_position, end))
    return replace(part, piece=piece, to_position=min(part.to_position, end))
