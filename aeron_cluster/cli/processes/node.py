"""``aeron-cluster node``."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from aeron_cluster.cli.exit_codes import fail, fail_at_end
from aeron_cluster.cli.metrics.health import Target
from aeron_cluster.cli.metrics.option import OwnMetrics, metrics_options
from aeron_cluster.cli.options.credentials import credentials_option, read_credentials
from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.options.member import duration_ns, group_option
from aeron_cluster.cli.options.nodes import (
    access_options,
    callback_options,
    failover_option,
    membership_options,
    services_options,
    threads_options,
)
from aeron_cluster.cli.options.properties import property_options, read_properties, seams_of
from aeron_cluster.cli.options.services import load_services
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.security import DefaultAuthenticator
from aeron_cluster.cluster.security.source_identity import LOOPBACK, canonical_host, host_of
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.state.module_counters import (
    COMMIT_POSITION_TYPE,
    ELECTION_STATE_TYPE,
    LEADERSHIP_TERM_ID_TYPE,
    NODE_ROLE_TYPE,
    SESSION_TYPE,
)
from aeron_cluster.config import (
    CONSENSUS_MODULE_OPTIONS,
    MEMBERSHIP_OPTIONS,
    default_aeron_dir,
    resolve,
)
from aeron_cluster.errors import AeronClusterError, ConfigurationError, DirectoryInUseError
from aeron_cluster.memory.system.affinity import parse_cpus
from aeron_cluster.memory.system.seams import SystemClock
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.shared.counters import CountersManager

__all__ = ["access_files", "fast_failover", "membership", "node"]

# The time after which a silent leader is replaced, and the times of the election.
_FAST_FAILOVER: Final = {
    "leader_heartbeat_timeout_ns": 700_000_000,
    "leader_heartbeat_interval_ns": 100_000_000,
    "election_timeout_ns": 300_000_000,
    "election_status_interval_ns": 30_000_000,
}
_POLL_INTERVAL_S: Final = 0.01
_IDLE_POLL_INTERVAL_S: Final = 1.0
_PR_SET_PDEATHSIG: Final = 1


def _members_of(hosts: str, port_base: int, member_id: int) -> str:
    """Return the members for a list of hosts; without a list, only this member."""
    names = [name.strip() for name in hosts.split(",")]
    if len(names) == 1:
        return str(local_member(member_id, names[0], port_base))
    return "|".join(str(local_member(place, name, port_base)) for place, name in enumerate(names))


def membership(
    members: str | None,
    hosts: str | None,
    host: str,
    port_base: int,
    member_id: int | None,
    properties: Mapping[str, str],
) -> tuple[str, int]:
    """Return all members and the id of this one, from the options or from properties."""
    if members is not None and hosts is not None:
        raise ConfigurationError("--hosts", "nothing beside --members", hosts)
    given = {"cluster_members": members, "member_id": member_id}
    resolved = resolve(MEMBERSHIP_OPTIONS, given, properties)
    own_id: int = resolved.member_id
    if hosts is None and resolved.cluster_members:
        return resolved.cluster_members, own_id
    return members or _members_of(hosts or host, port_base, own_id), own_id


@click.command()
@services_options
@click.option(
    "--dir",
    "directory",
    default="aeron-cluster",
    show_default=True,
    metavar="DIR",
    help="Directory of the node's data: it contains archive and cluster.",
)
@membership_options
@click.option(
    "--aeron-dir", metavar="DIR", help="The driver's directory (aeron.dir), for stat and clients."
)
@failover_option
@threads_options(idle="backoff")
@click.option(
    "--cpus", metavar="LIST", help="Pin each thread to a CPU, in order, as in 2,3 or 2-5."
)
@access_options
@credentials_option
@click.option(
    "--snapshot-every",
    "snapshot_interval_ns",
    callback=duration_ns,
    metavar="TIME",
    help="Interval of scheduled snapshots, as in 3600s; by default only on request.",
)
@click.option(
    "--keep-snapshots",
    metavar="COUNT",
    type=click.IntRange(2),
    help="Number of snapshots to keep: older ones and the log before them are removed; by default"
    " all are kept.",
)
@click.option(
    "--backup-at",
    "backups",
    multiple=True,
    metavar="HOST:PORT",
    help="Keep the log until the backup at this endpoint has copied it. May be repeated.",
)
@metrics_options
@click.option(
    "--latency",
    is_flag=True,
    help="Measure how long the leader's messages take in each stage, for aeron-cluster latency"
    " and --metrics.",
)
@group_option
@click.option(
    "--parent",
    type=int,
    metavar="PID",
    help="Exit when this process, the parent, has exited.",
)
@callback_options
@property_options("aeron.cluster.session.timeout=5s")
def node(
    services: tuple[str, ...],
    service_options: tuple[str, ...],
    failover: Literal["fast", "default"],
    directory: str,
    members: str | None,
    hosts: str | None,
    member_id: int | None,
    host: str,
    port_base: int,
    aeron_dir: str | None,
    threads: Literal["one", "two", "each"],
    idle: str,
    cpus: str | None,
    users: str | None,
    policy: str | None,
    credentials: str | None,
    snapshot_interval_ns: int | None,
    keep_snapshots: int | None,
    backups: tuple[str, ...],
    metrics: str | None,
    otlp: str | None,
    latency: bool,
    group: str | None,
    parent: int | None,
    on_callback_error: Literal["continue", "terminate"],
    check_determinism: bool,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run a cluster node in the foreground until Ctrl-C.

    Media driver, archive, consensus module and your services run in one process. After Ctrl-C or a
    crash, restart it on the same directory: it continues from the last snapshot and the log after
    it.

    A Python service is a class derived from ClusteredService, or a function that returns one, in a
    module that Python finds or in the current directory. A native service is a library with a
    factory, described in include/aeron_cluster/service.h; it never acquires Python's GIL.

    Exit codes: 0 if a signal or the cluster's control toggle stopped it, 1 if the module or a
    service could not continue, 2, 3 or 4 if it could not start.

    \b
    Examples:
      aeron-cluster node --service my_service:MyService --dir data
      aeron-cluster node --service my_service:MyService --threads each --idle yield --cpus 2-9
      aeron-cluster node --service ./libmatching.so:order_matching --idle yield
      aeron-cluster node --service kv:make --service-option path=/tmp/kv --service-option size=10
      aeron-cluster node --service a:A --service b:B -o aeron.cluster.max.sessions=100
      aeron-cluster node --service m:S --hosts a,b,c --member-id 1    (of three, on host b)
      aeron-cluster node --service m:S --hosts a,b,c --member-id 1 --failover fast
      aeron-cluster node --service m:S --snapshot-every 3600s --keep-snapshots 3
    """  # noqa: D301 - \b is click's mark
    lines = Lines()
    driver_dir = aeron_dir
    own_driver_dir = ""
    try:
        properties = read_properties(property_files, options)
        seams = seams_of(group)
        members, member_id = membership(members, hosts, host, port_base, member_id, properties)
        driver_dir = aeron_dir or properties.get("aeron.dir") or os.environ.get("AERON_DIR")
        driver: DriverOptions = {"aeron_dir": driver_dir}
        if driver_dir is None:
            # The directory is the node's own: it is removed when the node ends.
            own_driver_dir = f"{default_aeron_dir()}-node-{port_base}-{member_id}"
            driver["aeron_dir"] = own_driver_dir
            driver["dir_delete_on_shutdown"] = True
        if parent is not None:
            _resume_at_death_of_parent()
        with ShutdownSignalBarrier() as barrier, contextlib.ExitStack() as stack:
            began_ns = SystemClock().nano_time()
            own_metrics = stack.enter_context(OwnMetrics(metrics, otlp, lines))
            loaded = load_services(services, service_options)
            for each in loaded:
                if isinstance(each, NativeService):
                    stack.callback(each.close)
            module: Any = {
                **(fast_failover(properties) if failover == "fast" else {}),
                **access_files(users, policy),
                **_snapshot_schedule(snapshot_interval_ns, keep_snapshots, backups),
                **read_credentials(credentials, seams.files),
            }
            with ClusterNode.launch(
                *loaded,
                directory=directory,
                members=members,
                member_id=member_id,
                threads=threads,
                idle_strategy=idle,
                cpus=sorted(parse_cpus(cpus)) if cpus else (),
                driver=driver,
                container={
                    "check_determinism": check_determinism,
                    "on_callback_error": on_callback_error,
                },
                consensus_module=module,
                seams=seams,
                properties=properties,
                termination_hook=barrier.signal,
                latency=latency,
            ) as running:
                own_metrics.target = Target(
                    "member", running.driver.aeron_dir, f"{directory}/cluster", member_id
                )
                lines.print(
                    f"member {member_id} in {Path(directory).resolve()}, process {os.getpid()},"
                    f" driver in {running.driver.aeron_dir}",
                )
                if _is_open(running):
                    lines.print(
                        f"warning: anyone who can reach {running.member.ingress_endpoint} may"
                        f" connect; --users FILE accepts only the users in that file"
                        " (docs/security.md)",
                        style="yellow",
                    )
                _Watch(running, lines, barrier, began_ns, parent).run_until_end()
        failure = running.failure  # final once the threads have ended
    except AeronClusterError as error:
        directories = {"--dir": directory, "--aeron-dir": driver_dir}
        if driver_dir is None and isinstance(error, DirectoryInUseError):
            directories["--port-base or --aeron-dir"] = own_driver_dir
        fail(error, directories=directories)
    lines.print("closed")
    if failure is not None:
        fail_at_end("node", failure)


