"""Restarts soon after snapshots: how often, and when."""

from aeron_cluster.simulator.faults.events import Kill
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.restarts import KillAllAfterSnapshot, add_restarts
from aeron_cluster.simulator.trials.added_loads import draw_moved_timers
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
PLAN = FaultPlan((Kill(5 * S, 1, S),), ("process",))


def restarts_of(plan):
    return [each for each in plan.events if isinstance(each, KillAllAfterSnapshot)]


def test_members_restart_one_to_three_times():
    plans = [add_restarts(PLAN, seed, duration_ns=30 * S, speedup=1) for seed in range(200)]
    assert {len(restarts_of(each)) for each in plans} == {1, 2, 3}
    assert all(PLAN.events[0] in each.events and "aimed" in each.families for each in plans)
    delays = [each.delay_ns for plan in plans for each in restarts_of(plan)]
    assert S // 2 <= min(delays) < S
    assert 4 * S < max(delays) < 5 * S


def test_runs_with_moved_timers_have_restarts_from_draws_12_on():
    def has_restarts(seed, draws):
        settings = Settings.of("consensus", draws=draws)
        return bool(restarts_of(Trial(seed, settings).plan))

    with_timers = [draw_moved_timers(seed, 0) is not None for seed in range(40)]
    assert any(with_timers)
    # Damage may replace all other faults.
    found = [has_restarts(seed, 12) for seed in range(40)]
    assert any(found)
    assert not any(one and not other for one, other in zip(found, with_timers, strict=True))
    assert not any(has_restarts(seed, 11) for seed in range(40))
