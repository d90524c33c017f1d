"""``aeron-cluster local``."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import sys
import tempfile
from collections import deque
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.live import Live

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.local.pinger import Pinger
from aeron_cluster.cli.local.screen import (
    KEYS,
    MemberRow,
    Rate,
    event_text,
    local_view,
    member_row,
)
from aeron_cluster.cli.local.supervisor import Event, Member, MemberState, Supervisor
from aeron_cluster.cli.local.terminal import KeyReader
from aeron_cluster.cli.options.nodes import failover_option, services_options
from aeron_cluster.cli.options.properties import property_options, read_properties
from aeron_cluster.cli.processes.data_directory import check_ownership
from aeron_cluster.cli.processes.node_process import CommandProcess, NodeProcess
from aeron_cluster.cli.processes.port_claim import PortClaim
from aeron_cluster.cli.processes.small_memory import SMALL_DRIVER_OPTIONS, SMALL_LOG_CHANNEL
from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.status import read_status
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.errors import AeronClusterError, ConfigurationError, PlatformError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.cluster.tools.status import NodeStatus

__all__ = ["local"]

_S: Final = 1_000_000_000
_STATUS_INTERVAL_NS: Final = _S // 2
_POLL_INTERVAL_S: Final = 0.1
_PING_INTERVAL_S: Final = 0.01
_MAX_EVENTS: Final = 1000
_MARK: Final = "aeron-cluster-local.json"
# With less shared memory than this, members get small buffers.
_RECOMMENDED_MEMORY: Final = 2 << 30
_MEMBER_KEYS: Final = "kscrl"
_PROMPTS: Final = {
    "k": "kill (SIGKILL) which member?",
    "s": "stop (SIGTERM) which member?",
    "c": "cut off (pause by SIGSTOP), or continue, which member?",
    "r": "restart, or start, which member?",
    "l": "log of which member? a: all",
}


@click.command()
@click.argument("member_count", metavar="[N]", default=3, type=click.IntRange(1, 9))
@click.argument("node_arguments", metavar="[-- NODE_OPTIONS...]", nargs=-1)
@services_options
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory of the data, to continue with it later; by default a temporary one.",
)
@click.option(
    "--port-base",
    type=click.IntRange(1000, 65000),
    metavar="PORT",
    help="The first of ten ports for each member, with ingress at the second one; by default the"
    " first free range from 9000.",
)
@failover_option
@click.option(
    "--restart",
    default="on-failure",
    show_default=True,
    type=click.Choice(["on-failure", "never"]),
    help="Whether a failed member is restarted: after 0.5 s, doubling to 10 s, until it failed"
    " five times in a minute.",
)
@click.option(
    "--ping",
    metavar="TEXT",
    help="Send this request every second, and show the latency of its answers; for a service that"
    " uses Deduplication.",
)
@click.option("--plain", is_flag=True, help="Print events as lines, without screen or keys.")
@property_options("aeron.cluster.session.timeout=5s")
def local(
    member_count: int,
    node_arguments: tuple[str, ...],
    services: tuple[str, ...],
    service_options: tuple[str, ...],
    directory: Path | None,
    port_base: int | None,
    failover: str,
    restart: str,
    ping: str | None,
    plain: bool,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run a cluster of N members (3) on this machine until q or Ctrl-C, and show its state.

    Each member is a process, aeron-cluster node, with the options that follow --. A failed member
    is restarted. The screen shows each member's role, leadership term, log positions, lag, rate,
    sessions, disk use and latest error, and the output of the members. Keys, most of them followed
    by a member's number:

    \b
      k  kill it with SIGKILL, as a crash would; r starts it again
      s  stop it with SIGTERM; r starts it again
      c  cut it off: SIGSTOP pauses it, and the other members lose contact as if its links
         were cut (but it does not run meanwhile); c again continues it
      r  restart it, or start it
      l  show the log of one member, or of all with a
      n  request a snapshot from the leader
      q  stop all members and exit

    aeron-cluster send and shell find the cluster by themselves. The commands for members (status,
    snapshot, ...) take DIR/member-0 and so on. No member outlives this command.

    Ends with 0 on request, with 1 if a member was no longer restarted after failures, with 2, 3 or
    4 if the members could not start (see aeron-cluster node).

    \b
    Examples:
      aeron-cluster local 3 --service kv:KeyValue
      aeron-cluster local 3 --service kv:KeyValue --failover fast --ping hello
      aeron-cluster local 5 --service kv:KeyValue --dir data --plain
      aeron-cluster local 3 --service ./libkv.so -- --threads each --idle yield
    """  # noqa: D301 - \b is click's mark
    try:
        read_properties(property_files, options)  # rejected here, not by each member
        with contextlib.ExitStack() as stack:
            barrier = stack.enter_context(ShutdownSignalBarrier())
            ports = stack.enter_context(PortClaim(member_count, port_base))
            data = stack.enter_context(_DataDirectory(directory, member_count))
            given = [*node_arguments, "--failover", failover, *_pairs("--service", services)]
            given += _pairs("--service-option", service_options) + _pairs("-o", options)
            given += _pairs("--properties", map(str, property_files))
            members = []
            for each in range(member_count):
                driver = f"{default_aeron_dir()}-local-{ports.port_base}-{each}"
                stack.callback(shutil.rmtree, driver, ignore_errors=True)  # of a killed member
                place = f"{data.path}/member-{each}"
                own = _node_arguments(each, member_count, ports.port_base, place, driver)
                members.append(Member(each, [*_small_memory(), *given, *own], place))
            titles = (
                f"{', '.join(services)}: {_count(member_count)}, failover {failover}",
                f"data in {data.path}",
                f"clients: {ports.endpoints}",
            )
            is_live = not plain and _has_terminal()
            run = stack.enter_context(_Run(members, titles, barrier, is_live=is_live))
            run.start(restart == "on-failure")
            if ping is not None:
                run.pinger = stack.enter_context(
                    Pinger(ports.endpoints, ping.encode(errors="surrogateescape"), SystemClock())
                )
            ports.announce(data.path)
            run.run_until_end()
            data.is_kept |= run.code != 0
    except AeronClusterError as error:
        fail(error, directories={"--dir": str(directory) if directory else None})
    if run.failure:
        fail(run.failure, ExitCode(run.code))
    if not is_live or run.code:
        click.echo(f"closed; data in {data.path}" if data.is_kept else "closed", err=True)
    raise SystemExit(run.code)


