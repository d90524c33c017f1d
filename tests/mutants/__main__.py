"""``make mutants``: make mistakes in the sources, and measure which layer detects each.

Usage: python -m tests.mutants [--count 600] [--seed N] [--seeds-only] [--rule NAME] [NAME ...]
       python -m tests.mutants --seed-lines [--first N] [--consensus N] [--whole N] [--jobs N]
"""

import argparse
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from tests.conftest import ROOT, SEED
from tests.mutants.catalogue import catalogued_mutants
from tests.mutants.judged import JUDGED_SEED, draw_unseen, read_judged
from tests.mutants.layers import LAYERS, SEED_LAYERS
from tests.mutants.measured import Measured
from tests.mutants.mutant import Mutant
from tests.mutants.reach import measure
from tests.mutants.report import PAGE, page
from tests.mutants.report_texts import scope_text
from tests.mutants.results import ALL_LAYERS, RESULTS, SEEDS_ALONE, Result, Results
from tests.mutants.rules import RULES, generated_mutants
from tests.mutants.runner import Campaign, run_mutants
from tests.mutants.seed_lines import SeedLines, measure_seeds
from tests.mutants.selection import draw_mutants, read_sample, redraw, sample


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", help="mutants to run; by default those that are drawn")
    add("--seed", type=int, default=1, help="the seed that draws the mutants")
    add("--count", type=int, help="number of mutants: 600, or 120 besides the catalogue")
    add(
        "--rule", action="append", choices=[each.name for each in RULES], help="only of these files"
    )
    add("--kind", choices=("python", "compiled", "catalogue"), help="only by this operator")
    add("--seeds-only", action="store_true", help="the sample for the seeds")
    add("--sample", action="store_true", help="the kept sample, by the seeds alone")
    add("--judged", action="store_true", help="the second sample, by the seeds alone")
    add("--draw", type=int, help="print so many mutants to be judged for the second sample")
    add("--draws", type=int, default=1, help="the version of the draws: 2 has more rules")
    add("--again", action="store_true", help="also those whose results are known")
    add("--layers", help=f"some of {','.join(LAYERS)}")
    add("--consensus", type=int, default=2000, help="number of consensus seeds")
    add("--whole", type=int, default=100, help="number of seeds of whole clusters")
    add("--first", type=int, default=SEED, help="the first seed of the simulator")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="mutants at a time")
    add("--batch", type=int, default=400, help="compiled mutants per build")
    add("--minutes", type=float, help="begin no mutant after this time")
    add("--results", type=Path, default=RESULTS, help="the file of results")
    add("--list", action="store_true", help="only print the mutants")
    add("--reach", action="store_true", help="measure which tests call which functions, and end")
    add(
        "--seed-lines",
        action="store_true",
        help="measure which lines the seeds execute on the original, so that mutants are run by"
        " those alone that execute their statements, and end",
    )
    add("--record", type=Path, help="with --seed-lines: add a row for the seeds, as sim --record")
    add("--redraw", action="store_true", help="replace what is gone from the kept sample, and end")
    add(
        "--report", action="store_true", help=f"write {PAGE.name} from the results, and run nothing"
    )
    return parser.parse_args()


