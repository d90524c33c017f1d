"""Our service container with a Java consensus module and our client."""

import json
import random
import time
from contextlib import ExitStack

import pytest

from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.codecs.cluster import CloseReason, EventCode
from aeron_cluster.errors import ServiceCallbackError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from benchmarks.native.build import build_service
from tests.interop.echo_service import (
    CANCEL,
    CLOSE,
    COMMAND,
    ECHO,
    NUMBER,
    SERVICE,
    TIMER,
    EchoService,
)

TIMEOUT_S = 120
# Long, since a busy machine may delay a client.
SESSION_TIMEOUT_MS = 60_000


class Echoes(EgressListener):
    """Collects the cluster's messages."""

    def __init__(self):
        self.messages = []
        self.events = []

    def on_message(self, timestamp, message, _):
        assert timestamp > 0
        self.messages.append(bytes(message))

    def on_session_event(self, event):
        self.events.append(event)


class Node:
    """A Java driver, archive and consensus module, and our container."""

    def __init__(self, java, directory, base, port):
        self.java = java
        self.directory = directory
        self.base = base
        self.port = port
        self.peer = None
        self.container = None
        self.containers = []
        self.errors = []
        self.ended = 0

    def start(self, *services, java_options=None, **options):
        self.peer = self.java.start(
            "ClusterNode",
            dir=self.directory,
            base=self.base,
            portBase=self.port,
            parts="driver,archive,consensus",
            idle="backoff",
            log="aeron:udp?term-length=16m",
            sessionTimeoutMs=SESSION_TIMEOUT_MS,
            **(java_options or {}),
        )
        self.peer.await_event("READY", TIMEOUT_S)
        for service_id, service in enumerate(services):
            self.containers.append(self.launch(service, service_id=service_id, **options))
        self.container = self.containers[0]
        idle = IdleStrategy("backoff")
        driven = options.get("threading_mode") == "INVOKER"
        if driven:
            self.container.invoker.start()
        deadline = time.monotonic() + TIMEOUT_S
        while not self.is_leading:
            assert time.monotonic() < deadline, self.peer.report()
            idle.idle(self.container.invoker.invoke() if driven else 0)

    @property
    def is_leading(self):
        self.peer.read()
        return any(
            event["event"] == "election" and event["state"] == "CLOSED"
            for event in self.peer.events
        )

    def launch(self, service, **options):
        return ClusteredServiceContainer.launch(
            service=service,
            aeron_dir=self.directory,
            cluster_dir=self.base / "node0" / "cluster",
            error_handler=self.errors.append,
            termination_hook=self._on_end,
            **options,
        )

    def _on_end(self):
        self.ended += 1

    def connect(self, listener=None, **options):
        return AeronCluster.connect(
            aeron_dir=self.directory,
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0=localhost:{self.port + 1}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=120_000_000_000,
            listener=listener,
            **options,
        )

    def toggle(self, command):
        since = self.peer.emit(command)
        assert self.peer.await_event("toggle", TIMEOUT_S, since)["accepted"], command
        return since

    def close(self):
        for container in self.containers:
            container.close()
        self.containers.clear()
        if self.peer is not None:
            self.peer.stop()
            self.peer = None


@pytest.fixture
def node(java, shm_dir, free_port, tmp_path):
    """Yield a node that the test starts."""
    node = Node(java, shm_dir / "node", tmp_path / "cluster", free_port(10))
    try:
        yield node
    finally:
        node.close()


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


def until(condition, *clients):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        idle.idle(sum(client.poll_egress(64) for client in clients))


def exchange(client, echoes, messages, window=64):
    """Send messages with at most `window` unanswered, and wait for every echo."""
    echoes.messages.clear()
    for sent, message in enumerate(messages):
        until(lambda sent=sent: sent - len(echoes.messages) < window, client)
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == len(messages), client)
    assert echoes.messages == messages


