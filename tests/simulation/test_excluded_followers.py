"""A member that catches up with a leader does not vote for one that the leader does not reach."""

from collections import Counter

from aeron_cluster.cluster.election import messages
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.simulator.faults.excluded_followers import (
    ExcludeFollowers,
    add_excluded_followers,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.run_plan import with_added_faults
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
EVENT = ExcludeFollowers(S // 2, S // 5, 20 * MS, duration_ns=3 * S, limit_ns=8 * S)
CATCH_UPS = range(ElectionState.FOLLOWER_REPLAY, ElectionState.CLOSED)


def added(seed, members=3):
    plan = add_excluded_followers(FaultPlan(), seed, members=members, duration_ns=6 * S, speedup=5)
    return plan.events


def run(seed):
    settings = Settings.of(
        "consensus", draws=1, members=3, layout="node", sync_level=0, duration_ns=6 * S
    )
    return Trial(seed, settings, FaultPlan((EVENT,))).run()


def test_one_of_eight_runs_has_such_followers():
    count = sum(map(bool, map(added, range(800))))
    assert 70 < count < 130
    assert not any(added(seed, members=2) for seed in range(99))


def test_later_draws_add_them():
    seed = next(each for each in range(99) if added(each))
    for draws, expected in ((WITHOUT_NATIVE, 0), (WITHOUT_NATIVE + 1, 1)):
        settings = Settings.of("consensus", draws=draws, families=("struck",))
        plan = with_added_faults(FaultPlan(), seed, 3, 0, ("struck",), settings)
        assert sum(isinstance(each, ExcludeFollowers) for each in plan.events) == expected


def test_a_member_that_catches_up_is_asked_for_its_vote(monkeypatch):
    asked = Counter()
    on_request_vote = messages._on_request_vote

    def look(election, message):
        if message.candidate_term_id > election.candidate_term_id:
            asked[election.state] += 1
        on_request_vote(election, message)

    monkeypatch.setattr(messages, "_on_request_vote", look)
    outcome = run(3)
    assert outcome.is_good, outcome.failure
    assert any(asked[each] for each in CATCH_UPS)


def test_a_vote_by_the_log_of_the_start_is_detected(monkeypatch):
    monkeypatch.setattr(messages, "_UNDECIDED", tuple(ElectionState))
    assert run(3).invariant == "a leader has what is committed"
