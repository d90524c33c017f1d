"""Copies of the sources with mutants: one Python mutant at a time, or a build of many Cython
mutants.
"""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.canaries.canary import build, copy_for_build, copy_source
from tests.conftest import ROOT
from tests.mutants.mutant import Mutant
from tests.mutants.switch import HEADER, MODULE, switched, uncompilable

__all__ = [
    "SWITCH",
    "build_batch",
    "environment",
    "limit_memory",
    "mutated",
    "python_tree",
    "run",
    "switch_file",
]

SWITCH = "AERON_CLUSTER_MUTANT"
_TESTS = ("tests", "tools", "pyproject.toml", "setup.py", "README.md", "LICENSE")
# The limit of the memory that a mutant's process may map, sparse simulated files included.
_MAX_MEMORY = 64 << 30
_FIRST_TO_GO = "1000"
_UNBUILT = shutil.ignore_patterns("__pycache__", ".mypy_cache", ".hypothesis")


def copy_tests(tree: Path) -> None:
    """Copy the tests and the files that they read to a tree with the package."""
    for name in _TESTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=_UNBUILT)
        else:
            shutil.copy2(ROOT / name, tree / name)
    for name in ("docs", "benchmarks"):
        (tree / name).symlink_to(ROOT / name)


def python_tree(tree: Path) -> Path:
    """Make a tree whose Python files may be changed; compiled modules are links."""
    for name in ("aeron_cluster", "include"):
        shutil.copytree(ROOT / name, tree / name, ignore=_UNBUILT, copy_function=copy_source)
    copy_tests(tree)
    return tree


@contextmanager
def mutated(mutant: Mutant, tree: Path) -> Iterator[None]:
    """Put a mutant into a tree's Python file until the context ends."""
    path = tree / mutant.file
    before = path.read_bytes()
    _write(path, mutant.edit.applied(before))
    try:
        yield
    finally:
        _write(path, before)


def _write(path: Path, content: bytes) -> None:
    """Write a module and delete its bytecode, which is reused if length and second of the source
    match.
    """
    # Not cache_from_source: processes of a mutant do not use this process's bytecode prefix.
    for each in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        each.unlink()
    path.write_bytes(content)


def build_batch(tree: Path, mutants: Sequence[Mutant]) -> tuple[dict[str, int], dict[str, str]]:
    """Build the package with mutants of its Cython files, each selected by its number.

    Parameters
    ----------
    tree : Path
        A directory to create.
    mutants : sequence of Mutant

    Returns
    -------
    tuple of dict
        By name: the number of each mutant that is built, and the reason why another is not.
    """
    copy_for_build(tree)
    copy_tests(tree)
    shutil.copy2(HEADER, tree / "include" / "aeron_cluster")
    (tree / "aeron_cluster" / "mutant.pxd").write_text(MODULE)
    _allow_warnings(tree / "setup.py")
    numbers = {each.name: number for number, each in enumerate(mutants, 1)}
    rejected: dict[str, str] = {}
    for file in sorted({each.file for each in mutants}):
        of_file = [each for each in mutants if each.file == file]
        rejected |= switch_file(tree, file, of_file, numbers)
    build(tree)
    return {name: n for name, n in numbers.items() if name not in rejected}, rejected


def switch_file(
    tree: Path, file: str, mutants: Iterable[Mutant], numbers: Mapping[str, int]
) -> dict[str, str]:
    """Write a file with all mutants that Cython accepts; return why it rejects the others."""
    path = tree / file
    source = path.read_bytes()
    rejected: dict[str, str] = {}
    rest = list(mutants)
    while True:
        result = switched(source, rest, numbers)
        rejected |= dict.fromkeys(result.impossible, "no switch in this line")
        path.write_bytes(result.source)
        blamed = uncompilable(file, tree, result.places)
        if not blamed:
            return rejected
        for each in rest:
            if each.name in blamed:
                # Another mutant of the same line may have caused the error.
                alone = switched(source, [each], numbers)
                path.write_bytes(alone.source)
                rejected |= uncompilable(file, tree, alone.places)
        rest = [each for each in rest if each.name not in rejected]


def _allow_warnings(setup: Path) -> None:
    """Allow Cython's warnings in the build of mutants, which may contain unusual code."""
    text = setup.read_text()
    for old, new in (
        ("Options.warning_errors = True", "Options.warning_errors = False"),
        ('if "performance hint:" in text:', "if not text.isprintable and text is None:"),
    ):
        assert old in text, f"{setup}: expected {old}"
        text = text.replace(old, new)
    setup.write_text(text)


def limit_memory(pid: int) -> None:
    """Limit the memory of a process, and make it the first to be killed if the machine runs out."""
    Path(f"/proc/{pid}/oom_score_adj").write_text(_FIRST_TO_GO)
    resource.prlimit(pid, resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))


def environment(tree: Path, number: int = 0) -> dict[str, str]:
    """Return the environment of a tree's process, with a compiled mutant switched on."""
    given = os.environ | {SWITCH: str(number), "PYTHONPATH": str(tree)}
    given.pop("PYTHONDONTWRITEBYTECODE", None)
    given.pop("PYTHONPYCACHEPREFIX", None)
    return given


def run(
    command: Sequence[str], tree: Path, timeout_s: float, number: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a tree.

    Raises
    ------
    subprocess.TimeoutExpired
    """
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tree,
        env=environment(tree, number),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout_s,
        check=False,
        stdin=subprocess.DEVNULL,
    )
