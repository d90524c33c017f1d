"""Progress of a job: drawn on a terminal's standard error and nowhere else."""

import io
import json
import sys

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.options.progress import shown_progress
from tests.unit.pipeline.jobs.clusters import write_cluster


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("is_terminal", [False, True])
def test_progress_is_drawn_only_on_a_terminal(monkeypatch, capsys, is_terminal):
    screen = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    with shown_progress() as progress:
        progress("write parts", 0, 4)
        progress("write parts", 4, 4)
    assert ("write parts" in screen.getvalue()) is is_terminal
    assert capsys.readouterr().out == ""


def test_json_is_printed_without_other_output(tmp_path):
    nodes, _, _ = write_cluster(tmp_path, 2)
    done = CliRunner().invoke(main, ["pipeline", "audit", *map(str, nodes), "--json"])
    assert json.loads(done.stdout)["is_consistent"]
    assert done.stderr == ""
