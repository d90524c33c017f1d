"""What the record of soaks has, and what is written from it."""

import argparse
import re

import pytest

from aeron_cluster.errors import InvariantError
from tests.conftest import ROOT
from tests.soak import command, record


@pytest.fixture
def given(tmp_path):
    parser = command.parser("tests.planted", "", "", "planted")
    return parser.parse_args(
        ["--seed", "5", "--record", str(tmp_path / "record.csv"), "--report", str(tmp_path / "all")]
    )


def test_runs_are_added_also_those_that_fail(given):
    made = argparse.Namespace(kills=3, power_losses=2, requests=20, answers=19)

    def make(*_):
        given.report.mkdir()
        return made

    command.run(given, None, make, lambda made: made)

    def fail(made):
        made.kills += 1
        raise InvariantError("answers are right", "7 is not 8")

    with pytest.raises(SystemExit, match="answers are right: 7 is not 8"):
        command.run(given, None, make, fail)
    good, bad = record.read(given.record)
    assert (good.run, good.seed, good.kills, good.power_losses) == ("planted", 5, 3, 2)
    assert (good.requests, good.answers, good.failure) == (20, 19, "")
    assert (bad.kills, bad.power_losses, bad.failure) == (4, 2, "answers are right")
    assert (bad.requests, bad.answers) == (0, 0)
    assert good.commit == bad.commit != ""


def test_the_page_has_the_sums_of_the_first_runs_of_the_record():
    text = (ROOT / "docs" / "reliability.md").read_text()
    (line,) = re.findall(r"\| the first .* of the record .*", text)
    count, *numbers = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", line)]
    rows = record.read()[:count]
    passed = [each for each in rows if not each.failure]
    assert len(rows) == count
    assert numbers[:5] == [
        len(rows) - len(passed),
        round(sum(each.seconds for each in passed) / 60),
        sum(each.kills for each in passed),
        sum(each.power_losses for each in passed),
        sum(each.answers for each in passed),
    ], line
