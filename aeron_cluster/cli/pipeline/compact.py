"""``aeron-cluster pipeline compact``."""

from __future__ import annotations

import click

from aeron_cluster.cli.exit_codes import fail
from aeron_cluster.cli.options.member import console, json_option, print_json, recording_option
from aeron_cluster.cli.options.progress import shown_progress
from aeron_cluster.cli.pipeline.spark import spark_option, spark_session
from aeron_cluster.config import parse_size
from aeron_cluster.errors import AeronClusterError, ConfigurationError
from aeron_cluster.memory.system.seams import SystemClock
from aeron_cluster.pipeline.jobs.compaction import COMPRESSIONS
from aeron_cluster.pipeline.jobs.compaction import compact as compact_log

__all__ = ["compact"]


def _size(_: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return parse_size(parameter.human_readable_name, text)
    except ConfigurationError as error:
        raise click.BadParameter(str(error)) from None


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True)
@click.option("--to", required=True, metavar="OUT", help="Where the Parquet files are kept.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="Which ones, separated by commas; position, end_position and timestamp in any case. By"
    " default all but those that differ between members.",
)
@click.option(
    "--part-length",
    callback=_size,
    metavar="SIZE",
    help="Of the log in a part, as in 64m; rounded up to whole terms of the stream.",
)
@click.option("--compression", type=click.Choice(COMPRESSIONS), help="Of Parquet.")
@click.option(
    "--time-unit",
    type=click.Choice(["ms", "us", "ns"]),
    help="Of the log's times, where the terms with the unit are purged.",
)
@recording_option
@click.option(
    "--assume-committed", is_flag=True, help="Take the end of the recording for committed."
)
@spark_option
@json_option
def compact(
    directories: tuple[str, ...],
    to: str,
    columns: str | None,
    part_length: int | None,
    compression: str | None,
    time_unit: str | None,
    recording_id: int | None,
    master: str | None,
    *,
    assume_committed: bool,
    is_json: bool,
) -> None:
    """Write what is committed of a log as Parquet, and continue where the last run ended.

    DIR is a node's directory, or a URL of it, for each member that is there; what a majority of
    several has is committed, of one what it records itself. OUT gets
    data/date=YYYY-MM-DD/part-*.parquet, to be read by whatever reads Parquet, and manifest.json,
    which lists the part of the log in each file.

    Run it as often as you like: written parts stay unchanged, and new ones are added. One that was
    killed starts again. Columns, parts, compression and unit of the first run
    holds.
    "pipeline verify" proves that nothing is missing.

    Ends with 0 when all that is committed is written, with 1 when the archive purged what comes
    next, with 2 when OUT is of another log or was begun with other options, with 3 when there is no
    log or another one is at work there, with 4 when a file is damaged.

    \b
    Examples:
      aeron-cluster pipeline compact node0 --to lake
      aeron-cluster pipeline compact node0 node1 node2 --to lake --spark 'local[4]'
      aeron-cluster pipeline compact node0 --to lake --columns timestamp,payload --part-length 256m
    """  # noqa: D301 - \b is click's mark
    clock = SystemClock()
    began_ns = clock.nano_time()
    try:
        with spark_session(master) as spark, shown_progress() as progress:
            done = compact_log(
                *directories,
                to=to,
                columns=columns.split(",") if columns else None,
                part_length=part_length,
                compression=compression,
                time_unit=time_unit,
                recording_id=recording_id,
                assume_committed=assume_committed,
                spark=spark,
                progress=progress,
            )
    except (AeronClusterError, OSError) as error:
        fail(error)
    seconds = (clock.nano_time() - began_ns) / 1e9
    if is_json:
        names = ("from_position", "to_position", "committed_position", "rows", "part_count")
        now = ("new_rows", "new_part_count", "removed")
        print_json(
            directory=done.directory,
            **{name: getattr(done, name) for name in (*names, *now)},
            seconds=seconds,
        )
        return
    out = console()
    if done.removed:
        out.print(f"{len(done.removed)} files of one that was killed were removed")
    out.print(
        f"{done.new_rows:,} rows in {done.new_part_count:,} parts were added ({seconds:.2f} s)",
        soft_wrap=True,
    )
    out.print(
        f"{done.directory} has {done.from_position:,} to {done.to_position:,} of the log now,"
        f" {done.rows:,} rows in {done.part_count:,} parts; it is committed up to"
        f" {done.committed_position:,}",
        soft_wrap=True,
        markup=False,
    )
