"""``aeron-cluster pipeline verify``."""

from __future__ import annotations

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import (
    as_json,
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
    """Check that "pipeline compact" wrote all of the log.

    OUT is its output directory. The parts must follow each other without a gap, their files must be
    unchanged, and the total length of their rows must match the frames counted in the log. With
    DIR, a node's directory or a URL of it, each row is also compared with the log, except in its
    purged part.

    Exit codes: 0 if nothing is missing, 1 if something is missing (it is listed), 3 if there is no
    manifest, 4 if it is damaged.

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
