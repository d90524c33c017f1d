"""Time hot functions on a pinned processor, store the run, and compare it with the previous one.

Usage: ``python -m benchmarks.micro [--cpu 1] [--fast] [--only calls|loops]`` (``make micro``).
pyperf first checks the machine and then times the calls from Python; pytest-benchmark times the
loops without the GIL. Runs are stored in ``build/micro``; ``make clean`` removes them.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from aeron_cluster.memory.system.affinity import available_cpus, pin_thread
from benchmarks.build import ROOT, build

RUNS = ROOT / "build" / "micro"
LOOPS = "benchmarks/micro/bench_loops.py"


def python(*arguments: object) -> int:
    """Run a module of this environment; return its exit code."""
    command = [sys.executable, *map(str, arguments)]
    print(f"$ python {' '.join(command[1:])}", flush=True)
    return subprocess.run(command, check=False, cwd=ROOT).returncode


def commit() -> str:
    """Return the commit of the sources."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def newest(folder: Path) -> Path | None:
    """Return the last stored run, if any: names begin with the time."""
    return max(folder.glob("*.json"), default=None)


def calls(cpu: int, options: Sequence[str], folder: Path = RUNS / "calls") -> int:
    """Run the calls from Python, store the run and compare it."""
    folder.mkdir(parents=True, exist_ok=True)
    before = newest(folder)
    run = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{commit()}.json"
    code = python("-m", "benchmarks.micro.python_calls", "--affinity", cpu, "-o", run, *options)
    if code != 0:
        return code
    python("-m", "pyperf", "check", run)
    if before is None:
        print("no earlier run to compare with")
        return 0
    return python("-m", "pyperf", "compare_to", "--table", before, run)


def loops(folder: Path = RUNS / "loops") -> int:
    """Run the loops, store the run and compare it."""
    return python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", LOOPS),
        *("--benchmark-enable", "--benchmark-autosave", f"--benchmark-storage=file://{folder}"),
        *(("--benchmark-compare",) if any(folder.rglob("*.json")) else ()),
        *("--benchmark-columns=min,median,iqr", "--benchmark-sort=name"),
    )


def main(given: Sequence[str] | None = None) -> int:
    """Run both, or the requested one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", type=int, default=available_cpus()[0], help="processor to pin to")
    parser.add_argument("--fast", action="store_true", help="fewer processes of pyperf")
    parser.add_argument("--only", choices=("calls", "loops"), help="of these")
    arguments = parser.parse_args(given)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    build()
    # pyperf names what makes figures unsteady, and exits with 1 if it finds anything.
    python("-m", "pyperf", "system", "show")
    code = 0
    if arguments.only != "loops":
        code = calls(arguments.cpu, ["--fast"] if arguments.fast else [])
    if arguments.only != "calls":
        pin_thread({arguments.cpu})  # child processes inherit it
        code = loops() or code
    return code


if __name__ == "__main__":
    sys.exit(main())
