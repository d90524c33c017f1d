"""``aeron-cluster node``."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click
from rich.console import Console

from aeron_cluster.cli.exit_codes import ExitCode, fail, is_damage
from aeron_cluster.cli.options.credentials import credentials_option, read_credentials
from aeron_cluster.cli.options.member import duration_ns, group_option
from aeron_cluster.cli.options.properties import property_options, read_properties, seams_of
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.cluster.security import DefaultAuthenticator
from aeron_cluster.cluster.security.source_identity import LOOPBACK, canonical_host, host_of
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.state.module_counters import (
    COMMIT_POSITION_TYPE,
    ELECTION_STATE_TYPE,
    LEADERSHIP_TERM_ID_TYPE,
    SESSION_TYPE,
)
from aeron_cluster.config import MEMBERSHIP_OPTIONS, default_aeron_dir, resolve
from aeron_cluster.errors import AeronClusterError, ConfigurationError
from aeron_cluster.memory.system.affinity import parse_cpus
from aeron_cluster.memory.system.seams import SystemClock
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.shared.counters import CountersManager

__all__ = ["node"]

_IDLE = ("backoff", "yield", "spin", "sleep-ms", "noop")
_POLL_INTERVAL_S: Final = 0.01
_IDLE_POLL_INTERVAL_S: Final = 1.0


def _members_of(hosts: str, port_base: int, member_id: int) -> str:
    """Return the members that a list of hosts stands for; of one host, this member alone."""
    names = [name.strip() for name in hosts.split(",")]
    if len(names) == 1:
        return str(local_member(member_id, names[0], port_base))
    return "|".join(str(local_member(place, name, port_base)) for place, name in enumerate(names))


def _membership(
    members: str | None,
    hosts: str | None,
    host: str,
    port_base: int,
    member_id: int | None,
    properties: Mapping[str, str],
) -> tuple[str, int]:
    """Return all members and the id of this one: from the options, or else from properties."""
    if members is not None and hosts is not None:
        raise ConfigurationError("--hosts", "nothing beside --members", hosts)
    given = {"cluster_members": members, "member_id": member_id}
    resolved = resolve(MEMBERSHIP_OPTIONS, given, properties)
    own_id: int = resolved.member_id
    if hosts is None and resolved.cluster_members:
        return resolved.cluster_members, own_id
    return members or _members_of(hosts or host, port_base, own_id), own_id


@click.command()
@click.option(
    "--service",
    "services",
    required=True,
    multiple=True,
    metavar="WHAT",
    help="module:Class of a Python service, or lib.so:symbol of a native one. May be repeated.",
)
@click.option(
    "--dir",
    "directory",
    default="aeron-cluster",
    show_default=True,
    metavar="DIR",
    help="Where the node's data lie: archive and cluster.",
)
@click.option(
    "--members",
    metavar="LIST",
    help="All members as id,ingress,consensus,log,catchup,archive, joined by |.",
)
@click.option(
    "--hosts",
    metavar="LIST",
    help="Instead: the members' hosts, joined by commas; each has the ten ports of its place.",
)
@click.option("--member-id", type=int, help="Which of them this is.  [default: 0]")
@click.option("--host", default="localhost", show_default=True, help="Of this member.")
@click.option(
    "--port-base",
    default=9000,
    show_default=True,
    type=click.IntRange(0, 65000),
    help="Without --members: ten ports for each, ingress one above, the others follow.",
)
@click.option(
    "--aeron-dir", metavar="DIR", help="The driver's directory (aeron.dir), for stat and clients."
)
@click.option(
    "--threads",
    default="one",
    show_default=True,
    type=click.Choice(["one", "two", "each"]),
    help="One for everything; one for driver and archive and one for the cluster; or one each.",
)
@click.option(
    "--idle",
    default="backoff",
    show_default=True,
    type=click.Choice(_IDLE),
    help="What a thread does without work: yield and spin answer sooner and keep a CPU busy.",
)
@click.option(
    "--cpus", metavar="LIST", help="Pin the threads, one each in order, as in 2,3 or 2-5."
)
@click.option(
    "--users",
    metavar="FILE",
    help="Only these users may connect (see aeron-cluster users).",
)
@click.option("--policy", metavar="FILE", help="What each of them may do (see docs/security.md).")
@credentials_option
@click.option(
    "--snapshot-every",
    "snapshot_interval_ns",
    callback=duration_ns,
    metavar="TIME",
    help="Take scheduled snapshots, so often: 3600s; left out, only on request.",
)
@click.option(
    "--keep-snapshots",
    metavar="COUNT",
    type=click.IntRange(2),
    help="Remove older ones, and the log before them that is not needed; left out, all stays.",
)
@click.option(
    "--backup-at",
    "backups",
    multiple=True,
    metavar="HOST:PORT",
    help="Remove nothing that a backup lacks, by its configured endpoint. May be repeated.",
)
@group_option
@click.option(
    "--parent",
    type=int,
    metavar="PID",
    help="End when this process, which started the node, is gone.",
)
@click.option(
    "--on-callback-error",
    default="continue",
    show_default=True,
    type=click.Choice(["continue", "terminate"]),
    help="What follows when a service's callback raises: the next message, or the node's end.",
)
@click.option(
    "--check-determinism",
    is_flag=True,
    help="For development: refuse clocks, randomness, threads and I/O in callbacks.",
)
@property_options("aeron.cluster.session.timeout=5s")
def node(
    services: tuple[str, ...],
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
    group: str | None,
    parent: int | None,
    on_callback_error: str,
    check_determinism: bool,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run a cluster node in the foreground until Ctrl-C.

    Media driver, archive, consensus module and your services in one process. Started again on the
    same directory, after Ctrl-C or after a crash, it continues where it was: from the last snapshot
    and the log after it.

    A Python service is a class derived from ClusteredService, in a module that Python finds or in
    the current directory. A native one is a library with a factory, as
    include/aeron_cluster/service.h describes it; it never sees Python's GIL.

    Ends with 0 when it was asked to end, by a signal or by the cluster's control toggle, with 1
    when the module or a service could not continue, with 2, 3 or 4 when it could not start.

    \b
    Examples:
      aeron-cluster node --service my_service:MyService --dir data
      aeron-cluster node --service my_service:MyService --threads each --idle yield --cpus 2-9
      aeron-cluster node --service ./libmatching.so:order_matching --idle yield
      aeron-cluster node --service a:A --service b:B -o aeron.cluster.max.sessions=100
      aeron-cluster node --service m:S --hosts a,b,c --member-id 1    (of three, on host b)
      aeron-cluster node --service m:S --snapshot-every 3600s --keep-snapshots 3
    """  # noqa: D301 - \b is click's mark
    console = Console(stderr=True, highlight=False)
    try:
        properties = read_properties(property_files, options)
        seams = seams_of(group)
        members, member_id = _membership(members, hosts, host, port_base, member_id, properties)
        place = aeron_dir or properties.get("aeron.dir") or os.environ.get("AERON_DIR")
        driver: DriverOptions = {"aeron_dir": place}
        if place is None:
            # Private to the node: it is removed with the node.
            driver["aeron_dir"] = f"{default_aeron_dir()}-node-{port_base}-{member_id}"
            driver["dir_delete_on_shutdown"] = True
        with ShutdownSignalBarrier() as barrier, contextlib.ExitStack() as stack:
            began_ns = SystemClock().nano_time()
            loaded = [load_service(each) for each in services]
            for each in loaded:
                if isinstance(each, NativeService):
                    stack.callback(each.close)
            module: Any = {
                **_access(users, policy),
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
            ) as running:
                console.print(
                    f"member {member_id} in {Path(directory).resolve()}, process {os.getpid()},"
                    f" driver in {running.driver.aeron_dir}",
                    soft_wrap=True,
                )
                if _is_open(running):
                    console.print(
                        f"warning: anyone who reaches {running.member.ingress_endpoint}"
                        " may connect; --users FILE accepts only the users that it names"
                        " (docs/security.md)",
                        style="yellow",
                        soft_wrap=True,
                    )
                _Watch(running, console, barrier, began_ns, parent).until_the_end()
        failure = running.failure  # known for sure when the threads have ended
    except AeronClusterError as error:
        fail(error)
    console.print("closed")
    if failure is not None:
        # What a service raises to end its process has no text, or a number.
        name = "" if isinstance(failure, AeronClusterError) else f"{type(failure).__name__}: "
        code = ExitCode.INTERRUPTED if isinstance(failure, KeyboardInterrupt) else None
        if is_damage(failure):
            code = ExitCode.DAMAGED
        fail(f"the node ended unexpectedly: {name}{failure}", code)


