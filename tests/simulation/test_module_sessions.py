"""Sessions that modules of followers have after an election or a start: wrong ones are detected."""

import pytest

from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.events import EndSession, Kill, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.overtaken_leader import OvertakeWithSessions
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
CLOSED = OvertakeWithSessions(S, 20 * MS, 3 * S, 8 * S, client=0, is_closed=True)
# Its clients' sessions are closed before the snapshot; the member leads later.
RESTARTED = (EndSession(S // 2, 0), EndSession(S, 0), Operate(2 * S, ControlToggle.SNAPSHOT))


def run(*events):
    settings = Settings.of("consensus", draws=1, members=3, layout="node", duration_ns=8 * S)
    return Trial(3, settings, FaultPlan(events)).run()


@pytest.mark.parametrize("events", [(CLOSED,), (*RESTARTED, Kill(4 * S, -1, S))])
def test_sessions_follow_the_log(events):
    outcome = run(*events)
    assert outcome.is_good, outcome.failure


def test_an_uncommitted_session_that_stays_is_detected(monkeypatch):
    prepare = SessionManager.prepare_for_new_leadership
    monkeypatch.setattr(
        SessionManager,
        "prepare_for_new_leadership",
        lambda self, _position: prepare(self, 1 << 60),
    )
    assert run(CLOSED).invariant == "modules hold the sessions"


def test_a_session_that_is_not_restored_is_detected(monkeypatch):
    keep = SessionManager._keep
    restore = SessionManager.restore_uncommitted

    def forget(self, commit_position):
        self._keep = lambda _session: None
        restore(self, commit_position)
        self._keep = keep.__get__(self)

    monkeypatch.setattr(SessionManager, "restore_uncommitted", forget)
    assert run(CLOSED).invariant == "modules hold the sessions"


def test_an_id_that_a_start_from_a_snapshot_forgets_is_detected(monkeypatch):
    load = SessionManager.load

    def load_wrongly(self, records, next_session_id):
        load(self, records, next_session_id)
        self.next_session_id = self.next_committed_session_id = 1 + len(self._sessions)

    monkeypatch.setattr(SessionManager, "load", load_wrongly)
    outcome = run(*RESTARTED, Kill(4 * S, -1, S))
    assert outcome.invariant in {
        "modules know the ids that were given",
        "session ids are given once",
    }
