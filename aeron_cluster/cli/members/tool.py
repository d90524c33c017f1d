"""``aeron-cluster tool``: upstream's ClusterTool, argument for argument and word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from aeron_cluster.cli.members import upstream_text
from aeron_cluster.cli.members.inspection import is_settled_leader
from aeron_cluster.cli.options.member import archive_option, timeout_option
from aeron_cluster.cluster.tools.backup_query import next_backup_query_ms
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.control import REQUESTS, ControlRequestError, request
from aeron_cluster.cluster.tools.membership import query_membership
from aeron_cluster.cluster.tools.node_counters import open_driver
from aeron_cluster.cluster.tools.recording_log_edit import (
    invalidate_latest_snapshot,
    seed_recording_log_from_snapshot,
    sort_recording_log,
)
from aeron_cluster.cluster.tools.recovery import read_latest_snapshot, read_recovery_plan
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.config import parse_digits, parse_duration_ns
from aeron_cluster.errors import AeronClusterError, TimeoutExpiredError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.cluster.tools.cluster_directory import Component

__all__ = ["tool"]

_FAILURE: Final = 255
"""The exit code for upstream's -1."""

_NO_MARK_FILE: Final = "cluster-mark.dat does not exist."


class _Tool:
    """One run of the tool; every verb returns the exit code."""

    def __init__(
        self,
        directory: ClusterDirectory,
        arguments: Sequence[str],
        timeout_ns: int,
        archive_dir: str | None,
    ) -> None:
        self._directory = directory
        self._arguments = arguments
        self._timeout_ns = timeout_ns
        self._archive_dir = archive_dir

    @property
    def _now_ms(self) -> int:
        return self._directory.seams.clock.epoch_ms()

    @property
    def _is_there(self) -> bool:
        return self._directory.has_component or self._timeout_ns > 0

    def _no_mark_file(self) -> int:
        click.echo(_NO_MARK_FILE)
        return _FAILURE

    # ---- mark files ----

    def describe(self) -> int:
        if not self._is_there:
            self._no_mark_file()
            return 0
        component = self._directory.component(self._timeout_ns)
        click.echo(upstream_text.type_line(component, self._now_ms))
        click.echo(upstream_text.component(component))
        for each in self._services(component):
            click.echo(upstream_text.type_line(each, self._now_ms))
            click.echo(upstream_text.component(each))
        return 0

    def _services(self, component: Component | None) -> list[Component]:
        found = self._directory.services(component, self._timeout_ns)
        for each in found:
            click.echo(f"INFO: mark file exists: {each.path}")
        return found

    def pid(self) -> int:
        if not self._is_there:
            return _FAILURE
        click.echo(self._directory.component(self._timeout_ns).header.pid)
        return 0

    def errors(self) -> int:
        component = None
        if self._is_there:
            component = self._directory.component(self._timeout_ns)
            self._print_errors(component)
            aeron_dir = component.header.aeron_directory
            click.echo()
            click.echo(f"Aeron driver error log (directory: {aeron_dir}):")
            try:
                with open_driver(self._directory.seams, aeron_dir, alive=False) as cnc:
                    seen = cnc.error_log().entries()
            except AeronClusterError as error:
                click.echo(str(error))
            else:
                click.echo("\n".join(upstream_text.errors(seen)))
        else:
            self._no_mark_file()
        for each in self._services(component):
            self._print_errors(each)
        return 0

    def _print_errors(self, component: Component) -> None:
        click.echo(upstream_text.type_line(component, self._now_ms))
        click.echo("Cluster component error log:")
        click.echo("\n".join(upstream_text.errors(component.errors)))

    # ---- the recording log ----

    def recording_log(self) -> int:
        with self._directory.open_recording_log() as log:
            click.echo(upstream_text.recording_log(log.entries))
        return 0

    def recovery_plan(self) -> int:
        service_count = parse_digits(self._arguments[0]) if self._arguments else None
        if service_count is None:
            return _print_help()
        plan = read_recovery_plan(self._directory, service_count, self._archive_dir)
        click.echo(upstream_text.recovery_plan(plan))
        return 0

    def sort_recording_log(self) -> int:
        return 0 if sort_recording_log(self._directory) else _FAILURE

    def seed_recording_log_from_snapshot(self) -> int:
        seed_recording_log_from_snapshot(self._directory)
        return 0

    def invalidate_latest_snapshot(self) -> int:
        position = invalidate_latest_snapshot(self._directory)
        click.echo(f" invalidate latest snapshot: {str(position is not None).lower()}")
        return _FAILURE if position is None else 0

    def describe_latest_cm_snapshot(self) -> int:
        found = read_latest_snapshot(self._directory, self._archive_dir)
        if found is None:
            click.echo("Snapshot not found")
            return _FAILURE
        member_id = self._directory.component().header.member_id
        for line in upstream_text.module_snapshot(found, member_id):
            click.echo(line)
        return 0

    # ---- a running member ----

    def list_members(self) -> int:
        if not self._is_there:
            return self._no_mark_file()
        component = self._directory.started_component(self._timeout_ns)
        try:
            found = query_membership(self._directory.seams, component, self._timeout_ns)
        except TimeoutExpiredError:
            click.echo("timeout waiting for response from node")
            return _FAILURE
        click.echo(upstream_text.membership(found))
        return 0

    def is_leader(self) -> int:
        if not self._directory.has_component:
            return self._no_mark_file()
        return 0 if is_settled_leader(self._directory, self._timeout_ns) else 1

    def backup_query(self) -> int:
        if not self._is_there:
            return self._no_mark_file()
        component = self._directory.component(self._timeout_ns)
        if component.header.component_type is not ClusterComponentType.BACKUP:
            click.echo("not a cluster backup node")
            return _FAILURE
        delay_ms = None
        if self._arguments:
            delay_ms = parse_duration_ns("delay", self._arguments[0]) // 1_000_000
        deadline_ms = next_backup_query_ms(self._directory, delay_ms, self._timeout_ns)
        is_set = delay_ms is not None
        click.echo(upstream_text.backup_query(deadline_ms, self._now_ms, is_set=is_set))
        return 0

    def request(self, verb: str) -> int:
        if not self._is_there:
            return self._no_mark_file()
        wanted = REQUESTS[verb]
        try:
            member_id = request(self._directory, wanted, self._timeout_ns)
        except ControlRequestError as error:
            click.echo(f"Member [{error.member_id}]: {error.reason}")
            return _FAILURE
        click.echo(f"Member [{member_id}]: {wanted.toggle.name} applied successfully")
        return 0