def _is_open(running: ClusterNode) -> bool:
    """Return whether other machines reach the node, and everyone may connect."""
    host = canonical_host(host_of(running.member.ingress_endpoint))
    supplier = running.consensus_module.context.authenticator_supplier
    return host not in (LOOPBACK, "localhost") and supplier is DefaultAuthenticator


def _access(users: str | None, policy: str | None) -> dict[str, Any]:
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
    """Prints the node's progress, by its counters, while the main thread has nothing else to do."""

    def __init__(
        self,
        running: ClusterNode,
        console: Console,
        barrier: ShutdownSignalBarrier,
        began_ns: int,
        parent: int | None,
    ) -> None:
        self._running = running
        self._console = console
        self._barrier = barrier
        self._began_ns = began_ns
        self._parent = parent
        self._election: ElectionState | None = None

    def until_the_end(self) -> None:
        """Wait for a signal, or for the node to end."""
        while not self._is_over(_POLL_INTERVAL_S):
            if self._print_election():
                break
        else:
            return
        self._console.print("Ctrl-C ends it", style="dim")
        if not self._console.is_terminal:
            while not self._is_over(_IDLE_POLL_INTERVAL_S):
                pass
            return
        with self._console.status(self._summary()) as status:
            while not self._is_over(_IDLE_POLL_INTERVAL_S):
                self._print_election()
                status.update(self._summary())

    def _is_over(self, wait_s: float) -> bool:
        """Wait so long; return whether the node was to end by then, or ended unexpectedly."""
        return (
            self._barrier.wait(wait_s)
            or not self._running.is_running
            or (self._parent is not None and os.getppid() != self._parent)
        )

    def _print_election(self) -> bool:
        """Print a line when the election advanced; return whether it is over."""
        values = _values(self._running.driver.counters)
        if ELECTION_STATE_TYPE not in values:
            return False
        state = ElectionState(values[ELECTION_STATE_TYPE])
        if state is not self._election:
            self._election = state
            seconds = (SystemClock().nano_time() - self._began_ns) / 1e9
            position = values.get(COMMIT_POSITION_TYPE, 0)
            if state is ElectionState.CLOSED:
                self._console.print(
                    f"{seconds:6.2f} s  elected in term {values[LEADERSHIP_TERM_ID_TYPE]}, log at"
                    f" {position:,}; serving clients at {self._running.member.ingress_endpoint}",
                    soft_wrap=True,
                )
            else:
                name = state.name.lower().replace("_", " ")
                self._console.print(f"{seconds:6.2f} s  {name}, log at {position:,}", style="dim")
        return state is ElectionState.CLOSED

    def _summary(self) -> str:
        counters = self._running.driver.counters
        values = _values(counters)
        sessions = sum(each.type_id == SESSION_TYPE for each in counters.counters())
        return f"sessions {sessions}, log committed to {values.get(COMMIT_POSITION_TYPE, 0):,}"


