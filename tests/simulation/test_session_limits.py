"""Clients beyond the limit of sessions: answered by name, and admitted once there is room."""

import itertools

import pytest

from aeron_cluster.cluster.sessions.pending_sessions import PendingSessions
from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.simulator.checks.session_limits import LIMIT_TEXT
from aeron_cluster.simulator.faults.events import Kill
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.model.plain_messages import ERROR, OK
from aeron_cluster.simulator.trials.session_limits import draw_session_limit
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SETTINGS = Settings.of(
    "consensus", members=3, service_count=1, layout="node", duration_ns=8 * S, damages=()
)
SEED = next(
    seed
    for seed in itertools.count(1)
    if (limit := draw_session_limit(seed, SETTINGS, FaultPlan()))
    and (limit.max_sessions, len(limit.visitors)) == (3, 4)
)
CHANGES = tuple(Kill(each * S, member, 2 * S) for each, member in ((2, 0), (5, 1)))


def trial(*events):
    return Trial(SEED, SETTINGS, FaultPlan(events))


def test_clients_beyond_the_limit_are_answered_around_changes_of_the_leader():
    run = trial(*CHANGES)
    outcome = run.run()
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    assert outcome.counts["terms"] > 1
    assert outcome.counts["clients beyond the limit"] > 20
    visitors = run.cluster.visitors
    assert len(visitors) == 4
    for visitor in visitors:
        answers = [(each.code, each.detail) for each in visitor.attempts]
        assert (ERROR, LIMIT_TEXT) in answers
        # A rejected one is admitted later.
        assert (OK, "") in answers[answers.index((ERROR, LIMIT_TEXT)) :]


def test_earlier_seeds_limit_no_sessions():
    run = Trial(SEED, Settings.of("consensus", draws=11, damages=()), FaultPlan())
    assert run.run().is_good
    assert run.cluster.visitors == []
    assert "max_sessions" not in run.cluster.options["consensus_module"]


@pytest.mark.parametrize(
    ("more", "invariant"),
    [(1, "sessions are limited"), (-1, "clients are rejected only beyond the limit")],
)
def test_another_limit_is_detected(more, invariant, monkeypatch):
    init = SessionManager.__init__

    def with_another_limit(manager, *arguments, **options):
        init(manager, *arguments, **options)
        manager._max_sessions += more

    monkeypatch.setattr(SessionManager, "__init__", with_another_limit)
    assert trial().run().invariant == invariant


def test_client_that_waits_for_a_place_without_an_answer_is_detected(monkeypatch):
    send_rejection = SessionManager._send_rejection

    def silent_while_pending(manager, session, detail):
        if manager._pending.find(session.session_id) is None:
            send_rejection(manager, session, detail)

    monkeypatch.setattr(SessionManager, "_send_rejection", silent_while_pending)
    assert trial().run().invariant == "clients are answered in time"


def test_client_that_is_dropped_before_its_rejection_is_detected(monkeypatch):
    do_work = PendingSessions.do_work

    def without_rejections(pending, now_ns, open_session, _on_rejected):
        return do_work(pending, now_ns, open_session, lambda session: session.close("dropped"))

    monkeypatch.setattr(PendingSessions, "do_work", without_rejections)
    assert trial().run().invariant == "clients are answered in time"


def test_rejection_by_another_text_is_detected(monkeypatch):
    send_rejection = SessionManager._send_rejection

    def unnamed(manager, session, detail):
        del detail
        send_rejection(manager, session, "no")

    monkeypatch.setattr(SessionManager, "_send_rejection", unnamed)
    assert trial().run().invariant == "clients beyond the limit are answered by name"


def test_message_of_a_rejected_client_that_comes_to_services_is_detected(monkeypatch):
    send_rejection = SessionManager._send_rejection

    def open_nevertheless(manager, session, detail):
        send_rejection(manager, session, detail)
        manager._table.put(session.session_id, is_open=True, last_activity_ns=manager._now_ns)

    monkeypatch.setattr(SessionManager, "_send_rejection", open_nevertheless)
    # The service gets a message of a session that it does not have, and raises.
    outcome = trial().run()
    assert outcome.invariant == "errors are expected ones"
    assert "session" in outcome.failure
