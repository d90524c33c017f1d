"""ClusterTest: clusters that share a machine's driver and archive."""

import contextlib
import struct

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.catalog import Catalog
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import in_pass_order
from aeron_cluster.cluster.client_connect import ClientConnect
from aeron_cluster.cluster.client_context import ClusterClientContext
from aeron_cluster.cluster.cluster_client import AeronCluster
from aeron_cluster.cluster.consensus_module import ConsensusModule
from aeron_cluster.cluster.election_state import ElectionState
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agent import AgentInvoker
from aeron_cluster.memory.idle_strategy import IdleStrategy
from aeron_cluster.simulator.machine import World
from tests.simulation.scenarios.rig import QUICK, S

AERON_DIR = "/dev/shm/aeron"
ARCHIVE = "node:8888"


class Counts(ClusteredService):
    """Echoes what it is told, and counts it."""

    def __init__(self):
        self.heard = []
        self.terms = 0

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        self.heard.append(bytes(message))
        while not session.offer(bytes(message)):
            self._cluster.idle()

    def on_start(self, cluster, snapshot_image):  # noqa: ARG002
        self._cluster = cluster

    def on_new_leadership_term_event(self, term):  # noqa: ARG002
        self.terms += 1


class Shared:
    """A machine with a driver and an archive, and clusters of one member on them."""

    def __init__(self, stack):
        self._stack = stack
        self.world = World(1)
        self._machine = self.world.add_machine("node", "10.0.0.1")
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
                control_channel=f"aeron:udp?endpoint={ARCHIVE}",
                replication_channel="aeron:udp?endpoint=node:0",
                segment_file_length=256 * 1024,
                **self._options,
            )
        )
        self._agents += archive.agents
        self.modules = {}
        self._invoker = None

    def _open(self, part):
        self._stack.callback(part.close)
        return part

    def _drive(self):
        for agent in in_pass_order(self._agents):
            agent.do_work()
        self.world.time.advance(1000)

    def add_cluster(self, cluster_id, base_port, shift):
        """Add a cluster whose streams on the machine are moved by so much."""
        streams = {
            "consensus_module_stream_id": 105 + shift,
            "service_stream_id": 104 + shift,
            "replay_stream_id": 103 + shift,
        }
        directory = f"/cluster-{cluster_id}"
        ports = ",".join(f"node:{base_port + offset}" for offset in (1, 2, 3, 4))
        module = self._open(
            ConsensusModule.launch(
                cluster_id=cluster_id,
                cluster_dir=directory,
                cluster_members=f"0,{ports},{ARCHIVE}",
                member_id=0,
                service_count=1,
                ingress_channel="aeron:udp?term-length=64k",
                log_channel="aeron:udp?term-length=64k",
                replication_channel="aeron:udp?endpoint=node:0",
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
        self._invoker = AgentInvoker(in_pass_order(self._agents), clock=self._machine.clock)
        self._stack.callback(self._invoker.close)
        self._invoker.start()
        self.run_until(lambda: all(each.is_leading for each in self.modules.values()))

    def run_until(self, is_done):
        self.world.run_until(is_done, [self._invoker], timeout_ns=30 * S)

    def recordings(self):
        with Catalog(self._machine.files.copy("/archive"), "/archive", writable=False) as catalog:
            return [each.descriptor for each in catalog]

    def connect(self, base_port):
        """Open a session with a cluster, on the same driver."""
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
            ingress_channel="aeron:udp?term-length=64k",
            ingress_endpoints=f"0=node:{base_port + 1}",
            egress_channel="aeron:udp?endpoint=node:0",
        )
        connect = ClientConnect(context, aeron, aeron.context.now_ns())

        def is_open():
            aeron.conductor_agent.do_work()
            return connect.poll(aeron.context.now_ns())

        self.run_until(is_open)
        return self._open(AeronCluster(context, aeron, connect))


def test_two_clusters_share_a_driver_and_an_archive():
    with contextlib.ExitStack() as stack:
        shared = Shared(stack)
        first = shared.add_cluster(5, 8810, 100)
        second = shared.add_cluster(7, 9910, 200)
        shared.begin()
        for module in shared.modules.values():
            assert module.counters.election_count.get() == 1
            assert ElectionState(module.counters.election_state.get()) is ElectionState.CLOSED
        shared.run_until(lambda: (first.terms, second.terms) == (1, 1))
        logs = shared.recordings()
        assert [each.stream_id for each in logs] == [100, 100]
        assert all("alias=log" in each.original_channel for each in logs)
        assert len({each.session_id for each in logs}) == 2
        # The ids of sessions are each cluster's own.
        one, other = shared.connect(8810), shared.connect(9910)
        assert (one.cluster_session_id, other.cluster_session_id) == (1, 1)
        for client, service, count in ((one, first, 3), (other, second, 5)):
            sent = [struct.pack("<q", number) for number in range(count)]
            for each in sent:
                shared.run_until(lambda c=client, e=each: c.offer(e) > 0)
            shared.run_until(lambda s=service, n=count: len(s.heard) >= n)
            assert service.heard == sent
        assert (len(first.heard), len(second.heard)) == (3, 5)
