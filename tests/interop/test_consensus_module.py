"""Our consensus module, archive and driver, with a Java service."""

import struct
from contextlib import ExitStack, contextmanager

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.state.control_toggle import ControlToggle, try_toggle
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.system.seams import SystemFiles
from tests.waiting import await_true

TIMEOUT_S = 120
COMMAND = struct.Struct("<iiqq")
ECHO, TIMER, SERVICE, CLOSE = range(4)
ELECTION_STATE, CLOSED = 207, 17
SNAPSHOT_COUNT, CONTROL_TOGGLE, MODULE_STATE = 205, 202, 200
ACTIVE, SUSPENDED = 1, 2
SAME = ("messages", "checksum", "timerEvents", "serviceMessages", "opened", "closed")


class Echoes(EgressListener):
    def __init__(self):
        self.messages = []
        self.events = []

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.messages.append(bytes(message))

    def on_session_event(self, event):
        self.events.append(event)


class Member:
    """One member on a base port, all parts of which start and end together."""

    def __init__(self, java, driver_dir, base, port, errors):
        self._java = java
        self.driver_dir = str(driver_dir)
        self.port = port
        self.cluster_dir = base / "node0" / "cluster"
        self._base = base
        self.errors = errors

    @contextmanager
    def running(self, **options):
        with ExitStack() as stack:
            stack.enter_context(
                ArchivingMediaDriver.launch(
                    driver={"aeron_dir": self.driver_dir, "threading_mode": "SHARED"},
                    archive={
                        "archive_dir": str(self._base / "node0" / "archive"),
                        "control_channel": f"aeron:udp?endpoint=localhost:{self.port + 5}",
                        "replication_channel": "aeron:udp?endpoint=localhost:0",
                        "threading_mode": "SHARED",
                        "archive_id": 0,
                    },
                )
            )
            service = self._java.start(
                "ClusterNode",
                parts="service",
                portBase=self.port,
                dir=self.driver_dir,
                base=self._base,
                clusterDir=self.cluster_dir,
            )
            service.await_event("READY", TIMEOUT_S)
            stack.callback(service.stop)
            endpoints = ",".join(f"localhost:{self.port + index}" for index in range(1, 6))
            module = stack.enter_context(
                ConsensusModule.launch(
                    aeron_dir=self.driver_dir,
                    cluster_dir=str(self.cluster_dir),
                    cluster_members=f"0,{endpoints}",
                    ingress_channel="aeron:udp",
                    replication_channel="aeron:udp?endpoint=localhost:0",
                    log_channel="aeron:udp?term-length=16m",
                    error_handler=self.errors.append,
                    # Long, since a busy machine may delay a client.
                    session_timeout_ns=120_000_000_000,
                    **options,
                )
            )
            observer = stack.enter_context(Aeron.connect(aeron_dir=self.driver_dir))
            running = Running(self, module, service, observer.counters_reader)
            await_true(lambda: running.value(ELECTION_STATE) == CLOSED, "an election")
            yield running


class Running:
    def __init__(self, member, module, service, counters):
        self._member = member
        self.module = module
        self.service = service
        self._counters = counters

    def _counter(self, type_id):
        for counter in self._counters.counters():
            if counter.type_id == type_id:
                return AtomicCounter(self._counters, counter.counter_id)
        return None

    def value(self, type_id):
        counter = self._counter(type_id)
        return None if counter is None else counter.get()

    def toggle(self, request):
        assert try_toggle(self._counter(CONTROL_TOGGLE), request)

    def state(self):
        since = self.service.emit("state")
        state = self.service.await_event("state", TIMEOUT_S, since=since)["state"]
        return {key: state[key] for key in SAME}

    def settled_state(self):
        """Return the state once the log shows the end of every session."""
        states = [self.state()]

        def is_settled():
            states.append(self.state())
            return states[-1]["opened"] == states[-1]["closed"]

        await_true(is_settled, "the end of every session")
        return states[-1]

    @contextmanager
    def client(self, **options):
        listener = Echoes()
        with AeronCluster.connect(
            aeron_dir=self._member.driver_dir,
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0=localhost:{self._member.port + 1}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=120_000_000_000,
            listener=listener,
            **options,
        ) as client:
            yield client, listener

    def send(self, client, message):
        def is_sent():
            client.poll_egress()
            return bool(client.offer(message))

        await_true(is_sent, "room for a message")

    def echo(self, lengths):
        with self.client() as (client, echoes):
            sent = []
            for sequence, length in enumerate(lengths):
                sent.append(COMMAND.pack(ECHO, 0, sequence, 0).ljust(length, b"."))
                self.send(client, sent[-1])

            def is_echoed():
                client.poll_egress()
                return len(echoes.messages) == len(sent)

            await_true(is_echoed, f"{len(sent)} echoes")
            assert echoes.messages == sent


