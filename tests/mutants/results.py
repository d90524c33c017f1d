"""The results of mutants, a line of JSON each, so that an interrupted run can be continued."""

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.mutants.mutant import Mutant

__all__ = ["ALL_LAYERS", "RESULTS", "SEEDS_ALONE", "Result", "Results"]

RESULTS = Path(__file__).with_name("results.jsonl")
ALL_LAYERS = "all"
SEEDS_ALONE = "seeds"
_LONGEST = 160


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a mutant.

    Parameters
    ----------
    name, file, function, rule, operator, old, new : str
        As of the mutant.
    line : int
    is_promise : bool
    mode : str
        `ALL_LAYERS` or `SEEDS_ALONE`.
    commit : str
        The commit of the sources.
    layer : str
        The layer that killed it; empty if it survived.
    how : str
        ``failed``, ``died`` or ``hung``; a process that hung is a kill only if the original ends in
        time.
    what : str
        The failed test or seed, with the failure.
    seconds : dict
        The duration of each layer.
    tried : dict
        The number of test files or seeds that were run in each layer, those skipped included.
    first_seed : int
    skipped : dict
        The number of these seeds that were not run in each layer, since their runs do not execute
        the mutant's statement: they pass as on the original.
    """

    name: str
    file: str
    line: int
    function: str
    rule: str
    operator: str
    old: str
    new: str
    is_promise: bool
    mode: str
    commit: str
    layer: str = ""
    how: str = ""
    what: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)
    first_seed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, mutant: Mutant, mode: str, commit: str, **given) -> "Result":
        """Return the result of a mutant."""
        return cls(
            name=mutant.name,
            file=mutant.file,
            line=mutant.line,
            function=mutant.function,
            rule=mutant.rule,
            operator=mutant.operator,
            old=_short(mutant.old),
            new=_short(mutant.new),
            is_promise=mutant.is_promise,
            mode=mode,
            commit=commit,
            **given,
        )

    @property
    def is_killed(self) -> bool:
        """Whether a layer detected it."""
        return bool(self.layer)

    def covers(self, wanted: dict[str, int]) -> bool:
        """Return whether the result is complete for the given numbers of seeds by mode."""
        return self.is_killed or all(self.tried.get(each, 0) >= n for each, n in wanted.items())


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


class Results:
    """The file of results; a later result replaces an earlier one of the same mutant.

    Parameters
    ----------
    path : Path
        The file; created if it is missing.
    """

    def __init__(self, path: Path = RESULTS) -> None:
        self._path = path
        self._rows = {(each.name, each.mode): each for each in self._read()}

    def _read(self) -> Iterator[Result]:
        if not self._path.exists():
            return
        for line in self._path.read_text().splitlines():
            try:
                yield Result(**json.loads(line))
            except json.JSONDecodeError:
                continue  # the run was killed while it wrote this line

    def get(self, name: str, mode: str) -> Result | None:
        """Return the latest result of a mutant, or None."""
        return self._rows.get((name, mode))

    def add(self, result: Result) -> None:
        """Keep one."""
        self._rows[result.name, result.mode] = result
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")

    def rows(self, mode: str) -> list[Result]:
        """Return the latest result of each mutant."""
        return [each for each in self._rows.values() if each.mode == mode]

    def compact(self, existing: Collection[str]) -> list[str]:
        """Write each existing mutant once, in the order of file and line.

        Parameters
        ----------
        existing : collection of str
            The names of all mutants of the sources.

        Returns
        -------
        list of str
            The names of those that no longer exist, whose results are dropped.
        """
        gone = sorted({name for name, _ in self._rows if name not in existing})
        self._rows = {key: row for key, row in self._rows.items() if key[0] in existing}
        rows = sorted(
            self._rows.values(), key=lambda each: (each.rule, each.file, each.line, each.name)
        )
        text = "".join(json.dumps(asdict(each)) + "\n" for each in rows)
        part = self._path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(self._path)
        return gone
