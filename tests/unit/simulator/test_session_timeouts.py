"""Timeouts of sessions by the log: too early, too late and out of order are each detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.session_timeouts import (
    LoggedSession,
    LoggedTerm,
    Period,
    SessionsTimeOutByTheLog,
    check_not_early,
    check_not_late,
    check_order,
    read_sessions,
    timeout_count,
)
from aeron_cluster.simulator.clients.client import Sent, SessionLog
from aeron_cluster.simulator.members.journal import Entry, Journal

MS = 1_000_000
S = 1000 * MS
TIMEOUT_NS = 2 * S
EPOCH_MS = 1_000_000
FIRST, SECOND = LoggedTerm(0, 0, 0), LoggedTerm(1, 1, 10 * S)
CALM = [Period(0, 1, 0, S, 9 * S), Period(1, 1, 1, 10 * S, 20 * S)]
ENDS = {0: 9 * S, 1: 20 * S}
BY_CLIENT, TIMED_OUT = 0, 2


def session(closed_ns=-1, *, closed_in=FIRST, active_ns=S, opened=FIRST, number=1, reason=2):
    found = LoggedSession(number, opened, active_ns, opened)
    if closed_ns >= 0:
        found.closed_ns, found.closed_in, found.reason = closed_ns, closed_in, reason
    return found


def client(*sent_ns, term_id=0, lost_ns=None, departures=None):
    sent = [Sent(each, term_id) for each in sent_ns]
    return SessionLog(1, 0, sent, departures or {}, lost_ns)


def entry(index, kind, key, at_ms, payload=b""):
    return Entry(64 * (index + 1), kind, key, EPOCH_MS + at_ms, payload)


ENTRIES = [
    entry(0, "term", 0, 0, b"0"),
    entry(1, "open", 1, 100),
    entry(2, "open", 2, 200),
    entry(3, "message", 1, 300, b"request"),
    entry(4, "term", 1, 400, b"1"),
    entry(5, "close", 1, 2400, b"2"),
    entry(6, "close", 2, 2500, b"0"),
]


def test_sessions_are_read_from_the_log():
    epoch_ns = EPOCH_MS * MS
    sessions, ends = read_sessions(ENTRIES, {0: epoch_ns, 1: epoch_ns})
    first, second = LoggedTerm(0, 0, 0), LoggedTerm(1, 1, 400 * MS)
    assert sessions[1] == LoggedSession(1, first, 300 * MS, first, 2400 * MS, second, TIMED_OUT)
    assert sessions[2] == LoggedSession(2, first, 200 * MS, first, 2500 * MS, second, BY_CLIENT)
    assert [sessions[each].is_timed_out for each in (1, 2)] == [True, False]
    assert ends[1] == 2500 * MS
    assert timeout_count(ENTRIES) == 1
    # The clock of the second leader was set.
    sessions, ends = read_sessions(ENTRIES, {0: epoch_ns})
    assert (sessions[1].active_ns, sessions[1].closed_ns, ends[1]) == (300 * MS, -1, -1)


@pytest.mark.parametrize(
    ("found", "by"),
    [
        (session(3 * S), client()),  # the log has its last message
        (session(5 * S), client(3 * S)),
        (session(12 * S, closed_in=SECOND), client(4 * S)),  # by the next leader
        (session(5 * S), client(3 * S, 4900 * MS)),  # what was sent last may not have arrived
        (session(5 * S), client(4 * S, term_id=1)),  # not to its leader
        (session(4 * S), client(3 * S, lost_ns=4 * S)),  # the client gave it up
        (session(4 * S), client(3 * S, departures={0: 3900 * MS})),
        (session(11 * S, closed_in=SECOND), client(10 * S, term_id=1, lost_ns=11 * S)),
    ],
)
def test_sessions_that_time_out_after_their_timeout_pass(found, by):
    check_not_early(found, by, CALM, TIMEOUT_NS)


@pytest.mark.parametrize(
    ("found", "by"),
    [
        (session(2900 * MS), client()),
        (session(4500 * MS), client(3 * S)),
        (session(11 * S, closed_in=SECOND), client(4 * S)),
        (session(11 * S, closed_in=SECOND, opened=SECOND, active_ns=10 * S), client()),
        (session(2900 * MS), client(lost_ns=3 * S)),  # it lost it later
        (session(11 * S, closed_in=SECOND), client(departures={0: 9 * S})),
        (session(11 * S, closed_in=SECOND), client(4 * S, lost_ns=11 * S)),  # by no connection
    ],
)
def test_session_that_times_out_early_is_detected(found, by):
    with pytest.raises(InvariantError, match=r"time out by the log: .* before the timeout"):
        check_not_early(found, by, CALM, TIMEOUT_NS)


def test_what_was_sent_amid_a_disturbance_may_not_have_arrived():
    late = [Period(0, 1, 0, 3500 * MS, 9 * S)]
    check_not_early(session(4 * S), client(3 * S), late, TIMEOUT_NS)
    check_not_early(session(4 * S), client(3 * S), [], TIMEOUT_NS)


@pytest.mark.parametrize(
    ("found", "by"),
    [
        (session(5 * S), client(3 * S)),
        (session(5500 * MS), client(3 * S)),
        (session(), client(8 * S)),  # the leader fails before
        (session(12 * S, closed_in=SECOND), client(8 * S)),
        (session(6 * S, reason=BY_CLIENT), client(4 * S)),
    ],
)
def test_sessions_that_time_out_in_time_pass(found, by):
    periods = CALM if found.closed_in is not None else CALM[:1]
    check_not_late(found, by, periods, ENDS, TIMEOUT_NS)


@pytest.mark.parametrize(
    ("found", "by"),
    [
        (session(), client(3 * S)),
        (session(), client()),
        (session(5600 * MS), client(3 * S)),
        (session(12 * S, closed_in=SECOND), client(3 * S)),
        (session(13 * S, closed_in=SECOND), client(8 * S)),
        (session(13 * S, closed_in=SECOND, active_ns=8 * S), client()),
    ],
)
def test_session_that_stays_open_is_detected(found, by):
    with pytest.raises(InvariantError, match=r"sessions time out by the log: .* not closed until"):
        check_not_late(found, by, CALM, ENDS, TIMEOUT_NS)


def test_snapshots_do_not_count_for_a_timeout_and_only_the_log_shows_that_none_came():
    found, by = session(5600 * MS), client(3 * S)
    check_not_late(found, by, [Period(0, 1, 0, S, 9 * S, 100 * MS)], ENDS, TIMEOUT_NS)
    check_not_late(session(), by, CALM[:1], {0: 5 * S}, TIMEOUT_NS)


def closes(*numbered):
    sessions = [session(closed_ns, number=number) for number, closed_ns, _ in numbered]
    return sessions, {(number, 0): client(sent_ns) for number, _, sent_ns in numbered}


def test_sessions_that_time_out_in_the_order_of_their_activity_pass():
    check_order(*closes((1, 5 * S, 3 * S), (2, 6 * S, 4 * S)), CALM)
    check_order(*closes((1, 6 * S, 4 * S), (2, 5 * S, 3 * S)), CALM)
    # At once, in any order.
    check_order(*closes((1, 5 * S, 3 * S), (2, 5 * S, 2 * S)), CALM)


def test_session_that_times_out_after_a_later_one_is_detected():
    found, clients = closes((1, 5 * S, 3 * S), (2, 5100 * MS, 2500 * MS))
    with pytest.raises(InvariantError, match=r"sessions time out in order: .*session_id=2.* after"):
        check_order(found, clients, CALM)
    clients[2, 0] = client(2500 * MS, lost_ns=5 * S)
    check_order(found, clients, CALM)


# ---- what is recorded of a run ----


class Run:
    """A cluster of which one member follows in the first term and leads in the second."""

    def __init__(self):
        self.counts = dict.fromkeys(
            ("lost", "blocked", "corrupted", "truncated", "discarded", "overflowed"), 0
        )
        self.state = ConsensusModuleState.ACTIVE
        self.journal = Journal(0)
        for index, each in enumerate(ENTRIES):
            self.journal.add(index, each, "member 0")
        options = SimpleNamespace(session_timeout_ns=2 * S)
        clock = SimpleNamespace(epoch_nanos=lambda: EPOCH_MS * MS + self.cluster.now_ns)
        self.term_id = 0
        modules = [
            SimpleNamespace(
                context=SimpleNamespace(options=options), state=None, role=Role.FOLLOWER
            )
            for _ in range(2)
        ]
        processes = [SimpleNamespace(start_count=1, is_running=True) for _ in range(2)]
        self.members = [
            SimpleNamespace(
                member_id=member_id,
                is_leading=False,
                processes=[process],
                process_of_module=process,
                process_of_driver=process,
                machine=SimpleNamespace(has_wrong_clock=False, power_loss_count=0, clock=clock),
                module=module,
                running_module=module,
                counters=SimpleNamespace(
                    election_state=SimpleNamespace(get=lambda: ElectionState.CLOSED),
                    leadership_term_id=SimpleNamespace(get=lambda: self.term_id),
                ),
            )
            for member_id, (module, process) in enumerate(zip(modules, processes, strict=True))
        ]
        self.clients = []
        self.cluster = SimpleNamespace(
            loses_one_at_a_time=False,
            is_joined=True,
            now_ns=0,
            sync_level=0,
            members=self.members,
            everyone=self.clients,
            journals=[self.journal],
            world=SimpleNamespace(wire=SimpleNamespace(counts=self.counts)),
            leader=lambda: next((each for each in self.members if each.is_leading), None),
        )
        self.checker = SessionsTimeOutByTheLog()

    def lead(self, member_id, until_ns, step_ns=10 * MS):
        """Have a member lead, and check until a time."""
        self.term_id = member_id
        for each in self.members:
            each.is_leading = each.member_id == member_id
            each.module.state = self.state
        while self.cluster.now_ns < until_ns:
            self.checker.check(self.cluster)
            self.cluster.now_ns += step_ns

    def conclude(self):
        self.checker.conclude(self.cluster)

    def add_client(self, *sent_ns):
        self.clients.append(SimpleNamespace(session_logs=[client(*sent_ns)]))


def test_periods_are_of_one_leader_that_works_without_a_disturbance():
    run = Run()
    run.lead(0, 100 * MS)
    run.counts["lost"] += 1
    run.lead(0, 200 * MS)
    run.lead(1, 300 * MS)
    run.state = ConsensusModuleState.SNAPSHOT
    run.lead(1, 400 * MS)
    run.state = ConsensusModuleState.SUSPENDED
    run.lead(1, 500 * MS)
    assert run.checker.periods == [
        Period(0, 1, 0, 0, 90 * MS),
        Period(0, 1, 0, 110 * MS, 190 * MS),
        Period(1, 1, 1, 200 * MS, 390 * MS, 100 * MS),
    ]
    run.members[1].machine.has_wrong_clock = True
    run.state = ConsensusModuleState.ACTIVE
    run.lead(1, 600 * MS)
    assert len(run.checker.periods) == 3


def after_a_change(closed_ms, *, has_led=False):
    """Run a cluster in which the second leader closes the first session at a time."""
    run = Run()
    run.lead(0, 400 * MS)
    if has_led:
        run.checker.on_new_term(SimpleNamespace(leadership_term_id=-5, leader_member_id=1))
    run.lead(1, 4600 * MS)
    run.add_client(310 * MS)
    run.journal.entries[5] = Entry(384, "close", 1, EPOCH_MS + closed_ms, b"2")
    return run


def test_timeout_by_a_new_leader_is_judged_from_the_begin_of_its_term():
    after_a_change(2400).conclude()
    with pytest.raises(InvariantError, match="before the timeout"):
        after_a_change(1400).conclude()
    # It may take up again a close that it had not committed.
    after_a_change(1400, has_led=True).conclude()


def test_clients_of_members_that_lost_power_without_syncs_are_not_judged():
    run = after_a_change(1400)
    run.members[0].machine.power_loss_count = 1
    run.conclude()


@pytest.mark.parametrize("number", [0, 1])
def test_leader_without_a_quorum_of_members_with_their_drivers_is_not_judged(number):
    run = Run()
    driver, module = (SimpleNamespace(start_count=1, is_running=True) for _ in range(2))
    member = run.members[number]
    member.processes = [driver, module]
    member.process_of_driver, member.process_of_module = driver, module
    run.lead(0, 100 * MS)
    driver.start_count = 2
    run.lead(0, 200 * MS)
    module.start_count = 2
    run.lead(0, 300 * MS)
    leader_starts = run.members[0].process_of_module.start_count
    assert run.checker.periods == [
        Period(0, 1, 0, 0, 90 * MS),
        Period(0, leader_starts, 0, 200 * MS, 290 * MS),
    ]
