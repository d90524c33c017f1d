"""A node embedded in a program: `ClusterNode` as a library, in each thread layout."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.latency.latency_file import Stage, read_latencies
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.errors import (
    AgentTerminationError,
    CallbackExitError,
    ConfigurationError,
    DirectoryInUseError,
    ServiceCallbackError,
    StateError,
)
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from aeron_cluster.memory.system.seams import SystemFiles
from tests.waiting import await_true

TIMEOUT_S = 120.0
SMALL_LOG = {
    "aeron.cluster.log.channel": "aeron:udp?term-length=1m",
    # Long, so that a pause of the machine ends no component.
    "aeron.client.liveness.timeout": "60s",
    "aeron.publication.unblock.timeout": "70s",
    "aeron.cluster.session.timeout": "60s",
    "aeron.cluster.leader.heartbeat.timeout": "25s",
}


class Counting(ClusteredService):
    """Replies with the number of messages received."""

    def __init__(self, last=None):
        self.count = 0
        self.last = last
        self.ended = False

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster

    def on_session_message(self, session, _timestamp, message, _header):
        if bytes(message) == self.last:
            raise AgentTerminationError("it was the last one")
        self.count += 1
        while not session.offer(b"%d" % self.count):
            self.cluster.idle()

    def on_terminate(self, _cluster):
        self.ended = True


class Answers(EgressListener):
    def __init__(self):
        self.observed = []

    def on_message(self, _timestamp, message, _header):
        self.observed.append(int(bytes(message)))


@pytest.fixture
def launch(tmp_path, free_port):
    """Return a function that starts a node on the same data and ports each time."""
    member = local_member(0, "localhost", free_port(10))

    def start(*services, **options):
        given = {"directory": tmp_path / "data", "members": member, "properties": SMALL_LOG}
        return ClusterNode.launch(*services, **given | options)

    return start


def connect(node, listener=None, drive=lambda: None):
    """Open a session through the node's own driver."""
    return AeronCluster.connect(
        aeron_dir=node.driver.aeron_dir,
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0={node.member.ingress_endpoint}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=int(TIMEOUT_S * 1e9),
        listener=listener,
        agent_invoker=drive,
    )


def send_request(node, count, drive=lambda: None):
    """Send `count` messages through the node's own driver; return the answers."""
    answers = Answers()
    deadline = time.monotonic() + TIMEOUT_S
    with connect(node, answers, drive) as cluster:
        sent = 0
        while len(answers.observed) < count:
            assert time.monotonic() < deadline, f"no answers after {answers.observed[-1:]}"
            if sent < count and cluster.offer(b"x"):
                sent += 1
            drive()
            cluster.poll_egress()
    return answers.observed


def driver_directories():
    """Return the directories of this process's own embedded drivers."""
    return set(Path(default_aeron_dir()).parent.glob(f"aeron-{os.getpid()}-*"))


