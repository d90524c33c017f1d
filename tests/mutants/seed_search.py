"""Run seeds of the simulator in a tree until one fails, each confirmed on the original."""

import json
import signal
import subprocess
import sys
import tempfile
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
        The number of seeds that were run.
    how, what : str
        Empty if all passed.
    """

    tried: int
    how: str = ""
    what: str = ""


def search_seeds(
    tree: Path, original: Path, mode: str, first: int, count: int, number: int = 0
) -> SeedFinding:
    """Run seeds, starting with `first`, until one fails that passes without the mutant.

    Parameters
    ----------
    tree : Path
        A tree with the mutant in its package.
    original : Path
        A tree without the mutant.
    mode : str
        The mode of the simulator.
    first, count : int
        The first seed, and the number of seeds.
    number : int
        The number of a compiled mutant.
    """
    done = 0
    while done < count:
        finding = _search(tree, mode, first + done, count - done, number)
        done += finding.tried
        if finding.how and _holds(original, mode, first + done - 1):
            return SeedFinding(done, finding.how, finding.what)
    return SeedFinding(done)


def _search(tree: Path, mode: str, first: int, count: int, number: int) -> SeedFinding:
    command = _command(mode, first)
    given = environment(tree, number) | {"PYTHONPATH": str(tree)}
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command,
            cwd=tree,
            env=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        limit_memory(process.pid)
        tried = 0
        try:
            for line in process.stdout:
                seed, invariant, failure = json.loads(line)
                tried += 1
                if invariant:
                    text = f"seed {seed}: {failure.splitlines()[0]}" if failure else f"seed {seed}"
                    return SeedFinding(tried, "failed", f"{invariant}; {text}")
                if tried == count:
                    return SeedFinding(tried)
        finally:
            process.kill()
        code = process.wait()
        errors.seek(0)
        output = errors.read()
    if code in _INTERRUPTIONS:
        raise InterruptedError(f"{mode} seed {first + tried}: ended by signal {-code}")
    is_hung = code == -signal.SIGPROF or output.startswith("Timeout")
    how = "hung" if is_hung else "died"
    last = output.strip().splitlines()[-1:] or [""]
    return SeedFinding(tried + 1, how, f"seed {first + tried}: {last[0] if how == 'died' else ''}")


def _command(mode: str, first: int) -> list[str]:
    return [sys.executable, "-m", "tests.canaries.search", mode, str(first)]


_HELD: dict[tuple[str, int], bool] = {}


def _holds(original: Path, mode: str, seed: int) -> bool:
    """Return whether a seed passes with the unchanged sources."""
    if (mode, seed) not in _HELD:
        _HELD[mode, seed] = not _search(original, mode, seed, 1, 0).how
    return _HELD[mode, seed]
