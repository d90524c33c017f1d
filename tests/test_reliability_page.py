"""Figures of docs/reliability.md and docs/durability.md are those of the records and results."""

import csv
import itertools
import re

from tests.conftest import ROOT
from tests.soak import record

PAGE = (ROOT / "docs/reliability.md").read_text()
SIMULATION = ROOT / "tests/simulation"


def failed_seeds():
    """Return mode and number of each failed seed of the record."""
    with (SIMULATION / "record.csv").open(newline="") as file:
        return [
            (row["mode"], number)
            for row in csv.DictReader(file)
            for number in re.findall(r"(?:^| )(\d+):", row["failures"])
        ]


def explained_seeds():
    """Return mode and number of each seed with a past failure whose cause is known."""
    lines = (SIMULATION / "regressions.txt").read_text().splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    return {(each[0].rpartition("-")[2], each[1]) for each in words}


def test_each_seed_that_failed_is_explained_or_named():
    failed, explained = failed_seeds(), explained_seeds()
    text = PAGE.partition("## Seeds that failed")[2].partition("\n## ")[0]
    named = re.findall(r"^\| (\d.*?) \|", text, re.M)
    numbers = {number for cell in named for number in re.findall(r"(?<![\w])\d+(?!\w)", cell)}
    left = [number for mode, number in failed if (mode, number) not in explained]
    assert set(left) == numbers
    shown = re.search(r"(\d+) seeds of.* (\d+) of them are.* other (\d+) hold", text, re.S)
    assert [int(each) for each in shown.groups()] == [
        len(failed),
        len(failed) - len(left),
        len(left),
    ]
    assert f"; {len(failed)} failed, [see above]" in PAGE


def test_the_seeds_since_the_last_change_of_behaviour_are_added_up():
    (line,) = re.findall(r"\| seeds since the last change of behaviour, .*", PAGE)
    commit, consensus, whole = re.search(
        r"`(\w+)`[^|]*\| ([\d,]+) of consensus, ([\d,]+) of whole", line
    ).groups()
    found = {"consensus": 0, "whole": 0}
    with (SIMULATION / "record.csv").open(newline="") as file:
        rows = itertools.dropwhile(lambda row: row["commit"] != commit, csv.DictReader(file))
        for row in rows:
            found[row["mode"]] += int(row["seeds"])
    shown = {"consensus": consensus, "whole": whole}
    assert {mode: int(each.replace(",", "")) for mode, each in shown.items()} == found


def test_the_kills_are_added_up():
    (line,) = re.findall(r"\| members killed under load, .*", PAGE)
    total, *parts = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", line)]
    assert sum(parts) == total
    held = sum(each.kills for each in record.read()[:11] if not each.failure)
    assert parts[0] == held
    assert f"| {parts[1]} kills, none of" in PAGE


def test_the_price_of_durability_is_that_of_the_results():
    results = (ROOT / "benchmarks/RESULTS.md").read_text().partition("## Durability")[2]
    rows = [line.strip("| ").split(" | ") for line in results.splitlines() if "us [" in line]
    measured = {
        (members, threads, level): ", ".join(each.partition(" [")[0] for each in figures)
        for members, threads, level, *figures in rows[:9]
    }
    page = (ROOT / "docs/durability.md").read_text().partition("## Price")[2]
    shown = [line.strip("| ").split(" | ") for line in page.splitlines() if "k/s" in line]
    assert [row[0] for row in shown] == ["0", "1", "2"]
    for level, _, *cells in shown:
        columns = (("1", "one"), ("1", "each"), ("3", "one"))
        assert cells == [measured[*each, level] for each in columns]
