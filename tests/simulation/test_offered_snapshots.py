"""A standby's offer is recorded as it is, or rejected, and copied: what else happens is found."""

import pytest

from aeron_cluster.cluster.module.backup_sessions import BackupSessions
from aeron_cluster.cluster.snapshots.standby_replication import StandbyReplication
from aeron_cluster.cluster.snapshots.standby_snapshots import StandbySnapshots, problem_of
from aeron_cluster.codecs.cluster import EventCode
from aeron_cluster.simulator.endings.offered_snapshots import Flaw, Offer, draw_offer
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000
COMPLETE = Offer(is_accepted=True, flaw=Flaw.NO_MODULE, is_repeated=False)


def run(offer=COMPLETE):
    settings = Settings.of(
        "consensus",
        members=3,
        service_count=2,
        layout="node",
        duration_ns=S // 10,
        options={"consensus_module": {"accept_standby_snapshots": offer.is_accepted}},
    )
    trial = Trial(SEED, settings, FaultPlan())
    trial.ending = Ending(offer=offer)
    return trial.run()


def test_it_is_drawn_for_three_members():
    drawn = [draw_offer(seed, 3) for seed in range(400)]
    assert 30 < sum(each is not None for each in drawn) < 70
    assert {each.flaw for each in drawn if each is not None} == set(Flaw)
    assert all(draw_offer(seed, 2) is None for seed in range(200))


def test_earlier_draws_have_no_standby():
    drawn = next(seed for seed in range(100) if draw_offer(seed, 3) is not None)
    for draws, has_offer in ((12, False), (13, True)):
        settings = Settings.of("consensus", draws=draws, members=3, damages=())
        assert (Trial(drawn, settings).ending.offer is not None) is has_offer


@pytest.mark.parametrize("flaw", Flaw)
def test_flawed_offer_that_is_rejected_is_accepted(flaw):
    outcome = run(Offer(is_accepted=True, flaw=flaw, is_repeated=flaw is Flaw.TWICE))
    assert outcome.is_good, outcome.failure


def test_offers_to_members_that_accept_none_are_rejected():
    outcome = run(Offer(is_accepted=False, flaw=Flaw.NO_MODULE, is_repeated=False))
    assert outcome.is_good, outcome.failure


def test_offer_that_is_not_recorded_is_detected(monkeypatch):
    monkeypatch.setattr(StandbySnapshots, "add", lambda *_: None)
    assert "a member records the snapshot of a standby: not within 10 s" in run().failure


def test_rejected_offer_that_is_recorded_is_detected(monkeypatch):
    reject = BackupSessions._send_rejection

    def record_too(self, session, code, detail):
        self._standby_snapshots.add(session.request.snapshots)
        reject(self, session, code, detail)

    monkeypatch.setattr(BackupSessions, "_send_rejection", record_too)
    assert run().failure.startswith("offers of standbys are recorded as they are: ")


def test_offer_that_is_recorded_twice_is_detected(monkeypatch):
    monkeypatch.setattr(StandbySnapshots, "_is_known", lambda *_: False)
    failure = run(Offer(is_accepted=True, flaw=Flaw.NO_MODULE, is_repeated=True)).failure
    assert failure.startswith("offers of standbys are recorded as they are: ")


def test_offer_that_is_answered_though_recorded_is_detected(monkeypatch):
    record = BackupSessions._record_offer

    def answer(self, session):
        if problem_of(session.request.snapshots, 2):
            return record(self, session)
        self._standby_snapshots.add(session.request.snapshots)
        self._send_rejection(session, EventCode.ERROR, "none")
        return False

    monkeypatch.setattr(BackupSessions, "_record_offer", answer)
    assert run().failure.startswith("offers of standbys are recorded as they are: ")


def test_snapshot_that_is_not_copied_is_detected(monkeypatch):
    def copy_nothing(*_):
        return False
        yield

    monkeypatch.setattr(StandbyReplication, "_copy_newest", copy_nothing)
    assert run().failure.startswith("a member starts with the snapshot of a standby: ")
