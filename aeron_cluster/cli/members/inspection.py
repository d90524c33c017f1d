"""The commands that show a member: mark files, errors, recording log, members, snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.table import Table

from aeron_cluster.cli.drivers.verbs import show_errors
from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.console import console, print_error_logs
from aeron_cluster.cli.options.member import (
    archive_option,
    format_time,
    json_option,
    member_command,
    print_json,
    timeout_option,
)
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.module_counters import ELECTION_STATE_TYPE, NODE_ROLE_TYPE
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Component
from aeron_cluster.cluster.tools.membership import query_membership
from aeron_cluster.cluster.tools.node_counters import NodeCounters, open_driver
from aeron_cluster.cluster.tools.recovery import read_latest_snapshot, read_recovery_plan
from aeron_cluster.codecs.cluster_mark import MarkFileHeader
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = [
    "describe",
    "describe_latest_cm_snapshot",
    "entries_table",
    "errors",
    "is_leader",
    "is_settled_leader",
    "list_members",
    "pid",
    "recording_log",
    "recovery_plan",
]

_TIMES: Final = ("activity_timestamp", "start_timestamp")


def _components(directory: ClusterDirectory, timeout_ns: int) -> list[Component]:
    component = directory.component(timeout_ns)
    return [component, *directory.services(component, timeout_ns)]


def _title(component: Component) -> str:
    header = component.header
    kind = header.component_type.name.lower().replace("_", " ")
    if header.service_id >= 0:
        kind = f"{kind} of service {header.service_id}"
    return f"{kind}, process {header.pid}, {component.presence.name.lower().replace('_', ' ')}"


# ---- mark files ----


@click.command()
@member_command
@json_option
@timeout_option
def describe(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Show the mark files in a cluster directory: those of the member and of its services.

    DIR is the cluster directory of a member, ours or Java's, or that of a node started with
    aeron-cluster node --dir.

    \b
    Examples:
      aeron-cluster describe data/cluster
      aeron-cluster describe data --json | jq -r '.components[0].header.aeron_directory'
    """  # noqa: D301 - \b is click's mark
    found = _components(ClusterDirectory(directory), timeout_ns)
    if is_json:
        print_json(components=[{**_described(each), "header": each.header} for each in found])
        return
    out = console()
    for each in found:
        table = Table(title=_title(each), title_justify="left", box=None, show_header=False)
        table.add_row("file", each.path)
        for name in MarkFileHeader.__slots__:
            value = getattr(each.header, name)
            text = format_time(value) if name in _TIMES and value > 0 else value
            table.add_row(name.replace("_", " "), str(getattr(value, "name", text)))
        table.add_row("errors", str(len(each.errors)))
        out.print(table)
        out.print()


def _described(component: Component) -> dict[str, object]:
    return {
        "path": component.path,
        "presence": component.presence,
        "schema_version": component.schema_version,
        "block_length": component.block_length,
        "error_count": len(component.errors),
    }


