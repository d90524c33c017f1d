"""Directories left by killed embedded drivers, and their removal."""

import os

import pytest

from aeron_cluster.driver import private_directories
from aeron_cluster.driver.private_directories import private_directory, remove_abandoned
from aeron_cluster.memory.system.file_access import FileAccess
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.driver.test_directory import FILES, OneProcess, leave_driver

PID = 12345  # of the process that leaves the directory


@pytest.fixture
def left(shm_dir, monkeypatch):
    """Leave a private directory."""
    monkeypatch.setattr(private_directories, "default_aeron_dir", lambda: f"{shm_dir}/aeron-me")
    directory = shm_dir / f"aeron-{PID}-0123456789abcdef"
    leave_driver(directory, VirtualClock())
    return directory


def remove(*, alive=False):
    remove_abandoned(FILES, OneProcess(alive=alive))


def test_names_are_unique_and_contain_the_process():
    random = SeededRandom(1)
    names = {private_directory(random) for _ in range(10)}
    assert len(names) == 10
    assert all(f"/aeron-{os.getpid()}-" in name for name in names)


def test_a_killed_processs_directory_is_removed_and_reported(left, caplog):
    remove()
    assert not left.exists()
    assert f"{left}: removed, its process {PID} has ended" in caplog.text


def test_directory_of_a_process_killed_before_its_driver_was_ready_is_removed(left):
    (left / "cnc.dat").unlink()
    remove()
    assert not left.exists()


@pytest.mark.parametrize("alive", [True, None])
def test_a_directory_stays_while_its_process_may_live(left, alive):
    remove(alive=alive)
    assert left.exists()


@pytest.mark.parametrize(
    "name", ["aeron-me", "aeron-12345", f"aeron-{PID + 1}-0123456789abcdef", "other-12345-0123456"]
)
def test_a_directory_with_another_name_stays(left, name):
    other = left.rename(left.parent / name)
    remove()
    assert other.exists()


@pytest.mark.parametrize(
    "foreign", ["thesis.txt", "publications/thesis.txt", "cnc.dat", "the owner", "another's cnc"]
)
def test_directories_of_other_drivers_are_retained(left, foreign):
    if foreign == "the owner":
        next(left.glob("owner-*")).unlink()
    elif foreign == "another's cnc":
        other = left.parent / "other"
        leave_driver(other, VirtualClock(), pid=PID + 1)
        (other / "cnc.dat").rename(left / "cnc.dat")
    else:
        (left / foreign).write_bytes(b"years of work" * 1000)
    remove()
    assert left.exists()


@pytest.mark.parametrize("access", [FileAccess(1, 0, 0o700), FileAccess(0, 0, 0o777, is_link=True)])
def test_inaccessible_directories_are_retained(left, access):
    class Files:
        def __getattr__(self, name):
            return getattr(FILES, name)

        def access(self, _path):
            return access

    remove_abandoned(Files(), OneProcess(alive=False))
    assert left.exists()


def test_without_a_parent_nothing_is_removed(left, monkeypatch):
    monkeypatch.setattr(private_directories, "default_aeron_dir", lambda: f"{left}/none/aeron-me")
    remove()
    assert left.exists()
