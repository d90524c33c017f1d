"""The commands that change the recording log of a stopped member."""

from __future__ import annotations

import sys

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.members.inspection import entries_table
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import (
    confirm_change,
    confirmation_options,
    json_option,
    member_command,
    print_json,
)
from aeron_cluster.cluster.tools import recording_log_edit as edit
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory

__all__ = [
    "invalidate_latest_snapshot",
    "seed_recording_log_from_snapshot",
    "sort_recording_log",
]


@click.command("sort-recording-log")
@member_command
@json_option
def sort_recording_log(directory: str, is_json: bool) -> None:
    """Sort the entries of a recording log in the order that members use in memory.

    Exit code 1 if they are already in order. Invalid entries stay invalid. The member must not be
    running.

    \b
    Examples:
      aeron-cluster sort-recording-log data/cluster
    """  # noqa: D301 - \b is click's mark
    is_changed = edit.sort_recording_log(ClusterDirectory(directory))
    if is_json:
        print_json(is_changed=is_changed)
    elif not is_changed:
        click.echo("the recording log is already in order")
    if not is_changed:
        raise SystemExit(ExitCode.NO)


@click.command("seed-recording-log-from-snapshot")
@member_command
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def seed_recording_log_from_snapshot(directory: str, yes: bool, is_json: bool) -> None:
    """Make a member begin a new log with only its latest valid snapshot.

    All terms and the log after the snapshot are discarded; the old recording log is saved as
    recording.log.bak. Do the same on all members. The member must not be running.

    \b
    Examples:
      aeron-cluster seed-recording-log-from-snapshot data/cluster
      aeron-cluster seed-recording-log-from-snapshot data/cluster --yes
    """  # noqa: D301 - \b is click's mark
    place = ClusterDirectory(directory)
    if not yes:
        _confirm(place)
    seed = edit.seed_recording_log_from_snapshot(place)
    if is_json:
        print_json(entries=seed)
    else:
        console().print(entries_table(seed))


def _confirm(place: ClusterDirectory) -> None:
    place.check_not_in_use()
    with place.open_recording_log() as log:
        entries = log.entries
    seed = edit.find_seed(entries)
    out = console()
    out.print("of these entries", style="bold")
    out.print(entries_table(entries))
    out.print("these stay, at position 0" if seed else "none stay", style="bold")
    if seed:
        out.print(entries_table(seed))
    if not sys.stdin.isatty():
        fail("nothing was changed: give --yes", ExitCode.USAGE)
    click.confirm("Continue?", abort=True)


@click.command("invalidate-latest-snapshot")
@member_command
@confirmation_options
@json_option
def invalidate_latest_snapshot(directory: str, is_json: bool, dry_run: bool, yes: bool) -> None:
    """Make a member recover from the snapshot before the latest one, or from only the log.

    The snapshot's entries in the recording log are marked as invalid; a running member is affected
    at its next start. Exit code 1 if there is no valid snapshot.

    \b
    Examples:
      aeron-cluster invalidate-latest-snapshot data/cluster
      aeron-cluster invalidate-latest-snapshot data/cluster --yes
    """  # noqa: D301 - \b is click's mark
    place = ClusterDirectory(directory)
    is_running = place.has_component and place.component().is_alive
    change = (
        f"The latest snapshot of {directory} is marked as invalid: the next start recovers from the"
        " previous one, or from only the log."
    )
    if dry_run:
        click.echo(change)
    if not confirm_change(yes, dry_run, change):
        return
    position = edit.invalidate_latest_snapshot(place)
    if is_running and position is not None:
        click.echo(
            "note: the member is running and continues; only its next start recovers without the"
            " snapshot",
            err=True,
        )
    if is_json:
        print_json(log_position=position)
    elif position is None:
        click.echo("there is no valid snapshot")
    else:
        click.echo(f"the snapshot at {position:,} is now invalid")
    if position is None:
        raise SystemExit(ExitCode.NO)
