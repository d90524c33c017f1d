"""Run seeds one after the other on a package with a bug, and report the result of each.

Usage: python -m tests.canaries.search MODE FIRST [FAULT], in the directory of the package. It runs
until the caller ends it; with the name of a kind of fault, only the seeds that have drawn it. With
``-`` instead of the first seed it runs the seeds of standard input, one a line, and ends.
"""

import faulthandler
import gc
import itertools
import json
import logging
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import aeron_cluster
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial, run_trial

__all__ = ["GIVEN", "prepare", "run_seed"]

GIVEN = "-"
# Limits processor time: on a busy machine real time would vary too much.
HANG_S = 120.0
LONGEST_WAIT_S = 20 * HANG_S


def with_fault(fault: str, first: int, settings: Settings) -> Iterator[int]:
    """Yield the seeds from the first on whose plan has a kind of fault; all of them for ''."""
    for seed in itertools.count(first):
        events = Trial(seed, settings).plan.events if fault else ()
        if not fault or any(type(each).__name__ == fault for each in events):
            yield seed


def prepare() -> None:
    """Prepare this process to run seeds of the package in its directory."""
    found = Path(aeron_cluster.__file__).parent.parent
    assert found == Path.cwd(), f"expected the package of {Path.cwd()}, found that of {found}"
    # Components log the simulated faults as they should; the logs are not of interest.
    logging.disable(logging.CRITICAL)
    # Print a traceback, then end as the signal does by default.
    faulthandler.register(signal.SIGPROF, chain=True)
    gc.collect()
    gc.freeze()


def run_seed(seed: int, settings: Settings) -> Outcome:
    """Run a seed; the process ends if it hangs."""
    signal.setitimer(signal.ITIMER_PROF, HANG_S)
    faulthandler.dump_traceback_later(LONGEST_WAIT_S, exit=True)
    outcome = run_trial(seed, settings)
    gc.collect()
    faulthandler.cancel_dump_traceback_later()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return outcome


def main(mode: str, first: str, fault: str = "") -> None:
    prepare()
    settings = Settings.of(mode)
    seeds: Iterable[int]
    if first == GIVEN:
        seeds = map(int, sys.stdin.read().split())
    else:
        seeds = with_fault(fault, int(first), settings)
    for seed in seeds:
        outcome = run_seed(seed, settings)
        sys.stdout.write(json.dumps([seed, outcome.invariant, outcome.failure]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
