"""The command aeron-cluster sim."""

import importlib
import itertools
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.main import main
from aeron_cluster.cli.sim.campaign import Record
from aeron_cluster.cli.sim.steering import read_weights, steered
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.settings import Settings
from tests.conftest import IN_SOURCE_TREE
from tests.pages import block_of
from tests.unit.cli import own_services
from tests.walkthrough import missing


def sim(*arguments):
    return CliRunner().invoke(main, ["sim", "--alone", "--seconds", "2", *arguments])


def test_a_seed_is_run_and_reported():
    result = sim("--seed", "5", "--trace", "--members", "1")
    assert result.exit_code == 0, result.output
    assert "all held" in result.output
    assert "requests:" in result.output


def test_a_seed_does_the_same_again():
    runs = [sim("--seed", "6", "--members", "1").output for _ in range(2)]
    assert runs[0] == runs[1]


def test_seeds_are_recorded_and_the_next_ones_follow(tmp_path):
    path = tmp_path / "record.csv"
    for _ in range(2):
        result = sim("--seeds", "2", "--jobs", "1", "--members", "1", "--record", str(path))
        assert result.exit_code == 0, result.output
    rows = Record(path).rows()
    assert [(row["first_seed"], row["last_seed"]) for row in rows] == [("0", "1"), ("2", "3")]


def test_steered_seeds_are_recorded_with_their_last(tmp_path):
    weights = tmp_path / "weights.json"
    weights.write_text(json.dumps({"whole": {"weights": {"Kill": 2.0}}}))
    path = tmp_path / "record.csv"
    given = ("--members", "1", "--jobs", "1", "--record", str(path), "--steer", str(weights))
    result = sim("--seeds", "3", "--first", "10", *given)
    assert result.exit_code == 0, result.output
    (row,) = Record(path).rows()
    assert (row["first_seed"], row["last_seed"], row["seeds"]) == ("10", "15", "3")


def test_an_interrupted_run_records_its_progress_and_continues_there(tmp_path, monkeypatch):
    path = tmp_path / "record.csv"

    def interrupted(seeds, *_, **__):
        first, second, _, last = itertools.islice(seeds, 4)
        for seed in (second, first, last):
            yield Outcome(seed=seed, plan=FaultPlan())
        raise KeyboardInterrupt

    command = importlib.import_module("aeron_cluster.cli.sim.sim")
    monkeypatch.setattr(command, "run_seeds", interrupted)
    result = sim("--seeds", "9", "--first", "5", "--jobs", "1", "--record", str(path))
    assert result.exit_code == ExitCode.INTERRUPTED, result.output
    assert "interrupted: seeds from 7 on are left" in result.output
    (row,) = Record(path).rows()
    assert (row["first_seed"], row["last_seed"], row["seeds"]) == ("5", "6", "2")
    assert Record(path).next_seed("whole") == 7


def test_a_failing_service_is_reported_with_its_remedy(tmp_path, monkeypatch):
    shutil.copy(Path(__file__).with_name("wrong_service.py"), tmp_path)
    monkeypatch.chdir(tmp_path)
    result = sim(
        "--seed",
        "2",
        "--members",
        "1",
        "--service",
        "wrong_service:Wrong",
        "--load",
        "aeron_cluster.simulator.trials.settings:light_load",
    )
    assert result.exit_code == 1, result.output
    assert "answers are right" in result.output


OWN = "tests.unit.cli.own_services"
PLAIN = """
from aeron_cluster import ClusteredService

class Plain(ClusteredService):
    count = 0

    def on_session_message(self, session, timestamp, message, header):
        self.count += 1
        if self.count == 40:
            raise ValueError("forty")
        session.offer(b"ok")
"""


