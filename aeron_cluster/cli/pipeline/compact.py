"""``aeron-cluster pipeline compact``."""

from __future__ import annotations

import click

from aeron_cluster.cli.exit_codes import fail
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import json_option, print_json, recording_option
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
@click.option("--to", required=True, metavar="OUT", help="Directory of the Parquet files.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="The columns, separated by commas; position, end_position and timestamp are always"
    " included. By default all except those that differ between members.",
)
@click.option(
    "--part-length",
    callback=_size,
    metavar="SIZE",
    help="Length of the log in a part, such as 64m; rounded up to whole terms of the stream.",
)
@click.option("--compression", type=click.Choice(COMPRESSIONS), help="Parquet compression.")
@click.option(
    "--time-unit",
    type=click.Choice(["ms", "us", "ns"]),
    help="Unit of the log's times, if the log no longer has the terms that define it.",
)
@recording_option
@click.option(
    "--assume-committed", is_flag=True, help="Treat the end of the recording as committed."
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
    """Write the committed part of a log as Parquet, continuing after the last run.

    Give one DIR for each available member: a node's directory or a URL of it. With several members,
    the part that a majority has is committed; with one, the part that its own records prove. OUT
    gets data/date=YYYY-MM-DD/part-*.parquet, for any Parquet reader, and manifest.json, which lists
    the part of the log in each file.

    Run it as often as you like: written parts stay unchanged, and new ones are added. An
    interrupted run can be repeated. Columns, parts, compression and unit are those of the first
    run.
    "pipeline verify" proves that nothing is missing.

    Exit codes: 0 if the whole committed part is written, 1 if the archive purged the next part, 2
    if OUT belongs to another log or was begun with other options, 3 if there is no log or another
    process writes to OUT, 4 if a file is damaged.

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
        out.print(f"{len(done.removed)} files of an interrupted run were removed")
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
