"""The limit of sessions by the log: too many, and clients without an answer, are each detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.session_limits import (
    LIMIT_TEXT,
    OpenCounts,
    SessionsAreLimited,
    check_answer,
    max_sessions_of,
    read_open_counts,
    until_disks_fail,
)
from aeron_cluster.simulator.checks.session_timeouts import Period
from aeron_cluster.simulator.clients.attempts import Attempt, SentRequest
from aeron_cluster.simulator.faults.client_events import SupersedeClient
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.members.journal import Entry
from aeron_cluster.simulator.trials.added_loads import draw_quiet_clients
from aeron_cluster.simulator.trials.session_limits import draw_session_limit, limit_options
from aeron_cluster.simulator.trials.settings import Settings

MS = 1_000_000
S = 1000 * MS
EPOCH_MS = 1_000_000
LIMIT = 2
CALM = [Period(0, 1, 4, S, 9 * S)]
FULL = {4: OpenCounts([(0, 1), (2 * S, 2), (5 * S, 1)], 9 * S)}
OK, ERROR, REDIRECT, REJECTED, CLOSED = range(5)
MANY = 1024


def entry(index, kind, key, at_ms, payload=b""):
    return Entry(64 * (index + 1), kind, key, EPOCH_MS + at_ms, payload)


ENTRIES = [
    entry(0, "term", 4, 0, b"0"),
    entry(1, "open", 1, 100),
    entry(2, "message", 1, 150),
    entry(3, "open", 2, 200),
    entry(4, "term", 5, 400, b"1"),
    entry(5, "close", 1, 500, b"2"),
    entry(6, "timer", 7, 600),
]


def attempt(sent_ns, ended_ns=-1, code=-1, detail="", member_id=0):
    return Attempt([SentRequest(2, S), SentRequest(member_id, sent_ns)], ended_ns, code, detail)


def rejected(sent_ns, ended_ns):
    return attempt(sent_ns, ended_ns, ERROR, LIMIT_TEXT)


def check(found, periods=CALM, counts=FULL):
    check_answer("client 0", found, periods, counts, LIMIT)


def test_open_sessions_are_counted_by_term():
    epoch_ns = EPOCH_MS * MS
    counts = read_open_counts(ENTRIES, {0: epoch_ns, 1: epoch_ns})
    assert counts == {
        4: OpenCounts([(0, 0), (100 * MS, 1), (200 * MS, 2)], 200 * MS),
        5: OpenCounts([(400 * MS, 2), (500 * MS, 1)], 600 * MS),
    }
    # The clock of the first leader was set.
    assert read_open_counts(ENTRIES, {1: epoch_ns}).keys() == {5}


@pytest.mark.parametrize(
    ("begin_ms", "end_ms", "most"),
    [(0, 1, 0), (0, 100, 1), (120, 150, 1), (120, 250, 2), (300, 350, 2)],
)
def test_most_sessions_between_two_times_are_counted(begin_ms, end_ms, most):
    counts = read_open_counts(ENTRIES, {0: EPOCH_MS * MS})[4]
    assert counts.most(begin_ms * MS, end_ms * MS) == most


@pytest.mark.parametrize(
    "found",
    [
        attempt(3 * S, 3 * S + 20 * MS, OK),
        attempt(3 * S, 3 * S + 20 * MS, CLOSED, "election"),
        attempt(3 * S, 3 * S + 20 * MS, REJECTED, "by an authenticator"),
        rejected(3 * S, 3 * S + 20 * MS),
        rejected(1990 * MS, 2010 * MS),  # the last place was given meanwhile
        rejected(4990 * MS, 5 * S + 20 * MS),
        Attempt([], 4 * S),  # it was never sent
        Attempt(),
        attempt(3 * S, 3 * S + 20 * MS),  # the client ended soon
        attempt(8900 * MS),  # and so did the term
        attempt(3 * S, 4 * S, member_id=1),  # of another member
        attempt(S + 100 * MS, 4 * S),  # not long after a disturbance
        attempt(500 * MS, 4 * S),
    ],
)
def test_expected_answers_pass(found):
    check(found)


@pytest.mark.parametrize("found", [attempt(3 * S), attempt(3 * S, 4 * S), rejected(3 * S, 4 * S)])
def test_client_that_is_not_answered_in_time_is_detected(found):
    with pytest.raises(InvariantError, match="clients are answered in time: client 0"):
        check(found)
    # Snapshots took so long.
    check(found, [Period(0, 1, 4, S, 9 * S, 6 * S)])
    # Or nothing was committed any more.
    check(found, counts={4: OpenCounts(FULL[4].changes, 3 * S)})
    check(found, counts={})


def test_answers_are_not_expected_once_the_leaders_disk_fails():
    found = attempt(3 * S)
    check(found, until_disks_fail(CALM, {0: 3 * S}))
    with pytest.raises(InvariantError, match="clients are answered in time: client 0"):
        check(found, until_disks_fail(CALM, {0: 4 * S}))


@pytest.mark.parametrize("sent_ns", [1500 * MS, 6 * S])
def test_client_that_is_rejected_despite_a_free_place_is_detected(sent_ns):
    found = rejected(sent_ns, sent_ns + 20 * MS)
    with pytest.raises(InvariantError, match=r"only beyond the limit: .* had 1 of 2 sessions"):
        check(found)
    # What was not committed is not known.
    check(found, counts={4: OpenCounts(FULL[4].changes, sent_ns)})


@pytest.mark.parametrize("detail", ["no", ""])
def test_rejection_by_another_name_is_detected(detail):
    with pytest.raises(InvariantError, match="answered by name: client 0"):
        check(attempt(500 * MS, 600 * MS, ERROR, detail))


class Run:
    """A cluster whose leader worked without a disturbance."""

    def __init__(self, entries, *attempts, **options):
        clock = SimpleNamespace(epoch_nanos=lambda: EPOCH_MS * MS)
        machine = SimpleNamespace(
            has_wrong_clock=False, disk_fails_from_ns=9 * S, power_loss_count=0, clock=clock
        )
        self.cluster = SimpleNamespace(
            is_joined=True,
            now_ns=0,
            sync_level=1,
            members=[SimpleNamespace(member_id=0, machine=machine)],
            everyone=[SimpleNamespace(attempts=attempts)],
            journals=[SimpleNamespace(entries=entries)],
            options=options,
        )
        self.checker = SessionsAreLimited(SimpleNamespace(periods=CALM))


def test_more_sessions_than_the_limit_are_detected():
    entries = ENTRIES[:2]
    run = Run(entries, consensus_module={"max_sessions": LIMIT})
    run.checker.check(run.cluster)
    entries += ENTRIES[2:]
    entries.append(entry(7, "open", 3, 700))
    run.checker.check(run.cluster)
    entries.append(entry(8, "open", 4, 800))
    with pytest.raises(InvariantError, match=r"sessions are limited: .*\[2, 3, 4\] are open, 2"):
        run.checker.check(run.cluster)


def test_clients_without_an_answer_are_found_at_the_end():
    entries = [*ENTRIES[:4], entry(4, "timer", 7, 9000)]
    run = Run(entries, rejected(3 * S, 3 * S + MS), consensus_module={"max_sessions": LIMIT})
    run.checker.conclude(run.cluster)
    assert run.checker.counts() == {"clients beyond the limit": 1}
    run = Run(entries, attempt(3 * S))
    with pytest.raises(InvariantError, match="clients are answered in time"):
        run.checker.conclude(run.cluster)
    run.cluster.members[0].machine.power_loss_count = 1
    run.cluster.sync_level, run.cluster.loses_one_at_a_time = 0, False
    run.checker.conclude(run.cluster)


def test_ten_sessions_are_open_by_default():
    assert max_sessions_of(SimpleNamespace(options={})) == 10


# ---- what seeds draw ----


def draw(seed, settings=None, plan=None):
    return draw_session_limit(seed, settings or Settings.of("consensus"), plan or FaultPlan())


def test_one_run_of_five_has_a_limit_and_more_visitors_than_places():
    drawn = {seed: found for seed in range(MANY) if (found := draw(seed)) is not None}
    assert MANY // 7 < len(drawn) < MANY // 4
    for seed, found in drawn.items():
        room = found.max_sessions - len(draw_quiet_clients(seed)) - 1
        assert 1 <= room <= 2
        assert 1 <= len(found.visitors) - room <= 2
        assert found.interval_ns == 600 * MS
        assert limit_options(found) == {"consensus_module": {"max_sessions": found.max_sessions}}
    assert limit_options(None) == {}


def test_each_taken_over_id_has_room_for_a_session_of_both_processes():
    plan = FaultPlan((SupersedeClient(0, 0), SupersedeClient(S, 1)))
    seed = next(each for each in range(64) if draw(each) is not None)
    assert draw(seed, plan=plan).max_sessions == draw(seed).max_sessions + 2


def test_runs_that_know_no_limits_have_none():
    for settings in (
        Settings.of("consensus", draws=11),
        Settings.of("consensus", is_joined=False),
        Settings.of("consensus", is_judged=True),
        Settings.of("consensus", services=(object,)),
        Settings.of("consensus", options={"consensus_module": {"max_sessions": 3}}),
    ):
        assert not any(draw(seed, settings) for seed in range(64))
    assert not any(draw(seed, plan=FaultPlan(damage=Damage.BITS)) for seed in range(64))
