"""A diverging member of a cluster is detected, with the position."""

import json
import struct
import subprocess
import sys

import pytest

from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from tests.conftest import ROOT
from tests.interop.java_cluster import ClusterMembers
from tests.waiting import await_true

COMMAND = struct.Struct("<iiqq")
COUNT = 1500
DIVERGE_AT = 700  # the message that member 1's service answers differently


@pytest.fixture
def cluster(tmp_path, shm_dir, free_port, monkeypatch):
    monkeypatch.setenv("AERON_CLUSTER_SERVICE_DIVERGENCE_INTERVAL", "1k")
    # Long, so that a pause of the machine loses neither leader nor client: each message is sent
    # once.
    long_timeouts = {"canvassMs": 24_000, "heartbeatTimeoutMs": 12_000, "sessionTimeoutMs": 120_000}
    with ClusterMembers(None, tmp_path, shm_dir, free_port, **long_timeouts) as started:
        yield started


def echo(cluster, leader):
    """Send numbered messages, and receive an answer to each."""
    observed = []
    with AeronCluster.connect(
        aeron_dir=leader.directory,
        ingress_channel="aeron:udp",
        ingress_endpoints=cluster.ingress_endpoints,
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
        listener=Listener(observed),
    ) as client:
        for sequence in range(COUNT):
            message = COMMAND.pack(0, 0, sequence, 0) + bytes(40)

            def send(message=message):
                client.poll_egress(10)
                return client.offer(message) > 0

            await_true(send, "a sent message")

        def poll():
            client.poll_egress(10)
            return len(observed) == COUNT

        await_true(poll, "an answer to each")
    assert observed == list(range(COUNT))


class Listener(EgressListener):
    """Collects the numbers of the answers."""

    def __init__(self, observed):
        self._observed = observed

    def on_message(self, _timestamp, message, _header):
        if len(message) >= COMMAND.size:
            self._observed.append(COMMAND.unpack_from(bytes(message))[2])


def compared(cluster):
    """Return the command's report on the members, and its exit code."""
    directories = [str(cluster.base / f"node{index}") for index in range(cluster.count)]
    done = subprocess.run(
        [sys.executable, "-m", "aeron_cluster.cli", "divergence", "--json", *directories],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def replayed(cluster, *against):
    """Run the service on the log of member 0 again, and compare the effects."""
    command = [
        "replay",
        str(cluster.base / "node0"),
        "--service",
        "tests.interop.echo_service:EchoService",
    ]
    for index in against:
        command += ["--against", str(cluster.base / f"node{index}")]
    return subprocess.run(
        [sys.executable, "-m", "aeron_cluster.cli", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_members_with_the_same_effects_are_equal_across_a_failover(cluster):
    cluster.start_all("ours-one-thread")
    leader = cluster.await_leader()
    echo(cluster, leader)
    cluster.kill(leader.index)
    survivor = cluster.await_leader()
    echo(cluster, survivor)
    cluster.start_member("ours-one-thread", leader.index)
    cluster.await_leader()
    echo(cluster, survivor)

    def are_equal():
        found, code = compared(cluster)  # while the members run
        assert (found["difference"], code) == (None, 0)
        assert found["names"] == ["member 0", "member 1", "member 2"]
        return found["position_count"] > 300

    await_true(are_equal, "the effects of two members, a follower after its leader")
    # The effects of each as leader and as follower equal those of a replay.
    done = replayed(cluster, 0, 1, 2)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same at") == 3


def test_a_diverged_member_is_named_with_the_position(cluster):
    cluster.start_all("ours-one-thread", service="diverged", diverge_at=DIVERGE_AT)
    echo(cluster, cluster.await_leader())
    # The client receives only from the leader; the services' state shows the members' progress.
    for member in cluster.running.values():
        await_true(
            lambda one=member: one.state()["messages"] == COUNT, "each message at each member"
        )
    found, code = compared(cluster)
    assert code == 1
    difference = found["difference"]
    assert difference["diverged"] == ["member 1"]
    begin, end = difference["agreed_position"], difference["position"]
    assert 0 < end - begin <= 1024 + 128
    # A message takes 128 bytes of log; other entries until then fit into 1 KiB.
    assert begin <= 128 * (DIVERGE_AT + 1) + 1024
    assert end >= 128 * DIVERGE_AT
    assert replayed(cluster, 0, 2).returncode == 0
    diverged = replayed(cluster, 1)
    assert diverged.returncode == 1
    assert f"between log positions {begin} and {end}" in diverged.stdout
