"""``aeron-cluster shell``."""

from __future__ import annotations

import contextlib
import readline
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from aeron_cluster.cli.client.places import client_options, find_endpoints
from aeron_cluster.cli.client.requester import Requester, open_requester
from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.credentials import read_credentials
from aeron_cluster.cli.options.durations import format_ns
from aeron_cluster.errors import AeronClusterError, RequestFailedError, TimeoutExpiredError
from aeron_cluster.memory.system.seams import SystemFiles

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["shell"]

_PROMPT: Final = "cluster> "
_ERASE_LINE: Final = "\r\x1b[K"
# The interval of the client's work while a line is typed.
_WORK_INTERVAL_S: Final = 0.05
_HISTORY: Final = ".aeron_cluster_history"
_HISTORY_LENGTH: Final = 1000
_HELP: Final = """\
Each line is sent as a request; its answer is printed with its latency.
  :hex 0a0b     send these bytes, and print the answer as hexadecimal digits
  :leader       the member that leads
  :help         this
  :quit         end, as Ctrl-D does
To send a request that begins with a colon, put another colon before it.
Ctrl-C stops waiting for an answer (the request may be applied), or clears the line."""


@click.command()
@client_options
def shell(
    endpoints: str | None,
    raw: bool,
    timeout_ns: int,
    credentials: str | None,
    aeron_dir: str | None,
) -> None:
    """Send requests to a cluster from a prompt: each line is a request.

    Prints each answer with its latency, and each change of leader. Lines are saved in
    ~/.aeron_cluster_history; the cursor keys and Ctrl-R recall them. From a pipe, each line is sent
    without a prompt.

    Exit codes: 0 after :quit, Ctrl-D or the end of the input; from a pipe 1 if a request was
    rejected, 2 for an unknown command, 3 if a request was not answered; 1 if the cluster closed the
    session, 3 if no member answered in time.

    \b
    Examples:
      aeron-cluster shell                         (of the cluster of aeron-cluster local)
      aeron-cluster shell --to localhost:9001,localhost:9011,localhost:9021
      printf 'buy 10\\nsell 3\\n' | aeron-cluster shell
    """  # noqa: D301 - \b is click's mark
    place = find_endpoints(endpoints)
    for each in (signal.SIGTERM, signal.SIGHUP):  # so that an embedded driver is closed
        signal.signal(each, signal.default_int_handler)
    try:
        options = read_credentials(credentials, SystemFiles()) | {"aeron_dir": aeron_dir}
        wait = _Wait()
        with open_requester(
            place, timeout_ns, raw=raw, is_stopped=lambda: wait.is_stopped, options=options
        ) as requester:
            code = _Shell(requester, wait, is_terminal=sys.stdin.isatty()).run()
    except KeyboardInterrupt:
        raise SystemExit(ExitCode.INTERRUPTED) from None
    except AeronClusterError as error:
        fail(error)
    raise SystemExit(code)


class _Wait:
    """Whether to stop waiting for an answer."""

    is_stopped = False


