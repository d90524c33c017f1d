"""Our tools compared with Java's ClusterTool, on the directories and the running nodes of both.

``aeron-cluster tool`` must print the same text as Java's tool.
"""

import contextlib
import json
import re
import shutil
import struct
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from tests.conftest import SHARED_MEMORY
from tests.interop.cluster_node import KINDS, TIMEOUT_S, ClusterNodes
from tests.interop.java_peer import JavaPeers
from tests.waiting import await_true

# A run draws all cases on our node, and sometimes one on Java's.
pytestmark = pytest.mark.sampled(9)

CLUSTER_TOOL = "cluster.ClusterTool"
# Our node on one thread, and a Java one: the number of threads makes no difference to tools.
BOTH = KINDS[:2]


def run(*arguments, code=0):
    """Run one of our commands; return its output."""
    words = [str(each) for each in arguments]
    # The default of a second is too short for a busy machine.
    is_made = any((Path(word) / "cluster-mark.dat").exists() for word in words)
    environment = {"AERON_CLUSTER_TOOL_TIMEOUT": "60s" if is_made else None}
    done = CliRunner().invoke(main, words, env=environment)
    assert done.exit_code == code, f"{arguments}: {done.exit_code}, expected {code}\n{done.output}"
    return done.stdout


def run_json(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code))


@pytest.fixture
def nodes(request, java: JavaPeers, shm_dir: Path, tmp_path: Path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


@pytest.fixture(scope="module", params=BOTH)
def quiet_nodes(request, java_class_path, tmp_path_factory, free_port):
    """Start a node with a snapshot and an open session, which the module's tests only read."""
    folder = tmp_path_factory.mktemp("node")
    peers = JavaPeers(java_class_path, folder)
    with (
        tempfile.TemporaryDirectory(prefix="aeron-cluster-test-", dir=SHARED_MEMORY) as name,
        contextlib.closing(peers),
        ClusterNodes(request.param, peers, folder, Path(name), free_port(10)) as started,
    ):
        # The session stays open for all of the module's tests, however long they take.
        node = started.start(sessionTimeoutMs=3_600_000).await_leader()
        started.run_client(count=20)
        node.settled_state()
        idle = started.client(cmd="idle", timeoutMs=3_600_000, wait="backoff")
        idle.await_event("connected", TIMEOUT_S)
        node.snapshot()
        yield started


@pytest.fixture
def node(quiet_nodes):
    return quiet_nodes.started[-1]


def settled(text):
    """Return a tool's output without the values that change with time."""
    for pattern in (
        r"(?<=Type: )(\w+) \d\d:\d\d:\d\d",
        r"activity: \S+ \S+(?=\))",
        r"activityTimestamp=-?\d+",
        r"(?<=currentTimeNs=)\d+",
        r"(?<=timeOfLastAppendPositionNs=)\d+",
    ):
        text = re.sub(pattern, r"*", text)

    def in_order(index):  # Java prints it in the order of a hash map
        return f"cacheIndex={{{', '.join(sorted(index[1].split(', ')))}}}"

    return re.sub(r"cacheIndex=\{([^}]*)\}", in_order, text)


# ---- the same output ----


def test_has_every_verb_of_javas_tool(java):
    def verbs(usage):
        return sorted(re.findall(r"^ *([a-z-]+): ", usage, re.MULTILINE))

    theirs = verbs(java.tool(CLUSTER_TOOL, code=255))
    assert verbs(run("tool", code=255)) == theirs
    assert len(theirs) == 18
    assert set(theirs) <= set(main.list_commands(None))


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    "verb",
    [
        "describe",
        "pid",
        "recording-log",
        "errors",
        "list-members",
        "backup-query",
        "sort-recording-log",
        "resume",
        "describe-latest-cm-snapshot",
    ],
)
def test_prints_the_same_as_javas_tool_for_a_running_node(quiet_nodes, node, verb):
    code = {"backup-query": 255, "sort-recording-log": 255, "resume": 255}.get(verb, 0)
    theirs = quiet_nodes.peers.tool(CLUSTER_TOOL, node.cluster_dir, verb, code=code)
    assert settled(run("tool", node.cluster_dir, verb, code=code)) == settled(theirs)


