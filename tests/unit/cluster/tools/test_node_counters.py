"""The counters of one cluster on a driver that may serve others or have ended."""

import os

import pytest

from aeron_cluster.cluster.tools.node_counters import NodeCounters, open_driver
from aeron_cluster.errors import CorruptError, DriverTimeoutError, MissingFileError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock


def make_cnc(shm_dir, heartbeat_ms, pid):
    with CncFile.create(
        SystemFiles(),
        shm_dir / "cnc.dat",
        client_liveness_timeout_ns=10_000_000_000,
        start_timestamp_ms=1,
        pid=pid,
    ) as cnc:
        cnc.signal_ready(heartbeat_ms)


def test_finds_the_counters_of_one_cluster(member, driver):
    member.count(200, 1, cluster_id=7)
    member.count(200, 2, cluster_id=8)
    member.count(1001, 3, cluster_id=8)
    with NodeCounters(Seams(), driver.aeron_dir, 8) as counters:
        assert counters.value(200) == 2
        assert counters.value(201) is None
        assert [each.type_id for each in counters.of_cluster()] == [200]
        assert len(counters.all()) > 3
        assert counters.driver_errors == []
        assert counters.driver_pid == os.getpid()
    counters.close()


def test_a_directory_without_a_driver_is_named(shm_dir):
    with pytest.raises(MissingFileError, match=str(shm_dir)):
        open_driver(Seams(), str(shm_dir))


@pytest.mark.parametrize("age_ms", [11_000, None])
def test_a_dead_driver_is_named_with_its_process(shm_dir, age_ms):
    heartbeat_ms = -1 if age_ms is None else SystemClock().epoch_ms() - age_ms
    make_cnc(shm_dir, heartbeat_ms, os.getpid())
    with pytest.raises(DriverTimeoutError, match=f"process {os.getpid()}"):
        open_driver(Seams(), str(shm_dir))
    # Its errors are still worth reading.
    open_driver(Seams(), str(shm_dir), alive=False).close()


def test_a_killed_driver_is_detected_before_its_heartbeat_is_old(shm_dir, dead_process):
    clock = VirtualClock(0, 1_700_000_000_000_000_000)
    make_cnc(shm_dir, clock.epoch_ms() - 3_000, dead_process.pid)
    with pytest.raises(DriverTimeoutError, match="not running"):
        open_driver(Seams(clock=clock), str(shm_dir))


@pytest.mark.parametrize("content", [b"", b"torn", b"\xff" * 8192])
def test_another_file_is_rejected(shm_dir, content):
    (shm_dir / "cnc.dat").write_bytes(content)
    with pytest.raises(CorruptError, match=r"cnc\.dat"):
        open_driver(Seams(), str(shm_dir))