class _Shell:
    """Reads lines, sends them, and prints the answers."""

    def __init__(self, requester: Requester, wait: _Wait, *, is_terminal: bool) -> None:
        self._requester = requester
        self._wait = wait
        self._is_terminal = is_terminal
        self._is_working = False
        # Whether Ctrl-C clears the line, rather than stop the next wait.
        self._is_reading = False
        self._failure: AeronClusterError | None = None
        self._code = 0

    def run(self) -> int:
        """Read lines until the end; return the exit code."""
        with self._history(), self._signals():
            if self._is_terminal:
                click.echo(f"{_place(self._requester)}; :help explains, :quit ends")
                self._requester.notes.clear()
            while (line := self._read()) is not None:
                if line == ":quit":
                    break
                self._handle(line)
        if self._is_terminal:
            click.echo()
            return 0
        return self._code

    # ---- what is typed ----

    def _read(self) -> str | None:
        """Return the next line; None at the end. Keeps the client working meanwhile."""
        signal.setitimer(signal.ITIMER_REAL, _WORK_INTERVAL_S, _WORK_INTERVAL_S)
        try:
            while True:
                self._wait.is_stopped = False
                try:
                    self._is_reading = True
                    line = input(_PROMPT if self._is_terminal else "")
                    # From here on Ctrl-C stops the wait for the answer, which is about to begin.
                    self._is_reading = False
                except EOFError:
                    return None
                except KeyboardInterrupt:
                    click.echo("^C")
                else:
                    return line.strip()
        finally:
            self._is_reading = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self._failure is not None:
                raise self._failure

    def _handle(self, line: str) -> None:
        is_hex = line.startswith(":hex ")
        match line:
            case "":
                return
            case ":help":
                click.echo(_HELP)
                return
            case ":leader":
                click.echo(_place(self._requester))
                return
            case _ if line.startswith("::"):
                payload = line[1:].encode(errors="surrogateescape")
            case _ if is_hex:
                try:
                    payload = bytes.fromhex(line.removeprefix(":hex "))
                except ValueError as error:
                    self._print_problem(f"not sent: {error}", ExitCode.USAGE)
                    return
            case _ if line.startswith(":"):
                self._print_problem(
                    f"not sent: no command {line}; :help lists them", ExitCode.USAGE
                )
                return
            case _:
                payload = line.encode(errors="surrogateescape")
        self._send(payload, is_hex=is_hex)

    def _send(self, payload: bytes, *, is_hex: bool) -> None:
        try:
            answer, duration_ns = self._requester.request(payload)
        except RequestFailedError as error:
            self._print_notes()
            self._print_problem(f"{error.outcome}: {error.reason}", ExitCode.NO)
        except TimeoutExpiredError as error:
            self._print_notes()
            self._print_problem(f"{error}", ExitCode.NOT_REACHABLE)
        except KeyboardInterrupt:
            if self._is_terminal:
                click.echo()  # after the ^C
            self._print_notes()
            self._print_problem("stopped waiting; it may have been applied", ExitCode.NOT_REACHABLE)
        except Exception:
            self._print_notes()  # such as the reason why the session was closed
            raise
        else:
            self._print_notes()
            text = answer.hex() if is_hex else answer.decode(errors="backslashreplace")
            time = click.style(f"  {format_ns(duration_ns)}", dim=True)
            click.echo(f"{text}{time if self._is_terminal else ''}")

    # ---- what is printed ----

    def _print_notes(self) -> None:
        while self._requester.notes:
            click.secho(self._requester.notes.popleft(), dim=True, err=not self._is_terminal)

    def _print_problem(self, text: str, code: ExitCode) -> None:
        self._code = max(self._code, code)
        click.secho(text, fg="red", err=not self._is_terminal)

    # ---- signals and history ----

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Work on each alarm; make Ctrl-C clear only a line, or stop only a wait."""
        before = [
            (each, signal.signal(each, handler))
            for each, handler in (
                (signal.SIGALRM, self._on_alarm),
                (signal.SIGINT, self._on_interrupt),
                (signal.SIGTERM, _on_end),
                (signal.SIGHUP, _on_end),
            )
        ]
        try:
            yield
        finally:
            for each, handler in before:
                signal.signal(each, handler)

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        """Keep the session alive while a line is typed; print messages above that line."""
        if self._failure is not None:
            return
        self._is_working = True
        try:
            self._requester.work()
        except AeronClusterError as error:
            self._failure = error
            self._requester.notes.append(f"{error}; press Enter to quit")
        finally:
            self._is_working = False
        if self._requester.notes and self._is_terminal:
            sys.stdout.write(_ERASE_LINE)
            self._print_notes()
            sys.stdout.write(_PROMPT + readline.get_line_buffer())
            sys.stdout.flush()
        elif self._requester.notes:
            self._print_notes()
        if self._wait.is_stopped:  # during the work above
            self._clear_line()

    def _on_interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._wait.is_stopped = True
        if not self._is_working:
            self._clear_line()

    def _clear_line(self) -> None:
        if self._is_reading:
            self._is_reading = False  # once, however often Ctrl-C is pressed meanwhile
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def _history(self) -> Iterator[None]:
        if not self._is_terminal:
            yield
            return
        path = Path.home() / _HISTORY
        readline.set_history_length(_HISTORY_LENGTH)
        with contextlib.suppress(OSError):  # no file yet, or the home is not writable
            readline.read_history_file(path)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                readline.write_history_file(path)
                path.chmod(0o600)


def _on_end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(ExitCode.INTERRUPTED)


def _place(requester: Requester) -> str:
    leader = requester.leader_member_id
    return "no leader is known" if leader < 0 else f"member {leader} leads"
