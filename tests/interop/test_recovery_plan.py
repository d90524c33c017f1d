"""Our recovery plans compared with Java's, for recording logs of many kinds."""

import random

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.state.recovery_plan import plan_recovery
from aeron_cluster.errors import StateError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.waiting import await_true

SERVICES = 2
LOGS = 80


class Writer:
    """Writes a recording log like a member that is killed at times."""

    def __init__(self, log, source, log_recording_id):
        self.log = log
        self.source = source
        self.log_recording_id = log_recording_id
        self.position = 0
        self.next_recording_id = 100
        self.term = -1
        self.base = 0

    def begin_term(self):
        self.term += self.source.choice([1, 1, 1, 3])
        self.base = self.position
        self.log.ensure_coherent(
            self.log_recording_id, -1, 0, self.term, self.position, -1, 1000 + self.term
        )

    def move(self):
        self.position += 32 * self.source.randint(1, 40)

    def take_snapshot(self):
        """Write the entries of a snapshot, sometimes incompletely."""
        self.move()
        entries = [*range(SERVICES - 1, -1, -1), -1]
        if self.source.random() < 0.25:
            del entries[self.source.randint(1, SERVICES) :]
        for service_id in entries:
            self.log.append_snapshot(
                self.next_recording_id,
                max(self.term, 0),
                self.base,
                self.position,
                2000,
                service_id,
            )
            self.next_recording_id += 1

    def invalidate(self):
        if self.term >= 0:
            self.log.invalidate_latest_snapshot()

    def commit(self):
        if self.term >= 0:
            self.log.commit_log_position(self.term, self.position)


def write(log, source, log_recording_id):
    writer = Writer(log, source, log_recording_id)
    steps = [writer.begin_term] * 3 + [writer.take_snapshot] * 4 + [writer.move, writer.invalidate]
    steps.append(writer.commit)
    for _ in range(source.randint(0, 9)):
        source.choice(steps)()


def ours(log, descriptor):
    sources = plan_recovery(log, SERVICES)
    plan = sources.with_log(descriptor if sources.log_recording_id != -1 else None)
    found = plan.log
    return {
        "lastLeadershipTermId": plan.last_leadership_term_id,
        "lastTermBaseLogPosition": plan.last_term_base_log_position,
        "appendedLogPosition": plan.appended_log_position,
        "committedLogPosition": plan.committed_log_position,
        "snapshots": " ".join(f"{each.service_id}:{each.recording_id}" for each in plan.snapshots),
        "recordingId": found.recording_id if found else None,
        "startPosition": found.start_position if found else None,
        "stopPosition": found.stop_position if found else None,
        "logPosition": found.log_position if found else None,
    }


def record_a_log(directory):
    """Return the archive's descriptor of a recording that has ended."""
    with (
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(
            aeron_dir=directory,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
            message_timeout_ns=120_000_000_000,
        ) as archive,
    ):
        publication = archive.add_recorded_exclusive_publication(
            "aeron:ipc?term-length=64k|mtu=2048", 100
        )
        for _ in range(10):
            await_true(lambda: publication.offer(bytes(1000)), "room")
        end = publication.position
        await_true(archive.list_recordings, "a recording")
        found = archive.list_recordings()[0].recording_id
        # A recording stops at its current position on request.
        await_true(
            lambda: archive.get_max_recorded_position(found) == end, "the end of the recording"
        )
        publication.close()
        archive.try_stop_recording_by_identity(found)
        await_true(lambda: archive.get_stop_position(found) == end, "its end")
        assert aeron.failure is None
        return archive.list_recording(found)


def test_plans_equal_javas(java, shm_dir, tmp_path, free_port):
    files, source, plans = SystemFiles(), random.Random(20), {}
    directory = str(shm_dir / "driver")
    with ArchivingMediaDriver.launch(
        driver={"aeron_dir": directory, "threading_mode": "SHARED"},
        archive={
            "archive_dir": str(shm_dir / "archive"),
            "control_channel": f"aeron:udp?endpoint=localhost:{free_port()}",
            "replication_channel": "aeron:udp?endpoint=localhost:0",
            "segment_file_length": 65536,
            "threading_mode": "SHARED",
        },
    ):
        descriptor = record_a_log(directory)
        for number in range(LOGS):
            name = f"{number:03}"
            (tmp_path / name).mkdir()
            with RecordingLog(files, str(tmp_path / name)) as log:
                write(log, source, descriptor.recording_id)
                try:
                    plans[name] = ours(log, descriptor)
                except StateError:
                    plans[name] = None
        seen = java.run(
            "Inspect",
            what="recoveryplans",
            dir=directory,
            clusterDirs=tmp_path,
            serviceCount=SERVICES,
        )
    theirs = {}
    for event in seen.events:
        if event["event"] == "plan":
            theirs[event["directory"]] = {
                key: value for key, value in event.items() if key in plans["000"]
            }
        elif event["event"] == "noPlan":
            theirs[event["directory"]] = None
    theirs = {name: plan for name, plan in theirs.items() if name in plans}
    assert theirs == plans
    valid = [plan for plan in plans.values() if plan]
    assert any(plan["snapshots"] for plan in valid)
    assert any(plan["recordingId"] is None for plan in valid)