def _count(members: int) -> str:
    return "1 member" if members == 1 else f"{members} members"


def _pairs(name: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (name, value)]


def _node_arguments(
    member_id: int, member_count: int, port_base: int, place: str, driver: str
) -> list[str]:
    """Return the options of a member; they follow the user's, since the last value counts."""
    members = "|".join(str(local_member(each, base_port=port_base)) for each in range(member_count))
    return [
        *("--members", members, "--member-id", str(member_id)),
        *("--dir", place, "--aeron-dir", driver),
        *("-o", "aeron.dir.delete.on.shutdown=true"),
    ]


def _small_memory() -> list[str]:
    """Return options for small buffers if there is little shared memory."""
    memory = Path(default_aeron_dir()).parent
    if memory.exists() and shutil.disk_usage(memory).free < _RECOMMENDED_MEMORY:
        given = {**SMALL_DRIVER_OPTIONS, "aeron.cluster.log.channel": SMALL_LOG_CHANNEL}
        return _pairs("-o", (f"{name}={value}" for name, value in given.items()))
    return []


def _has_terminal() -> bool:
    """Return whether input and output are a terminal, and this is its foreground process group."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:  # not the controlling terminal: there are no background processes
        return True


class _DataDirectory(Closeable):
    """The directory of the members' data; a temporary one is removed at the end.

    Parameters
    ----------
    directory : Path, optional
        By default a temporary one.
    member_count : int

    Raises
    ------
    ConfigurationError
        It contains other files or a cluster of another size, or is not writable.
    """

    def __init__(self, directory: Path | None, member_count: int) -> None:
        self.is_kept = directory is not None
        try:
            if directory is None:
                directory = Path(tempfile.mkdtemp(prefix="aeron-cluster-local-"))
            else:
                self._check(directory, member_count)
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path = str(directory.resolve())
            # Never truncated: without its content the directory cannot be used again.
            mark = json.dumps({"members": member_count}) + "\n"
            SystemFiles().replace(f"{self.path}/{_MARK}", mark.encode())
        except OSError as error:
            place = str(error.filename or directory)
            raise PlatformError(error.errno or 0, error.strerror or str(error), place) from None

    def _check(self, directory: Path, member_count: int) -> None:
        mark = directory / _MARK
        check_ownership(directory, mark, "aeron-cluster local")
        if not mark.exists():
            return
        try:
            found = json.loads(mark.read_text())["members"]
        except (ValueError, KeyError, TypeError):
            raise ConfigurationError(
                "--dir", f"the number of members in {mark}", "something else"
            ) from None
        if found != member_count:
            # A majority of blank members could elect a leader without the committed log.
            raise ConfigurationError(
                "--dir",
                f"a cluster of {member_count} members",
                f"one of {found} in {directory}: aeron-cluster local {found}, or another --dir",
            )

    def close(self) -> None:
        if not self.is_kept:
            shutil.rmtree(self.path, ignore_errors=True)


class _Run(Closeable):
    """Supervises members, shows their state, and handles keys."""

    def __init__(
        self,
        members: list[Member],
        titles: tuple[str, ...],
        barrier: ShutdownSignalBarrier,
        *,
        is_live: bool,
    ) -> None:
        self.pinger: Pinger | None = None
        self.code = 0
        self.failure = ""
        self._members = members
        self._titles = titles
        self._barrier = barrier
        self._clock = SystemClock()
        self._events: deque[Event] = deque(maxlen=_MAX_EVENTS)
        self._rates = [Rate() for _ in members]
        self._leader: Member | None = None
        self._followed: int | None = None
        self._pending = ""
        self._is_over = False
        self._snapshot: CommandProcess | None = None
        self._next_status_ns = 0
        self._is_changed = False
        self._rows: list[MemberRow] = []
        self._supervisor: Supervisor
        self._keys: KeyReader | None = None
        self._live: Live | None = None
        self._resources = contextlib.ExitStack()
        if is_live:
            self._keys = self._resources.enter_context(KeyReader(sys.stdin))
            console = Console(highlight=False)
            self._live = Live(console=console, screen=True, auto_refresh=False)
            self._resources.callback(self._end_live)

    def start(self, restarts: bool) -> None:
        """Start the members."""
        self._supervisor = self._resources.enter_context(
            Supervisor(self._members, self._clock, self._on_event, restarts=restarts)
        )
        if self._live is not None:
            self._live.start()
        for each in self._titles:
            self._supervisor.emit(None, each)
        self._supervisor.start_all()

    def run_until_end(self) -> None:
        """Run until a signal, the q key or the end of all members."""
        while not (self._is_over or self._barrier.wait(0)):
            self._supervisor.poll()
            # With keys, the user can restart members with r even if all are down.
            if self._supervisor.first_failure or (self._keys is None and self._supervisor.is_over):
                break
            if self.pinger is not None:
                self.pinger.work()
            self._poll_snapshot()
            if self._live is not None:
                self._show()
            self._await_input()
        if self._supervisor.first_failure is not None:
            self.code, line = self._supervisor.first_failure
            self.failure = line.removeprefix("error: ")
        elif self._supervisor.has_failed:
            self.code = ExitCode.NO

    def close(self) -> None:
        """Stop the members, and restore the terminal."""
        if self._snapshot is not None:
            self._resources.callback(self._snapshot.close)
        self._resources.close()
        if self._live is not None and self.code:
            for each in self._events:  # shown on the screen, which is closed now
                if each.is_failure:
                    click.echo(event_text(each), err=True)

    # ---- events ----

    def _on_event(self, event: Event) -> None:
        self._events.append(event)
        self._is_changed = True
        if self._live is None:
            try:
                click.echo(event_text(event))
            except OSError:  # the output was closed
                self._is_over = True

    def _await_input(self) -> None:
        """Wait for a key, a member's output, or the next due work."""
        files: list[NodeProcess | KeyReader] = [
            each.process for each in self._members if each.process is not None
        ]
        if self._keys is not None:
            files.append(self._keys)
        timeout_s = _POLL_INTERVAL_S if self.pinger is None else _PING_INTERVAL_S
        ready, _, _ = select.select(files, [], [], timeout_s)
        if self._keys is not None and self._keys in ready:
            for key in self._keys.read():
                self._on_key(key)
            self._is_over |= self._keys.is_lost

    # ---- keys ----

    def _on_key(self, key: str) -> None:
        self._is_changed = True
        verb, self._pending = self._pending, ""
        if verb:
            self._on_member_key(verb, key)
        elif key == "q":
            self._is_over = True
        elif key == "n":
            self._take_snapshot()
        elif key in _MEMBER_KEYS:
            self._pending = key

    def _on_member_key(self, verb: str, key: str) -> None:
        if verb == "l" and key == "a":
            self._followed = None
            return
        if not key.isdecimal() or int(key) >= len(self._members):
            return  # Esc, or a wrong key
        member, supervisor = self._members[int(key)], self._supervisor
        match verb:
            case "k":
                supervisor.kill(member)
            case "s":
                supervisor.stop(member)
            case "c":
                supervisor.cut_off(member)
            case "r":
                supervisor.restart(member)
            case _:
                self._followed = member.member_id

    def _take_snapshot(self) -> None:
        if self._snapshot is not None:
            return
        if self._leader is None:  # it may have been elected since the last reading
            self._read_status(self._clock.nano_time())
        if self._leader is None:
            self._supervisor.emit(None, "no snapshot: no member leads", is_failure=True)
            return
        self._supervisor.emit(self._leader, "snapshot requested")
        # It may take seconds: a process of its own, so that supervision continues meanwhile.
        self._snapshot = CommandProcess("snapshot", self._leader.directory)

    def _poll_snapshot(self) -> None:
        if self._snapshot is None or self._snapshot.exit_code is None:
            return
        is_failure = self._snapshot.exit_code != 0
        for line in self._snapshot.lines():
            self._supervisor.emit(None, line, is_failure=is_failure)
        self._snapshot.close()
        self._snapshot = None

    # ---- the screen ----

    def _show(self) -> None:
        now_ns = self._clock.nano_time()
        if now_ns >= self._next_status_ns:
            self._next_status_ns = now_ns + _STATUS_INTERVAL_NS
            self._read_status(now_ns)
        elif not self._is_changed:
            return
        self._is_changed = False
        self._draw()

    def _read_status(self, now_ns: int) -> None:
        """Read the members' status."""
        self._rows = []
        leaders: list[tuple[int, Member | None]] = []
        for member, rate in zip(self._members, self._rates, strict=True):
            found = _status(member)
            live = None if found is None or member.process is None else found.live
            log_rate = rate.add(now_ns, -1 if live is None else live.commit_position)
            self._rows.append(member_row(member, found, log_rate, now_ns))
            if live is not None and live.is_leader and member.state is MemberState.RUNNING:
                leaders.append((live.leadership_term_id, member))
        # A member that was cut off may still report its old role: the latest term counts.
        self._leader = max(leaders, key=itemgetter(0), default=(-1, None))[1]

    def _draw(self) -> None:
        assert self._live is not None
        prompt = ""
        if self._pending:
            numbers = f"0 to {len(self._members) - 1}"
            prompt = f"{_PROMPTS[self._pending]} {numbers}; Esc: none"
        view = local_view(
            self._titles,
            self._rows,
            "" if self.pinger is None else self.pinger.summary,
            self._events,
            self._followed,
            prompt,
            self._live.console.size,
        )
        try:
            self._live.update(view, refresh=True)
        except OSError:  # the terminal was closed
            self._is_over = True

    def _end_live(self) -> None:
        if self._live is not None:
            with contextlib.suppress(OSError):
                self._live.stop()


def _status(member: Member) -> NodeStatus | None:
    try:
        return read_status(ClusterDirectory(member.directory), query_members=False)
    except AeronClusterError:  # its mark file is missing or being written
        return None


assert set(_PROMPTS) == set(_MEMBER_KEYS) <= set(KEYS)
