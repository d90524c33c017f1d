"""Checkers with known-bad and good histories: only the bad ones are found."""

import struct
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from aeron_cluster.codecs.cluster import (
    AppendPosition,
    BooleanType,
    CanvassPosition,
    CatchupPosition,
    CommitPosition,
    NewLeadershipTerm,
    RequestVote,
    Vote,
)
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import invariants
from aeron_cluster.simulator.checks.ballots import (
    LeadersAreElected,
    LeadersHaveWhatIsCommitted,
    VotesAreFollowed,
)
from aeron_cluster.simulator.checks.invariants import (
    AnswersAreRight,
    CommitHasAMajority,
    ModulesHoldTheTimers,
    OneLeaderATerm,
    ServicesSeeTheSame,
    SnapshotsHoldTheTimers,
    StatesAreRight,
    SurvivorsAreAnsweredOnce,
    TimersFire,
    TimersFireOnce,
    check_logs,
    check_snapshots,
)
from aeron_cluster.simulator.checks.module_snapshots import ModuleContent
from aeron_cluster.simulator.checks.plain_requests import PlainRequests
from aeron_cluster.simulator.checks.promises import Listener
from aeron_cluster.simulator.checks.replicas import Replicas
from aeron_cluster.simulator.checks.sessions import (
    SeenClose,
    SessionsAreGivenOnce,
    Silence,
    check_left_sessions,
    check_requested_closes,
    check_timed_out,
    closed_by_returned_leader,
)
from aeron_cluster.simulator.checks.timers import check_punctual_timers
from aeron_cluster.simulator.clients.reference import (
    Operation,
    ReferenceService,
    ReferenceState,
    Request,
    Verb,
)
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.members.journal import Entry, Journal
from aeron_cluster.simulator.world.memory_files import MemoryFiles


def journal_of(*requests):
    journal = Journal(0)
    for index, request in enumerate(requests):
        position = (index + 1) * 64
        journal.add(index, Entry(position, "message", 1, index, request.encode()), "member 0")
    return journal


def operation(number, sent_ns, answered_ns, answer, verb=Verb.NEXT):
    count = int(answered_ns >= 0)
    return Operation(Request(0, number, verb), sent_ns, answered_ns, answer, count)


def check(journal, *operations):
    AnswersAreRight([operations]).conclude(SimpleNamespace(journals=[journal], members=[]))


FIRST, SECOND = (Request(0, number, Verb.NEXT) for number in range(2))


def test_a_good_history_is_good():
    check(journal_of(FIRST, SECOND), operation(0, 10, 20, 1), operation(1, 30, 40, 2))


def test_an_unanswered_request_may_be_in_the_log_or_not():
    check(journal_of(FIRST), operation(0, 10, -1, 0), operation(1, 30, -1, 0))


def test_overlapping_requests_may_be_in_any_order():
    check(journal_of(SECOND, FIRST), operation(0, 10, 40, 2), operation(1, 20, 30, 1))


@pytest.mark.parametrize(
    ("log", "operations", "what"),
    [
        ((), [operation(0, 10, 20, 1)], "an answered request is in the log"),
        ((FIRST, FIRST), [operation(0, 10, 20, 1)], "a request is in the log once"),
        ((FIRST,), [operation(0, 10, 20, 7)], "answers are right"),
        (
            (SECOND, FIRST),
            [operation(0, 10, 20, 2), operation(1, 30, 40, 1)],
            "the history is linearizable",
        ),
    ],
)
def test_a_bad_history_is_detected(log, operations, what):
    with pytest.raises(InvariantError) as found:
        check(journal_of(*log), *operations)
    assert found.value.invariant == what


def test_requests_of_the_log_that_no_load_sent_have_no_order():
    check(journal_of(SECOND, FIRST), operation(0, 10, 20, 2))


def test_two_answers_to_one_request_are_found():
    twice = operation(0, 10, 20, 1)
    twice.answer_count = 2
    with pytest.raises(InvariantError, match="one answer a request"):
        check(journal_of(FIRST), twice)


def test_services_observing_different_messages_are_found():
    journal = journal_of(FIRST)
    journal.add(0, Entry(64, "message", 1, 0, SECOND.encode()), "member 1")
    with pytest.raises(InvariantError, match="member 1 saw"):
        ServicesSeeTheSame().check(SimpleNamespace(journals=[journal], members=[]))


def test_early_timer_is_found():
    journal = journal_of(FIRST)
    journal.timers[5] = 1000
    journal.on_timer(5, 999, "member 0")
    assert [str(each) for each in journal.violations] == [
        "member 0: timer 5 fired at 999, before 1000"
    ]


def test_missing_timer_event_is_found():
    journal = journal_of(FIRST)
    journal.settings[64, 5] = -10_000
    with pytest.raises(InvariantError, match="timers fire"):
        TimersFire().conclude(SimpleNamespace(journals=[journal], members=[]))


