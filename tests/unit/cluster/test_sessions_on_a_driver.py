"""Our cluster client, the session manager and a real driver in one thread, over IPC."""

import struct
import time
from types import SimpleNamespace

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.client.security import SimpleAuthenticator
from aeron_cluster.cluster.context.response_channel import ResponseChannels
from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.security import DefaultAuthenticator, allow_backup
from aeron_cluster.cluster.security.connect_limits import ConnectLimits
from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.state.session_table import SessionTable
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.connect import ClientConnect
from aeron_cluster.cluster_client.context import ClusterClientContext
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    ClusterTimeUnit,
    EventCode,
    SessionCloseEvent,
    SessionOpenEvent,
)
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AuthenticationError, ClusterError
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

TERM = 3
MEMBERS = "0,h0:1,h0:2,h0:3,h0:4,h0:5"
SESSION_COUNTER = 241
SESSION_TIMEOUT_NS = 600_000_000_000


class RecordingListener(EgressListener):
    def __init__(self):
        self.events = []
        self.new_leaders = []

    def on_session_event(self, event):
        self.events.append(event)

    def on_new_leader(self, event):
        self.new_leaders.append(event)


class Node:
    """A driver, a member's sessions, and their log."""

    def __init__(self, directory, authenticator=None, **options):
        self.directory = str(directory / "driver")
        self.errors = []
        self.driver = MediaDriver.launch(
            aeron_dir=self.directory,
            threading_mode="INVOKER",
            ipc_term_buffer_length=64 << 10,
            # Long, so that a pause of the machine ends no component.
            client_liveness_timeout_ns=600_000_000_000,
            publication_unblock_timeout_ns=700_000_000_000,
        )
        self.driver.invoker.start()
        self.clients = []
        self.aeron = self.new_aeron()
        self.timed_out = SimpleNamespace(value=0, increment=self._time_out)
        self.table = SessionTable()
        self.log = LogPublisher()
        publication = self.aeron.add_exclusive_publication("aeron:ipc", 100)
        self.log.connect(publication)
        self.log.leadership_term_id = TERM
        self.log_subscription = self.aeron.add_subscription("aeron:ipc", 100)
        self.entries = []
        defaults = {
            "cluster_id": 2,
            "member_id": 0,
            "max_sessions": 10,
            "session_timeout_ns": SESSION_TIMEOUT_NS,
            "leader_heartbeat_timeout_ns": 10_000_000_000,
            "egress_channel": None,
            "ingress_ipc_allowed": True,
        }
        context = SimpleNamespace(
            options=SimpleNamespace(**defaults | options),
            epoch_ms=lambda: int(time.time() * 1000),
            authenticator_supplier=lambda: authenticator or DefaultAuthenticator(),
            authorisation_service=allow_backup,
            error_handler=self.errors.append,
            events=NO_EVENTS,
            time_unit=ClusterTimeUnit.MILLIS,
            cluster_time=lambda: 77,
            make_response_channels=lambda: ResponseChannels(
                parse_members(MEMBERS), (100, 101), is_ipc_allowed=True
            ),
            make_connect_limits=lambda count: ConnectLimits(8, 4, count, self.errors.append),
        )
        self.manager = SessionManager(
            context,
            self.aeron,
            self.table,
            self.log,
            SimpleNamespace(
                timed_out_clients=self.timed_out,
                rejected_connects=SimpleNamespace(increment=lambda: None),
            ),
            parse_members(MEMBERS),
            on_admin_snapshot=lambda: True,
            forward=lambda _: None,
        )
        self.ingress = self.aeron.add_subscription(
            "aeron:ipc",
            101,
            unavailable_image_handler=lambda image: self.manager.on_image_unavailable(
                image.correlation_id
            ),
        )
        self._assembler = FragmentAssembler(self._on_ingress)
        self.skew_ns = 0
        self.now_ns = time.monotonic_ns()
        self.manager.become_leader(TERM, is_startup=True, now_ns=self.now_ns)
        self.manager.set_active(True)

    def _time_out(self):
        self.timed_out.value += 1

    def new_aeron(self):
        aeron = Aeron.connect(
            aeron_dir=self.directory,
            use_conductor_invoker=True,
            driver_invoker=self.driver.invoker.invoke,
        )
        self.clients.append(aeron)
        return aeron

    def _on_ingress(self, view, header):
        self.manager.on_ingress(bytes(view), header.context, self.now_ns)

    def step(self):
        self.now_ns = time.monotonic_ns() + self.skew_ns
        self.driver.invoker.invoke()
        for aeron in self.clients:
            if not aeron.is_closed:
                aeron.conductor_agent_invoker.invoke()
        self.ingress.poll(self._assembler, 10)
        if self.manager.is_busy or self.now_ns >= self.manager.next_deadline_ns():
            self.manager.do_work(self.now_ns)
        self.log_subscription.poll(lambda view, _: self.entries.append(codecs.decode(view)), 10)

    def await_that(self, condition, timeout_s=120):
        deadline = time.monotonic() + timeout_s
        while not (found := condition()):
            assert time.monotonic() < deadline, (self.manager, self.errors)
            self.step()
        return found

    def connect(self, credentials=b"", aeron=None):
        """Open a session as our cluster client does."""
        who = Credentials()
        who.encoded_credentials = lambda: credentials
        context = ClusterClientContext.of(
            ingress_channel="aeron:ipc",
            egress_channel="aeron:ipc",
            aeron_dir=self.directory,
            credentials=who,
            listener=RecordingListener(),
            client_name="tester",
            message_timeout_ns=120_000_000_000,
            agent_invoker=self.driver.invoker.invoke,
        )
        aeron = aeron or self.new_aeron()
        connect = ClientConnect(context, aeron, aeron.context.now_ns())
        try:
            self.await_that(lambda: connect.poll(aeron.context.now_ns()))
        except BaseException:
            connect.close()
            raise
        return AeronCluster(context, aeron, connect)

    def counters(self):
        return [c for c in self.aeron.counters_reader.counters() if c.type_id == SESSION_COUNTER]

    def close(self):
        self.manager.close()
        for aeron in self.clients:
            aeron.close()
        self.driver.close()


