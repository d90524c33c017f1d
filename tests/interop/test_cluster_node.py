"""A Java client with a node of one member, Java's own tools on its files, and its restarts.

Every test also runs on a Java node: it asserts what Java does.
"""

import contextlib
import re
import tempfile
from pathlib import Path

import pytest

from tests.conftest import SHARED_MEMORY
from tests.interop.cluster_node import KINDS, TIMEOUT_S, ClusterNode, ClusterNodes
from tests.interop.java_peer import JavaPeers
from tests.waiting import await_true

CLUSTER_TOOL = "cluster.ClusterTool"
ARCHIVE_TOOL = "archive.ArchiveTool"
EMPTY = 0

# A run draws one case of each test on our node, and sometimes the one on Java's.
pytestmark = pytest.mark.sampled(1)

# Type, key and label of each counter of a cluster node.
COUNTERS = {
    (200, "", "Consensus Module state - clusterId=0"),
    (201, "", "Cluster node role - clusterId=0"),
    (202, "", "Cluster control toggle - clusterId=0"),
    (203, "", "Cluster commit-pos: - clusterId=0"),
    (205, "", "Cluster snapshot count - clusterId=0"),
    (207, "", "Cluster election state - clusterId=0"),
    (212, "", "Cluster Errors - clusterId=0 version= commit="),
    (213, "", "Cluster timed out client count - clusterId=0"),
    (215, "", "Cluster Container Errors - clusterId=0 serviceId=0 version= commit="),
    (216, "", "Cluster max cycle time in ns - clusterId=0"),
    (217, "", "Cluster work cycle time exceeded count: threshold=100ms - clusterId=0"),
    (218, "", "Cluster container max cycle time in ns - clusterId=0 serviceId=0"),
    (
        219,
        "",
        "Cluster container work cycle time exceeded count: threshold=100ms"
        " - clusterId=0 serviceId=0",
    ),
    (233, "", "Node control toggle - clusterId=0"),
    (234, "", "Total max snapshot duration in ns - clusterId=0"),
    (235, "", "Total max snapshot duration exceeded count: threshold=1s - clusterId=0"),
    (236, "", "Clustered service max snapshot duration in ns - clusterId=0 serviceId=0"),
    (
        237,
        "",
        "Clustered service max snapshot duration exceeded count: threshold=1s"
        " - clusterId=0 serviceId=0",
    ),
    (238, "", "Cluster election count - clusterId=0"),
    (239, "", "Cluster leadership term id - clusterId=0"),
}


