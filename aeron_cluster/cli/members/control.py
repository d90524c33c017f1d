"""The commands that send requests to a running member or its cluster."""

from __future__ import annotations

import click

from aeron_cluster.cli.options.member import (
    confirm,
    confirm_option,
    duration_ns,
    format_time,
    json_option,
    member_command,
    print_json,
    timeout_option,
)
from aeron_cluster.cluster.tools.backup_query import next_backup_query_ms
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.control import REQUESTS, request

__all__ = [
    "abort",
    "backup_query",
    "resume",
    "shutdown",
    "snapshot",
    "suspend",
    "validate_recording_log",
]


def _request(directory: str, verb: str, timeout_ns: int, is_json: bool) -> None:
    wanted = REQUESTS[verb]
    member_id = request(ClusterDirectory(directory), wanted, timeout_ns)
    if is_json:
        print_json(member_id=member_id, applied=wanted.toggle)
    else:
        how = "done" if wanted.timeout_ns else "requested"
        click.echo(f"member {member_id}: {wanted.toggle.name} {how}")


@click.command()
@member_command
@json_option
@timeout_option
def snapshot(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Take a snapshot of the cluster and wait for it; only on the leader.

    Waits 30 s, or --timeout if that is longer. Exit code 1 if the member is not the leader, its
    consensus module is not ACTIVE, or the snapshot failed.

    \b
    Examples:
      aeron-cluster snapshot data/cluster
      aeron-cluster snapshot data/cluster --timeout 300s
    """  # noqa: D301 - \b is click's mark
    _request(directory, "snapshot", timeout_ns, is_json)


@click.command()
@member_command
@json_option
@timeout_option
def suspend(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Suspend the cluster: it accepts no messages until resume; only on the leader.

    Sessions that are inactive for longer than the session timeout are closed on resume.

    \b
    Examples:
      aeron-cluster suspend data/cluster
    """  # noqa: D301 - \b is click's mark
    _request(directory, "suspend", timeout_ns, is_json)


@click.command()
@member_command
@json_option
@timeout_option
def resume(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Resume a suspended cluster; only on the leader.

    \b
    Examples:
      aeron-cluster resume data/cluster
    """  # noqa: D301 - \b is click's mark
    _request(directory, "resume", timeout_ns, is_json)


@click.command()
@member_command
@confirm_option
@json_option
@timeout_option
def shutdown(directory: str, timeout_ns: int, is_json: bool, yes: bool) -> None:
    """Take a snapshot and end the whole cluster; only on the leader.

    Every member ends. After a restart they continue from that snapshot.

    \b
    Examples:
      aeron-cluster shutdown data/cluster
    """  # noqa: D301 - \b is click's mark
    confirm(yes, f"This stops all members of the cluster of {directory}, with a snapshot.")
    _request(directory, "shutdown", timeout_ns, is_json)


@click.command()
@member_command
@confirm_option
@json_option
@timeout_option
def abort(directory: str, timeout_ns: int, is_json: bool, yes: bool) -> None:
    """End the whole cluster without a snapshot; only on the leader.

    Every member ends. After a restart they continue from the last snapshot and the log after it.

    \b
    Examples:
      aeron-cluster abort data/cluster
    """  # noqa: D301 - \b is click's mark
    confirm(yes, f"This stops all members of the cluster of {directory}, without a snapshot.")
    _request(directory, "abort", timeout_ns, is_json)


@click.command("validate-recording-log")
@member_command
@json_option
@timeout_option
def validate_recording_log(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Make a running member check whether its snapshots are in its archive.

    Snapshots that are missing from the archive are marked as invalid. This works on the leader and
    on followers; recording-log shows the result after a moment.

    \b
    Examples:
      aeron-cluster validate-recording-log data/cluster
    """  # noqa: D301 - \b is click's mark
    _request(directory, "validate-recording-log", timeout_ns, is_json)


@click.command("backup-query")
@member_command
@click.argument("delay_ns", metavar="[DELAY]", required=False, callback=duration_ns)
@json_option
@timeout_option
def backup_query(directory: str, delay_ns: int | None, timeout_ns: int, is_json: bool) -> None:
    """Show when a running backup queries the cluster next; with DELAY, change it.

    \b
    Examples:
      aeron-cluster backup-query backup/cluster
      aeron-cluster backup-query backup/cluster 30s
    """  # noqa: D301 - \b is click's mark
    delay_ms = None if delay_ns is None else delay_ns // 1_000_000
    deadline_ms = next_backup_query_ms(ClusterDirectory(directory), delay_ms, timeout_ns)
    if is_json:
        print_json(next_query_ms=deadline_ms, is_changed=delay_ms is not None)
    else:
        click.echo(f"next query: {format_time(deadline_ms)}")
