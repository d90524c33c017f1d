"""``aeron-cluster pipeline audit``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.table import Table

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
from aeron_cluster.memory.system.seams import SystemClock
from aeron_cluster.pipeline.jobs.audit import audit as audit_members

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.audits.findings import AuditReport

__all__ = ["audit"]


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True)
@recording_option
@json_option
def audit(directories: tuple[str, ...], recording_id: int | None, is_json: bool) -> None:
    """Check whether members of a cluster have the same log, terms and snapshots.

    Give one DIR for each member: a node's directory with archive and cluster, an archive's
    directory, or a URL of one. With only one DIR, its log is compared with its own recording log
    and snapshots.

    Each frame of every log is read and compared with another member's, byte for byte. The
    leadership terms in the log are compared with the recording log, and the snapshots with their
    entries and with each other. A difference is reported once for each member, with the first byte
    and its log position.

    Differences after the committed part, where leaders of different terms appended, are only noted,
    because the cluster removes them. A lagging member is also only noted. A member that was down
    while the others took their latest snapshot lacks it until the next one; if the cluster is
    taking a snapshot, repeat the audit.

    Exit codes: 0 if everything is equal, 1 if something differs, 3 if there is no log, 4 if a
    catalog or a recording log is damaged.

    \b
    Examples:
      aeron-cluster pipeline audit node0 node1 node2
      aeron-cluster pipeline audit node0 --json
      aeron-cluster pipeline audit --recording 0 copy0/archive copy1/archive
    """  # noqa: D301 - \b is click's mark
    clock = SystemClock()
    began_ns = clock.nano_time()
    try:
        with shown_progress() as progress:
            report = audit_members(*directories, recording_id=recording_id, progress=progress)
    except (AeronClusterError, OSError) as error:
        fail(error)
    seconds = (clock.nano_time() - began_ns) / 1e9
    if is_json:
        print_json(
            is_consistent=report.is_consistent,
            committed_position=report.committed_position,
            compared_length=report.compared_length,
            members=report.members,
            findings=[{**as_json(each), "text": str(each)} for each in report.findings],
            notes=report.notes,
            seconds=seconds,
        )
    else:
        _show(report, seconds)
    if not report.is_consistent:
        raise SystemExit(ExitCode.NO)


def _show(report: AuditReport, seconds: float) -> None:
    out = console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("member", "recording", "from", "to", "terms", "snapshots"):
        table.add_column(name, justify="left" if name == "member" else "right")
    for each in report.members:
        table.add_row(
            each.name,
            str(each.recording_id),
            f"{each.start_position:,}",
            f"{each.end_position:,}",
            f"{each.term_count:,}",
            f"{each.snapshot_count:,}",
        )
    out.print(table)
    committed = report.committed_position
    known = f"committed up to {committed:,}" if committed >= 0 else "nothing known to be committed"
    out.print(f"{known}; {report.compared_length:,} bytes compared ({seconds:.2f} s)")
    for note in report.notes:
        out.print(f"note: {note}", markup=False, soft_wrap=True)
    for finding in report.findings:
        out.print(str(finding), style="red", markup=False, soft_wrap=True)
    if report.is_consistent:
        alike = "the same" if len(report.members) > 1 else "sound"
        out.print(f"{alike}: nothing is wrong", style="green")
    else:
        out.print(f"{len(report.findings)} wrong", style="bold red")