def test_plans_the_same_recovery_as_javas_tool(quiet_nodes, node):
    theirs = quiet_nodes.peers.tool(
        CLUSTER_TOOL,
        *(node.cluster_dir, "recovery-plan", 1),
        aeron_dir=node.directory,
        aeron_archive_control_channel="aeron:ipc",
        aeron_archive_control_response_channel="aeron:ipc",
    )
    assert run("tool", node.cluster_dir, "recovery-plan", 1) == theirs
    # Read from the archive's files instead of requested from the archive.
    of_files = ("recovery-plan", 1, "--archive-dir", node.archive_dir)
    assert run("tool", node.cluster_dir, *of_files) == theirs


def test_reads_the_same_snapshot_from_the_archives_files(node):
    requested = run_json("describe-latest-cm-snapshot", node.cluster_dir)
    read = run_json(
        *("describe-latest-cm-snapshot", node.cluster_dir, "--archive-dir", node.archive_dir)
    )
    assert requested == read
    assert len(requested["state"]["sessions"]) == 1
    assert requested["state"]["sessions"][0]["close_reason"] == "NULL_VALUE"
    assert requested["state"]["log_position"] == requested["entry"]["log_position"]


def test_exits_with_javas_codes_in_an_empty_directory(java, tmp_path):
    for verb in ("pid", "list-members", "is-leader", "snapshot", "backup-query"):
        theirs = java.tool(CLUSTER_TOOL, tmp_path, verb, code=255)
        assert run("tool", tmp_path, verb, code=255) == theirs
    for verb in ("describe", "errors"):
        assert run("tool", tmp_path, verb) == java.tool(CLUSTER_TOOL, tmp_path, verb)
    java.tool(CLUSTER_TOOL, tmp_path, "no-such-verb", code=255)
    run("tool", tmp_path, "no-such-verb", code=255)


def test_shows_and_sets_when_a_backup_queries_as_javas_tool_does(java, tmp_path, shm_dir):
    """Run both tools on the mark file and the counter of a backup, which the test writes."""
    content = MarkFileContent(
        component_type=ClusterComponentType.BACKUP, aeron_directory=str(shm_dir / "driver")
    )
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "driver", threading_mode="SHARED"),
        Aeron.connect(aeron_dir=shm_dir / "driver") as aeron,
        ClusterMarkFile.claim(SystemFiles(), str(tmp_path), content, clock=SystemClock()) as mark,
    ):
        mark.signal_ready()
        deadline = aeron.add_counter(210, "next query", struct.pack("<i", 0))
        deadline.set(1_795_275_000_000)

        def shown(text):
            return re.sub(r"^(\S+) \d\d:\d\d:\d\d", r"\1", text)

        theirs = java.tool(CLUSTER_TOOL, tmp_path, "backup-query")
        assert shown(run("tool", tmp_path, "backup-query")) == shown(theirs)
        # Java's tool sets the time, then fails: it reads the wrong string as the driver's
        # directory.
        java.tool(
            *(CLUSTER_TOOL, tmp_path, "backup-query", "3600s"), code=1, aeron_driver_timeout=3000
        )
        set_by_java = deadline.get()
        assert run_json("backup-query", tmp_path)["next_query_ms"] == set_by_java
        assert "setting next: " in run("tool", tmp_path, "backup-query", "7200s")
        assert 3_000_000 < deadline.get() - set_by_java < 4_000_000
        changed = run_json("backup-query", tmp_path, "30s")
        assert changed == {"next_query_ms": deadline.get(), "is_changed": True}
        assert deadline.get() < set_by_java


# ---- a running node ----


def test_every_query_has_json_output(node):
    described = run_json("describe", node.cluster_dir)["components"]
    assert [each["header"]["component_type"] for each in described] == [
        "CONSENSUS_MODULE",
        "CONTAINER",
    ]
    assert {each["presence"] for each in described} == {"RUNNING"}
    assert run_json("pid", node.cluster_dir) == {"pid": node.peer.pid, "presence": "RUNNING"}
    logs = run_json("errors", node.cluster_dir)["logs"]
    assert len(logs) == 3
    entries = run_json("recording-log", node.cluster_dir)["entries"]
    assert [each["entry_type"] for each in entries] == ["TERM", "SNAPSHOT", "SNAPSHOT"]
    plan = run_json("recovery-plan", node.cluster_dir)["plan"]
    assert len(plan["snapshots"]) == 2
    assert plan["log"]["recording_id"] == entries[0]["recording_id"]
    assert run_json("is-leader", node.cluster_dir) == {"is_leader": True}
    members = run_json("list-members", node.cluster_dir)
    assert (members["leader_member_id"], members["member_id"]) == (0, 0)
    (member,) = members["active_members"]
    assert member["is_leader"]
    assert member["log_position"] > 0
    assert member["ingress_endpoint"] == f"localhost:{node.port_base + 1}"


