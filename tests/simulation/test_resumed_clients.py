"""Surviving clients that restart with their id: requests are applied once, or a check fails."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.simulator.faults.events import KillClient
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shapes import draw_survivors
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SEEDS = [each for each in range(99) if draw_survivors(each, 2) == (True, True)]
KILLS = FaultPlan(tuple(KillClient(each * S // 2, each) for each in range(1, 9)))


def run(draws=4, seed=SEEDS[0]):
    settings = Settings.of("whole", members=1, service_count=1, layout="node", duration_ns=5 * S)
    trial = Trial(seed, replace(settings, draws=draws), KILLS)
    trial.ending = replace(trial.ending, last_loss=None)
    return trial, trial.run()


@pytest.mark.parametrize("draws", [3, 4])
def test_restarted_clients_keep_their_ids(draws, monkeypatch):
    opened = {}
    handle = Deduplication._open

    def count(table, session, timestamp, envelope):
        opened.setdefault(envelope.client_id, set()).add(envelope.incarnation)
        return handle(table, session, timestamp, envelope)

    monkeypatch.setattr(Deduplication, "_open", count)
    _, outcome = run(draws)
    assert outcome.is_good, outcome.failure
    several = [each for each in opened.values() if len(each) > 1]
    assert len(several) == (1 if draws == 4 else 0)


def test_repeated_requests_of_an_earlier_process_are_detected(monkeypatch):
    handle = Deduplication._open

    def forget(table, session, timestamp, envelope):
        client = table._clients.get(envelope.client_id)
        if client is not None and envelope.incarnation > client.incarnation:
            client.last_sequence = envelope.sequence
        return handle(table, session, timestamp, envelope)

    monkeypatch.setattr(Deduplication, "_open", forget)
    # A kill finds a request that is applied and not acknowledged in some of the runs only.
    assert any(not run(seed=seed)[1].is_good for seed in SEEDS)