def test_moved_timer_without_its_event_is_found():
    journal = with_timers()
    # The earlier event belongs to the earlier time.
    journal.settings = {(64, 5): 1, (128, 5): 40}
    journal.add(3, Entry(256, "message", 1, 40 + 5000, b""), "member 0")
    TimersFire().conclude(SimpleNamespace(journals=[journal], members=[]))
    journal.add(4, Entry(320, "message", 1, 41 + 5000, b""), "member 0")
    with pytest.raises(InvariantError, match="timers fire: 5, due at 40"):
        TimersFire().conclude(SimpleNamespace(journals=[journal], members=[]))


def check_that_timers_fire_once(journal):
    TimersFireOnce().conclude(SimpleNamespace(journals=[journal], members=[]))


def test_timer_firing_twice_is_found():
    journal = with_timers()
    check_that_timers_fire_once(journal)
    journal.add(3, Entry(256, "timer", 5, 30, b""), "member 0")
    with pytest.raises(InvariantError, match="timer 5 of 30"):
        check_that_timers_fire_once(journal)
    journal.settings[128, 5] = 20  # once more if it was set again
    check_that_timers_fire_once(journal)


def test_event_at_the_earlier_time_belongs_to_the_earlier_setting():
    journal = with_timers()
    journal.settings[128, 5] = 20
    check_that_timers_fire_once(journal)
    # The event precedes the callback that set it.
    journal.settings = {(192, 5): 1}
    with pytest.raises(InvariantError, match="timer 5 of 2"):
        check_that_timers_fire_once(journal)


def test_timer_moved_to_an_earlier_time_fires_once_in_all_terms():
    journal = journal_of(FIRST)
    journal.settings = {(64, 5): 500, (128, 5): 100}
    journal.add(1, Entry(192, "timer", 5, 100, b""), "member 0")
    journal.add(2, Entry(224, "term", 1, 100, b""), "member 0")
    check_that_timers_fire_once(journal)
    journal.add(3, Entry(256, "timer", 5, 100, b""), "member 0")
    with pytest.raises(InvariantError, match="timer 5 of 100"):
        check_that_timers_fire_once(journal)


def test_timer_moved_to_a_later_time_fires_at_most_once_for_each():
    journal = journal_of(FIRST)
    journal.settings = {(64, 5): 100, (128, 5): 500}
    for index, (position, timestamp) in enumerate([(192, 100), (256, 500)]):
        journal.add(1 + index, Entry(position, "timer", 5, timestamp, b""), "member 0")
    check_that_timers_fire_once(journal)
    journal.add(3, Entry(320, "timer", 5, 500, b""), "member 0")
    with pytest.raises(InvariantError, match="timer 5 of 500"):
        check_that_timers_fire_once(journal)


def test_a_moved_timer_may_fire_once_more_for_the_time_before():
    journal = journal_of(FIRST)
    journal.settings = {(64, 5): 500, (128, 5): 1000}
    journal.timers[5] = 1000
    journal.on_timer(5, 500, "member 0")
    assert journal.timers == {5: 1000}
    assert not journal.violations
    journal.on_timer(5, 499, "member 0")
    assert [str(each) for each in journal.violations] == [
        "member 0: timer 5 fired at 499, before 1000"
    ]


def member_with(state, seen_count):
    service = SimpleNamespace(service=ReferenceService(), state=state, seen_count=seen_count)
    return SimpleNamespace(member_id=0, services=[service])


def test_service_state_differing_from_the_log_is_found():
    journal = journal_of(FIRST, SECOND)
    state = ReferenceState()
    state.apply(FIRST)

    def conclude(seen_count):
        members = [member_with(state, seen_count)]
        cluster = SimpleNamespace(members=members, journals_of=lambda _: [journal])
        StatesAreRight().conclude(cluster)

    conclude(1)  # the member lags
    with pytest.raises(InvariantError, match="states are right: member 0, service 0 has"):
        conclude(2)
    state.apply(SECOND)
    conclude(2)


MAGIC = b"ACRQ" + struct.pack("<H", 1)


def enveloped(kind, sequence=0, acknowledged=0, request=None, incarnation=7, client_id=99):
    head = struct.pack("<Hqqqq", kind, client_id, incarnation, sequence, acknowledged)
    return MAGIC + head + (b"" if request is None else request.encode())


OPEN, REQUEST, FORGET = 1, 2, 3


def accepted_indexes(*messages, window_length=2):
    requests = PlainRequests(window_length)
    return [index for index, each in enumerate(messages) if requests.accept(each) is not None]


