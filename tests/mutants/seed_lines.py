"""Which lines each seed executes on the original, so that a mutant is run by these seeds alone.

``python -m tests.mutants --seed-lines`` measures it. A seed repeats its run: if it does not execute
a mutant's statement, its run on the mutant is the same. What was measured is of these sources and
this Python; a seed that was not measured is run.
"""

import hashlib
import json
import subprocess
import sys
import threading
from base64 import b85decode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from zlib import decompress

from tests.conftest import ROOT
from tests.mutants.executed_lines import Layout
from tests.mutants.mutant import Mutant
from tests.mutants.rules import RULES
from tests.mutants.statement_lines import statement_lines
from tests.mutants.trees import environment

__all__ = ["SEED_LINES", "SeedLines", "folders", "measure_seeds", "sources_key"]

SEED_LINES = ROOT / "build" / "mutants-seed-lines.jsonl"
_COMMAND = ("-m", "tests.mutants.executed_lines")
_SOURCES = (".py", ".pyx", ".pxd", ".h", ".xml")


class SeedLines:
    """The lines that seeds execute, from a file.

    Parameters
    ----------
    root : Path
        The original sources.
    path : Path
        The file; what it has of other sources is not read, and replaced by what is added.
    """

    def __init__(self, root: Path = ROOT, path: Path = SEED_LINES) -> None:
        self._root = root
        self._path = path
        self._layout = Layout(root, folders())
        self._of_seed: dict[tuple[str, int], int] = {}
        self._of_imports = 0
        self._lock = threading.Lock()
        self._key = sources_key(root)
        self._is_ours = self._read()

    def _read(self) -> bool:
        """Read the file; return whether it is of these sources."""
        if not self._path.exists():
            return False
        with self._path.open(encoding="utf-8") as file:
            if _row(file.readline()) != {"sources": self._key}:
                return False
            for line in file:
                self._keep(_row(line))
        return True

    def _keep(self, row: Mapping[str, object]) -> None:
        if "lines" in row:
            self._of_seed[str(row["mode"]), int(str(row["seed"]))] = _bits(str(row["lines"]))
        elif "imports" in row:
            self._of_imports |= _bits(str(row["imports"]))

    def add(self, row: Mapping[str, object]) -> None:
        """Keep a row of `executed_lines`."""
        with self._lock:
            if not self._is_ours:
                self._path.parent.mkdir(exist_ok=True)
                self._path.write_text(json.dumps({"sources": self._key}) + "\n", encoding="utf-8")
                self._is_ours = True
            with self._path.open("a+b") as file:
                # The end of a line whose writer was killed.
                file.seek(max(0, file.tell() - 1))
                end = b"" if file.read(1) == b"\n" else b"\n"
                file.write(end + json.dumps(row).encode() + b"\n")
            self._keep(row)

    def left(self, mode: str, seeds: Sequence[int]) -> list[int]:
        """Return the seeds that were not measured."""
        return [each for each in seeds if (mode, each) not in self._of_seed]

    def can_detect(self, mutant: Mutant, mode: str) -> Callable[[int], bool]:
        """Return a predicate of seeds: whether one may differ from its run on the original."""
        path = self._root / mutant.file
        # Not even parsed if nothing was measured.
        lines = statement_lines(mutant, path.read_bytes()) if self._of_seed else None
        bits = None if lines is None else self._layout.bits(mutant.file, lines)
        if bits is None or bits & self._of_imports:
            return lambda _: True
        return lambda seed: bool(self._of_seed.get((mode, seed), bits) & bits)


def _row(line: str) -> dict[str, object]:
    try:
        return dict(json.loads(line))
    except json.JSONDecodeError:
        return {}  # the run was killed while it wrote this line


def _bits(text: str) -> int:
    return int.from_bytes(decompress(b85decode(text)), "little")


def folders() -> list[str]:
    """Return the packages from which mutants are drawn."""
    return sorted({file.split("/")[1] for rule in RULES for file in rule.sources()})


def sources_key(root: Path) -> str:
    """Return a hash of the package's sources, with the version of Python, whose lines differ."""
    found = hashlib.sha256(sys.version.split()[0].encode())
    for folder in ("aeron_cluster", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in _SOURCES:
                content = path.read_bytes()
                found.update(f"{path.relative_to(root)} {len(content)}\n".encode())
                found.update(content)
    return found.hexdigest()


def measure_seeds(
    lines: SeedLines,
    seeds: Mapping[str, Sequence[int]],
    jobs: int,
    on_row: Callable[[Mapping[str, object]], object],
) -> list[str]:
    """Run seeds that were not measured on the original, and keep the lines that they execute.

    Parameters
    ----------
    lines : SeedLines
    seeds : dict
        The seeds of each mode of the simulator.
    jobs : int
    on_row : callable
        Called with each row of `executed_lines`.

    Returns
    -------
    list of str
        The seeds that failed or hung, which are not kept: the first one ends the run.
    """
    failures: list[str] = []
    processes: list[subprocess.Popen[str]] = []
    is_ended = threading.Event()

    def end() -> None:
        is_ended.set()
        for each in processes:
            each.kill()

    def fail(what: str) -> None:
        if not is_ended.is_set():
            failures.append(what)
            end()

    def run(mode: str, part: Sequence[int]) -> None:
        left = list(part)
        with subprocess.Popen(
            [sys.executable, *_COMMAND, mode, *folders()],
            cwd=ROOT,
            env=environment(ROOT),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            processes.append(process)
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n".join(map(str, part)))
            process.stdin.close()
            for line in process.stdout:
                row = _row(line)
                if "failure" in row:
                    on_row(row)
                    fail(f"{mode} seed {row['seed']}: {row['invariant']}: {row['failure']}")
                    return
                lines.add(row)
                on_row(row)
                if "seed" in row:
                    left.remove(int(str(row["seed"])))
        if left:
            fail(f"{mode} seed {left[0]}: the process ended with {process.returncode}")

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for mode, numbers in seeds.items():
                todo = lines.left(mode, numbers)
                parts = [todo[first::jobs] for first in range(jobs)]
                for future in as_completed(
                    [pool.submit(run, mode, part) for part in parts if part]
                ):
                    future.result()
                if failures:
                    break
        except BaseException:
            end()
            raise
    return failures
