"""A driver with little time and many requests: a session has its publication before its counter."""

import dataclasses

import pytest

from aeron_cluster.archive.sessions.control_session import ControlSession, ControlSessionState
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.starved_drivers import StarveDriver, add_starved_drivers
from aeron_cluster.simulator.trials.run_plan import with_added_faults
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
EVENT = StarveDriver(S // 10, 0, S // 2, MS, 7)


def added(seed):
    plan = add_starved_drivers(FaultPlan(), seed, members=3, duration_ns=6 * S, speedup=5)
    return plan.events


def trial_of(event=EVENT, layout="apart"):
    settings = Settings.of(
        "consensus", draws=1, members=1, service_count=1, layout=layout, duration_ns=S
    )
    return Trial(3, settings, FaultPlan((event,)))


def test_one_of_six_runs_has_a_starved_driver():
    events = [each for seed in range(900) for each in added(seed)]
    assert 110 < len(events) < 190
    assert {each.member for each in events} == {0, 1, 2}
    assert all(S * 2 // 5 <= each.duration_ns < S for each in events)
    assert all(400_000 <= each.longest_gap_ns < MS for each in events)


def test_later_draws_starve_drivers():
    seed = next(each for each in range(99) if added(each))
    for draws, expected in ((WITHOUT_NATIVE, 0), (WITHOUT_NATIVE + 1, 1)):
        settings = Settings.of("consensus", draws=draws, families=("aimed",))
        plan = with_added_faults(FaultPlan(), seed, 3, 0, ("aimed",), settings)
        assert sum(isinstance(each, StarveDriver) for each in plan.events) == expected


@pytest.mark.parametrize("layout", ["apart", "node"])
def test_an_archive_has_the_publication_of_a_session_before_its_counter(layout, monkeypatch):
    parts = []
    init = ControlSession._init

    def look(session, now_ns):
        done = init(session, now_ns)
        parts.append((session._publication is not None, session._counter is not None))
        return done

    monkeypatch.setattr(ControlSession, "_init", look)
    trial = trial_of(dataclasses.replace(EVENT, duration_ns=S), layout)
    outcome = trial.run()
    assert outcome.is_good, outcome.failure
    assert (True, False) in parts
    member = trial.cluster.members[0]
    assert not member.neighbour.process.is_running
    assert member.neighbour.process.failure is None
    assert not any(each.process.is_running for each in trial.cluster.operators)


def passes(cluster, duration_ns):
    """Return how many passes a driver makes in a time."""
    driver = cluster.members[0].process_of_driver
    before = cluster.loop.pass_count(driver._place)
    cluster.run_for(duration_ns)
    return cluster.loop.pass_count(driver._place) - before


def test_a_driver_makes_few_passes_only_while_it_is_starved():
    cluster = trial_of().cluster
    with cluster:
        cluster.start()
        cluster.run_until(lambda: cluster.members[0].is_leading)
        cluster.members[0].add_neighbour(SeededRandom(1))
        driver = cluster.members[0].process_of_driver
        driver.starve(SeededRandom(2), 20 * MS, 100 * MS)
        assert 5 <= passes(cluster, 100 * MS) < 40
        assert passes(cluster, 100 * MS) > 100
        driver.starve(SeededRandom(2), 20 * MS, 100 * MS)
        cluster.run_for(MS)
        cluster.members[0].resume()
        assert passes(cluster, 100 * MS) > 100


def test_a_session_that_does_not_await_its_counter_is_detected(monkeypatch):
    def init(session, now_ns):
        session._publication = session._aeron.get_exclusive_publication(session._publication_id)
        if session._publication is None:
            return 0
        session._counter = session._aeron.get_counter(session._counter_id)
        session._counter.set(session.session_id)
        session._deadline_ns = now_ns + session._context.connect_timeout_ns
        session._enter(ControlSessionState.CONNECTING, "connecting")
        return 1

    monkeypatch.setattr(ControlSession, "_init", init)
    assert trial_of().run().invariant == "errors are expected ones"