def test_a_request_of_a_surviving_client_counts_once_and_in_its_turn():
    one, two, three = (enveloped(REQUEST, number, 0, FIRST) for number in (1, 2, 3))
    assert accepted_indexes(one) == []  # the client is unknown
    assert accepted_indexes(enveloped(OPEN), one, one, three, two, one, two) == [1, 4]
    # The third is past the window until an answer is acknowledged.
    assert accepted_indexes(enveloped(OPEN), one, two, three, enveloped(REQUEST, 3, 1, FIRST)) == [
        1,
        2,
        4,
    ]
    later = enveloped(REQUEST, 2, 0, FIRST, incarnation=8)
    assert accepted_indexes(enveloped(OPEN), one, later) == [1]
    assert accepted_indexes(
        enveloped(OPEN), one, enveloped(OPEN, 1, incarnation=8), two, later
    ) == [1, 4]
    assert accepted_indexes(enveloped(OPEN), one, enveloped(FORGET, incarnation=8), two) == [1, 3]
    assert accepted_indexes(enveloped(OPEN), one, enveloped(FORGET), two) == [1]


def test_a_plain_request_is_not_an_enveloped_one():
    assert not PlainRequests.is_enveloped(FIRST.encode())
    assert PlainRequests.is_enveloped(enveloped(OPEN))


@pytest.mark.parametrize(("answer", "count"), [(1, 1), (2, 1), (1, 2)])
def test_surviving_client_is_answered_from_the_only_application(answer, count):
    journal = journal_of()
    sent = [enveloped(OPEN), *[enveloped(REQUEST, 1, 0, FIRST)] * 2]
    for index, message in enumerate(sent):
        journal.add(index, Entry(64 * index, "message", 1, index, message), "member 0")
    found = operation(0, 10, 20, answer)
    found.answer_count = count
    if (answer, count) == (1, 1):
        check(journal, found)
        return
    with pytest.raises(InvariantError, match=r"answers are right|one answer a request"):
        check(journal, found)


@pytest.mark.parametrize(
    ("verb", "failure"),
    [
        (Verb.REJECT, None),
        (Verb.REJECT, (False, "")),
        (Verb.REJECT, (True, "another")),
        (Verb.FAIL, (True, "UnworkableRequestError")),
        (Verb.FAIL, (False, "WorseRequestError")),
        (Verb.NEXT, (True, "")),
    ],
)
def test_request_that_fails_otherwise_than_its_service_decides_is_found(verb, failure):
    request = Request(0, 0, verb)
    journal = journal_of(request)
    found = operation(0, 10, 20, 1, verb)
    found.failure = request.failure
    check(journal, found)
    found.failure = failure
    with pytest.raises(InvariantError, match="requests fail as their service decides"):
        check(journal, found)


def test_surviving_client_not_answered_once_is_found():
    survivor = object.__new__(Survivor)
    survivor.number, survivor.violations, survivor.pending = 0, [], {}
    survivor._surviving, survivor._earlier = None, []
    cluster = SimpleNamespace(clients=[survivor, object()])
    SurvivorsAreAnsweredOnce().conclude(cluster)
    survivor.pending = {3: b"request"}
    SurvivorsAreAnsweredOnce().check(cluster)
    with pytest.raises(InvariantError, match=r"no answer to \[3\]"):
        SurvivorsAreAnsweredOnce().conclude(cluster)
    survivor.violations.append("request 2 was answered twice")
    with pytest.raises(InvariantError, match="request 2 was answered twice"):
        SurvivorsAreAnsweredOnce().check(cluster)


def test_module_with_a_lost_timer_is_found():
    journal = journal_of(FIRST)
    journal.settings = {(64, 5): 500, (64, 6): 1000}

    def conclude(timers):
        module = SimpleNamespace(timers=timers, context=SimpleNamespace(cluster_time=lambda: 500))
        member = SimpleNamespace(member_id=0, running_module=module)
        cluster = SimpleNamespace(members=[member], journals_of=lambda _: [journal])
        ModulesHoldTheTimers().conclude(cluster)

    conclude({6: 1000})  # the other timer is already due
    conclude(None)  # the module has no timers yet
    for lost in ({5: 500}, {6: 999}):
        with pytest.raises(InvariantError, match=r"member 0 does not have \[6\]"):
            conclude(lost)


def member(member_id, power_loss_count=0):
    machine = SimpleNamespace(power_loss_count=power_loss_count)
    return SimpleNamespace(member_id=member_id, machine=machine, driver_counters=tuple)


class Tapped:
    """A cluster whose network has carried the given messages."""

    is_joined = True
    loses_one_at_a_time = False

    def __init__(self, *messages, members=3, forgetful=(), sync_level=0, places=None):
        places = places or range(1, len(messages) + 1)
        taken = [
            (0, 0, 108, 1, (0, 32 * place), message)
            for place, message in zip(places, messages, strict=True)
        ]
        wire = SimpleNamespace(take_tapped=lambda: taken)
        self.world = SimpleNamespace(wire=wire)
        self.members = [member(each, int(each in forgetful)) for each in range(members)]
        self.sync_level = sync_level