def echo_messages(count, seed=7, longest=1376):
    rng = random.Random(seed)
    return [
        COMMAND.pack(ECHO, 0, number, 0) + rng.randbytes(rng.randint(0, longest))
        for number in range(count)
    ]


def test_messages_of_all_lengths_are_echoed_in_order(node, stack):
    service = EchoService()
    node.start(service)
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    messages = [bytes(length) for length in range(24)] + echo_messages(20_000)
    exchange(client, echoes, messages)
    assert service.calls[0] == ("start", False, Role.FOLLOWER)
    kinds = [name for name, *_ in service.calls]
    assert kinds == ["start", "role", "term", "open"]  # the role changes before the term begins
    assert service.messages == len(messages)
    assert node.errors == []


def test_fragmented_messages_are_echoed_completely(node, stack):
    node.start(EchoService())
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    messages = [
        message + bytes(100_000 * number)
        for number, message in enumerate(echo_messages(9, longest=100_000))
    ]
    exchange(client, echoes, messages, window=2)
    assert node.errors == []


def test_users_thread_may_drive_the_container(node, stack):
    service = EchoService()
    node.start(service, threading_mode="INVOKER")
    echoes = Echoes()
    container = node.container.invoker
    client = stack.enter_context(node.connect(echoes, agent_invoker=container.invoke))
    messages = echo_messages(2000)

    def driven(condition):
        container.invoke()
        return condition()

    for sent, message in enumerate(messages):
        until(lambda sent=sent: driven(lambda: sent - len(echoes.messages) < 64), client)
        until(lambda message=message: driven(lambda: client.offer(message)), client)
    until(lambda: driven(lambda: len(echoes.messages) == len(messages)), client)
    assert echoes.messages == messages
    assert service.messages == len(messages)


def test_a_native_service_answers(node, stack, tmp_path):
    library = build_service("echo_service", tmp_path)
    node.start(NativeService.load(library, "echo_service"))
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    exchange(client, echoes, [*echo_messages(20_000), bytes(500_000)])
    take_snapshot(node)
    exchange(client, echoes, [b"after"])
    client.close()
    node.toggle("shutdown")
    until(lambda: node.ended)
    assert node.errors == []


def command(kind, sequence, body=b""):
    return COMMAND.pack(kind, 0, sequence, 0) + body


def test_timers_fire_and_may_be_cancelled(node, stack):
    service = EchoService()
    node.start(service)
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    exchange_one = [
        command(TIMER, 1, NUMBER.pack(50)),
        command(TIMER, 2, NUMBER.pack(60_000)),
        command(TIMER, 3, NUMBER.pack(0)),
        command(CANCEL, 2),
    ]
    for message in exchange_one:
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == 3, client)
    answers = sorted(COMMAND.unpack_from(message)[::2] for message in echoes.messages)
    assert answers == [(TIMER, 1), (TIMER, 3), (CANCEL, 2)]
    assert service.timer_events == 2
    assert service.timers == {}
    assert node.errors == []


def test_service_receives_its_own_offers(node, stack):
    service = EchoService()
    node.start(service)
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    for number in range(500):
        message = command(SERVICE, number, NUMBER.pack(0) + bytes(number % 300 * 10))
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == 500, client)
    assert [COMMAND.unpack_from(message)[2] for message in echoes.messages] == list(range(500))
    assert service.service_messages == 500
    assert node.errors == []


def test_session_closed_by_the_service_is_over(node, stack):
    service = EchoService()
    node.start(service)
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    until(lambda: client.offer(command(CLOSE, 1, NUMBER.pack(0))), client)
    until(lambda: echoes.events, client)
    assert echoes.events[0].code is EventCode.CLOSED
    until(lambda: service.closed)
    assert service.calls[-1] == ("close", 1, CloseReason.SERVICE_ACTION)


def test_a_close_by_the_client_is_notified(node):
    service = EchoService()
    node.start(service)
    node.connect().close()
    until(lambda: service.closed)
    assert service.calls[-1] == ("close", 1, CloseReason.CLIENT_ACTION)


