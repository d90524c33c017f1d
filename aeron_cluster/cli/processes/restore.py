"""``aeron-cluster restore``."""

from __future__ import annotations

import click

from aeron_cluster.cli.exit_codes import fail
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import group_option, json_option, print_json
from aeron_cluster.cli.options.properties import seams_of
from aeron_cluster.cluster.tools.restore import restore as restore_member
from aeron_cluster.errors import AeronClusterError

__all__ = ["restore"]


@click.command()
@click.argument("backup", metavar="BACKUP")
@click.option(
    "--dir",
    "directory",
    default="aeron-cluster",
    show_default=True,
    metavar="DIR",
    help="Directory of the member, as for aeron-cluster node --dir; created if missing.",
)
@group_option
@json_option
def restore(backup: str, directory: str, group: str | None, is_json: bool) -> None:
    """Prepare a member that has no log, or lags too far, to start from a backup.

    BACKUP is the directory of a stopped backup (aeron-cluster backup --dir), or a copy of it. The
    backup is checked completely before anything is changed, and the copy is checked again. A member
    that has as much of the log as the backup, or belongs to another cluster, is left unchanged.
    Otherwise its old archive is moved to archive.before-restore. Its vote is kept.

    Then start the member: it receives the rest of the log from the leader.

    Exit codes: 1 if the member already has the backup's log, 2 if the directory is not a member's,
    3 if something is missing or in use, 4 if the backup is damaged.

    \b
    Examples:
      aeron-cluster restore copy --dir data
      aeron-cluster restore /mnt/backup --dir data --json
    """  # noqa: D301 - \b is click's mark
    try:
        done = restore_member(backup, directory, seams=seams_of(group))
    except AeronClusterError as error:
        fail(error)
    if is_json:
        print_json(**{name: getattr(done, name) for name in type(done).__slots__})
        return
    out = console()
    snapshot = "without a snapshot"
    if done.snapshot_position >= 0:
        snapshot = f"with a snapshot at {done.snapshot_position:,}"
    out.print(
        f"{done.directory} has the log up to {done.log_position:,} now, {snapshot};"
        f" {done.length:,} bytes were copied",
        soft_wrap=True,
    )
    if done.kept:
        out.print(
            f"its old archive is in {done.kept}; remove it when the member has recovered",
            soft_wrap=True,
        )