def vote(candidate, member, term=5, log_end=(4, 100)):
    return Vote.encode(
        candidate_term_id=term,
        log_leadership_term_id=log_end[0],
        log_position=log_end[1],
        candidate_member_id=candidate,
        follower_member_id=member,
        vote=BooleanType.TRUE,
    )


def request(candidate, term=5, log_end=(4, 100), version=1 << 16):
    return RequestVote.encode(
        log_leadership_term_id=log_end[0],
        log_position=log_end[1],
        candidate_term_id=term,
        candidate_member_id=candidate,
        protocol_version=version,
    )


def new_term(leader, term=5):
    return NewLeadershipTerm.encode(
        log_leadership_term_id=4,
        next_leadership_term_id=term,
        next_term_base_log_position=100,
        next_log_position=-1,
        leadership_term_id=term,
        term_base_log_position=100,
        log_position=100,
        leader_recording_id=0,
        timestamp=0,
        leader_member_id=leader,
        log_session_id=1,
        app_version=0,
        is_startup=BooleanType.FALSE,
        commit_position=100,
    )


def canvass(member, log_end, term=5):
    return CanvassPosition.encode(
        log_leadership_term_id=log_end[0],
        log_position=log_end[1],
        leadership_term_id=term,
        follower_member_id=member,
        protocol_version=1,
    )


def appended(member, position, term=5, flags=0):
    return AppendPosition.encode(
        leadership_term_id=term, log_position=position, follower_member_id=member, flags=flags
    )


def catchup(member, position, term=5):
    return CatchupPosition.encode(
        leadership_term_id=term,
        log_position=position,
        follower_member_id=member,
        catchup_endpoint="localhost:9004",
    )


def committed(leader, position, term=5):
    return CommitPosition.encode(
        leadership_term_id=term, log_position=position, leader_member_id=leader
    )


def check_messages(*messages, **of_the_cluster):
    CommitHasAMajority(OneLeaderATerm()).check(Tapped(*messages, **of_the_cluster))


def test_a_vote_for_two_candidates_is_found():
    check_messages(vote(1, 0), vote(1, 0), vote(2, 0, term=6))
    with pytest.raises(InvariantError, match="a member votes once a term"):
        check_messages(vote(1, 0), vote(2, 0))


def test_candidate_voting_for_another_is_found():
    check_messages(request(1), vote(1, 0), request(1))
    for messages in ((request(1), vote(2, 1)), (vote(2, 1), request(1))):
        with pytest.raises(InvariantError, match=r"member 1 voted for . and . in 5"):
            check_messages(*messages)


def test_vote_sent_to_an_earlier_leader_does_not_count_as_a_candidates():
    check_messages(vote(2, 1), request(1, version=0), vote(1, 0))
    with pytest.raises(InvariantError, match="member 0 voted for 1 and 2"):
        check_messages(vote(2, 1), request(1, version=0), vote(1, 0), vote(2, 0))


def test_a_candidate_again_in_its_term_with_another_log_is_found():
    check_messages(request(1), request(1, term=6, log_end=(4, 50)))
    with pytest.raises(InvariantError, match="a candidate stands once a term: member 1 in 5"):
        check_messages(request(1), request(1, log_end=(4, 50)))


def test_votes_of_candidates_and_of_others_are_checked_on_their_disks():
    seen = []
    listener = Listener()
    listener.on_vote = lambda _, term_id, member_id: seen.append((term_id, member_id))
    checker = CommitHasAMajority(OneLeaderATerm(), [listener])
    checker.check(Tapped(request(1), vote(1, 0)))
    assert seen == [(5, 1), (5, 0)]


def check_ballots(*messages, members=3):
    checker = CommitHasAMajority(OneLeaderATerm(), [LeadersAreElected()])
    checker.check(Tapped(*messages, members=members))


@pytest.mark.parametrize("ahead", [(4, 132), (5, 0)])
def test_vote_for_a_log_shorter_than_the_voters_is_found(ahead):
    check_ballots(request(1, term=6), vote(1, 0, term=6, log_end=(3, 900)))
    with pytest.raises(InvariantError, match="member 0, with its log up to"):
        check_ballots(request(1, term=6), vote(1, 0, term=6, log_end=ahead))


@pytest.mark.parametrize(("members", "others"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2)])
def test_a_leader_without_the_votes_of_a_majority_is_found(members, others):
    sent_messages = [request(0), *(vote(0, 1 + each) for each in range(others))]
    check_ballots(*sent_messages, new_term(0), members=members)
    check_ballots(*sent_messages[:-1], members=members)  # a member that does not lead needs none
    for short in ([*sent_messages[:-1], new_term(0)], [*sent_messages, new_term(0, term=6)]):
        with pytest.raises(InvariantError, match="a leader is elected: member 0 leads term"):
            check_ballots(*short, members=members)


