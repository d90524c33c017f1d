"""``aeron-cluster pipeline sessions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aeron_cluster.cli.options.durations import format_ns
from aeron_cluster.cli.pipeline.report import report_options, run_job
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.running.result import JobResult

__all__ = ["sessions"]


@click.command()
@click.argument("place", metavar="DIR")
@report_options
def sessions(place: str, **options: Any) -> None:  # noqa: ANN401 - of the report
    """Show clients' sessions: their durations, messages, rates and gaps.

    DIR is a node's directory, an archive directory, or a URL of one. The node may be running: the
    log is read up to its current end.

    Exit codes: 0 on success, 2 for a usage error, 3 if the log is missing, 4 if it is damaged.

    \b
    Examples:
      aeron-cluster pipeline sessions node0 --out sessions
      aeron-cluster pipeline sessions node0 --from-time 2026-11-22T09:00:00Z --interval 1 --json
      aeron-cluster pipeline sessions s3://logs/node0 --out sessions
    """  # noqa: D301 - \b is click's mark
    run_job(analyze_sessions, place, _show, **options)


def _show(result: JobResult) -> None:
    it = result.summary
    click.echo(f"member {it['member']}, recording {it['recording']} in {it['archive']}")
    click.echo(f"positions:   {it['from_position']:,} to {it['to_position']:,}")
    click.echo(f"sessions:    {it['sessions']:,} of clients, {it['open_at_end']:,} open at the end")
    for reason, count in sorted(it["close_reasons"].items()):
        click.echo(f"  {reason}: {count:,}")
    click.echo(f"messages:    {it['messages']:,} with {it['bytes']:,} bytes")
    gap = it["longest_gap_ns"]
    click.echo(f"longest gap: {'none' if gap is None else format_ns(gap)} in a session")
    click.echo(f"terms:       {it['leadership_terms']:,} begin")
    if it["left_out"]:
        click.secho(f"left out:    {it['left_out']:,} damaged parts", fg="yellow")
