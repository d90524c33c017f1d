"""A cluster whose members and clients have only IPv6 addresses."""

import contextlib
import socket

import pytest

from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.driver.media_driver import MediaDriver
from tests.waiting import await_true

HOST = "[::1]"
ANY_PORT = f"aeron:udp?endpoint={HOST}:0"
PROPERTIES = {
    "aeron.cluster.log.channel": "aeron:udp?term-length=64k",
    "aeron.cluster.replication.channel": ANY_PORT,
    "aeron.archive.replication.channel": ANY_PORT,
    "aeron.cluster.session.timeout": "60s",
}
MINUTE_NS = 60_000_000_000


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


class Counting(ClusteredService):
    def __init__(self):
        self.count = 0

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster

    def on_session_message(self, session, _timestamp, _message, _header):
        self.count += 1
        while not session.offer(b"%d" % self.count):
            self.cluster.idle()


class Answers(EgressListener):
    def __init__(self):
        self.observed = []

    def on_message(self, _timestamp, message, _header):
        self.observed.append(int(bytes(message)))


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6")
def test_members_of_ipv6_elect_serve_fail_over_and_catch_up(tmp_path, free_port):
    base = free_port(40)
    members = [local_member(member_id, HOST, base) for member_id in range(3)]
    services = {}

    def launch(member_id):
        services[member_id] = Counting()
        return ClusterNode.launch(
            services[member_id],
            directory=tmp_path / str(member_id),
            members="|".join(map(str, members)),
            member_id=member_id,
            properties=PROPERTIES,
        )

    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(launch(member_id)) for member_id in range(3)]
        driver = stack.enter_context(MediaDriver.launch())
        answers = Answers()
        client = stack.enter_context(
            AeronCluster.connect(
                aeron_dir=driver.aeron_dir,
                ingress_channel="aeron:udp",
                ingress_endpoints=",".join(
                    f"{each.member_id}={each.ingress_endpoint}" for each in members
                ),
                egress_channel=ANY_PORT,
                message_timeout_ns=2 * MINUTE_NS,
                new_leader_timeout_ns=2 * MINUTE_NS,
                listener=answers,
            )
        )

        def offered():
            client.poll_egress()
            return client.offer(b"x")

        def observed(count):
            client.poll_egress()
            return answers.observed == list(range(1, count + 1))

        def all_have_joined():
            states = [each.consensus_module.counters.election_state.get() for each in nodes]
            return set(states) == {ElectionState.CLOSED}

        def has_new_leader():
            client.poll_egress()
            return client.leader_member_id != old

        await_true(offered, "the first request is accepted")
        await_true(lambda: observed(1), "its answer")
        # A member that leads before its first join closes all sessions, as upstream's does.
        await_true(all_have_joined, "the other members follow")
        old = client.leader_member_id
        nodes[old].close()
        await_true(has_new_leader, "another leader")
        await_true(offered, "the second request is accepted")
        await_true(lambda: observed(2), "the answer of the next leader")
        stack.enter_context(launch(old))
        await_true(
            lambda: [each.count for each in services.values()] == [2] * 3,
            "all members have caught up",
        )
