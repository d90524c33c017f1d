"""The record of simulated seeds: a file with a row for each run, extended while it runs."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import io
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.trials.outcome import Outcome

__all__ = ["Record", "RunInProgress", "Tally"]

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
# What a run that is killed loses at most.
_BATCH: Final = 200
_INTERVAL_NS: Final = 60_000_000_000


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
        if not outcome.is_good:
            self.failures.append(outcome)
        self.virtual_ns += outcome.virtual_ns
        self.counts.update(outcome.counts)
        # Last: a seed counts once all that it found does, also if a signal comes in between.
        self.count += 1


class Record:
    """A file with a row for each run: seeds, commit, faults and failures.

    Parameters
    ----------
    path : path-like
        The file; created if missing.

    Raises
    ------
    ConfigurationError
        The file has other columns: it is no record, or one of another version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        text = (
            self._path.read_text(encoding="utf-8", errors="replace") if self._path.exists() else ""
        )
        columns = next(csv.reader(io.StringIO(text)), _FIELDS)
        if tuple(columns) != _FIELDS:
            expected = f"a file with the columns {', '.join(_FIELDS)}"
            raise ConfigurationError("--record", expected, ", ".join(columns))

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

    def put(self, row: dict[str, str], earlier: Sequence[dict[str, str]]) -> None:
        """Add a row, or replace the earlier one of the same run.

        Parameters
        ----------
        row : dict of str to str
        earlier : sequence of dict of str to str
            The rows of the run that were put before; one at most is in the file.

        Notes
        -----
        The new file is on the disk before it replaces the old one. Several processes may add rows.
        """
        with self._locked():
            rows = self.rows()
            found = [index for index, each in enumerate(rows) if each in earlier]
            if found:
                rows[found[-1]] = row
            else:
                rows.append(row)
            written = self._path.with_name(f"{self._path.name}.new")
            with written.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, _FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
                file.flush()
                os.fsync(file.fileno())
            written.replace(self._path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude other processes: the folder is locked, since the file is replaced."""
        folder = os.open(self._path.absolute().parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
            os.fsync(folder)
        finally:
            os.close(folder)


class RunInProgress:
    """The row of a run: written after each batch of its seeds, and replaced by the next.

    Parameters
    ----------
    record : Record
    commit : str
        The sources as the run began.
    mode : str
    now_ns : int
        The time of the run's begin, in ns.
    """

    def __init__(self, record: Record, commit: str, mode: str, now_ns: int) -> None:
        self._record = record
        self._commit = commit
        self._mode = mode
        self._put: list[dict[str, str]] = []
        self._count = 0
        self._due_ns = now_ns + _INTERVAL_NS

    def update(self, seeds: Sequence[int], tally: Tally, now_ns: int) -> None:
        """Write the row if enough seeds or enough time passed since it was written.

        Parameters
        ----------
        seeds : sequence of int
            At least the seeds of the tally, in their order.
        tally : Tally
        now_ns : int
            The time, in ns.
        """
        if tally.count >= self._count + _BATCH or now_ns >= self._due_ns:
            self._due_ns = now_ns + _INTERVAL_NS
            self.write(seeds, tally)

    def write(self, seeds: Sequence[int], tally: Tally) -> None:
        """Write the row, unless it has all seeds of the tally."""
        if tally.count == self._count:
            return
        faults = {name: n for name, n in sorted(tally.counts.items()) if name[0].isupper()}
        row = {
            "commit": self._commit,
            "mode": self._mode,
            "first_seed": str(seeds[0]),
            "last_seed": str(seeds[tally.count - 1]),
            "seeds": str(tally.count),
            "virtual_hours": f"{tally.virtual_ns / 3.6e12:.2f}",
            "faults": " ".join(f"{name}={n}" for name, n in faults.items()),
            "failures": " ".join(f"{each.seed}:{each.invariant}" for each in tally.failures),
        }
        # Also a row whose put a signal interrupted: it may be in the file.
        earlier, self._put = self._put, [*self._put, row]
        self._record.put(row, earlier)
        self._count = tally.count
