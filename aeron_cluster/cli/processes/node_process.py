"""A node as a separate process, for the demo and for local clusters."""

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
    At the end of its ``with`` block it is terminated, and killed if it does not end in time.
    Signals from the terminal (Ctrl-C) do not reach it. `lines` reads its output without waiting.
    """

    def __init__(self, *arguments: str) -> None:
        # Not found by name on the path: it must run the same installation.
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
        """The process id."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the descriptor that is readable when the process has output or has ended."""
        return self._output.fileno()

    def lines(self) -> list[str]:
        """Return the new complete lines of output; once the process has ended, all output."""
        *whole, self._partial = (self._partial + (self._output.read() or b"")).split(b"\n")
        if self._partial and self.exit_code is not None:
            whole.append(self._partial)
            self._partial = b""
        return [line.decode(errors="replace") for line in whole]

    @property
    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while the process is running."""
        return self._process.poll()

    def check(self) -> None:
        """Raise if the process has ended.

        Raises
        ------
        StateError
            The process has ended; the text contains its last output.
        """
        if (code := self.exit_code) is not None:
            output = "\n".join(self.lines()).strip()
            raise StateError(f"node process {self.pid}: ended with {code}: {output}")

    def kill(self) -> None:
        """Kill the process with SIGKILL, without waiting; it cannot write anything more."""
        self._process.kill()

    def terminate(self) -> None:
        """Send SIGTERM to the process, even if it is paused; do not wait."""
        self._process.send_signal(signal.SIGTERM)
        self.resume()

    def pause(self) -> None:
        """Pause the process with SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume the process with SIGCONT."""
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Terminate the process, wait, and kill it if it takes too long."""
        if self.exit_code is None:
            self.terminate()
            try:
                self._process.wait(_CLOSE_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process.wait()
        self._output.close()


class NodeProcess(CommandProcess):
    """``aeron-cluster node`` in a separate process that ends when this process ends.

    Parameters
    ----------
    *arguments : str
        The arguments of ``aeron-cluster node``.
    """

    def __init__(self, *arguments: str) -> None:
        super().__init__("node", "--parent", str(os.getpid()), *arguments)
