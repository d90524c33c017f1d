"""Consensus messages received by a follower outside of an election."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.module.consensus_messages import ConsensusMessages
from aeron_cluster.cluster.state.app_version import SEMANTIC_VERSIONING_VALIDATOR
from aeron_cluster.codecs.cluster import (
    BooleanType,
    CommitPosition,
    NewLeadershipTerm,
    RequestVote,
)
from aeron_cluster.events.recorder import NO_EVENTS
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

    def __init__(self):
        self.agent, self.elections = Agent(), []
        context = SimpleNamespace(
            options=SimpleNamespace(member_id=OWN),
            app_version=1,
            app_version_validator=SEMANTIC_VERSIONING_VALIDATOR,
            error_handler=pytest.fail,
            events=NO_EVENTS,
        )
        parts = SimpleNamespace(
            context=context,
            agent=self.agent,
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
            election=lambda: None,
            begin_election=self.elections.append,
            end_unexpectedly=pytest.fail,
        )

    def receive(self, message, now_ns=1):
        self.messages.on_message(message, None, now_ns)
        return self.agent.notified_commit_position


def new_term(leader=LEADER, term_id=TERM, position=96):
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
        app_version=1,
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