def _chosen(arguments: argparse.Namespace) -> list[Mutant]:
    known = [*catalogued_mutants(), *generated_mutants()]
    by_name = {each.name: each for each in known}
    if arguments.names:
        unknown = [name for name in arguments.names if name not in by_name]
        if unknown:
            sys.exit(f"no such mutants: {', '.join(unknown)}")
        return [by_name[name] for name in arguments.names]
    if arguments.judged:
        return [by_name[each.name] for each in read_judged() if each.verdict == "breaks"]
    if not arguments.rule:
        drawn = {each.name for each in RULES if each.since <= arguments.draws}
        known = [each for each in known if each.rule in drawn]
    if arguments.rule:
        known = [each for each in known if each.rule in arguments.rule]
    is_real = {True: [], False: []}
    for each in known:
        is_real[each.operator == "catalogue"].append(each)
    if arguments.sample:
        found = [by_name[name] for name in read_sample()]
    elif arguments.seeds_only:
        real = [each for each in is_real[True] if each.is_promise]
        found = [*real, *sample(is_real[False], arguments.count or 120, arguments.seed)]
    else:
        count = arguments.count or 600
        real = is_real[True]
        found = [*real, *draw_mutants(is_real[False], max(0, count - len(real)), arguments.seed)]
    kinds = {
        None: lambda each: True,  # noqa: ARG005
        "python": lambda each: not each.is_compiled,
        "compiled": lambda each: each.is_compiled,
        "catalogue": lambda each: each.operator == "catalogue",
    }
    return [each for each in found if kinds[arguments.kind](each)]


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _measure_seeds(arguments: argparse.Namespace, console: Console) -> int:
    lines = SeedLines()
    counts = {"consensus": arguments.consensus, "whole": arguments.whole}
    seeds = {mode: range(arguments.first, arguments.first + n) for mode, n in counts.items()}
    left = {mode: len(lines.left(mode, numbers)) for mode, numbers in seeds.items()}
    console.print(f"of the seeds from {arguments.first} are measured now: {left}", markup=False)

    measured = Measured(arguments.record)

    def on_row(row: Mapping[str, object]) -> None:
        if "seed" in row:
            console.print(f"{row['mode']} seed {row['seed']}")
        measured.add(row)

    # As Ctrl-C does, it ends the processes, and what was measured is recorded.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        failures = measure_seeds(lines, seeds, arguments.jobs, on_row)
    except KeyboardInterrupt:
        console.print("interrupted: the same command continues")
        return 128 + signal.SIGINT
    finally:
        measured.write(_commit())
    for each in failures:
        console.print(f"fails on the original, {each}", markup=False)
    return 1 if failures else 0


def main() -> int:
    arguments = _arguments()
    console = Console(highlight=False, soft_wrap=True)
    results = Results(arguments.results)
    if arguments.report:
        names = {each.name for each in [*catalogued_mutants(), *generated_mutants()]}
        for name in results.compact(names):
            console.print(f"{name} no longer exists: its result is dropped")
        rows = [*results.rows(SEEDS_ALONE), *results.rows(ALL_LAYERS)]
        PAGE.write_text(page(results, scope=scope_text(rows)))
        return 0
    if arguments.reach:
        return measure()
    if arguments.seed_lines:
        return _measure_seeds(arguments, console)
    if arguments.redraw:
        for old, new in redraw(generated_mutants()).items():
            console.print(f"{old} is gone, {new} drawn")
        return 0
    if arguments.draw:
        seen = [each.name for each in results.rows(SEEDS_ALONE)]
        console.print(f"{arguments.draw} mutants, drawn by seed {JUDGED_SEED}")
        for each in draw_unseen(generated_mutants(), seen, arguments.draw):
            console.print(f"{each.name} {each.rule} {each}", markup=False)
        return 0
    arguments.seeds_only = arguments.seeds_only or arguments.sample or arguments.judged
    mutants = _chosen(arguments)
    seeds = f"seed {arguments.seed}, the first of the simulator is {arguments.first}"
    console.print(f"{len(mutants)} mutants, drawn by {seeds}")
    if arguments.list:
        for each in mutants:
            console.print(f"{each.name} {each.rule} {each}", markup=False)
        return 0
    layers = SEED_LAYERS if arguments.seeds_only else LAYERS
    if arguments.layers:
        layers = tuple(each for each in LAYERS if each in arguments.layers.split(","))
    campaign = Campaign(
        layers=layers,
        mode=SEEDS_ALONE if arguments.seeds_only else ALL_LAYERS,
        seeds={"consensus": arguments.consensus, "whole": arguments.whole},
        first_seed=arguments.first,
        commit=_commit(),
        jobs=arguments.jobs,
        batch=arguments.batch,
        is_again=arguments.again,
        end_s=time.monotonic() + 60 * arguments.minutes if arguments.minutes else math.inf,
    )
    survived: list[Result] = []

    def on_result(result: Result) -> None:
        took_s = sum(result.seconds.values())
        end = f"{result.layer} ({result.what})" if result.is_killed else "SURVIVED"
        what = f"{result.file}:{result.line} {result.operator}: {result.old} -> {result.new}"
        if result.skipped:
            run = {each: result.tried[each] - n for each, n in result.skipped.items()}
            end += f"; seeds run {run}, skipped {result.skipped}"
        console.print(f"{result.name} {took_s:.0f} s {what}: {end}", markup=False)
        if not result.is_killed:
            survived.append(result)

    run_mutants(mutants, campaign, results, on_result)
    console.print(f"{len(survived)} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
