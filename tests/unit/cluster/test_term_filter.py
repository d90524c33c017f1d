"""A term that no election can have produced is rejected before it spreads."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.term_filter import TermFilter, check_promise
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.state.term_bound import MAX_TERMS_AHEAD, is_credible
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import BooleanType
from aeron_cluster.errors import CorruptError, LeadershipTermError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.doubles import create_with_doubles

KNOWN = 5
FAR = 1 << 40
TIMEOUT_NS = 10_000_000_000


def request_vote(candidate_term_id, log_term_id=KNOWN):
    return codecs.RequestVote.encode(
        log_leadership_term_id=log_term_id,
        log_position=0,
        candidate_term_id=candidate_term_id,
        candidate_member_id=2,
        protocol_version=1 << 16,
    )


def canvass(log_term_id):
    return codecs.CanvassPosition.encode(
        log_leadership_term_id=log_term_id,
        log_position=0,
        leadership_term_id=KNOWN,
        follower_member_id=2,
        protocol_version=1 << 16,
    )


def vote(candidate_term_id):
    return codecs.Vote.encode(
        candidate_term_id=candidate_term_id,
        log_leadership_term_id=KNOWN,
        log_position=0,
        candidate_member_id=0,
        follower_member_id=2,
        vote=BooleanType.TRUE,
    )


def new_term(term_id, next_term_id=-1):
    return codecs.NewLeadershipTerm.encode(
        log_leadership_term_id=KNOWN,
        next_leadership_term_id=next_term_id,
        next_term_base_log_position=-1,
        next_log_position=-1,
        leadership_term_id=term_id,
        term_base_log_position=0,
        log_position=0,
        leader_recording_id=0,
        timestamp=0,
        leader_member_id=2,
        log_session_id=1,
        app_version=1,
        is_startup=BooleanType.FALSE,
        commit_position=0,
    )


def commit(term_id):
    return codecs.CommitPosition.encode(
        leadership_term_id=term_id, log_position=0, leader_member_id=2
    )


def append(term_id):
    return codecs.AppendPosition.encode(
        leadership_term_id=term_id, log_position=0, follower_member_id=2, flags=0
    )


class Rig:
    """A member that knows all terms up to a given term."""

    def __init__(self, log, *, term_id=-1, promised=-1):
        self.errors = []
        self.parts = SimpleNamespace(
            recording_log=log,
            status=SimpleNamespace(leadership_term_id=term_id),
            node_state=SimpleNamespace(candidate_term=SimpleNamespace(candidate_term_id=promised)),
            counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 4096)),
            recording=SimpleNamespace(recording_id=7),
            context=SimpleNamespace(
                error_handler=self.errors.append,
                options=SimpleNamespace(member_id=1, leader_heartbeat_timeout_ns=TIMEOUT_NS),
                cluster_time=lambda: 1000,
            ),
        )
        self.filter = create_with_doubles(TermFilter, self.parts)

    def accepts(self, data, now_ns=0):
        return self.filter.accepts(codecs.decode(data), now_ns)


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


@pytest.fixture
def rig(log):
    log.append_term(7, KNOWN, 0, 1000)
    return Rig(log)


MESSAGES = (
    request_vote,
    lambda term_id: request_vote(KNOWN, term_id),
    canvass,
    vote,
    new_term,
    lambda term_id: new_term(KNOWN, term_id),
    commit,
    append,
)


@pytest.mark.parametrize("make", MESSAGES)
def test_a_message_of_a_term_too_far_ahead_is_dropped_and_its_sender_reported_once(rig, make):
    assert rig.accepts(make(KNOWN + MAX_TERMS_AHEAD))
    assert rig.errors == []
    for _ in range(3):
        assert not rig.accepts(make(KNOWN + MAX_TERMS_AHEAD + 1))
    assert not rig.accepts(make(FAR))
    (error,) = rig.errors
    assert type(error) is LeadershipTermError
    assert (error.expected, error.found) == (KNOWN + MAX_TERMS_AHEAD, KNOWN + MAX_TERMS_AHEAD + 1)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (2, KNOWN, 4096)
    assert "aeron-cluster restore" in error.remedy
    assert not rig.accepts(make(KNOWN + 1), TIMEOUT_NS - 1)
    assert rig.accepts(make(KNOWN + 1), TIMEOUT_NS)


def test_sender_of_a_distant_term_has_no_vote_until_the_timeout(rig):
    assert rig.accepts(vote(KNOWN + 1))
    assert not rig.accepts(request_vote(FAR), 1)
    assert not rig.accepts(vote(KNOWN + 1), TIMEOUT_NS)
    of_another = codecs.CommitPosition.encode(
        leadership_term_id=KNOWN, log_position=0, leader_member_id=0
    )
    assert rig.accepts(of_another, TIMEOUT_NS)
    assert rig.accepts(vote(KNOWN + 1), TIMEOUT_NS + 1)


def test_terms_from_elections_and_votes_are_known(log):
    log.append_term(7, KNOWN, 0, 1000)
    later = KNOWN + MAX_TERMS_AHEAD + 1
    assert Rig(log, term_id=KNOWN + 1).accepts(request_vote(later))
    assert Rig(log, promised=KNOWN + 1).accepts(request_vote(later))


def test_a_blank_member_joins_a_cluster_of_any_age(log):
    rig = Rig(log)
    for make in (new_term, canvass, commit, append):
        assert rig.accepts(make(FAR))
    assert rig.accepts(request_vote(FAR + MAX_TERMS_AHEAD, FAR))
    assert rig.errors == []


def test_blank_member_rejects_a_candidate_with_a_term_far_from_its_log(log):
    rig = Rig(log)
    assert rig.accepts(request_vote(KNOWN + 1, KNOWN))
    assert rig.accepts(request_vote(0, -1))
    assert not rig.accepts(request_vote(FAR, KNOWN))
    assert not rig.accepts(request_vote(FAR, -1))
    (error,) = rig.errors
    assert (error.expected, error.found) == (KNOWN + MAX_TERMS_AHEAD, FAR)


def test_messages_without_a_term_are_accepted(rig):
    assert rig.accepts(
        codecs.BackupQuery.encode(
            correlation_id=1,
            response_stream_id=1,
            version=0,
            response_channel=b"",
            encoded_credentials=b"",
        )
    )


@pytest.mark.parametrize("first", [KNOWN, None], ids=["after a term", "without a term"])
def test_term_too_far_ahead_is_not_recorded(log, first):
    if first is not None:
        log.append_term(7, first, 0, 1000)
    rig = Rig(log)
    before, known = log.entries, -1 if first is None else first
    host = SimpleNamespace(_initial_term=(-1, 0))
    for name, part in vars(rig.parts).items():
        setattr(host, f"_{name}", part)
    with pytest.raises(
        LeadershipTermError, match=r"recording\.log: expected a term up to"
    ) as raised:
        Leadership.append_term(host, FAR, 4096)
    error = raised.value
    assert (error.expected, error.found) == (known + MAX_TERMS_AHEAD, FAR)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (1, known, 4096)
    assert log.entries == before
    Leadership.append_term(host, KNOWN + 3, 4096)
    assert log.find_last_term().leadership_term_id == KNOWN + 3


def test_a_promise_too_far_ahead_of_the_log_is_rejected_with_its_file(log, tmp_path):
    log.append_term(7, KNOWN, 2048, 1000)
    with NodeState(SystemFiles(), str(tmp_path)) as state:
        check_promise(state.path, KNOWN + MAX_TERMS_AHEAD, log, 1)
        with pytest.raises(LeadershipTermError, match=r"node-state\.dat: candidate term") as raised:
            check_promise(state.path, KNOWN + MAX_TERMS_AHEAD + 1, log, 1)
    assert (raised.value.member_id, raised.value.log_position) == (1, 2048)


def test_a_promise_without_a_log_is_accepted(log):
    check_promise("node-state.dat", FAR, log, 1)


def test_only_the_term_may_be_too_far_ahead():
    assert is_credible(0, FAR)
    assert is_credible(-1, FAR)


def test_a_recording_log_far_ahead_of_the_promise_is_damaged(log):
    log.append_term(7, FAR, 0, 1000)
    check_promise("node-state.dat", -1, log, 1)
    check_promise("node-state.dat", FAR - MAX_TERMS_AHEAD, log, 1)
    with pytest.raises(CorruptError, match=r"by node-state\.dat"):
        check_promise("node-state.dat", KNOWN, log, 1)