BEGUN = (request(0, log_end=(-1, 0)), new_term(0), appended(1, 100), committed(0, 100))


def check_later_leader(*messages, **of_the_cluster):
    replicas = Replicas()
    checker = CommitHasAMajority(OneLeaderATerm(), [LeadersHaveWhatIsCommitted(replicas)], replicas)
    checker.check(Tapped(*messages, **of_the_cluster))


def elected(log_end):
    return request(2, term=6, log_end=log_end), new_term(2, term=6)


@pytest.mark.parametrize("log_end", [(5, 96), (-1, 0)])
def test_a_leader_without_previously_committed_log_is_detected(log_end):
    check_later_leader(*BEGUN, *elected((5, 100)))
    for messages in ((*BEGUN, *elected(log_end)), (*BEGUN[:2], *elected(log_end), *BEGUN[2:])):
        with pytest.raises(InvariantError, match="member 2 leads term 6"):
            check_later_leader(*messages)
    check_later_leader(*BEGUN, *elected(log_end)[:1])  # the member does not lead
    check_later_leader(*BEGUN, *elected(log_end), forgetful=[1])  # nothing was promised
    with pytest.raises(InvariantError, match="a leader has what is committed"):
        check_later_leader(*BEGUN, *elected(log_end), forgetful=[1], sync_level=1)


def test_a_log_of_a_term_that_was_never_announced_is_not_compared():
    check_later_leader(*BEGUN, *elected((7, 200)))


def followed(*steps, layout="node", forgetful=0, sync_level=0, counters=()):
    checker = VotesAreFollowed()
    members = [member(each, forgetful) for each in range(2)]
    for each in members:
        each.driver_counters = lambda: counters
    for at_ms, what, term_id, member_id in steps:
        cluster = SimpleNamespace(
            now_ns=at_ms * 1_000_000, layout=layout, members=members, sync_level=sync_level
        )
        places = (term_id, 0, member_id) if what == APPEND else (term_id, member_id)
        getattr(checker, what)(cluster, *places)


VOTE, APPEND = "on_vote", "on_new_append"


@pytest.mark.parametrize("what", [VOTE, APPEND])
def test_activity_in_a_term_before_the_last_vote_is_detected(what):
    before = (0, VOTE, 5, 0)
    followed(before, (100, what, 5, 0), (100, what, 6, 0))
    followed(before, (100, what, 4, 1))
    followed(before, (10, what, 4, 0))  # sent in the same pass on another stream
    followed(before, (100, what, 4, 0), layout="apart")
    followed(before, (100, what, 4, 0), forgetful=1)
    followed((0, VOTE, 4, 0), (50, VOTE, 5, 0), (100, VOTE, 4, 0))  # a repeated message
    for power in ({}, {"forgetful": 1, "sync_level": 1}):
        with pytest.raises(InvariantError, match="in term 4, and voted in 5 before"):
            followed(before, (100, what, 4, 0), **power)


@pytest.mark.parametrize(
    ("position", "limit", "stream_id", "is_held_up"),
    [(129, 128, 108, True), (128, 128, 108, False), (129, 128, 100, False)],
)
def test_what_was_held_up_before_a_vote_is_no_activity(position, limit, stream_id, is_held_up):
    key = struct.pack("<qii", 7, 9, stream_id)
    counters = [SimpleNamespace(type_id=12, key=key, value=position)]
    counters.append(SimpleNamespace(type_id=9, key=key, value=limit))
    steps = (0, VOTE, 5, 0), (100, APPEND, 4, 0)
    with nullcontext() if is_held_up else pytest.raises(InvariantError, match="and voted in 5"):
        followed(*steps, counters=counters)


def test_repeated_and_catchup_append_positions_acknowledge_no_leader():
    seen = []
    listener = Listener()
    listener.on_new_append = lambda _, *what: seen.append(what)
    checker = CommitHasAMajority(OneLeaderATerm(), [listener])
    messages = appended(1, 100), appended(1, 100), appended(1, 120, flags=1)
    checker.check(Tapped(*messages, places=[1, 1, 2]))
    assert seen == [(5, 100, 1)]


def test_a_canvass_that_is_sent_again_is_not_reported_again():
    seen = []
    listener = Listener()
    listener.on_canvass = lambda *what: seen.append(what)
    checker = CommitHasAMajority(OneLeaderATerm(), [listener])
    checker.check(Tapped(*[canvass(1, (4, 150))] * 3, places=[1, 2, 1]))
    assert seen == [(5, 150, 1)] * 2


