"""``python -m tests.hostile``: a real cluster under hostile datagrams for ten minutes."""

import argparse
import contextlib
import random
import shutil
import sys
from pathlib import Path

from aeron_cluster.errors import InvariantError
from tests.conftest import ROOT, _take_lane
from tests.hostile.siege import Siege
from tests.soak.soak import Settings


def _tell(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long it lasts")
    parser.add_argument("--seed", type=int, help="of a run that is to be had again")
    parser.add_argument("--kind", choices=["stranger", "insider"], default="stranger")
    parser.add_argument("--report", type=Path, help="its folder; stays where something failed")
    parser.add_argument("--keep", action="store_true", help="the report, though all held")
    return parser.parse_args()


def main():
    """Run one."""
    given = _arguments()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    report = given.report or ROOT / "build" / "hostile" / f"{seed}"
    if report.exists():
        shutil.rmtree(report)
    with contextlib.ExitStack() as stack:
        ports = _take_lane(stack)
        siege = Siege(Settings(seed, given.seconds, report, ports.start), _tell, kind=given.kind)
        try:
            result = siege.run()
        except InvariantError as error:
            raise SystemExit(f"seed {seed} failed: {error}\nreport: {report}") from None
    _tell(f"seed {seed}: all held; {result}; sent {dict(siege.sent)}")
    if not given.keep:
        shutil.rmtree(report)


if __name__ == "__main__":
    main()
