"""Members with different lists: a follower's comparison with its leader's list."""

from types import SimpleNamespace

import pytest

from aeron_cluster.client.credentials import Credentials
from aeron_cluster.cluster.agent.member_list import (
    QUERY_DELAY_NS,
    RETRY_INTERVAL_NS,
    MemberListCheck,
    describe_differences,
)
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.security import DefaultAuthenticator
from aeron_cluster.codecs.cluster import (
    BackupQuery,
    BackupResponse,
    Challenge,
    ChallengeResponse,
    EventCode,
    SessionEvent,
    decode,
)
from aeron_cluster.errors import MemberListError
from tests.unit.cluster.doubles import create_with_doubles

NEVER = 2**63 - 1
OWN, LEADER, TERM = 0, 1, 3


def listed(*ids, port=1):
    return "|".join(f"{each}{f',node{each}:{port}' * 5}" for each in ids)


THREE = listed(0, 1, 2)


class Password(Credentials):
    def encoded_credentials(self):
        return b"me"

    def on_challenge(self, encoded_challenge):
        return b"answer to " + encoded_challenge


class Follower:
    """A follower of LEADER in TERM; its messages and reports are recorded."""

    def __init__(self, members=THREE, consensus_channel="aeron:udp", **given):
        self.sent, self.errors = [], []
        self.is_link_ready = True
        self.status = SimpleNamespace(
            leadership_term_id=TERM, leader_member_id=LEADER, is_leader=False
        )
        parsed = parse_members(members)
        context = SimpleNamespace(
            **{
                "members": parsed,
                "member": parsed[0],
                "options": SimpleNamespace(
                    member_id=OWN, consensus_channel=consensus_channel, consensus_stream_id=108
                ),
                "authenticator_supplier": DefaultAuthenticator,
                "credentials": Credentials(),
                "error_handler": self.errors.append,
                **given,
            }
        )
        ids = iter(range(70, 99))
        parts = SimpleNamespace(
            context=context,
            status=self.status,
            aeron=SimpleNamespace(next_correlation_id=lambda: next(ids)),
            counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 96)),
        )
        self.check = create_with_doubles(MemberListCheck, parts, link=self)

    def send(self, member_id, message):
        if self.is_link_ready:
            self.sent.append((member_id, decode(message)))
        return self.is_link_ready

    def run_to(self, end_ns):
        """Do the due work until a time."""
        now_ns = 0
        while (now_ns := max(now_ns, self.check.next_deadline_ns())) <= end_ns:
            self.check.do_work(now_ns)

    def queries(self):
        return [each for _, each in self.sent if isinstance(each, BackupQuery)]

    def answer(self, members, correlation_id=70):
        encoded = BackupResponse.encode(
            correlation_id=correlation_id,
            log_recording_id=0,
            log_leadership_term_id=TERM,
            log_term_base_log_position=0,
            last_leadership_term_id=TERM,
            last_term_base_log_position=0,
            commit_position_counter_id=0,
            leader_member_id=LEADER,
            member_id=LEADER,
            snapshots=[],
            cluster_members=members,
        )
        self.check.on_answer(decode(encoded))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (listed(0, 1, 2), ""),
        (listed(2, 0, 1), ""),
        (listed(0, 1, 2) + "|", ""),
        (listed(0, 1, 2, 3, 4), "only in the leader's list: member 3, 4"),
        (listed(0, 1), "only in the own list: member 2"),
        (listed(0, 1, 5), "only in the own list: member 2, only in the leader's list: member 5"),
        (listed(0, 1) + "|" + listed(2, port=7), "with other endpoints: member 2"),
    ],
)
def test_lists_differ_in_ids_and_endpoints_and_not_in_order(found, expected):
    assert describe_differences(parse_members(listed(0, 1, 2)), found) == expected


def test_invalid_list_differs():
    assert describe_differences(parse_members(listed(0, 1, 2)), "0").startswith("not a list")


