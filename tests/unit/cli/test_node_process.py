"""A command as a separate process: its output, and its end."""

import pytest

from aeron_cluster.cli.processes import node_process
from aeron_cluster.cli.processes.node_process import CommandProcess
from aeron_cluster.errors import StateError
from tests.conftest import PYTHON_PATH
from tests.waiting import await_true

ENDS = """
import os, sys
sys.stdout.write("whole line\\nwithout its end")
sys.stdout.flush()
os._exit(7)
"""
STAYS = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
while True:
    time.sleep(60)
"""


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Return a function that starts a command whose service is a program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", PYTHON_PATH)

    def start(program):
        (tmp_path / "program.py").write_text(program)
        return CommandProcess("node", "--service", "program:Service", "--dir", "data")

    return start


def test_last_output_without_a_line_end_is_read_after_the_process_ended(start):
    with start(ENDS) as process:
        process._process.wait(60)
        with pytest.raises(StateError) as ended:
            process.check()
        assert process.lines() == []
    expected = f"node process {process.pid}: ended with 7: whole line\nwithout its end"
    assert str(ended.value) == expected


def test_process_that_ignores_the_request_to_end_is_killed(start, monkeypatch):
    monkeypatch.setattr(node_process, "_CLOSE_TIMEOUT_S", 0.01)
    printed = []
    with start(STAYS) as process:
        await_true(lambda: printed.extend(process.lines()) or printed, "a line")
        assert printed == ["ready"]
        process.check()
    assert process.exit_code == -9
