"""What seeds reach of ``cluster/`` and ``archive/``.

Usage: python -m tests.coverage.seeds [--mode consensus] [--seeds 100] [--first N] [--steer FILE]

With ``--report`` it writes two files: ``tests/simulation/steering.json`` with the weight of each
kind of fault, by which ``aeron-cluster sim --steer`` chooses seeds, and ``docs/seeds-coverage.md``
with the lines and branches that no seed reached. With ``--compiled`` the seeds run on the build for
coverage (``make build VARIANT=coverage``), and the page has those of the Cython half too.

A branch is rare if at most one seed in `RARE_ONE_IN` reached it. The weight of a kind of fault is
how many rare branches a seed with that kind reached, on average, relative to any seed. For kinds
that too few of the seeds have, more seeds are run, each for its plan: these do not change what is
usual.
"""

import argparse
import gc
import itertools
import json
import logging
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

from aeron_cluster.cli.sim.steering import read_weights, steered
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial, run_trial
from tests.conftest import ROOT, SEED
from tests.coverage import compiled
from tests.coverage.page import ranges

STEERING = ROOT / "tests/simulation/steering.json"
PAGE = ROOT / "docs/seeds-coverage.md"
RARE_ONE_IN = 20
# Figures of a kind of fault with fewer seeds are mostly chance.
FEWEST = 3
# How many plans are drawn to find such kinds, and seeds with them.
CANDIDATES = 2000
PACKAGES = ("aeron_cluster/cluster", "aeron_cluster/archive")
# Programs for operators.
TOOLS = ("/tools/", "/offline/")
DATA = ROOT / "build" / "seeds-coverage"
OBJECTS = ROOT / "build" / "temp-coverage"
SETTINGS = Path(__file__).with_name("coveragerc")
HEAD = Path(__file__).with_name("seeds_head.md")
EXIT = "exit"


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


@dataclass
class Half:
    """What no seed of a mode reached of the Python or the Cython half.

    Parameters
    ----------
    lines, branches
        How many there are.
    missing_lines, missing_branches
        By file: numbers of lines, and of branches pairs of the line and a text.
    """

    lines: int = 0
    branches: int = 0
    missing_lines: dict = field(default_factory=dict)
    missing_branches: dict = field(default_factory=dict)


