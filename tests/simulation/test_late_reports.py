"""Outdated reports of missing requests, after the answers of another leader, end no client."""

from collections import Counter
from dataclasses import replace

from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import UnknownClientError
from aeron_cluster.simulator.endings.late_reports import draw_late_reports
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shapes import draw_late_answers, draw_survivors
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
# With late answers some requests are waiting at any time.
SEED = next(
    each
    for each in range(199)
    if any(draw_survivors(each, 1)) and draw_late_answers(each) and draw_late_reports(each, 3)
)


def run(**given):
    settings = Settings.of("consensus", members=3, layout="node", duration_ns=S, **given)
    trial = Trial(SEED, settings, FaultPlan())
    trial.ending = replace(trial.ending, last_loss=None, known_member=-1)
    return trial, trial.run()


def outdated(monkeypatch, handle=None):
    """Return what outdated reports say and clients have, as these receive them."""
    found = []
    on_gap = SurvivingClient._on_gap

    def record(client, window, last_sequence, now_ns):
        if last_sequence < window.acknowledged and window.has_sent:
            found.append((last_sequence, window.acknowledged))
            if handle is not None:
                handle(client, last_sequence)
        on_gap(client, window, last_sequence, now_ns)

    monkeypatch.setattr(SurvivingClient, "_on_gap", record)
    return found


def test_half_of_the_runs_have_late_reports_where_others_can_elect():
    drawn = [draw_late_reports(seed, 3) for seed in range(1000)]
    assert 400 < Counter(drawn)[None] < 600
    assert all(each.held_ns >= each.led_ns + 2 * S for each in drawn if each is not None)
    assert {draw_late_reports(seed, 2) for seed in range(99)} == {None}


def test_outdated_reports_come_and_the_run_holds(monkeypatch):
    found = outdated(monkeypatch)
    trial, outcome = run()
    assert outcome.is_good, outcome.failure
    assert trial.ending.late_reports is not None
    assert len(found) > 1


def test_earlier_draws_have_no_late_reports(monkeypatch):
    found = outdated(monkeypatch)
    trial, outcome = run(draws=12)
    assert outcome.is_good, outcome.failure
    assert trial.ending.late_reports is None
    assert found == []


def test_a_client_that_ends_at_an_outdated_report_is_detected(monkeypatch):
    def end(client, last_sequence):
        client._fail(UnknownClientError(client.client_id, f"up to {last_sequence}", {}))

    outdated(monkeypatch, end)
    _, outcome = run()
    assert outcome.invariant == "surviving clients are answered once"
