"""Our surviving client with clusters of three, Java's, ours and mixed, whose leaders are killed.

All members run our service, a Java member in a separate container.
"""

import random
import time
from contextlib import suppress

import pytest

from aeron_cluster.cli.accounts import BALANCE, ENTRY, Accounts
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError, RequestFailedError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.conftest import SEED
from tests.interop.java_cluster import ClusterMembers
from tests.waiting import await_true

TIMEOUT_S = 120.0
ACCOUNT = 5
KILLS = 2


class Balances(RequestListener):
    """Collects the answer of each request."""

    def __init__(self):
        self.answers = {}
        self.states = []

    def on_answer(self, sequence, body):
        assert sequence not in self.answers, "answered twice"
        (self.answers[sequence],) = BALANCE.unpack(body)

    def on_failure(self, sequence, reason):
        raise AssertionError(f"{sequence}: {reason}")

    def on_state_change(self, state, reason):  # noqa: ARG002
        self.states.append(state)


class Cluster:
    """Three members, each with our service."""

    def __init__(self, kinds, members):
        self.members = members
        self._kinds = kinds
        self._services = {}
        self._containers = {}

    def start(self, index):
        if self._kinds[index] != "java":
            self.members.start_member(self._kinds[index], index, service="accounts")
            return
        member = self.members.start_member("java", index, parts="driver,archive,consensus")
        member.peer.await_event("READY")
        self._services[index] = Accounts()
        self._containers[index] = ClusteredServiceContainer.launch(
            service=self._services[index],
            aeron_dir=member.directory,
            cluster_dir=member.cluster_dir,
            error_handler=lambda _: None,
        )

    def kill(self, index):
        self.members.kill(index)
        self._services.pop(index, None)
        if index in self._containers:
            with suppress(AeronClusterError):
                self._containers.pop(index).close()

    def balance(self, index):
        """Return the balance on a member."""
        if index in self._services:
            return self._services[index].balances.get(ACCOUNT)
        return self.members.running[index].state()["balances"].get(str(ACCOUNT))

    def close(self):
        for container in self._containers.values():
            container.close()


OURS, JAVA = "ours-one-thread", "java"


@pytest.fixture(
    params=[(JAVA, JAVA, JAVA), (OURS, OURS, OURS), (OURS, JAVA, OURS), (JAVA, OURS, JAVA)],
    ids=["java", "ours", "more ours", "more java"],
)
def cluster(request, java, tmp_path, shm_dir, free_port):
    with ClusterMembers(java, tmp_path, shm_dir, free_port) as members:
        cluster = Cluster(request.param, members)
        try:
            yield cluster
        finally:
            cluster.close()


@pytest.fixture
def aeron(shm_dir):
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "client", threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as aeron,
    ):
        yield aeron


def until(condition, client, what):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, f"expected {what}: {client!r}, {client.last_error}"
        idle.idle(client.do_work())


@pytest.mark.sampled(2)
def test_leaders_are_killed_and_each_request_is_booked_once(cluster, aeron):
    rng = random.Random(SEED)
    for index in range(3):
        cluster.start(index)
    cluster.members.await_leader()
    listener = Balances()
    amounts = []
    with SurvivingClient.connect(
        aeron=aeron,
        ingress_channel="aeron:udp",
        ingress_endpoints=cluster.members.ingress_endpoints,
        egress_channel="aeron:udp?endpoint=localhost:0",
        listener=listener,
    ) as client:

        def book():
            amount = rng.randrange(1, 100)
            if client.send(ENTRY.pack(ACCOUNT, amount)):
                amounts.append(amount)

        def feed(count):
            end = len(listener.answers) + count

            def is_done():
                book()
                return len(listener.answers) >= end

            until(is_done, client, f"{end} answers")

        for _ in range(KILLS):
            feed(500)
            until(
                lambda: client.leader_member_id == cluster.members.await_leader().index,
                client,
                "the leader",
            )
            leader = cluster.members.running[client.leader_member_id]
            cluster.kill(leader.index)
            feed(500)  # continue during the election
            cluster.start(leader.index)
            cluster.members.await_leader()
        feed(100)
        until(lambda: not client.unanswered_count and not client._deliveries, client, "all answers")
        total, expected = 0, {}
        for sequence, amount in enumerate(amounts, 1):
            total += amount
            expected[sequence] = total
        # Requests were booked in order, none of them twice.
        assert listener.answers == expected
        assert SurvivalState.CONNECTED in listener.states
        assert client.resend_count > 0
        with pytest.raises(RequestFailedError, match="would have -1"):
            client.request(ENTRY.pack(ACCOUNT, -total - 1))
        assert client.request(ENTRY.pack(ACCOUNT, 0)) == BALANCE.pack(total)
        await_true(
            lambda: [cluster.balance(index) for index in range(3)] == [total] * 3,
            "equal balances on all members",
        )
