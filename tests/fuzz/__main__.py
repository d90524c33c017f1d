"""``make fuzz``: damaged inputs for every parser, under the address sanitizer.

Usage: python -m tests.fuzz [--inputs 1000000] [--seed N] [--target NAME] [--jobs 2]

Datagrams, commands, messages of archives and clusters, files, channels, options, payloads and SBE
schemas: each is read, or rejected with a typed error. The results of the present sources are kept
in ``build/fuzz`` and added up; a campaign continues where an interrupted one ended. Exit code 1
after a finding. A part is repeated by its target, seed and number of inputs:
``python -m tests.fuzz --target NAME --seed N --inputs M --here``.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.conftest import ROOT, SEED
from tests.fuzz.campaign import Campaign, Part, Ran, all_targets, parts_of, run_part, serve, totals
from tests.sanitize.__main__ import sources

RESULTS = ROOT / "build" / "fuzz"
SOURCES = ("aeron_cluster", "include", "tests/fuzz", "tests/golden", "tests/unit", "setup.py")
_LONGEST_S = 900.0


def table(ran: list[Ran]) -> str:
    """Return a line for each target, and the sum."""
    sums = totals(ran)
    every = sum(sums.values(), Counter())
    lines = [f"{'target':42}{'inputs':>12}{'accepted':>10}{'a second':>10}{'found':>7}"]
    for name, each in [*sums.items(), ("all", every)]:
        share = each["accepted"] / max(each["inputs"], 1)
        rate = 1000 * each["inputs"] / max(each["milliseconds"], 1)
        lines.append(f"{name:42}{each['inputs']:12,}{share:10.0%}{rate:10,.0f}{each['found']:7}")
    return "\n".join(lines)


def report(ran: Ran) -> None:
    """Print what a part found, and how to repeat it."""
    part = ran.part
    repeat = f"--target '{part.target}' --seed {part.seed} --inputs {part.count} --here"
    for what in (*ran.findings.values(), *([ran.crash] if ran.crash else [])):
        sys.stderr.write(f"\n{part.target}: {what}\nrepeat with: python -m tests.fuzz {repeat}\n")
    sys.stderr.flush()


def earlier(path: Path) -> list[Ran]:
    """Return the results that are kept of the same sources."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return [Ran(**values | {"part": Part(**values["part"])}) for values in found]


def main() -> int:
    """Run a campaign, or one part here."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many")
    parser.add_argument("--seed", type=int, default=SEED, help="by default another one each time")
    parser.add_argument("--target", action="append", help="only this one; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--here", action="store_true", help="run one part in this process")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if given.worker:
        serve()
        return 0
    targets = all_targets()
    for name in given.target or ():
        if name not in targets:
            parser.error(f"--target: expected one of {', '.join(targets)}, found {name}")
    chosen = [targets[name] for name in given.target or targets]
    if given.here:
        ran = [run_part(targets, Part(each.name, given.seed, given.inputs)) for each in chosen]
        for each in ran:
            report(each)
        sys.stdout.write(table(ran) + "\n")
        return 0 if all(each.is_good for each in ran) else 1
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{sources(SOURCES)}.jsonl"
    ran = earlier(path)
    known = {name: sums["inputs"] for name, sums in totals(ran).items()}
    sys.stdout.write(
        f"seed {given.seed}, {len(targets)} targets; results in {path.relative_to(ROOT)}" + "\n"
    )
    began = time.monotonic()
    with path.open("a") as file:

        def on_ran(each: Ran) -> None:
            ran.append(each)
            file.write(json.dumps(asdict(each)) + "\n")
            file.flush()
            if not each.is_good:
                report(each)

        parts = parts_of(chosen, given.inputs, given.seed, known)
        Campaign(given.jobs, _LONGEST_S, on_ran).run(parts)
    sys.stdout.write(table(ran) + "\n")
    sys.stdout.write(f"{time.monotonic() - began:.0f} s on {given.jobs} processors\n")
    return 0 if all(each.is_good for each in ran) else 1


if __name__ == "__main__":
    sys.exit(main())
