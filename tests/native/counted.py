"""Run a Python program and count each thread's GIL acquisitions and allocations.

Reading the counts does not disturb the program: they are in a file that it maps (``counts.c``).
"""

import bisect
import functools
import json
import mmap
import os
import re
import shlex
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

SOURCE = Path(__file__).parent / "counts.c"
THREADS, SITES, DEPTH = 128, 512, 16
ARMED = struct.Struct("<qq")
THREAD = struct.Struct("<qqqq")
SITE = struct.Struct(f"<qqqq{DEPTH}Q")
SITES_AT = ARMED.size + THREAD.size * THREADS + 8
LENGTH = SITES_AT + SITE.size * SITES
KINDS = ("GIL", "taken", "freed")
FOREIGN = ("counts:", "libpython", "libc:", "libc-", "ld-linux", "0x")


def unavailable() -> str | None:
    """Return the reason why nothing can be counted here, or None."""
    if not sys.platform.startswith("linux"):
        return "only Linux preloads the library"
    if os.confstr("CS_GNU_LIBC_VERSION") is None:
        return "the C library is not glibc"
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return "this Python has no libpython, so its calls cannot be intercepted"
    return None


def build(directory: Path) -> Path:
    """Return the library to preload."""
    library = directory / "counts.so"
    compiler = shlex.split(str(sysconfig.get_config_var("CC") or "cc"))
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]
    flags += ["-shared", "-fPIC", str(SOURCE), "-o", str(library), "-ldl"]
    subprocess.run([*compiler, *flags], check=True)
    return library


def module(path: Path) -> str:
    """Return the name of a library: of the package's own with the folder."""
    name = path.name.split(".")[0]
    return f"{path.parent.name}/{name}" if "aeron_cluster" in path.parts else name


def plain(name: str) -> str:
    """Return the name of a function without Cython's mangling."""
    match = re.match(r"__pyx_\w+?_(?=\d)", name)
    if match is None:
        return name
    rest = name[match.end() :]
    while part := re.match(r"(\d+)", rest):
        end = part.end() + int(part[1])
        rest, last = rest[end:].removeprefix("_"), rest[part.end() : end]
        name = f"{last}.{rest}" if rest and not rest[0].isdigit() else rest or last
    return name


@dataclass(frozen=True)
class Counts:
    """The counts of a thread since its start."""

    gil: int = 0
    taken: int = 0
    freed: int = 0

    def __sub__(self, other: "Counts") -> "Counts":
        return Counts(self.gil - other.gil, self.taken - other.taken, self.freed - other.freed)

    def __bool__(self) -> bool:
        return (self.gil, self.taken, self.freed) != (0, 0, 0)


@dataclass(frozen=True)
class Site:
    """A call site that took the GIL, or allocated or freed memory, during the observation."""

    thread: str
    kind: str
    count: int
    frames: tuple[str, ...]

    @property
    def ours(self) -> tuple[str, ...]:
        """The frames of the package and of services, the innermost first."""
        return tuple(frame for frame in self.frames if not frame.startswith(FOREIGN))

    @property
    def agent(self) -> str:
        """The work function that a pass called, or outside a pass our outermost function."""
        outwards = [frame for frame in self.ours if not frame.startswith("memory/agents/agent:")]
        return outwards[-1] if outwards else "none of ours"

    def __str__(self) -> str:
        return f"{self.thread}: {self.kind} x {self.count}: {' < '.join(self.ours[:4])}"


