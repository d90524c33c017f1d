"""Clients and containers that are killed within a claim: the driver completes it in time."""

from collections import Counter
from dataclasses import replace

import pytest

from aeron_cluster.simulator.clients import sharing_client
from aeron_cluster.simulator.clients.client import launch_driver
from aeron_cluster.simulator.clients.sharing_client import SharingClient
from aeron_cluster.simulator.endings import open_claim
from aeron_cluster.simulator.endings.open_claim import OpenClaim, draw_open_claim
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.open_claims import KillInClaim, add_open_claims
from aeron_cluster.simulator.trials.run_plan import least_services, leaves_open_claims
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.shapes import draw_layout
from aeron_cluster.simulator.trials.trial import Trial
from aeron_cluster.simulator.world.plain_log import ClaimStep, PlainLog

S = 1_000_000_000
TIMEOUT = "publication_unblock_timeout_ns"
CLAIM = OpenClaim(step=ClaimStep.ADDED, length=500, is_at_end=False, speedup=5)
PLAN = FaultPlan()


def trial_of(plan=PLAN, seed=3, **settings):
    given = {"members": 1, "service_count": 1, "layout": "node", "duration_ns": S, **settings}
    return Trial(seed, Settings.of("consensus", draws=1, **given), plan)


def run(claim, **settings):
    trial = trial_of(**settings)
    trial.ending = Ending(open_claim=claim)
    return trial.run()


@pytest.mark.parametrize("is_at_end", [False, True])
@pytest.mark.parametrize("step", [ClaimStep.ADDED, ClaimStep.BEGUN, ClaimStep.CLAIMED])
def test_clients_go_on_whose_ingress_another_blocked(step, is_at_end):
    outcome = run(replace(CLAIM, step=step, is_at_end=is_at_end))
    assert outcome.is_good, outcome.failure


def test_a_driver_that_leaves_a_claim_open_is_detected(monkeypatch):
    def launch(seams, options):
        return launch_driver(seams, {**options, TIMEOUT: 3 * options[TIMEOUT]})

    monkeypatch.setattr(sharing_client, "launch_driver", launch)
    outcome = run(CLAIM)
    assert outcome.invariant == (
        "liveness: the driver completes the claim of a client that was killed"
    )


@pytest.mark.parametrize(("clients", "sharing"), [(7, 3), (8, 2), (9, 0)])
def test_no_more_clients_share_a_driver_than_there_are_sessions(clients, sharing, monkeypatch):
    added = []

    def add(*arguments, **options):
        added.append(SharingClient(*arguments, **options))
        return added[-1]

    monkeypatch.setattr(open_claim, "SharingClient", add)
    outcome = run(CLAIM, clients=clients)
    assert outcome.is_good, outcome.failure
    assert [each.session_count for each in added] == [1] * sharing


def test_a_client_leaves_a_claim_open_in_one_run_of_four():
    drawn = [draw_open_claim(seed) for seed in range(400)]
    found = [each for each in drawn if each is not None]
    assert 60 < len(found) < 140
    steps = Counter((each.step, each.is_at_end) for each in found)
    assert len(steps) == 6
    assert (ClaimStep.COMPLETE, True) not in steps


def test_a_trial_draws_the_claim_of_a_client():
    seed = next(each for each in range(99) if draw_open_claim(each) is not None)
    for draws in (WITHOUT_NATIVE, WITHOUT_NATIVE + 1):
        settings = Settings.of("consensus", draws=draws, service_count=1, members=3)
        claim = Trial(seed, settings, PLAN).ending.open_claim
        assert (claim is not None) == (draws > WITHOUT_NATIVE)
    assert claim.speedup == settings.speedup


@pytest.mark.parametrize(
    ("step", "is_at_end"),
    [(ClaimStep.ADDED, False), (ClaimStep.CLAIMED, True), (ClaimStep.COMPLETE, True)],
)
def test_a_container_is_killed_within_a_claim_and_rejoins(step, is_at_end, monkeypatch):
    lengths = []
    leave = PlainLog.leave_claim

    def leave_claim(log, *arguments, **options):
        position = leave(log, *arguments, **options)
        if position is not None:
            lengths.append((log.length_at(position), log.room))
        return position

    monkeypatch.setattr(PlainLog, "leave_claim", leave_claim)
    event = KillInClaim(S // 2, 0, 1, 300, step, is_at_end, S // 10, 2 * S)
    settings = {"service_count": 2, "layout": "apart", "duration_ns": 3 * S}
    trial = trial_of(FaultPlan((event,)), **settings)
    outcome = trial.run()
    assert outcome.is_good, outcome.failure
    ((length, room),) = lengths
    assert (length > 0) - (length < 0) == {
        ClaimStep.ADDED: 0,
        ClaimStep.CLAIMED: -1,
        ClaimStep.COMPLETE: 1,
    }[step]
    assert (room == 0) == is_at_end
    assert trial.cluster.members[0].process("service-1").start_count > 1
    assert "of service 1 of member 0 within a claim of 300 bytes" in str(event)
    assert f"with {step.value} " in str(event)


def test_containers_are_killed_within_claims_where_they_are_processes():
    settings = Settings.of("consensus")
    found = [each for each in range(800) if leaves_open_claims(each, settings)]
    assert 70 < len(found) < 130
    assert {draw_layout(each) for each in found} == {"apart"}
    assert {least_services(each, settings) for each in found} == {0, 2}
    for other in (
        replace(settings, draws=WITHOUT_NATIVE),
        replace(settings, layout="node"),
        replace(settings, is_judged=True),
        replace(settings, families=("process",)),
    ):
        assert not any(leaves_open_claims(each, other) for each in found)
        assert least_services(found[0], other) == 0


def test_claims_of_all_kinds_are_drawn():
    plans = [
        add_open_claims(PLAN, seed, members=3, duration_ns=30 * S, speedup=1) for seed in range(200)
    ]
    events = [each for plan in plans for each in plan.events]
    assert {1, 2, 3} == {len(plan.events) for plan in plans}
    assert len({(each.step, each.is_at_end) for each in events}) == 7
    assert all(each.is_at_end for each in events if each.step is ClaimStep.COMPLETE)
    assert {each.member for each in events} == {0, 1, 2}
