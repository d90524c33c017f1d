"""ClusterNetworkTopologyTest: unicast and multicast ingress and log, on one network or two."""

import pytest

from tests.simulation.scenarios.rig import Scenario, sequence_of

INGRESS = "aeron:udp?endpoint=239.20.90.11:9152|interface=10.0.0.0/24|term-length=64k"
LOG = "aeron:udp?endpoint=239.20.90.13:9152|interface=10.0.0.0/24|term-length=64k"
INNER_LOG = "aeron:udp?endpoint=239.20.90.13:9152|interface=10.1.0.0/24|term-length=64k"


class TwoNetworks(Scenario):
    """Machines with an address on an outer network of the clients, and on an inner one."""

    def _add_machine(self, name, number, disk_capacity=1 << 40):
        addresses = (f"10.0.0.{number}", f"10.1.0.{number}")
        machine = self.world.add_machine(name, *addresses, disk_capacity=disk_capacity)
        machine.files.fills = True
        self.world.wire.set_faults(None, None, self.link_faults)
        return machine


class Inside(TwoNetworks):
    """Members that address each other by names of the inner network."""

    def __init__(self, **options):
        super().__init__(**options)
        for member in self.members:
            name = member.machine.name
            self.world.wire.set_name(f"inner-{name}", member.machine.network.addresses[1])
            own, ingress, *inner = self._endpoints[member.member_id].split(",")
            inner = [f"inner-{each}" for each in inner]
            self._endpoints[member.member_id] = ",".join((own, ingress, *inner))


def options(ingress, log):
    given = {"ingress_channel": ingress, "log_channel": log}
    return {name: channel for name, channel in given.items() if channel is not None}


@pytest.mark.parametrize(
    ("kind", "ingress", "log"),
    [
        (Scenario, None, None),
        (Scenario, INGRESS, None),
        (Scenario, None, LOG),
        (Scenario, INGRESS, LOG),
        (TwoNetworks, None, INNER_LOG),
        (TwoNetworks, INGRESS, INNER_LOG),
        (Inside, None, None),
    ],
    ids=["unicast", "ingress", "log", "both", "inner log", "outer ingress", "inner names"],
)
def test_a_cluster_of_any_topology_answers_and_is_answered_by_the_next_leader(kind, ingress, log):
    with kind(module=options(ingress, log)) as cluster:
        cluster.start()
        cluster.await_leader()
        client = cluster.client = cluster.add_client(ingress_channel=ingress)
        cluster.send_request()
        cluster.await_equal()
        session, old = client.session, cluster.leader()
        old.kill()
        cluster.await_other_leader(old)
        cluster.send_request()
        assert client.session is session
        old.start()
        cluster.await_equal()
        cluster.send_request()
        cluster.await_equal()
        assert [sequence_of(each) for each in cluster.members] == [15] * 3
        assert client.errors == []


@pytest.mark.parametrize("ingress", [None, INGRESS], ids=["unicast", "multicast"])
def test_new_member_copies_a_remaining_member(ingress):
    with Scenario(module=options(ingress, None)) as cluster:
        kept, lost, late = cluster.members
        kept.start()
        lost.start()
        cluster.await_leader()
        cluster.client = cluster.add_client(ingress_channel=ingress)
        cluster.send_request(10)
        cluster.await_equal(kept, lost)
        cluster.kill_all()
        kept.start()
        late.start()
        assert cluster.await_leader() is kept
        cluster.client = cluster.add_client(ingress_channel=ingress)
        cluster.send_request(10)
        cluster.await_equal(kept, late)
        assert sequence_of(late) == 20
