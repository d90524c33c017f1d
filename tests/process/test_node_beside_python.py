"""A node embedded in a process, in which another thread runs plain Python without a pause.

A thread that requests the GIL waits 5 ms for it each time.
"""

import struct
import subprocess
import time

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from benchmarks.native.build import build_service
from tests.interop.cluster_node import ClusterNodes

TIMEOUT_S = 120.0
COUNT = 5_000
WINDOW = 256
SEQUENCE = struct.Struct("<iiqq")
# Several times each heartbeat interval: the leader's 200 ms, a client's and the driver's 1 s.
LONG_ENOUGH_S = 3.0


class Echoes(EgressListener):
    """Counts messages, and checks their order."""

    def __init__(self):
        self.received = 0

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        assert SEQUENCE.unpack_from(message)[2] == self.received
        self.received += 1


@pytest.fixture
def aeron(shm_dir):
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "client", threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    try:
        return build_service("echo_service", tmp_path_factory.mktemp("native"))
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no C compiler: {error}")


@pytest.fixture(params=["ours-one-thread", "ours-two-threads", "ours-thread-an-agent"])
def nodes(request, shm_dir, tmp_path, free_port):
    with ClusterNodes(request.param, None, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def values(node):
    """Return the node's counters by type."""
    with CncFile.open(SystemFiles(), str(node.directory / "cnc.dat")) as cnc:
        return {each.type_id: each.value for each in cnc.counters_reader().counters()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("service", ["plain", "native"])
def test_a_node_elects_serves_and_loses_no_heartbeat(nodes, aeron, library, service):
    given = {"library": f"{library}:echo_service"} if service == "native" else {}
    node = nodes.start(service=service, busy=True, **given).await_leader()
    echoes = Echoes()
    idle = IdleStrategy("backoff")
    began = time.monotonic()
    with AeronCluster.connect(
        aeron=aeron,
        ingress_channel="aeron:udp",
        ingress_endpoints=node.ingress_endpoints,
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=int(TIMEOUT_S * 1e9),
        listener=echoes,
    ) as client:
        sent = 0
        while echoes.received < COUNT or time.monotonic() - began < LONG_ENOUGH_S:
            assert time.monotonic() - began < TIMEOUT_S, f"{echoes.received} of {sent} echoes"
            work = 0
            while sent - echoes.received < WINDOW and client.offer(SEQUENCE.pack(0, 0, sent, 0)):
                sent += 1
                work += 1
            idle.idle(work + client.poll_egress(64))
        found = values(node)
    assert found[200] == 1  # active
    assert found[207] == 17  # no election
    assert found[238] == 1  # since the first one
    assert found[239] == 0
    assert found[212] == found[213] == found[215] == 0  # errors, clients timed out
    node.peer.stop()
    assert node.peer.code == 0
    assert "error" not in {each["event"] for each in node.peer.events}
