"""Units of cluster time in a Java service and in our own snapshots."""

import struct
import time
from contextlib import contextmanager

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.module_snapshot import read_module_snapshot
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import SnapshotError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.test_consensus_module import COMMAND, SNAPSHOT_COUNT, TIMER, member
from tests.unit.cluster.user_components import DictTimers, MicrosClock
from tests.waiting import await_true

__all__ = ["member"]

HOUR_MS = 3_600_000


@contextmanager
def without_a_service(member, **options):
    """Start the module without a service; it ends before it would wait for one."""
    ended = []
    endpoints = ",".join(f"localhost:{member.port + index}" for index in range(1, 6))
    with (
        ArchivingMediaDriver.launch(
            driver={"aeron_dir": member.driver_dir, "threading_mode": "SHARED"},
            archive={
                "archive_dir": str(member.cluster_dir.parent / "archive"),
                "control_channel": f"aeron:udp?endpoint=localhost:{member.port + 5}",
                "replication_channel": "aeron:udp?endpoint=localhost:0",
                "threading_mode": "SHARED",
            },
        ),
        ConsensusModule.launch(
            aeron_dir=member.driver_dir,
            **{
                "cluster_dir": str(member.cluster_dir),
                "cluster_members": f"0,{endpoints}",
                "ingress_channel": "aeron:udp",
                "error_handler": member.errors.append,
                "termination_hook": lambda: ended.append(True),
                **options,
            },
        ),
    ):
        await_true(lambda: ended, "the module's end")
        yield member.errors.pop()
    member.errors.clear()


def epoch(per_second):
    return time.time_ns() * per_second // 1_000_000_000


@pytest.mark.parametrize(
    ("options", "unit", "per_second"),
    [
        (
            {"clock": "io.aeron.cluster.NanosecondClusterClock"},
            ClusterTimeUnit.NANOS,
            1_000_000_000,
        ),
        (
            {"clock": MicrosClock(time.time_ns), "timer_service_supplier": DictTimers},
            ClusterTimeUnit.MICROS,
            1_000_000,
        ),
    ],
    ids=["nanos", "own clock and timers"],
)
def test_timers_and_snapshots_are_in_the_clusters_unit(member, options, unit, per_second):
    with member.running(**options) as running:
        with running.client() as (client, echoes):
            for number, delay_ms in ((7, 1), (8, HOUR_MS)):
                command = COMMAND.pack(TIMER, 0, number, 0) + struct.pack("<q", delay_ms)
                running.send(client, command)

            def is_fired():
                client.poll_egress()
                return len(echoes.messages) == 1

            await_true(is_fired, "a timer")
            # The service replies with the time of the event.
            fired_at = COMMAND.unpack_from(echoes.messages[0])[3]
            assert abs(fired_at - epoch(per_second)) < HOUR_MS // 2000 * per_second
        before = running.settled_state()
        running.toggle(ControlToggle.SNAPSHOT)
        await_true(lambda: running.value(SNAPSHOT_COUNT) == 1, "a snapshot")
    files = SystemFiles()
    with RecordingLog(files, str(member.cluster_dir), writable=False) as log:
        entry = log.find_latest_snapshots(1)[0]
    state = read_module_snapshot(
        files, str(member.cluster_dir.parent / "archive"), entry.recording_id
    )
    assert state.time_unit is unit
    ((number, deadline),) = state.timers
    assert number == 8
    left = deadline - epoch(per_second)
    assert HOUR_MS // 2000 * per_second < left <= HOUR_MS // 1000 * per_second
    with member.running(**options) as running:
        assert running.state() == before
    # "major application version must match and the time unit must equal the cluster clock's,
    # otherwise a FATAL error"
    with without_a_service(member) as error:
        assert isinstance(error, SnapshotError)
        assert f"time unit {unit.name}, expected MILLIS" in str(error)
    with without_a_service(member, **options, app_version=2 << 16) as error:
        assert isinstance(error, SnapshotError)
        assert "application version 0.0.1, expected 2.x.y" in str(error)
    with member.running(**options) as running:
        assert running.state() == before
