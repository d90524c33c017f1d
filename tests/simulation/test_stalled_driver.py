"""A driver that stalls while an archive opens a session: the archive releases what comes late."""

from collections import Counter

from aeron_cluster.archive.sessions.control_session import ControlSession
from aeron_cluster.archive.sessions.orphans import Orphans
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.endings.stalled_driver import draw_stall
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import WITHOUT_SUPERSEDED, Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SEED = next(each for each in range(1, 99) if draw_stall(each, 3))


def trial_of(draws=WITHOUT_SUPERSEDED + 1, **settings):
    given = {"members": 3, "service_count": 1, "layout": "apart", "duration_ns": S, **settings}
    return Trial(SEED, Settings.of("consensus", draws=draws, **given), FaultPlan())


def run(stall_ns=6 * S):
    trial = trial_of()
    trial.ending = Ending(stall_ns=stall_ns)
    return trial.run(), [str(each) for member in trial.cluster.members for each in member.errors]


def test_the_driver_of_one_member_stalls_in_one_run_of_two():
    stalls = Counter(draw_stall(seed, 3) for seed in range(400))
    assert 150 < stalls.pop(0) < 250
    assert all(5 * S < each <= 8 * S for each in stalls)
    assert {draw_stall(seed, 2) for seed in range(99)} == {0}


def test_a_trial_draws_the_stall_where_drivers_are_processes_of_their_own():
    assert trial_of().ending.stall_ns == draw_stall(SEED, 3)
    assert trial_of(draws=WITHOUT_SUPERSEDED).ending.stall_ns == 0
    assert trial_of(layout="node").ending.stall_ns == 0
    assert trial_of(members=2).ending.stall_ns == 0


def test_a_session_ends_while_it_is_opened():
    outcome, errors = run()
    assert outcome.is_good, outcome.failure
    assert any("initial connection: state=INIT" in each for each in errors)


def test_a_session_that_has_ended_and_retains_its_counter_is_detected(monkeypatch):
    monkeypatch.setattr(Orphans, "drop", lambda *_: None)
    outcome, _ = run()
    assert outcome.invariant == "sessions of archives have counters"


def test_an_error_at_the_end_of_such_a_session_is_detected(monkeypatch):
    def close(session, reject_image):
        raise TypeError(f"{session} cannot end by {reject_image}")

    monkeypatch.setattr(ControlSession, "close", close)
    outcome, _ = run()
    assert outcome.invariant == "errors are expected ones"