@pytest.fixture(params=KINDS)
def nodes(request, java: JavaPeers, shm_dir: Path, tmp_path: Path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


@pytest.fixture(scope="module", params=KINDS)
def quiet_nodes(request, java_class_path, tmp_path_factory, free_port):
    """Start nodes that the tests of a module share."""
    folder = tmp_path_factory.mktemp("node")
    peers = JavaPeers(java_class_path, folder)
    with (
        tempfile.TemporaryDirectory(prefix="aeron-cluster-test-", dir=SHARED_MEMORY) as name,
        contextlib.closing(peers),
        ClusterNodes(request.param, peers, folder, Path(name), free_port(10)) as started,
    ):
        started.start().await_leader()
        yield started


@pytest.fixture
def node(quiet_nodes: ClusterNodes) -> ClusterNode:
    return quiet_nodes.started[-1]


def echoes(nodes: ClusterNodes, **arguments):
    """Run a client that sends messages and verifies their echoes; return its report."""
    return nodes.run_client(**arguments).await_event("result")


# ---- a client's session ----


@pytest.mark.parametrize("place", ["own-driver", "driver-of-the-node"])
def test_messages_of_many_lengths_are_echoed_completely_and_in_order(
    quiet_nodes, node, shm_dir, place
):
    own = {"embedded": True, "dir": shm_dir / "client"} if place == "own-driver" else {}
    before = node.state()
    reported = echoes(quiet_nodes, count=100_000, size=32, maxSize=1400, window=256, **own)
    assert (reported["bad"], reported["gaps"], reported["duplicates"]) == (0, 0, 0)
    assert reported["count"] == 100_000
    after = node.state()
    assert after["messages"] - before["messages"] == 100_000
    assert after["checksum"] != before["checksum"]


def test_messages_of_up_to_a_million_bytes_are_echoed_completely(quiet_nodes, node):
    before = node.state()
    reported = echoes(quiet_nodes, count=100, size=1400, maxSize=1_000_000, window=2)
    assert (reported["bad"], reported["gaps"], reported["duplicates"]) == (0, 0, 0)
    assert node.state()["messages"] - before["messages"] == 100


def test_another_protocol_version_is_rejected(quiet_nodes, node):
    version = 1 << 16
    reported = quiet_nodes.run_client(cmd="request", version=version).await_event("sessionEvent")
    assert reported["code"] == "ERROR"
    rejection = "invalid client version 1.0.0, cluster is 0.3.0"
    assert rejection in reported["detail"]

    def errors():
        return quiet_nodes.peers.tool(CLUSTER_TOOL, node.cluster_dir, "errors")

    await_true(lambda: rejection in errors(), "the rejection among the errors")
    assert "O distinct errors observed" in errors()  # of the driver, and of the container


def test_ten_clients_are_accepted_and_the_eleventh_is_rejected_with_a_reason(nodes):
    node = nodes.start().await_leader()
    reported = nodes.run_client(cmd="crowd", clients=11, connectMs=0)
    rejected = reported.await_event("crowd")
    assert rejected["open"] == 10
    assert "concurrent session limit" in rejected["message"]
    for session_id in range(1, 11):
        closed = node.peer.await_event(
            "sessionClose", where=lambda one, session_id=session_id: one["id"] == session_id
        )
        assert closed["reason"] == "CLIENT_ACTION"
    assert echoes(nodes, count=10)["bad"] == 0  # a closed session makes room


def test_a_client_without_the_password_is_rejected(nodes):
    node = nodes.start(authenticator="password").await_leader()
    rejected = nodes.run_client(code=3, credentials="guess", connectMs=0)
    failure = rejected.await_event("connectFailed")
    assert failure["type"] == "AuthenticationException"
    assert "session failed authentication" in failure["message"]
    assert echoes(nodes, count=10, credentials="secret")["bad"] == 0
    opened = node.peer.await_event("sessionOpen")
    assert opened["principal"] == "secret"
    assert sum(one["event"] == "sessionOpen" for one in node.peer.events) == 1


def test_a_client_is_challenged(nodes):
    node = nodes.start(authenticator="challenge").await_leader()
    client = nodes.run_client(count=10, credentials="alice", answer="secret")
    assert client.await_event("challenge")["text"] == "who goes there"
    assert client.await_event("result")["bad"] == 0
    assert node.peer.await_event("sessionOpen")["principal"] == "alice"
    rejected = nodes.run_client(code=3, credentials="alice", answer="guess", connectMs=0)
    assert rejected.await_event("connectFailed")["type"] == "AuthenticationException"


@pytest.mark.parametrize(
    ("authorised", "code", "answer"), [(True, 0, "OK"), (False, 1, "UNAUTHORISED_ACCESS")]
)
def test_a_snapshot_is_taken_at_a_clients_request_if_authorised(nodes, authorised, code, answer):
    node = nodes.start(authoriseAll=authorised).await_leader()
    reported = nodes.run_client(code=code, cmd="snapshot").await_event("adminResponse")
    assert (reported["type"], reported["code"]) == ("SNAPSHOT", answer)
    if authorised:
        node.peer.await_event("snapshotTaken")
        await_snapshot(nodes, node)


def test_a_silent_session_is_closed(nodes):
    node = nodes.start(sessionTimeoutMs=5000).await_leader()
    silent = nodes.run_client(cmd="idle")
    reported = silent.await_event("sessionEvent")
    assert reported["code"] == "CLOSED"
    assert "TIMEOUT" in reported["detail"]
    # Timed from the client's last message and checked at each slow tick; a busy machine adds to it.
    opened, closed = silent.await_event("connected"), silent.await_event("closedByCluster")
    assert closed["t"] - opened["t"] + opened["ms"] > 2500
    assert node.peer.await_event("sessionClose")["reason"] == "TIMEOUT"
    await_true(lambda: counters(nodes, node)[213]["value"] == 1, "its count")


def test_restarted_node_closes_sessions_open_at_its_death(nodes):
    node = nodes.start().await_leader()
    client = nodes.client(cmd="idle")
    opened = node.peer.await_event("sessionOpen")
    client.kill()
    node.peer.kill()
    node = nodes.start().await_leader()
    closed = node.peer.await_event("sessionClose")
    assert (closed["id"], closed["reason"]) == (opened["id"], "TIMEOUT")
    await_true(lambda: counters(nodes, node)[213]["value"] == 1, "its count")
    # Its id is not reused.
    echoes(nodes, count=1)
    again = node.peer.await_event("sessionOpen", where=lambda one: one["id"] != opened["id"])
    assert again["id"] == opened["id"] + 1


def close_of(node: ClusterNode, client):
    """Return the node's report of the end of a client's session; other sessions may end late."""
    session_id = client.await_event("connected")["sessionId"]
    return node.peer.await_event("sessionClose", where=lambda one: one["id"] == session_id)


def test_the_service_closes_a_session(quiet_nodes, node):
    reported = quiet_nodes.run_client(cmd="close")
    assert reported.await_event("sessionEvent")["code"] == "CLOSED"
    assert "SERVICE_ACTION" in reported.await_event("sessionEvent")["detail"]
    assert close_of(node, reported)["reason"] == "SERVICE_ACTION"


def test_a_client_closes_its_session(quiet_nodes, node):
    client = quiet_nodes.run_client(count=1)
    assert close_of(node, client)["reason"] == "CLIENT_ACTION"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", ["timer", "service", "broadcast", "cancel"])
def test_service_uses_every_request_to_the_cluster(quiet_nodes, node, command):
    before = node.state()
    reported = echoes(quiet_nodes, cmd=command, count=50, window=8, delayMs=20)
    assert (reported["bad"], reported["gaps"], reported["duplicates"]) == (0, 0, 0)
    after = node.state()
    gone_up = {"timer": "timerEvents", "service": "serviceMessages"}.get(command, "messages")
    assert after[gone_up] - before[gone_up] == 50
    assert after["pendingTimers"] == 0


# ---- Java's tools ----


def counters(nodes: ClusterNodes, node: ClusterNode):
    """Return a driver's counters by type, as Java reads them."""
    seen = nodes.peers.run("Inspect", what="cnc", dir=node.directory)
    return {one["typeId"]: one for one in seen.events if one["event"] == "counter"}


def await_snapshot(nodes: ClusterNodes, node: ClusterNode):
    """Wait until a node's only snapshot is complete; its events may miss a quick one."""

    def is_done():
        by_type = counters(nodes, node)
        # the snapshot is counted and the module active again
        return by_type[205]["value"] == by_type[200]["value"] == 1

    await_true(is_done, "a snapshot")


def test_java_reads_the_counters(quiet_nodes, node):
    echoes(quiet_nodes, count=100)
    node.settled_state()
    seen = []

    def is_all_committed():
        seen.append(counters(quiet_nodes, node))
        return seen[-1][203]["value"] == seen[-1][100]["value"]

    await_true(is_all_committed, "the recorded position committed")
    by_type = seen[-1]
    found = {
        (one["typeId"], one["key"], re.sub(r"(version|commit)=\S*", r"\1=", one["label"]))
        for one in by_type.values()
        if 200 <= one["typeId"] < 1000
    }
    assert found == COUNTERS
    assert {name: by_type[type_id]["value"] for name, type_id in STEADY.items()} == {
        **dict.fromkeys(STEADY, 0),
        "module state": 1,
        "election state": 17,
        "election count": 1,
        "role": 2,
        "toggle": 1,
        "node toggle": 1,
    }
    assert by_type[203]["value"] == by_type[100]["value"] > 100 * 96  # committed, recorded


STEADY = {
    "module state": 200,
    "role": 201,
    "toggle": 202,
    "snapshot count": 205,
    "election state": 207,
    "errors": 212,
    "container errors": 215,
    "node toggle": 233,
    "election count": 238,
    "leadership term": 239,
}


def test_the_cluster_tool_describes_a_running_node(quiet_nodes, node):
    java, directory = quiet_nodes.peers, node.cluster_dir
    described = java.tool(CLUSTER_TOOL, directory, "describe")
    assert f"pid={node.peer.pid}" in described
    for part in ("componentType=CONSENSUS_MODULE", "componentType=CONTAINER"):
        assert part in described
    assert f"aeronDirectory='{node.directory}'" in described
    assert java.tool(CLUSTER_TOOL, directory, "pid").split() == [str(node.peer.pid)]
    log = java.tool(CLUSTER_TOOL, directory, "recording-log")
    assert "recordingId=0, leadershipTermId=0, termBaseLogPosition=0, logPosition=-1" in log
    members = java.tool(CLUSTER_TOOL, directory, "list-members")
    assert "leaderMemberId=0, memberId=0" in members
    assert "isLeader=true" in members
    assert f"ingressEndpoint='localhost:{node.port_base + 1}'" in members
    java.tool(CLUSTER_TOOL, directory, "is-leader")
    plan = java.tool(
        CLUSTER_TOOL,
        *(directory, "recovery-plan", 1),
        aeron_dir=node.directory,
        aeron_archive_control_channel="aeron:ipc",
        aeron_archive_control_response_channel="aeron:ipc",
    )
    assert "lastLeadershipTermId=0" in plan
    assert "recordingId=0" in plan


def test_the_archive_tool_describes_and_verifies_a_node(nodes):
    node = nodes.start().await_leader()
    echoes(nodes, count=1000, maxSize=3000, window=16)
    node.snapshot()
    described = nodes.peers.tool(ARCHIVE_TOOL, node.archive_dir, "describe")
    assert f"pid={node.peer.pid}" in described
    assert re.findall(r"recordingId=(\d+).*?streamId=(\d+)", described) == [
        ("0", "100"),
        ("1", "106"),
        ("2", "107"),
    ]
    assert "alias=log" in described
    node.peer.stop()
    verified = nodes.peers.run("Inspect", what="verify", archiveDir=node.archive_dir)
    assert verified.await_event("verify")["ok"]
    if nodes.kind != "java":  # by default without
        summed = {"checksum": "org.agrona.checksum.Crc32c"}
        verified = nodes.peers.run("Inspect", what="verify", archiveDir=node.archive_dir, **summed)
        assert verified.await_event("verify")["ok"]
    seen = nodes.peers.run("Inspect", what="catalog", archiveDir=node.archive_dir)
    assert all(one["stopPosition"] > 0 for one in seen.events if one["event"] == "recording")


def test_the_cluster_tool_suspends_resumes_and_takes_a_snapshot(nodes):
    java, node = nodes.peers, nodes.start().await_leader()
    directory = node.cluster_dir
    since = len(node.peer.events)
    assert "SUSPEND applied" in java.tool(CLUSTER_TOOL, directory, "suspend")
    node.await_module("SUSPENDED", since)
    java.tool(CLUSTER_TOOL, directory, "snapshot", code=255)  # only an active module accepts it
    client = nodes.client(count=100)  # waits until the log continues
    since = len(node.peer.events)
    assert "RESUME applied" in java.tool(CLUSTER_TOOL, directory, "resume")
    node.await_module("ACTIVE", since)
    client.await_event("result", TIMEOUT_S)
    since = len(node.peer.events)
    assert "SNAPSHOT applied" in java.tool(CLUSTER_TOOL, directory, "snapshot")
    node.peer.await_event("snapshotTaken", since=since)
    await_snapshot(nodes, node)
    log = java.tool(CLUSTER_TOOL, directory, "recording-log")
    snapshots = re.findall(r"serviceId=(-?\d+), type=SNAPSHOT, isValid=true", log)
    assert sorted(snapshots) == ["-1", "0"]


@pytest.mark.parametrize("command", ["shutdown", "abort"])
def test_the_cluster_tool_ends_a_node(nodes, command):
    node = nodes.start().await_leader()
    echoes(nodes, count=100)
    state = node.settled_state()
    assert "applied" in nodes.peers.tool(CLUSTER_TOOL, node.cluster_dir, command)
    assert node.peer.await_event("serviceTerminate", TIMEOUT_S)["state"] == state
    assert node.peer.wait(TIMEOUT_S) == 0
    log = nodes.peers.tool(CLUSTER_TOOL, node.cluster_dir, "recording-log")
    assert ("type=SNAPSHOT" in log) == (command == "shutdown")
    assert "logPosition=-1" not in log  # the end of the term is recorded
    again = nodes.start().await_leader()
    started = again.peer.await_event("serviceStart")
    assert started["fromSnapshot"] == (command == "shutdown")
    assert same(again.state(), state)


# ---- restarts ----


def same(one, other):
    """Return whether two states result from the same log; a new term moves time and position."""
    moved = ("clusterTime", "logPosition")
    return {name: value for name, value in one.items() if name not in moved} == {
        name: value for name, value in other.items() if name not in moved
    }


@pytest.mark.parametrize("with_snapshot", [True, False])
@pytest.mark.parametrize("first", ["java", "ours-one-thread"])
def test_a_node_continues_with_the_files_of_the_other_kind(
    java, shm_dir, tmp_path, free_port, first, with_snapshot
):
    """Run Java's node and ours in turn on the same files; their states must be equal."""
    port_base = free_port(10)
    kinds = ["java", "ours-one-thread"]
    state = None
    for kind in [first, *(each for each in kinds if each != first), first]:
        with ClusterNodes(kind, java, tmp_path, shm_dir, port_base) as nodes:
            node = nodes.start(snapshotPad=3).await_leader()
            started = node.peer.await_event("serviceStart")
            if state is not None:
                assert started["fromSnapshot"] == with_snapshot
                assert same(node.state(), state)
            echoes(nodes, count=300, maxSize=3000, window=32)
            echoes(nodes, cmd="service", count=20, window=8)
            if with_snapshot:
                node.snapshot()
            echoes(nodes, count=200, maxSize=1400, window=32)
            echoes(nodes, cmd="timer", count=5, window=5, delayMs=10)
            state = node.settled_state()
            node.peer.stop()


def test_snapshot_and_the_rest_of_the_log_restore_the_whole_state(nodes):
    node = nodes.start().await_leader()
    echoes(nodes, count=2000, maxSize=3000, window=32)
    echoes(nodes, cmd="service", count=100, window=8)
    in_snapshot = node.settled_state()
    node.snapshot()
    echoes(nodes, count=1000, maxSize=1400, window=32)
    echoes(nodes, cmd="timer", count=20, window=8, delayMs=10)
    state = node.settled_state()
    node.peer.stop()

    node = nodes.start().await_leader()
    started = node.peer.await_event("serviceStart")
    assert started["fromSnapshot"]
    assert started["state"]["checksum"] == in_snapshot["checksum"]
    assert same(node.state(), state)
    node.peer.stop()

    nodes.peers.tool(CLUSTER_TOOL, node.cluster_dir, "invalidate-latest-snapshot")
    node = nodes.start().await_leader()
    assert not node.peer.await_event("serviceStart")["fromSnapshot"]
    assert same(node.state(), state)
    assert echoes(nodes, count=100)["bad"] == 0
    terms = nodes.peers.tool(CLUSTER_TOOL, node.cluster_dir, "recording-log")
    assert re.findall(r"leadershipTermId=(\d+)[^}]*type=TERM", terms) == ["0", "1", "2"]
