"""The blocks of docs/determinism.md run on recorded logs, and print what the page shows."""

import re
import struct

import numpy as np
import pytest
from click.testing import CliRunner

from aeron_cluster import ClusteredService
from aeron_cluster.cli.main import main
from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from tests.native.test_replay_command import ran
from tests.pages import block_of, shape
from tests.unit.cluster.recorded_log import TERM_ID, RecordedLog, message, opened, term, timer

PAGE = "docs/determinism.md"
TICK = struct.Struct("<ii")
MY_SERVICE = """
import time
from aeron_cluster import ClusteredService

class MyService(ClusteredService):
    def on_session_message(self, session, timestamp, message, header):
        session.offer(message)

    def on_timer_event(self, correlation_id, timestamp):
        time.time()
"""


@pytest.fixture
def member(tmp_path, monkeypatch):
    """Return a member's log in ``node0``, which ends with a timer."""
    (tmp_path / "my_service.py").write_text(MY_SERVICE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "my_service", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    ticks = [message(1, TICK.pack(index % 3, 100 + index)) for index in range(9)]
    log = RecordedLog(tmp_path / "node0/archive", [term(), opened(1), *ticks, timer(1)])
    (tmp_path / "node0/cluster").mkdir()
    with RecordingLog(SystemFiles(), "node0/cluster") as recording_log:
        recording_log.append_term(0, TERM_ID, 0, 1)
    return log


def printed_by(line, code=0):
    done = CliRunner().invoke(main, line.removeprefix("$ aeron-cluster ").split())
    assert done.exit_code == code, done.output
    return done.output


def test_its_batches_are_received(member):
    names = {"ClusteredService": ClusteredService, "np": np}
    exec(block_of(PAGE, "class Ticks").text, names)
    ticks = names["Ticks"]()
    ticks.highest = np.zeros(3, "<i4")
    effects = []
    with OfflineHost(ticks, member.source, on_effect=effects.append) as host:
        host.run()
    assert list(ticks.highest) == [106, 107, 108]
    assert [each.payload for each in effects] == [
        TICK.pack(index % 3, 100 + index) for index in range(9)
    ]


def test_members_are_compared_as_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for member_id in range(3):
        ran(tmp_path / f"node{member_id}/cluster", member_id, 1 + (member_id == 1))
    line, shown = block_of(PAGE, "$ aeron-cluster divergence").text.split("\n", 1)
    assert shape(shown) == shape(printed_by(line, code=1))


def test_a_log_is_replayed_as_it_shows(member):
    lines = block_of(PAGE, "$ aeron-cluster replay").text.splitlines()
    replay, shown, until = lines
    last = member.positions[-2]  # before the timer
    assert shape(printed_by(f"{replay} --until {last}")) == shape(shown)
    command, tail = until.split(" | ")
    assert tail == "tail -2"
    printed = printed_by(re.sub(r"(?<=--until )\d+", str(last), command))
    assert printed.count('"effect": "egress"') == 9


def test_its_offline_host_runs(member, capsys):
    last = member.positions[-2]
    block = block_of(PAGE, "from aeron_cluster.cluster.service import OfflineHost")
    code = block.text.replace("196640", str(last))
    assert code != block.text
    names = {}
    exec("from my_service import MyService", names)
    exec(compile(code, PAGE, "exec"), names)
    printed = capsys.readouterr().out
    assert printed.count("EffectRecord(") == 9
    assert f"Checkpoint(position={last}" in printed.splitlines()[-1]


@pytest.mark.usefixtures("member")
def test_a_clock_is_found_as_it_shows():
    line, shown = block_of(PAGE, "$ aeron-cluster check").text.split("\n", 1)
    assert shape(shown) == shape(printed_by(line, code=1))
