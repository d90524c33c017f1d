"""What objects of a cluster show in logs and in a debugger."""

import pytest

from aeron_cluster.cluster.context.timers import HeapTimers, WheelTimers
from aeron_cluster.cluster.security.connect_limits import ConnectLimits
from aeron_cluster.cluster.security.policy_file import PolicyFile
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard
from aeron_cluster.cluster.sessions.cluster_session import ClusterSession
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

DIRECTORY = "/data/cluster"


@pytest.fixture
def files():
    files = MemoryFiles()
    files.make_directory(DIRECTORY, parents=True)
    return files


def test_files_show_their_paths(files):
    with RecordingLog(files, DIRECTORY) as log:
        log.append_term(1, 0, 0, 1000)
        assert repr(log) == f"RecordingLog('{DIRECTORY}/recording.log', entries=1)"
    with NodeState(files, DIRECTORY) as state:
        state.propose(3, 4096, 1000)
        assert repr(state) == f"NodeState('{DIRECTORY}/node-state.dat', candidate_term_id=3)"
    assert repr(ClusterDirectory(DIRECTORY, Seams(files=files))) == (
        f"ClusterDirectory('{DIRECTORY}')"
    )
    content = MarkFileContent(component_type=ClusterComponentType.CONSENSUS_MODULE, member_id=2)
    with ClusterMarkFile.claim(files, DIRECTORY, content, clock=VirtualClock()) as mark:
        assert repr(mark) == f"ClusterMarkFile('{DIRECTORY}/cluster-mark.dat')"
    files.replace("/data/policy", b"")
    policy = PolicyFile("/data/policy", files, VirtualClock(), pytest.fail)
    assert repr(policy) == "<PolicyFile /data/policy>"


@pytest.mark.parametrize("timers", [HeapTimers(), WheelTimers(0, 1)])
def test_timers_show_how_many_are_pending(timers):
    timers.schedule(7, 100)
    timers.schedule(8, 101)
    assert repr(timers) == f"{type(timers).__name__}(count=2)"


def test_sessions_show_their_state():
    session = ClusterSession(1, 102, "aeron:ipc", 5)
    assert repr(session) == "<ClusterSession 1 INIT>"
    session.open(160)
    assert repr(session) == "<ClusterSession 1 OPEN>"


def test_limits_show_how_many_requests_are_pending():
    limits = ConnectLimits(6, 2, pytest.fail, pytest.fail)
    for source in ("10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1"):
        assert limits.admit(source)
    assert repr(limits) == "<ConnectLimits 3 of 6 from 2>"


def test_a_guard_shows_its_hash():
    guard = DivergenceGuard(interval=64)
    guard.begin(128)
    assert repr(guard) == "<DivergenceGuard 0000000000000000 at 128, 0 effects>"
    assert guard.interval == 64