@click.command()
@member_command
@json_option
@timeout_option
def pid(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Print the process id of a member, from its mark file.

    \b
    Examples:
      kill $(aeron-cluster pid data/cluster)
    """  # noqa: D301 - \b is click's mark
    component = ClusterDirectory(directory).component(timeout_ns)
    if is_json:
        print_json(pid=component.header.pid, presence=component.presence)
    else:
        click.echo(component.header.pid)


@click.command()
@member_command
@json_option
@timeout_option
def errors(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Show the errors of a member, its driver and its services.

    Each distinct error is shown once, with its count and times. The driver's errors are shown while
    it is running. For the directory of a driver, only the driver's errors are shown, as by
    aeron-cluster driver errors does, and of an archive's see aeron-cluster archive errors.

    \b
    Examples:
      aeron-cluster errors data/cluster
      aeron-cluster errors /dev/shm/my-driver
      aeron-cluster errors data/cluster --json | jq '.logs[].errors | length'
    """  # noqa: D301 - \b is click's mark
    if (Path(directory) / CNC_FILE_NAME).exists():
        show_errors(directory, is_json=is_json)
        return
    place = ClusterDirectory(directory)
    found = _components(place, timeout_ns)
    logs = [(_title(each), each.path, each.errors) for each in found]
    logs.insert(1, _driver_log(place, found[0]))
    if is_json:
        print_json(logs=[{"of": of, "path": path, "errors": seen} for of, path, seen in logs])
    else:
        print_error_logs(logs)


def _driver_log(
    place: ClusterDirectory, component: Component
) -> tuple[str, str, tuple[ErrorLogEntry, ...]]:
    aeron_dir = component.header.aeron_directory
    try:
        with open_driver(place.seams, aeron_dir, alive=False) as cnc:
            return "driver", aeron_dir, tuple(cnc.error_log().entries())
    except AeronClusterError as error:
        return f"driver: {error}", aeron_dir, ()


# ---- recording log ----


def entries_table(entries: Sequence[Entry]) -> Table:
    """Return the entries of a recording log as a table."""
    table = Table(box=None, header_style="bold")
    for name in ("recording", "term", "term base", "position", "timestamp"):
        table.add_column(name, justify="right")
    for name in ("what", "of", "valid"):
        table.add_column(name)
    for each in entries:
        is_term = each.entry_type is EntryType.TERM
        of = "" if is_term else "module" if each.service_id < 0 else f"service {each.service_id}"
        table.add_row(
            str(each.recording_id),
            str(each.leadership_term_id),
            f"{each.term_base_log_position:,}",
            "open" if is_term and each.log_position < 0 else f"{each.log_position:,}",
            str(each.timestamp),
            each.entry_type.name.lower().replace("_", " "),
            f"{of} at {each.archive_endpoint}" if each.archive_endpoint else of,
            "" if each.is_valid else "invalid",
            style=None if each.is_valid else "dim",
        )
    return table


@click.command("recording-log")
@member_command
@json_option
def recording_log(directory: str, is_json: bool) -> None:
    """Show a member's recording log: terms and snapshots, with their recordings.

    \b
    Examples:
      aeron-cluster recording-log data/cluster
      aeron-cluster recording-log data/cluster --json | jq '.entries[] | select(.is_valid)'
    """  # noqa: D301 - \b is click's mark
    with ClusterDirectory(directory).open_recording_log() as log:
        entries = log.entries
    if is_json:
        print_json(entries=entries)
    else:
        console().print(entries_table(entries))


@click.command("recovery-plan")
@member_command
@click.argument("service_count", metavar="[SERVICES]", type=click.IntRange(0, 10), required=False)
@archive_option
@json_option
def recovery_plan(
    directory: str, service_count: int | None, archive_dir: str | None, is_json: bool
) -> None:
    """Show the snapshots that a member would recover from, and the log after them.

    SERVICES is the number of services of the member; by default the number found in its directory.
    The member may be running or stopped.

    \b
    Examples:
      aeron-cluster recovery-plan data/cluster
      aeron-cluster recovery-plan /var/cluster 2 --archive-dir /var/archive --json
    """  # noqa: D301 - \b is click's mark
    plan = read_recovery_plan(ClusterDirectory(directory), service_count, archive_dir)
    if is_json:
        print_json(plan=plan)
        return
    out = console()
    if plan.snapshots:
        out.print(f"snapshot at {plan.snapshot_position:,}", style="bold")
        out.print(entries_table(plan.snapshots))
    else:
        out.print("no snapshot", style="bold")
    if plan.log is None:
        out.print("no log", style="bold")
        return
    end = "still recorded" if plan.log.stop_position < 0 else f"{plan.log.stop_position:,}"
    out.print(f"log, recording {plan.log.recording_id}", style="bold")
    table = Table(box=None, show_header=False)
    table.add_row("replayed from", f"{plan.log.start_position:,}")
    table.add_row("up to", end)
    table.add_row("committed at least to", f"{plan.committed_log_position:,}")
    table.add_row("last term", f"{plan.last_leadership_term_id}")
    table.add_row("which begins at", f"{plan.last_term_base_log_position:,}")
    out.print(table)


@click.command("describe-latest-cm-snapshot")
@member_command
@archive_option
@json_option
def describe_latest_cm_snapshot(directory: str, archive_dir: str | None, is_json: bool) -> None:
    """Show the latest valid snapshot of the consensus module.

    It contains sessions, timers, and messages of services that are not in the log yet. Exit code 1
    if there is no snapshot.

    \b
    Examples:
      aeron-cluster describe-latest-cm-snapshot data/cluster
      aeron-cluster describe-latest-cm-snapshot data/cluster --json | jq '.state.sessions'
    """  # noqa: D301 - \b is click's mark
    found = read_latest_snapshot(ClusterDirectory(directory), archive_dir)
    if found is None:
        fail("no valid snapshot in the recording log", ExitCode.NO)
    if is_json:
        print_json(entry=found.entry, length=found.length, state=found.state)
        return
    state = found.state
    out = console()
    out.print(
        f"snapshot at {state.log_position:,} in term {state.leadership_term_id}: recording"
        f" {found.entry.recording_id}, {found.length:,} bytes, application version"
        f" {state.app_version}, time in {state.time_unit.name.lower()}",
        soft_wrap=True,
    )
    out.print(f"next session {state.next_session_id}")
    sessions = Table(title="sessions", title_justify="left", box=None, header_style="bold")
    for name in ("id", "opened at", "closing", "answers to"):
        sessions.add_column(name)
    for each in state.sessions:
        closing = "" if each.close_reason < 0 else each.close_reason.name
        channel = f"{each.response_channel} stream {each.response_stream_id}"
        opened = f"{each.opened_log_position:,}"
        sessions.add_row(str(each.cluster_session_id), opened, closing, channel)
    timers = Table(title="timers", title_justify="left", box=None, header_style="bold")
    timers.add_column("correlation id")
    timers.add_column("deadline")
    for correlation_id, deadline in state.timers:
        timers.add_row(str(correlation_id), str(deadline))
    kept = Table(title="pending messages", title_justify="left", box=None, header_style="bold")
    for name in ("service", "messages", "next id", "id in the log"):
        kept.add_column(name)
    for tracker in state.trackers:
        kept.add_row(
            str(tracker.service_id),
            str(len(tracker.messages)),
            str(tracker.next_service_session_id),
            str(tracker.log_service_session_id),
        )
    for table in (sessions, timers, kept):
        if table.row_count:
            out.print(table)


# ---- members ----


@click.command("list-members")
@member_command
@json_option
@timeout_option
def list_members(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Show the members of a running member's cluster, and the leader.

    A leader knows the log position of each member; a follower only its own.

    \b
    Examples:
      aeron-cluster list-members data/cluster
      aeron-cluster list-members data/cluster --json | jq .leader_member_id
    """  # noqa: D301 - \b is click's mark
    place = ClusterDirectory(directory)
    found = query_membership(place.seams, place.started_component(timeout_ns), timeout_ns)
    if is_json:
        print_json(
            current_time_ns=found.current_time_ns,
            leader_member_id=found.leader_member_id,
            member_id=found.member_id,
            active_members=found.active_members,
            passive_members=found.passive_members,
        )
        return
    table = Table(box=None, header_style="bold")
    table.add_column("member", justify="right")
    table.add_column("")
    for name in ("term", "position"):
        table.add_column(name, justify="right")
    for name in ("ingress", "consensus", "log", "catch-up", "archive"):
        table.add_column(name)
    for kind, members in (("", found.active_members), ("passive", found.passive_members)):
        for each in members:
            position = found.position_of(each)
            table.add_row(
                str(each.member_id),
                "leader" if each.is_leader else kind,
                "" if each.leadership_term_id < 0 else str(each.leadership_term_id),
                "" if position < 0 else f"{position:,}",
                *each.endpoints.split(","),
            )
    console().print(table)
    if found.leader_member_id < 0:
        console().print("the member knows no leader", style="dim")


def is_settled_leader(place: ClusterDirectory, timeout_ns: int) -> bool | None:
    """Return whether a member leads and no election runs; None if its module is not running."""
    header = place.started_component(timeout_ns).header
    with NodeCounters(place.seams, header.aeron_directory, header.cluster_id) as counters:
        role = counters.value(NODE_ROLE_TYPE)
        election = counters.value(ELECTION_STATE_TYPE)
    if role is None or election is None:
        return None
    return role == Role.LEADER and election == ElectionState.CLOSED


@click.command("is-leader")
@member_command
@json_option
@timeout_option
def is_leader(directory: str, timeout_ns: int, is_json: bool) -> None:
    """Exit code 0 if the member is the leader and no election is running, 1 if not.

    Prints only with --json. Exit code 3 if no member is running.

    \b
    Examples:
      aeron-cluster is-leader data/cluster && aeron-cluster snapshot data/cluster
    """  # noqa: D301 - \b is click's mark
    leads = is_settled_leader(ClusterDirectory(directory), timeout_ns)
    if leads is None:
        fail(f"{directory}: its driver runs, its consensus module does not", ExitCode.NOT_REACHABLE)
    if is_json:
        print_json(is_leader=leads)
    if not leads:
        raise SystemExit(ExitCode.NO)
