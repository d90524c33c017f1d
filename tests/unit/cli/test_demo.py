"""``aeron-cluster demo``: its exit codes, and signals that were ignored before it."""

import signal
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.demo import demo as module
from aeron_cluster.cli.main import main
from aeron_cluster.errors import StateError


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs the command with another course of events."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}

    def run(course):
        monkeypatch.setattr(module._Demonstration, "run", lambda *_: course())
        return CliRunner().invoke(main, ["demo", "--dir", str(tmp_path / "demo")])

    yield run
    for each, handler in before.items():
        signal.signal(each, handler)


def test_right_result_ends_with_0_and_a_wrong_one_with_1(run):
    assert run(lambda: True).exit_code == 0
    assert run(lambda: False).exit_code == 1


def test_node_that_has_ended_ends_the_demo_with_3(run):
    def course():
        raise StateError("node process 7: ended with 1: error: of the test")

    done = run(course)
    assert done.exit_code == 3
    assert done.stderr == "error: node process 7: ended with 1: error: of the test\n"


def test_signal_ends_it_with_130_unless_it_was_ignored_before(run):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    assert run(lambda: signal.raise_signal(signal.SIGHUP) is None).exit_code == 0
    done = run(lambda: signal.raise_signal(signal.SIGTERM))
    assert (done.exit_code, done.output) == (130, "stopped; everything is closed\n")


@pytest.mark.parametrize("place", ["x" * 300, "file/x"])
def test_unusable_directory_is_rejected_by_its_option(tmp_path, place):
    (tmp_path / "file").touch()
    done = CliRunner().invoke(main, ["demo", "--dir", str(tmp_path / place)])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: --dir: expected a ")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_difference_of_the_states_is_shown_and_the_orders_do_not_continue(monkeypatch):
    monkeypatch.setattr(module, "difference", lambda *_: "order 7 is there twice")
    lines, resumed = [], []
    demonstration = object.__new__(module._Demonstration)
    demonstration._client = SimpleNamespace(state=lambda: None, resume_after=resumed.append)
    demonstration._shadow = None
    demonstration._display = SimpleNamespace(write_line=lambda *line: lines.append(line))
    assert not demonstration._is_correct(1)
    assert lines == [("WRONG: order 7 is there twice", "bold red")]
    assert resumed == []
