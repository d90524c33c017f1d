"""The options, the report and the exit of the commands that run real clusters for a while."""

import argparse
import contextlib
import random
import shutil
import sys
from pathlib import Path

from aeron_cluster.errors import InvariantError
from tests.conftest import _take_lane


def emit(line):
    """Write a line and flush it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def parser(program, description, seconds):
    """Return a parser of the common options; `seconds` is the help text of that option."""
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    made.add_argument("--seconds", type=float, default=600.0, help=seconds)
    made.add_argument("--seed", type=int, help="seed of a run to repeat")
    made.add_argument("--report", type=Path, help="folder of the report; retained after a failure")
    made.add_argument("--keep", action="store_true", help="retain the report after a success too")
    return made


def run(given, report_of, hold):
    """Run once and exit.

    Parameters
    ----------
    given
        The parsed options.
    report_of : callable
        Returns the default folder of a seed's report.
    hold : callable
        Is called with the seed, the report's folder and the first of the ports; returns the result,
        or raises an `InvariantError`.
    """
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    report = given.report or report_of(seed)
    if report.exists():
        shutil.rmtree(report)
    with contextlib.ExitStack() as stack:
        ports = _take_lane(stack)
        try:
            result = hold(seed, report, ports.start)
        except InvariantError as error:
            raise SystemExit(f"seed {seed} failed: {error}\nreport: {report}") from None
    emit(f"seed {seed}: all checks passed; {result}")
    if not given.keep:
        shutil.rmtree(report)