@pytest.fixture
def member(java, shm_dir, tmp_path, free_port):
    errors = []
    yield Member(java, shm_dir / "driver", tmp_path / "cluster", free_port(10), errors)
    assert [str(error) for error in errors] == []


def test_java_service_echoes_messages_logged_by_our_module(member):
    with member.running() as running:
        running.echo([24] * 2000 + [1400] * 500 + [5000] * 100 + [300_000] * 10)
        assert running.state()["messages"] == 2610


def test_a_restart_replays_the_log(member):
    with member.running() as running:
        running.echo([100] * 1000)
        before = running.settled_state()
    with member.running() as running:
        assert running.state() == before
        running.echo([100] * 10)


@pytest.mark.parametrize("timers", ["wheel", "heap"])
def test_timers_fire_and_survive_a_restart(member, timers):
    with (
        member.running(timer_service_supplier=timers) as running,
        running.client() as (
            client,
            echoes,
        ),
    ):
        running.send(client, COMMAND.pack(TIMER, 0, 7, 0) + struct.pack("<q", 1))
        running.send(client, COMMAND.pack(TIMER, 0, 8, 0) + struct.pack("<q", 1_000_000))

        def is_fired():
            client.poll_egress()
            return len(echoes.messages) == 1

        await_true(is_fired, "a timer")
        assert COMMAND.unpack_from(echoes.messages[0])[:3] == (TIMER, 0, 7)
        before = running.state()
    with member.running(timer_service_supplier=timers) as running:
        assert running.state()["timerEvents"] == before["timerEvents"] == 1


def test_messages_of_the_service_go_through_the_log(member):
    with member.running() as running, running.client() as (client, echoes):
        for sequence in range(200):
            message = COMMAND.pack(SERVICE, 0, sequence, 0) + struct.pack("<q", 0)
            running.send(client, message.ljust(100, b"."))

        def is_back():
            client.poll_egress()
            return len(echoes.messages) == 200

        await_true(is_back, "the service's messages")
        sequences = [COMMAND.unpack_from(message)[2] for message in echoes.messages]
        assert sequences == list(range(200))
        assert running.state()["serviceMessages"] == 200


def test_a_restart_from_a_snapshot_and_the_log_gives_the_same_state(member):
    with member.running() as running:
        running.echo([64] * 500)
        running.toggle(ControlToggle.SNAPSHOT)
        await_true(lambda: running.value(SNAPSHOT_COUNT) == 1, "a snapshot")
        await_true(lambda: running.value(CONTROL_TOGGLE) == ControlToggle.NEUTRAL, "its end")
        running.echo([64] * 300)
        before = running.settled_state()
    with member.running() as running:
        assert running.state() == before
        running.echo([64] * 10)
    with RecordingLog(SystemFiles(), str(member.cluster_dir), writable=False) as log:
        kinds = [(entry.entry_type, entry.service_id) for entry in log.entries]
    assert kinds.count((EntryType.SNAPSHOT, NULL_VALUE)) == 1
    assert kinds.count((EntryType.SNAPSHOT, 0)) == 1
    assert kinds.count((EntryType.TERM, NULL_VALUE)) == 2


def test_suspends_and_resumes(member):
    with member.running() as running, running.client() as (client, echoes):
        running.toggle(ControlToggle.SUSPEND)
        await_true(lambda: running.value(MODULE_STATE) == SUSPENDED, "a suspension")
        running.send(client, COMMAND.pack(ECHO, 0, 1, 0))
        assert running.state()["messages"] == 0
        client.poll_egress()
        assert echoes.messages == []
        running.toggle(ControlToggle.RESUME)
        await_true(lambda: running.value(MODULE_STATE) == ACTIVE, "the end of the suspension")

        def is_echoed():
            client.poll_egress()
            return len(echoes.messages) == 1

        await_true(is_echoed, "an echo")


@pytest.mark.parametrize("request_", [ControlToggle.SHUTDOWN, ControlToggle.ABORT])
def test_ends_on_request_and_restarts(member, request_):
    ended = []
    with member.running(termination_hook=lambda: ended.append(True)) as running:
        running.echo([64] * 100)
        before = running.settled_state()
        since = len(running.service.events)
        running.toggle(request_)
        running.service.await_event("terminationHook", TIMEOUT_S, since=since)
        await_true(lambda: ended == [True], "the module's end")
    with RecordingLog(SystemFiles(), str(member.cluster_dir), writable=False) as log:
        snapshots = [entry for entry in log.entries if entry.entry_type is EntryType.SNAPSHOT]
        assert len(snapshots) == (2 if request_ is ControlToggle.SHUTDOWN else 0)
        term = log.find_last_term()
        assert term.log_position > 0
    with member.running() as running:
        assert running.state() == before


def test_ends_when_its_service_ended(member):
    with member.running() as running:
        running.echo([64] * 10)
        running.service.kill()
        await_true(lambda: "CLOSED" in repr(running.module), "the module's end")
    assert "closed unexpectedly" in str(member.errors.pop(0))
