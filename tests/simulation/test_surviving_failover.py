"""A surviving client and a cluster of three with members stopping and returning, from a seed."""

import contextlib

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.agent import AgentInvoker, PythonAgent
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.simulator.cluster import Cluster
from tests.conftest import SEED
from tests.simulation.test_surviving_client import ENTRY, Answers, Ledger

MS = 1_000_000
S = 1000 * MS
# The defaults' proportions with shorter times.
QUICK = {
    "startup_canvass_timeout_ns": 2 * S,
    "election_timeout_ns": 500 * MS,
    "election_status_interval_ns": 50 * MS,
    "leader_heartbeat_timeout_ns": S,
    "leader_heartbeat_interval_ns": 100 * MS,
    "session_timeout_ns": 5 * S,
}


INTERVAL_NS = 2 * MS


class Three(Cluster):
    """Three members that replicate to their own hosts."""

    def __init__(self, seed):
        super().__init__(seed, Ledger, members=3, options={"consensus_module": QUICK})

    def node_options(self, member):
        options = super().node_options(member)
        channel = f"aeron:udp?endpoint=node{member.member_id}:0"
        options["consensus_module"].setdefault("replication_channel", channel)
        return options


class Load:
    """A surviving client on a separate machine, which always has a pending request."""

    role_name = "load"

    def __init__(self, cluster):
        self._stack = contextlib.ExitStack()
        self.cluster = cluster
        self.sent = 0
        self.send_at_ns = 0
        self.is_stopped = False
        self.listener = Answers()
        machine = cluster.world.add_machine("load", "10.0.0.77")
        cluster.world.wire.set_faults(None, None, cluster.link_faults)
        seams = machine.start_process()
        driver = MediaDriver.launch(
            seams=seams,
            environment={},
            aeron_dir="/dev/shm/aeron",
            threading_mode="INVOKER",
            term_buffer_length="64k",
        )
        self._stack.callback(driver.close)
        transport = AgentInvoker(driver.agents, clock=seams.clock)
        self._stack.callback(transport.close)
        transport.start()
        aeron = Aeron.connect(
            aeron_dir="/dev/shm/aeron",
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=transport.invoke,
        )
        self._stack.callback(aeron.close)
        self.client = SurvivingClient.start(
            aeron=aeron,
            idle_strategy=IdleStrategy("noop"),
            ingress_channel="aeron:udp",
            ingress_endpoints=cluster.ingress_endpoints,
            egress_channel="aeron:udp?endpoint=load:0",
            listener=self.listener,
            message_timeout_ns=S,
            window_length=8,
        )
        self._stack.callback(self.client.close)
        agents = AgentInvoker([aeron.conductor_agent, PythonAgent(self)], clock=seams.clock)
        agents.start()
        for invoker, step_ns in ((transport, MS), (agents, 10 * MS)):
            place = cluster.loop.add(
                invoker, machine.network, machine.files, longest_step_ns=step_ns
            )
            cluster.on_started(self, place)

    def do_work(self):
        if not self.is_stopped and self.cluster.now_ns >= self.send_at_ns:
            self.send_at_ns = self.cluster.now_ns + INTERVAL_NS
            self.sent += bool(self.client.send(ENTRY.pack(self.sent)))
        return self.client.do_work()

    def on_stopped(self, error):
        raise AssertionError("the client ended") from error

    def await_answers(self, count):
        end = len(self.listener.answered) + count
        self.cluster.run_until(
            lambda: len(self.listener.answered) >= end,
            timeout_ns=60 * S,
            what=f"{end} answers: {self.client!r} {self.client.last_error}",
        )

    def check(self):
        """Wait for all answers; each service applied each request once, in order."""
        self.is_stopped = True
        self.cluster.run_until(lambda: len(self.listener.answered) == self.sent, what="all answers")
        numbers = list(range(self.sent))
        assert self.listener.answered == {n: n for n in range(1, self.sent + 1)}
        self.cluster.run_until(
            lambda: all(one.services[0].numbers == numbers for one in self.cluster.members),
            what="members that agree",
        )

    def close(self):
        self._stack.close()


@pytest.fixture
def make():
    with contextlib.ExitStack() as stack:

        def begin(seed):
            cluster = stack.enter_context(Three(seed))
            cluster.start()
            load = stack.enter_context(contextlib.closing(Load(cluster)))
            load.await_answers(50)
            return cluster, load

        yield begin


@pytest.mark.parametrize("seed", [1, 1146857324, SEED])
def test_load_survives_killed_and_isolated_leaders(make, seed):
    cluster, load = make(seed)
    random = cluster.world.random
    for _ in range(3):
        leader = cluster.await_leader()
        match random.below(3):
            case 0:
                leader.kill()
                load.await_answers(20)
                leader.start()
            case 1:
                cluster.isolate(leader)
                load.await_answers(20)
                cluster.heal()
            case _:
                for member in cluster.members:
                    member.kill()
                cluster.run_for(random.below(2000) * MS)
                cluster.start()
                load.await_answers(20)
        cluster.run_for(random.below(3000) * MS)
    load.await_answers(20)
    load.check()
    assert load.client.resend_count > 0