def test_only_the_leader_of_a_term_commits():
    with pytest.raises(InvariantError, match="members 0 and 1 in term 5"):
        check_messages(appended(2, 100), committed(0, 100), appended(0, 100), committed(1, 100))


def test_two_leaders_of_a_term_are_found():
    leaders = OneLeaderATerm()
    leaders.on_leader(5, 1)
    leaders.on_leader(6, 2)
    with pytest.raises(InvariantError, match="members 1 and 2 in term 5"):
        leaders.on_leader(5, 2)


def test_commit_reported_by_no_other_member_is_found():
    checker = CommitHasAMajority(OneLeaderATerm())
    checker.check(Tapped(appended(1, 200), committed(0, 200)))
    with pytest.raises(InvariantError, match="commit has a majority"):
        checker.check(Tapped(committed(0, 201), places=[9]))


def test_half_of_the_members_is_not_a_majority():
    check_messages(appended(1, 200), appended(2, 200), committed(0, 200), members=4)
    for members, acknowledged in ((2, []), (4, [appended(1, 200)]), (5, [appended(1, 200)])):
        with pytest.raises(InvariantError, match="commit has a majority"):
            check_messages(*acknowledged, committed(0, 200), members=members)


# Member 0 leads terms 4 and 5, and term 5 from 100 on.
LEADER = [request(0, term=4, log_end=(-1, 0)), request(0)]


def test_log_truncated_by_a_member_no_longer_counts():
    reported = [*LEADER, committed(0, 0, term=4), appended(1, 200)]
    check_messages(*reported, committed(0, 200))
    with pytest.raises(InvariantError, match="commit has a majority"):
        check_messages(*reported, canvass(1, (5, 150)), committed(0, 200))


def test_catchup_delivers_the_log_of_the_requested_term():
    behind = [*LEADER, committed(0, 0, term=4), catchup(1, 100)]
    check_messages(*behind, appended(1, 200, term=4, flags=1), committed(0, 200))
    for sent_messages in (
        [*behind, appended(1, 200, term=4)],
        [*LEADER, committed(0, 0, term=4), appended(1, 200, term=4, flags=1)],
        [*LEADER, committed(0, 0, term=4), catchup(1, 0, term=4), appended(1, 200, 4, flags=1)],
    ):
        with pytest.raises(InvariantError, match="commit has a majority"):
            check_messages(*sent_messages, committed(0, 200))


def test_lower_report_without_an_election_is_no_truncation():
    check_messages(appended(1, 200), appended(1, 150), committed(0, 200))
    with pytest.raises(InvariantError, match="commit has a majority"):
        check_messages(appended(1, 200), vote(2, 1, term=6, log_end=(5, 150)), committed(0, 200))


def test_earlier_rows_sent_again_are_not_duplicated():
    reported = [appended(1, 200), canvass(1, (5, 150)), appended(1, 200), committed(0, 200)]
    with pytest.raises(InvariantError, match="commit has a majority"):
        check_messages(*reported, places=[1, 2, 1, 3])
    check_messages(*reported, places=[1, 2, 3, 4])
    reported = [canvass(1, (5, 150)), appended(1, 200), canvass(1, (5, 150)), committed(0, 200)]
    check_messages(*reported, places=[1, 2, 1, 3])


def test_log_of_another_term_counts_up_to_the_common_prefix():
    before = [*LEADER, committed(0, 0, term=4)]
    check_messages(*before, appended(1, 180, term=4), committed(0, 100))
    with pytest.raises(InvariantError, match="commit has a majority"):
        # Past 100, member 1's log of term 4 differs from the log of term 5's leader.
        check_messages(*before, appended(1, 180, term=4), committed(0, 132))


def test_a_log_of_a_term_with_an_unknown_leader_counts_for_nothing():
    with pytest.raises(InvariantError, match="commit has a majority"):
        check_messages(appended(1, 180, term=4), committed(0, 100))


def test_member_may_lose_unpromised_log_in_a_power_loss():
    reported = [appended(1, 200), canvass(1, (5, 150)), committed(0, 200)]
    check_messages(*reported, forgetful=[1])
    with pytest.raises(InvariantError, match="commit has a majority"):
        check_messages(*reported, forgetful=[1], sync_level=1)


def test_the_reference_state_is_the_same_after_a_snapshot():
    state = ReferenceState()
    for verb in (Verb.WRITE, Verb.PUSH, Verb.NEXT):
        state.apply(Request(0, 0, verb, 3, 4))
    state.on_timer(9)
    again = ReferenceState.decode(state.encode())
    assert again.encode() == state.encode()
    assert again.apply(Request(0, 1, Verb.POP)) == 3
    assert again.apply(Request(0, 2, Verb.COMPARE_AND_SET, 3, 8)) == 1
    assert again.apply(Request(0, 3, Verb.READ)) == 8


