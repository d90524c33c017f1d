"""Which mutants are run: so many of each rule, of every operator, drawn by a seed."""

import ast
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.mutant import Mutant

__all__ = ["SAMPLE", "drawn", "read_sample", "sample"]

SAMPLE = Path(__file__).with_name("sample.txt")
"""The mutants that were drawn once, which the figures are of."""


def read_sample(path: Path = SAMPLE) -> dict[str, str]:
    """Return the files of the mutants that were drawn, by name, in the order of the draw."""
    lines = [each.split() for each in path.read_text().splitlines() if not each.startswith("#")]
    return {name: file for name, _, file in lines}


def drawn(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draw mutants: the rules in turn, and the operators of each in turn.

    Parameters
    ----------
    mutants : iterable of Mutant
    count : int
        How many, unless there are fewer.
    seed : int
        With the same one as many more are drawn behind the same ones.
    """
    of_rules: dict[str, list[Mutant]] = defaultdict(list)
    for each in mutants:
        of_rules[each.rule].append(each)
    queues = [
        _in_turn(each, lambda mutant: mutant.operator, random.Random(f"{seed} {rule}"))
        for rule, each in sorted(of_rules.items())
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
    """Draw of those that break what a cluster promises."""
    return drawn([each for each in mutants if each.is_promise], count, seed)


def _in_turn(mutants: Sequence[Mutant], key, chance: random.Random) -> list[Mutant]:
    """Shuffle, then take of each kind in turn; of one statement nothing twice while others last."""
    groups: dict[str, list[Mutant]] = defaultdict(list)
    for each in chance.sample(mutants, len(mutants)):
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
    """Return whether a mutant of Python can be parsed; Cython decides at the build."""
    if mutant.is_compiled:
        return True
    try:
        ast.parse(mutant.edit.applied((ROOT / mutant.file).read_bytes()))
    except SyntaxError:
        return False
    return True
