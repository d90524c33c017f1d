"""The mutants to run, drawn by a seed from each rule and every operator."""

import ast
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.mutant import Mutant

__all__ = ["SAMPLE", "draw_mutants", "read_sample", "redraw", "sample"]

SAMPLE = Path(__file__).with_name("sample.txt")
"""The kept sample of mutants, to which the figures apply."""


def read_sample(path: Path = SAMPLE) -> dict[str, str]:
    """Return the files of the mutants of the sample, by name, in the order of the draw."""
    lines = [each.split() for each in path.read_text().splitlines() if not each.startswith("#")]
    return {name: file for name, _, file in lines}


def draw_mutants(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draw mutants: the rules in turn, and the operators of each in turn.

    Parameters
    ----------
    mutants : iterable of Mutant
    count : int
        The number of mutants, or all if there are fewer.
    seed : int
        The seed; with a larger `count` the same one draws the same mutants first.
    """
    by_rule: dict[str, list[Mutant]] = defaultdict(list)
    for each in mutants:
        by_rule[each.rule].append(each)
    queues = [
        _round_robin(each, lambda mutant: mutant.operator, random.Random(f"{seed} {rule}"))
        for rule, each in sorted(by_rule.items())
    ]
    found: list[Mutant] = []
    while len(found) < count and any(queues):
        for queue in queues:
            while queue:
                mutant = queue.pop(0)
                if _is_program(mutant):
                    found.append(mutant)
                    break
    return found[:count]


def sample(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draw from the mutants that break a promise of the cluster."""
    return draw_mutants([each for each in mutants if each.is_promise], count, seed)


def redraw(mutants: Collection[Mutant], path: Path = SAMPLE, seed: int = 1) -> dict[str, str]:
    """Replace each mutant of the kept sample whose statement is gone by the next draw of its rule.

    Parameters
    ----------
    mutants : collection of Mutant
        All that exist.
    path : Path
        The sample's file, which is written.
    seed : int
        The seed of the sample.

    Returns
    -------
    dict
        The new names, by the old ones.
    """
    by_name = {each.name: each for each in mutants}
    lines = path.read_text().splitlines()
    kept = read_sample(path).keys() & by_name.keys()
    replaced: dict[str, str] = {}
    for index, line in enumerate(lines):
        name, rule = [*line.split(), "", ""][:2]
        if line.startswith("#") or name in kept:
            continue
        of_rule = [each for each in mutants if each.rule == rule]
        order = sample(of_rule, len(kept) + 1, seed)
        found = next(each for each in order if each.name not in kept)
        lines[index] = f"{found.name} {found.rule} {found.file}"
        kept.add(found.name)
        replaced[name] = found.name
    path.write_text("\n".join(lines) + "\n")
    return replaced


def _round_robin(mutants: Sequence[Mutant], key, source: random.Random) -> list[Mutant]:
    """Shuffle, then draw from each kind in turn; each statement once before any twice."""
    groups: dict[str, list[Mutant]] = defaultdict(list)
    for each in source.sample(mutants, len(mutants)):
        groups[key(each)].append(each)
    ordered: list[Mutant] = []
    later: list[Mutant] = []
    places: set[tuple[str, int]] = set()
    while any(groups.values()):
        for group in groups.values():
            if group:
                mutant = group.pop(0)
                place = (mutant.file, mutant.line)
                (later if place in places else ordered).append(mutant)
                places.add(place)
    return ordered + later


def _is_program(mutant: Mutant) -> bool:
    """Return whether a Python mutant can be parsed; a Cython mutant is checked by the build."""
    if mutant.is_compiled:
        return True
    try:
        ast.parse(mutant.edit.applied((ROOT / mutant.file).read_bytes()))
    except SyntaxError:
        return False
    return True
