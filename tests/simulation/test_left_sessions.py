"""At the end only the clients' sessions are open; each check finds its violation."""

import itertools
from dataclasses import replace

import pytest

from aeron_cluster.cluster.sessions.egress_publisher import EgressPublisher
from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.codecs.cluster import CloseReason, EventCode
from aeron_cluster.simulator.endings import left_sessions
from aeron_cluster.simulator.endings.failover import ends_with_a_failover
from aeron_cluster.simulator.faults.events import Kill, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.added_loads import draw_closes
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial

S = 1_000_000_000
SETTINGS = Settings.of("consensus", draws=3, members=1, service_count=1, damages=())
NO_FAULTS = FaultPlan()
RESTART = FaultPlan(
    (
        Operate(S, ControlToggle.SNAPSHOT),
        Kill(2 * S, 0, S // 2),
        Operate(4 * S, ControlToggle.SNAPSHOT),
    ),
    ("process",),
)


DYING, SILENT = 1, 2  # seeds, named for what their client does at the end


def outcome(plan=NO_FAULTS, seed=DYING):
    return run_trial(seed, SETTINGS, plan)


LEAVING = 5  # the client closes its session at the end


def closing_for(monkeypatch, wanted, instead):
    closing = SessionManager._closing

    def alter(manager, session, reason):
        closing(manager, session, instead if reason is wanted else reason)

    monkeypatch.setattr(SessionManager, "_closing", alter)


def closes_soon(seed):
    """Return whether the service closes a session at one of the first requests."""
    random = draw_closes(seed, 0)
    return random is not None and any(random.below(32) == 0 for _ in range(16))


def test_session_that_its_client_closes_ends_for_that_reason(monkeypatch):
    found = outcome(seed=LEAVING)
    assert found.is_good, f"{found.failure}\n{found.detail}"
    closing_for(monkeypatch, CloseReason.CLIENT_ACTION, CloseReason.TIMEOUT)
    assert outcome(seed=LEAVING).invariant == "closes have their reason"


def test_session_that_a_service_closes_ends_for_that_reason(monkeypatch):
    seed = next(filter(closes_soon, itertools.count(1)))
    found = outcome(seed=seed)
    assert found.is_good, f"{found.failure}\n{found.detail}"
    closing_for(monkeypatch, CloseReason.SERVICE_ACTION, CloseReason.CLIENT_ACTION)
    assert outcome(seed=seed).invariant == "closes have their reason"


def test_session_that_a_service_cannot_close_is_detected(monkeypatch):
    seed = next(filter(closes_soon, itertools.count(1)))
    monkeypatch.setattr(SessionManager, "on_service_close", lambda *_: None)
    assert outcome(seed=seed).invariant == "services close sessions"


def failover():
    """Run three members whose leader is killed at the end, without any other fault."""
    seed = next(each for each in itertools.count(1) if ends_with_a_failover(each))
    return run_trial(seed, replace(SETTINGS, members=3, layout="node"), NO_FAULTS)


def test_sessions_outlive_a_leader_killed_at_the_end():
    found = failover()
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["terms"] == 2
    assert found.counts["sessions"] == 2


def test_missing_notice_of_a_new_leader_is_detected(monkeypatch):
    monkeypatch.setattr(EgressPublisher, "send_new_leader", lambda *_: True)
    assert failover().invariant == "sessions outlive their leader"


def test_session_that_a_new_leader_closes_is_detected(monkeypatch):
    become_leader = SessionManager.become_leader

    def as_at_startup(manager, term_id, *, is_startup, now_ns):
        del is_startup
        become_leader(manager, term_id, is_startup=True, now_ns=now_ns)

    monkeypatch.setattr(SessionManager, "become_leader", as_at_startup)
    assert failover().invariant == "sessions outlive their leader"


@pytest.mark.parametrize("seed", [DYING, SILENT])
def test_session_of_a_dead_client_ends_and_its_next_session_stays_open(seed):
    found = outcome(seed=seed)
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["sessions"] == 2


def test_session_without_a_timeout_is_detected(monkeypatch):
    monkeypatch.setattr(SessionManager, "_check_sessions", lambda *_: 0)
    assert outcome().invariant == "sessions time out in their time"


@pytest.mark.parametrize("factor", [0.8, 1.4])
def test_session_timeout_at_another_time_is_detected(factor, monkeypatch):
    init = SessionManager.__init__

    def at_another_time(manager, *arguments, **options):
        init(manager, *arguments, **options)
        manager._session_timeout_ns = int(factor * manager._session_timeout_ns)

    monkeypatch.setattr(SessionManager, "__init__", at_another_time)
    assert outcome(seed=SILENT).invariant == "sessions time out in their time"


def test_another_close_reason_in_the_log_is_detected(monkeypatch):
    closing = SessionManager._closing
    monkeypatch.setattr(
        SessionManager,
        "_closing",
        lambda manager, session, _: closing(manager, session, CloseReason.CLIENT_ACTION),
    )
    assert outcome(seed=SILENT).invariant == "closes have their reason"


def test_missing_notice_of_a_close_is_detected(monkeypatch):
    send = EgressPublisher.send_event

    def leave_out(publisher, session, term_id, leader_id, code, detail):
        if code is EventCode.CLOSED:
            return True
        return send(publisher, session, term_id, leader_id, code, detail)

    monkeypatch.setattr(EgressPublisher, "send_event", leave_out)
    assert outcome(seed=SILENT).invariant == "clients are notified of a close"


def test_another_close_reason_in_a_notice_is_detected(monkeypatch):
    send = EgressPublisher.send_event

    def alter(publisher, session, term_id, leader_id, code, detail):
        detail = "SERVICE_ACTION" if code is EventCode.CLOSED else detail
        return send(publisher, session, term_id, leader_id, code, detail)

    monkeypatch.setattr(EgressPublisher, "send_event", alter)
    assert outcome(seed=SILENT).invariant == "clients are notified of a close"


def test_session_timed_out_too_early_is_detected(monkeypatch):
    check = SessionManager._check_sessions

    def all_at_once(manager, now_ns):
        if manager._table.earliest_activity_ns() < now_ns - manager._session_timeout_ns:
            for session_id in manager._sessions:
                manager._table.touch(session_id, 0)
        return check(manager, now_ns)

    monkeypatch.setattr(SessionManager, "_check_sessions", all_at_once)
    assert outcome().invariant == "sessions of clients stay open"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("next_session_id", "services see the same"),  # the other session has other streams
        ("next_committed_session_id", "session ids are given once"),
    ],
)
def test_reused_session_id_is_detected(monkeypatch, name, rule):
    load = SessionManager.load

    def forgetful(manager, records, next_session_id):
        load(manager, records, next_session_id)
        setattr(manager, name, 1)

    monkeypatch.setattr(SessionManager, "load", forgetful)
    assert outcome(RESTART).invariant == rule


def test_an_election_without_a_cause_is_detected(monkeypatch):
    terms_seen = left_sessions.terms_seen
    seen = []

    def count(cluster):
        seen.append(terms_seen(cluster))
        return [each + len(seen) for each in seen[-1]]

    monkeypatch.setattr(left_sessions, "terms_seen", count)
    assert outcome().invariant == "no election is held without a fault"
