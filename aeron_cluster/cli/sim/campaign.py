"""Runs many seeds on all cores, and records the results."""

from __future__ import annotations

import atexit
import contextlib
import csv
import faulthandler
import functools
import gc
import io
import logging
import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.other_hashes import OtherHashes
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial

__all__ = ["Record", "Tally", "run_seeds", "watched"]

# A run takes seconds: this much processor time, or real time without it, is a hang. A machine that
# is busy or paused is none.
_HANG_S: Final = 120.0
_ASLEEP_S: Final = 3600.0
_FIELDS: Final = (
    "commit",
    "mode",
    "first_seed",
    "last_seed",
    "seeds",
    "virtual_hours",
    "faults",
    "failures",
)


def _begin() -> None:
    # Components log injected faults, as expected.
    logging.disable(logging.CRITICAL)
    # Existing objects will not be freed: exclude them from later collections.
    gc.collect()
    gc.freeze()


@functools.cache
def _other_hashes() -> OtherHashes:
    """Return this process's second process, which has other hashes and ends with this one."""
    hashes = OtherHashes()
    atexit.register(hashes.close)
    hashes.start()
    return hashes


@contextlib.contextmanager
def watched(hang_s: float = _HANG_S) -> Iterator[None]:
    """Print a traceback and end the process if what is done within hangs.

    Parameters
    ----------
    hang_s : float
        The allowed processor time, in seconds.
    """
    # The former handler is called afterwards, and ends the process.
    faulthandler.register(signal.SIGPROF, chain=True)
    signal.setitimer(signal.ITIMER_PROF, hang_s)
    faulthandler.dump_traceback_later(_ASLEEP_S, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.unregister(signal.SIGPROF)


@watched()
def _run(seed: int, settings: Settings) -> Outcome:
    # A run creates many objects and drops few: collect garbage only once.
    gc.disable()
    try:
        hashes = _other_hashes() if settings.is_judged else None
        return run_trial(seed, settings, other_hashes=hashes)
    finally:
        gc.enable()
        gc.collect()


def run_seeds(
    seeds: Iterable[int], settings: Settings, *, jobs: int | None = None
) -> Iterator[Outcome]:
    """Run seeds in processes, and yield the outcomes as runs end.

    Parameters
    ----------
    seeds : iterable of int
    settings : Settings
        The settings of the runs, with names that another process can import.
    jobs : int, optional
        The number of processes; by default one for each core.

    Notes
    -----
    If a process dies, or uses two minutes of processor time for a run, all seeds that ran in it
    count as failed: run them alone to find the cause.
    """
    jobs = jobs or len(os.sched_getaffinity(0))
    pending: dict[Future[Outcome], int] = {}
    source = iter(seeds)
    while True:
        with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin) as pool:
            try:
                for seed in source:
                    pending[pool.submit(_run, seed, settings)] = seed
                    if len(pending) >= 2 * jobs:
                        yield from _finished(pending)
                while pending:
                    yield from _finished(pending)
            except BrokenProcessPool:
                for seed in pending.values():
                    yield _died(seed)
                pending.clear()
                continue
            else:
                return
            finally:
                pool.shutdown(cancel_futures=True)


def _finished(pending: dict[Future[Outcome], int]) -> Iterator[Outcome]:
    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in done:
        outcome = future.result()
        del pending[future]
        yield outcome


def _died(seed: int) -> Outcome:
    what = "the process died or hung"
    return Outcome(seed=seed, plan=FaultPlan(), failure=what, invariant=what)


@dataclass
class Tally:
    """The results of many runs.

    Attributes
    ----------
    count : int
    virtual_ns : int
    counts : Counter
        Totals: faults by kind, requests and so on.
    failures : list of Outcome
    """

    count: int = 0
    virtual_ns: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Add a run."""
        self.count += 1
        self.virtual_ns += outcome.virtual_ns
        self.counts.update(outcome.counts)
        if not outcome.is_good:
            self.failures.append(outcome)


class Record:
    """A file with a row for each campaign: seeds, commit, faults and failures.

    Parameters
    ----------
    path : path-like
        The file; created if missing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def rows(self) -> list[dict[str, str]]:
        """Return the rows."""
        if not self._path.exists():
            return []
        return list(csv.DictReader(io.StringIO(self._path.read_text(encoding="utf-8"))))

    def next_seed(self, mode: str) -> int:
        """Return the first seed of a mode that has not been run yet."""
        return max(
            (int(row["last_seed"]) + 1 for row in self.rows() if row["mode"] == mode), default=0
        )

    def append(self, commit: str, mode: str, seeds: Sequence[int], tally: Tally) -> None:
        """Add a line for a run of seeds in ascending order."""
        faults = {name: n for name, n in sorted(tally.counts.items()) if name[0].isupper()}
        row = {
            "commit": commit,
            "mode": mode,
            "first_seed": seeds[0],
            "last_seed": seeds[-1],
            "seeds": tally.count,
            "virtual_hours": f"{tally.virtual_ns / 3.6e12:.2f}",
            "faults": " ".join(f"{name}={n}" for name, n in faults.items()),
            "failures": " ".join(f"{each.seed}:{each.invariant}" for each in tally.failures),
        }
        is_new = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, _FIELDS, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(row)
