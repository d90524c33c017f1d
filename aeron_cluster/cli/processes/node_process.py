"""A node as a separate process, as the demo and a local cluster start it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Final

from aeron_cluster.errors import StateError
from aeron_cluster.memory.system.closeable import Closeable

__all__ = ["CommandProcess", "NodeProcess"]

_CLOSE_TIMEOUT_S: Final = 10.0


class CommandProcess(Closeable):
    """A command of ``aeron-cluster`` in a separate process.

    Parameters
    ----------
    *arguments : str
        What follows ``aeron-cluster``.

    Notes
    -----
    Leaving its ``with`` asks it to close, and kills it if it does not in time. What a terminal
    sends to its group (Ctrl-C) does not reach it. Its output is read without waiting, by `lines`.
    """

    def __init__(self, *arguments: str) -> None:
        # Not by its name on the path: it must run the same installation.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "aeron_cluster.cli", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._partial = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the descriptor that is readable when it has output, or has ended."""
        return self._output.fileno()

    def lines(self) -> list[str]:
        """Return what it has output since the last call, in whole lines; all once it ended."""
        *whole, self._partial = (self._partial + (self._output.read() or b"")).split(b"\n")
        if self._partial and self.exit_code is not None:
            whole.append(self._partial)
            self._partial = b""
        return [line.decode(errors="replace") for line in whole]

    @property
    def exit_code(self) -> int | None:
        """What it ended with, below 0 for a signal; None while it runs."""
        return self._process.poll()

    def check(self) -> None:
        """See that it runs.

        Raises
        ------
        StateError
            It has ended; the text has its last output.
        """
        if (code := self.exit_code) is not None:
            output = "\n".join(self.lines()).strip()
            raise StateError(f"node process {self.pid}: ended with {code}: {output}")

    def kill(self) -> None:
        """Kill it with SIGKILL, without waiting: it cannot store anything more."""
        self._process.kill()

    def terminate(self) -> None:
        """Ask it to close, also where it is paused, and do not wait."""
        self._process.send_signal(signal.SIGTERM)
        self.resume()

    def pause(self) -> None:
        """Stop it where it is, with SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Have it continue, with SIGCONT."""
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Request it to close, wait, and kill it if that takes too long."""
        if self.exit_code is None:
            self.terminate()
            try:
                self._process.wait(_CLOSE_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process.wait()
        self._output.close()


class NodeProcess(CommandProcess):
    """``aeron-cluster node`` in a separate process, which ends when this process has ended.

    Parameters
    ----------
    *arguments : str
        The arguments of ``aeron-cluster node``.
    """

    def __init__(self, *arguments: str) -> None:
        super().__init__("node", "--parent", str(os.getpid()), *arguments)
