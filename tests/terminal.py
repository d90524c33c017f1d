"""A program on a pseudo-terminal, whose screen a test reads and whose keys it presses."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

from tests.conftest import PYTHON_PATH

_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>])")
_HOME = "\x1b[H"


class Terminal:
    """A command of ``aeron-cluster`` as the session leader of a terminal."""

    def __init__(self, *arguments, cwd, columns=80, lines=24, **environment):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
        self.mode = termios.tcgetattr(self.slave)
        self.output = ""
        self.process = subprocess.Popen(
            # A separate process makes the terminal its controlling terminal.
            [sys.executable, "-c", _LEAD, *arguments],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": PYTHON_PATH, "TERM": "xterm", **environment},
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for each in (self.master, self.slave):
            if each >= 0:
                os.close(each)

    def press(self, keys):
        os.write(self.master, keys.encode())

    def hang_up(self):
        """Close the terminal, as a closed window does."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def read(self, wait_s=0.05):
        """Read the available output."""
        while select.select([self.master], [], [], wait_s)[0]:
            self.output += os.read(self.master, 65536).decode(errors="replace")
            wait_s = 0

    @property
    def text(self):
        """All output, without the terminal's control sequences."""
        return _CONTROL.sub("", self.output).replace("\r", "")

    @property
    def frame(self):
        """The last completely drawn screen, with its colors."""
        frames = self.output.split(_HOME)
        frame = frames[-1] if frames[-1].count("\n") > 5 else frames[-2]
        return frame.replace("\r", "")

    @property
    def screen(self):
        """The lines of the last completely drawn screen."""
        return _CONTROL.sub("", self.frame).split("\n")

    def await_text(self, pattern, timeout_s=60.0, since=0):
        """Wait for a match in the output after an offset; return it."""
        return self.await_match(lambda: self.text[since:], pattern, timeout_s)

    def await_screen(self, pattern, timeout_s=60.0):
        """Wait for a match in the current screen; return it."""
        return self.await_match(lambda: "\n".join(self.screen), pattern, timeout_s)

    def await_match(self, text, pattern, timeout_s):
        deadline = time.monotonic() + timeout_s
        while True:
            self.read()
            try:
                match = re.search(pattern, text(), re.MULTILINE)
            except IndexError:  # nothing was drawn yet
                match = None
            if match:
                return match
            assert time.monotonic() < deadline, f"{pattern!r} not in {self.text[-4000:]}"
            assert self.process.poll() is None, f"{pattern!r} not in {self.text[-4000:]}"

    def await_end(self, timeout_s=60.0):
        """Return the exit code."""
        deadline = time.monotonic() + timeout_s
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.text[-4000:]
            if self.master >= 0:
                self.read()
        if self.master >= 0:
            self.read()
        return self.process.returncode


_LEAD = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from aeron_cluster.cli.main import main
main(sys.argv[1:], prog_name="aeron-cluster")
"""
