"""``aeron-cluster status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from aeron_cluster.cli.exit_codes import ExitCode, exit_code
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import (
    archive_option,
    as_json,
    format_size,
    format_time,
    timeout_option,
)
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Presence
from aeron_cluster.cluster.tools.status import SILENT_S, NodeStatus, read_status
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.config import CONSENSUS_MODULE_OPTIONS, resolve
from aeron_cluster.errors import AeronClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = ["status"]

_SHOWN_SNAPSHOTS: Final = 3
_SHOWN_ERRORS: Final = 3
_SHOWN_SESSIONS: Final = 10
_HEARTBEAT_TIMEOUT: Final = next(
    option for option in CONSENSUS_MODULE_OPTIONS if option.keyword == "leader_heartbeat_timeout_ns"
)
# With fewer columns, the append position and the directory are omitted.
_WIDE: Final = 110


@click.command()
@click.argument("directories", metavar="[DIR]...", nargs=-1)
@watch_options
@click.option("--no-members", is_flag=True, help="Do not query the members.")
@archive_option
@timeout_option
def status(
    directories: tuple[str, ...],
    interval: float | None,
    is_json: bool,
    no_members: bool,
    archive_dir: str | None,
    timeout_ns: int,
) -> None:
    """Show the state of members: roles, terms, positions and lag, sessions, snapshots, disk.

    Each DIR is the cluster directory of a member on this machine, ours or Java's, running or not,
    or the directory of a node. Several are shown side by side.

    Exit codes: 0 if all of them are running, 3 if one is not, 4 if a file is damaged.

    \b
    Examples:
      aeron-cluster status data
      aeron-cluster status node0/cluster node1/cluster node2/cluster --watch
      aeron-cluster status data --json | jq '.members[0].live.role'
    """  # noqa: D301 - \b is click's mark
    reader = _StatusReader(
        directories or ("aeron-cluster",), not no_members, archive_dir, timeout_ns
    )
    width = console().width
    show(
        reader.read,
        lambda _: reader.as_json(),
        lambda _: reader.view(width),
        is_json=is_json,
        interval=interval,
    )
    raise SystemExit(reader.code)


class _StatusReader:
    """Reads the state of members once or repeatedly.

    Attributes
    ----------
    code : int
        The exit code of the command.
    """

    def __init__(
        self,
        directories: Sequence[str],
        query_members: bool,
        archive_dir: str | None,
        timeout_ns: int,
    ) -> None:
        self._directories = directories
        self._query_members = query_members
        self._archive_dir = archive_dir
        self._timeout_ns = timeout_ns
        self._found: list[NodeStatus] = []
        self._failures: list[tuple[str, AeronClusterError]] = []
        self.code = 0

    def read(self) -> None:
        """Read the state of every member."""
        self._found.clear()
        self._failures.clear()
        codes: list[int] = [0]
        for directory in self._directories:
            try:
                found = read_status(
                    ClusterDirectory(directory),
                    query_members=self._query_members,
                    timeout_ns=self._timeout_ns,
                    archive_dir=self._archive_dir,
                )
            except AeronClusterError as error:
                self._failures.append((directory, error))
                codes.append(exit_code(error))
            else:
                self._found.append(found)
                is_running = found.component.presence is Presence.RUNNING
                codes.append(0 if is_running else ExitCode.NOT_REACHABLE)
        self.code = max(codes)

    def as_json(self) -> dict[str, object]:
        """Return the result as an object for JSON."""
        return {
            "members": [_member_json(each) for each in self._found],
            "failures": [
                {"directory": directory, "error": str(error)} for directory, error in self._failures
            ],
        }

    def view(self, width: int) -> Group:
        """Return the result as tables that fit a width."""
        parts: list[Table | Text] = []
        if self._found:
            parts.append(_members_table(self._found, width))
        silent = {each.member_id: each.inactive_s for each in self._found if each.live}
        for each in self._found:
            parts += _details(each, silent)
        parts += [Text(f"{error}", style="red") for _, error in self._failures]
        return Group(*parts)


def _member_json(found: NodeStatus) -> dict[str, object]:
    values: dict[str, object] = as_json(found)
    component = found.component
    values["component"] = {
        "path": component.path,
        "presence": component.presence,
        "header": component.header,
    }
    values["errors"] = [{"of": of, **as_json(error)} for of, error in found.errors]
    return {"member_id": found.member_id, **values}


# ---- for people ----


def _number(value: int) -> str:
    return "" if value < 0 else f"{value:,}"


def _members_table(found: Sequence[NodeStatus], width: int) -> Table:
    is_wide = width >= _WIDE
    table = Table(box=None, header_style="bold", pad_edge=False)
    # Words are wrapped; numbers are never truncated.
    table.add_column("member", justify="right", no_wrap=True)
    table.add_column("role", no_wrap=True)
    table.add_column("state", overflow="fold")
    numbers = ("term", "committed", "behind", "sessions", "errors")
    for name in (*numbers, "appended") if is_wide else numbers:
        table.add_column(name, justify="right", no_wrap=True)
    if is_wide:
        table.add_column("directory", overflow="fold")
    furthest = max((each.live.commit_position for each in found if each.live), default=-1)
    for each in found:
        live = each.live
        member = str(each.member_id)
        if live is None:
            what = _idle_state(each)
            errors = str(len(each.errors) or "")
            row = [member, "-", what, "", "", "", "", errors]
            table.add_row(*row, *(("", each.directory) if is_wide else ()), style="yellow")
            continue
        style = None
        state = live.state.name.lower()
        silent_s = each.inactive_s
        if each.is_silent:
            # Its counters show its last state: a stalled leader may no longer be the leader.
            state, style = f"silent for {silent_s:.1f} s", "yellow"
            if live.is_leader:
                state += _election_text(silent_s, live.leader_heartbeat_timeout_ns)
        elif live.election_state is not ElectionState.CLOSED:
            state = f"electing: {live.election_state.name.lower().replace('_', ' ')}"
            style = "yellow"
        elif live.is_leader:
            style = "green"
        table.add_row(
            member,
            f"was {live.role.name.lower()}" if each.is_silent else live.role.name.lower(),
            state,
            _number(live.leadership_term_id),
            _number(live.commit_position),
            _number(furthest - live.commit_position),
            str(sum(session.cluster_session_id >= 0 for session in live.sessions)),
            str(live.error_count),
            *((_number(live.append_position), each.directory) if is_wide else ()),
            style=style,
        )
    return table


def _election_text(silent_s: float, timeout_ns: int) -> str:
    if timeout_ns < 0:
        # Java's members do not publish it: use the environment's, or Aeron's default.
        timeout_ns = resolve((_HEARTBEAT_TIMEOUT,), {}).leader_heartbeat_timeout_ns
    timeout_s = timeout_ns / 1e9
    return f", election {'at' if silent_s < timeout_s else 'since'} {timeout_s:g} s"


def _idle_state(found: NodeStatus) -> str:
    presence = found.component.presence
    if found.component.header.component_type is ClusterComponentType.BACKUP:
        return f"backup, {presence.name.lower()}"
    if not found.component.is_alive:
        return presence.name.lower().replace("_", " ")
    # A stopped process: its driver is silent too, for so long that its counters are not read.
    return f"silent for {found.inactive_s:.1f} s" if found.is_silent else "not known"


def _details(found: NodeStatus, silent: Mapping[int, float]) -> list[Table | Text]:
    component = found.component
    head = (
        f"\nmember {found.member_id}: process {component.header.pid},"
        f" started {format_time(component.header.start_timestamp)},"
        f" driver in {component.header.aeron_directory}"
    )
    parts: list[Table | Text] = [Text(head, style="bold")]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    _add_live(table, found, silent)
    _add_backup(table, found)
    _add_services(table, found)
    _add_recorded(table, found)
    for use in found.disk:
        table.add_row(
            "disk",
            f"{use.path}: {format_size(use.allocated)} allocated to {use.file_count} files"
            f" {format_size(use.length)} long, {format_size(use.usable)} free on its file system",
        )
    for of, error in found.errors[:_SHOWN_ERRORS]:
        table.add_row("error", Text(f"{of}: {_first_line(error)}", style="red"))
    if len(found.errors) > _SHOWN_ERRORS:
        table.add_row("", f"and {len(found.errors) - _SHOWN_ERRORS} more: aeron-cluster errors")
    for problem in found.problems:
        table.add_row("problem", Text(problem, style="yellow"))
    parts.append(table)
    return parts


def _add_live(table: Table, found: NodeStatus, silent: Mapping[int, float]) -> None:
    live = found.live
    if live is None:
        return
    if live.membership is not None:
        membership, leader = live.membership, live.membership.leader_member_id
        others = ", ".join(
            f"{each.member_id} at {_number(membership.position_of(each)) or 'a position not known'}"
            for each in membership.active_members
        )
        text = "no leader known" if leader < 0 else f"member {leader} leads"
        silent_s = max(silent.get(leader, 0), found.leader_inactive_s)
        if leader >= 0 and silent_s >= SILENT_S:
            text = f"leader {leader} silent for {silent_s:.1f} s"
            text += _election_text(silent_s, live.leader_heartbeat_timeout_ns)
        table.add_row("members", f"{text}; {others}")
    if live.control_toggle not in (ControlToggle.NEUTRAL, ControlToggle.INACTIVE):
        table.add_row("requested", live.control_toggle.name.lower())
    table.add_row(
        "since start",
        f"{live.election_count} elections, {live.snapshot_count} snapshots,"
        f" {live.timed_out_clients} clients timed out",
    )
    if live.next_snapshot_ms >= 0:
        table.add_row("next snapshot", f"due {format_time(live.next_snapshot_ms)}")
    if live.log_start_position >= 0:
        table.add_row("purged", f"the log begins at {live.log_start_position:,}")
    for session in live.sessions[:_SHOWN_SESSIONS]:
        table.add_row(f"session {session.cluster_session_id}", session.about)
    if len(live.sessions) > _SHOWN_SESSIONS:
        table.add_row("", f"and {len(live.sessions) - _SHOWN_SESSIONS} sessions more")


def _add_backup(table: Table, found: NodeStatus) -> None:
    backup = found.backup
    if backup is None:
        return
    table.add_row("backup", backup.state.name.lower().replace("_", " "))
    table.add_row("log copied to", _number(backup.live_log_position) or "nowhere yet")
    if backup.next_query_ms >= 0:
        table.add_row("next query", format_time(backup.next_query_ms))
    table.add_row(
        "since start",
        f"{backup.snapshots_retrieved} snapshots retrieved, {backup.error_count} errors",
    )


def _add_services(table: Table, found: NodeStatus) -> None:
    for service in found.services:
        parts = [service.name, service.presence.lower()]
        if service.log_position >= 0:
            parts.append(f"log read to {service.log_position:,}, {service.lag:,} behind")
        if service.error_count:
            parts.append(f"{service.error_count} errors")
        table.add_row(f"service {service.service_id}", ", ".join(parts))


def _add_recorded(table: Table, found: NodeStatus) -> None:
    recorded = found.recorded
    if recorded is None:
        table.add_row("recording log", "none yet")
        return
    table.add_row(
        "log",
        f"recording {recorded.log_recording_id}, {recorded.term_count} terms, the last one"
        f" {recorded.last_term_id} from {_number(recorded.last_term_base_log_position)} on",
    )
    valid = [each for each in recorded.snapshots if each.is_valid]
    if not valid:
        table.add_row("snapshot", "none: a start replays the whole log")
    for each in valid[:_SHOWN_SNAPSHOTS]:
        recordings = ", ".join(map(str, each.recording_ids))
        table.add_row(
            "snapshot",
            f"at {each.log_position:,} in term {each.leadership_term_id}, recordings {recordings}",
        )
    if len(valid) > _SHOWN_SNAPSHOTS:
        table.add_row("", f"and {len(valid) - _SHOWN_SNAPSHOTS} older ones")


def _first_line(error: ErrorLogEntry) -> str:
    line = error.text.partition("\n")[0]
    return f"{error.observation_count} x, last {format_time(error.last_observation_ms)}: {line}"
