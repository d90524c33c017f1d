"""Our cluster client with clusters of three, Java's and ours: redirects, new and lost leaders."""

import struct
import time
from contextlib import ExitStack, suppress

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster_client.cluster_client import AeronCluster, ClientState
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import ClosedError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.interop.java_cluster import ClusterMembers

TIMEOUT_S = 120
# Long, since clients may be delayed by a busy machine, or not polled for a while.
LONG_TIMEOUTS = {"sessionTimeoutMs": 120_000, "heartbeatTimeoutMs": 5_000, "canvassMs": 10_000}
COMMAND = struct.Struct("<iiqq")
ECHO = 0


class Echoes(EgressListener):
    """Collects the cluster's messages."""

    def __init__(self):
        self.sequences = []
        self.leaders = []

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.sequences.append(COMMAND.unpack_from(message)[2])

    def on_new_leader(self, event):
        self.leaders.append(event.leader_member_id)


@pytest.fixture(params=["java", "ours-one-thread"])
def kind(request):
    return request.param


@pytest.fixture
def cluster(java, kind, tmp_path, shm_dir, free_port):
    with ClusterMembers(java, tmp_path, shm_dir, free_port, **LONG_TIMEOUTS) as started:
        started.start_all(kind)
        yield started


@pytest.fixture
def connect(cluster, shm_dir):
    """Return a function that opens a session on a driver of the client's own."""
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "client", threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as aeron,
        ExitStack() as stack,
    ):

        def open_session(listener=None, **options):
            options = {
                "ingress_endpoints": cluster.ingress_endpoints,
                "ingress_channel": "aeron:udp",
                "egress_channel": "aeron:udp?endpoint=localhost:0",
                "message_timeout_ns": 120_000_000_000,
                "new_leader_timeout_ns": 120_000_000_000,
            } | options
            client = AeronCluster.connect(aeron=aeron, listener=listener, **options)
            return stack.enter_context(client)

        yield open_session


def until(condition, client):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, f"timeout: {client!r}"
        idle.idle(client.poll_egress(64))


def echo(client, echoes, sequence):
    """Send a message, and repeat it after each change of leader, until it is answered."""
    message = COMMAND.pack(ECHO, 0, sequence, 0)
    sent_to = None  # the number of new leaders at the last send

    def is_answered():
        nonlocal sent_to
        if sent_to != len(echoes.leaders) and client.offer(message):
            sent_to = len(echoes.leaders)
        return sequence in echoes.sequences

    until(is_answered, client)


def follow(client, echoes, cluster):
    """Wait until the client knows the leader that all members follow; return it.

    If a pause of the machine ends that leadership too, the next leader counts.
    """

    def is_known():
        return echoes.leaders[-1:] == [cluster.await_leader().index]

    until(is_known, client)
    return echoes.leaders[-1]


def test_follower_redirects_to_an_unconfigured_leader(cluster, connect):
    leader = cluster.await_leader().index
    endpoints = dict(part.split("=") for part in cluster.ingress_endpoints.split(","))
    follower = (leader + 1) % 3
    echoes = Echoes()
    client = connect(echoes, ingress_endpoints=f"{follower}={endpoints[str(follower)]}")
    until(lambda: client.leader_member_id == cluster.await_leader().index, client)
    assert client.ingress_endpoints == cluster.ingress_endpoints
    echo(client, echoes, 1)


def test_session_follows_two_new_leaders_and_idles_in_between(cluster, kind, connect):
    cluster.await_leader()
    echoes = Echoes()
    client = connect(echoes)
    echo(client, echoes, 1)
    session_id = client.cluster_session_id
    first = cluster.await_leader().index
    cluster.kill(first)
    second = follow(client, echoes, cluster)
    assert client.state is ClientState.AWAIT_NEW_LEADER_CONNECTION
    echo(client, echoes, 2)
    assert client.state is ClientState.CONNECTED
    until(client.send_keep_alive, client)
    cluster.start_member(kind, first)
    cluster.await_leader()
    # Until it follows the next leader, messages may be sent to the dead one and lost.
    second = follow(client, echoes, cluster)
    cluster.kill(second)
    assert follow(client, echoes, cluster) != second
    echo(client, echoes, 3)
    assert client.leader_member_id == echoes.leaders[-1]
    assert client.cluster_session_id == session_id
    # A repeated message may be answered twice.
    assert list(dict.fromkeys(echoes.sequences)) == [1, 2, 3]


def test_a_client_closes_when_its_cluster_is_lost(cluster, connect):
    cluster.await_leader()
    client = connect(new_leader_timeout_ns=500_000_000)
    for index in range(3):
        cluster.kill(index)

    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not client.is_closed:
        assert time.monotonic() < deadline, "timeout"
        with suppress(ClosedError):
            # A lost ingress is detected before a lost egress image.
            client.offer(b"too late")
            idle.idle(client.poll_egress())
    assert client.state is ClientState.CLOSED
    with pytest.raises(ClosedError, match="the session is over"):
        client.poll_egress()
