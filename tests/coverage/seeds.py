"""What seeds reach of the Python half of ``cluster/`` and ``archive/``.

Usage: python -m tests.coverage.seeds [--mode consensus] [--seeds 100] [--first N] [--steer FILE]

With ``--report`` it writes two files: ``tests/simulation/steering.json`` with the weight of each
kind of fault, by which ``aeron-cluster sim --steer`` chooses seeds, and ``docs/seeds-coverage.md``
with the lines that no seed reached.

A branch is rare if at most one seed in `RARE_ONE_IN` reached it. The weight of a kind of fault is
how many rare branches a seed with that kind reached, on average, relative to any seed.
"""

import argparse
import gc
import itertools
import json
import logging
import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from aeron_cluster.cli.sim.steering import read_weights, steered
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial
from tests.conftest import ROOT, SEED
from tests.coverage.page import ranges

STEERING = ROOT / "tests/simulation/steering.json"
PAGE = ROOT / "docs/seeds-coverage.md"
RARE_ONE_IN = 20
# Figures of a kind of fault with fewer seeds are mostly chance.
FEWEST = 3
PACKAGES = ("aeron_cluster/cluster", "aeron_cluster/archive")
# Programs for operators.
TOOLS = ("/tools/", "/offline/")
DATA = ROOT / "build" / "seeds-coverage"
SETTINGS = Path(__file__).with_name("coveragerc")
HEAD = Path(__file__).with_name("seeds_head.md")


@dataclass(frozen=True)
class Reached:
    """What one seed reached.

    Parameters
    ----------
    kinds
        The kinds of faults of its plan.
    arcs
        Pairs of a file and an arc: the lines from and to which the program went.
    """

    kinds: frozenset
    arcs: frozenset


def rare_arcs(runs):
    """Return the arcs that at least one seed and at most one in `RARE_ONE_IN` reached."""
    counts = Counter(arc for run in runs for arc in run.arcs)
    most = max(1, len(runs) // RARE_ONE_IN)
    return {arc for arc, count in counts.items() if count <= most}


def weights(runs):
    """Return the weight of each kind of fault, from what each seed reached."""
    rare = rare_arcs(runs)
    found = {run: len(run.arcs & rare) for run in runs}
    average = sum(found.values()) / len(runs) if runs else 0.0
    by_kind = defaultdict(list)
    for run in runs:
        for kind in run.kinds:
            by_kind[kind].append(found[run])
    return {
        kind: round(sum(counts) / len(counts) / average, 2)
        for kind, counts in sorted(by_kind.items())
        if len(counts) >= FEWEST and average
    }


def run_seeds(python, numbers, settings):
    """Run seeds in this process, measured from its start; return what each reached."""
    runs = []
    logging.disable(logging.CRITICAL)
    for number in numbers:
        python.switch_context(f"seed {number}")
        outcome = run_trial(number, settings)
        kinds = frozenset(type(event).__name__ for event in outcome.plan.events)
        runs.append((f"seed {number}", kinds))
        if not outcome.is_good:
            sys.stdout.write(f"seed {number}: {outcome.found or outcome.failure}\n")
        gc.collect()
    python.switch_context("")
    python.stop()
    data = python.get_data()
    arcs = defaultdict(set)
    for file in data.measured_files():
        name = str(Path(file).relative_to(ROOT))
        if name.startswith(PACKAGES):
            for context, _ in runs:
                data.set_query_context(context)
                arcs[context] |= {(name, arc) for arc in data.arcs(file) or ()}
    data.set_query_contexts(None)
    return [Reached(kinds, frozenset(arcs[context])) for context, kinds in runs]


def unreached(python):
    """Return the lines that no seed reached, by file, and the number of all. Modules that no seed
    imports are not counted.
    """
    missing, total = {}, 0
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            _, statements, _, lines, _ = python.analysis2(str(path))
            if not any(each in name for each in TOOLS) and len(lines) < len(statements):
                total += len(statements)
                missing[name] = lines
    return missing, total


def page(modes):
    """Return the page: the lines that no seed of any mode reached, by file."""
    lines_of = defaultdict(list)
    for each in modes.values():
        for name, lines in each["missing"].items():
            lines_of[name].append(set(lines))
    left = {name: sorted(set.intersection(*each)) for name, each in sorted(lines_of.items())}
    count = sum(map(len, left.values()))
    total = max(each["total"] for each in modes.values())
    head = HEAD.read_text().format(
        seeds=" and ".join(
            f"{each['seeds']} of mode {mode}" for mode, each in sorted(modes.items())
        ),
        count=f"{count:,}",
        total=f"{total:,}",
        share=f"{100 * count / total:.1f} %",
    )
    lines = [head, *(f"- `{name}`: {ranges(numbers)}" for name, numbers in left.items() if numbers)]
    return "\n".join(lines) + "\n"


def _report(given, runs, missing, total):
    """Write the weights of a mode, and the page from all modes that were measured."""
    stored = json.loads(STEERING.read_text()) if STEERING.exists() else {}
    measured = {"first": given.first, "seeds": len(runs), "weights": weights(runs)}
    STEERING.write_text(
        json.dumps(stored | {given.mode: measured}, indent=1, sort_keys=True) + "\n"
    )
    report = {"seeds": len(runs), "missing": missing, "total": total}
    (DATA / f"{given.mode}.json").write_text(json.dumps(report))
    PAGE.write_text(page({path.stem: json.loads(path.read_text()) for path in DATA.glob("*.json")}))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.coverage.seeds", description=__doc__)
    parser.add_argument("--mode", choices=["consensus", "whole"], default="consensus")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=SEED)
    parser.add_argument("--steer", type=Path, help="run the seeds that this file chooses")
    parser.add_argument("--report", action="store_true", help="write the weights and the page")
    given = parser.parse_args()
    # Only make coverage and this command need it.
    import coverage  # noqa: PLC0415

    python = coverage.Coverage.current()
    if python is None:  # measured from the first import on
        DATA.mkdir(parents=True, exist_ok=True)
        run = [sys.executable, "-m", "coverage", "run", f"--rcfile={SETTINGS}"]
        environment = os.environ | {"COVERAGE_FILE": str(DATA / given.mode)}
        command = [*run, "-m", "tests.coverage.seeds", *sys.argv[1:]]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    settings = Settings.of(given.mode)
    numbers = itertools.count(given.first)
    if given.steer:
        numbers = steered(numbers, settings, read_weights(given.steer, given.mode))
    runs = run_seeds(python, itertools.islice(numbers, given.seeds), settings)
    reached = frozenset().union(*(run.arcs for run in runs))
    rare = rare_arcs(runs)
    sys.stdout.write(
        f"{len(runs)} seeds of mode {given.mode} from {given.first}: {len(reached)} branches"
        f" reached, {len(rare)} of them rare\n"
    )
    if given.report:
        _report(given, runs, *unreached(python))
    return 0


if __name__ == "__main__":
    sys.exit(main())
