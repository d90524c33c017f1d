"""The latest snapshot and the recovery plan of a stopped member."""

import pytest

from aeron_cluster.cluster.state.module_snapshot import read_module_snapshot
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.recovery import read_latest_snapshot, read_recovery_plan
from aeron_cluster.codecs.cluster import ClusterTimeUnit, SnapshotMark, SnapshotMarker
from aeron_cluster.errors import CorruptError
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from tests.unit.archive.recordings_rig import Recorded

FILES = SystemFiles()
BEGIN = SnapshotMarker.encode(
    type_id=1,
    log_position=640,
    leadership_term_id=3,
    index=0,
    mark=SnapshotMark.BEGIN,
    time_unit=ClusterTimeUnit.MILLIS,
    app_version=1,
)


@pytest.fixture
def member(tmp_path):
    """Return the directory of a member with an empty archive and recording log."""
    (tmp_path / "cluster").mkdir()
    Recorded(tmp_path / "archive", [])
    RecordingLog(FILES, str(tmp_path / "cluster")).close()
    return ClusterDirectory(str(tmp_path / "cluster"), Seams())


def append_snapshot(member, recording_id):
    with RecordingLog(FILES, member.path) as log:
        log.append_term(7, 3, 0, 1000)
        log.append_snapshot(recording_id, 3, 0, 640, 1000, -1)


def test_a_member_without_a_log_has_nothing_to_replay(member):
    plan = read_recovery_plan(member, service_count=1)
    assert plan.log is None
    assert read_latest_snapshot(member) is None


def test_a_snapshot_that_is_not_in_the_archive_is_named(member):
    append_snapshot(member, 12)
    with pytest.raises(CorruptError, match=r"snapshot at 640, recording 12.*in the archive"):
        read_latest_snapshot(member)


def test_a_partly_written_snapshot_is_rejected(tmp_path, member):
    recorded = Recorded(tmp_path / "other", [BEGIN])
    append_snapshot(member, 0)
    with pytest.raises(CorruptError, match="end before it, expected after the mark") as raised:
        read_latest_snapshot(member, str(recorded.path))
    assert f"at {recorded.stop}" in str(raised.value)
    with pytest.raises(CorruptError, match=r"recording 0 at .*after the mark END"):
        read_module_snapshot(FILES, str(recorded.path), 0)
