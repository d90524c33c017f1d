"""Java's backup of our clusters, ours of Java's and of ours, and members restored from them.

Each test also runs on Java nodes: it asserts what Java does.
"""

import contextlib
import shutil
import time
from pathlib import Path

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.backup import ClusterBackup
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import SystemFiles
from tests.interop.cluster_node import KINDS, TIMEOUT_S, ClusterNode, ClusterNodes
from tests.interop.java_cluster import ClusterMembers
from tests.interop.java_peer import JavaPeer, JavaPeers
from tests.waiting import await_true

COMMIT_POSITION = 203
RESPONSE = {"control_response_channel": "aeron:udp?endpoint=localhost:0"}

pytestmark = [pytest.mark.java, pytest.mark.sampled(1)]


class Rig:
    """A node of one member and its backup."""

    def __init__(self, kind, java: JavaPeers, tmp_path: Path, shm_dir: Path, free_port) -> None:
        self.java = java
        self.nodes = ClusterNodes(kind, java, tmp_path, shm_dir, free_port(10))
        self.shm_dir = shm_dir
        self.port_base = free_port(3)
        # The directories of a member of a second cluster.
        self.restored_folder = tmp_path / "restored"
        self.base = self.restored_folder / "cluster" / "node0"
        self.restored_port = free_port(10)

    def start(self, **arguments) -> ClusterNode:
        return self.nodes.start(**arguments).await_leader()

    def send(self, count: int, nodes: ClusterNodes | None = None) -> None:
        reported = (nodes or self.nodes).run_client(count=count, size=64, window=64)
        assert reported.await_event("result")["count"] == count
        # The end of the session, which follows in the log, changes the state.
        (nodes or self.nodes).started[-1].settled_state()

    def start_backup(self, **arguments) -> JavaPeer:
        self.base.mkdir(parents=True, exist_ok=True)
        member = local_member(0, "localhost", self.nodes._port_base)
        backup = self.java.start(
            "Backup",
            dir=self.shm_dir / "backup",
            base=self.base,
            portBase=self.port_base,
            endpoints=member.consensus_endpoint,
            responseMs=60_000,  # after this time a response counts as failed
            **arguments,
        )
        backup.await_event("READY", TIMEOUT_S)
        return backup

    @contextlib.contextmanager
    def our_backup(self, **options):
        """Run our backup with its driver and its archive."""
        member = local_member(0, "localhost", self.nodes._port_base)
        with (
            MediaDriver.launch() as driver,
            Archive.launch(
                aeron_dir=driver.aeron_dir,
                archive_dir=str(self.base / "archive"),
                control_channel=f"aeron:udp?endpoint=localhost:{self.port_base}",
                replication_channel="aeron:udp?endpoint=localhost:0",
                segment_file_length=16 * 1024 * 1024,
                archive_client=RESPONSE,
            ),
            ClusterBackup.launch(
                aeron_dir=driver.aeron_dir,
                cluster_dir=str(self.base / "cluster"),
                consensus_endpoints=member.consensus_endpoint,
                backup_cool_down_interval_ns=1_000_000_000,
                backup_progress_timeout_ns=60_000_000_000,
                **options,
            ) as backup,
        ):
            yield backup

    def await_our_progress(self, backup: ClusterBackup, node: ClusterNode) -> None:
        position = self.commit_position(node)
        deadline = time.monotonic() + TIMEOUT_S
        idle = IdleStrategy("sleep-ms")
        while backup.state is not BackupState.BACKING_UP or backup.live_log_position < position:
            assert time.monotonic() < deadline, f"{backup}: not at {position}"
            idle.idle()

    def commit_position(self, node: ClusterNode) -> int:
        dumped = self.java.run("Inspect", what="cnc", dir=node.directory).events
        (position,) = (
            event["value"]
            for event in dumped
            if event["event"] == "counter" and event["typeId"] == COMMIT_POSITION
        )
        return position

    def await_progress(self, backup: JavaPeer, position: int) -> None:
        backup.await_event("progress", TIMEOUT_S, where=lambda one: one["position"] >= position)

    def restore(self, kind: str) -> ClusterNodes:
        """Return a function that starts a member of another cluster on the backup's files."""
        shutil.rmtree(self.shm_dir / "node", ignore_errors=True)
        return ClusterNodes(kind, self.java, self.restored_folder, self.shm_dir, self.restored_port)


@pytest.fixture(params=KINDS)
def rig(request, java, shm_dir, tmp_path, free_port):
    made = Rig(request.param, java, tmp_path, shm_dir, free_port)
    with made.nodes:
        yield made


