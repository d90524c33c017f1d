"""A consensus module's snapshot: ours reads Java's; Java's tool and module read ours."""

import struct
from contextlib import ExitStack
from dataclasses import replace

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.module_snapshot import (
    TrackerState,
    load_module_snapshot,
    read_module_snapshot,
    take_module_snapshot,
)
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import ClusterTimeUnit, SessionMessageHeader
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from tests.interop.cluster_node import TIMEOUT_S, ClusterNodes
from tests.waiting import await_true

COMMAND = struct.Struct("<iiqq")
TIMER, SERVICE = 1, 2
BASE = -(2**63)
HOUR_MS = 3_600_000
SEGMENT_LENGTH = 1024 * 1024
SNAPSHOT_STREAM = 107


@pytest.fixture
def nodes(java, shm_dir, free_port, tmp_path):
    return ClusterNodes("java", java, tmp_path, shm_dir, free_port(10))


@pytest.fixture
def files():
    return SystemFiles()


def run(steps):
    task = Task(steps)

    def is_done():
        task.do_work()
        return task.is_done

    await_true(is_done, "the end of the steps")
    return task.result


def snapshot_of_java(nodes):
    """Run a Java node with an open session, a timer and a service message until it has a
    snapshot.
    """
    node = nodes.start(segment=SEGMENT_LENGTH, log="aeron:udp?term-length=64k").await_leader()
    with AeronCluster.connect(
        aeron_dir=node.directory,
        ingress_channel="aeron:udp",
        ingress_endpoints=node.ingress_endpoints,
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
    ) as client:
        for command, number in ((TIMER, 77), (SERVICE, 78)):
            message = COMMAND.pack(command, 0, number, 0) + struct.pack("<q", HOUR_MS)
            await_true(lambda message=message: client.offer(message), "a sent message")
        await_true(lambda: node.state()["serviceMessages"] == 1, "the service's message")
        node.snapshot()
        session_id = client.cluster_session_id
        node.peer.stop()
    return node, session_id


def module_entry(files, node):
    with RecordingLog(files, str(node.cluster_dir), writable=False) as log:
        return log.find_latest_snapshots(1)[0], log.entries


def write_snapshot(directory, state):
    """Record our snapshot with our driver and archive; return the recording's id."""
    with (
        Aeron.connect(aeron_dir=directory) as aeron,
        AeronArchive.connect(
            aeron_dir=directory,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
            message_timeout_ns=120_000_000_000,
        ) as archive,
    ):
        publication = aeron.add_exclusive_publication("aeron:ipc?alias=snapshot", SNAPSHOT_STREAM)
        channel = ChannelUri.parse("aeron:ipc?alias=snapshot").with_params(
            session_id=publication.session_id
        )

        def recordings():
            found = archive.list_recordings_for_uri("alias=snapshot", SNAPSHOT_STREAM)
            return {each.recording_id for each in found}

        before = recordings()
        archive.start_recording(channel, SNAPSHOT_STREAM, auto_stop=True)
        # The publication may be connected before the archive has the image and the catalog entry.
        await_true(lambda: publication.is_connected, "a subscriber")
        await_true(lambda: recordings() != before, "a recording")
        (recording_id,) = recordings() - before
        run(take_module_snapshot(publication, state))
        await_true(
            lambda: archive.get_recording_position(recording_id) == publication.position, "recorded"
        )
        end = publication.position
        publication.close()
        await_true(lambda: archive.get_stop_position(recording_id) == end, "stopped")
        subscription = archive.replay(recording_id, "aeron:ipc", 103)
        with subscription:
            await_true(lambda: subscription.images, "the replay")
            assert run(load_module_snapshot(subscription.images[0])) == state
    return recording_id


