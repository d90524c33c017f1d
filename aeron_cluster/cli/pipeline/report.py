"""The common part of ``aeron-cluster pipeline sessions`` and ``latency``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aeron_cluster.cli.exit_codes import fail
from aeron_cluster.cli.options.member import json_option, print_json
from aeron_cluster.cli.options.progress import shown_progress
from aeron_cluster.cli.pipeline.spark import spark_option, spark_session
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.pipeline.files.members import MemberDirectories
from aeron_cluster.pipeline.files.urls import local
from aeron_cluster.pipeline.optional_packages import require

if TYPE_CHECKING:
    from aeron_cluster.pipeline.files.members import MemberPath
    from aeron_cluster.pipeline.jobs.running.result import JobResult

__all__ = ["report_options", "run_job"]

Command = TypeVar("Command", bound=Callable[..., Any])

_SELECTION = (
    "from_position",
    "to_position",
    "from_term",
    "to_term",
    "from_time",
    "to_time",
    "time_unit",
)


def report_options(command: Command) -> Command:
    """Add the options that select a part of a log and the directory of the report."""
    for option in reversed(
        (
            click.option(
                "--out",
                type=click.Path(file_okay=False),
                help="Directory of report.html and tables; by default only figures are printed.",
            ),
            click.option("--cluster-dir", help="The cluster directory, if DIR is an archive."),
            click.option("--recording", type=int, help="The recording of the log."),
            click.option("--from-position", type=int, help="Position to begin at, in bytes."),
            click.option(
                "--to-position",
                type=int,
                help="Position to end at; an entry that begins there is excluded.",
            ),
            click.option("--from-term", type=int, help="The first leadership term."),
            click.option("--to-term", type=int, help="The first leadership term that is excluded."),
            click.option("--from-time", help="Time to begin at: 2026-11-22T09:00:00+01:00."),
            click.option("--to-time", help="Time to end at."),
            click.option(
                "--time-unit",
                type=click.Choice(["ms", "us", "ns"]),
                help="Unit of the log's times, if the terms with the unit are purged.",
            ),
            click.option(
                "--only-committed",
                is_flag=True,
                help="Only use the part that is proven to be committed.",
            ),
            click.option(
                "--permissive",
                is_flag=True,
                help="Continue after damage and report the skipped parts.",
            ),
            click.option(
                "--interval",
                "interval_s",
                type=click.FloatRange(min=0, min_open=True),
                metavar="SECONDS",
                help="Interval of rates over time; by default derived from the length of the log.",
            ),
            spark_option,
            json_option,
        )
    ):
        command = option(command)
    return command


def run_job(
    job: Callable[..., JobResult],
    place: str,
    show: Callable[[JobResult], None],
    *,
    out: str | None,
    cluster_dir: str | None,
    recording: int | None,
    only_committed: bool,
    permissive: bool,
    interval_s: float | None,
    master: str | None,
    is_json: bool,
    **options: Any,  # noqa: ANN401 - of the job
) -> None:
    """Run a job, write its report and print its figures.

    Parameters
    ----------
    job : callable
        `analyze_sessions` or `analyze_latency`.
    place : str
        The directory of the member.
    show : callable
        Prints the figures.
    **options
        Further options, by the job's names.
    """
    member: MemberPath = place if cluster_dir is None else MemberDirectories(place, cluster_dir)
    selection = {name: options.pop(name) for name in _SELECTION}
    given = {name: value for name, value in selection.items() if value is not None}
    if only_committed:
        given["only_committed"] = True
    if permissive:
        given["mode"] = "permissive"
    try:
        if out is not None:
            local("--out", out)  # so that it is rejected before the job starts
            for package in ("jinja2", "matplotlib"):
                require(package, "report")
        with spark_session(master) as spark, shown_progress() as progress:
            result = job(
                member,
                recording,
                interval_s=interval_s,
                spark=spark,
                progress=progress,
                **given,
                **options,
            )
        written = [] if out is None else result.write(out)
    except (AeronClusterError, OSError) as error:
        fail(error)
    if is_json:
        print_json(**result.summary, written=[str(path) for path in written])
        return
    show(result)
    if written:
        click.echo(f"\nreport: {written[0]}")
        click.echo(f"tables: {', '.join(path.name for path in written[1:])}")
    else:
        click.echo("\n--out DIR writes a page with plots and all numbers as Parquet")
