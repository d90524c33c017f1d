"""What the record of soaks has, and what is written from it."""

import argparse
import re

import pytest

from aeron_cluster.errors import InvariantError
from tests.conftest import ROOT
from tests.soak import command, porcupine, record, soak
from tests.soak.kills import Kills
from tests.soak.soak import Settings, Soak


@pytest.fixture
def given(tmp_path):
    parser = command.parser("tests.planted", "", "", "planted")
    return parser.parse_args(
        ["--seed", "5", "--record", str(tmp_path / "record.csv"), "--report", str(tmp_path / "all")]
    )


def test_runs_are_added_also_those_that_fail(given):
    made = argparse.Namespace(kills=3, power_losses=2, requests=20, answers=19)
    made.clients, made.left_out = "plain, sink", "slow, Porcupine"

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
    for each in (good, bad):
        assert (each.clients, each.left_out) == ("plain, sink", "slow, Porcupine")


def test_a_row_is_added_to_a_record_with_fewer_fields(tmp_path):
    path = tmp_path / "record.csv"
    path.write_text("commit,run,seed,seconds,kills\nabc,soak,5,60,7\n")
    added = record.Row("def", "soak", 6, 61, clients="plain", left_out="slow")
    record.append(path, added)
    assert record.read(path) == [record.Row("abc", "soak", 5, 60, 7), added]
    assert [each.name for each in tmp_path.iterdir()] == ["record.csv"]


class NoJavaNorCheckerSoak(Soak):
    """A soak on a machine with neither Java nor Go nor network namespaces."""

    def leave_out(self, monkeypatch):
        def unavailable(*_):
            raise soak.JavaUnavailableError("no java")

        def no_checker(*_):
            raise porcupine.NoCheckerError("no go")

        monkeypatch.setattr(soak, "compile_peers", unavailable)
        monkeypatch.setattr(porcupine, "check", no_checker)
        self._kinds_run = self._kinds_available()
        self._leave_out("clock", "no gcc")
        assert self._check_linearizable() == "Porcupine left out"


def test_what_a_run_leaves_out_is_named(tmp_path, monkeypatch):
    settings = Settings(5, 1.0, tmp_path, 0, left_out=frozenset({"power"}))
    made = NoJavaNorCheckerSoak(settings)
    assert (made.clients, made.left_out) == ("", "power")
    made.leave_out(monkeypatch)
    assert made.clients == "plain, surviving, asyncio, sink"
    assert made.left_out == "clock, power, client in Java, Porcupine"


def test_a_run_of_kills_leaves_out_no_fault(tmp_path):
    assert Kills(Settings(5, 1.0, tmp_path, 0, left_out=frozenset({"power"})), 3).left_out == ""


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
