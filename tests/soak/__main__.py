"""``python -m tests.soak``: real processes killed, paused and cut off for ten minutes."""

import argparse
import contextlib
import random
import shutil
import sys
from pathlib import Path

from aeron_cluster.errors import InvariantError
from tests.conftest import _take_lane
from tests.soak.soak import ANSWER_BOUND_S, Settings, Soak, default_report


def _tell(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long faults begin")
    parser.add_argument("--seed", type=int, help="of a run that is to be had again")
    parser.add_argument("--report", type=Path, help="its folder; stays where something failed")
    parser.add_argument("--bound", type=float, default=ANSWER_BOUND_S, help="to an answer, in s")
    parser.add_argument("--keep", action="store_true", help="the report, though all held")
    return parser.parse_args()


def main():
    """Run one soak."""
    given = _arguments()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    report = given.report or default_report(seed)
    if report.exists():
        shutil.rmtree(report)
    with contextlib.ExitStack() as stack:
        ports = _take_lane(stack)
        settings = Settings(seed, given.seconds, report, ports.start, given.bound)
        try:
            result = Soak(settings, _tell).run()
        except InvariantError as error:
            raise SystemExit(f"seed {seed} failed: {error}\nreport: {report}") from None
    _tell(f"seed {seed}: all held; {result}")
    if not given.keep:
        shutil.rmtree(report)


if __name__ == "__main__":
    main()