@functools.cache
def symbols(path: str) -> tuple[list[int], list[str]]:
    """Return the addresses of a library's functions, ascending, and their names."""
    found = []
    for option in ("--defined-only", "--dynamic"):
        done = subprocess.run(
            ["nm", "-n", "--defined-only", option, path],
            capture_output=True,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            address, kind, name = line.split(maxsplit=2)
            if kind in "tTwWi":
                found.append((int(address, 16), name))
    found.sort()
    return [address for address, _ in found], [name for _, name in found]


class CountedProgram:
    """A program whose threads are counted.

    Parameters
    ----------
    library
        The library that `build` returned.
    directory
        The directory of the file of counts.
    command
        The arguments of the interpreter: ``["-c", ...]`` or ``["-m", ...]``, and more.
    """

    def __init__(self, library: Path, directory: Path, command: Iterable[str]) -> None:
        path = directory / "counts"
        path.write_bytes(bytes(LENGTH))
        with path.open("r+b") as opened:
            self._file = mmap.mmap(opened.fileno(), LENGTH)
        environment = os.environ | {
            "LD_PRELOAD": str(library),
            "AERON_CLUSTER_COUNTS": str(path),
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        }
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self._maps: list[tuple[int, int, int, str]] = []

    def emit(self, what: object) -> None:
        """Write a line of JSON to the program."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Wait for a line of JSON from the program."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the program ended with {self.process.wait()}"
        return json.loads(line)

    def counts(self) -> dict[str, Counts]:
        """Return the counts of each running thread, by its name in the system."""
        found: dict[str, Counts] = {}
        for index in range(THREADS):
            thread_id, *counts = THREAD.unpack_from(self._file, ARMED.size + index * THREAD.size)
            if thread_id != 0 and (name := self._name(thread_id)) is not None:
                name = name if name not in found else f"{name} {thread_id}"
                found[name] = Counts(*counts)
        return found

    def _name(self, thread_id: int) -> str | None:
        if thread_id == self.process.pid:
            return "main"
        try:
            return Path(f"/proc/{self.process.pid}/task/{thread_id}/comm").read_text().strip()
        except OSError:
            return None

    def threads(self) -> set[str]:
        """Return the names of all threads, including those with zero counts."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return {name for task in tasks if (name := self._name(int(task.name))) is not None}

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Also record the origin of each call; this is slow, so not during timed sections."""
        self._file[SITES_AT:] = bytes(LENGTH - SITES_AT)
        self._file[:8] = (1).to_bytes(8, "little")
        try:
            yield
        finally:
            self._file[:8] = bytes(8)

    def sites(self) -> list[Site]:
        """Return the sites recorded while armed, the most frequent first."""
        assert ARMED.unpack_from(self._file)[1] == 0, "more sites than can be recorded"
        self._maps = []
        for line in Path(f"/proc/{self.process.pid}/maps").read_text().splitlines():
            fields = line.split(maxsplit=5)
            if len(fields) == 6:
                low, high = (int(end, 16) for end in fields[0].split("-"))
                self._maps.append((low, high, int(fields[2], 16), fields[5]))
        found = []
        for index in range(SITES):
            count, thread_id, kind, depth, *frames = SITE.unpack_from(
                self._file, SITES_AT + index * SITE.size
            )
            if count > 0:
                names = tuple(self._symbol(frame) for frame in frames[:depth])
                thread = self._name(thread_id) or str(thread_id)
                found.append(Site(thread, KINDS[kind], count, names))
        return sorted(found, key=lambda site: -site.count)

    def agents(self) -> dict[str, dict[str, int]]:
        """Return the counts recorded while armed, by work function and kind."""
        found: dict[str, dict[str, int]] = {}
        for site in self.sites():
            kinds = found.setdefault(f"{site.thread} {site.agent}", {})
            kinds[site.kind] = kinds.get(site.kind, 0) + site.count
        return found

    def _symbol(self, address: int) -> str:
        for low, high, offset, path in self._maps:
            if low <= address < high:
                addresses, names = symbols(path)
                # Segments of these shared libraries are mapped at their file offsets.
                where = bisect.bisect_right(addresses, address - low + offset) - 1
                name = names[where] if where >= 0 else "?"
                return f"{module(Path(path))}:{plain(name)}"
        return hex(address)

    def close(self) -> None:
        """End the program."""
        self.process.kill()
        self.process.communicate()
        self._file.close()
