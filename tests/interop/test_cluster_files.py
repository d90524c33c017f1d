"""Files of a Java node read by our code, and our files read by Java's tools."""

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster_mark import ClusterComponentType, MarkFileHeader
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

TIMEOUT_S = 120


def java_entries(java, directory):
    seen = java.run("Inspect", what="recordinglog", clusterDir=directory)
    return [
        (
            entry["recordingId"],
            entry["leadershipTermId"],
            entry["termBaseLogPosition"],
            entry["logPosition"],
            entry["timestamp"],
            entry["serviceId"],
            entry["type"],
            entry["valid"],
            entry["index"],
        )
        for entry in seen.events
        if entry["event"] == "entry"
    ]


def our_entries(log):
    return [
        (
            entry.recording_id,
            entry.leadership_term_id,
            entry.term_base_log_position,
            entry.log_position,
            entry.timestamp,
            entry.service_id,
            entry.entry_type.name,
            entry.is_valid,
            entry.entry_index,
        )
        for entry in log.entries
    ]


def java_state(java, directory):
    seen = java.run("Inspect", what="nodestate", clusterDir=directory).await_event("nodestate")
    return seen["candidateTermId"], seen["timestamp"], seen["logPosition"]


def our_state(state):
    term = state.candidate_term
    return term.candidate_term_id, term.timestamp, term.log_position


@pytest.fixture
def node(java, shm_dir, free_port, tmp_path):
    """Run a Java node twice, with a snapshot; return its directories after its end."""
    base = free_port(10)
    for _ in range(2):
        peer = java.start(
            "ClusterNode",
            dir=shm_dir / "node",
            base=tmp_path / "cluster",
            portBase=base,
            idle="backoff",
            log="aeron:udp?term-length=64k",
            segment=128 * 1024,
        )
        peer.await_event("READY", TIMEOUT_S)
        peer.await_event("election", TIMEOUT_S, where=lambda event: event["state"] == "CLOSED")
        since = peer.emit("snapshot")
        peer.await_event("snapshotDone", TIMEOUT_S, since)
        peer.stop()
    return tmp_path / "cluster" / "node0"


def test_the_files_of_a_java_node_are_read_identically(java, node):
    with RecordingLog(SystemFiles(), str(node / "cluster"), writable=False) as log:
        assert our_entries(log) == java_entries(java, node / "cluster")
        assert [entry.leadership_term_id for entry in log.find_latest_snapshots(1)] == [1, 1]
    with NodeState(SystemFiles(), str(node / "cluster"), writable=False) as state:
        assert our_state(state) == java_state(java, node / "cluster")
    for name in ("cluster-mark.dat", "cluster-mark-service-0.dat"):
        header = MarkFileHeader.decode((node / "cluster" / name).read_bytes()[:8192])
        seen = java.run("Inspect", what="mark", clusterDir=node / "cluster").await_event(
            "mark", where=lambda event, name=name: event["file"] == name
        )
        assert seen["component"] == header.component_type.name
        assert (seen["version"], seen["pid"]) == (header.version, header.pid)
        assert seen["aeronDirectory"] == header.aeron_directory
    seen = java.run("Inspect", what="catalog", archiveDir=node / "archive")
    theirs = [event for event in seen.events if event["event"] == "recording"]
    with Catalog(SystemFiles(), str(node / "archive"), writable=False) as catalog:
        ours = [recording.descriptor for recording in catalog]
    assert len(ours) == 5  # the log, and two snapshots each of module and service
    for descriptor, recording in zip(ours, theirs, strict=True):
        assert descriptor.recording_id == recording["recordingId"]
        assert descriptor.start_position == recording["startPosition"]
        assert descriptor.stop_position == recording["stopPosition"]
        assert descriptor.stream_id == recording["streamId"]


def test_java_tool_reads_our_files(java, tmp_path):
    directory = tmp_path / "cluster"
    directory.mkdir()
    with RecordingLog(SystemFiles(), str(directory)) as log:
        log.ensure_coherent(7, -1, 0, 2, 4096, -1, 1000)
        for position in (8192, 12288):
            log.append_snapshot(9, 2, 4096, position, 1001, 1)
            log.append_snapshot(10, 2, 4096, position, 1001, 0)
            log.append_snapshot(11, 2, 4096, position, 1001, -1)
        log.invalidate_latest_snapshot()
        log.append_term(7, 3, 16384, 1002)
        log.commit_log_position(3, 20480)
        assert java_entries(java, directory) == our_entries(log)
    with NodeState(SystemFiles(), str(directory)) as state:
        state.propose(5, 4096, 1234567890)
    assert java_state(java, directory) == (5, 1234567890, 4096)
    content = MarkFileContent(
        component_type=ClusterComponentType.CONSENSUS_MODULE,
        member_id=4,
        ingress_stream_id=101,
        aeron_directory=str(tmp_path),
        control_channel="aeron:ipc",
    )
    with ClusterMarkFile.claim(SystemFiles(), str(directory), content, clock=SystemClock()) as mark:
        mark.signal_ready()
        mark.record_error(ValueError("of the test"), 1234)
        seen = java.run("Inspect", what="mark", clusterDir=directory)
        read = seen.await_event("mark")
        assert (read["version"], read["component"], read["memberId"]) == (
            *(768, "CONSENSUS_MODULE"),
            4,
        )
        assert (read["aeronDirectory"], read["controlChannel"]) == (str(tmp_path), "aeron:ipc")
        assert any("ValueError" in str(event) for event in seen.events)
