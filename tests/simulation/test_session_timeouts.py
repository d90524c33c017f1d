"""Quiet clients' sessions time out one after the other, also around a change of leader."""

import itertools

import pytest

from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.codecs.cluster import CloseReason
from aeron_cluster.simulator.endings import run_end
from aeron_cluster.simulator.faults.events import Kill
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.added_loads import draw_quiet_clients
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
SEED = next(each for each in itertools.count(1) if len(draw_quiet_clients(each)) == 6)
SETTINGS = Settings.of(
    "consensus", members=3, service_count=1, layout="node", duration_ns=14 * S, damages=()
)
CHANGES = tuple(Kill(each * S, member, 2 * S) for each, member in ((3, 0), (7, 1), (10, 2)))


def trial(*events):
    return Trial(SEED, SETTINGS, FaultPlan(events))


@pytest.fixture
def _without_last_silences(monkeypatch):
    """Leave out the silences of the end, which have a check of their own."""
    monkeypatch.setattr(run_end, "check_sessions_without_a_client", lambda _host: None)


def test_sessions_time_out_around_changes_of_the_leader():
    run = trial(*CHANGES)
    outcome = run.run()
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    assert outcome.counts["terms"] > 1
    assert outcome.counts["sessions timed out"] > 15
    terms = [
        entry.key if entry.kind == "term" else None for entry in run.cluster.journals[0].entries
    ]
    assert len({each for each in terms if each is not None}) > 1
    staying, *others = run.cluster.quiet_clients
    assert not staying.closes
    assert all("TIMEOUT" in each.closes.values() for each in others)


def test_earlier_seeds_have_no_quiet_clients():
    settings = Settings.of("consensus", draws=10, damages=())
    run = Trial(SEED, settings, FaultPlan())
    assert run.run().is_good
    assert run.cluster.quiet_clients == []


@pytest.mark.usefixtures("_without_last_silences")
@pytest.mark.parametrize("factor", [0.8, 1.4])
def test_timeout_at_another_time_is_detected(factor, monkeypatch):
    init = SessionManager.__init__

    def at_another_time(manager, *arguments, **options):
        init(manager, *arguments, **options)
        manager._session_timeout_ns = int(factor * manager._session_timeout_ns)

    monkeypatch.setattr(SessionManager, "__init__", at_another_time)
    assert trial().run().invariant == "sessions time out by the log"


@pytest.mark.usefixtures("_without_last_silences")
@pytest.mark.parametrize("share", [-0.5, 0.5])
def test_new_leader_that_counts_from_another_time_is_detected(share, monkeypatch):
    become_leader = SessionManager.become_leader

    def become(manager, term_id, *, is_startup, now_ns):
        moved_ns = int(share * manager._session_timeout_ns)
        become_leader(manager, term_id, is_startup=is_startup, now_ns=now_ns + moved_ns)

    monkeypatch.setattr(SessionManager, "become_leader", become)
    assert trial(*CHANGES).run().invariant == "sessions time out by the log"


@pytest.mark.usefixtures("_without_last_silences")
def test_sessions_that_time_out_out_of_order_are_detected(monkeypatch):
    def latest_first(manager, now_ns):
        overdue_ns = now_ns - manager._session_timeout_ns
        active = {
            each.session_id: manager._table.last_activity_ns(each.session_id)
            for each in manager._sessions.values()
            if each.is_open
        }
        overdue = [each for each, at_ns in active.items() if at_ns < overdue_ns]
        if overdue and (len(overdue) > 1 or active[overdue[0]] < overdue_ns - 400 * MS):
            latest = max(overdue, key=lambda each: active[each])
            manager._closing(manager._sessions[latest], CloseReason.TIMEOUT)
        return check(manager, now_ns - 10 * S)

    check = SessionManager._check_sessions
    monkeypatch.setattr(SessionManager, "_check_sessions", latest_first)
    assert trial().run().invariant == "sessions time out in order"
