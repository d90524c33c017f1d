"""The command aeron-cluster sim."""

import importlib
import itertools
import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.main import main
from aeron_cluster.cli.sim.record import Record, RunInProgress, Tally
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


@pytest.mark.parametrize("first", [(), ("--first", "1")], ids=["the next", "given"])
def test_file_that_is_no_record_is_rejected_before_a_run(tmp_path, first):
    path = tmp_path / "record.csv"
    text = "commit,mode,last_seed,of_another_version\n0123456,whole,7,x\n"
    path.write_text(text)
    result = sim("--seeds", "1", "--jobs", "1", "--members", "1", "--record", str(path), *first)
    assert result.exit_code == ExitCode.USAGE
    assert "--record: expected a file with the columns commit, mode" in result.output
    assert [each.name for each in tmp_path.iterdir()] == ["record.csv"]
    assert path.read_text() == text


def test_steered_seeds_are_recorded_with_their_last(tmp_path):
    weights = tmp_path / "weights.json"
    weights.write_text(json.dumps({"whole": {"weights": {"Kill": 2.0}}}))
    path = tmp_path / "record.csv"
    given = ("--members", "1", "--jobs", "1", "--record", str(path), "--steer", str(weights))
    result = sim("--seeds", "3", "--first", "10", *given)
    assert result.exit_code == 0, result.output
    (row,) = Record(path).rows()
    assert (row["first_seed"], row["last_seed"], row["seeds"]) == ("10", "15", "3")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_records_its_progress_and_continues_there(number, tmp_path, monkeypatch):
    path = tmp_path / "record.csv"

    def interrupted(seeds, *_, **__):
        first, second, _, last = itertools.islice(seeds, 4)
        for seed in (second, first, last):
            yield Outcome(seed=seed, plan=FaultPlan())
        signal.raise_signal(number)
        yield Outcome(seed=last + 1, plan=FaultPlan())

    before = signal.getsignal(signal.SIGTERM)
    command = importlib.import_module("aeron_cluster.cli.sim.sim")
    monkeypatch.setattr(command, "run_seeds", interrupted)
    result = sim("--seeds", "9", "--first", "5", "--jobs", "1", "--record", str(path))
    assert result.exit_code == ExitCode.INTERRUPTED, result.output
    assert "interrupted: seeds from 7 on are left" in result.output
    (row,) = Record(path).rows()
    assert (row["first_seed"], row["last_seed"], row["seeds"]) == ("5", "6", "2")
    assert Record(path).next_seed("whole") == 7
    assert signal.getsignal(signal.SIGTERM) is before


class LostMachineError(Exception):
    """The end of a process that no handler sees."""


def lost_after(count, monkeypatch):
    """Let a run end without notice after so many seeds; each takes a second and a pause."""

    def run_seeds(seeds, *_, **__):
        for seed in itertools.islice(seeds, count):
            counts = Counter(Pause=1)
            yield Outcome(seed=seed, plan=FaultPlan(), virtual_ns=36 * 10**8, counts=counts)
        raise LostMachineError

    command = importlib.import_module("aeron_cluster.cli.sim.sim")
    monkeypatch.setattr(command, "run_seeds", run_seeds)


def test_a_run_that_is_killed_has_recorded_each_200_seeds_in_one_row(tmp_path, monkeypatch):
    path = tmp_path / "record.csv"
    given = ("--seeds", "900", "--jobs", "1", "--record", str(path))
    for count in (450, 199, 200):
        lost_after(count, monkeypatch)
        assert isinstance(sim(*given).exception, LostMachineError)
    rows = [list(row.values())[2:7] for row in Record(path).rows()]
    assert rows == [
        ["0", "399", "400", "0.40", "Pause=400"],
        ["400", "599", "200", "0.20", "Pause=200"],
    ]
    assert Record(path).next_seed("whole") == 600
    assert [each.name for each in tmp_path.iterdir()] == ["record.csv"]


