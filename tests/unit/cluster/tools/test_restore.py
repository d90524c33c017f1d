"""Restores from a backup's files: what is copied, kept and rejected."""

import shutil

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.restore import restore
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    InsufficientSpaceError,
    MissingFileError,
    StateError,
)
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from tests.unit.archive.recordings_rig import DESCRIPTION, Recorded

TERM = 3
MESSAGES = [bytes([number]) * 100 for number in range(20)]
FILES = SystemFiles()


class Node:
    """The directory of a member or a backup, with a log and no snapshot."""

    def __init__(self, path, count=20, *, base=0, **options):
        self.path = path
        self.cluster, self.archive = path / "cluster", path / "archive"
        self.recorded = Recorded(self.archive, MESSAGES[:count], **options)
        self.cluster.mkdir()
        with RecordingLog(FILES, str(self.cluster)) as log:
            log.append_term(0, TERM, base, 1000)

    def mark(self, cluster_id):
        """Leave the mark file of a component that ended."""
        content = MarkFileContent(
            component_type=ClusterComponentType.CONSENSUS_MODULE, cluster_id=cluster_id
        )
        ClusterMarkFile.claim(FILES, str(self.cluster), content, clock=SystemClock()).close()


def messages(path):
    """Return the messages of the log in a directory."""
    archive = str(path / "archive")
    with Catalog(FILES, archive, writable=False) as catalog:
        return [data for data, _ in read_recording(FILES, archive, catalog.get(0).descriptor)]


def names(path):
    return sorted(each.name for each in path.iterdir())


@pytest.fixture
def backup(tmp_path):
    return Node(tmp_path / "backup")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "member"


def run(backup, target, files=FILES):
    return restore(str(backup.path), str(target), seams=Seams(files=files), backup_seams=Seams())


# ---- what is copied ----


def test_a_missing_directory_is_created(backup, target):
    restored = run(backup, target)
    assert (restored.directory, restored.kept) == (str(target), "")
    assert (restored.log_position, restored.snapshot_position) == (backup.recorded.stop, -1)
    assert restored.length > backup.recorded.stop
    assert messages(target) == MESSAGES
    assert names(target) == ["archive", "cluster"]
    with RecordingLog(FILES, str(target / "cluster"), writable=False) as log:
        assert log.get_term(TERM).term_base_log_position == 0


def test_the_end_of_a_log_that_a_killed_backup_left_open_is_stored(tmp_path, target):
    backup = Node(tmp_path / "backup", is_stopped=False)
    assert backup.recorded.descriptor.stop_position == -1
    assert run(backup, target).log_position == backup.recorded.stop
    with Catalog(FILES, str(target / "archive"), writable=False) as catalog:
        assert catalog.get(0).descriptor.stop_position == backup.recorded.stop
    assert messages(target) == MESSAGES


def test_recordings_that_are_not_copied_are_deleted_in_the_copy(backup, target):
    with Catalog(FILES, str(backup.archive)) as catalog:
        catalog.add(start_position=0, **DESCRIPTION)
    run(backup, target)
    with Catalog(FILES, str(target / "archive"), writable=False) as catalog:
        assert (0 in catalog, 1 in catalog) == (True, False)
    with Catalog(FILES, str(backup.archive), writable=False) as catalog:
        assert 1 in catalog


def test_the_older_log_of_a_member_is_kept(backup, target):
    member = Node(target, 5)
    (member.cluster / "node-state.dat").write_bytes(b"votes")
    restored = run(backup, target)
    assert restored.kept == f"{target}/archive.before-restore"
    assert messages(target) == MESSAGES
    assert (member.cluster / "node-state.dat").read_bytes() == b"votes"
    assert names(member.cluster) == [
        "node-state.dat",
        "recording.log",
        "recording.log.before-restore",
    ]
    with pytest.raises(StateError, match="an earlier restore put it aside"):
        run(backup, target)


def test_a_member_without_a_log_keeps_its_archive(backup, target):
    member = Node(target, 5)
    (member.cluster / "recording.log").unlink()
    run(backup, target)
    assert names(target) == ["archive", "archive.before-restore", "cluster"]
    assert names(member.cluster) == ["recording.log"]


def test_a_killed_restore_is_repeated(backup, target):
    Node(target, 5)
    run(backup, target)
    (target / "cluster" / "recording.log").unlink()  # it is written last
    (target / "archive" / "0-0.rec").unlink()
    (target / "archive.restoring").mkdir()
    (target / "archive.restoring" / "archive.catalog").write_bytes(b"partly written")
    assert run(backup, target).kept == f"{target}/archive.before-restore"
    assert messages(target) == MESSAGES
    assert names(target) == ["archive", "archive.before-restore", "cluster"]


