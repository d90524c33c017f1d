"""Consensus messages received by a follower or a leader outside of an election."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election.ballots import PROTOCOL_VERSION
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.module.consensus_messages import ConsensusMessages
from aeron_cluster.cluster.state.app_version import SEMANTIC_VERSIONING_VALIDATOR
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import (
    AppendPosition,
    BooleanType,
    CanvassPosition,
    CatchupPosition,
    CommitPosition,
    NewLeadershipTerm,
    RequestVote,
    StopCatchup,
    decode,
)
from aeron_cluster.errors import LeadershipTermError, MemberVersionError, UnknownMessageError
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.doubles import create_with_doubles
from tests.unit.codecs.older import of_version

TERM = 4
OWN, LEADER, OTHER = 0, 1, 2
MEMBERS = parse_members("|".join(f"{each}{',localhost:1' * 5}" for each in (OWN, LEADER, OTHER)))


class Agent:
    """Records the values passed to the module agent."""

    def __init__(self):
        self.notified_commit_position = 64
        self.last_leader_update_ns = 0

    def set_notified_commit_position(self, position):
        self.notified_commit_position = max(self.notified_commit_position, position)

    def set_last_leader_update_ns(self, now_ns):
        self.last_leader_update_ns = now_ns


class Follower:
    """A follower of LEADER in TERM."""

    def __init__(self, election=None, *, on_error=pytest.fail, on_end=pytest.fail):
        self.agent, self.elections = Agent(), []
        self.stopped_catchups = 0
        context = SimpleNamespace(
            options=SimpleNamespace(member_id=OWN, leader_heartbeat_timeout_ns=10_000),
            app_version=1,
            app_version_validator=SEMANTIC_VERSIONING_VALIDATOR,
            error_handler=on_error,
            events=NO_EVENTS,
        )
        parts = SimpleNamespace(
            context=context,
            agent=self.agent,
            counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 64)),
            recording_log=SimpleNamespace(
                find_last_term=lambda: SimpleNamespace(leadership_term_id=TERM)
            ),
            node_state=SimpleNamespace(candidate_term=SimpleNamespace(candidate_term_id=TERM)),
            status=SimpleNamespace(
                leadership_term_id=TERM, leader_member_id=LEADER, is_leader=False
            ),
        )
        self.messages = create_with_doubles(
            ConsensusMessages,
            parts,
            members=MEMBERS,
            election=lambda: election,
            begin_election=self.elections.append,
            end_unexpectedly=on_end,
            follower_log=SimpleNamespace(remove_catchup_destination=self._stop_catchup),
            leadership=SimpleNamespace(connect_peers=lambda: None),
        )

    def _stop_catchup(self):
        self.stopped_catchups += 1

    def receive(self, message, now_ns=1):
        self.messages.on_message(message, None, now_ns)
        return self.agent.notified_commit_position


def new_term(leader=LEADER, term_id=TERM, position=96, app_version=1):
    return NewLeadershipTerm.encode(
        log_leadership_term_id=term_id,
        next_leadership_term_id=term_id,
        next_term_base_log_position=0,
        next_log_position=-1,
        leadership_term_id=term_id,
        term_base_log_position=0,
        log_position=96,
        leader_recording_id=5,
        timestamp=0,
        leader_member_id=leader,
        log_session_id=77,
        app_version=app_version,
        is_startup=BooleanType.FALSE,
        commit_position=position,
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (new_term(), 96),
        (new_term(position=32), 64),
        (of_version(new_term(), NewLeadershipTerm, 14), 64),
        (new_term(OTHER), 64),
        (new_term(term_id=TERM - 1), 64),
    ],
    ids=["higher", "lower", "before version 15", "another member", "an earlier term"],
)
def test_a_follower_applies_the_commit_position_in_its_leaders_new_leadership_term(
    message, expected
):
    follower = Follower()
    assert follower.receive(message) == expected
    assert follower.elections == []


def test_only_a_message_of_the_leader_resets_the_heartbeat_timeout():
    follower = Follower()
    follower.receive(new_term(OTHER), 5)
    assert follower.agent.last_leader_update_ns == 0
    follower.receive(new_term(), 6)
    assert follower.agent.last_leader_update_ns == 6


ELECTION = SimpleNamespace(on_message=lambda *_: None)


def commit_position(leader=LEADER, term_id=TERM):
    return CommitPosition.encode(
        leadership_term_id=term_id, log_position=1, leader_member_id=leader
    )


@pytest.mark.parametrize("election", [None, ELECTION], ids=["settled", "electing"])
@pytest.mark.parametrize("make", [new_term, commit_position])
@pytest.mark.parametrize("leader", [LEADER, OTHER])
def test_a_deposed_leader_does_not_reset_the_heartbeat_timeout(leader, make, election):
    """Members would wait for it, and elect no other one."""
    follower = Follower(election)
    follower.receive(make(leader, term_id=TERM - 1), 5)
    assert follower.agent.last_leader_update_ns == 0


@pytest.mark.parametrize("make", [new_term, commit_position])
@pytest.mark.parametrize("term_id", [TERM, TERM + 1])
def test_in_an_election_any_leader_of_this_or_a_later_term_resets_the_timeout(term_id, make):
    follower = Follower(ELECTION)
    follower.receive(make(OTHER, term_id=term_id), 5)
    assert follower.agent.last_leader_update_ns == 5


def test_a_later_term_begins_an_election():
    follower = Follower()
    follower.receive(new_term(OTHER, TERM + 1))
    follower.receive(
        CommitPosition.encode(leadership_term_id=TERM + 1, log_position=1, leader_member_id=OTHER)
    )
    follower.receive(
        RequestVote.encode(
            log_leadership_term_id=TERM,
            log_position=64,
            candidate_term_id=TERM + 1,
            candidate_member_id=OTHER,
            protocol_version=0,
        )
    )
    own, later = f"this.leadershipTermId={TERM}", f"LeadershipTermId={TERM + 1}"
    # The reasons begin as upstream's.
    assert [each.partition(",")[0] for each in follower.elections] == [
        f"unexpected new leadership term event: {own} new{later}",
        f"unexpected commit position from new leader - {own} new{later}",
        f"unexpected vote request: {own} candidateTermId={TERM + 1}",
    ]
    assert follower.agent.notified_commit_position == 64


@pytest.mark.parametrize("member_id", [OWN, 7], ids=["itself", "no member"])
def test_only_another_member_begins_an_election(member_id):
    follower = Follower()
    follower.receive(new_term(member_id, TERM + 1))
    follower.receive(commit_position(member_id, TERM + 1))
    follower.receive(request_vote(member_id))
    assert follower.elections == []


def request_vote(member_id, term_id=TERM + 1, protocol_version=0):
    return RequestVote.encode(
        log_leadership_term_id=TERM,
        log_position=64,
        candidate_term_id=term_id,
        candidate_member_id=member_id,
        protocol_version=protocol_version,
    )


def canvass(member_id, protocol_version):
    return CanvassPosition.encode(
        log_leadership_term_id=TERM,
        log_position=64,
        leadership_term_id=TERM,
        follower_member_id=member_id,
        protocol_version=protocol_version,
    )


LATER = PROTOCOL_VERSION + (1 << 16)
PRESENT = PROTOCOL_VERSION


def test_a_candidate_with_another_protocol_has_no_vote_and_is_reported_once():
    errors = []
    follower = Follower(on_error=errors.append)
    for _ in range(3):
        follower.receive(request_vote(OTHER, protocol_version=LATER))
        follower.receive(canvass(OTHER, LATER))
    assert follower.elections == []
    (error,) = errors
    assert isinstance(error, MemberVersionError)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (OTHER, TERM + 1, 64)
    assert "no vote here" in str(error)
    # Each member once, and again after it had the same version.
    follower.receive(canvass(LEADER, LATER))
    follower.receive(canvass(OTHER, PRESENT))
    follower.receive(canvass(OTHER, LATER))
    assert [each.member_id for each in errors] == [OTHER, LEADER, OTHER]
    follower.receive(request_vote(OTHER, protocol_version=PRESENT))
    assert len(follower.elections) == 1


def test_a_leader_with_another_application_version_ends_the_member():
    ended = []
    follower = Follower(on_end=ended.append)
    follower.receive(new_term(app_version=2 << 16))
    (error,) = ended
    assert isinstance(error, MemberVersionError)
    assert (error.member_id, error.log_position) == (LEADER, 96)
    assert "application version 2.0.0" in str(error)


@pytest.mark.parametrize("election", [None, ELECTION], ids=["settled", "electing"])
def test_a_term_that_no_election_can_have_produced_has_no_effect(election):
    errors = []
    follower = Follower(election, on_error=errors.append)
    for message in (new_term(LEADER, 1 << 40), request_vote(OTHER, 1 << 40)):
        follower.receive(message, 7)
    assert follower.elections == []
    assert follower.agent.last_leader_update_ns == 0
    assert [type(each) for each in errors] == [LeadershipTermError] * 2
    assert [each.member_id for each in errors] == [LEADER, OTHER]


def test_an_unknown_message_is_reported():
    errors = []
    follower = Follower(on_error=errors.append)
    message = bytearray(new_term())
    message[2:4] = (9999).to_bytes(2, "little")  # the template id
    follower.receive(bytes(message))
    (error,) = errors
    assert isinstance(error, UnknownMessageError)
    assert follower.agent.last_leader_update_ns == 0


@pytest.mark.parametrize(
    ("term_id", "member_id", "is_stopped"),
    [(TERM, OWN, True), (TERM - 1, OWN, False), (TERM, OTHER, False)],
)
def test_catchup_is_stopped_for_this_member_and_term(term_id, member_id, is_stopped):
    follower = Follower()
    follower.receive(StopCatchup.encode(leadership_term_id=term_id, follower_member_id=member_id))
    assert follower.stopped_catchups == is_stopped


# ---- a leader ----


class Leader:
    """The leader of TERM, whose log has no term 2, and the positions that it counts."""

    ENDS = ((0, 0, 64), (1, 64, 640), (3, 640, 1024), (TERM, 1024, -1))

    def __init__(self, log):
        for term_id, base, end in self.ENDS:
            log.append_term(5, term_id, base, 1000)
            if end != -1:
                log.commit_log_position(term_id, end)
        self.sent, self.copying, self.counted, self.replayed = [], set(), [], []
        parts = SimpleNamespace(
            context=SimpleNamespace(
                options=SimpleNamespace(member_id=OWN),
                app_version=1,
                error_handler=pytest.fail,
                events=NO_EVENTS,
                cluster_time=lambda: 1000,
            ),
            agent=SimpleNamespace(set_member=lambda *each: self.counted.append(each)),
            recording_log=log,
            recording=SimpleNamespace(recording_id=5),
            node_state=SimpleNamespace(candidate_term=SimpleNamespace(candidate_term_id=TERM)),
            status=SimpleNamespace(leadership_term_id=TERM, leader_member_id=OWN, is_leader=True),
            counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 1024)),
            log=SimpleNamespace(position=2048, session_id=77),
            link=SimpleNamespace(connect=lambda: None, send=self._send),
            catchups=SimpleNamespace(
                is_copying=self.copying.__contains__,
                stop=lambda _member_id: None,
                on_append_position=lambda _message: None,
                on_catchup_position=self.replayed.append,
            ),
            members=MEMBERS,
            election=lambda: None,
        )
        parts.leadership = create_with_doubles(
            Leadership, parts, initial_leadership_term_id=-1, initial_term_base_log_position=0
        )
        self.messages = create_with_doubles(ConsensusMessages, parts)

    def _send(self, member_id, message):
        self.sent.append((member_id, decode(message)))
        return True

    def receive(self, message):
        """Return the position that counts for OTHER from now on."""
        self.messages.on_message(message, None, 9)
        ((index, position, now_ns, _),) = self.counted
        assert (index, now_ns) == (OTHER, 9)
        return position


@pytest.fixture
def leader(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        yield Leader(log)


def append_position(term_id, position):
    return AppendPosition.encode(
        leadership_term_id=term_id, log_position=position, follower_member_id=OTHER, flags=0
    )


def canvass_position(term_id, position):
    return CanvassPosition.encode(
        log_leadership_term_id=term_id,
        log_position=position,
        leadership_term_id=term_id,
        follower_member_id=OTHER,
        protocol_version=0,
    )


# The term of the end of a member's log, its position, and up to where the leader has the same log.
REPORTED = [
    (TERM, 1500, 1500),
    (TERM, 0, 0),
    (3, 1000, 1000),
    (3, 1024, 1024),
    (3, 1025, 1024),
    (3, 4096, 1024),  # what a leader of term 3 wrote last is not in the log of this one
    (1, 4096, 640),
    (0, 65, 64),
    (2, 700, 0),
    (-1, 0, 0),
]


@pytest.mark.parametrize(("term_id", "position", "shared"), REPORTED)
@pytest.mark.parametrize("make", [append_position, canvass_position])
def test_a_position_counts_up_to_the_end_of_its_term_in_the_leaders_log(
    make, term_id, position, shared, leader
):
    """A majority must have what is committed: other entries at the same positions do not count."""
    assert leader.receive(make(term_id, position)) == shared


@pytest.mark.parametrize("term_id", [1, 3, TERM])
def test_the_position_of_a_member_that_copies_the_leaders_log_counts(term_id, leader):
    """Its term is that which it has read; its log is that of the leader, up to the position."""
    leader.copying.add(OTHER)
    assert leader.receive(append_position(term_id, 1500)) == 1500


@pytest.mark.parametrize(
    ("term_id", "expected"),
    [
        (0, (1, 64, 640)),
        (1, (TERM, 1024, -1)),  # the leader's term, where the log has no next one
        (3, (TERM, 1024, -1)),
        (TERM, (-1, -1, -1)),
    ],
)
def test_a_canvassing_member_is_sent_the_term_after_its_own(term_id, expected, leader):
    leader.receive(canvass_position(term_id, 64))
    ((target, answer),) = leader.sent
    assert target == OTHER
    assert (
        answer.next_leadership_term_id,
        answer.next_term_base_log_position,
        answer.next_log_position,
    ) == expected
    assert (answer.log_leadership_term_id, answer.leadership_term_id) == (term_id, TERM)
    assert (answer.term_base_log_position, answer.log_position) == (1024, 2048)
    assert answer.commit_position == 1024


@pytest.mark.parametrize(
    ("term_id", "member_id", "is_replayed"),
    [
        (TERM, OTHER, True),
        (TERM - 1, OTHER, True),
        (TERM + 1, OTHER, False),
        (TERM, OWN, False),
        (TERM, 7, False),
    ],
)
def test_the_log_is_replayed_to_other_members_up_to_this_term(
    term_id, member_id, is_replayed, leader
):
    message = CatchupPosition.encode(
        leadership_term_id=term_id,
        log_position=64,
        follower_member_id=member_id,
        catchup_endpoint="localhost:1",
    )
    leader.messages.on_message(message, None, 9)
    assert [each.follower_member_id for each in leader.replayed] == [OTHER] * is_replayed


@pytest.mark.parametrize("member_id", [OWN, 7], ids=["itself", "no member"])
def test_positions_of_no_other_member_count(member_id, leader):
    messages = [append_position(TERM, 1500), canvass_position(TERM, 1500)]
    for message in messages:
        changed = decode(message)
        values = {name: getattr(changed, name) for name in type(changed).__slots__}
        values["follower_member_id"] = member_id
        leader.messages.on_message(type(changed).encode(**values), None, 9)
    assert (leader.counted, leader.sent) == ([], [])
