"""ClusterTest, MultiModuleSharedDriverTest: clusters sharing drivers and archives."""

import contextlib
import struct

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import in_pass_order
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.connect import ClientConnect
from aeron_cluster.cluster_client.context import ClusterClientContext
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.simulator.world.machine import World
from tests.simulation.scenarios.rig import QUICK, S

AERON_DIR = "/dev/shm/aeron"
ARCHIVE_PORT = 8888


class Counts(ClusteredService):
    """Echoes and counts messages."""

    def __init__(self):
        self.observed = []
        self.terms = 0

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        self.observed.append(bytes(message))
        while not session.offer(bytes(message)):
            self._cluster.idle()

    def on_start(self, cluster, snapshot_image):  # noqa: ARG002
        self._cluster = cluster

    def on_new_leadership_term_event(self, term):  # noqa: ARG002
        self.terms += 1


class Host:
    """A machine with a driver and an archive, and one member of each of several clusters."""

    def __init__(self, stack, world, number):
        self._stack = stack
        self.name = f"node{number}"
        self._number = number
        self._world = world
        self._machine = world.add_machine(self.name, f"10.0.0.{1 + number}")
        seams = self._machine.start_process()
        self._machine.files.make_directory(f"{AERON_DIR}/..", parents=True)
        self._driver = self._open(
            MediaDriver.launch(
                seams=seams,
                environment={},
                aeron_dir=AERON_DIR,
                threading_mode="INVOKER",
                term_buffer_length="64k",
                ipc_term_buffer_length="64k",
            )
        )
        self._options = {
            "seams": seams,
            "aeron_dir": AERON_DIR,
            "threading_mode": "INVOKER",
            "driver_invoker": self._drive,
        }
        self._agents = [*self._driver.agents]
        archive = self._open(
            Archive.launch(
                archive_dir="/archive",
                archive_id=number,
                control_channel=f"aeron:udp?endpoint={self.name}:{ARCHIVE_PORT}",
                replication_channel=f"aeron:udp?endpoint={self.name}:0",
                segment_file_length=256 * 1024,
                **self._options,
            )
        )
        self._agents += archive.agents
        self.modules = {}

    def _open(self, part):
        self._stack.callback(part.close)
        return part

    def _drive(self):
        for agent in in_pass_order(self._agents):
            agent.do_work()
        self._world.time.advance(1000)

    def add_member(self, cluster_id, members, shift):
        """Add a member of a cluster with its stream ids shifted on this machine."""
        streams = {
            "consensus_module_stream_id": 105 + shift,
            "service_stream_id": 104 + shift,
            "replay_stream_id": 103 + shift,
        }
        directory = f"/cluster-{cluster_id}"
        module = self._open(
            ConsensusModule.launch(
                cluster_id=cluster_id,
                cluster_dir=directory,
                cluster_members=members,
                member_id=self._number,
                service_count=1,
                ingress_channel="aeron:udp?term-length=64k",
                log_channel="aeron:udp?term-length=64k",
                replication_channel=f"aeron:udp?endpoint={self.name}:0",
                ingress_ipc_allowed=True,
                snapshot_stream_id=107 + shift,
                **streams,
                **QUICK,
                **self._options,
            )
        )
        service = Counts()
        container = self._open(
            ClusteredServiceContainer.launch(
                cluster_id=cluster_id,
                cluster_dir=directory,
                service_id=0,
                service=service,
                snapshot_stream_id=106 + shift,
                **streams,
                **self._options,
            )
        )
        self._agents += [*module.agents, *container.agents]
        self.modules[cluster_id] = module
        return service

    def begin(self):
        """Start the added members; return their invokers."""
        invoker = AgentInvoker(in_pass_order(self._agents), clock=self._machine.clock)
        self._stack.callback(invoker.close)
        invoker.start()
        return invoker

    def recordings(self):
        with Catalog(self._machine.files.copy("/archive"), "/archive", writable=False) as catalog:
            return [each.descriptor for each in catalog]

    def connect(self, run_until, **options):
        """Open a session with a cluster, on the machine's own driver."""
        aeron = self._open(
            Aeron.connect(
                aeron_dir=AERON_DIR,
                seams=self._options["seams"],
                use_conductor_invoker=True,
                driver_invoker=self._drive,
            )
        )
        context = ClusterClientContext.of(
            aeron=aeron,
            agent_invoker=self._drive,
            idle_strategy=IdleStrategy("noop"),
            **options,
        )
        connect = ClientConnect(context, aeron, aeron.context.now_ns())

        def is_open():
            aeron.conductor_agent.do_work()
            return connect.poll(aeron.context.now_ns())

        run_until(is_open)
        return self._open(AeronCluster(context, aeron, connect))


