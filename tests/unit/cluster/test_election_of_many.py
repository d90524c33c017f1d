"""One member's election, with the other members played by the test: ElectionTest, case by case."""

import itertools

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.codecs.cluster import (
    AppendPosition,
    BooleanType,
    CanvassPosition,
    CommitPosition,
    NewLeadershipTerm,
    RequestVote,
    Vote,
    decode,
)
from tests.unit.cluster.election_rig import MS, TIMES, Cluster, Disk, Host

MEMBER_ID = 1
OTHERS = (0, 2)
TICK_NS = 10 * MS


class Alone(Cluster):
    """A cluster of three with one running member; its messages to the others are recorded."""

    def __init__(self, disk=None):
        self.sent = []
        self.sends = True
        super().__init__(3, disks=[None, disk or Disk(), None])
        self.node = self.nodes[MEMBER_ID]
        self.node.start()
        self.run(1, TICK_NS)

    def send(self, source, target, message):
        assert source == MEMBER_ID
        if self.sends:
            self.sent.append((target, decode(message)))
        return self.sends

    def can_reach(self, source, target):
        return (source, target) not in self.cut

    @property
    def election(self):
        return self.node.host.election

    @property
    def state(self):
        return self.election.state

    def deliver(self, *messages):
        for message in messages:
            self.node.receive(decode(message))
        self.run(1, TICK_NS)

    def run_for(self, duration_ns):
        self.run(duration_ns // TICK_NS, TICK_NS)

    def await_state(self, state, within_ns):
        self.run_until(lambda: self.state is state, within_ns // TICK_NS, TICK_NS)

    def reports_of(self, kind):
        """Return its messages of a kind since the last call, with their targets."""
        reported = [(target, each) for target, each in self.sent if isinstance(each, kind)]
        self.sent = [each for each in self.sent if each not in reported]
        return reported

    def stand(self, **log):
        """Canvass as all other members until it requests their votes; return the term."""
        self.deliver(*(canvass(each, **log) for each in OTHERS))
        self.await_state(ElectionState.CANDIDATE_BALLOT, TIMES.ballot_ns)
        self.run(1, TICK_NS)
        return self.election.candidate_term_id


def canvass(member_id, log_term_id=-1, log_position=0):
    return CanvassPosition.encode(
        log_leadership_term_id=log_term_id,
        log_position=log_position,
        leadership_term_id=log_term_id,
        follower_member_id=member_id,
        protocol_version=0,
    )


def request_vote(member_id, term_id, log_term_id=-1, log_position=0):
    return RequestVote.encode(
        log_leadership_term_id=log_term_id,
        log_position=log_position,
        candidate_term_id=term_id,
        candidate_member_id=member_id,
        protocol_version=0,
    )


def vote(member_id, term_id, *, is_for=True):
    return Vote.encode(
        candidate_term_id=term_id,
        log_leadership_term_id=-1,
        log_position=0,
        candidate_member_id=MEMBER_ID,
        follower_member_id=member_id,
        vote=BooleanType(is_for),
    )


def new_term(term_id, base, log_position, **fields):
    """Announce member 0 as leader of a term, after a log of `log_leadership_term_id`."""
    return NewLeadershipTerm.encode(
        **{
            "log_leadership_term_id": -1,
            "next_leadership_term_id": term_id,
            "next_term_base_log_position": base,
            "next_log_position": -1,
            "leadership_term_id": term_id,
            "term_base_log_position": base,
            "log_position": log_position,
            "leader_recording_id": 5,
            "timestamp": 0,
            "leader_member_id": 0,
            "log_session_id": 77,
            "app_version": 1,
            "is_startup": BooleanType.FALSE,
            "commit_position": 0,
            **fields,
        }
    )


def commit_position(term_id, position):
    return CommitPosition.encode(
        leadership_term_id=term_id, log_position=position, leader_member_id=0
    )


def log_of_term(term_id, end):
    disk = Disk()
    disk.append(term_id, 0, end)
    disk.terms = dict.fromkeys(range(term_id), (0, 0)) | {term_id: (0, -1)}
    disk.candidate_term_id = term_id
    return disk


# ---- canvass and ballots ----


def test_becomes_candidate_with_all_members_and_leads_with_all_votes():
    alone = Alone()
    began_ns = alone.now_ns
    term_id = alone.stand()
    assert [(target, each.candidate_term_id) for target, each in alone.reports_of(RequestVote)] == [
        (0, term_id),
        (2, term_id),
    ]
    alone.deliver(vote(0, term_id), vote(2, term_id))
    assert alone.election.leader is alone.election.this_member
    assert alone.now_ns - began_ns < TIMES.ballot_ns
    # Each was requested once.
    assert alone.reports_of(RequestVote) == []


def test_candidate_stores_the_position_up_to_which_it_has_read_with_its_promise():
    alone = Alone(log_of_term(2, 640))
    term_id = alone.stand(log_term_id=2, log_position=640)
    assert (alone.election.log_position, alone.election.append_position) == (0, 640)
    assert alone.node.disk.candidate_term_id == term_id
    assert alone.node.disk.promised_position == 0


@pytest.mark.parametrize(("log_position", "is_for"), [(704, True), (576, False)])
def test_voter_stores_the_candidates_log_position_with_its_promise(log_position, is_for):
    alone = Alone(log_of_term(2, 640))
    alone.deliver(request_vote(0, 5, 2, log_position))
    ((_, reported),) = alone.reports_of(Vote)
    assert reported.vote is BooleanType(is_for)
    assert alone.node.disk.candidate_term_id == 5
    assert alone.node.disk.promised_position == log_position


def test_becomes_candidate_and_leader_late_with_only_a_majority():
    alone = Alone()
    alone.deliver(canvass(0))
    alone.run_for(TIMES.startup_canvass_ns // 2)
    assert alone.state is ElectionState.CANVASS
    alone.await_state(ElectionState.CANDIDATE_BALLOT, TIMES.startup_canvass_ns)
    began_ns = alone.now_ns
    alone.deliver(vote(0, 0))
    alone.run_for(TIMES.ballot_ns // 2)
    assert alone.state is ElectionState.CANDIDATE_BALLOT
    alone.await_state(ElectionState.LEADER_LOG_REPLICATION, TIMES.ballot_ns)
    assert alone.now_ns - began_ns >= TIMES.ballot_ns


def test_only_the_appointed_member_becomes_candidate_and_others_vote_for_it():
    alone = Alone()
    alone.election.may_stand = False
    alone.deliver(*map(canvass, OTHERS))
    alone.run_for(2 * TIMES.startup_canvass_ns)
    assert alone.state is ElectionState.CANVASS
    alone.deliver(request_vote(2, 0))
    ((target, reported),) = alone.reports_of(Vote)
    assert (target, reported.vote, alone.state) == (
        2,
        BooleanType.TRUE,
        ElectionState.FOLLOWER_BALLOT,
    )


def test_grants_one_vote_in_a_term_before_its_own_nomination():
    alone = Alone()
    alone.deliver(*map(canvass, OTHERS))
    assert alone.state is ElectionState.NOMINATE
    alone.deliver(request_vote(0, 0))
    assert alone.state is ElectionState.FOLLOWER_BALLOT
    alone.deliver(request_vote(2, 0))
    assert [(target, each.vote) for target, each in alone.reports_of(Vote)] == [
        (0, BooleanType.TRUE),
        (2, BooleanType.FALSE),
    ]
    assert alone.node.disk.candidate_term_id == 0


def test_a_ballot_without_a_majority_ends_in_a_canvass():
    alone = Alone()
    alone.stand()
    alone.run_for(TIMES.ballot_ns + TICK_NS)
    assert alone.state is ElectionState.CANVASS
    assert alone.node.host.role is Role.FOLLOWER


def test_votes_of_unlisted_ids_do_not_count():
    alone = Alone()
    term_id = alone.stand()
    alone.deliver(*(vote(each, term_id) for each in (3, 4)))
    alone.await_state(ElectionState.CANVASS, 2 * TIMES.ballot_ns)
    alone.deliver(request_vote(3, term_id + 5))
    assert alone.reports_of(Vote) == []
    assert alone.election.candidate_term_id == term_id


def test_after_a_split_vote_it_becomes_candidate_in_the_next_term():
    alone = Alone()
    first = alone.stand()
    alone.deliver(vote(0, first, is_for=False), vote(2, first, is_for=False))
    alone.await_state(ElectionState.CANVASS, 2 * TIMES.ballot_ns)
    second = alone.stand()
    assert second == first + 1
    alone.deliver(vote(2, first))  # late, and of the previous ballot
    assert alone.state is ElectionState.CANDIDATE_BALLOT
    alone.deliver(vote(0, second), vote(2, second))
    assert alone.election.leader is alone.election.this_member


@pytest.mark.parametrize("is_for", [True, False])
def test_a_late_vote_of_an_earlier_ballot_replaces_no_later_one(is_for):
    alone = Alone()
    first = alone.stand()
    alone.await_state(ElectionState.CANVASS, 2 * TIMES.ballot_ns)
    second = alone.stand()
    alone.deliver(vote(0, second), vote(0, first, is_for=is_for), vote(2, second))
    assert alone.election.leader is alone.election.this_member


@pytest.mark.parametrize("voters", [(0,), OTHERS])
def test_candidate_that_is_requested_to_vote_in_a_later_term_leads_no_earlier_one(voters):
    # All would have promised the later term, and follow no leader of the earlier one; it could not
    # learn so from them, since it knows the later term.
    alone = Alone(log_of_term(3, 640))
    term_id = alone.stand(log_term_id=3, log_position=640)
    alone.node.receive(decode(vote(0, term_id)))
    alone.node.receive(decode(request_vote(0, term_id + 1)))  # its log is shorter
    for each in voters[1:]:
        alone.node.receive(decode(vote(each, term_id)))
    alone.run(1, TICK_NS)
    assert [(target, each.vote) for target, each in alone.reports_of(Vote)] == [
        (0, BooleanType.FALSE)
    ]
    assert alone.state is ElectionState.CANVASS
    alone.run_for(2 * TIMES.ballot_ns)
    assert alone.election.leader is None
    assert alone.stand(log_term_id=3, log_position=640) == term_id + 2


def test_a_ballot_without_a_leader_ends_in_a_canvass():
    alone = Alone()
    alone.deliver(request_vote(0, 0))
    # A candidate without all votes leads at the end of its ballot, and sends its term then.
    alone.run_for(TIMES.ballot_ns + TIMES.status_interval_ns - 2 * TICK_NS)
    assert alone.state is ElectionState.FOLLOWER_BALLOT
    alone.run_for(3 * TICK_NS)
    assert alone.state is ElectionState.CANVASS


def test_does_not_follow_a_leader_of_a_term_before_one_it_voted_in():
    alone = Alone(log_of_term(2, 96))
    alone.deliver(request_vote(2, 5, 2, 96))
    alone.await_state(ElectionState.CANVASS, 2 * TIMES.ballot_ns)
    alone.deliver(new_term(3, 96, 192, log_leadership_term_id=2))
    assert alone.state is ElectionState.CANVASS
    ((target, challenge),) = alone.reports_of(RequestVote)
    assert (target, challenge.candidate_term_id) == (0, 5)
    assert not challenge.protocol_version  # the simulator's sign that it is not a candidacy


@pytest.mark.parametrize("disk", [Disk(), log_of_term(2, 96)], ids=["an empty log", "a log"])
def test_rejection_of_a_leader_costs_no_vote(disk):
    """It is not a candidacy: a canvassing member votes only for the term's candidate."""
    sender = Alone(log_of_term(2, 96))
    sender.deliver(request_vote(2, 5, 2, 96))
    sender.await_state(ElectionState.CANVASS, 2 * TIMES.ballot_ns)
    sender.deliver(new_term(3, 96, 192, log_leadership_term_id=2))
    ((_, challenge),) = sender.reports_of(RequestVote)
    receiver = Alone(disk)
    receiver.deliver(request_vote(0, 5, challenge.log_leadership_term_id, challenge.log_position))
    assert receiver.state is ElectionState.CANVASS
    ((_, answer),) = receiver.reports_of(Vote)
    assert answer.vote is BooleanType.FALSE
    assert receiver.election.candidate_term_id == 5


def promise_and_restart():
    """Return a restarted member that promised term 5 to member 2, with a log of term 2."""
    alone = Alone(log_of_term(2, 96))
    alone.deliver(request_vote(2, 5, 2, 96))
    ((_, promise),) = alone.reports_of(Vote)
    assert promise.vote is BooleanType.TRUE
    restart(alone)
    return alone


@pytest.mark.parametrize("term_id", [4, 5])
def test_restarted_member_does_not_vote_again_in_a_term_that_it_promised(term_id):
    alone = promise_and_restart()
    alone.deliver(request_vote(0, term_id, 2, 96))
    ((target, answer),) = alone.reports_of(Vote)
    assert (target, answer.vote) == (0, BooleanType.FALSE)
    assert alone.state is ElectionState.CANVASS


def test_restarted_member_is_a_candidate_for_a_term_above_its_promise():
    alone = promise_and_restart()
    assert alone.stand(log_term_id=2, log_position=96) == 6


def test_restarted_member_follows_no_leader_of_a_term_below_its_promise():
    alone = promise_and_restart()
    alone.deliver(new_term(3, 96, 192, log_leadership_term_id=2))
    assert alone.state is ElectionState.CANVASS
    ((target, challenge),) = alone.reports_of(RequestVote)
    assert (target, challenge.candidate_term_id) == (0, 5)


@pytest.mark.parametrize(
    ("term_id", "state"), [(1, ElectionState.CANVASS), (2, ElectionState.NOMINATE)]
)
def test_position_of_a_term_after_the_elections_is_ignored(term_id, state):
    """Not that of an earlier or the same one: that member's log is shorter than the candidate's."""
    alone = Alone(log_of_term(1, 128))
    alone.deliver(canvass(0, 1, 128))
    alone.deliver(
        AppendPosition.encode(
            leadership_term_id=term_id, log_position=192, follower_member_id=0, flags=0
        )
    )
    alone.deliver(canvass(2, 1, 128))
    assert alone.state is state


def test_leader_restarting_an_election_is_a_follower():
    alone = Alone()
    alone.node.host.role = Role.LEADER
    alone.node.elect("inactive quorum")
    alone.run(3, TICK_NS)
    assert alone.node.host.role is Role.FOLLOWER


# ---- a leader ----


def test_a_leader_waits_for_a_majority_and_sends_one_term_throughout():
    alone = Alone(log_of_term(1, 128))
    alone.deliver(canvass(0, 1, 64), canvass(2, 0, 0))
    alone.await_state(ElectionState.CANDIDATE_BALLOT, TIMES.ballot_ns)
    term_id = alone.election.candidate_term_id
    alone.deliver(vote(0, term_id), vote(2, term_id))
    alone.run_for(TIMES.heartbeat_interval_ns)
    assert alone.state is ElectionState.LEADER_LOG_REPLICATION
    append = AppendPosition.encode(
        leadership_term_id=term_id, log_position=128, follower_member_id=0, flags=0
    )
    alone.deliver(append)
    assert alone.state is not ElectionState.LEADER_LOG_REPLICATION
    alone.run(5, TICK_NS)
    messages = [
        each for _, each in alone.sent if isinstance(each, NewLeadershipTerm | CommitPosition)
    ]
    assert {each.leadership_term_id for each in messages} == {term_id}
    assert max(each.log_position for each in messages if isinstance(each, CommitPosition)) == 128


# ---- a follower ----


@pytest.mark.parametrize("is_startup", [False, True])
def test_a_followers_services_start_where_the_leader_requests(is_startup):
    alone = Alone()
    alone.deliver(new_term(0, 0, 0, is_startup=BooleanType(is_startup)))
    alone.run(5, TICK_NS)
    assert alone.election.is_leader_startup is is_startup


def test_a_follower_passes_the_terms_of_failed_elections():
    alone = Alone(log_of_term(1, 64))
    alone.deliver(request_vote(0, 10, log_term_id=1, log_position=128))
    assert alone.state is ElectionState.FOLLOWER_BALLOT
    alone.deliver(
        new_term(10, 128, 128, log_leadership_term_id=1, next_log_position=128, commit_position=64)
    )
    assert alone.state is ElectionState.FOLLOWER_LOG_REPLICATION
    assert f"{MEMBER_ID} replicates recording 5 of 0 to 128" in alone.reported


def replicate(alone):
    """Run until it copied the missing log of term 1, up to 128."""
    alone.nodes[0].disk.append(1, 0, 128)
    alone.deliver(new_term(2, 128, 128, log_leadership_term_id=1, next_log_position=128))
    assert alone.state is ElectionState.FOLLOWER_LOG_REPLICATION
    alone.run(3, TICK_NS)


def test_follower_reports_its_copied_log_and_continues_once_it_is_committed():
    alone = Alone(log_of_term(1, 64))
    replicate(alone)
    assert [(target, each.log_position) for target, each in alone.reports_of(AppendPosition)] == [
        (0, 128)
    ]
    assert alone.state is ElectionState.FOLLOWER_LOG_REPLICATION
    alone.deliver(commit_position(2, 128))
    assert alone.state is ElectionState.CANVASS
    assert alone.election.log_leadership_term_id == 1
    alone.deliver(new_term(2, 128, 128, log_leadership_term_id=1, commit_position=128))
    assert alone.state is ElectionState.FOLLOWER_REPLAY


def test_follower_abandons_a_leader_not_committing_the_copied_log():
    alone = Alone(log_of_term(1, 64))
    replicate(alone)
    alone.run_for(TIMES.heartbeat_timeout_ns)
    assert any("timeout awaiting commit position" in each for each in alone.reported)
    assert alone.election.failure_count == 1


@pytest.mark.parametrize(
    "later",
    [
        commit_position(2, 64),
        new_term(2, 128, 128, log_leadership_term_id=1, commit_position=32),
    ],
    ids=["CommitPosition", "NewLeadershipTerm"],
)
def test_a_leaders_commit_position_never_falls(later):
    alone = Alone(log_of_term(1, 64))
    alone.deliver(new_term(2, 128, 128, log_leadership_term_id=1, next_log_position=128))
    alone.deliver(commit_position(2, 96), later)
    assert alone.election.notified_commit_position == 96


def test_a_leader_announces_its_log_only_once_it_exists():
    """The session of its previous leader has ended."""
    alone = Alone(log_of_term(1, 64))
    replicate(alone)
    alone.deliver(commit_position(2, 128))
    assert alone.election.log_session_id == 77
    alone.node.publication_passes = 10
    term_id = alone.stand(log_term_id=1, log_position=128)
    alone.deliver(*(vote(each, term_id) for each in OTHERS))
    assert alone.state is ElectionState.LEADER_LOG_REPLICATION
    alone.deliver(canvass(2, log_term_id=0, log_position=0))
    assert alone.reports_of(NewLeadershipTerm) == []
    alone.run(alone.node.publication_passes, TICK_NS)
    sessions = {each.log_session_id for _, each in alone.reports_of(NewLeadershipTerm)}
    assert sessions == {alone.node.host.log_session_id}


def test_neither_votes_nor_follows_while_it_truncates_its_log():
    """A vote would contain a log end that no longer exists, and abandon the truncation."""
    alone = Alone(log_of_term(0, 128))
    shorter = new_term(2, 64, 64, log_leadership_term_id=0)
    for message in (shorter, request_vote(2, 3, 0, 128), shorter, canvass(2, 0, 128)):
        alone.node.receive(decode(message))
    alone.run(1, TICK_NS)
    assert alone.reports_of(Vote) == []
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert sum("truncates" in each for each in alone.reported) == 1
    assert canvasses_as(alone) == {(0, 64)}


# ---- the term of the log's end ----


def log_of_terms(*ends):
    """Return a log whose terms end at these positions, with the last one open."""
    disk = Disk()
    for term_id, end in enumerate(ends):
        disk.terms[term_id] = (disk.end, end if term_id + 1 < len(ends) else -1)
        disk.append(term_id, disk.end, end)
    disk.candidate_term_id = len(ends) - 1
    return disk


def canvasses_as(alone):
    """Return its reported log: the last term and the end."""
    alone.reports_of(CanvassPosition)
    alone.run_for(TIMES.status_interval_ns)
    return {
        (each.log_leadership_term_id, each.log_position)
        for _, each in alone.reports_of(CanvassPosition)
    }


def restart(alone):
    alone.node.kill()
    alone.node.start()
    alone.run(1, TICK_NS)


def test_partly_read_log_still_ends_in_its_last_term():
    alone = Alone(log_of_terms(64, 128))
    alone.deliver(new_term(2, 128, 128, log_leadership_term_id=1, commit_position=48))
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert alone.election.log_position == 48
    assert canvasses_as(alone) == {(1, 128)}


def test_a_position_reported_as_copied_is_of_the_copied_term_after_a_restart():
    alone = Alone(log_of_terms(64))
    alone.nodes[0].disk = log_of_terms(64, 128)
    alone.deliver(
        new_term(
            2,
            128,
            128,
            log_leadership_term_id=0,
            next_leadership_term_id=1,
            next_term_base_log_position=64,
            next_log_position=128,
        )
    )
    alone.run(3, TICK_NS)
    assert [each.log_position for _, each in alone.reports_of(AppendPosition)] == [128]
    restart(alone)
    assert canvasses_as(alone) == {(1, 128)}


def log_with_an_empty_term():
    """Return a log of term 0, with term 1 begun at its end: its leader appended nothing."""
    disk = log_of_terms(128)
    disk.terms = {0: (0, 128), 1: (128, -1)}
    disk.candidate_term_id = 1
    return disk


def ask_for_the_term_before(alone):
    """Deliver the message of a leader whose log has more, after term 1; return the query."""
    alone.step = 64
    alone.reports_of(CanvassPosition)
    alone.deliver(new_term(2, 256, 256, log_leadership_term_id=1, commit_position=256))
    return [
        (target, each.log_leadership_term_id, each.log_position)
        for target, each in alone.reports_of(CanvassPosition)
        if each.log_leadership_term_id == 0
    ]


def test_term_that_the_leader_lacks_is_dropped_before_more_of_the_term_before_is_copied():
    alone = Alone(log_with_an_empty_term())
    alone.nodes[0].disk = Disk([(0, 0, 256)])
    assert ask_for_the_term_before(alone) == [(0, 0, 128)]
    assert alone.node.disk.terms == {0: (0, 128), 1: (128, -1)}
    alone.deliver(new_term(2, 256, 256, log_leadership_term_id=0, commit_position=256))
    assert alone.state is ElectionState.FOLLOWER_LOG_REPLICATION
    assert alone.node.disk.terms == {0: (0, 128)}
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert alone.node.disk.terms == {0: (0, 256)}
    assert canvasses_as(alone) == {(0, 256)}


def test_term_that_the_leader_has_from_the_same_position_is_copied():
    alone = Alone(log_with_an_empty_term())
    alone.nodes[0].disk = Disk([(0, 0, 128), (1, 128, 256)])
    assert ask_for_the_term_before(alone) == [(0, 0, 128)]
    term_1 = {"next_leadership_term_id": 1, "next_term_base_log_position": 128}
    alone.deliver(new_term(2, 256, 256, log_leadership_term_id=0, next_log_position=256, **term_1))
    assert alone.state is ElectionState.FOLLOWER_LOG_REPLICATION
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert alone.node.disk.terms == {0: (0, 128), 1: (128, 256)}


def test_several_terms_without_entries_are_confirmed_one_by_one():
    """Term 1 began at the end of this log, and has entries at the leader, which lacks term 2."""
    disk = log_with_an_empty_term()
    disk.terms = {0: (0, 128), 1: (128, 128), 2: (128, -1)}
    alone = Alone(disk)
    alone.nodes[0].disk = Disk([(0, 0, 128), (1, 128, 256)])
    alone.step = 64

    def answer(log_term_id, **next_term):
        alone.deliver(
            new_term(
                3, 256, 256, log_leadership_term_id=log_term_id, commit_position=256, **next_term
            )
        )
        return {each.log_leadership_term_id for _, each in alone.reports_of(CanvassPosition)}

    alone.reports_of(CanvassPosition)
    assert 1 in answer(2)
    lacks_2 = {"next_leadership_term_id": 2, "next_term_base_log_position": 256}
    assert 0 in answer(1, next_log_position=256, **lacks_2)
    assert alone.node.disk.terms == {0: (0, 128), 1: (128, 128)}
    assert alone.state is ElectionState.CANVASS
    has_1 = {"next_leadership_term_id": 1, "next_term_base_log_position": 128}
    answer(0, next_log_position=256, **has_1)
    assert alone.state is ElectionState.FOLLOWER_LOG_REPLICATION
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert alone.node.disk.terms == {0: (0, 128), 1: (128, 256)}
    assert canvasses_as(alone) == {(1, 256)}


def test_member_votes_by_its_last_term_while_it_asks_for_the_one_before():
    alone = Alone(log_with_an_empty_term())
    ask_for_the_term_before(alone)
    alone.deliver(request_vote(2, 3, log_term_id=0, log_position=512))
    assert [each.vote for _, each in alone.reports_of(Vote)] == [BooleanType.FALSE]


@pytest.mark.parametrize("stale", [{"log_leadership_term_id": -1}, {"leadership_term_id": 3}])
def test_only_the_answer_to_the_question_about_the_term_before_counts(stale):
    alone = Alone(log_with_an_empty_term())
    ask_for_the_term_before(alone)
    alone.deliver(new_term(2, 256, 256, **{"log_leadership_term_id": 0, **stale}))
    assert alone.state is ElectionState.CANVASS
    assert alone.node.disk.terms == {0: (0, 128), 1: (128, -1)}


def test_leader_that_was_replaced_before_it_appended_truncates_no_committed_log_later():
    """It copied more of the term before its own, and took that for its own term's."""
    replaced, longer = log_with_an_empty_term(), Disk([(0, 0, 256)], {0: (0, -1)}, 0)
    cluster = Cluster(3, disks=[replaced, longer, Disk([(0, 0, 128)], {0: (0, -1)}, 1)])
    voter = cluster.nodes[2]
    voter.are_services_behind = True  # it does not join the next term
    for member_id in (1, 2):
        cluster.nodes[member_id].start()
    cluster.run_until(lambda: voter.host.commit_position == 256, tick_ns=TICK_NS)
    cluster.cut = {(a, b) for a in (0, 1) for b in (2,)} | {(2, 0), (2, 1)}
    cluster.nodes[0].start()
    cluster.run_until(lambda: replaced.end == 256, tick_ns=TICK_NS)
    cluster.run(5)
    cluster.nodes[1].kill()
    cluster.cut = set()
    voter.are_services_behind = False
    cluster.run_until(cluster.leader, tick_ns=TICK_NS)
    assert [each for each in cluster.reported if "truncates" in each] == []


@pytest.mark.parametrize("log_position", [0, 256])
def test_recorded_term_is_noted_before_the_services_join(log_position):
    """A process that starts again finds the recording by it, and stops that."""
    alone = Alone()
    leader = alone.nodes[0]
    leader.disk = log_of_term(0, log_position)
    leader.host = Host(alone, leader)
    leader.host.log_session_id = 77
    leader.is_up = True
    leader.work = lambda: None
    alone.node.are_services_behind = True
    alone.deliver(new_term(0, 0, log_position))
    alone.run(5, TICK_NS)
    is_behind = log_position > 0
    assert alone.state is (
        ElectionState.FOLLOWER_CATCHUP_AWAIT if is_behind else ElectionState.FOLLOWER_LOG_AWAIT
    )
    assert alone.node.disk.terms == {0: (0, -1)}
    assert alone.election.log_leadership_term_id == 0


def test_position_reported_in_a_replay_has_the_leaders_term_after_a_restart():
    """Although the term's first message is not committed yet, and therefore not read."""
    alone = Alone(log_of_terms(64))
    leader = alone.nodes[0]
    leader.disk = log_of_terms(64, 256)
    leader.host = Host(alone, leader)
    leader.host.log_session_id = 77
    leader.is_up = True
    leader.work = lambda: None
    alone.deliver(new_term(1, 64, 256, log_leadership_term_id=0, commit_position=64))
    alone.await_state(ElectionState.FOLLOWER_CATCHUP, TIMES.ballot_ns)
    alone.run(3, TICK_NS)
    assert [each.log_position for _, each in alone.reports_of(AppendPosition)] == [256]
    restart(alone)
    assert canvasses_as(alone) == {(1, 256)}


# ---- what a leader repeats, and the errors of followers ----


def elect(state):
    """Return a member that stays in a state of the leader, and its term."""
    alone = Alone(log_of_term(1, 128))
    if state is ElectionState.LEADER_REPLAY:
        alone.node.host.replay_log = lambda *_: itertools.repeat(0)
    term_id = alone.stand(log_term_id=1, log_position=128)
    # The votes state no log. In LEADER_READY no follower reports a position in the new term.
    alone.deliver(*(vote(each, term_id) for each in OTHERS))
    if state is not ElectionState.LEADER_LOG_REPLICATION:
        alone.deliver(*(canvass(each, 1, 128) for each in OTHERS))
    alone.await_state(state, TIMES.ballot_ns)
    return alone, term_id


LEADER_STATES = (
    ElectionState.LEADER_LOG_REPLICATION,
    ElectionState.LEADER_REPLAY,
    ElectionState.LEADER_READY,
)


@pytest.mark.parametrize("state", LEADER_STATES)
@pytest.mark.parametrize("kind", [NewLeadershipTerm, CommitPosition])
def test_an_elected_leader_repeats_its_term_and_commit_position(state, kind):
    """In each duty cycle, the Election object also publishes ... on an interval."""
    alone, term_id = elect(state)
    alone.reports_of(kind)
    intervals = 4
    alone.run_for(intervals * TIMES.heartbeat_interval_ns)
    assert alone.state is state
    reported = alone.reports_of(kind)
    assert {each.leadership_term_id for _, each in reported} == {term_id}
    counts = [[target for target, _ in reported].count(each) for each in OTHERS]
    assert all(intervals - 1 <= each <= intervals + 1 for each in counts), counts


def test_an_elected_leader_sends_a_higher_commit_position_immediately():
    """a CommitPosition message using the quorum position, whenever it changes"""
    alone, term_id = elect(ElectionState.LEADER_LOG_REPLICATION)
    alone.run_for(TIMES.heartbeat_interval_ns)
    alone.reports_of(CommitPosition)
    alone.deliver(
        AppendPosition.encode(
            leadership_term_id=term_id, log_position=128, follower_member_id=0, flags=0
        )
    )
    reported = alone.reports_of(CommitPosition)
    assert {(target, each.log_position) for target, each in reported} == {(0, 128), (2, 128)}


@pytest.mark.parametrize("state", LEADER_STATES[::2])
def test_a_later_log_of_a_member_ends_the_election_of_a_leader(state):
    alone, term_id = elect(state)
    alone.deliver(canvass(0, term_id + 1, 256))
    assert any(
        "error: WARN - potential new election in progress" in each for each in alone.reported
    )


@pytest.mark.parametrize("state", LEADER_STATES[::2])
def test_a_later_term_of_another_leader_ends_the_election_of_a_leader(state):
    """It was cut off since its election, and others follow that leader: no majority comes."""
    alone, term_id = elect(state)
    alone.deliver(commit_position(term_id, 128))
    assert not any("new leader detected" in each for each in alone.reported)
    alone.deliver(commit_position(term_id + 1, 128))
    assert any("error: WARN - new leader detected" in each for each in alone.reported)


def test_follower_that_cannot_request_a_replay_reports_it():
    alone = Alone(log_of_term(1, 64))
    alone.sends = False
    alone.deliver(new_term(2, 64, 192, log_leadership_term_id=1, commit_position=64))
    alone.run_for(2 * TIMES.heartbeat_timeout_ns)
    assert any("error: failed to send catchup position" in each for each in alone.reported)


def test_follower_that_cannot_notify_its_leader_reports_it():
    alone = Alone(log_of_term(1, 64))
    alone.node.host.follower_log.await_image = lambda _: (each for each in ())
    alone.sends = False
    alone.deliver(new_term(2, 64, 64, log_leadership_term_id=1, commit_position=64))
    alone.run_for(2 * TIMES.heartbeat_timeout_ns)
    assert any("error: ready follower failed to notify leader" in each for each in alone.reported)


@pytest.mark.parametrize(("log_position", "kind"), [(64, "live"), (192, "catchup")])
def test_follower_that_does_not_receive_the_log_reports_it(log_position, kind):
    alone = Alone(log_of_term(1, 64))
    alone.node.host.follower_log.await_image = lambda _: (0 for _ in itertools.count())
    alone.deliver(new_term(2, 64, log_position, log_leadership_term_id=1, commit_position=64))
    alone.run_for(2 * TIMES.heartbeat_timeout_ns)
    assert any(f"error: failed to join {kind} log" in each for each in alone.reported)


def test_blank_follower_without_a_replay_copies_a_later_leaders_log_term_by_term():
    """Otherwise its recording log would have other bases of the terms than the leader's."""
    alone = Alone()
    alone.deliver(new_term(0, 0, 64))
    alone.await_state(ElectionState.FOLLOWER_CATCHUP_AWAIT, TIMES.ballot_ns)
    alone.await_state(ElectionState.CANVASS, 2 * TIMES.heartbeat_timeout_ns)
    alone.nodes[0].disk = log_of_terms(64, 128, 192)
    first_term = {"next_leadership_term_id": 0, "next_term_base_log_position": 0}
    alone.deliver(new_term(2, 128, 192, **first_term, next_log_position=64, commit_position=192))
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert alone.node.disk.terms == {0: (0, 64)}
    assert canvasses_as(alone) == {(0, 64)}


def test_blank_follower_records_no_term_below_0_if_its_leader_lacks_the_first_terms():
    """Its recording log could not be read again: the leader was restored from a backup."""
    alone = Alone()
    alone.nodes[0].disk = Disk([(4, 0, 64), (5, 64, 256)], {5: (64, 256), 6: (256, -1)})
    alone.step = 64
    alone.deliver(new_term(6, 256, 256, commit_position=256))
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    assert alone.node.disk.terms == {0: (0, 256)}
    alone.deliver(new_term(6, 256, 256, log_leadership_term_id=0, commit_position=256))
    alone.run(1, TICK_NS)
    assert {each: alone.node.disk.terms[each] for each in (0, 4, 5)} == {
        0: (0, 0),
        4: (0, 64),
        5: (64, -1),
    }


def test_follower_that_has_read_all_that_is_committed_states_why_it_canvasses():
    alone = Alone(log_of_terms(64, 128))
    alone.deliver(new_term(2, 128, 128, log_leadership_term_id=1, commit_position=48))
    alone.await_state(ElectionState.CANVASS, TIMES.ballot_ns)
    reason = "log replay rejected: logPosition=48 is equal to quorumPosition=48"
    assert any(each.endswith(f"CANVASS: {reason}") for each in alone.reported)


def test_follower_whose_leader_states_no_commit_position_canvasses_after_the_timeout():
    alone = Alone(log_of_term(1, 64))
    alone.deliver(new_term(2, 64, 64, log_leadership_term_id=1, commit_position=0))
    assert alone.state is ElectionState.FOLLOWER_REPLAY
    alone.run_for(2 * TIMES.heartbeat_timeout_ns)
    assert any(each.endswith("CANVASS: leader heartbeat timeout") for each in alone.reported)


def test_leader_that_does_not_name_the_next_term_is_reported():
    alone = Alone(log_of_term(1, 64))
    unnamed = {"next_leadership_term_id": -1, "next_term_base_log_position": -1}
    alone.deliver(new_term(2, 128, 128, log_leadership_term_id=1, **unnamed))
    assert any("error: invalid newLeadershipTerm" in each for each in alone.reported)


def append_position(member_id, term_id, position):
    return AppendPosition.encode(
        leadership_term_id=term_id, log_position=position, follower_member_id=member_id, flags=0
    )


@pytest.mark.parametrize("member_id", [MEMBER_ID, 7], ids=["itself", "no member"])
def test_messages_of_no_other_member_have_no_effect(member_id):
    """A list of members may have changed, or an address be reused."""
    alone = Alone(log_of_term(2, 640))
    before = (alone.state, repr(alone.election))
    alone.sent.clear()
    alone.deliver(
        canvass(member_id, 3, 4096),
        request_vote(member_id, 9, 3, 4096),
        vote(member_id, 3),
        new_term(9, 640, 640, log_leadership_term_id=2, leader_member_id=member_id),
        append_position(member_id, 2, 4096),
        CommitPosition.encode(leadership_term_id=9, log_position=4096, leader_member_id=member_id),
    )
    assert (alone.state, repr(alone.election)) == before
    assert alone.reports_of((Vote, RequestVote, NewLeadershipTerm)) == []
    alone.run_for(2 * TIMES.ballot_ns)
    assert alone.state is ElectionState.CANVASS  # there is no majority


def test_a_leader_of_an_earlier_term_is_challenged_once_in_a_ballot():
    """It learns of the later term, however often it sends its own."""
    alone = Alone(log_of_term(2, 640))
    alone.deliver(request_vote(2, 9, 3, 4096))
    assert alone.election.candidate_term_id == 9
    alone.await_state(ElectionState.CANVASS, 10 * TIMES.ballot_ns)
    alone.sent.clear()
    leads = new_term(3, 640, 640, log_leadership_term_id=2)
    for _ in range(5):
        alone.deliver(leads)
    ((target, challenge),) = alone.reports_of(RequestVote)
    assert (target, challenge.candidate_term_id, challenge.log_position) == (0, 9, -1)
    alone.run_for(TIMES.ballot_ns)
    alone.deliver(leads)
    assert len(alone.reports_of(RequestVote)) == 1
