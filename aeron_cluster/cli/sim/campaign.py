"""Runs many seeds on all cores."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import functools
import gc
import itertools
import logging
import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Final

from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.other_hashes import OtherHashes
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial

__all__ = ["run_seeds", "watched"]

# A run takes seconds: this much processor time, or real time without it, is a hang. A machine that
# is busy or paused is none. Under the address sanitizer a run takes ten times as long.
_HANG_S: Final = float(os.environ.get("AERON_CLUSTER_HANG_SECONDS", "120"))
_ASLEEP_S: Final = 3600.0
_ENDS: Final = (signal.SIGINT, signal.SIGTERM)


def _begin() -> None:
    # Between runs, an interrupt would lose the next one, for which the campaign would wait.
    for each in _ENDS:
        signal.signal(each, signal.SIG_IGN)
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


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let a signal interrupt what is done within: it is left, and did not fail."""
    before = {each: signal.signal(each, signal.default_int_handler) for each in _ENDS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@watched()
def _run(seed: int, settings: Settings) -> Outcome:
    try:
        with _interruptible():
            hashes = _other_hashes() if settings.is_judged else None
            return run_trial(seed, settings, other_hashes=hashes)
    finally:
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
    If a process dies, or uses too much processor time for a run, by default two minutes, all seeds
    that ran in it count as failed: run them alone to find the cause.
    """
    jobs = jobs or len(os.sched_getaffinity(0))
    pending: dict[Future[Outcome], int] = {}
    source = iter(seeds)
    while True:
        others = set(active_children())
        with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin) as pool:
            try:
                for seed in source:
                    try:
                        future = pool.submit(_run, seed, settings)
                    except BrokenProcessPool:
                        source = itertools.chain((seed,), source)  # it is run in the next pool
                        raise
                    pending[future] = seed
                    if len(pending) >= 2 * jobs:
                        yield from _finished(pending)
                while pending:
                    yield from _finished(pending)
            except BrokenProcessPool:
                # The pool waits for them, and idle ones ignore its signal: without end if the dead
                # one held the lock of their queue.
                for process in set(active_children()) - others:
                    process.kill()
                for future, seed in pending.items():
                    has_ended = future.done() and future.exception() is None
                    yield future.result() if has_ended else _died(seed)
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