class Shared:
    """Clusters with a member on each of some hosts."""

    def __init__(self, stack, host_count):
        self.world = World(1)
        self.hosts = [Host(stack, self.world, number) for number in range(host_count)]
        self._invokers = []

    def add_cluster(self, cluster_id, base_port, shift):
        """Add a cluster; return its members' services."""
        members = "|".join(
            f"{number},"
            + "".join(f"{host.name}:{base_port + offset}," for offset in (1, 2, 3, 4))
            + f"{host.name}:{ARCHIVE_PORT}"
            for number, host in enumerate(self.hosts)
        )
        return [host.add_member(cluster_id, members, shift) for host in self.hosts]

    @property
    def modules(self):
        return [module for host in self.hosts for module in host.modules.values()]

    def begin(self):
        self._invokers = [host.begin() for host in self.hosts]
        leader_count = len(self.hosts[0].modules)
        self.run_until(lambda: sum(each.is_leading for each in self.modules) == leader_count)
        self.run_until(lambda: all(map(has_elected, self.modules)))

    def run_until(self, is_done):
        self.world.run_until(is_done, self._invokers, timeout_ns=30 * S)

    def connect(self, base_port, host, egress_port=0):
        """Open a session with a cluster from one of the hosts."""
        endpoints = ",".join(
            f"{number}={each.name}:{base_port + 1}" for number, each in enumerate(self.hosts)
        )
        return host.connect(
            self.run_until,
            ingress_channel="aeron:udp?term-length=64k",
            ingress_endpoints=endpoints,
            egress_channel=f"aeron:udp?endpoint={host.name}:{egress_port}",
        )

    def notify(self, client, services, count):
        """Send messages to a cluster; check that its services received these and no others."""
        sent = [struct.pack("<q", number) for number in range(count)]
        for each in sent:
            self.run_until(lambda e=each: client.offer(e) > 0)
        answers = 0

        def is_answered():
            nonlocal answers
            answers += client.poll_egress()
            return answers >= count

        self.run_until(is_answered)
        self.run_until(lambda: all(len(each.observed) >= count for each in services))
        assert [each.observed for each in services] == [sent] * len(services)


def has_elected(module):
    return ElectionState(module.counters.election_state.get()) is ElectionState.CLOSED


@pytest.mark.parametrize("host_count", [1, 3])
def test_two_clusters_share_drivers_and_archives(host_count):
    with contextlib.ExitStack() as stack:
        shared = Shared(stack, host_count)
        first = shared.add_cluster(5, 8810, 100)
        second = shared.add_cluster(7, 9910, 200)
        shared.begin()
        for module in shared.modules:
            assert module.counters.election_count.get() == 1
        shared.run_until(lambda: all(each.terms == 1 for each in first + second))
        for host in shared.hosts:
            logs = host.recordings()
            assert [each.stream_id for each in logs] == [100, 100]
            assert all("alias=log" in each.original_channel for each in logs)
            assert len({each.session_id for each in logs}) == 2
        # Session ids are separate for each cluster.
        one = shared.connect(8810, shared.hosts[0])
        other = shared.connect(9910, shared.hosts[-1])
        assert (one.cluster_session_id, other.cluster_session_id) == (1, 1)
        shared.notify(one, first, 3)
        shared.notify(other, second, 5)
        assert {len(each.observed) for each in first} == {3}


@pytest.fixture
def shared():
    """Three hosts with one cluster."""
    with contextlib.ExitStack() as stack:
        made = Shared(stack, 3)
        made.services = made.add_cluster(0, 9000, 0)
        made.begin()
        yield made


def test_a_client_reaches_the_leader_of_its_machine_by_ipc(shared):
    (leader,) = (host for host in shared.hosts if host.modules[0].is_leading)
    client = leader.connect(
        shared.run_until, ingress_channel="aeron:ipc", egress_channel="aeron:ipc"
    )
    assert client.ingress_publication.channel == "aeron:ipc"
    shared.notify(client, shared.services, 10)


@pytest.mark.parametrize("port", [9020, 0])
def test_client_is_answered_at_its_resolved_port(shared, port):
    client = shared.connect(9000, shared.hosts[1], port)
    host, _, found = client.egress_subscription.resolved_endpoint.rpartition(":")
    assert host == "10.0.0.2"
    assert int(found) > 0
    assert port in (0, int(found))
    shared.notify(client, shared.services, 10)