def test_status_describes_a_running_node(node):
    (status,) = run_json("status", node.cluster_dir)["members"]
    live = status["live"]
    assert {name: live[name] for name in ("state", "role", "election_state")} == {
        "state": "ACTIVE",
        "role": "LEADER",
        "election_state": "CLOSED",
    }
    assert (live["leadership_term_id"], live["election_count"], live["snapshot_count"]) == (0, 1, 1)
    assert live["commit_position"] == live["append_position"] > 0
    assert live["lag"] == 0
    assert live["control_toggle"] == "NEUTRAL"
    assert [each["cluster_session_id"] for each in live["sessions"]] == [2]
    assert live["membership"]["leader_member_id"] == 0
    (service,) = status["services"]
    assert (service["log_position"], service["lag"]) == (live["commit_position"], 0)
    assert service["presence"] == "RUNNING"
    (snapshot,) = status["recorded"]["snapshots"]
    assert snapshot["is_valid"]
    assert len(snapshot["recording_ids"]) == 2
    assert [Path(each["path"]) for each in status["disk"]] == [
        node.cluster_dir,
        node.archive_dir,
        node.directory,
    ]
    assert all(each["length"] > 0 and each["usable"] > 0 for each in status["disk"])
    assert status["problems"] == []
    shown = run("status", node.cluster_dir)
    for part in ("leader", "active", f"{live['commit_position']:,}", "session 2", "snapshot"):
        assert part in shown


@pytest.mark.parametrize("nodes", BOTH, indirect=True)
def test_suspends_resumes_takes_a_snapshot_and_validates(nodes):
    node = nodes.start().await_leader()
    directory = node.cluster_dir
    since = len(node.peer.events)
    assert run_json("suspend", directory) == {"member_id": 0, "applied": "SUSPEND"}
    node.await_module("SUSPENDED", since)
    run("snapshot", directory, code=1)  # only an active module accepts it
    run("is-leader", directory)
    (status,) = run_json("status", directory)["members"]
    assert (status["live"]["state"], status["live"]["control_toggle"]) == ("SUSPENDED", "SUSPEND")
    since = len(node.peer.events)
    assert run_json("resume", directory) == {"member_id": 0, "applied": "RESUME"}
    node.await_module("ACTIVE", since)
    run("resume", directory, code=1)
    for count in (1, 2):
        assert run_json("snapshot", directory) == {"member_id": 0, "applied": "SNAPSHOT"}
        snapshots = run_json("status", directory)["members"][0]["recorded"]["snapshots"]
        assert len(snapshots) == count
    # All snapshots are valid, so nothing changes.
    assert run_json("validate-recording-log", directory)["applied"] == "VALIDATE_RECORDING_LOG"
    node.peer.stop()
    assert all(each["is_valid"] for each in run_json("recording-log", directory)["entries"])