def test_differing_logs_are_named_with_the_place():
    log = [(64, b"one"), (160, b"two"), (256, b"three")]
    check_logs({0: log, 1: log[:2], 2: []})
    with pytest.raises(InvariantError, match="message 1: member 1 has"):
        check_logs({0: log, 1: [log[0], (160, b"other")]})
    with pytest.raises(InvariantError, match="message 1: member 1 has"):
        check_logs({0: log, 1: [log[0], (192, b"two")]})


def test_differing_snapshots_of_one_position_are_named():
    check_snapshots({0: [(64, 0, b"a"), (128, 0, b"b")], 1: [(128, 0, b"b"), (128, 1, b"c")]})
    with pytest.raises(InvariantError, match="members 0 and 2, service 0 at 64"):
        check_snapshots({0: [(64, 0, b"a")], 2: [(64, 0, b"b")]})


def test_differing_messages_offered_at_one_place_are_found():
    journal = Journal(0)
    journal.on_offer(64, 0, b"one", "member 0")
    journal.on_offer(64, 1, b"two", "member 0")
    journal.on_offer(64, 0, b"one", "member 1")
    assert journal.offered() == [b"one", b"two"]
    journal.on_offer(64, 1, b"other", "member 1")
    with pytest.raises(InvariantError, match="member 1 offered"):
        ServicesSeeTheSame().check(SimpleNamespace(journals=[journal], members=[]))


def with_a_disk():
    return SimpleNamespace(
        member_id=0, machine=SimpleNamespace(files=MemoryFiles(directories=["/data"]))
    )


def with_timers():
    journal = Journal(0)
    for index, (kind, key) in enumerate([("message", 1), ("message", 1), ("timer", 5)]):
        journal.add(index, Entry((index + 1) * 64, kind, key, index, b""), "member 0")
    journal.settings = {(64, 5): 1, (64, 6): 20, (128, 7): 30, (192, 6): None}
    return journal


def test_journal_lists_the_timers_set_at_a_position():
    journal = with_timers()
    assert journal.timers_at(64) == {5, 6}
    assert journal.timers_at(128) == {5, 6, 7}
    assert journal.timers_at(192) == {7}
    journal.settings[192, 5] = 40  # by the callback of the same timer
    assert journal.timers_at(192) == {5, 7}


def test_sessions_that_a_leader_closes_when_it_leads_again_are_known():
    journal = Journal(0)

    def add(kind, key, payload=b""):
        index = len(journal.entries)
        journal.add(index, Entry((index + 1) * 64, kind, key, index, payload), "member 0")

    for kind, key, payload in [
        ("term", 0, b"0"), ("open", 1, b""), ("open", 2, b""), ("close", 2, b"2"),
        ("term", 1, b"1"), ("open", 3, b""), ("close", 3, b"2"),
    ]:  # fmt: skip
        add(kind, key, payload)
    assert closed_by_returned_leader(journal) == set()
    add("term", 2, b"0")
    assert closed_by_returned_leader(journal) == set()
    add("close", 1, b"2")
    assert closed_by_returned_leader(journal) == {1}


def test_timer_missing_from_a_snapshot_is_found(monkeypatch):
    cluster = SimpleNamespace(
        members=[with_a_disk()], sync_level=1, journals_of=lambda _: [with_timers()]
    )
    content = ModuleContent(timers={5: 10, 6: 20})
    monkeypatch.setattr(invariants, "read_module_snapshots", lambda *_: [(64, content)])
    SnapshotsHoldTheTimers().conclude(cluster)
    monkeypatch.setattr(invariants, "read_module_snapshots", lambda *_: [(128, content)])
    with pytest.raises(InvariantError, match=r"at 128: \[7\] are not there"):
        SnapshotsHoldTheTimers().conclude(cluster)


def test_timer_of_a_snapshot_that_has_fired_is_found(monkeypatch):
    journals = [with_timers()]
    cluster = SimpleNamespace(members=[with_a_disk()], sync_level=1, journals_of=lambda _: journals)
    content = ModuleContent(timers={5: 1, 7: 30})
    monkeypatch.setattr(invariants, "read_module_snapshots", lambda *_: [(192, content)])
    with pytest.raises(InvariantError, match=r"at 192: .*, \[5\] are not pending"):
        SnapshotsHoldTheTimers().conclude(cluster)
    journals.append(Journal(1))  # of a native service, whose timers are not observed
    SnapshotsHoldTheTimers().conclude(cluster)


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ([("open", 1), ("message", 1), ("close", 1), ("open", 2), ("message", -1)], ""),
        ([("open", 1), ("close", 1), ("open", 1)], "given once: open 1"),
        ([("open", 1), ("open", 1)], "given once: open 1"),
        ([("close", 1)], "closed once: close 1"),
        ([("open", 1), ("close", 1), ("close", 1)], "closed once: close 1"),
        ([("open", 1), ("close", 1), ("message", 1)], "a closed session: message 1"),
    ],
)
def test_a_session_is_opened_once_used_and_closed_once(entries, found):
    journal = Journal(0)
    checker = SessionsAreGivenOnce()
    cluster = SimpleNamespace(journals=[journal], members=[])
    failure = ""
    for index, (kind, key) in enumerate(entries):
        journal.add(index, Entry((index + 1) * 64, kind, key, index, b""), "member 0")
        try:
            checker.check(cluster)  # while it grows
        except InvariantError as error:
            failure = str(error)
    assert found in failure
    assert bool(found) == bool(failure)


