"""Our consensus module with two Java services: messages, timers and snapshots of each."""

import struct
from contextlib import ExitStack, contextmanager

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.module_snapshot import read_module_snapshot
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.test_consensus_module import (
    CLOSED,
    COMMAND,
    ECHO,
    ELECTION_STATE,
    SERVICE,
    SNAPSHOT_COUNT,
    TIMEOUT_S,
    Member,
    Running,
)
from tests.waiting import await_true

BASE = -(2**63)
MESSAGES = 50
KEYS = ("messages", "serviceMessages", "opened", "closed", "checksum")


class TwoServices(Member):
    """A member with the services 0 and 1."""

    @contextmanager
    def running(self, **options):
        with ExitStack() as stack:
            archive_dir = str(self.cluster_dir.parent / "archive")
            stack.enter_context(
                ArchivingMediaDriver.launch(
                    driver={"aeron_dir": self.driver_dir, "threading_mode": "SHARED"},
                    archive={
                        "archive_dir": archive_dir,
                        "control_channel": f"aeron:udp?endpoint=localhost:{self.port + 5}",
                        "replication_channel": "aeron:udp?endpoint=localhost:0",
                        "threading_mode": "SHARED",
                        "archive_id": 0,
                    },
                )
            )
            self.services = []
            # Both services create it if it is missing, and Java's fails if the other one was first.
            self.cluster_dir.mkdir(parents=True, exist_ok=True)
            for service_id in (0, 1):
                service = self._java.start(
                    "ClusterNode",
                    parts="service",
                    serviceId=service_id,
                    portBase=self.port,
                    dir=self.driver_dir,
                    base=self._base,
                    clusterDir=self.cluster_dir,
                )
                stack.callback(service.stop)
                self.services.append(service)
            for service in self.services:
                service.await_event("READY", TIMEOUT_S)
            endpoints = ",".join(f"localhost:{self.port + index}" for index in range(1, 6))
            module = stack.enter_context(
                ConsensusModule.launch(
                    aeron_dir=self.driver_dir,
                    cluster_dir=str(self.cluster_dir),
                    cluster_members=f"0,{endpoints}",
                    ingress_channel="aeron:udp",
                    log_channel="aeron:udp?term-length=16m",
                    service_count=2,
                    # Long, since a busy machine may delay a client.
                    session_timeout_ns=60_000_000_000,
                    error_handler=self.errors.append,
                    **options,
                )
            )
            observer = stack.enter_context(Aeron.connect(aeron_dir=self.driver_dir))
            running = Running(self, module, self.services[0], observer.counters_reader)
            await_true(lambda: running.value(ELECTION_STATE) == CLOSED, "an election")
            yield running

    def states(self):
        found = []
        for service in self.services:
            since = service.emit("state")
            state = service.await_event("state", TIMEOUT_S, since=since)["state"]
            found.append(tuple(state[key] for key in KEYS))
        return found


@pytest.fixture
def member(java, shm_dir, tmp_path, free_port):
    errors = []
    yield TwoServices(java, shm_dir / "driver", tmp_path / "cluster", free_port(10), errors)
    assert [str(error) for error in errors] == []


def test_messages_of_both_services_go_through_the_log_and_a_snapshot(member):
    with member.running() as running:
        with running.client() as (client, echoes):
            for sequence in range(MESSAGES):
                kind = SERVICE if sequence % 2 else ECHO
                message = COMMAND.pack(kind, 0, sequence, 0) + struct.pack("<q", 0)
                running.send(client, message)

            # Each service answers; a message that one offers is sent to both, and both answer it
            # too.
            def is_answered():
                client.poll_egress()
                return len(echoes.messages) == MESSAGES // 2 * 2 + MESSAGES // 2 * 4

            await_true(is_answered, "the answers of both services")
        await_true(
            lambda: [state[:4] for state in member.states()] == [(MESSAGES, MESSAGES, 1, 1)] * 2,
            "the end of the session in both",
        )
        before = member.states()
        running.toggle(ControlToggle.SNAPSHOT)
        await_true(lambda: running.value(SNAPSHOT_COUNT) == 1, "a snapshot")
    files = SystemFiles()
    with RecordingLog(files, str(member.cluster_dir), writable=False) as log:
        entries = log.find_latest_snapshots(2)
    assert [entry.service_id for entry in entries] == [-1, 0, 1]
    state = read_module_snapshot(
        files, str(member.cluster_dir.parent / "archive"), entries[0].recording_id
    )
    assert [tracker.service_id for tracker in state.trackers] == [0, 1]
    for tracker in state.trackers:
        base = BASE | tracker.service_id << 56
        assert tracker.log_service_session_id == base + MESSAGES // 2
        assert tracker.next_service_session_id == base + MESSAGES // 2 + 1
        assert tracker.messages == ()
    with member.running():
        assert member.states() == before