def test_a_java_backup_has_log_and_snapshots_and_becomes_a_member(rig):
    node = rig.start()
    rig.send(500)
    node.snapshot()
    rig.send(300)
    backup = rig.start_backup()
    response = backup.await_event("response", TIMEOUT_S)
    assert response["members"].startswith(str(local_member(0, "localhost", rig.nodes._port_base)))
    assert (response["source"], response["snapshots"]) == (0, 2)
    assert backup.await_event("updated", TIMEOUT_S)["snapshots"] == 2
    rig.await_progress(backup, rig.commit_position(node))
    # The backup follows the live log: new messages arrive too.
    rig.send(200)
    rig.await_progress(backup, rig.commit_position(node))
    wanted = node.state()
    assert not [event for event in backup.events if event["event"] == "failure"]
    backup.stop()
    node.peer.stop()
    with RecordingLog(SystemFiles(), str(rig.base / "cluster"), writable=False) as log:
        assert [entry.entry_type for entry in log.entries] == [
            EntryType.TERM,
            EntryType.SNAPSHOT,
            EntryType.SNAPSHOT,
        ]
    with rig.restore(rig.nodes.kind) as nodes:
        restored = nodes.start().await_leader()
        found = restored.state()
        assert (found["messages"], found["checksum"]) == (wanted["messages"], wanted["checksum"])
        rig.send(100, nodes)
        assert restored.state()["messages"] == wanted["messages"] + 100


def test_a_java_backup_is_challenged(rig):
    rig.start(authenticator="challenge", authoriseAll=True)
    backup = rig.start_backup(credentials="someone", answer="secret")
    assert backup.await_event("challenge", TIMEOUT_S)["text"] == "who goes there"
    assert backup.await_event("response", TIMEOUT_S)["source"] == 0


def test_an_unknown_java_backup_is_rejected(rig):
    rig.start(authenticator="password")
    backup = rig.start_backup(credentials="wrong")
    rejected = backup.await_event(
        "failure", TIMEOUT_S, where=lambda one: "AUTHENTICATION_REJECTED" in one["message"]
    )
    assert "session failed authentication" in rejected["message"]


def test_our_backup_resumes_and_becomes_a_member(rig):
    node = rig.start()
    rig.send(300)
    node.snapshot()
    rig.send(200)
    with rig.our_backup() as backup:
        rig.await_our_progress(backup, node)
        rig.send(100)
        rig.await_our_progress(backup, node)
    # It catches up on messages and a newer snapshot.
    rig.send(100)
    node.snapshot()
    with rig.our_backup(
        consensus_channel=f"aeron:udp?endpoint=localhost:{rig.port_base + 1}",
        backup_catchup_endpoint=f"localhost:{rig.port_base + 2}",
        cluster_archive=RESPONSE,
    ) as backup:
        rig.await_our_progress(backup, node)
    wanted = node.state()
    node.peer.stop()
    with RecordingLog(SystemFiles(), str(rig.base / "cluster"), writable=False) as log:
        kinds = [entry.entry_type for entry in log.entries]
        assert kinds == [EntryType.TERM, *[EntryType.SNAPSHOT] * 4]
    with rig.restore(rig.nodes.kind) as nodes:
        restored = nodes.start().await_leader()
        found = restored.state()
        assert (found["messages"], found["checksum"]) == (wanted["messages"], wanted["checksum"])


def test_our_backup_continues_when_its_member_was_killed(rig):
    node = rig.start()
    rig.send(100)
    with rig.our_backup() as backup:
        rig.await_our_progress(backup, node)
        node.peer.kill()
        node = rig.start()
        rig.send(100)
        rig.await_our_progress(backup, node)


def test_a_java_backup_follows_a_follower_and_then_another(java, shm_dir, tmp_path, free_port):
    # Long, so that a delay of a busy machine costs no leader.
    timeouts = {"heartbeatTimeoutMs": 10_000, "canvassMs": 20_000}
    with ClusterMembers(java, tmp_path, shm_dir, free_port, **timeouts) as cluster:
        cluster.start_all("ours-one-thread")
        leader = cluster.await_leader()
        followers = {one.index for one in cluster.followers}
        reported = cluster.client(count=200, size=64, window=64).await_event("result", TIMEOUT_S)
        assert reported["count"] == 200
        base = tmp_path / "copy"
        base.mkdir()
        members = parse_members(cluster.members)
        backup = java.start(
            "Backup",
            dir=shm_dir / "backup",
            base=base,
            portBase=free_port(3),
            endpoints=",".join(one.consensus_endpoint for one in members),
            source="FOLLOWER",
        )
        first = backup.await_event("response", TIMEOUT_S)["source"]
        assert first in followers
        backup.await_event("progress", TIMEOUT_S, where=lambda one: one["position"] > 0)
        since = len(backup.events)
        cluster.kill(first)
        (second,) = followers - {first}
        # The first one may have answered once more before it was killed.
        again = backup.await_event(
            "response", TIMEOUT_S, since, where=lambda one: one["source"] != first
        )
        assert again["source"] == second != leader.index


class Known(Credentials):
    """Sends credentials, and answers the challenge."""

    def encoded_credentials(self):
        return b"someone"

    def on_challenge(self, encoded_challenge):
        assert encoded_challenge == b"who goes there"
        return b"secret"


def test_our_backup_authenticates(rig):
    node = rig.start(authenticator="challenge", authoriseAll=True)
    with rig.our_backup(credentials=Known()) as backup:
        rig.await_our_progress(backup, node)


def test_our_unauthenticated_backup_is_rejected(rig):
    rig.start(authenticator="password")
    errors = []
    with rig.our_backup(error_handler=errors.append) as backup:
        rejection = "AUTHENTICATION_REJECTED: session failed authentication"
        await_true(lambda: any(rejection in str(each) for each in list(errors)), "a rejection")
        assert backup.live_log_position == -1