def _values(counters: CountersManager) -> dict[int, int]:
    return {each.type_id: each.value for each in counters.counters()}


# ---- services ----


def load_service(what: str) -> ClusteredService | NativeService:
    """Return the service that a text names: ``module:Class`` or ``lib.so:symbol``.

    Raises
    ------
    ConfigurationError
        It names none.
    NativeServiceError
        The library cannot be used.
    """
    place, colon, name = what.rpartition(":")
    if not colon or not place or not name:
        raise ConfigurationError("--service", "module:Class or lib.so:symbol", what)
    if "/" in place or place.endswith((".so", ".dylib")):
        return NativeService.load(place, name)
    return _python_service(place, name, what)


def _python_service(place: str, name: str, what: str) -> ClusteredService:
    sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
    try:
        module = importlib.import_module(place)
    except Exception as error:  # the user's own, but for its absence
        if isinstance(error, ModuleNotFoundError) and f"{place}.".startswith(f"{error.name}."):
            expected = "a module that Python finds, or one in the current directory"
            hint = f"did you mean {place[:-3]}:{name}?" if place.endswith(".py") else ""
            raise ConfigurationError("--service", expected, place, hint) from None
        raise _refused("a module that can be imported", error) from error
    finally:
        sys.path.pop(0)
    kind: Any = getattr(module, name, None)
    if not isinstance(kind, type) or not issubclass(kind, ClusteredService):
        classes = [
            each
            for each, value in vars(module).items()
            if isinstance(value, type)
            and issubclass(value, ClusteredService)
            and value is not ClusteredService
        ]
        near = difflib.get_close_matches(name, classes, 1, 0.0)
        hint = f"did you mean {place}:{near[0]}?" if near else ""
        raise ConfigurationError("--service", "a class derived from ClusteredService", what, hint)
    try:
        made: ClusteredService = kind()
    except Exception as error:  # the user's own
        raise _refused(f"a class that can be made without arguments, as {what}", error) from error
    return made


def _refused(expected: str, error: Exception) -> ConfigurationError:
    """Return the error of the user's own code, with its place."""
    *_, last = traceback.extract_tb(error.__traceback__)
    where = f"{last.filename}:{last.lineno}"
    if isinstance(error, SyntaxError):
        where = f"{error.filename}:{error.lineno}"
    return ConfigurationError("--service", expected, f"{type(error).__name__}: {error}", where)
