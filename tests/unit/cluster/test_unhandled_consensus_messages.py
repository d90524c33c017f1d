"""Consensus messages that cannot be handled, and the consequences."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.module.consensus_messages import ConsensusMessages
from aeron_cluster.codecs.cluster import ChallengeResponse, HeartbeatRequest
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.events.recorder import NO_EVENTS
from tests.unit.cluster.doubles import create_with_doubles

REQUEST = HeartbeatRequest.encode(correlation_id=1, response_stream_id=1)
ANSWER = ChallengeResponse.encode(correlation_id=1, cluster_session_id=-2)


class Backups:
    def __init__(self, error):
        self.error = error

    def on_request(self, *_):
        raise self.error

    on_challenge_response = on_request


def create_messages(error, election=None):
    errors = []
    parts = SimpleNamespace(
        context=SimpleNamespace(
            error_handler=errors.append, options=SimpleNamespace(member_id=0), events=NO_EVENTS
        )
    )
    return errors, create_with_doubles(
        ConsensusMessages,
        parts,
        members=(),
        backups=Backups(error),
        election=lambda: election,
        begin_election=pytest.fail,
        end_unexpectedly=pytest.fail,
    )


def test_an_exception_of_a_backups_request_is_reported_and_contained():
    errors, messages = create_messages(RuntimeError("no"))
    messages.on_message(REQUEST, SimpleNamespace(), 0)
    assert [str(each) for each in errors] == ["no"]


def test_unhandled_answer_of_no_member_leaves_an_election_alone():
    election = SimpleNamespace(on_message=lambda *_: None)
    errors, messages = create_messages(RuntimeError("no"), election)
    messages.on_message(ANSWER, SimpleNamespace(), 0)
    assert [str(each) for each in errors] == ["no"]


def test_terminating_exception_is_raised():
    _, messages = create_messages(AgentTerminationError("over"))
    with pytest.raises(AgentTerminationError):
        messages.on_message(REQUEST, SimpleNamespace(), 0)
