"""Services that containers call as native ones: all checks see them, and find planted faults."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.service.clustered_service import LeadershipTerm
from aeron_cluster.cluster.service.service_conductor import ServiceConductor
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.events import Kill, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.service_events import (
    CallbackRaises,
    ServiceRaises,
    SnapshotFails,
    StallService,
)
from aeron_cluster.simulator.members import native_bridge
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
SETTINGS = Settings.of("consensus", members=3, layout="node", sync_level=0, families=("service",))
ALL_END = Kill(3 * S, -1, 500 * MS)


def native_services(seed, settings=SETTINGS):
    trial = Trial(seed, settings, FaultPlan())
    return trial.cluster.native_services


SEED = next(seed for seed in range(1, 100) if native_services(seed))


def run(*events):
    trial = Trial(SEED, SETTINGS, FaultPlan(events))
    return trial, trial.run()


def test_native_services_hold_through_snapshots_restarts_and_failures():
    trial, outcome = run(
        ServiceRaises(S, -1, 20),
        CallbackRaises(S, -1, "on_role_change", 2),
        CallbackRaises(S, -1, "on_new_leadership_term_event", 1),
        StallService(S, 0, 100 * MS),
        SnapshotFails(S, 1),
        Operate(2 * S, ControlToggle.SNAPSHOT),
        ALL_END,
    )
    assert outcome.is_good, outcome.failure
    assert outcome.counts["native services"] == len(trial.cluster.native_services)
    assert outcome.counts["failures of services compared"] > 60
    callbacks = {
        getattr(each, "callback", "") for member in trial.cluster.members for each in member.errors
    }
    assert callbacks >= {"on_role_change", "on_new_leadership_term_event", "on_take_snapshot"}
    assert outcome.counts["services loaded and compared"] > 0
    assert outcome.counts["answers"] > 20


def test_a_term_with_another_leader_is_found(monkeypatch):
    def with_another_leader(*fields):
        term = LeadershipTerm(*fields)
        return replace(term, leader_member_id=(term.leader_member_id + 1) % 3)

    monkeypatch.setattr(native_bridge, "LeadershipTerm", with_another_leader)
    _, outcome = run()
    assert outcome.invariant == "services see the same"
    assert "the leader at its" in outcome.failure


@pytest.mark.parametrize("callback", ["on_role_change", "on_session_message"])
def test_a_failure_that_is_lost_is_found(monkeypatch, callback):
    on_failure = ServiceConductor.on_failure

    def losing(self, error, name, session_id=None):
        if name != callback:
            on_failure(self, error, name, session_id)

    monkeypatch.setattr(ServiceConductor, "on_failure", losing)
    event = {
        "on_role_change": CallbackRaises(S, -1, callback, 1),
        "on_session_message": ServiceRaises(S, -1, 1),
    }[callback]
    _, outcome = run(event, ALL_END)
    assert outcome.invariant == "failures of services are reported", outcome.failure
    assert callback in outcome.failure


@pytest.mark.parametrize(
    "changes",
    [
        {"draws": WITHOUT_NATIVE},
        {"is_judged": True},
        {"services": (native_bridge.ClusteredService,)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_services_of_users_and_earlier_seeds_are_not_native(changes):
    assert not native_services(SEED, replace(SETTINGS, **changes))