def _resume_at_death_of_parent() -> None:
    """Make the system resume this process, if it is paused, when its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGCONT, 0, 0, 0)


def _is_open(running: ClusterNode) -> bool:
    """Return whether other machines can reach the node and anyone may connect."""
    host = canonical_host(host_of(running.member.ingress_endpoint))
    supplier = running.consensus_module.context.authenticator_supplier
    return host not in (LOOPBACK, "localhost") and supplier is DefaultAuthenticator


def fast_failover(properties: Mapping[str, str]) -> dict[str, int]:
    """Return the timeouts of a failover within a second, without those that the properties set."""
    found = resolve(CONSENSUS_MODULE_OPTIONS, {}, properties)
    given = {each.keyword for each in CONSENSUS_MODULE_OPTIONS if found.is_given(each.keyword)}
    return {keyword: ns for keyword, ns in _FAST_FAILOVER.items() if keyword not in given}


def access_files(users: str | None, policy: str | None) -> dict[str, Any]:
    """Return the options of a consensus module for files of users and permissions."""
    given = {"authenticator_file": users, "authorisation_file": policy}
    return {name: str(Path(path).resolve()) for name, path in given.items() if path is not None}


def _snapshot_schedule(
    snapshot_interval_ns: int | None, keep_snapshots: int | None, backups: tuple[str, ...]
) -> dict[str, object]:
    given = {
        "snapshot_interval_ns": snapshot_interval_ns,
        "snapshots_kept": keep_snapshots,
        "purge_backups": ",".join(backups) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


class _Watch:
    """Prints the node's progress, read from its counters, in the otherwise idle main thread."""

    def __init__(
        self,
        running: ClusterNode,
        lines: Lines,
        barrier: ShutdownSignalBarrier,
        began_ns: int,
        parent: int | None,
    ) -> None:
        self._running = running
        self._lines = lines
        self._barrier = barrier
        self._began_ns = began_ns
        self._parent = parent
        self._election: ElectionState | None = None
        # The role, the leader and the term that were printed last.
        self._printed: tuple[Role, int, int] | None = None

    def run_until_end(self) -> None:
        """Wait until a signal arrives or the node ends."""
        while not self._is_over(_POLL_INTERVAL_S):
            if self._print_election():
                break
        else:
            return
        self._lines.print("Ctrl-C ends it", style="dim")
        if not self._lines.is_terminal:
            while not self._is_over(_IDLE_POLL_INTERVAL_S):
                self._print_election()
            return
        with self._lines.status(self._summary()) as show:
            while not self._is_over(_IDLE_POLL_INTERVAL_S):
                self._print_election()
                show(self._summary())

    def _is_over(self, wait_s: float) -> bool:
        """Wait for a duration; return whether a signal arrived or the node ended."""
        return (
            self._barrier.wait(wait_s)
            or not self._running.is_running
            or (self._parent is not None and os.getppid() != self._parent)
        )

    def _print_election(self) -> bool:
        """Print a line if the election advanced; return whether it is complete."""
        values = _values(self._running.driver.counters)
        if ELECTION_STATE_TYPE not in values:
            return False
        state = ElectionState(values[ELECTION_STATE_TYPE])
        if state is not self._election:
            self._election = state
            if state is not ElectionState.CLOSED:
                self._printed = None
                name = state.name.lower().replace("_", " ")
                position = values.get(COMMIT_POSITION_TYPE, 0)
                self._print(f"{name}, log at {position:,}", style="dim")
        if state is ElectionState.CLOSED:
            self._print_role(values)
        return state is ElectionState.CLOSED

    def _print_role(self, values: Mapping[int, int]) -> None:
        """Print this member's role and the leader, if either has changed."""
        role = Role(values.get(NODE_ROLE_TYPE, Role.FOLLOWER))
        leader = self._running.consensus_module.leader_member_id
        term_id = values.get(LEADERSHIP_TERM_ID_TYPE, -1)
        if (role, leader, term_id) == self._printed:
            return
        self._printed = (role, leader, term_id)
        what = "leader" if role is Role.LEADER else f"follower of member {leader}"
        text = f"{what} in term {term_id}, log at {values.get(COMMIT_POSITION_TYPE, 0):,}"
        if role is Role.LEADER:
            text += f"; serving clients at {self._running.member.ingress_endpoint}"
        self._print(text)

    def _print(self, text: str, style: Literal["dim"] | None = None) -> None:
        seconds = (SystemClock().nano_time() - self._began_ns) / 1e9
        self._lines.print(f"{seconds:6.2f} s  {text}", style=style)

    def _summary(self) -> str:
        counters = self._running.driver.counters
        values = _values(counters)
        sessions = sum(each.type_id == SESSION_TYPE for each in counters.counters())
        is_leader = self._printed is not None and self._printed[0] is Role.LEADER
        role = "leader" if is_leader else "follower"
        committed = f"log committed to {values.get(COMMIT_POSITION_TYPE, 0):,}"
        return f"{role}, sessions {sessions}, {committed}"


def _values(counters: CountersManager) -> dict[int, int]:
    return {each.type_id: each.value for each in counters.counters()}