def test_a_follower_queries_its_leader_once_a_term():
    follower = Follower()
    follower.run_to(QUERY_DELAY_NS - 1)
    assert follower.sent == []
    follower.run_to(QUERY_DELAY_NS)
    ((member_id, query),) = follower.sent
    assert member_id == LEADER
    # At the members' existing subscription, without an additional one.
    assert query.response_channel == "aeron:udp?endpoint=node0:1|term-length=256k"
    assert query.response_stream_id == 108
    follower.answer(listed(2, 1, 0))
    follower.run_to(100 * RETRY_INTERVAL_NS)
    assert len(follower.sent) == 1
    assert follower.errors == []
    follower.status.leadership_term_id += 1
    follower.run_to(QUERY_DELAY_NS)
    assert len(follower.queries()) == 2


def test_another_list_is_reported_with_both():
    follower = Follower()
    follower.run_to(QUERY_DELAY_NS)
    found = listed(0, 1, 2, 3, 4)
    follower.answer(found)
    follower.answer(found)
    (error,) = follower.errors
    assert isinstance(error, MemberListError)
    assert (error.expected, error.found) == (listed(0, 1, 2), found)
    assert (error.member_id, error.leader_member_id) == (OWN, LEADER)
    assert (error.leadership_term_id, error.log_position) == (TERM, 96)
    assert found in str(error)
    assert listed(0, 1, 2) in str(error)
    assert "with the same aeron.cluster.members" in str(error)


def test_an_unrequested_answer_is_ignored():
    follower = Follower()
    follower.answer(listed(0), correlation_id=70)
    follower.run_to(QUERY_DELAY_NS)
    follower.answer(listed(0), correlation_id=71)
    assert follower.errors == []


def test_without_an_answer_it_queries_again_a_minute_later():
    follower = Follower()
    follower.is_link_ready = False
    follower.run_to(QUERY_DELAY_NS)
    follower.is_link_ready = True
    follower.run_to(QUERY_DELAY_NS + RETRY_INTERVAL_NS)
    assert [query.correlation_id for query in follower.queries()] == [71]


def test_rejection_ends_queries_in_that_term():
    follower = Follower()
    follower.run_to(QUERY_DELAY_NS)
    rejection = SessionEvent.encode(
        cluster_session_id=-2,
        correlation_id=70,
        leadership_term_id=TERM,
        leader_member_id=LEADER,
        code=EventCode.AUTHENTICATION_REJECTED,
        version=0,
        leader_heartbeat_timeout_ns=0,
        detail="Not authorised for BackupQuery",
    )
    follower.check.on_answer(decode(rejection))
    assert follower.check.next_deadline_ns() == NEVER
    assert follower.errors == []


def test_it_responds_to_a_challenge():
    follower = Follower(authenticator_supplier=object, credentials=Password())
    follower.run_to(QUERY_DELAY_NS)
    (query,) = follower.queries()
    assert query.encoded_credentials == b"me"
    challenge = Challenge.encode(correlation_id=70, cluster_session_id=-2, encoded_challenge=b"who")
    follower.check.on_answer(decode(challenge))
    member_id, response = follower.sent[-1]
    assert member_id == LEADER
    assert isinstance(response, ChallengeResponse)
    assert (response.correlation_id, response.cluster_session_id) == (70, -2)
    assert response.encoded_credentials == b"answer to who"


@pytest.mark.parametrize(
    "given",
    [
        {"members": listed(0)},
        {"authenticator_supplier": object},  # without credentials it would be rejected
        {"consensus_channel": "aeron:ipc"},
    ],
    ids=["the only member", "no credentials", "IPC"],
)
def test_without_a_way_to_answer_nothing_is_queried(given):
    follower = Follower(**given)
    follower.run_to(RETRY_INTERVAL_NS)
    assert follower.sent == []


def test_a_leader_sends_no_queries():
    follower = Follower()
    follower.status.is_leader = True
    follower.run_to(RETRY_INTERVAL_NS)
    assert follower.sent == []


def test_nothing_is_queried_after_the_end():
    follower = Follower()
    follower.check.do_work(0)
    follower.check.close()
    assert follower.check.next_deadline_ns() == NEVER
