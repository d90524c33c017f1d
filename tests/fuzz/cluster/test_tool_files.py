"""Any bytes as a member's files: read, or rejected with a typed error; tools never crash."""

import contextlib

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.cli.main import main
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.membership import parse_membership
from aeron_cluster.codecs.cluster import ClusterMembersExtendedResponse
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

VERBS = ("describe", "errors", "recording-log", "sort-recording-log", "pid")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a directory, and the original bytes of its mark file and recording log."""
    directory = tmp_path_factory.mktemp("cluster")
    content = MarkFileContent(
        component_type=ClusterComponentType.CONSENSUS_MODULE,
        aeron_directory="/dev/shm/nobody",
        control_channel="aeron:ipc",
    )
    with ClusterMarkFile.claim(SystemFiles(), str(directory), content, clock=SystemClock()) as mark:
        mark.signal_ready()
        mark.record_error(ValueError("of the test"), 1234)
    with RecordingLog(SystemFiles(), str(directory)) as log:
        log.append_term(1, 0, 0, 1000)
        log.append_snapshot(2, 0, 0, 1024, 1001, 0)
        log.append_snapshot(3, 0, 0, 1024, 1001, -1)
    return (
        directory,
        (directory / "cluster-mark.dat").read_bytes()[:9000],
        (directory / "recording.log").read_bytes(),
    )


@st.composite
def damage(draw):
    """Draw offsets and bytes to write, and a length to truncate to."""
    changes = draw(st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=8)), max_size=4))
    return changes, draw(st.one_of(st.none(), st.integers(0, 9000)))


def damaged(data, drawn):
    changes, length = drawn
    whole = bytearray(data)
    for at, written in changes:
        whole[at : at + len(written)] = written
    return bytes(whole[:length])


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(mark=damage(), log=damage(), verb=st.sampled_from(VERBS))
def test_every_tool_reports_damage(files, mark, log, verb):
    directory, whole_mark, whole_log = files
    (directory / "cluster-mark.dat").write_bytes(damaged(whole_mark, mark))
    (directory / "recording.log").write_bytes(damaged(whole_log, log))
    for arguments in ([verb, str(directory)], ["tool", str(directory), verb]):
        done = CliRunner().invoke(main, arguments)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert done.exit_code in (0, 1, 3, 4, 255)


@settings(max_examples=200)
@given(drawn=damage())
def test_mark_files_are_read_or_rejected(files, drawn):
    directory, mark, _ = files
    (directory / "cluster-mark.dat").write_bytes(damaged(mark, drawn))
    with contextlib.suppress(AeronClusterError):
        assert ClusterDirectory(str(directory)).component().presence is not None


@given(st.binary(max_size=200))
def test_a_modules_messages_are_read_or_skipped(tail):
    begin = ClusterMembersExtendedResponse.encode(
        correlation_id=1, current_time_ns=2, leader_member_id=3, member_id=4
    )
    for cut in (0, 8, len(begin) - 8):
        parse_membership(begin[:cut] + tail)
