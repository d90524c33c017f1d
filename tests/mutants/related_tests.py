"""The tests that may detect a change: those that call the function, as far as that was measured.

Otherwise (before ``--reach``, for compiled files and for statements of a module) those that import
the file directly or indirectly. The imports are read from the sources each time. The nearest tests
come first: those that import the file, those in the folder that mirrors its folder, then those one
import further, and last those that call Python functions of a file that imports a compiled one.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.reach import Reach

__all__ = ["LAYER_FOLDERS", "calling", "calling_importers", "related"]

LAYER_FOLDERS = {
    "unit": ("tests/unit/", "tests/property/", "tests/native/"),
    "scenarios": ("tests/scenarios/",),
    "interop": ("tests/interop/",),
}
# Runs of whole clusters import nearly all of the package: only what they call relates them.
_CALLING = LAYER_FOLDERS | {"scenarios": ("tests/scenarios/", "tests/simulation/")}
_FARTHEST = {"unit": 1, "scenarios": 3, "interop": 3}
_IMPORT = re.compile(
    r"(?m)^\s*from\s+((?:aeron_cluster|tests)[\w.]*)\s+c?import\s+(\([^)]*\)|[^\n]*)"
    r"|^\s*c?import\s+((?:aeron_cluster|tests)[\w.]*)"
)


@cache
def _imports_of(path: Path) -> frozenset[Path]:
    """Return the project's sources that a source imports directly, as paths without an ending."""
    found: set[Path] = set()
    for origin, names, module in _IMPORT.findall(path.read_text(encoding="utf-8")):
        base = Path((origin or module).replace(".", "/"))
        found.add(base)
        found |= {base / each for each in re.findall(r"\w+", names)}
    return frozenset(each for each in found if _files_of(each))


@cache
def _files_of(module: Path) -> tuple[Path, ...]:
    return tuple(
        path
        for ending in (".py", ".pyx", ".pxd")
        if (path := ROOT / module.with_name(module.name + ending)).exists()
    )


@cache
def _distances(test: Path) -> dict[Path, int]:
    """Return the distance of the package's modules in imports; imports of other test files do not
    count.
    """
    distances: dict[Path, int] = {}
    todo: list[tuple[Path, int]] = [(test, 0)]
    while todo:
        path, distance = todo.pop(0)
        for module in sorted(_imports_of(path)):
            is_ours = module.parts[0] == "aeron_cluster"
            if module in distances:
                continue
            distances[module] = distance
            if distance < max(_FARTHEST.values()):
                todo += [(each, distance + is_ours) for each in _files_of(module)]
    return distances


def calling(function: str, layer: str, seconds: dict[str, float], reach: Reach) -> list[str]:
    """Return the test files of a layer that call a function, the quickest first.

    Parameters
    ----------
    function : str
        As ``file::qualified.name``.
    layer : str
        One of `LAYER_FOLDERS`.
    seconds : dict
        The known durations of test functions.
    reach : Reach
        What each test file calls.
    """
    found = [
        name
        for name, functions in reach.items()
        if function in functions and name.startswith(_CALLING[layer])
    ]
    return sorted(found, key=lambda name: (_seconds_of(name, seconds.items()), name))


def calling_importers(file: str, layer: str, seconds: dict[str, float], reach: Reach) -> list[str]:
    """Return the test files that call a Python file which imports a compiled one, quickest first.

    Parameters
    ----------
    file : str
        The compiled file, relative to the root; of it alone no calls are measured. Compiled files
        that import it count as parts of it.
    layer : str
        One of `LAYER_FOLDERS`.
    seconds : dict
        The known durations of test functions.
    reach : Reach
        What each test file calls.
    """
    files = _python_importers(Path(file).with_suffix(""))
    found = [
        name
        for name, functions in reach.items()
        if name.startswith(_CALLING[layer])
        and any(each.partition("::")[0] in files for each in functions)
    ]
    return sorted(found, key=lambda name: (_seconds_of(name, seconds.items()), name))


@cache
def _python_importers(module: Path) -> frozenset[str]:
    """Return the Python files that import a compiled module, directly or by compiled ones."""
    importers = _importers()
    found: set[str] = set()
    todo, seen = [module], {module}
    while todo:
        for path in importers.get(todo.pop(), ()):
            if path.suffix == ".py":
                found.add(str(path.relative_to(ROOT)))
                continue
            other = path.relative_to(ROOT).with_suffix("")
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return frozenset(found)


@cache
def _importers() -> dict[Path, list[Path]]:
    """Return the files of the package that import each module."""
    found: dict[Path, list[Path]] = {}
    for ending in ("py", "pyx", "pxd"):
        for path in sorted((ROOT / "aeron_cluster").rglob(f"*.{ending}")):
            if path.stem != "__init__":
                for module in _imports_of(path):
                    found.setdefault(module, []).append(path)
    return found


def related(file: str, layer: str, seconds: dict[str, float]) -> list[str]:
    """Return the test files of a layer that may detect a change, the nearest first.

    Parameters
    ----------
    file : str
        A file of the package, relative to the root.
    layer : str
        One of `LAYER_FOLDERS`.
    seconds : dict
        The known durations of test functions: quick files come first.
    """
    module = Path(file).with_suffix("")
    ranked = []
    for folder in LAYER_FOLDERS[layer]:
        for path in sorted((ROOT / folder).rglob("test_*.py")):
            name = str(path.relative_to(ROOT))
            distance = _distances(path).get(module)
            if distance is None or distance > _FARTHEST[layer]:
                continue
            is_mirror = _stem(name).removeprefix("test_") in module.name
            ranked.append((not is_mirror, distance, _seconds_of(name, seconds.items()), name))
    return [name for *_, name in sorted(ranked)]


def _stem(name: str) -> str:
    return Path(name).stem


def _seconds_of(file: str, seconds: Iterable[tuple[str, float]]) -> float:
    return sum(took for test, took in seconds if test.startswith(f"{file}::"))