@pytest.mark.parametrize("nodes", BOTH, indirect=True)
def test_snapshot_missing_from_the_archive_is_invalidated(nodes):
    node = nodes.start().await_leader()
    node.snapshot()
    node.peer.stop()
    with RecordingLog(SystemFiles(), str(node.cluster_dir)) as log:
        log.append_snapshot(77, 0, 0, 64, 1000, 0)
        log.append_snapshot(78, 0, 0, 64, 1000, -1)
    # The node still starts: its real snapshot has the higher log position.
    node = nodes.start().await_leader()
    run("sort-recording-log", node.cluster_dir, code=3)  # not while it runs
    run("validate-recording-log", node.cluster_dir)

    def invalid():
        entries = run_json("recording-log", node.cluster_dir)["entries"]
        return sorted(each["recording_id"] for each in entries if not each["is_valid"])

    # Java's tool confuses the index in the file with the one in memory: it changes other entries.
    is_java = nodes.kind == "java"
    await_true(
        lambda: len(invalid()) == 2 if is_java else invalid() == [77, 78], "two invalid entries"
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("verb", ["shutdown", "abort"])
@pytest.mark.parametrize("nodes", BOTH, indirect=True)
def test_the_tool_ends_a_node(nodes, verb):
    node = nodes.start().await_leader()
    run(verb, node.cluster_dir)
    assert node.peer.wait(TIMEOUT_S) == 0
    run("is-leader", node.cluster_dir, code=3)
    run(verb, node.cluster_dir, code=3)
    (status,) = run_json("status", node.cluster_dir, code=3)["members"]
    assert status["live"] is None
    assert status["component"]["presence"] == "CLOSED"
    assert len(status["recorded"]["snapshots"]) == (verb == "shutdown")


# ---- the files of a stopped node ----


@pytest.fixture(scope="module", params=BOTH)
def directory(request, java_class_path, tmp_path_factory, free_port):
    """Run a node with two snapshots, and return its cluster directory after its end."""
    folder = tmp_path_factory.mktemp("node")
    peers = JavaPeers(java_class_path, folder)
    with (
        tempfile.TemporaryDirectory(prefix="aeron-cluster-test-", dir=SHARED_MEMORY) as name,
        contextlib.closing(peers),
        ClusterNodes(request.param, peers, folder, Path(name), free_port(10)) as started,
    ):
        for _ in range(2):
            node = started.start().await_leader()
            node.snapshot()
            node.peer.stop()
        yield node.cluster_dir


def test_prints_the_same_as_javas_tool_for_a_stopped_node(java, directory):
    for verb in ("describe", "pid", "recording-log"):
        theirs = java.tool(CLUSTER_TOOL, directory, verb)
        assert settled(run("tool", directory, verb)) == settled(theirs)


def test_reports_the_recovery_plan_of_a_stopped_node(directory):
    plan = run_json("recovery-plan", directory)["plan"]
    assert plan["last_leadership_term_id"] == 1
    assert plan["appended_log_position"] == plan["log"]["stop_position"] > 0
    snapshot = run_json("describe-latest-cm-snapshot", directory)
    assert snapshot["state"]["log_position"] == plan["snapshots"][0]["log_position"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("is_unsorted", [False, True])
def test_repairs_a_recording_log_as_javas_tool_does(java, directory, tmp_path, is_unsorted):
    """Run Java's tool and ours on a copy each, with the same commands."""
    copies = []
    for name in ("theirs", "ours"):
        copies.append(tmp_path / name)
        shutil.copytree(directory, copies[-1])
        for link in copies[-1].glob("cluster-mark*"):
            link.unlink()  # it names the original directory
        if is_unsorted:
            log = copies[-1] / "recording.log"
            entries = [log.read_bytes()[at : at + 64] for at in range(0, 384, 64)]
            log.write_bytes(b"".join([*entries[3:], *entries[:3]]))
    theirs, ours = copies
    for verb, code in (
        ("sort-recording-log", 0 if is_unsorted else 255),
        ("sort-recording-log", 255),
        ("invalidate-latest-snapshot", 0),
        ("seed-recording-log-from-snapshot", 0),
        ("sort-recording-log", 255),
        ("invalidate-latest-snapshot", None),
        ("recording-log", 0),
    ):
        if code is None:  # its term is missing: Java's tool prints a stack trace and exits with 1
            java.tool(CLUSTER_TOOL, theirs, verb, code=1)
            run("tool", ours, verb, code=255)
            continue
        reported = java.tool(CLUSTER_TOOL, theirs, verb, code=code)
        assert run("tool", ours, verb, code=code) == reported
        assert fixed_part(ours) == fixed_part(theirs)
    backup = "recording.log.bak"
    assert (ours / backup).read_bytes()[:384] == (theirs / backup).read_bytes()[:384]


def fixed_part(directory):
    """Return the 48 bytes of each entry that hold its fields."""
    data = (directory / "recording.log").read_bytes()
    return [data[at : at + 48] for at in range(0, len(data), 64)]
