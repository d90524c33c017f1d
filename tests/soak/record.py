"""The runs of real clusters under faults, a row each: ``tests/soak/record.csv``."""

import csv
import subprocess
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.conftest import ROOT

RECORD = Path(__file__).with_name("record.csv")


@dataclass(frozen=True)
class Row:
    """One run.

    Parameters
    ----------
    commit
        The sources.
    run
        What ran: ``soak`` or ``kills``.
    seconds
        The time from its start to the end of its checks, in seconds.
    kills, power_losses
        How many processes of members were killed, and how often a member lost power.
    requests, answers
        What all clients sent, and what was acknowledged.
    failure
        The check that failed; empty if none did.
    """

    commit: str
    run: str
    seed: int
    seconds: int
    kills: int = 0
    power_losses: int = 0
    requests: int = 0
    answers: int = 0
    failure: str = ""


def read(path=RECORD):
    """Return the rows of a record."""
    kinds = {each.name: each.type for each in fields(Row)}
    with path.open(newline="") as file:
        return [
            Row(**{name: kinds[name](value) for name, value in row.items()})
            for row in csv.DictReader(file)
        ]


def append(path, row):
    """Add a row, after the names if the file is new."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(each.name for each in fields(Row))
        writer.writerow(astuple(row))


def commit():
    """Return the commit of the sources, with ``+`` if they differ from it; a record may."""
    head = _git("rev-parse", "--short=8", "HEAD").stdout.strip()
    differs = _git("diff", "--quiet", "HEAD", "--", ".", ":(exclude)tests/soak/record.csv")
    return f"{head}{'+' if differs.returncode else ''}" if head else "unknown"


def _git(*arguments):
    return subprocess.run(
        ("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False
    )