def of_own(name, *arguments):
    """Run a seed on a user's service, with faults but without damage."""
    return CliRunner().invoke(
        main,
        ["sim", "--seed", "3", "--seconds", "3", "--service", f"{OWN}:{name}", *arguments],
        terminal_width=200,
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Counter", ()),
        ("Counter", ("--members", "1")),
        ("Once", ("--load", f"{OWN}:make_surviving_load")),
    ],
)
def test_correct_service_passes(name, arguments):
    result = of_own(name, "--trace", *arguments)
    assert result.exit_code == 0, result.output
    counts = dict(re.findall(r"^  ([a-z ]+): (\d+)$", result.output, re.MULTILINE))
    assert int(counts["requests"]) > 50
    assert int(counts.get("surviving clients", 0)) == (2 if name == "Once" else 0)


@pytest.mark.parametrize("members", ["1", "3"])
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Raises", "services do not raise"),
        ("RaisesAnOsError", "services do not raise"),
        ("FailsToTakeSnapshots", "services do not raise"),
        ("TakesEmptySnapshots", "differ, or did not restore"),
        ("IgnoresSnapshots", "differ, or did not restore"),
    ],
)
def test_wrong_service_fails_without_any_fault(name, found, members):
    result = of_own(name, "--members", members)
    assert result.exit_code == 1, result.output
    assert found in " ".join(result.output.split())
    assert "it fails without any fault" in result.output
    assert "nothing goes wrong" not in result.output.partition("failed:")[2]


def test_service_without_answers_is_named():
    result = of_own("NeverAnswers", "--members", "1")
    assert result.exit_code == 1, result.output
    reported = " ".join(result.output.split())
    found = re.search(
        r"no answer came to client 0's (\d+) requests from service NeverAnswers", reported
    )
    assert found is not None, reported
    assert int(found[1]) > 100
    assert "it fails without any fault" in reported


def test_services_differing_between_members_are_detected():
    result = of_own("IsNotTheSame", "--members", "2")
    assert result.exit_code == 1, result.output
    assert "services differ" in " ".join(result.output.split())


@pytest.mark.parametrize(("name", "code"), [("Once", 0), ("CountsDown", 1)])
def test_a_load_checks_answers(name, code):
    result = of_own(name, "--load", f"{OWN}:make_checked_load", "--members", "1")
    assert result.exit_code == code, result.output
    assert ("the count goes up" in result.output) == bool(code)


@pytest.mark.parametrize("name", ["Counter", "Once"])
def test_a_service_without_a_load_is_driven_by_bytes(name, monkeypatch):
    monkeypatch.delattr(own_services, "make_load")
    result = of_own(name, "--trace", "--members", "1")
    assert result.exit_code == 0, result.output
    assert "def make_load(number, random):" in result.output
    counts = dict(re.findall(r"^  ([a-z ]+): (\d+)$", result.output, re.MULTILINE))
    assert int(counts["requests"]) > 50
    assert int(counts["answers"]) > 50
    assert int(counts.get("surviving clients", 0)) == (2 if name == "Once" else 0)


def test_a_failure_is_named_with_its_place_and_command():
    result = of_own("Raises", "--members", "1")
    assert result.exit_code == 1, result.output
    line = own_services.Raises.on_session_message.__code__.co_firstlineno + 3
    assert re.search(
        r"^seed 3 failed: on_session_message raised ValueError: every tenth is one too many, at log"
        rf" position \d+, member 0 \(own_services\.py:{line}\)$",
        result.output,
        re.MULTILINE,
    ), result.output
    assert (
        f"repeat with: aeron-cluster sim --service {OWN}:Raises --load {OWN}:make_load"
        " --members 1 --seconds 3 --seed 3"
    ) in result.output
    assert "Traceback" in result.output


