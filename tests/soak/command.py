"""The options, the report and the exit of the commands that run real clusters for a while."""

import argparse
import contextlib
import random
import shutil
import sys
import time
from pathlib import Path

from aeron_cluster.errors import InvariantError
from tests.conftest import _take_lane
from tests.soak import record
from tests.soak.disks import remove_stale

_FAULTS = ("kills", "power_losses")


def emit(line):
    """Write a line and flush it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def parser(program, description, seconds, recorded_as=None):
    """Return a parser of the common options.

    Parameters
    ----------
    program, description
    seconds
        The help text of the option of that name.
    recorded_as
        What the program's runs are called in a record; None if they are not recorded.
    """
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    made.add_argument("--seconds", type=float, default=600.0, help=seconds)
    made.add_argument("--seed", type=int, help="seed of a run to repeat")
    made.add_argument("--report", type=Path, help="folder of the report; retained after a failure")
    made.add_argument("--keep", action="store_true", help="retain the report after a success too")
    made.set_defaults(record=None, recorded_as=recorded_as)
    if recorded_as is not None:
        made.add_argument("--record", type=Path, help="file to which a row for the run is added")
    return made


def run(given, report_of, make, hold=lambda made: made.run(), recorded=lambda result: result):
    """Run once and exit.

    Parameters
    ----------
    given
        The parsed options.
    report_of : callable
        Returns the default folder of a seed's report.
    make : callable
        Is called with the seed, the report's folder and the first of the ports; returns the run.
        Its ``clients`` and ``left_out`` are recorded; of one that fails, its ``kills`` and
        ``power_losses`` too.
    hold : callable
        Is called with the run; returns the result, or raises an `InvariantError`.
    recorded : callable
        Returns the part of a result that has ``kills``, ``power_losses``, ``requests`` and
        ``answers``, for the record.
    """
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    report = given.report or report_of(seed)
    remove_stale()
    if report.exists():
        shutil.rmtree(report)
    began, commit = time.monotonic(), record.commit()

    def add_to_record(counted, names, failure=""):
        if given.record is not None:
            seconds = round(time.monotonic() - began)
            counts = {name: getattr(counted, name) for name in names}
            row = record.Row(
                commit,
                given.recorded_as,
                seed,
                seconds,
                failure=failure,
                clients=made.clients,
                left_out=made.left_out,
                **counts,
            )
            record.append(given.record, row)

    with contextlib.ExitStack() as stack:
        ports = _take_lane(stack)
        made = make(seed, report, ports.start)
        try:
            result = hold(made)
        except InvariantError as error:
            add_to_record(made, _FAULTS, error.invariant)
            raise SystemExit(f"seed {seed} failed: {error}\nreport: {report}") from None
        except Exception as error:
            add_to_record(made, _FAULTS, type(error).__name__)
            raise
    emit(f"seed {seed}: all checks passed; {result}")
    add_to_record(recorded(result), (*_FAULTS, "requests", "answers"))
    if not given.keep:
        shutil.rmtree(report)
