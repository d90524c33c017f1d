"""Run mutants through the layers, several at a time, and store their results."""

import math
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.layers import SEED_LAYERS, MutantSources, run_layer
from tests.mutants.mutant import Mutant
from tests.mutants.outdated import is_outdated
from tests.mutants.results import Result, Results
from tests.mutants.trees import build_batch, mutated, python_tree

__all__ = ["Campaign", "run_mutants"]

# Some minutes of a core each.
_PARTS = {"consensus": 200, "whole": 20}


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """The settings of a run of mutants.

    Parameters
    ----------
    layers : tuple of str
    mode : str
        As of `Result`.
    seeds : dict
        The number of seeds of each mode of the simulator.
    first_seed : int
    commit : str
    jobs : int
        The number of mutants at a time.
    batch : int
        The number of compiled mutants per build.
    end_s : float
        The time after which no mutant and no part of its seeds begins, on the monotonic clock.
    is_again : bool
        Whether mutants whose results are known are run again.
    parts : dict
        The number of seeds of each mode after which a mutant that passed is stored.
    """

    layers: tuple[str, ...]
    mode: str
    seeds: dict[str, int]
    first_seed: int
    commit: str
    jobs: int
    batch: int
    end_s: float = math.inf
    is_again: bool = False
    parts: dict[str, int] = field(default_factory=lambda: dict(_PARTS))


def run_mutants(
    mutants: Sequence[Mutant],
    campaign: Campaign,
    results: Results,
    on_result: Callable[[Result], object],
) -> None:
    """Run all mutants whose results are not known yet."""
    todo = [each for each in mutants if not _is_known(each, campaign, results)]
    python = [each for each in todo if not each.is_compiled]
    compiled = [each for each in todo if each.is_compiled]

    lock = threading.Lock()

    def store_part(result: Result) -> None:
        with lock:
            results.add(result)

    def store(result: Result) -> None:
        store_part(result)
        on_result(result)

    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        original = python_tree(Path(name) / "original")
        trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(min(campaign.jobs, len(python))):
            trees.put(python_tree(Path(name) / f"python-{number}"))

        def run_python(mutant: Mutant) -> Result | None:
            if time.monotonic() >= campaign.end_s:
                return None
            tree = trees.get()
            try:
                with mutated(mutant, tree):
                    return _run(mutant, (tree, original), 0, campaign, results, store_part)
            finally:
                trees.put(tree)

        _in_parallel(python, run_python, campaign.jobs, store)
        for begin in range(0, len(compiled), campaign.batch):
            if time.monotonic() >= campaign.end_s:
                return
            part = compiled[begin : begin + campaign.batch]
            tree = Path(name) / f"compiled-{begin}"
            tree.mkdir()
            _run_batch(part, (tree, original), campaign, results, (store, store_part))
            shutil.rmtree(tree)


def _is_known(mutant: Mutant, campaign: Campaign, results: Results) -> bool:
    known = results.get(mutant.name, campaign.mode)
    wanted = {each: n for each, n in campaign.seeds.items() if each in campaign.layers}
    if campaign.is_again or known is None or is_outdated(known):
        return False
    return known.covers(wanted)


def _run_batch(
    mutants: Sequence[Mutant],
    trees: tuple[Path, Path],
    campaign: Campaign,
    results: Results,
    stores: tuple[Callable[[Result], object], Callable[[Result], object]],
) -> None:
    store, store_part = stores
    numbers, rejected = build_batch(trees[0], mutants)
    for mutant in mutants:
        if mutant.name in rejected:
            given = {"what": f"cython: {rejected[mutant.name]}"}
            if "types" in campaign.layers:
                given |= {"layer": "types", "how": "failed"}
            store(Result.of(mutant, campaign.mode, campaign.commit, **given))
    rest = [each for each in mutants if each.name in numbers]

    def run_compiled(mutant: Mutant) -> Result | None:
        if time.monotonic() >= campaign.end_s:
            return None
        number = numbers[mutant.name]
        return _run(mutant, trees, number, campaign, results, store_part)

    _in_parallel(rest, run_compiled, campaign.jobs, store)


def _in_parallel(
    mutants: Sequence[Mutant],
    action: Callable[[Mutant], Result | None],
    jobs: int,
    store: Callable[[Result], object],
) -> None:
    """Run an action on each mutant, and store each result as soon as it is there.

    What ends after an interruption is not stored: the signal may have ended its processes as well.
    """
    lock = threading.Lock()
    is_interrupted = threading.Event()

    def run(mutant: Mutant) -> None:
        result = action(mutant)
        with lock:
            if result is not None and not is_interrupted.is_set():
                store(result)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for future in as_completed([pool.submit(run, each) for each in mutants]):
                future.result()
        except BaseException:
            is_interrupted.set()
            pool.shutdown(cancel_futures=True)
            raise


def _run(
    mutant: Mutant,
    trees: tuple[Path, Path],
    number: int,
    campaign: Campaign,
    results: Results,
    store: Callable[[Result], object],
) -> Result:
    """Run a mutant in the first tree; the second one has no mutant.

    What passed so far is stored after each part of the seeds, so that a later run continues there.
    """
    known = results.get(mutant.name, campaign.mode)
    # Survivors of fewer seeds continue with the next seeds, if the sources are the same.
    is_same = (
        known is not None
        and not (known.is_killed or campaign.is_again)
        and (known.commit, known.first_seed) == (campaign.commit, campaign.first_seed)
    )
    tried = dict(known.tried) if known is not None and is_same else {}
    seconds = dict(known.seconds) if known is not None and is_same else {}
    skipped = dict(known.skipped) if known is not None and is_same else {}

    def result(**given: str) -> Result:
        return Result.of(
            mutant,
            campaign.mode,
            campaign.commit,
            seconds=dict(seconds),
            tried=dict(tried),
            skipped=dict(skipped),
            first_seed=campaign.first_seed,
            **given,
        )

    for layer, seeds in _parts(campaign, tried):
        if tried and time.monotonic() >= campaign.end_s:
            break
        sources = MutantSources(*trees, number, seeds, campaign.first_seed, dict(tried))
        finding = run_layer(layer, mutant, sources)
        tried[layer] = finding.tried
        if finding.skipped:
            skipped[layer] = skipped.get(layer, 0) + finding.skipped
        seconds[layer] = round(seconds.get(layer, 0.0) + finding.seconds, 1)
        if finding.how:
            return result(layer=layer, how=finding.how, what=finding.what)
        if layer in SEED_LAYERS:
            store(result())
    return result()


def _parts(campaign: Campaign, tried: dict[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the layers with the number of seeds to reach, those of seeds in several parts."""
    for layer in campaign.layers:
        most = campaign.seeds.get(layer, 0) if layer in SEED_LAYERS else 0
        part = campaign.parts.get(layer, most)
        ends = [*range(tried.get(layer, 0) + part, most, part), most] if part else [most]
        for end in ends:
            yield layer, {layer: end}
