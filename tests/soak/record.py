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
    clients
        The kinds of the clients; empty if that was not recorded yet, or none had started.
    left_out
        The kinds of faults that were not drawn, by choice or since they cannot be made there, and
        the clients and the checker that are not installed there.
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
    clients: str = ""
    left_out: str = ""


def read(path=RECORD):
    """Return the rows of a record."""
    kinds = {each.name: each.type for each in fields(Row)}
    with path.open(newline="") as file:
        return [
            # Earlier rows have fewer fields.
            Row(**{name: kinds[name](value) for name, value in row.items() if value is not None})
            for row in csv.DictReader(file)
        ]


def append(path, row):
    """Add a row; the rows before may have fewer fields."""
    rows = [*(read(path) if path.exists() else []), row]
    written = path.with_name(f"{path.name}.new")
    with written.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(each.name for each in fields(Row))
        writer.writerows(map(astuple, rows))
    written.replace(path)


def commit():
    """Return the commit of the sources, with ``+`` if they differ from it; a record may."""
    head = _git("rev-parse", "--short=8", "HEAD").stdout.strip()
    differs = _git("diff", "--quiet", "HEAD", "--", ".", ":(exclude)tests/soak/record.csv")
    return f"{head}{'+' if differs.returncode else ''}" if head else "unknown"


def _git(*arguments):
    return subprocess.run(
        ("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False
    )