@pytest.mark.parametrize(
    ("held", "unknown", "found"),
    [
        ([2, 3], 0, ""),
        ([2], 1, ""),
        ([1, 2, 3], 0, r"sessions of clients stay open: \[1\] were closed"),
        ([2], 0, r"sessions without a client time out: \[3\] are open after 2.5 s"),
        ([], 1, r"time out: \[2, 3\] are open"),
    ],
)
def test_the_sessions_at_the_end_belong_to_clients(held, unknown, found):
    journal = Journal(0)
    for index, (kind, key) in enumerate([("open", 1), ("open", 2), ("close", 1), ("open", 3)]):
        journal.add(index, Entry((index + 1) * 64, kind, key, index, b""), "member 0")
    with pytest.raises(InvariantError, match=found) if found else nullcontext():
        check_left_sessions(journal, held, unknown, 2_500_000_000)


DAY_MS = 1_767_225_600_000


@pytest.mark.parametrize(
    ("settings", "ticks", "is_late"),
    [
        ({(64, 5): 1000}, 1, False),
        ({(64, 5): 900}, 1, False),
        ({(64, 5): 700}, 1, True),
        ({(64, 5): 700}, 1000, True),
        ({(64, 5): 700, (96, 5): 950}, 1, False),
        ({(64, 5): 700, (192, 5): 950}, 1, True),  # set by what came after it
        ({(96, 5): 700}, 1, False),  # overdue when it was set
        ({(32, 5): 400}, 1, False),  # overdue when the leader began
        ({}, 1, False),
    ],
)
def test_timers_fire_soon_after_their_time(settings, ticks, is_late):
    journal = Journal(0)
    events = [(0, "term", 1), (500, "message", 1), (900, "message", 1), (1010, "timer", 5)]
    for index, (ms, kind, key) in enumerate(events):
        entry = Entry(32 * (index + 1), kind, key, (DAY_MS + ms) * ticks, b"")
        journal.add(index, entry, "member 0")
    journal.settings = {at: (DAY_MS + ms) * ticks for at, ms in settings.items()}
    expected = pytest.raises(InvariantError, match="in time: timer 5") if is_late else nullcontext()
    with expected:
        check_punctual_timers(journal, 1, DAY_MS)
    check_punctual_timers(journal, 1, DAY_MS + 960)  # all were due before it began
    check_punctual_timers(journal, 4, DAY_MS)


def test_session_that_stays_open_though_its_service_closed_it_is_detected():
    journal = Journal(0)
    for index, (kind, key) in enumerate([("open", 1), ("open", 2), ("close", 1)]):
        journal.add(index, Entry((index + 1) * 64, kind, key, index, b""), "member 0")
    journal.closes = {1: 64}
    check_requested_closes(journal)
    journal.closes[2] = 128
    with pytest.raises(InvariantError, match=r"services close sessions: service 0: \[2\] are"):
        check_requested_closes(journal)


S = 1_000_000_000
SILENT_SINCE = Silence(5, 3 * S, 3 * S)


@pytest.mark.parametrize("seen_s", [12.9, 13.0, 13.4])
def test_a_session_that_times_out_in_time_passes(seen_s):
    closes = {5: SeenClose(int(seen_s * S), 2)}
    check_timed_out([SILENT_SINCE, Silence(5, 0, 3 * S)], closes, 10 * S, 0)


@pytest.mark.parametrize(
    ("closes", "found"),
    [
        ({}, "in their time: .* not closed"),
        ({4: SeenClose(13 * S, 2)}, "in their time"),
        ({5: SeenClose(12 * S, 2)}, "in their time"),
        ({5: SeenClose(14 * S, 2)}, "in their time"),
        ({5: SeenClose(13 * S, 0)}, "closes have their reason"),
    ],
)
def test_a_session_timeout_at_another_time_is_detected(closes, found):
    with pytest.raises(InvariantError, match=found):
        check_timed_out([SILENT_SINCE], closes, 10 * S, 0)
