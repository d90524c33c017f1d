"""Wall clocks of processes that jump: a preloaded library adds a shift from a file."""

import mmap
import shutil
import subprocess
from pathlib import Path

from aeron_cluster.memory.system.seams import SystemClock

SOURCE = Path(__file__).parent / "clock_shift.c"
_LENGTH = 8
_NS = 1_000_000_000


class NoShiftError(Exception):
    """Clocks cannot be shifted here, and why."""


def compile_shift(folder):
    """Compile the library; return its path.

    Raises
    ------
    NoShiftError
        No compiler is on the path.
    RuntimeError
        The source does not compile.
    """
    gcc = shutil.which("gcc")
    if gcc is None:
        raise NoShiftError("no gcc on the path")
    library = folder / "clock_shift.so"
    command = [gcc, "-std=gnu11", "-O1", "-Wall", "-Werror", "-shared", "-fPIC"]
    done = subprocess.run(
        [*command, str(SOURCE), "-o", str(library), "-ldl"],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{SOURCE.name} does not compile: {done.stderr.strip()[:500]}")
    return library


class ShiftedClock(SystemClock):
    """The wall clock as the processes see it.

    Parameters
    ----------
    library
        The compiled library, or None: the clock cannot be shifted.
    path
        The file of the shift.
    """

    def __init__(self, library, path):
        super().__init__()
        self._library = library
        self._path = path
        path.write_bytes(bytes(_LENGTH))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _LENGTH)

    @property
    def shift_ns(self):
        """The shift, in ns."""
        return int.from_bytes(self._memory[:], "little", signed=True)

    def set(self, shift_s):
        """Let the clock jump to the real time and that many seconds."""
        self._memory[:] = int(shift_s * _NS).to_bytes(_LENGTH, "little", signed=True)

    def command(self, command):
        """Return a command that runs under this clock."""
        if self._library is None:
            return command
        return ["env", f"LD_PRELOAD={self._library}", f"CLOCK_SHIFT_FILE={self._path}", *command]

    def epoch_nanos(self):
        """Return the shifted time."""
        return super().epoch_nanos() + self.shift_ns

    def epoch_ms(self):
        """Return the shifted time."""
        return self.epoch_nanos() // 1_000_000
