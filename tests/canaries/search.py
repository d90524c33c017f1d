"""Run seeds one after the other and report what became of each: for a package with a bug in it.

Usage: python -m tests.canaries.search MODE FIRST, where the package is; the caller ends it.
"""

import faulthandler
import gc
import itertools
import json
import logging
import signal
import sys
from pathlib import Path

import aeron_cluster
from aeron_cluster.simulator.trials.trial import Settings, run_trial

# Of processor time: beside others a process may wait long for its turn.
HANG_S = 120.0
LONGEST_WAIT_S = 20 * HANG_S


def main(mode: str, first: int) -> None:
    found = Path(aeron_cluster.__file__).parent.parent
    assert found == Path.cwd(), f"expected the package of {Path.cwd()}, found that of {found}"
    # What components log of the faults that they meet is what they should.
    logging.disable(logging.CRITICAL)
    # With a traceback, then as the signal does by default.
    faulthandler.register(signal.SIGPROF, chain=True)
    gc.collect()
    gc.freeze()
    for seed in itertools.count(first):
        signal.setitimer(signal.ITIMER_PROF, HANG_S)
        faulthandler.dump_traceback_later(LONGEST_WAIT_S, exit=True)
        # As a campaign does: a run makes many objects and drops few.
        gc.disable()
        outcome = run_trial(seed, Settings.of(mode))
        gc.enable()
        gc.collect()
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(json.dumps([seed, outcome.invariant, outcome.failure]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
