"""The layers that can detect a mutant, cheapest first; the first detection ends the run."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.budget import read_durations
from tests.conftest import ROOT
from tests.mutants.mutant import Mutant
from tests.mutants.reach import Reach, read_reach
from tests.mutants.related_tests import calling, calling_importers, related
from tests.mutants.seed_lines import SeedLines
from tests.mutants.seed_search import search_seeds
from tests.mutants.trees import run

__all__ = ["LAYERS", "SEED_LAYERS", "Finding", "MutantSources", "run_layer"]

LAYERS = ("types", "unit", "scenarios", "consensus", "whole", "interop")
SEED_LAYERS = ("consensus", "whole")
# Unused, undefined and shadowed names count as mistakes, style does not.
_LINTS = "F,ARG,PLE,B"
_TYPES_S = 300.0
_TEST_S = 100
_LAYER_S = {"unit": 240.0, "scenarios": 240.0, "interop": 400.0}
_MAX_FILES = {"unit": 60, "scenarios": 10, "interop": 3}
# Used when no test file is related to the mutant: these run most of the code.
_USUAL = {
    "unit": [],
    "scenarios": [],
    "interop": ["tests/interop/test_mixed_clusters.py", "tests/interop/test_consensus_module.py"],
}
# The layer ends without a result if more tests than these fail in the original as well.
_MAX_SHARED_FAILURES = 5
_INTERNAL_ERROR = 3  # as pytest ends
_WITHOUT_FAILURES = (0, 5)  # 5: all tests were left out
# A test, or the file that could not be collected; what it is called with may contain spaces.
_TEST = r"[^\s:]+\.py(?:::[^\s\[]+(?:\[.*?\])?)?"


@dataclass(frozen=True)
class MutantSources:
    """The sources in which a mutant is tested.

    Parameters
    ----------
    tree : Path
        A tree that contains the mutant, or selects it by its number.
    original : Path
        A tree without the mutant: failures there have another cause.
    number : int
        The number of a compiled mutant; 0 for a mutant in Python.
    seeds : dict
        The number of seeds to run in each mode.
    first_seed : int
    tried : dict
        The number of these that were run before.
    """

    tree: Path
    original: Path
    number: int
    seeds: dict[str, int]
    first_seed: int
    tried: dict[str, int]


@dataclass(frozen=True)
class Finding:
    """The result of a layer.

    Parameters
    ----------
    tried : int
        The number of seeds, or of test files.
    how, what : str
        Empty if nothing was detected.
    seconds : float
    skipped : int
        The number of the seeds tried now that were not run, since they cannot detect the mutant.
    """

    tried: int = 0
    how: str = ""
    what: str = ""
    seconds: float = 0.0
    skipped: int = 0


def run_layer(layer: str, mutant: Mutant, sources: MutantSources) -> Finding:
    """Run one layer on a mutant."""
    began = time.monotonic()
    layers: dict[str, Callable[[Mutant, MutantSources], Finding]] = {"types": _types}
    if layer in SEED_LAYERS:
        found = _seeds(layer, mutant, sources)
    elif layer in layers:
        found = layers[layer](mutant, sources)
    else:
        found = _tests(layer, mutant, sources)
    return replace(found, seconds=round(time.monotonic() - began, 1))


def _types(mutant: Mutant, sources: MutantSources) -> Finding:
    """Import the module, and check it with the linter and mypy."""
    module = mutant.file.rpartition(".")[0].replace("/", ".")
    if mutant.is_compiled:
        return Finding(1)  # the build succeeded
    found = run(["timeit", "-n1", "-r1", f"import {module}"], sources.tree, _TYPES_S)
    if found.returncode:
        return Finding(1, "failed", f"import: {_last_line(found.stdout + found.stderr)}")
    found = run(
        ["ruff", "check", "--quiet", "--select", _LINTS, mutant.file], sources.tree, _TYPES_S
    )
    if found.returncode == 1:
        return Finding(1, "failed", f"ruff: {found.stdout.strip().splitlines()[0]}")
    cache = ROOT / ".mypy_cache"
    if cache.exists() and not (sources.tree / cache.name).exists():
        shutil.copytree(cache, sources.tree / cache.name)
    found = run(["mypy", "--no-error-summary", mutant.file], sources.tree, _TYPES_S)
    of_file = [each for each in found.stdout.splitlines() if each.startswith(mutant.file)]
    if of_file:
        return Finding(1, "failed", f"mypy: {of_file[0].partition(': ')[2]}")
    return Finding(1)


def _seeds(layer: str, mutant: Mutant, sources: MutantSources) -> Finding:
    before, wanted = sources.tried.get(layer, 0), sources.seeds.get(layer, 0)
    if wanted <= before:
        return Finding(before)
    seeds = range(sources.first_seed + before, sources.first_seed + wanted)
    can_detect = _seed_lines(sources.original).can_detect(mutant, layer)
    found = search_seeds(sources.tree, sources.original, layer, seeds, sources.number, can_detect)
    return Finding(before + found.tried, found.how, found.what, skipped=found.skipped)


@cache
def _seed_lines(original: Path) -> SeedLines:
    return SeedLines(original)


def _tests(layer: str, mutant: Mutant, sources: MutantSources) -> Finding:
    seconds = read_durations()
    function = f"{mutant.file}::{mutant.function}"
    files = calling(function, layer, seconds, _reach()) or related(mutant.file, layer, seconds)
    if mutant.is_compiled:
        files += calling_importers(mutant.file, layer, seconds, _reach())
    files = list(dict.fromkeys(files or _USUAL[layer]))[: _MAX_FILES[layer]]
    steady: list[str] = []
    while files and len(steady) <= _MAX_SHARED_FAILURES:
        try:
            found = _pytest(sources.tree, files, steady, _LAYER_S[layer], sources.number)
        except subprocess.TimeoutExpired:
            break  # a timeout is not a failure
        if found is None:
            break
        test, what = found
        if _passes(sources.original, test):
            how = "hung" if "Timeout" in what else "failed"
            return Finding(len(files), how, f"{test}: {what}")
        steady.append(test)  # it fails without the mutant as well
    return Finding(len(files))


def _pytest(
    tree: Path, files: list[str], left_out: list[str], timeout_s: float, number: int
) -> tuple[str, str] | None:
    """Return the first failing test and its error; None if all pass.

    Raises
    ------
    subprocess.TimeoutExpired
        No test failed within the time.
    """
    command = ["pytest", "-x", "-v", "-n0", "-p", "no:cacheprovider", f"--timeout={_TEST_S}"]
    # An exception in a test that hangs can be caught there: Hypothesis runs the test again.
    command += ["--timeout-method=thread"]
    command += [f"--deselect={each}" for each in left_out]
    done = run([*command, *files], tree, timeout_s, number)
    lines = re.findall(rf"(?m)^(?:FAILED|ERROR) ({_TEST})(?: - (.*))?$", done.stdout)
    if lines:
        return lines[0]
    if done.returncode < 0 or "Fatal Python error" in done.stderr:
        return files[0], f"the process died: {_last_line(done.stderr)}"
    if "+++++ Timeout +++++" in done.stdout + done.stderr:
        begun = re.findall(rf"(?m)^({_TEST}) (?:[A-Z]+ .*|\++ Timeout .*)$", done.stdout)
        return (begun or files)[-1], "Timeout"
    if done.returncode == _INTERNAL_ERROR:
        return files[0], f"pytest failed: {_last_line(done.stdout)}"
    assert done.returncode in _WITHOUT_FAILURES, f"no failure was read from {done.stdout}"
    return None


@cache
def _reach() -> Reach:
    return read_reach()


_PASSED: dict[str, bool] = {}


def _passes(original: Path, test: str) -> bool:
    """Return whether a test passes in the unchanged sources, within the time."""
    if test not in _PASSED:
        try:
            _PASSED[test] = _pytest(original, [test], [], _LAYER_S["interop"], 0) is None
        except subprocess.TimeoutExpired:
            _PASSED[test] = False
    return _PASSED[test]


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
