"""A plausible bug, kept as a patch, and the search for it by seeds.

A patch is applied to a copy of the sources. The text before its diff has the bug in words, the mode
of the simulator (``Mode:``), and the invariants that it breaks (``Found by:``). Other failures do
not count: a broken patch would fail immediately. Of a rare bug, only the seeds with a kind of fault
are run (``Fault:``).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

__all__ = [
    "CANARIES",
    "Canary",
    "Finding",
    "build",
    "built",
    "copy_for_build",
    "copy_source",
    "find",
    "patched",
]

BUGS = Path(__file__).parent / "bugs"
HEADER = Path(__file__).with_name("canary.h")
SWITCH = "AERON_CLUSTER_CANARY"
# The rarest bug is found by one seed of forty: if so many seeds miss it, it is not chance.
MAX_SEEDS = 600
# So many failures of another kind mean that the patch or the program is broken in another way. Some
# are normal: one canary has another failure for every third seed that finds it.
MAX_OTHER_FAILURES = 20


@dataclass(frozen=True)
class Canary:
    """A deliberate bug.

    Parameters
    ----------
    name : str
    bug : str
        The bug, in a sentence.
    mode : str
        The mode of the simulator.
    fault : str
        The kind of fault that a seed must have drawn; empty: any.
    found_by : tuple of str
        The invariants that it breaks.
    is_compiled : bool
        Whether it is in compiled code, where a switch turns it on.
    """

    name: str
    bug: str
    mode: str
    fault: str
    found_by: tuple[str, ...]
    is_compiled: bool

    @property
    def path(self) -> Path:
        """The patch."""
        return BUGS / f"{self.name}.patch"

    @classmethod
    def read(cls, path: Path) -> "Canary":
        """Read the description in a patch."""
        words, diff, changes = path.read_text().partition("diff --git ")
        assert diff, f"{path}: expected a diff as git writes it"
        lines = words.splitlines()
        values = [line.partition(": ")[::2] for line in lines if ": " in line]
        return cls(
            path.stem,
            " ".join(lines[: lines.index("")]),
            next(value for key, value in values if key == "Mode"),
            next((value for key, value in values if key == "Fault"), ""),
            tuple(value for key, value in values if key == "Found by"),
            any(
                line.startswith("+++ ") and not line.endswith(".py")
                for line in changes.splitlines()
            ),
        )


CANARIES = tuple(map(Canary.read, sorted(BUGS.glob("*.patch"))))


@dataclass(frozen=True)
class Finding:
    """The result of the seeds on a canary.

    Parameters
    ----------
    seeds : tuple of int
        The seeds that were run, in order.
    invariant : str
        The invariant that the last seed found broken; empty if all passed.
    failure : str
    others : tuple of str
        Failures that do not count, since they are not the canary's.
    took_s : float
    """

    seeds: tuple[int, ...]
    invariant: str
    failure: str
    others: tuple[str, ...]
    took_s: float


def apply(canary: Canary, tree: Path) -> None:
    """Apply a canary to a copy of the sources; the context lines must match exactly."""
    # In a repository above the copy git would apply the paths to that.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(tree.parent)}
    command = ["git", "apply", "--whitespace=nowarn", str(canary.path)]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{canary.name} no longer applies:\n{done.stderr}"


def copy_source(source: str, target: str) -> None:
    """Copy a source; link a compiled module."""
    if source.endswith(".so"):
        Path(target).symlink_to(source)
    else:
        shutil.copy2(source, target)


@contextmanager
def patched(canary: Canary) -> Iterator[Path]:
    """Yield a directory with a package that contains the canary."""
    with tempfile.TemporaryDirectory(prefix="canary-") as name:
        tree = Path(name)
        no_caches = shutil.ignore_patterns("__pycache__")
        shutil.copytree(
            ROOT / "aeron_cluster",
            tree / "aeron_cluster",
            ignore=no_caches,
            copy_function=copy_source,
        )
        apply(canary, tree)
        yield tree


def copy_for_build(tree: Path) -> None:
    """Copy the sources and the build: only files changed in the copy are compiled."""
    # With build/lib.*, which setuptools compares with the sources.
    made = [f"build/{each.name}" for each in (ROOT / "build").glob("lib.*")]
    for each in ("aeron_cluster", "include", "build/release", *made):
        shutil.copytree(ROOT / each, tree / each)
    for each in (
        "setup.py",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "build/release.settings",
    ):
        shutil.copy2(ROOT / each, tree / each)


def build(tree: Path) -> None:
    """Compile the changed files of a copy."""
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tree, check=True
    )


@contextmanager
def built(canaries: Sequence[Canary]) -> Iterator[Path]:
    """Yield a directory with the package rebuilt with all canaries in it, each switched off."""
    with tempfile.TemporaryDirectory(prefix="canaries-") as name:
        tree = Path(name)
        copy_for_build(tree)
        shutil.copy2(HEADER, tree / "include" / "aeron_cluster")
        for canary in canaries:
            apply(canary, tree)
        build(tree)
        yield tree


def find(canary: Canary, tree: Path, first: int) -> Finding:
    """Run seeds, starting with the first, until one finds a canary."""
    # The package of the working directory, and the tests of this repository.
    environment = os.environ | {"PYTHONPATH": str(ROOT), SWITCH: canary.name}
    command = [sys.executable, "-m", "tests.canaries.search", canary.mode, str(first), canary.fault]
    seeds: list[int] = []
    others: list[str] = []
    began = time.monotonic()

    def finding(invariant: str, failure: str) -> Finding:
        took_s = time.monotonic() - began
        return Finding(tuple(seeds), invariant, failure, tuple(others), took_s)

    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True
    ) as search:
        assert search.stdout is not None
        try:
            for line in search.stdout:
                seed, invariant, failure = json.loads(line)
                seeds.append(seed)
                if invariant in canary.found_by:
                    return finding(invariant, failure)
                if invariant:
                    others.append(f"seed {seed}: {failure}")
                if len(seeds) == MAX_SEEDS or len(others) == MAX_OTHER_FAILURES:
                    return finding("", "")
        finally:
            search.kill()
    last = f"seed {seeds[-1]}" if seeds else "the start"
    others.append(f"after {last}: the process died or hung")
    return finding("", "")