# ---- what is rejected ----


@pytest.mark.parametrize(
    ("removed", "missing"),
    [
        ("cluster/recording.log", "recording.log"),
        ("archive/archive.catalog", "archive.catalog"),
    ],
)
def test_a_directory_without_a_log_is_no_backup(backup, target, removed, missing):
    (backup.path / removed).unlink()
    with pytest.raises(MissingFileError, match=missing):
        run(backup, target)
    assert not target.exists()


def test_a_backup_that_has_no_log_yet_is_rejected(backup, target):
    (backup.cluster / "recording.log").unlink()
    RecordingLog(FILES, str(backup.cluster)).close()
    with pytest.raises(MissingFileError, match="wait until it has backed up the log"):
        run(backup, target)


def test_a_backup_without_the_recording_of_a_snapshot_is_rejected(backup, target):
    with RecordingLog(FILES, str(backup.cluster)) as log:
        log.append_snapshot(7, TERM, 0, 640, 1000, -1)
    with pytest.raises(CorruptError, match="recording 7"):
        run(backup, target)


def test_the_backup_is_not_restored_to_itself(backup):
    for path in (backup.path, f"{backup.path}/"):
        with pytest.raises(ConfigurationError, match="another directory than the backup's"):
            restore(str(backup.path), str(path))
    assert messages(backup.path) == MESSAGES


@pytest.mark.parametrize("foreign", ["notes.txt", "archive.zip"])
def test_a_directory_with_other_files_is_rejected(backup, target, foreign):
    target.mkdir()
    (target / foreign).write_bytes(b"mine")
    with pytest.raises(ConfigurationError, match=foreign):
        run(backup, target)
    assert names(target) == [foreign]


def test_a_file_is_no_directory(backup, target):
    target.write_bytes(b"mine")
    with pytest.raises(ConfigurationError, match="directory"):
        run(backup, target)
    assert target.read_bytes() == b"mine"


def test_an_archive_without_a_member_is_rejected(backup, target):
    member = Node(target, 5)
    shutil.rmtree(member.cluster)
    with pytest.raises(ConfigurationError, match=r"no .*/member/cluster"):
        run(backup, target)
    assert names(target) == ["archive"]


@pytest.mark.parametrize("count", [len(MESSAGES), 5])
def test_a_member_with_all_of_the_log_is_rejected(tmp_path, target, count):
    backup = Node(tmp_path / "backup", count)
    Node(target)
    with pytest.raises(StateError, match="all that the backup has"):
        run(backup, target)
    assert messages(target) == MESSAGES


def test_the_log_of_another_cluster_is_rejected(backup, target):
    Node(target, 5, base=64)
    with pytest.raises(StateError, match=r"expected term 3 to begin at 0, .* another cluster's"):
        run(backup, target)
    assert messages(target) == MESSAGES[:5]


@pytest.mark.parametrize(("own", "is_restored"), [(4, True), (5, False)])
def test_a_member_of_another_cluster_is_rejected(backup, target, own, is_restored):
    backup.mark(4)
    Node(target, 5).mark(own)
    if is_restored:
        run(backup, target)
    else:
        with pytest.raises(StateError, match="expected a member of cluster 4, found 5"):
            run(backup, target)
    assert messages(target) == (MESSAGES if is_restored else MESSAGES[:5])


class Full(SystemFiles):
    """A file system with room for 1,000 bytes."""

    def usable_space(self, _path):
        return 1000


class Forgetful(SystemFiles):
    """A file system that returns zeros for what was written."""

    def open(self, path, **options):
        file = super().open(path, **options)
        if "restoring" not in path:
            return file
        return Zeros(file)


class Zeros:
    def __init__(self, file):
        self.file = file

    def __enter__(self):
        self.file.__enter__()
        return self

    def __exit__(self, *error):
        return self.file.__exit__(*error)

    def __getattr__(self, name):
        return getattr(self.file, name)

    def read_at(self, length, _offset):
        return bytes(length)


@pytest.mark.parametrize(
    ("files", "error", "text"),
    [
        (Full(), InsufficientSpaceError, "expected room for [0-9]+ bytes, found 1000"),
        (Forgetful(), CorruptError, "checksum of the copy"),
    ],
    ids=["full", "damaged"],
)
def test_a_member_is_unchanged_by_a_failed_copy(backup, target, files, error, text):
    member = Node(target, 5)
    with pytest.raises(error, match=text):
        run(backup, target, files)
    assert messages(target) == MESSAGES[:5]
    assert names(member.cluster) == ["recording.log"]
    assert run(backup, target).log_position == backup.recorded.stop