@pytest.fixture
def node_of(shm_dir):
    nodes = []

    def make(**options):
        nodes.append(Node(shm_dir, **options))
        return nodes[-1]

    yield make
    for node in nodes:
        node.close()


def test_the_counter_of_a_client_lives_as_long_as_the_client(node_of):
    node = node_of()
    client = node.connect()
    assert (client.cluster_session_id, client.leadership_term_id) == (1, TERM)
    opened = node.await_that(lambda: node.entries)[0]
    assert isinstance(opened, SessionOpenEvent)
    assert (opened.cluster_session_id, opened.timestamp) == (1, 77)
    assert opened.response_channel.startswith("aeron:ipc")
    assert node.manager.session(1).opened_log_position == node.log.position
    node.await_that(lambda: [c for c in node.counters() if c.value == 1])
    (counter,) = node.counters()
    assert counter.key[:12] == struct.pack("<iq", 2, 1)
    image = node.ingress.images[0]
    assert counter.label.startswith("cluster-session: name=tester version=")
    assert counter.label.endswith(
        f" sourceIdentity={image.source_identity} sessionId={image.session_id} - clusterId=2"
    )
    egress = node.aeron.counters_reader.reference_id(counter.counter_id)
    assert egress == node.manager.session(1).egress._publication.registration_id
    client.close()
    node.await_that(lambda: len(node.entries) == 2 and not node.counters())
    assert isinstance(node.entries[1], SessionCloseEvent)
    assert node.entries[1].close_reason.name == "CLIENT_ACTION"
    assert node.errors == []


def test_a_dead_client_loses_its_ingress_image(node_of):
    node = node_of()
    aeron = node.new_aeron()
    node.connect(aeron=aeron)
    aeron.close()
    node.await_that(lambda: len(node.entries) == 2)
    assert node.entries[1].close_reason.name == "TIMEOUT"
    assert node.timed_out.value == 1
    assert len(node.table) == 0


def test_a_silent_client_is_notified_of_its_timeout(node_of):
    node = node_of()
    client = node.connect()
    node.await_that(lambda: len(node.entries) == 1)
    node.skew_ns = SESSION_TIMEOUT_NS
    node.await_that(lambda: len(node.entries) == 2)
    events = client._context.listener.events
    node.await_that(lambda: client.poll_egress(10) and events)
    assert [(event.code, event.detail) for event in events] == [(EventCode.CLOSED, "TIMEOUT")]


def test_a_client_with_the_wrong_password_is_rejected(node_of):
    node = node_of(authenticator=SimpleAuthenticator({b"secret": b"anna"}))
    with pytest.raises(AuthenticationError, match="session failed authentication"):
        node.connect(credentials=b"guess")
    assert node.connect(credentials=b"secret").cluster_session_id == 2
    assert node.await_that(lambda: node.entries)[0].encoded_principal == b"anna"


def test_one_client_too_many_is_rejected(node_of):
    node = node_of(max_sessions=1)
    node.connect()
    with pytest.raises(ClusterError, match="concurrent session limit"):
        node.connect()


def test_remaining_clients_are_notified_of_the_next_term(node_of):
    node = node_of()
    client = node.connect()
    node.manager.set_active(False)
    node.manager.prepare_for_new_leadership(node.log.position)
    node.manager.restore_uncommitted(node.log.position)
    node.await_that(lambda: not node.counters())
    node.manager.become_leader(TERM + 1, is_startup=False, now_ns=node.now_ns)
    node.manager.set_active(True)
    events = client._context.listener.new_leaders
    node.await_that(lambda: client.poll_egress(10) and events)
    assert events[0].leadership_term_id == TERM + 1
    assert node.counters()[0].label == (
        f"cluster-session: {node.manager.session(1).response_channel} - clusterId=2"
    )


def test_abandoned_request_leaves_nothing_at_the_driver(node_of):
    node = node_of()
    for channel in ("aeron:ipc", "aeron:udp?endpoint=localhost:1|mtu=7", "no channel", ""):
        node.manager.on_ingress(
            codecs.SessionConnectRequest.encode(
                correlation_id=1, response_stream_id=102, response_channel=channel
            ),
            SimpleNamespace(correlation_id=5, source_identity="x", session_id=6),
            node.now_ns,
        )
    node.manager.prepare_for_new_leadership(0)
    node.manager.close()
    own = {
        node.log.publication.registration_id,
        node.log_subscription.registration_id,
        node.ingress.registration_id,
    }

    def is_all_given_back():
        return node.aeron._conductor._resources.keys() == own and node.counters() == []

    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        node.step()
    node.await_that(is_all_given_back)