@IN_SOURCE_TREE
def test_the_page_shows_what_a_failure_prints(tmp_path, monkeypatch):
    shown = block_of("docs/simulator.md", "seed 1 failed:").text
    (tmp_path / "plain.py").write_text(PLAIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    line = shown.splitlines()[-1].removeprefix("repeat with: aeron-cluster ")
    result = CliRunner().invoke(main, [*line.split(), "--members", "1", "--seconds", "3"])
    assert result.exit_code == 1, result.output
    printed = result.output.replace(" --members 1 --seconds 3", "")
    assert missing(shown, printed) is None, printed


def test_allowed_exception_fails_nothing():
    result = of_own("Raises", "--members", "1", "--allow", "builtins:ValueError")
    assert result.exit_code == 0, result.output
    assert of_own("Raises", "--allow", "builtins:len").exit_code == 2
    assert sim("--allow", "builtins:ValueError").exit_code == 2


def test_failures_are_printed_for_programs():
    result = of_own("Raises", "--members", "1", "--json", "--no-shrink")
    assert result.exit_code == 1, result.output
    (failure,) = json.loads(result.stdout)["failures"]
    assert failure["seed"] == 3
    assert failure["invariant"] == "services do not raise"
    place = failure["place"]
    assert (place["service"], place["callback"]) == ("Raises", "on_session_message")
    assert place["path"] == own_services.__file__
    assert failure["again"].endswith("--seed 3")


def test_an_invalid_value_is_rejected():
    assert sim("--service", "nowhere:Nothing").exit_code == 2
    for numbers in (("--seeds", "0"), ("--seconds", "nan"), ("--minutes", "-1"), ("--jobs", "0")):
        assert sim(*numbers).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--service", "builtins:len"), "--service: expected a class derived from Clustered"),
        (("--service", "json"), "--service: expected module:name, found 'json'"),
        (("--load", ":make"), "--load: expected module:name, found ':make'"),
    ],
)
def test_name_of_another_object_is_rejected(arguments, reason):
    result = sim(*arguments)
    assert result.exit_code == 2, result.output
    assert reason in " ".join(result.output.split())


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"whole": []}', '{"whole": {"weights": {"Kill": "much"}}}'],
)
def test_invalid_weights_are_rejected_with_their_form(tmp_path, content):
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(
        ConfigurationError, match=r"whole\.weights, a number for each kind"
    ) as found:
        read_weights(path, "whole")
    assert str(path) in str(found.value)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_seeds_than_there_are_choices_are_all_run(count):
    settings = Settings.of("whole")
    assert list(steered(range(count), settings, {})) == list(range(count))


class FastClock:
    """A clock that advances by an hour with each reading."""

    now_ns = 0

    def nano_time(self):
        self.now_ns += 3_600 * 10**9
        return self.now_ns


def test_no_seed_is_begun_after_the_given_minutes(monkeypatch):
    command = importlib.import_module("aeron_cluster.cli.sim.sim")
    monkeypatch.setattr(command, "SystemClock", FastClock)
    result = sim("--seeds", "3", "--jobs", "1", "--minutes", "59", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["seeds"] == 0


def test_seed_whose_process_dies_is_a_failure():
    result = of_own_seeds("EndsItsProcess", "--members", "1")
    assert result.exit_code == 1, result.output
    assert "seed 3: the process died or hung" in result.output
    assert "repeat with" not in result.output


def of_own_seeds(name, *arguments):
    """Run one seed on a user's service, in another process."""
    given = ("--service", f"{OWN}:{name}", "--first", "3", "--seeds", "1", "--jobs", "1")
    return CliRunner().invoke(main, ["sim", "--seconds", "1", *given, *arguments])


def test_commit_without_git_is_that_of_the_environment(monkeypatch):
    command = importlib.import_module("aeron_cluster.cli.sim.sim")
    monkeypatch.setattr(command.shutil, "which", lambda _: None)
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef")
    assert command._commit() == "0123456"
    monkeypatch.delenv("GITHUB_SHA")
    assert command._commit() == "unknown"


def watched(body):
    """Run code under `watched`, for at most 0.2 s of processor time, in another process."""
    imports = "import time\nfrom aeron_cluster.cli.sim.campaign import watched\n"
    code = f"{imports}with watched(0.2):\n {body}"
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)


def test_a_run_that_hangs_ends_with_its_traceback():
    done = watched("while True: pass")
    assert done.returncode == -signal.SIGPROF
    assert 'File "<string>", line 4' in done.stderr


def test_a_run_that_waits_for_the_machine_does_not_hang():
    done = watched("time.sleep(0.4)")
    assert (done.returncode, done.stderr) == (0, "")
