"""``aeron-cluster pipeline latency``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aeron_cluster.cli.options.durations import format_ns
from aeron_cluster.cli.pipeline.report import report_options, run_job
from aeron_cluster.config import parse_digits
from aeron_cluster.pipeline.jobs.figures.egress import EgressRecording
from aeron_cluster.pipeline.jobs.latency import analyze_latency

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.pipeline.jobs.running.result import JobResult

__all__ = ["latency"]


@click.command()
@click.argument("place", metavar="DIR")
@click.option(
    "--egress",
    "egress",
    multiple=True,
    metavar="ARCHIVE:ID",
    help="A recording of egress, to compare. May be repeated.",
)
@report_options
def latency(place: str, egress: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - of the report
    """Show the times between log entries, by the leaders' clocks, and the changes of leader.

    DIR is a node's directory, an archive directory, or a URL of one. The node may be running: the
    log is read up to its current end. With --egress it also shows the time from request to answer,
    by the cluster's clock.

    Exit codes: 0 on success, 2 for a usage error, 3 if the log is missing, 4 if it is damaged.

    \b
    Examples:
      aeron-cluster pipeline latency node0 --out latency
      aeron-cluster pipeline latency node0 --egress clients/archive:3 --json
    """  # noqa: D301 - \b is click's mark
    run_job(analyze_latency, place, _show, egress=[_recording(each) for each in egress], **options)


def _recording(text: str) -> EgressRecording:
    archive_dir, _, digits = text.rpartition(":")
    recording_id = parse_digits(digits)
    if not archive_dir or recording_id is None:
        raise click.BadParameter(f"expected ARCHIVE:ID, found {text!r}", param_hint="--egress")
    return EgressRecording(archive_dir, recording_id)


def _show(result: JobResult) -> None:
    it = result.summary
    click.echo(f"member {it['member']}, recording {it['recording']} in {it['archive']}")
    click.echo(f"positions:          {it['from_position']:,} to {it['to_position']:,}")
    click.echo(f"entries:            {it['entries']:,}, {it['messages']:,} of them of sessions")
    click.echo(f"between entries:    {_times(it, 'entries')}")
    click.echo(f"between messages:   {_times(it, 'messages')}")
    click.echo(f"clock resolution:   {format_ns(it['resolution_ns'])}")
    handover = it["longest_handover_ns"]
    longest = "" if handover is None else f", {format_ns(handover)} at most from one to the next"
    click.echo(f"leadership terms:   {it['leadership_terms']:,}{longest}")
    if it["steps_back"]:
        back = format_ns(it["largest_step_back_ns"])
        click.echo(f"clocks went back:   {it['steps_back']:,} times, by {back} at most")
    if "answered" in it:
        click.echo(f"requests, answers:  {it['requested']:,}, {it['answered']:,}")
        click.echo(f"request to answer:  {_times(it, 'egress')}")
    if it["left_out"]:
        click.secho(f"left out:           {it['left_out']:,} damaged parts", fg="yellow")


def _times(summary: Mapping[str, Any], name: str) -> str:
    if summary[f"{name}_max_ns"] is None:
        return "nothing to measure"
    parts = [f"p{each} {format_ns(summary[f'{name}_p{each}_ns'])}" for each in ("50", "99", "99.9")]
    return ", ".join([*parts, f"max {format_ns(summary[f'{name}_max_ns'])}"])