def rare_arcs(runs):
    """Return the arcs that at least one seed and at most one in `RARE_ONE_IN` reached."""
    counts = Counter(arc for run in runs for arc in run.arcs)
    most = max(1, len(runs) // RARE_ONE_IN)
    return {arc for arc, count in counts.items() if count <= most}


def weights(runs, chosen=()):
    """Return the weight of each kind of fault, from what each seed reached.

    Parameters
    ----------
    runs : sequence of Reached
        Seeds as they come.
    chosen : sequence of Reached
        Seeds that were chosen for their kinds of faults.
    """
    every = [*runs, *chosen]
    rare = rare_arcs(every)
    found = {run: len(run.arcs & rare) for run in every}
    average = sum(found[run] for run in runs) / len(runs) if runs else 0.0
    by_kind = defaultdict(list)
    for run in every:
        for kind in run.kinds:
            by_kind[kind].append(found[run])
    return {
        kind: round(sum(counts) / len(counts) / average, 2)
        for kind, counts in sorted(by_kind.items())
        if len(counts) >= FEWEST and average
    }


def seeds_of_rare_kinds(first, settings, run_kinds, candidates=CANDIDATES):
    """Return further seeds, from a first one on: so many that each kind of fault that the plans
    have is in `FEWEST` of all.

    Parameters
    ----------
    first : int
    settings : Settings
    run_kinds : iterable of frozenset of str
        The kinds in each seed that is run anyway.
    candidates : int
    """
    counts = Counter(kind for kinds in run_kinds for kind in kinds)
    found = []
    for seed in range(first, first + candidates):
        kinds = kinds_of(Trial(seed, settings).plan)
        if any(counts[kind] < FEWEST for kind in kinds):
            counts.update(kinds)
            found.append(seed)
    return found


def kinds_of(plan):
    """Return the kinds of faults of a plan."""
    return frozenset(type(event).__name__ for event in plan.events)


def run_seeds(python, numbers, settings):
    """Run seeds in this process, measured from its start; return what each reached."""
    runs = []
    logging.disable(logging.CRITICAL)
    for number in numbers:
        python.switch_context(f"seed {number}")
        outcome = run_trial(number, settings)
        runs.append((f"seed {number}", kinds_of(outcome.plan)))
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


def unreached(report):
    """Return what no seed reached of the Python half, from the report of coverage.py. Modules that
    no seed imports are not counted.
    """
    half = Half()
    for name, each in sorted(json.loads(report.read_text())["files"].items()):
        summary, missing = each["summary"], each["missing_lines"]
        if is_counted(name) and len(missing) < summary["num_statements"]:
            half.lines += summary["num_statements"]
            half.branches += summary["num_branches"]
            half.missing_lines[name] = missing
            half.missing_branches[name] = [
                [start, f"{start} to {end if end > 0 else EXIT}"]
                for start, end in each["missing_branches"]
            ]
    return half


def unreached_of_compiled(counts):
    """Return what no seed reached of the Cython half, from the counts of `compiled.read`."""
    half = Half()
    for name, each in sorted(counts.items()):
        if not is_counted(name) or not any(each.lines.values()):
            continue
        missing = sorted(line for line, count in each.lines.items() if count == 0)
        half.lines += len(each.lines)
        half.branches += sum(map(len, each.branches.values()))
        half.missing_lines[name] = missing
        half.missing_branches[name] = _outcomes_not_taken(each)
    return half


def _outcomes_not_taken(source):
    """Return line and text of each outcome that was not taken, numbered within the line."""
    by_line = defaultdict(list)
    for (line, _), taken in sorted(source.branches.items()):
        by_line[line] += taken
    return [
        [line, f"{line}:{number}"]
        for line, taken in by_line.items()
        for number, count in enumerate(taken)
        if count == 0
    ]


def is_counted(name):
    """Return whether a file is of the measured packages, and no program for operators."""
    return name.startswith(PACKAGES) and not any(each in name for each in TOOLS)


def page(modes, commit):
    """Return the page: the lines and branches that no seed of any mode reached, by file.

    Parameters
    ----------
    modes : dict
        For each mode the number of its ``seeds``, and by name its ``halves`` as `Half`.
    commit : str
    """
    figures, lists = [], []
    for half in ("Python", "Cython"):
        measured = [
            Half(**mode["halves"][half]) for mode in modes.values() if half in mode["halves"]
        ]
        if len(measured) < len(modes):
            figures.append(f"| {half} | not measured | |")
            continue
        lines = _of_no_mode([each.missing_lines for each in measured])
        branches = _of_no_mode([each.missing_branches for each in measured])
        count, not_taken = sum(map(len, lines.values())), sum(map(len, branches.values()))
        total, outcomes = (
            max(each.lines for each in measured),
            max(each.branches for each in measured),
        )
        figures.append(f"| {half} | {_share(count, total)} | {_share(not_taken, outcomes)} |")
        lists += [f"\n## {half}: lines\n"]
        lists += [f"- `{name}`: {ranges(numbers)}" for name, numbers in lines.items()]
        lists += [f"\n## {half}: branches from lines that were reached\n"]
        for name, each in branches.items():
            shown = [text for line, text in each if line not in lines.get(name, ())]
            if shown:
                lists.append(f"- `{name}`: {', '.join(shown)}")
    seeds = [f"{each['seeds']} of mode {mode}" for mode, each in sorted(modes.items())]
    head = HEAD.read_text().format(
        seeds=" and ".join(seeds), commit=commit, figures="\n".join(figures)
    )
    return "\n".join([head, *lists]) + "\n"


def _of_no_mode(missing):
    """Return what all modes miss, by file."""
    found = {}
    for name in sorted(set().union(*missing)):
        some = [each[name] for each in missing if name in each]
        left = [it for it in some[0] if all(it in each for each in some)]
        if left:
            found[name] = left
    return found


def _share(count, total):
    return f"{count:,} of {total:,}, {100 * count / max(total, 1):.1f} %"


def _report_weights(given, runs, chosen):
    """Write the weights of a mode, with what they were measured from."""
    stored = json.loads(STEERING.read_text()) if STEERING.exists() else {}
    measured = {
        "commit": commit_of_sources(),
        "first": given.first,
        "seeds": len(runs),
        "chosen": len(chosen),
        "weights": weights(runs, chosen),
    }
    STEERING.write_text(
        json.dumps(stored | {given.mode: measured}, indent=1, sort_keys=True) + "\n"
    )


def commit_of_sources():
    """Return the commit of the sources, with ``+`` if the package differs from it."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run(
        [*git, "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True
    )
    differs = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "aeron_cluster"], check=False)
    return head.stdout.strip() + ("+" if differs.returncode else "")


def write_page(mode):
    """Write the page from all modes that were measured at this commit, the Cython half included."""
    path = DATA / f"{mode}.json"
    measured = json.loads(path.read_text())
    objects = DATA / f"{mode}-objects"
    if objects.exists():
        half = unreached_of_compiled(compiled.read(objects, ROOT))
        measured["halves"]["Cython"] = asdict(half)
        path.write_text(json.dumps(measured))
    every = {each.stem: json.loads(each.read_text()) for each in DATA.glob("*.json")}
    same = {name: it for name, it in every.items() if it["commit"] == measured["commit"]}
    PAGE.write_text(page(same, measured["commit"]))


def measuring(given):
    """Return the command that measures in a new process, and its environment."""
    DATA.mkdir(parents=True, exist_ok=True)
    run = [sys.executable, "-m", "coverage", "run", f"--rcfile={SETTINGS}"]
    environment = os.environ | {"COVERAGE_FILE": str(DATA / given.mode)}
    if given.compiled:
        objects = DATA / f"{given.mode}-objects"
        shutil.rmtree(objects, ignore_errors=True)
        for notes in OBJECTS.rglob("*.gcno"):
            copy = objects / notes.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(notes, copy)
        environment |= {
            "AERON_CLUSTER_BUILD": "coverage",
            "PYTHONSAFEPATH": "1",
            "PYTHONPATH": f"{ROOT / 'build' / 'lib-coverage'}:{ROOT}",
            # The counts of this run are written beside the copied notes, when the process ends.
            "GCOV_PREFIX": str(objects),
            "GCOV_PREFIX_STRIP": str(len(ROOT.parts) - 1),
        }
    return [*run, "-m", "tests.coverage.seeds", *sys.argv[1:]], environment


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.coverage.seeds", description=__doc__)
    parser.add_argument("--mode", choices=["consensus", "whole"], default="consensus")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=SEED)
    parser.add_argument("--steer", type=Path, help="run the seeds that this file chooses")
    parser.add_argument("--report", action="store_true", help="write the weights and the page")
    parser.add_argument("--compiled", action="store_true", help="on the build for coverage")
    given = parser.parse_args()
    # Only make coverage and this command need it.
    import coverage  # noqa: PLC0415

    python = coverage.Coverage.current()
    if python is None:  # measured from the first import on
        if given.compiled and not OBJECTS.exists():
            parser.error("--compiled: build first: make build VARIANT=coverage")
        command, environment = measuring(given)
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if given.report and code == 0:
            write_page(given.mode)
        return code
    settings = Settings.of(given.mode)
    numbers = itertools.count(given.first)
    if given.steer:
        numbers = steered(numbers, settings, read_weights(given.steer, given.mode))
    seeds = list(itertools.islice(numbers, given.seeds))
    chosen = []
    if given.report:
        plans = (Trial(seed, settings).plan for seed in seeds)
        chosen = seeds_of_rare_kinds(seeds[-1] + 1, settings, map(kinds_of, plans))
    every = run_seeds(python, [*seeds, *chosen], settings)
    runs, extra = every[: len(seeds)], every[len(seeds) :]
    reached = frozenset().union(*(run.arcs for run in every))
    rare = rare_arcs(every)
    sys.stdout.write(
        f"{len(runs)} seeds of mode {given.mode} from {given.first}, {len(extra)} more for rare"
        f" kinds of faults: {len(reached)} branches reached, {len(rare)} of them rare\n"
    )
    if given.report:
        _report_weights(given, runs, extra)
        report = DATA / "python-report"
        python.json_report(outfile=str(report), include=[f"*/{each}/*" for each in PACKAGES])
        measured = {
            "commit": commit_of_sources(),
            "seeds": len(every),
            "halves": {"Python": asdict(unreached(report))},
        }
        (DATA / f"{given.mode}.json").write_text(json.dumps(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
