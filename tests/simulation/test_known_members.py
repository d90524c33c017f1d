"""Surviving clients that are given one member's endpoint: they have to learn the others'."""

from collections import Counter
from dataclasses import replace

import pytest

from aeron_cluster.cluster_client.cluster_client import AeronCluster, AsyncConnect
from aeron_cluster.simulator.endings.known_members import draw_known_member
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shapes import draw_survivors
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SEEDS = [
    seed
    for seed in range(199)
    if draw_survivors(seed, 2) == (True, True) and draw_known_member(seed, 3) >= 0
][:2]


def run(seed, draws=8):
    settings = Settings.of("whole", members=3, service_count=1, layout="node", duration_ns=S)
    trial = Trial(seed, replace(settings, draws=draws), FaultPlan())
    trial.ending = replace(trial.ending, last_loss=None)
    return trial.run()


def test_half_of_the_runs_have_such_a_member_which_others_can_replace():
    drawn = Counter(draw_known_member(seed, 3) for seed in range(1000))
    assert 400 < drawn[-1] < 600
    assert all(drawn[each] > 100 for each in range(3))
    assert {draw_known_member(seed, 2) for seed in range(99)} == {-1}


def test_clients_reconnect_by_the_endpoints_that_they_were_sent():
    for seed in SEEDS:
        outcome = run(seed)
        assert outcome.is_good, outcome.failure
        # Each reconnects, after the session that it began with.
        assert outcome.counts["sessions"] >= 4
    assert run(SEEDS[0], draws=7).counts["sessions"] < 4


@pytest.mark.parametrize("part", ["session", "attempt"])
def test_clients_that_use_only_what_they_were_given_are_detected(part, monkeypatch):
    if part == "session":
        # What a new leader sends.
        monkeypatch.setattr(AeronCluster, "ingress_endpoints", property(lambda _: ""))
    else:
        # What a member sends that does not lead.
        given = property(lambda self: self.context.ingress_endpoints)
        monkeypatch.setattr(AsyncConnect, "ingress_endpoints", given)
        monkeypatch.setattr(AeronCluster, "ingress_endpoints", property(lambda _: ""))
    found = {outcome.invariant for outcome in map(run, SEEDS)} - {""}
    assert found == {"liveness: clients reconnect without the member that they were given"}
