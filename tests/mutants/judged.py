"""The second sample: mutants that were judged by reading, before any of them was run.

Mutants are drawn from all rules by a seed, those left out that seeds were run on before, and each
is judged in the order of the draw until enough break a promise of the cluster. The file has a line
of each: name, rule, file, verdict, and why. A judgement is not changed by what a run finds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant
from tests.mutants.selection import read_sample, sample

__all__ = ["JUDGED", "JUDGED_SEED", "JUDGEMENTS", "Judged", "draw_unseen", "read_judged"]

JUDGED = Path(__file__).with_name("judged.txt")
JUDGED_SEED = 3620532415
"""The commit before the draw, d7ccf0bf, as a number."""

JUDGEMENTS = {
    "breaks": "break a promise",
    "equal": "are equal to the original",
    "harmless": "differ without breaking one",
    "outside": "change what a cluster does not use or promise",
    "unbuildable": "are rejected by the compiler",
}


@dataclass(frozen=True)
class Judged:
    """A mutant and its judgement, one of `JUDGEMENTS`."""

    name: str
    rule: str
    file: str
    verdict: str
    why: str


def read_judged(path: Path = JUDGED) -> list[Judged]:
    """Return the judged mutants in the order of their draw.

    Raises
    ------
    ValueError
        A judgement is unknown, or has no reason.
    """
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        parts = line.split(maxsplit=4)
        if len(parts) != 5 or parts[3] not in JUDGEMENTS:
            raise ValueError(f"expected name, rule, file, {', '.join(JUDGEMENTS)} and why: {line}")
        found.append(Judged(*parts))
    return found


def draw_unseen(
    mutants: Iterable[Mutant], seen: Iterable[str], count: int, seed: int = JUDGED_SEED
) -> list[Mutant]:
    """Draw mutants of promised functions that seeds were not run on before.

    Parameters
    ----------
    mutants : iterable of Mutant
    seen : iterable of str
        The names of those that seeds were run on.
    count, seed : int
    """
    judged = {each.name for each in read_judged()}
    left_out = (set(seen) - judged) | read_sample().keys()
    return sample((each for each in mutants if each.name not in left_out), count, seed)