def test_a_suspended_log_continues_when_resumed(node, stack):
    service = EchoService()
    node.start(service)
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    exchange(client, echoes, echo_messages(10))
    since = node.toggle("suspend")
    node.peer.await_event("module", TIMEOUT_S, since, lambda event: event["state"] == "SUSPENDED")
    until(lambda: client.offer(b"later"), client)
    since = node.toggle("resume")
    node.peer.await_event("module", TIMEOUT_S, since, lambda event: event["state"] == "ACTIVE")
    until(lambda: echoes.messages[-1] == b"later", client)
    assert node.errors == []


def take_snapshot(node):
    since = node.toggle("snapshot")
    node.peer.await_event("snapshotDone", TIMEOUT_S, since)


def feed(node, stack, services=1):
    """Build a state with messages, timers and sessions."""
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    exchange(client, echoes, echo_messages(300))
    for message in (
        command(TIMER, 7, NUMBER.pack(0)),
        command(TIMER, 8, NUMBER.pack(3_600_000)),
        command(SERVICE, 9, NUMBER.pack(0)),
    ):
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == 301 + services, client)
    return client, echoes


def test_a_snapshot_and_the_log_after_it_restore_the_state(node, stack):
    service = EchoService(pad=3000)
    node.start(service)
    client, echoes = feed(node, stack)
    take_snapshot(node)
    for message in echo_messages(100, 8):
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == 402, client)
    assert node.errors == []
    before = service.state()
    assert before["messages"] == 403
    client.close()
    node.close()
    restored = EchoService()
    node.start(restored)
    until(lambda: restored.messages == 403)
    assert restored.calls[0] == ("start", True, Role.FOLLOWER)
    assert restored.padding_read == 3000
    assert set(restored.timers) == {8}
    # The session's close is in the log, or the module closes the unknown session.
    until(lambda: restored.closed == 1)
    restored.closed = 0
    assert {**restored.state(), "checksum": ""} == {**before, "checksum": ""}
    assert node.errors == []


def test_a_snapshot_of_256_mib_is_restored(node, stack):
    """With a separate thread; tests/unit/cluster/service/test_snapshot.py tests one thread."""
    node.start(EchoService(pad=256 << 10))
    client = stack.enter_context(node.connect())
    take_snapshot(node)
    client.close()
    node.close()
    restored = EchoService()
    node.start(restored)
    assert restored.padding_read == 256 << 10
    assert node.errors == []


def test_java_restores_our_snapshot_to_the_same_state(node, stack, java):
    """Take a snapshot with ours, then start Java's container on the same directories."""
    service = EchoService(pad=100)
    node.start(service)
    feed(node, stack)
    take_snapshot(node)
    expected = service.state()
    node.close()
    peer = java.start(
        "ClusterNode",
        dir=node.directory,
        base=node.base,
        portBase=node.port,
        idle="backoff",
        log="aeron:udp?term-length=16m",
    )
    started = peer.await_event("serviceStart", TIMEOUT_S)
    assert started["fromSnapshot"]
    found = started["state"]
    assert {key: found[key] for key in expected} == expected
    assert found["pendingTimers"] == 1


def test_our_container_restores_javas_snapshot_to_the_same_state(node, stack, java):
    """Take a snapshot with Java's, then start our container on the same directories."""
    peer = java.start(
        "ClusterNode",
        dir=node.directory,
        base=node.base,
        portBase=node.port,
        idle="backoff",
        snapshotPad=100,
        log="aeron:udp?term-length=16m",
        sessionTimeoutMs=SESSION_TIMEOUT_MS,
    )
    node.peer = peer
    peer.await_event("READY", TIMEOUT_S)
    feed(node, stack)
    take_snapshot(node)
    since = peer.emit("state")
    expected = peer.await_event("state", TIMEOUT_S, since)["state"]
    peer.stop()
    service = EchoService()
    node.start(service)
    assert service.calls[0] == ("start", True, Role.FOLLOWER)
    assert service.padding_read == 100
    started = service.states[0]
    assert started == {key: expected[key] for key in started}