def test_a_snapshot_moves_from_java_to_ours_and_back(java, nodes, files, shm_dir, free_port):
    node, session_id = snapshot_of_java(nodes)
    entry, entries = module_entry(files, node)
    state = read_module_snapshot(files, str(node.archive_dir), entry.recording_id)

    # The snapshot that Java's module wrote.
    assert (state.log_position, state.leadership_term_id) == (entry.log_position, 0)
    assert (state.app_version, state.time_unit) == (1, ClusterTimeUnit.MILLIS)
    assert state.next_session_id == session_id + 1
    (session,) = state.sessions
    assert session.cluster_session_id == session_id
    assert session.response_channel.startswith("aeron:udp?")
    ((timer_id, deadline),) = state.timers
    assert timer_id == 77
    assert deadline > HOUR_MS
    (tracker,) = state.trackers
    assert tracker == TrackerState(
        service_id=0, next_service_session_id=BASE + 2, log_service_session_id=BASE + 1
    )

    # The same with the timer due immediately, and with a message that is not in the log yet.
    kept = SessionMessageHeader.encode(
        leadership_term_id=0, cluster_session_id=BASE + 2, timestamp=2**63 - 1
    ) + COMMAND.pack(SERVICE, 0, 79, 0)
    ours = replace(
        state,
        timers=((77, deadline - HOUR_MS), (80, deadline + HOUR_MS)),
        trackers=(replace(tracker, next_service_session_id=BASE + 3, messages=(kept,)),),
    )
    with ExitStack() as stack:
        stack.enter_context(
            ArchivingMediaDriver.launch(
                driver={"aeron_dir": str(shm_dir / "ours"), "threading_mode": "SHARED"},
                archive={
                    "archive_dir": str(node.archive_dir),
                    "control_channel": f"aeron:udp?endpoint=localhost:{free_port()}",
                    "replication_channel": "aeron:udp?endpoint=localhost:0",
                    "segment_file_length": SEGMENT_LENGTH,
                    "threading_mode": "SHARED",
                },
            )
        )
        recording_id = write_snapshot(str(shm_dir / "ours"), ours)
        assert read_module_snapshot(files, str(node.archive_dir), recording_id) == ours
        (node.cluster_dir / "recording.log").unlink()
        with RecordingLog(files, str(node.cluster_dir)) as log:
            for old in entries:
                if old.entry_type is EntryType.TERM:
                    log.append_term(
                        old.recording_id,
                        old.leadership_term_id,
                        old.term_base_log_position,
                        old.timestamp,
                    )
            service = next(old for old in entries if old.service_id == 0 and old.is_valid_snapshot)
            for each, service_id in ((service.recording_id, 0), (recording_id, -1)):
                log.append_snapshot(
                    each,
                    entry.leadership_term_id,
                    entry.term_base_log_position,
                    entry.log_position,
                    entry.timestamp,
                    service_id,
                )
        (node.cluster_dir / "cluster-mark.dat").unlink()
        content = MarkFileContent(
            component_type=ClusterComponentType.CONSENSUS_MODULE,
            member_id=0,
            ingress_stream_id=101,
            aeron_directory=str(shm_dir / "ours"),
            control_channel="aeron:ipc?term-length=128k",
        )
        mark = stack.enter_context(
            ClusterMarkFile.claim(files, str(node.cluster_dir), content, clock=SystemClock())
        )
        mark.signal_ready()

        # Java's tool replays it from our archive.
        seen = java.run("Inspect", what="modulesnapshot", clusterDir=node.cluster_dir)
        text = "\n".join(str(event.get("line", event)) for event in seen.events)
        for reported in (
            "Snapshot: appVersion=1 timeUnit=MILLISECONDS",
            f"clusterSessionId={session_id}",
            "correlationId=77",
            "correlationId=80",
            f"nextServiceSessionId={BASE + 3}",
            f"clusterSessionId={BASE + 2}",
            f"recordingId={recording_id}",
        ):
            assert reported in text, text

    # A Java module recovers from it: the timer fires, the pending message is logged, the session
    # opened before the restart is closed.
    again = nodes.start(segment=SEGMENT_LENGTH, log="aeron:udp?term-length=64k").await_leader()
    closed = again.peer.await_event("sessionClose", TIMEOUT_S)
    assert (closed["id"], closed["reason"]) == (session_id, "TIMEOUT")
    await_true(lambda: again.state()["timerEvents"] == 1, "timer")
    await_true(lambda: again.state()["serviceMessages"] == 2, "service message")
    again.snapshot()
    again.peer.stop()
    entry, _ = module_entry(files, again)
    last = read_module_snapshot(files, str(node.archive_dir), entry.recording_id)
    assert last.timers == ((80, deadline + HOUR_MS),)
    assert last.sessions == ()
    assert last.trackers == (
        TrackerState(
            service_id=0, next_service_session_id=BASE + 3, log_service_session_id=BASE + 2
        ),
    )
