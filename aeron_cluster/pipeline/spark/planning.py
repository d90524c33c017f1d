"""Plans a load from options and a schema, and splits it into tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, RECORDING_COLUMNS
from aeron_cluster.pipeline.payloads.options import decoder_from_options
from aeron_cluster.pipeline.scan.arrow import arrow_schema
from aeron_cluster.pipeline.scan.payload_columns import pick_with_payload
from aeron_cluster.pipeline.sources.plans import cut_plan, plan_log, plan_recordings
from aeron_cluster.pipeline.spark.frozen import until
from aeron_cluster.pipeline.spark.places import archive_dir_of, log_recording_id

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.payloads.decoder import PayloadDecoder
    from aeron_cluster.pipeline.scan.scan_plan import Plan
    from aeron_cluster.pipeline.spark.option_values import Ends
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["decoder_of", "plan_between", "plan_rows", "range_length", "row_schema"]

# A task takes tens of milliseconds, so hundreds of tasks are slow.
_MIN_LENGTH: Final = 32 * 1024 * 1024
_MAX_RANGES: Final = 256
# Up to this length it is cheap to walk terms to split them.
_WALKED_LENGTH: Final = 1024 * 1024 * 1024


def row_schema(options: SourceOptions, names: Iterable[str] | None) -> Any:
    """Return the `pyarrow.Schema` of rows with some columns, by default all."""
    available = LOG_COLUMNS if options.is_log else RECORDING_COLUMNS
    picked, payload = pick_with_payload(available, names, decoder_of(options))
    scanned = arrow_schema(picked)
    return scanned if payload is None else payload.schema(scanned)


def decoder_of(options: SourceOptions) -> PayloadDecoder | None:
    """Return the decoder of payloads; None if options define none."""
    return decoder_from_options(options.payload)


def plan_rows(
    files: Files,
    options: SourceOptions,
    names: Iterable[str],
    ends: Ends,
) -> Plan:
    """Plan a read from options, up to frozen ends.

    Parameters
    ----------
    files : Files
    options : SourceOptions
    names : iterable of str
        The columns to read.
    ends : Ends
    """
    wanted = {**options.selection, "payload": decoder_of(options)}
    if options.is_log:
        plan = plan_log(files, options.members, log_recording_id(options), columns=names, **wanted)
    else:
        plan = plan_recordings(
            files, archive_dir_of(files, options), options.recording_ids, columns=names, **wanted
        )
    plan = until(plan, ends)
    return cut_plan(files, plan, options.range_length or range_length(plan))


def plan_between(
    files: Files,
    options: SourceOptions,
    names: Iterable[str],
    recording_id: int,
    bounds: tuple[int, int],
) -> Plan:
    """Plan a read of a recording between two positions, from options.

    Parameters
    ----------
    files : Files
    options : SourceOptions
    names : iterable of str
        The columns to read.
    recording_id : int
    bounds : tuple of int
        The start and end; both are message boundaries. Later data are not read.
    """
    begin = max(bounds[0], options.selection.get("from_position", 0))
    wanted = {
        **options.selection,
        "from_position": min(begin, bounds[1]),
        "to_position": bounds[1],
        "known_ends": {recording_id: bounds[1]},
        "payload": decoder_of(options),
    }
    if options.is_log:
        # A stream ends at the commit position, so all its rows are committed.
        wanted |= {"assume_committed": True, "only_committed": False}
        plan = plan_log(files, options.members, recording_id, columns=names, **wanted)
    else:
        archive_dir = archive_dir_of(files, options)
        plan = plan_recordings(files, archive_dir, [recording_id], columns=names, **wanted)
    return cut_plan(files, plan, options.range_length or range_length(plan))


def range_length(plan: Plan) -> int:
    """Return the default length that a task reads, in bytes of the stream."""
    total = sum(part.length for part in plan.ranges)
    length = max(_MIN_LENGTH, -(-total // _MAX_RANGES))
    if total <= _WALKED_LENGTH:
        return length
    term = max(part.piece.term_length for part in plan.ranges)
    return -(-length // term) * term
