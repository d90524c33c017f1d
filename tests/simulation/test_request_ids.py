"""A restarted client sends other requests than before, or names another egress."""

from aeron_cluster.simulator.clients.client import Client
from aeron_cluster.simulator.faults.events import KillClient
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SETTINGS = Settings.of("consensus", draws=3, members=1, service_count=1, layout="node", damages=())
RESTART = FaultPlan((KillClient(S, 0), KillClient(2 * S, 0)))


def test_ids_begin_anew_with_another_egress():
    outcome = Trial(1, SETTINGS, RESTART).run()
    assert outcome.is_good, outcome.failure


def test_an_egress_that_is_named_again_is_detected(monkeypatch):
    options = Client._options

    def with_a_fixed_port(client):
        return {**options(client), "egress_channel": f"aeron:udp?endpoint={client.machine.name}:9"}

    monkeypatch.setattr(Client, "_options", with_a_fixed_port)
    assert Trial(1, SETTINGS, RESTART).run().invariant == "correlation ids are used once"
