"""A node as a separate process, as the demo starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Final

from aeron_cluster.errors import StateError
from aeron_cluster.memory.system.closeable import Closeable

__all__ = ["NodeProcess"]

_CLOSE_TIMEOUT_S: Final = 10.0


class NodeProcess(Closeable):
    """``aeron-cluster node`` in a separate process.

    Parameters
    ----------
    *arguments : str
        What follows ``aeron-cluster node``.

    Notes
    -----
    Leaving its ``with`` asks it to close, and kills it if it does not in time. It ends on its own
    when this process ended. Its output is read without waiting, by `lines`.
    """

    def __init__(self, *arguments: str) -> None:
        # Not by its name on the path: what runs here is what it shall run.
        command = [sys.executable, "-m", "aeron_cluster.cli", "node"]
        command += ["--parent", str(os.getpid()), *arguments]
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._partial = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def lines(self) -> list[str]:
        """Return what it has output since the last call, in whole lines."""
        *whole, self._partial = (self._partial + (self._output.read() or b"")).split(b"\n")
        return [line.decode(errors="replace") for line in whole]

    def check(self) -> None:
        """See that it runs.

        Raises
        ------
        StateError
            It has ended; the text has its last words.
        """
        if (code := self._process.poll()) is not None:
            output = "\n".join([*self.lines(), self._partial.decode(errors="replace")]).strip()
            raise StateError(f"node process {self.pid}: ended with {code}: {output}")

    def kill(self) -> None:
        """End it with SIGKILL, and do not wait: it gets no chance to store anything more."""
        self._process.kill()

    def close(self) -> None:
        """Ask it to close, wait for that, and kill it if it takes too long."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_CLOSE_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process.wait()
        self._output.close()
