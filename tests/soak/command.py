"""What the commands that run real clusters for a while share: options, a report, and the end."""

import argparse
import contextlib
import random
import shutil
import sys
from pathlib import Path

from aeron_cluster.errors import InvariantError
from tests.conftest import _take_lane


def emit(line):
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def parser(program, description, seconds):
    """Return a parser of the common options; `seconds` is the help of that one."""
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    made.add_argument("--seconds", type=float, default=600.0, help=seconds)
    made.add_argument("--seed", type=int, help="of a run that is to be had again")
    made.add_argument("--report", type=Path, help="its folder; stays where something failed")
    made.add_argument("--keep", action="store_true", help="the report, though all held")
    return made


def run(given, report_of, hold):
    """Run one.

    Parameters
    ----------
    given
        The parsed options.
    report_of : callable
        Returns the folder of a seed's report where none is given.
    hold : callable
        Gets the seed, the report's folder and the first of the ports; returns what held, and
        raises an `InvariantError` for what did not.
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
    emit(f"seed {seed}: all held; {result}")
    if not given.keep:
        shutil.rmtree(report)
