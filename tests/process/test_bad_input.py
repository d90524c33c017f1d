"""A node with invalid files and messages.

Damaged or foreign files are rejected with name and offset, and not changed. Invalid ingress is
counted and otherwise ignored. Each is tested in each thread layout, since different threads reject
it.
"""

import os
import shutil
import struct
import threading
import time

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.codecs.cluster import SessionKeepAlive, SessionMessageHeader
from aeron_cluster.errors import (
    AeronClusterError,
    ArchiveError,
    CorruptError,
    DamagedLogError,
    DirectoryInUseError,
    VersionError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

pytestmark = [pytest.mark.parametrize("threads", ["one", "two"]), pytest.mark.sampled(1)]

TIMEOUT_S = 120.0
SMALL_LOG = "aeron:udp?term-length=64k"
SEGMENT = 128 * 1024
ELECTION_STATE, ELECTED = 207, 17
REJECTIONS = (ArchiveError, DamagedLogError)


class Echo(ClusteredService):
    """An echo service with a snapshot longer than a frame."""

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        while snapshot_image is not None and not snapshot_image.is_end_of_stream:
            self.cluster.idle(snapshot_image.poll(lambda *_: None, 16))

    def on_session_message(self, session, _timestamp, message, _header):
        while not session.offer(message) and not session.is_closing:
            self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication):
        while not snapshot_publication.offer(bytes(4000)):
            self.cluster.idle()


class Echoes(EgressListener):
    def __init__(self):
        self.received = 0
        self.snapshots = 0

    def on_message(self, _timestamp, _message, _header):
        self.received += 1

    def on_admin_response(self, _response):
        self.snapshots += 1


def until(condition, what, poll=lambda: 0):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, f"expected {what} within {TIMEOUT_S} s"
        idle.idle(poll())


def launch(directory, shm_dir, port, threads, errors=None, **options):
    """Start a node in this process."""
    handler = {"error_handler": (errors if errors is not None else []).append}
    return ClusterNode.launch(
        Echo(),
        directory=directory,
        members=local_member(0, "localhost", port),
        threads=threads,
        # Long, so that a pause of the machine ends no component.
        driver={
            "aeron_dir": str(shm_dir / "node"),
            "dir_delete_on_shutdown": True,
            "client_liveness_timeout_ns": int(TIMEOUT_S * 1e9),
            "publication_unblock_timeout_ns": int(2 * TIMEOUT_S * 1e9),
        },
        archive={"segment_file_length": SEGMENT, **handler},
        consensus_module={
            "log_channel": SMALL_LOG,
            "authorisation_service": lambda *_: True,
            "session_timeout_ns": int(TIMEOUT_S * 1e9),
            **handler,
        },
        container=handler,
        **options,
    )


def client_of(node, listener):
    return AeronCluster.connect(
        aeron_dir=node.driver.aeron_dir,
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0={node.member.ingress_endpoint}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=int(TIMEOUT_S * 1e9),
        listener=listener,
    )


def exchange(client, echoes, count):
    target = echoes.received + count
    for _ in range(count):
        until(lambda: client.offer(bytes(600)), "room", client.poll_egress)
    until(lambda: echoes.received == target, f"{count} echoes", client.poll_egress)


@pytest.fixture(scope="module")
def port(free_port):
    return free_port(10)


@pytest.fixture(scope="module")
def good(tmp_path_factory, port):
    """Create the files of a node: a snapshot, and a log of several segments after it."""
    folder = tmp_path_factory.mktemp("good")
    with launch(folder / "data", folder, port, "one") as node:
        echoes = Echoes()
        with client_of(node, echoes) as client:
            exchange(client, echoes, 100)
            until(lambda: client.send_snapshot_request(1), "room")
            until(lambda: echoes.snapshots, "a snapshot", client.poll_egress)
            exchange(client, echoes, 400)
    return folder / "data"


@pytest.fixture
def data(good, tmp_path):
    """Return a copy of the good node's files."""
    return shutil.copytree(good, tmp_path / "data")


def put(offset, data):
    def change(content):
        content[offset : offset + len(data)] = data

    return change


def cut(length):
    def change(content):
        del content[length:]

    return change


def spoil_frame(index):
    """Overwrite the header of a frame in a segment."""

    def change(content):
        offset = 0
        for _ in range(index):
            (length,) = struct.unpack_from("<i", content, offset)
            offset += (length + 31) // 32 * 32
        content[offset : offset + 16] = b"\xff" * 16

    return change


FOREIGN = put(0, b"this is some other program's file")
REJECTED_AT_ONCE = {
    "recording log, an entry": ("cluster/recording.log", put(0, b"\xff" * 16), CorruptError),
    "recording log, a type": ("cluster/recording.log", put(44, b"\x63\0\0\0"), CorruptError),
    "node state, foreign": ("cluster/node-state.dat", FOREIGN, AeronClusterError),
    "node state, cut": ("cluster/node-state.dat", cut(20), CorruptError),
    "mark file, foreign": ("cluster/cluster-mark.dat", FOREIGN, VersionError),
    "mark file, cut": ("cluster/cluster-mark.dat", cut(40), CorruptError),
    "service's mark file": ("cluster/cluster-mark-service-0.dat", FOREIGN, VersionError),
    "archive's mark file": ("archive/archive-mark.dat", FOREIGN, VersionError),
    "catalog, foreign": ("archive/archive.catalog", FOREIGN, AeronClusterError),
    "catalog, empty": ("archive/archive.catalog", cut(0), CorruptError),
    "catalog, cut after its header": ("archive/archive.catalog", cut(32), CorruptError),
    "catalog, cut": ("archive/archive.catalog", cut(700), CorruptError),
}


