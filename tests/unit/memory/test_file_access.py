"""Directories that another user may have created in the place of ours."""

import logging
import os

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import ForeignDirectoryError
from aeron_cluster.memory.system.file_access import FileAccess, check_directory
from aeron_cluster.memory.system.seams import SystemFiles

FILES = SystemFiles()
OURS, THEIRS, ROOT = 1000, 1001, 0


class Owned:
    """Files with only their owners known."""

    def __init__(self, **access):
        self.access_by_path = {
            f"/{path.replace('_', '/')}": found for path, found in access.items()
        }

    def access(self, path):
        return self.access_by_path.get(str(path))


def of(owner, mode=0o700, **more):
    return FileAccess(owner, OURS, mode, **more)


TMP = of(ROOT, 0o1777)


@pytest.mark.parametrize("owner", [OURS, ROOT])
def test_own_and_roots_directories_are_accepted(owner, caplog):
    check_directory(Owned(tmp=TMP, tmp_aeron=of(owner)), "/tmp/aeron", "driver directory")
    assert caplog.records == []


def test_missing_directory_is_accepted(caplog):
    check_directory(Owned(tmp=TMP), "/tmp/aeron", "driver directory")
    assert caplog.records == []


def test_another_users_directory_in_a_public_place_is_rejected():
    with pytest.raises(ForeignDirectoryError) as caught:
        check_directory(Owned(tmp=TMP, tmp_aeron=of(THEIRS)), "/tmp/aeron", "driver directory")
    assert isinstance(caught.value, PermissionError)
    assert (caught.value.path, caught.value.expected, caught.value.found) == (
        "/tmp/aeron",
        OURS,
        THEIRS,
    )
    assert "driver directory /tmp/aeron: expected one of user 1000, found one of user 1001" in str(
        caught.value
    )


def test_another_users_link_is_rejected():
    files = Owned(tmp=TMP, tmp_aeron=of(THEIRS, 0o777, is_link=True))
    with pytest.raises(ForeignDirectoryError):
        check_directory(files, "/tmp/aeron", "driver directory")


def test_another_users_directory_in_a_private_place_is_logged(caplog):
    # A volume mounted into a container from its host.
    files = Owned(data=of(ROOT, 0o755), data_node=of(THEIRS))
    with caplog.at_level(logging.WARNING):
        check_directory(files, "/data/node", "cluster directory", is_warned=False)
        assert caplog.records == []
        check_directory(files, "/data/node", "cluster directory")
    [line] = caplog.messages
    assert line == "cluster directory /data/node belongs to user 1001, this process to user 1000"


@pytest.mark.parametrize(("above", "count"), [(0o755, 1), (0o700, 0)])
def test_node_reachable_by_others_logs_a_warning(caplog, above, count):
    files = Owned(**{"": of(ROOT, 0o755)}, data=of(OURS, above), data_node=of(OURS, 0o755))
    with caplog.at_level(logging.WARNING):
        check_directory(files, "/data/node", "cluster directory")
    assert len(caplog.messages) == count
    assert all("(mode 0755)" in line for line in caplog.messages)


def test_our_link_leads_to_the_mark_file(tmp_path, caplog):
    (tmp_path / "there").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("there")
    with caplog.at_level(logging.WARNING):
        check_directory(FILES, str(tmp_path / "link"), "cluster directory")
    assert caplog.messages == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_nothing_in_a_foreign_directory_is_touched(shm_dir):
    place = shm_dir / "all"
    place.mkdir()
    place.chmod(0o1777)
    for name in ("driver", "archive"):
        (place / name).mkdir()
        (place / name / "precious").write_bytes(b"x")
        os.chown(place / name, 12345, 12345)
    with pytest.raises(ForeignDirectoryError, match="driver directory"):
        MediaDriver.launch(aeron_dir=str(place / "driver"), dir_delete_on_start=True)
    with pytest.raises(ForeignDirectoryError, match="archive directory"):
        Archive(
            ArchiveContext.of(
                archive_dir=str(place / "archive"),
                control_channel="aeron:udp?endpoint=localhost:0",
                replication_channel="aeron:udp?endpoint=localhost:0",
                dir_delete_on_start=True,
            )
        )
    for name in ("driver", "archive"):
        assert (place / name / "precious").read_bytes() == b"x"