@pytest.mark.parametrize("command", ["shutdown", "abort"])
def test_the_container_ends_with_the_node(node, stack, command):
    service = EchoService()
    node.start(service)
    feed(node, stack)
    node.toggle(command)
    until(lambda: node.ended)
    assert service.calls[-1] == ("terminate",)
    kinds = [name for name, *_ in service.calls]
    assert ("snapshot" in kinds) == (command == "shutdown")
    node.peer.await_event("CLOSED", TIMEOUT_S)
    assert node.container.is_terminated
    assert node.errors == []


def test_the_container_ends_if_the_module_is_killed(node, stack):
    service = EchoService()
    node.start(service)
    feed(node, stack)
    node.peer.kill()
    until(lambda: node.ended)
    assert node.container.is_terminated


def test_closed_container_ends_its_module(node):
    node.start(EchoService())
    since = len(node.peer.events)
    node.container.close()
    node.peer.await_event("CLOSED", TIMEOUT_S, since)


def test_a_failed_callback_costs_its_message_alone(node, stack, java):
    class Failing(EchoService):
        def on_session_message(self, session, timestamp, message, header):
            if bytes(message) == b"bad":
                raise ValueError("bad order")
            super().on_session_message(session, timestamp, message, header)

    node.start(Failing())
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    for message in (b"one", b"bad", b"two"):
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == 2, client)
    assert echoes.messages == [b"one", b"two"]
    (error,) = node.errors
    assert isinstance(error, ServiceCallbackError)
    assert (error.callback, error.cluster_session_id) == ("on_session_message", 1)
    found = java.run("Inspect", what="errors", clusterDir=node.base / "node0" / "cluster").events
    text = json.dumps(found)
    assert "ValueError: bad order" in text
    assert f"on_session_message failed at log position {error.log_position}, session 1" in text


def test_node_continues_after_a_failed_snapshot(node, stack):
    class Failing(EchoService):
        def on_take_snapshot(self, _):
            raise ValueError("no snapshot today")

    node.start(Failing())
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    take_snapshot(node)
    exchange(client, echoes, echo_messages(10))
    (error,) = node.errors
    assert error.callback == "on_take_snapshot"


def test_two_services_receive_the_same_and_snapshot_together(node, stack):
    class Quiet(EchoService):
        def reply(self, session, message):
            """Leave the replies to the other service."""

        def schedule(self, correlation_id, deadline):
            """Leave the timers to the other service: a late one here would fire again."""

    services = [EchoService(), Quiet()]
    java_options = {"serviceCount": 2}
    node.start(*services, java_options=java_options)
    client, _ = feed(node, stack, 2)
    until(lambda: services[0].service_messages == services[1].service_messages == 2, client)
    take_snapshot(node)
    first, second = (service.state() for service in services)
    assert first["messages"] == second["messages"] == 303
    assert first["checksum"] == second["checksum"]
    client.close()
    node.close()
    restored = [EchoService(), Quiet()]
    node.start(*restored, java_options=java_options)
    for before, after in zip((first, second), restored, strict=True):
        assert after.calls[0] == ("start", True, Role.FOLLOWER)
        assert after.states[0] == before
    assert node.errors == []


def test_the_module_shows_our_counters_and_mark_file_to_javas_tools(node, java):
    node.start(EchoService())
    marks = java.run("Inspect", what="mark", clusterDir=node.base / "node0" / "cluster").events
    text = json.dumps(marks)
    assert "clustered-service-0-0" in text
    counters = java.run("Inspect", what="cnc", dir=node.directory).events
    found = {event.get("typeId"): event for event in counters}
    for type_id in (215, 218, 219, 236, 237):
        assert "clusterId=0 serviceId=0" in found[type_id]["label"]