def test_a_run_that_is_killed_has_recorded_what_was_run_a_minute_before(tmp_path, monkeypatch):
    path = tmp_path / "record.csv"
    command = importlib.import_module("aeron_cluster.cli.sim.sim")
    monkeypatch.setattr(command, "SystemClock", FastClock)
    lost_after(3, monkeypatch)
    result = sim("--seeds", "9", "--first", "7", "--jobs", "1", "--record", str(path))
    assert isinstance(result.exception, LostMachineError)
    (row,) = Record(path).rows()
    assert (row["first_seed"], row["last_seed"], row["seeds"]) == ("7", "9", "3")


def test_a_steered_run_that_is_killed_continues_after_its_last_seed(tmp_path, monkeypatch):
    weights = tmp_path / "weights.json"
    weights.write_text(json.dumps({"consensus": {"weights": {"Kill": 2.0}}}))
    path = tmp_path / "record.csv"
    given = ("--mode", "consensus", "--members", "1", "--record", str(path))
    lost_after(200, monkeypatch)
    result = sim("--seeds", "300", "--first", "5", "--steer", str(weights), *given)
    assert isinstance(result.exception, LostMachineError)
    settings = Settings.of("consensus", members=1, is_joined=False, duration_ns=2 * 10**9)
    chosen = list(itertools.islice(steered(itertools.count(5), settings, {"Kill": 2.0}), 201))
    (row,) = Record(path).rows()
    assert (row["seeds"], row["last_seed"]) == ("200", str(chosen[199]))
    assert chosen[199] < Record(path).next_seed("consensus") <= chosen[200]


def test_two_runs_at_once_have_a_row_each(tmp_path):
    record = Record(tmp_path / "record.csv")
    one, other = (RunInProgress(record, "abc", "whole", 0) for _ in range(2))
    tallies = Tally(), Tally()
    for seed in range(4):
        for run, tally, first in ((one, tallies[0], 10), (other, tallies[1], 50)):
            tally.add(Outcome(seed=first + seed, plan=FaultPlan()))
            run.write(range(first, first + 4), tally)
            run.write(range(first, first + 4), tally)
    rows = [(row["first_seed"], row["last_seed"], row["seeds"]) for row in record.rows()]
    assert rows == [("10", "13", "4"), ("50", "53", "4")]


def test_a_row_whose_writing_was_interrupted_is_not_added_twice(tmp_path, monkeypatch):
    path = tmp_path / "record.csv"
    run, tally = RunInProgress(Record(path), "abc", "whole", 0), Tally()
    replace = Path.replace

    def interrupted(path, target):
        replace(path, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    tally.add(Outcome(seed=0, plan=FaultPlan()))
    with pytest.raises(KeyboardInterrupt):
        run.write([0, 1], tally)
    monkeypatch.undo()
    tally.add(Outcome(seed=1, plan=FaultPlan()))
    run.write([0, 1], tally)
    (row,) = Record(path).rows()
    assert (row["last_seed"], row["seeds"]) == ("1", "2")


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


def good(seed):
    return Outcome(seed=seed, plan=FaultPlan())


def test_every_seed_has_one_outcome_if_a_process_dies_between_runs(monkeypatch):
    """Runs that ended before are no failures, and the seed that was not begun is run."""
    campaign = importlib.import_module("aeron_cluster.cli.sim.campaign")
    begun = []
    processes = [Mock()]

    class Pool:
        """Processes of which the first ones die after two runs."""

        def __init__(self, *_, **__):
            self.room = 2 if not begun else 100
            processes.append(Mock())

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def shutdown(self, **_):
            pass

        def submit(self, _, seed, __):
            if self.room == 0:
                raise BrokenProcessPool
            self.room -= 1
            begun.append(seed)
            future = Future()
            future.set_result(good(seed))
            return future

    monkeypatch.setattr(campaign, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(campaign, "active_children", lambda: processes)
    outcomes = list(campaign.run_seeds(range(5), Settings.of("whole"), jobs=2))
    assert sorted(each.seed for each in outcomes) == begun == list(range(5))
    assert all(each.is_good for each in outcomes)
    # Idle ones ignore signals, and may wait for a lock that the dead one holds.
    assert [each.kill.call_count for each in processes] == [0, 1, 0]


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