def node_threads():
    """Return the names of the threads, except those that prepare files and resolve host names."""
    others = ("aeron-executor", "aeron-member-names", "archive-files")
    return {each.name: each for each in threading.enumerate() if not each.name.startswith(others)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("threads", ["one", "two", "each"])
def test_a_node_serves_and_resumes_after_a_restart(launch, threads):
    before = driver_directories()
    with launch(Counting(), threads=threads) as node:
        assert send_request(node, 100) == list(range(1, 101))
        assert node.is_running
    assert not node.is_running
    with launch(service := Counting(), threads=threads) as node:
        assert send_request(node, 100) == list(range(101, 201))
    assert service.ended
    assert driver_directories() - before == set()


@pytest.mark.parametrize("threads", ["one", "two", "each"])
def test_each_layout_measures_its_stages(launch, threads):
    with launch(Counting(), Counting(), threads=threads, latency=True) as node:
        assert send_request(node, 20)

        def found():
            return read_latencies(SystemFiles(), node.driver.aeron_dir)

        # A stage may be one pass behind the previous one.
        await_true(lambda: len({each.count for each in found().values()}) == 1, "equal counts")
        stages = found()
        assert stages[Stage.TOTAL].count >= 1
        parts = sum(each.sum_ns for stage, each in stages.items() if stage is not Stage.TOTAL)
        assert stages[Stage.TOTAL].sum_ns == parts


class Exiting(Counting):
    """Exits the process with every message."""

    def on_session_message(self, session, _timestamp, message, header):
        super().on_session_message(session, _timestamp, message, header)
        sys.exit(3)


@pytest.mark.parametrize("threads", ["one", "two", "each", "none"])
def test_exiting_service_is_reported_and_served_on(launch, threads):
    errors = []
    container = {"error_handler": errors.append}
    with launch(Exiting(), threads=threads, container=container) as node:
        drive = lambda: None  # noqa: E731
        if threads == "none":
            node.invoker.start()
            drive = node.invoker.invoke
        assert send_request(node, 3, drive) == [1, 2, 3]
        assert node.is_running == (threads != "none")
        assert node.failure is None
    assert [type(each) for each in errors] == [ServiceCallbackError] * 3
    assert [each.__cause__.code for each in errors] == [3] * 3


def test_exiting_handler_leaves_its_client_alive(launch):
    errors = []
    with (
        launch(Counting()) as node,
        Aeron.connect(aeron_dir=node.driver.aeron_dir, error_handler=errors.append) as aeron,
    ):
        aeron.add_subscription("aeron:ipc", 1, available_image_handler=lambda _: sys.exit(3))
        aeron.add_publication("aeron:ipc", 1)
        await_true(lambda: errors, "the handler's error")
        assert isinstance(errors[0].__cause__, SystemExit)
        assert aeron.add_publication("aeron:ipc", 2).stream_id == 2  # the client is driven
    assert [type(each) for each in errors] == [CallbackExitError]


def test_each_layout_has_its_threads(launch):
    before = node_threads().keys()
    for threads, names in (
        ("none", set()),
        ("one", {"cluster-node"}),
        ("two", {"driver+archive", "cluster"}),
        (
            "each",
            {
                *("driver-conductor", "sender", "receiver"),
                *("archive-conductor", "archive-recorder", "archive-replayer"),
                *("consensus-module", "service-0"),
            },
        ),
    ):
        with launch(Counting(), threads=threads):
            assert node_threads().keys() - before == names


def test_without_threads_the_user_drives_the_node(launch):
    with launch(Counting(), threads="none") as node:
        node.invoker.start()
        assert send_request(node, 50, node.invoker.invoke) == list(range(1, 51))
        assert not node.is_running


def test_only_a_node_without_threads_has_an_invoker(launch):
    with launch(Counting()) as node, pytest.raises(StateError, match="'two' have no invoker"):
        _ = node.invoker


def test_ingress_is_answered_within_a_pass(launch):
    """Receiver, tracking, module, recorder, commit, service, sender, in this order."""
    with launch(Counting(), Counting(), threads="none") as node:
        names = [agent.role_name for agent in node.agents]
        kinds = [type(agent).__name__ for agent in node.agents]
        way = ["Receiver", "StreamTracking", "ModuleAgent", "Recorder", "CommitAgent"]
        assert kinds[-8:] == [*way, "ServiceAgent", "ServiceAgent", "Sender"], names
        assert set(node.agents) == {
            agent
            for part in (node.driver, node.archive, node.consensus_module, *node.containers)
            for agent in part.agents
        }


def test_ending_service_calls_the_hook_and_leaves_closing_to_the_caller(launch):
    ended = threading.Event()
    with (
        launch(service := Counting(last=b"x"), termination_hook=ended.set) as node,
        connect(node) as cluster,
    ):
        await_true(lambda: cluster.offer(b"x"), "the last message is sent")
        assert ended.wait(TIMEOUT_S)
    assert service.ended


def heartbeats(node):
    """Return the last activity of each of the node's own clients, in ms, by its counter's id."""
    found = node.driver.counters.counters()
    kind = CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT
    return {each.counter_id: each.value for each in found if each.type_id == kind}


def test_a_node_elects_and_serves_beside_a_thread_of_plain_python(launch):
    """A lost heartbeat would end a client, a session or the module."""
    stop = threading.Event()

    def count():
        counted = 0
        while not stop.is_set():
            counted += 1

    busy = threading.Thread(target=count)
    busy.start()
    try:
        # Timeouts are too long here to detect a lost heartbeat, so each counter is checked.
        with launch(Counting()) as node:
            started = heartbeats(node)
            assert started
            answers = 0

            def have_moved():
                nonlocal answers
                answers = send_request(node, 20)[-1]
                now = heartbeats(node)
                return all(now[each] >= value + 4_000 for each, value in started.items())

            await_true(have_moved, "heartbeats of each client for 4 s")
            while answers < 40:
                answers = send_request(node, 20)[-1]
            assert node.is_running
            assert node.driver.counters.value(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 0
    finally:
        stop.set()
        busy.join()


def test_threads_are_pinned_in_turn(launch):
    cpus = sorted(os.sched_getaffinity(0))[-2:]
    wanted = {"driver+archive": {cpus[0]}, "cluster": {cpus[-1]}}
    with launch(Counting(), threads="two", cpus=cpus):
        threads = node_threads()

        def pinned():
            return {name: os.sched_getaffinity(threads[name].native_id) for name in wanted}

        await_true(lambda: pinned() == wanted, "the threads on their processors")


def test_a_second_node_on_the_same_data_is_rejected_and_leaves_nothing(launch, free_port):
    with launch(Counting()) as node:
        before = driver_directories()
        elsewhere = local_member(0, "localhost", free_port(10))
        with pytest.raises(DirectoryInUseError, match=f"process {os.getpid()}"):
            launch(Counting(), members=elsewhere)
        assert driver_directories() == before
        assert send_request(node, 1) == [1]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"services": ()}, "at least one"),
        ({"members": "0,a:1,a:2"}, "cluster member"),
        ({"member_id": 3}, "member id"),
        ({"driver": {"mtu_length": 1400}}, "mtu_length"),
        ({"archive": {"segment_file_length": 1}}, "segment_file_length"),
        ({"consensus_module": {"max_sessions": 0}}, "max_sessions"),
        ({"container": {"on_callback_error": "ignore"}}, "on_callback_error"),
        ({"properties": {"aeron.cluster.sesion.timeout": "1s"}}, "session.timeout"),
    ],
)
def test_an_invalid_option_is_rejected_before_anything_is_made(launch, tmp_path, options, match):
    before = driver_directories()
    services = options.pop("services", (Counting(),))
    with pytest.raises(ConfigurationError, match=match):
        launch(*services, **options)
    assert not (tmp_path / "data").exists()
    assert driver_directories() == before


def test_properties_win_over_the_nodes_own_defaults(launch):
    properties = {**SMALL_LOG, "aeron.archive.id": "77"}
    with launch(Counting(), properties=properties) as node:
        assert node.archive.archive_id == 77
        assert send_request(node, 1) == [1]