@pytest.mark.sampled(len(REJECTED_AT_ONCE))
@pytest.mark.parametrize("damage", REJECTED_AT_ONCE)
def test_a_damaged_file_is_rejected_by_name_and_left_unchanged(
    damage, data, shm_dir, port, threads
):
    name, change, kind = REJECTED_AT_ONCE[damage]
    path = data / name
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)
    with pytest.raises(kind) as raised, launch(data, shm_dir, port, threads):
        pass
    error = raised.value
    assert error.path == str(path)
    assert isinstance(error.offset, int)
    assert 0 <= error.offset <= max(len(content), 8)
    assert str(path) in str(error)
    assert "expected" in str(error)
    assert path.read_bytes() == content
    assert not (shm_dir / "node").exists()  # no files remain


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("archive/0-0.rec", spoil_frame(20)),
        ("archive/0-0.rec", cut(4096)),
        ("archive/0-262144.rec", spoil_frame(0)),
    ],
)
def test_damaged_log_prevents_leading(name, change, data, shm_dir, port, threads):
    for path in data.glob("cluster/recording.log"):  # without the snapshot the whole log is needed
        path.write_bytes(path.read_bytes()[:64])
    path = data / name
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)
    errors = []
    with launch(data, shm_dir, port, threads, errors) as node:
        until(lambda: any(isinstance(one, REJECTIONS) for one in errors), "a rejection of the log")
        states = [each for each in node.driver.counters.counters() if each.type_id == 207]
        assert all(each.value != ELECTED for each in states)
    reported = next(str(one) for one in errors if isinstance(one, REJECTIONS))
    assert path.name in reported
    assert "position" in reported
    assert path.read_bytes() == content


@pytest.mark.sampled(2)
@pytest.mark.parametrize("recording", [1, 2])
def test_a_damaged_snapshot_ends_the_node(recording, data, shm_dir, port, threads):
    path = data / "archive" / f"{recording}-0.rec"
    with path.open("r+b") as file:
        file.seek(96)
        file.write(b"\xff" * 128)
    content = path.read_bytes()
    ended = threading.Event()
    errors = []
    with launch(data, shm_dir, port, threads, errors, termination_hook=ended.set):
        assert ended.wait(TIMEOUT_S)
    assert errors
    assert path.read_bytes() == content


def test_a_foreign_cnc_file_is_rejected_and_left_unchanged(data, shm_dir, port, threads):
    (shm_dir / "node").mkdir()
    path = shm_dir / "node" / "cnc.dat"
    path.write_bytes(b"this is some other program's file" * 100)
    content = path.read_bytes()
    with pytest.raises(AeronClusterError, match=r"cnc\.dat"), launch(data, shm_dir, port, threads):
        pass
    assert path.read_bytes() == content


def test_the_directory_of_a_live_node_is_rejected_naming_it(good, tmp_path, shm_dir, port, threads):
    data = shutil.copytree(good, tmp_path / "data")
    with launch(data, shm_dir, port, threads) as node:
        for directory in (shm_dir, shm_dir / "another"):
            directory.mkdir(exist_ok=True)
            with (
                pytest.raises(DirectoryInUseError) as raised,
                launch(data, directory, port, threads),
            ):
                pass
            assert raised.value.pid == os.getpid()
            assert str(os.getpid()) in str(raised.value)
        echoes = Echoes()
        with client_of(node, echoes) as client:
            exchange(client, echoes, 10)


def test_invalid_ingress_is_counted_and_ignored(data, shm_dir, port, threads):
    with launch(data, shm_dir, port, threads) as node:
        echoes = Echoes()
        with (
            client_of(node, echoes) as client,
            Aeron.connect(aeron_dir=node.driver.aeron_dir) as aeron,
        ):
            raw = aeron.add_exclusive_publication(
                f"aeron:udp?endpoint={node.member.ingress_endpoint}", 101
            )
            until(lambda: raw.is_connected, "a connection")
            mine, term = client.cluster_session_id, client.leadership_term_id

            def message(session_id, term_id, body=b"x" * 64):
                header = SessionMessageHeader.encode(
                    leadership_term_id=term_id, cluster_session_id=session_id, timestamp=0
                )
                return header + body

            whole = message(mine, term)
            unknown_template = bytearray(whole)
            struct.pack_into("<H", unknown_template, 2, 9999)
            foreign_schema = bytearray(whole)
            struct.pack_into("<H", foreign_schema, 4, 9999)
            unknown_session = SessionKeepAlive.encode(
                leadership_term_id=term, cluster_session_id=mine + 4711
            )
            nonsense = [
                b"",
                b"\x01",
                whole[:7],
                whole[:20],
                bytes(unknown_template),
                bytes(foreign_schema),
                b"\xff" * 200,
                message(mine, term - 1),
                message(mine, term + 7),
                message(mine + 4711, term),
                bytes(unknown_session),
            ]
            before = echoes.received
            for each in nonsense:
                until(lambda each=each: raw.offer(each), "room")
            exchange(client, echoes, 50)
            assert echoes.received == before + 50
            ignored = node.consensus_module._conductor.agent.ignored
            # an empty datagram is not a message
            assert sum(ignored.values()) >= len(nonsense) - 1, ignored
