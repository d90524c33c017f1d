"""The failures of the gate that are repeated."""

import json

import pytest

from tests import confirm

INTEROP = "tests/interop/test_a.py::test_one[java]"
SIMULATION = "tests/simulation/test_b.py::test_two"


@pytest.fixture
def reported(tmp_path, monkeypatch):
    """Set the failed tests of the last run, and those that fail again."""
    monkeypatch.setattr(confirm, "FAILED", tmp_path / "lastfailed")

    def emit(failed, again=()):
        (tmp_path / "lastfailed").write_text(json.dumps(dict.fromkeys(failed, True)))
        monkeypatch.setattr(confirm, "holds", lambda test: test not in again)

    return emit


@pytest.mark.usefixtures("reported")
def test_an_unfinished_run_is_red():
    assert confirm.main() == 1


def test_test_passing_alone_is_flaky_and_named(reported, capsys):
    reported([INTEROP])
    assert confirm.main() == 0
    assert f"FLAKY {INTEROP}" in capsys.readouterr().out


def test_test_failing_again_has_failed(reported, capsys):
    other = "tests/process/test_c.py::test_three"
    reported([INTEROP, other], again=[other])
    assert confirm.main() == 1
    assert f"FAILED AGAIN {other}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "failed",
    [
        pytest.param([SIMULATION], id="virtual time"),
        pytest.param([INTEROP, SIMULATION], id="one of both"),
        pytest.param([f"{INTEROP}{each}" for each in range(3)], id="many"),
        pytest.param(["tests/interop/test_a.py"], id="a file that does not load"),
    ],
)
def test_other_failures_are_not_retried(reported, failed):
    reported(failed)
    assert confirm.main() == 1


@pytest.mark.parametrize(("body", "expected"), [("assert True", True), ("assert False", False)])
def test_a_test_is_confirmed_if_it_passes_each_time(tmp_path, monkeypatch, body, expected):
    monkeypatch.setattr(confirm, "ROOT", tmp_path)
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--whole', action='store_true')\n"
    )
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    {body}\n")
    assert confirm.holds("test_it.py::test_it") is expected
