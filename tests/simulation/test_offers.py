"""Clients that send in parts or in claimed space: messages arrive, a lost ingress is noticed."""

import pytest

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.lost_ingress import LossesOfIngressAreNoticed
from aeron_cluster.simulator.clients.offers import ClaimedOffers, PartedOffers
from aeron_cluster.simulator.cluster import Cluster

S = 1_000_000_000
LENGTHS = (1, 0, 2, 7, 1024, 1025, 3000)
WAYS = {
    "offer": lambda: None,
    "offer_vectored": lambda: PartedOffers(SeededRandom(3)),
    "try_claim": ClaimedOffers,
}


def cluster_of():
    return Cluster(5, ClusteredService, members=1, checkers=[LossesOfIngressAreNoticed()])


def lose_leader(way):
    """Send without end to a leader that was killed; return the client."""
    with cluster_of() as cluster:
        cluster.start()
        leader = cluster.await_leader()
        client = cluster.add_client(offers=WAYS[way]())
        cluster.run_until(lambda: client.is_connected)
        leader.kill()

        def is_lost():
            if not client.outbox:
                client.send(b"request")
            return not client.is_connected

        cluster.run_until(is_lost, timeout_ns=60 * S)
        cluster.run_for(S)
        return client


@pytest.mark.parametrize("way", WAYS)
def test_messages_arrive_as_they_are(way):
    messages = [(bytes(range(250)) * 12)[:length] for length in LENGTHS]
    with cluster_of() as cluster:
        cluster.start()
        cluster.await_leader()
        client = cluster.add_client(offers=WAYS[way]())
        for each in messages:
            client.send(each)

        def received():
            entries = cluster.journals[0].entries
            return [each.payload for each in entries if each.kind == "message"]

        cluster.run_until(lambda: len(received()) == len(messages))
        assert received() == messages


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_ingress_is_noticed(way):
    assert lose_leader(way).unnoticed_losses == []


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_ingress_that_is_not_noticed_is_detected(way, monkeypatch):
    send = getattr(AeronCluster, way)

    def send_only(session, *arguments):
        track, session._track = session._track, lambda _: None
        try:
            return send(session, *arguments)
        finally:
            session._track = track

    monkeypatch.setattr(AeronCluster, way, send_only)
    with pytest.raises(InvariantError, match="sends to no leader, and awaits no other"):
        lose_leader(way)
