"""Run the members of a local cluster as processes, and restart failed ones."""

from __future__ import annotations

import re
import select
import signal
from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.processes.node_process import NodeProcess
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.memory.system.seams import Clock

__all__ = ["Event", "Member", "MemberState", "Supervisor"]

_S: Final = 1_000_000_000
_FIRST_PAUSE_NS: Final = _S // 2
_LONGEST_PAUSE_NS: Final = 10 * _S
# A member with this many failures within the interval is not restarted.
_MAX_FAILURES: Final = 5
_FAILURES_NS: Final = 60 * _S
_CLOSE_TIMEOUT_NS: Final = 10 * _S
_CLOSE_POLL_S: Final = 0.02
_KEPT_LINES: Final = 50
_LAST_LINES: Final = 5
# Exit codes of a node that could not start: another attempt would fail in the same way.
_NOT_RESTARTED: Final = (ExitCode.USAGE, ExitCode.NOT_REACHABLE, ExitCode.DAMAGED)
# The time since the member's start; each event already has the time since the cluster's start.
_OWN_TIME: Final = re.compile(r"^ *\d+\.\d\d s  ")
_NOISE: Final = ("Ctrl-C ends it",)


class MemberState(Enum):
    """The state of a member's process."""

    RUNNING = "running"
    CUT_OFF = "cut off"
    """Paused by SIGSTOP: unreachable for the others, as if its links were cut."""
    STOPPING = "stopping"
    """It was requested to stop, or killed, and has not ended yet."""
    DOWN = "down"
    """It ended on request, or with exit code 0: it is not restarted."""
    WAITING = "waiting"
    """It failed, and is restarted after a delay."""
    FAILED = "failed"
    """It failed, and is not restarted."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a member or the cluster.

    Parameters
    ----------
    time_ns : int
        The time since the cluster was started.
    member_id : int or None
        The member's id; None for an event of the whole cluster.
    text : str
        One line.
    is_output : bool
        Whether the member printed it.
    is_failure : bool
    """

    time_ns: int
    member_id: int | None
    text: str
    is_output: bool = False
    is_failure: bool = False


class Member:
    """A member, running or not.

    Attributes
    ----------
    member_id : int
    arguments : tuple of str
        The arguments of ``aeron-cluster node``.
    directory : str
        The directory of its data.
    state : MemberState
    process : NodeProcess or None
        None if it is not running.
    start_count : int
    last_output : str
        The last output lines of its last process that ended.
    """

    def __init__(self, member_id: int, arguments: Sequence[str], directory: str) -> None:
        self.member_id = member_id
        self.arguments = tuple(arguments)
        self.directory = directory
        self.state = MemberState.DOWN
        self.process: NodeProcess | None = None
        self.start_count = 0
        self.last_output = ""
        self.has_served = False
        self.is_restart_due = False
        self.restart_at_ns = 0
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.failures_ns: deque[int] = deque(maxlen=_MAX_FAILURES)

    def __repr__(self) -> str:
        return f"<Member {self.member_id} {self.state.value}>"


