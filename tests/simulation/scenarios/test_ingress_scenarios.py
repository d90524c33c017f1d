"""ClusterSessionReliabilityTest: no client message is lost without a notification."""

import pytest

from aeron_cluster.simulator.clients.reference import Request, Verb
from tests.simulation.scenarios.rig import MS, S, Scenario

GROUP = "aeron:udp?endpoint=239.192.11.87:20123|term-length=64k"


def numbers(cluster, session_id):
    """Return the numbers of a session's requests, as received by services."""
    return [
        Request.decode(each.payload).number
        for each in cluster.journals[0].entries
        if each.kind == "message" and each.key == session_id
    ]


@pytest.mark.parametrize("has_failover", [False, True])
@pytest.mark.parametrize("channel", [None, GROUP], ids=["unicast", "multicast"])
def test_a_session_is_closed_when_its_ingress_image_is_lost(channel, has_failover):
    module = {} if channel is None else {"ingress_channel": channel}
    with Scenario(module=module, options={"driver": {"image_liveness_timeout_ns": S}}) as cluster:
        cluster.start()
        cluster.await_leader()
        client = cluster.client = cluster.add_client(ingress_channel=channel, is_reconnecting=False)
        cluster.send_request()
        if has_failover:
            old = cluster.leader()
            old.close()
            cluster.await_other_leader(old)
            cluster.send_request()
        leader, session = cluster.leader(), client.session
        session_id = session.cluster_session_id
        assert client.session_count == 1
        before = len(numbers(cluster, session_id))

        def send(count):
            for _ in range(count):
                number = before + send.count
                client.send(Request(0, number, Verb.NEXT).encode())
                send.count += 1
                cluster.run_for(10 * MS)

        send.count = 0
        send(5)
        cluster.world.wire.block(client.machine.network, leader.machine.network)
        send(120)
        cluster.heal()
        cluster.run_until(lambda: client.session is None, what="the end of the session")
        observed = numbers(cluster, session_id)
        assert before + 5 <= len(observed) < before + 125
        # Its messages were received up to some point, and none after it.
        assert observed == list(range(len(observed)))
        entries = [each for each in cluster.journals[0].entries if each.key == session_id]
        assert entries[-1].kind == "close"
