"""The owner of a directory: a live driver, a dead one, or none."""

import logging
import struct
from pathlib import Path

import pytest

from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.directory import claim_directory
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import CorruptError, DirectoryInUseError, VersionError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.process import ProcessIdentity
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

FILES = SystemFiles()
S = 1_000_000_000


class OneProcess:
    """A machine on which one process was started, and maybe ended."""

    def __init__(self, *, alive):
        self.alive = alive

    def own_identity(self):
        return ProcessIdentity(12345, 6, 7, 8)

    def is_alive(self, _identity):
        return self.alive


def context(**options):
    return DriverContext(environment={}, **options)


def leave_driver(directory, clock, *, pid=12345, processes=None, errors=()):
    """Write the files of a driver killed now."""
    claim_directory(FILES, context(), str(directory), clock, processes or OneProcess(alive=True))
    cnc = CncFile.create(
        FILES,
        directory / "cnc.dat",
        client_liveness_timeout_ns=10 * S,
        start_timestamp_ms=clock.epoch_ms(),
        pid=pid,
    )
    for error in errors:
        cnc.error_log().record(error, now_ms=clock.epoch_ms())
    cnc.signal_ready(clock.epoch_ms())
    (directory / "publications" / "5.logbuffer").write_bytes(b"left over")


def take(directory, clock, *, alive=None, **options):
    claim_directory(FILES, context(**options), str(directory), clock, OneProcess(alive=alive))


def test_makes_a_directory_for_its_owner_alone(shm_dir):
    take(shm_dir / "driver", VirtualClock())
    assert (shm_dir / "driver").stat().st_mode & 0o777 == 0o700
    [owner] = (shm_dir / "driver").glob("owner-*")
    assert owner.stat().st_size == 0
    assert {path.name for path in (shm_dir / "driver").iterdir()} == {
        "images",
        owner.name,
        "publications",
    }


def test_rejects_the_directory_of_a_live_driver_and_names_its_process(shm_dir):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    clock.advance(9 * S)
    with pytest.raises(DirectoryInUseError, match="process 12345") as raised:
        take(shm_dir / "driver", clock, alive=True)
    assert raised.value.pid == 12345
    assert (shm_dir / "driver" / "publications" / "5.logbuffer").exists()


def test_a_killed_processs_directory_is_taken_over_at_once_and_reported(shm_dir, caplog):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    with caplog.at_level(logging.INFO):
        take(shm_dir / "driver", clock, alive=False)
    assert "taken over from process 12345" in caplog.text
    assert not (shm_dir / "driver" / "publications" / "5.logbuffer").exists()


@pytest.mark.parametrize("alive", [None, False])
def test_a_foreign_driver_is_judged_by_its_heartbeat(shm_dir, alive):
    """The process id of another container, or of a Java driver, means nothing here."""
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    if alive is False:  # Java's drivers store no record of their process
        [owner] = (shm_dir / "driver").glob("owner-*")
        owner.unlink()
    clock.advance(9 * S)
    with pytest.raises(DirectoryInUseError):
        take(shm_dir / "driver", clock, alive=alive)
    clock.advance(2 * S)
    take(shm_dir / "driver", clock, alive=alive)


def test_owner_of_another_format_is_judged_by_its_heartbeat(shm_dir):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    [owner] = (shm_dir / "driver").glob("owner-*")
    owner.rename(f"{owner}00")
    with pytest.raises(DirectoryInUseError):
        take(shm_dir / "driver", clock, alive=False)
    clock.advance(11 * S)
    take(shm_dir / "driver", clock, alive=True)


@pytest.mark.parametrize("is_reported", [True, False])
def test_an_existing_directory_is_reported_if_configured(shm_dir, caplog, is_reported):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    take(shm_dir / "driver", clock, dir_delete_on_start=True, dir_warn_if_exists=is_reported)
    assert (f"{shm_dir / 'driver'}: exists" in caplog.text) is is_reported


def test_an_empty_directory_is_taken(shm_dir):
    (shm_dir / "driver").mkdir()
    take(shm_dir / "driver", VirtualClock())
    assert (shm_dir / "driver" / "images").is_dir()


def test_closed_driver_is_never_active(shm_dir):
    clock = VirtualClock()
    directory = shm_dir / "driver"
    seams = Seams(clock=clock)
    MediaDriver.launch(seams=seams, aeron_dir=directory, threading_mode="INVOKER").close()
    take(directory, clock, alive=True)


def test_the_previous_drivers_errors_are_saved_beside_its_directory(shm_dir):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock, errors=["it broke", "it broke", "it burnt"])
    take(shm_dir / "driver", clock, alive=False)
    [kept] = shm_dir.glob("driver-*-error.log")
    text = kept.read_text()
    assert "2 observations" in text
    assert "it broke" in text
    assert "it burnt" in text


def test_rejects_a_directory_with_foreign_files(shm_dir):
    directory = shm_dir / "precious"
    directory.mkdir()
    (directory / "thesis.txt").write_text("years of work")
    with pytest.raises(CorruptError, match=r"thesis\.txt"):
        take(directory, VirtualClock())
    assert (directory / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize(
    "content", [b"\1", b"\xff" * 4096, struct.pack("<6i", 512, 1, 2, 3, 4, 5), bytes(4096)]
)
def test_rejects_an_invalid_cnc_file_and_leaves_it_unchanged(shm_dir, content):
    directory = shm_dir / "driver"
    directory.mkdir()
    (directory / "cnc.dat").write_bytes(content)
    with pytest.raises(CorruptError, match=r"cnc\.dat"):
        take(directory, VirtualClock())
    assert (directory / "cnc.dat").read_bytes() == content


def test_rejects_the_cnc_file_of_another_version(shm_dir):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    with (shm_dir / "driver" / "cnc.dat").open("r+b") as file:
        file.write(struct.pack("<i", 1 << 16))
    with pytest.raises(VersionError):
        take(shm_dir / "driver", clock, alive=False)


def test_starting_driver_owns_the_directory(shm_dir):
    clock = VirtualClock()
    take(shm_dir / "driver", clock)
    with pytest.raises(DirectoryInUseError, match="about to start"):
        take(shm_dir / "driver", clock, alive=True)
    (shm_dir / "driver" / "cnc.dat").write_bytes(bytes(4096))
    with pytest.raises(DirectoryInUseError, match="about to start"):
        take(shm_dir / "driver", clock, alive=True)
    take(shm_dir / "driver", clock, alive=False)


def test_deletes_without_checks_at_a_given_path(shm_dir):
    clock = VirtualClock()
    leave_driver(shm_dir / "driver", clock)
    take(shm_dir / "driver", clock, alive=True, dir_delete_on_start=True)
    assert not (shm_dir / "driver" / "cnc.dat").exists()


def test_an_embedded_driver_removes_its_directory():
    driver = MediaDriver.launch(environment={}, threading_mode="INVOKER")
    directory = Path(driver.aeron_dir)
    assert directory.is_dir()
    driver.close()
    driver.close()
    assert not directory.exists()


def test_failed_launch_leaves_no_directory(shm_dir, monkeypatch):
    def reject(*_arguments, **_keywords):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("aeron_cluster.driver.media_driver.LossReport", reject)
    with pytest.raises(OSError, match="No space"):
        MediaDriver.launch(aeron_dir=shm_dir / "driver", dir_delete_on_shutdown=True)
    assert not (shm_dir / "driver").exists()
