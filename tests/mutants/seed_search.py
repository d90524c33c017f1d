"""Run seeds of the simulator in a tree until one fails, each confirmed on the original."""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.trees import environment, limit_memory

__all__ = ["SeedFinding", "search_seeds"]

# A terminal or an operator ends the runner with its processes: no mutant does that.
_INTERRUPTIONS = (-signal.SIGINT, -signal.SIGTERM)


@dataclass(frozen=True)
class SeedFinding:
    """The result of the seeds on a mutant.

    Parameters
    ----------
    tried : int
        The number of seeds that were run or skipped.
    how, what : str
        Empty if all passed.
    skipped : int
        The number of seeds that were not run, since they cannot detect the mutant.
    """

    tried: int
    how: str = ""
    what: str = ""
    skipped: int = 0


def search_seeds(
    tree: Path,
    original: Path,
    mode: str,
    seeds: Sequence[int],
    number: int = 0,
    can_detect: Callable[[int], bool] = lambda _: True,
) -> SeedFinding:
    """Run seeds until one fails that passes without the mutant.

    Parameters
    ----------
    tree : Path
        A tree with the mutant in its package.
    original : Path
        A tree without the mutant.
    mode : str
        The mode of the simulator.
    seeds : sequence of int
    number : int
        The number of a compiled mutant.
    can_detect : callable
        Whether a seed may differ from its run on the original; others pass without a run.
    """
    rest = [each for each in seeds if can_detect(each)]
    run = 0
    while rest:
        finding = _search(tree, mode, rest, number)
        run += finding.tried
        last = rest[finding.tried - 1]
        rest = rest[finding.tried :]
        if finding.how and _holds(original, mode, last):
            tried = seeds.index(last) + 1
            return SeedFinding(tried, finding.how, finding.what, tried - run)
    return SeedFinding(len(seeds), skipped=len(seeds) - run)


def _search(tree: Path, mode: str, seeds: Sequence[int], number: int) -> SeedFinding:
    """Run seeds until one fails."""
    given = environment(tree, number) | {"PYTHONPATH": str(tree)}
    with tempfile.TemporaryFile("w+") as listed, tempfile.TemporaryFile("w+") as errors:
        listed.write("\n".join(map(str, seeds)))
        listed.seek(0)
        with subprocess.Popen(
            _command(mode),
            cwd=tree,
            env=given,
            stdin=listed,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process:
            assert process.stdout is not None
            limit_memory(process.pid)
            tried = 0
            try:
                for line in process.stdout:
                    seed, invariant, failure = json.loads(line)
                    tried += 1
                    if invariant:
                        text = (
                            f"seed {seed}: {failure.splitlines()[0]}" if failure else f"seed {seed}"
                        )
                        return SeedFinding(tried, "failed", f"{invariant}; {text}")
                    if tried == len(seeds):
                        return SeedFinding(tried)
            finally:
                process.kill()
            code = process.wait()
        errors.seek(0)
        output = errors.read()
    if code in _INTERRUPTIONS:
        raise InterruptedError(f"{mode} seed {seeds[tried]}: ended by signal {-code}")
    is_hung = code == -signal.SIGPROF or output.startswith("Timeout")
    how = "hung" if is_hung else "died"
    last = output.strip().splitlines()[-1:] or [""]
    what = f"seed {seeds[tried]}: {last[0] if how == 'died' else ''}"
    return SeedFinding(tried + 1, how, what)


def _command(mode: str) -> list[str]:
    return [sys.executable, "-m", "tests.canaries.search", mode, "-"]


_HELD: dict[tuple[str, int], bool] = {}


def _holds(original: Path, mode: str, seed: int) -> bool:
    """Return whether a seed passes with the unchanged sources."""
    if (mode, seed) not in _HELD:
        _HELD[mode, seed] = not _search(original, mode, [seed], 0).how
    return _HELD[mode, seed]