class Supervisor(Closeable):
    """Runs members, one process each.

    Parameters
    ----------
    members : sequence of Member
    clock : Clock
    on_event : callable
        Called with each `Event`.
    restarts : bool
        Whether a failed member is restarted.
    launch : callable
        Starts a node's process from its arguments.

    Attributes
    ----------
    members : sequence of Member
    first_failure : tuple of int and str, optional
        The exit code and the last line of a member that could not start; the cluster then ends.

    Notes
    -----
    `poll` does the work, and must be called often. Closing it ends all processes.
    """

    def __init__(
        self,
        members: Sequence[Member],
        clock: Clock,
        on_event: Callable[[Event], object],
        *,
        restarts: bool = True,
        launch: Callable[..., NodeProcess] = NodeProcess,
    ) -> None:
        self.members = members
        self.first_failure: tuple[int, str] | None = None
        self._clock = clock
        self._on_event = on_event
        self._restarts = restarts
        self._launch = launch
        self._is_closing = False
        self._began_ns = clock.nano_time()

    # ---- state ----

    @property
    def is_over(self) -> bool:
        """Whether no member is running or will be restarted."""
        is_start_failed = self.first_failure is not None
        return is_start_failed or all(
            each.process is None and each.state is not MemberState.WAITING for each in self.members
        )

    @property
    def has_failed(self) -> bool:
        """Whether a member failed and is not restarted."""
        return any(each.state is MemberState.FAILED for each in self.members)

    @property
    def elapsed_ns(self) -> int:
        """The time since this was created."""
        return self._clock.nano_time() - self._began_ns

    def emit(self, member: Member | None, text: str, *, is_failure: bool = False) -> None:
        """Report an event."""
        member_id = None if member is None else member.member_id
        self._on_event(Event(self.elapsed_ns, member_id, text, is_failure=is_failure))

    # ---- requests ----

    def start_all(self) -> None:
        """Start every member."""
        for each in self.members:
            self.start(each)

    def start(self, member: Member) -> None:
        """Start a member that is not running."""
        if member.process is not None:
            return
        member.has_served = member.is_restart_due = False
        member.lines.clear()
        member.process = self._launch(*member.arguments)
        member.state = MemberState.RUNNING
        member.start_count += 1
        self.emit(member, f"process {member.process.pid} started")

    def kill(self, member: Member) -> None:
        """Kill a member with SIGKILL, like a crash; it stays down until `restart`."""
        if member.process is not None:
            member.state = MemberState.STOPPING
            self.emit(member, "killed with SIGKILL")
            member.process.kill()
        else:
            self._cancel_restart(member)

    def stop(self, member: Member) -> None:
        """Stop a member with SIGTERM; it stays down until `restart`."""
        if member.process is not None:
            member.state = MemberState.STOPPING
            self.emit(member, "stopping: SIGTERM")
            member.process.terminate()
        else:
            self._cancel_restart(member)

    def _cancel_restart(self, member: Member) -> None:
        if member.state is MemberState.WAITING:
            member.state = MemberState.DOWN
            self.emit(member, f"stays down; r {member.member_id} restarts it")

    def cut_off(self, member: Member) -> None:
        """Pause a member, so that the others lose contact with it; or continue a paused one."""
        if member.process is None or member.state is MemberState.STOPPING:
            return
        if member.state is MemberState.CUT_OFF:
            member.state = MemberState.RUNNING
            self.emit(member, "continues: SIGCONT")
            member.process.resume()
        else:
            member.state = MemberState.CUT_OFF
            self.emit(member, "cut off: paused with SIGSTOP, so that it sends and receives nothing")
            member.process.pause()

    def restart(self, member: Member) -> None:
        """Start a member; a running one is stopped first."""
        member.failures_ns.clear()
        if member.process is None:
            self.start(member)
        else:
            if member.state is not MemberState.STOPPING:
                self.stop(member)
            member.is_restart_due = True

    # ---- duty cycle ----

    def poll(self) -> None:
        """Read the members' output, detect ended ones, and start those whose restart is due."""
        now_ns = self._clock.nano_time()
        for each in self.members:
            if each.process is not None:
                self._read(each, each.process)
                if each.process.exit_code is not None:
                    self._on_end(each, each.process, now_ns)
            elif each.state is MemberState.WAITING and now_ns >= each.restart_at_ns:
                self.start(each)

    def _read(self, member: Member, process: NodeProcess) -> None:
        for text in process.lines():
            line = _OWN_TIME.sub("", text).replace(f"{member.directory}/", "")
            if line in _NOISE:
                continue
            member.lines.append(line)
            member.has_served |= " in term " in line
            self._on_event(Event(self.elapsed_ns, member.member_id, line, is_output=True))

    def _on_end(self, member: Member, process: NodeProcess, now_ns: int) -> None:
        self._read(member, process)  # the rest
        code = process.exit_code
        assert code is not None
        process.close()
        member.process = None
        member.last_output = "\n".join(list(member.lines)[-_LAST_LINES:])
        how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        if member.is_restart_due:
            member.state = MemberState.DOWN
            self.emit(member, how)
            self.start(member)
        elif member.state is MemberState.STOPPING or code == 0:
            member.state = MemberState.DOWN
            key = "" if self._is_closing else f"; r {member.member_id} restarts it"
            self.emit(member, f"{how}{key}")
        else:
            self._on_failure(member, how, code, now_ns)

    def _on_failure(self, member: Member, how: str, code: int, now_ns: int) -> None:
        is_first = member.start_count == 1 and not member.has_served
        if is_first and code in _NOT_RESTARTED:
            member.state = MemberState.FAILED
            self.first_failure = code, member.lines[-1] if member.lines else how
            return
        times = member.failures_ns
        times.append(now_ns)
        is_often = len(times) == _MAX_FAILURES and now_ns - times[0] < _FAILURES_NS
        if not self._restarts or is_often:
            member.state = MemberState.FAILED
            why = f"{_MAX_FAILURES} times in a minute, and is not restarted" if is_often else ""
            self.emit(member, f"{how} {why}".rstrip(), is_failure=True)
        else:
            member.state = MemberState.WAITING
            recent = sum(now_ns - each < _FAILURES_NS for each in times)
            pause_ns = min(_FIRST_PAUSE_NS << (recent - 1), _LONGEST_PAUSE_NS)
            member.restart_at_ns = now_ns + pause_ns
            self.emit(member, f"{how}; restarted in {pause_ns / _S:g} s", is_failure=True)
        for line in member.last_output.splitlines():
            self.emit(member, f"its last output: {line}", is_failure=True)

    def close(self) -> None:
        """Stop all members at the same time, and kill those that take too long."""
        self._is_closing = True
        for each in self.members:
            each.is_restart_due = False
            if each.process is None:
                each.state = MemberState.DOWN
            else:
                each.state = MemberState.STOPPING
                each.process.terminate()
        self._await_ends(self._clock.nano_time() + _CLOSE_TIMEOUT_NS)
        for each in self._running:
            self.emit(each, "did not stop in time: killed", is_failure=True)
            assert each.process is not None
            each.process.kill()
        self._await_ends(NEVER)

    def _await_ends(self, deadline_ns: int) -> None:
        while self._running and self._clock.nano_time() < deadline_ns:
            ready = [each.process for each in self.members if each.process is not None]
            select.select(ready, [], [], _CLOSE_POLL_S)
            self.poll()

    @property
    def _running(self) -> list[Member]:
        return [each for each in self.members if each.process is not None]
