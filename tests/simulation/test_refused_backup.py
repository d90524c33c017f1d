"""A backup without permission has its queries refused: one that is not answered is detected."""

from dataclasses import replace

from aeron_cluster.cluster.module.backup_sessions import BackupSessions
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.backup_events import StartBackup
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000


def run():
    settings = Settings.of("whole", members=3, service_count=1, layout="node", duration_ns=S)
    plan = replace(FaultPlan(), events=(StartBackup(0),), families=("backup",))
    trial = Trial(SEED, settings, plan)
    trial.ending = Ending(refuses_a_backup=True)
    return trial.run()


def test_backup_that_is_refused_is_accepted():
    outcome = run()
    assert outcome.is_good, outcome.failure


def test_refusal_that_is_not_sent_is_detected(monkeypatch):
    send = BackupSessions._send_rejection

    def drop(self, session, code, detail):
        if "authorised" not in detail:
            send(self, session, code, detail)

    monkeypatch.setattr(BackupSessions, "_send_rejection", drop)
    failure = run().failure
    assert failure is not None
    assert "a backup without permission is refused, repeatedly" in failure


def test_member_that_answers_whoever_asks_is_detected(monkeypatch):
    monkeypatch.setattr(BackupSessions, "_is_authorised", lambda *_: True)
    failure = run().failure
    assert failure is not None
    assert "a backup without permission is refused, repeatedly" in failure


def test_backup_without_permission_that_has_a_log_is_detected(monkeypatch):
    strangers = []
    is_authorised = BackupSessions._is_authorised

    def allow_the_second_query(self, session):
        if is_authorised(self, session):
            return True
        strangers.append(session)
        return len(strangers) == 2

    monkeypatch.setattr(BackupSessions, "_is_authorised", allow_the_second_query)
    failure = run().failure
    assert failure is not None
    assert failure.startswith("a backup without permission has nothing: ")
