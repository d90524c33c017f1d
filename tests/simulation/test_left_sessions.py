"""At the end only the clients' sessions are open; each check finds its violation."""

import pytest

from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.events import Kill, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.trial import Settings, run_trial

S = 1_000_000_000
SETTINGS = Settings.of("consensus", members=1, service_count=1, damages=())
NO_FAULTS = FaultPlan()
RESTART = FaultPlan(
    (
        Operate(S, ControlToggle.SNAPSHOT),
        Kill(2 * S, 0, S // 2),
        Operate(4 * S, ControlToggle.SNAPSHOT),
    ),
    ("process",),
)


def outcome(plan=NO_FAULTS):
    return run_trial(1, SETTINGS, plan)


def test_session_of_a_dead_client_ends_and_its_next_session_stays_open():
    found = outcome()
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["sessions"] == 2


def test_session_without_a_timeout_is_detected(monkeypatch):
    monkeypatch.setattr(SessionManager, "_check_sessions", lambda *_: 0)
    assert outcome().invariant == "sessions without a client time out"


def test_session_timed_out_too_early_is_detected(monkeypatch):
    check = SessionManager._check_sessions

    def all_at_once(manager, now_ns):
        if manager._table.earliest_activity_ns() < now_ns - manager._session_timeout_ns:
            for session_id in manager._sessions:
                manager._table.touch(session_id, 0)
        return check(manager, now_ns)

    monkeypatch.setattr(SessionManager, "_check_sessions", all_at_once)
    assert outcome().invariant == "sessions of clients stay open"


@pytest.mark.parametrize("name", ["next_session_id", "next_committed_session_id"])
def test_reused_session_id_is_detected(monkeypatch, name):
    load = SessionManager.load

    def forgetful(manager, records, next_session_id):
        load(manager, records, next_session_id)
        setattr(manager, name, 1)

    monkeypatch.setattr(SessionManager, "load", forgetful)
    assert outcome(RESTART).invariant == "session ids are given once"
