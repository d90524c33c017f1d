"""Two processes with the id of one surviving client: the earlier one is notified and ends."""

from dataclasses import replace

from aeron_cluster.cluster_client import surviving_client
from aeron_cluster.errors import SupersededError
from aeron_cluster.simulator.faults.client_events import SupersedeClient
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shapes import draw_survivors
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SEED = next(each for each in range(99) if draw_survivors(each, 2) == (True, True))
PLAN = FaultPlan((SupersedeClient(S, 0), SupersedeClient(2 * S, 0)))


def run():
    settings = Settings.of("whole", members=1, service_count=1, layout="node", duration_ns=3 * S)
    trial = Trial(SEED, settings, PLAN)
    trial.ending = replace(trial.ending, last_loss=None, known_member=-1)
    return trial.run()


def test_superseded_processes_end_with_their_requests_in_doubt():
    outcome = run()
    assert outcome.is_good, outcome.failure
    assert outcome.counts["superseded clients"] == 2


def test_requests_in_doubt_that_are_not_named_are_detected(monkeypatch):
    def error(client_id, why, in_doubt):
        assert in_doubt
        return SupersededError(client_id, why, in_doubt[1:])

    monkeypatch.setattr(surviving_client, "SupersededError", error)
    outcome = run()
    assert outcome.invariant == "surviving clients are answered once"
    assert "in doubt, was notified of" in outcome.failure