_VERBS: Final[dict[str, tuple[Callable[[_Tool], int], str]]] = {
    "describe": (_Tool.describe, "prints out all descriptors in the mark file."),
    "pid": (_Tool.pid, "prints PID of cluster component."),
    "recovery-plan": (
        _Tool.recovery_plan,
        "[service count] prints recovery plan of cluster component.",
    ),
    "recording-log": (_Tool.recording_log, "prints recording log of cluster component."),
    "sort-recording-log": (
        _Tool.sort_recording_log,
        "sorts the recording log in the order that members use in memory.",
    ),
    "seed-recording-log-from-snapshot": (
        _Tool.seed_recording_log_from_snapshot,
        "begins a new recording log with the latest valid snapshot.",
    ),
    "errors": (_Tool.errors, "prints the error logs of member, driver and services."),
    "list-members": (_Tool.list_members, "prints leader memberId and active members."),
    "backup-query": (_Tool.backup_query, "[delay] get, or set, time of next backup query."),
    "invalidate-latest-snapshot": (
        _Tool.invalidate_latest_snapshot,
        "makes the member recover from the previous snapshot.",
    ),
    "is-leader": (_Tool.is_leader, "exits with 0 if the member is the leader, with 1 if not."),
    "describe-latest-cm-snapshot": (
        _Tool.describe_latest_cm_snapshot,
        "prints the content of the consensus module's latest snapshot.",
    ),
    "snapshot": (lambda one: one.request("snapshot"), "takes a snapshot; on the leader."),
    "suspend": (lambda one: one.request("suspend"), "suspends the log; on the leader."),
    "resume": (lambda one: one.request("resume"), "resumes it; on the leader."),
    "shutdown": (lambda one: one.request("shutdown"), "ends the cluster with a snapshot."),
    "abort": (lambda one: one.request("abort"), "ends the cluster without a snapshot."),
    "validate-recording-log": (
        lambda one: one.request("validate-recording-log"),
        "makes the member check its snapshots against the archive.",
    ),
}


def _print_help() -> int:
    click.echo("Usage: <cluster-dir> <command> [options]")
    for verb, (_, text) in _VERBS.items():
        click.echo(f"{verb:>33}: {text}")
    return _FAILURE


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("directory", metavar="CLUSTER_DIR", required=False)
@click.argument("verb", metavar="COMMAND", required=False)
@click.argument("arguments", metavar="[OPTIONS]...", nargs=-1)
@archive_option
@timeout_option
def tool(
    directory: str | None,
    verb: str | None,
    arguments: tuple[str, ...],
    archive_dir: str | None,
    timeout_ns: int,
) -> None:
    """Run a command with the arguments, output and exit codes of io.aeron.cluster.ClusterTool.

    For runbooks and scripts that were written for the Java tool. Each of its commands is also a
    command of aeron-cluster, with tables, --json and more detailed errors. Without a command, the
    commands are listed.

    It differs where the Java tool causes damage: sort-recording-log leaves invalid entries invalid,
    and neither sort-recording-log nor seed-recording-log-from-snapshot changes the files of a
    running member.

    \b
    Examples:
      aeron-cluster tool /var/cluster list-members
      aeron-cluster tool /var/cluster recovery-plan 1
    """  # noqa: D301 - \b is click's mark
    if directory is None or verb is None:
        raise SystemExit(_print_help())
    try:
        place = ClusterDirectory(directory)
        if verb not in _VERBS:
            click.echo(f"Unknown command: {verb}")
            raise SystemExit(_print_help())
        code = _VERBS[verb][0](_Tool(place, arguments, timeout_ns, archive_dir))
    except AeronClusterError as error:
        click.echo(f"ERR: {' '.join(str(error).split())}", err=True)
        code = _FAILURE
    raise SystemExit(code)
