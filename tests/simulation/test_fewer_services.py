"""A member that is started with fewer services than it had does not run, and states why."""

from dataclasses import replace

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import StateError
from aeron_cluster.simulator.endings.fewer_services import draw_fewer_services
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.events import Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.members.member import Member
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000
# It has all services; whether the log has messages of the last one depends on the seed.
WITH_SNAPSHOT = replace(
    FaultPlan(), events=(Operate(S // 2, ControlToggle.SNAPSHOT),), families=("operator",)
)


def run(plan=WITH_SNAPSHOT):
    settings = Settings.of("consensus", members=3, service_count=2, layout="node", duration_ns=S)
    trial = Trial(SEED, settings, plan)
    trial.ending = Ending(has_fewer_services=True)
    return trial.run()


def test_it_is_drawn_for_several_services_and_members():
    drawn = [draw_fewer_services(seed, 3, 2) for seed in range(200)]
    assert 70 < sum(drawn) < 130
    assert not any(draw_fewer_services(seed, 2, 2) for seed in range(200))
    assert not any(draw_fewer_services(seed, 3, 1) for seed in range(200))


def test_member_that_reads_an_unknown_service_in_its_log_is_accepted():
    outcome = run(FaultPlan())
    assert outcome.is_good, outcome.failure


def test_member_that_has_a_snapshot_of_an_unknown_service_is_accepted():
    outcome = run()
    assert outcome.is_good, outcome.failure


def test_member_that_runs_all_the_same_is_detected(monkeypatch):
    def make_services(self):
        for service_id in range(2):
            self.make_service(service_id)
        return self.services

    monkeypatch.setattr(Member, "make_services", make_services)
    assert "states why it cannot follow: not within 60 s" in run().failure


def test_other_reason_is_detected(monkeypatch):
    make_services = Member.make_services

    def fail(self):
        if self.service_count < 2:
            raise StateError("another reason")
        return make_services(self)

    monkeypatch.setattr(Member, "make_services", fail)
    failure = run().failure
    assert failure.startswith("a member with fewer services states why it cannot follow: ")
    assert "another reason" in failure


def test_end_without_a_reason_is_detected(monkeypatch):
    start = Member.start
    monkeypatch.setattr(
        Member, "start", lambda self: start(self) if self.service_count > 1 else None
    )
    assert "stated []" in run().failure
