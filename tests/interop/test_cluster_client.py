"""Our cluster client with a Java cluster node and with ours."""

import random
import struct
import time
from contextlib import ExitStack

import pytest

from aeron_cluster.client import Action
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster_client import connect as client_connect
from aeron_cluster.cluster_client.cluster_client import AeronCluster, ClientState
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.codecs.cluster import AdminResponseCode, EventCode
from aeron_cluster.errors import (
    AuthenticationError,
    ClosedError,
    ClusterError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.interop.cluster_node import KINDS, ClusterNodes

# A run draws one case of each test on our node, and sometimes the one on Java's.
pytestmark = pytest.mark.sampled(1)

TIMEOUT_S = 120
COMMAND = struct.Struct("<iiqq")
ECHO, CLOSE = 0, 3
SESSION_HEADER_LENGTH = 32


class Echoes(EgressListener):
    """Collects the cluster's messages."""

    def __init__(self):
        self.messages = []
        self.events = []
        self.responses = []

    def on_message(self, timestamp, message, header):
        assert timestamp > 0
        assert header.context.session_id == header.session_id
        self.messages.append(bytes(message))
        return Action.CONTINUE

    def on_session_event(self, event):
        self.events.append(event)

    def on_admin_response(self, response):
        self.responses.append(response)


@pytest.fixture(params=KINDS)
def nodes(request, java, shm_dir, tmp_path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


@pytest.fixture
def node(request, nodes):
    """Start a single-member node; return its driver directory and ingress endpoint.

    The test's parameter, if any, adds arguments to the node's usual ones.
    """
    running = nodes.start(authoriseAll="true", **getattr(request, "param", {})).await_leader()
    return running.directory, running.ingress_endpoints


@pytest.fixture
def connect(node):
    """Return a function that opens a session with the node; it is closed after the test."""
    directory, endpoint = node
    with ExitStack() as stack:

        def open_session(listener=None, **options):
            options = {
                "aeron_dir": directory,
                "ingress_channel": "aeron:udp",
                "ingress_endpoints": endpoint,
                "egress_channel": "aeron:udp?endpoint=localhost:0",
                "message_timeout_ns": 120_000_000_000,
            } | options
            return stack.enter_context(AeronCluster.connect(listener=listener, **options))

        yield open_session


def until(condition, client, poll="poll_egress"):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        idle.idle(getattr(client, poll)(64))


def exchange(client, echoes, messages, window=64):
    """Send messages with at most `window` unanswered, and wait for every echo."""
    for sent, message in enumerate(messages):
        until(lambda sent=sent: sent - len(echoes.messages) < window, client)
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == len(messages), client)
    assert echoes.messages == messages


def test_messages_of_all_lengths_are_echoed_completely_and_in_order(connect):
    echoes = Echoes()
    client = connect(echoes)
    rng = random.Random(7)
    messages = [rng.randbytes(rng.randint(0, 23)) for _ in range(10)]
    for number in range(100_000):
        body = rng.randbytes(rng.randint(8, 1376))
        messages.append(COMMAND.pack(ECHO, 0, number, 0) + body)
    exchange(client, echoes, messages)


def test_fragmented_messages_are_echoed_completely(connect):
    echoes = Echoes()
    client = connect(echoes)
    rng = random.Random(8)
    messages = [
        COMMAND.pack(ECHO, 0, number, 0) + rng.randbytes(rng.randint(1400, 1_000_000))
        for number in range(100)
    ]
    exchange(client, echoes, messages, window=2)


def test_a_controlled_poll_and_a_claim_do_the_same(connect):
    echoes = Echoes()
    client = connect(echoes, is_ingress_exclusive=False)
    claim = BufferClaim()
    message = COMMAND.pack(ECHO, 0, 1, 0)
    until(lambda: client.try_claim(len(message), claim), client)
    claim.put(message, SESSION_HEADER_LENGTH)
    claim.commit()
    until(lambda: echoes.messages == [message], client, "controlled_poll_egress")


def test_session_closed_by_the_service_is_over(connect):
    echoes = Echoes()
    client = connect(echoes)
    request = COMMAND.pack(CLOSE, 0, 1, 0) + struct.pack("<q", 0)
    until(lambda: client.offer(request), client)
    until(lambda: echoes.events, client)
    assert echoes.events[0].code is EventCode.CLOSED
    assert client.state in (ClientState.PENDING_CLOSE, ClientState.CLOSED)
    client.close()
    with pytest.raises(ClosedError, match="the session is over"):
        client.offer(b"late")
    with pytest.raises(ClosedError, match="the session is over"):
        client.poll_egress()


def test_a_keepalive_and_a_snapshot_request_are_received(connect):
    echoes = Echoes()
    client = connect(echoes)
    until(client.send_keep_alive, client)
    until(lambda: client.send_snapshot_request(4711), client)
    until(lambda: echoes.responses, client)
    (response,) = echoes.responses
    assert (response.correlation_id, response.response_code) == (4711, AdminResponseCode.OK)


def test_a_wrong_protocol_version_is_rejected(connect, monkeypatch):
    monkeypatch.setattr(client_connect, "PROTOCOL_VERSION", 1 << 16)
    with pytest.raises(ClusterError, match="invalid client version") as caught:
        connect()
    assert caught.value.code == EventCode.ERROR


class Password(Credentials):
    """The credentials sent to a node with an authenticator, on connect and after a challenge."""

    def __init__(self, password, answer=b""):
        self._password = password
        self._answer = answer

    def encoded_credentials(self):
        return self._password

    def on_challenge(self, encoded_challenge):
        assert encoded_challenge == b"who goes there"
        return self._answer


@pytest.mark.parametrize("node", [{"authenticator": "password"}], indirect=True)
def test_wrong_credentials_are_rejected(connect):
    with pytest.raises(AuthenticationError, match="session failed authentication"):
        connect(credentials=Password(b"guess"))
    assert connect(credentials=Password(b"secret")).state is ClientState.CONNECTED


@pytest.mark.parametrize("node", [{"authenticator": "challenge"}], indirect=True)
def test_answers_a_challenge(connect):
    with pytest.raises(AuthenticationError, match="session failed authentication"):
        connect(credentials=Password(b"alice", b"guess"))
    client = connect(credentials=Password(b"alice", b"secret"))
    assert client.state is ClientState.CONNECTED


def test_the_eleventh_session_is_rejected(connect):
    for _ in range(10):
        connect()
    with pytest.raises(ClusterError, match="concurrent session limit"):
        connect()


def test_a_missing_member_is_named_when_the_time_is_over(node):
    directory, _ = node
    with pytest.raises(TimeoutExpiredError, match=r"AWAIT_CONNECTED.*member 3 localhost:1 not"):
        AeronCluster.connect(
            aeron_dir=directory,
            ingress_channel="aeron:udp",
            ingress_endpoints="3=localhost:1",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=10_000_000_000,  # the driver's answers use part of the timeout
        )
