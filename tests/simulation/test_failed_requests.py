"""Rejected and failed requests of surviving clients: a listener that receives the wrong one, or a
service that retains the wrong cause, is detected by the checks of any run."""

import pytest

from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster_client import surviving_client
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.codecs.request_envelope import FailureCause
from aeron_cluster.simulator.clients.reference import Verb
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

SEED = 6  # a surviving client, whose load has such requests


def run(draws=12):
    settings = Settings.of("consensus", draws=draws, members=1, duration_ns=3_000_000_000)
    trial = Trial(SEED, settings, FaultPlan())
    return trial, trial.run()


def operations_of(trial):
    (survivor,) = (each for each in trial.cluster.clients if isinstance(each, Survivor))
    return [each for each in survivor.load.operations if each.answered_ns >= 0]


def test_requests_are_rejected_and_fail_and_the_run_holds():
    trial, outcome = run()
    assert not outcome.failure
    ended = operations_of(trial)
    verbs = [each.request.verb for each in ended]
    assert min(verbs.count(Verb.REJECT), verbs.count(Verb.FAIL)) > 0
    for operation in ended:
        is_failed = operation.request.verb in (Verb.REJECT, Verb.FAIL)
        assert (operation.failure is not None) is is_failed
        assert operation.failure == operation.request.failure


def test_earlier_draws_have_no_such_requests():
    trial, outcome = run(draws=11)
    assert not outcome.failure
    ended = operations_of(trial)
    assert len(ended) > 10
    assert all(each.failure is each.request.failure is None for each in ended)


def test_a_rejection_delivered_as_a_failure_is_detected(monkeypatch):
    monkeypatch.setattr(
        surviving_client, "_IS_REJECTED", {FailureCause.REJECTED: False, FailureCause.FAILED: True}
    )
    _, outcome = run()
    assert outcome.invariant == "requests fail as their service decides"


def test_a_failure_delivered_as_an_answer_is_detected(monkeypatch):
    def deliver(client, envelope, body):
        client._deliveries.append(lambda: client._listener.on_answer(envelope.sequence, body))

    monkeypatch.setattr(SurvivingClient, "_deliver", deliver)
    _, outcome = run()
    assert outcome.invariant == "loads do not raise"


def test_a_failure_delivered_twice_is_detected(monkeypatch):
    deliver = SurvivingClient._deliver

    def deliver_twice(client, envelope, body):
        deliver(client, envelope, body)
        deliver(client, envelope, body)

    monkeypatch.setattr(SurvivingClient, "_deliver", deliver_twice)
    _, outcome = run()
    assert outcome.invariant == "surviving clients are answered once"


@pytest.mark.parametrize("name", ["reject", "fail"])
def test_the_other_cause_of_a_service_is_detected(monkeypatch, name):
    other = {"reject": "fail", "fail": "reject"}[name]
    monkeypatch.setattr(Deduplication, name, getattr(Deduplication, other))
    _, outcome = run()
    assert outcome.invariant in (
        "requests fail as their service decides",
        "retained answers are those of their requests",
    )
