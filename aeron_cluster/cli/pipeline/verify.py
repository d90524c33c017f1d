"""``aeron-cluster pipeline verify``."""

from __future__ import annotations

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.member import (
    as_json,
    console,
    json_option,
    print_json,
    recording_option,
)
from aeron_cluster.cli.options.progress import shown_progress
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.pipeline.jobs.compaction_check import verify as verify_compaction

__all__ = ["verify"]


@click.command()
@click.argument("place", metavar="OUT")
@click.argument("directories", metavar="[DIR]...", nargs=-1)
@recording_option
@json_option
def verify(
    place: str, directories: tuple[str, ...], recording_id: int | None, is_json: bool
) -> None:
    """Check whether what "pipeline compact" wrote is all of the log.

    OUT is where it wrote to. The parts follow each other without a gap, their files are those that
    were written, and their rows are as long together as the frames that were counted in the log.
    With DIR, a node's directory or a URL of it, each row is compared with the log, as far as that
    is not purged.

    Ends with 0 when nothing is missing, with 1 when something is and it is listed, with 3 when
    there is no manifest, with 4 when that is damaged.

    \b
    Examples:
      aeron-cluster pipeline verify lake
      aeron-cluster pipeline verify lake node0
    """  # noqa: D301 - \b is click's mark
    try:
        with shown_progress() as progress:
            found = verify_compaction(
                place, *directories, recording_id=recording_id, progress=progress
            )
    except (AeronClusterError, OSError) as error:
        fail(error)
    if is_json:
        print_json(is_complete=found.is_complete, **as_json(found))
    else:
        out = console()
        out.print(
            f"{found.from_position:,} to {found.to_position:,} of the log: {found.rows:,} rows in"
            f" {found.part_count:,} parts, {found.compared_rows:,} of them compared with the log",
            soft_wrap=True,
        )
        for each in found.problems:
            out.print(str(each), style="red", markup=False, soft_wrap=True)
        if found.is_complete:
            out.print("nothing is missing", style="green")
    if not found.is_complete:
        raise SystemExit(ExitCode.NO)
