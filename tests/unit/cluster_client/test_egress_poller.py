"""EgressPollerTest of upstream: one message at a time."""

import pytest

from aeron_cluster.cluster_client import EgressPoller
from aeron_cluster.codecs import cluster as codecs
from tests.unit.cluster.streams import Streams

HEADER = codecs.SessionMessageHeader.encode(leadership_term_id=1, cluster_session_id=7, timestamp=9)
EVENT = codecs.SessionEvent.encode(
    cluster_session_id=7,
    correlation_id=3,
    leadership_term_id=2,
    leader_member_id=1,
    code=codecs.EventCode.OK,
    version=4,
    leader_heartbeat_timeout_ns=5,
    detail="welcome",
)
CHALLENGE = codecs.Challenge.encode(
    correlation_id=3, cluster_session_id=7, encoded_challenge=b"who?"
)
FOREIGN = bytes([8, 0, 1, 0, 99, 0, 0, 0]) + bytes(8)


@pytest.fixture
def stream(tmp_path):
    return Streams(tmp_path).stream(5)


@pytest.fixture
def poller(stream):
    return EgressPoller(stream.streams.subscription(stream.image()))


def test_messages_are_received_one_at_a_time(stream, poller):
    for message in (FOREIGN, HEADER + b"a reply", EVENT, CHALLENGE):
        assert stream.publication.offer(message)
    assert poller.poll() == 2  # skipping the one of another schema
    assert poller.is_poll_complete
    assert not poller.is_challenged
    assert (poller.message.cluster_session_id, poller.message.timestamp) == (7, 9)
    assert poller.payload == b"a reply"
    assert poller.image is None
    assert poller.poll() == 1
    assert (poller.message.detail, poller.message.leader_member_id) == ("welcome", 1)
    assert poller.payload == b""
    assert poller.image is poller.subscription.images[0]
    assert poller.poll() == 1
    assert poller.is_challenged
    assert poller.message.encoded_challenge == b"who?"
    assert poller.poll() == 0
    assert not poller.is_poll_complete


def test_one_message_of_several_images_is_received(tmp_path):
    streams = Streams(tmp_path)
    sources = [streams.stream(session_id) for session_id in (5, 6)]
    poller = EgressPoller(streams.subscription(*(source.image() for source in sources)))
    assert repr(poller) == "<EgressPoller waiting>"
    for source, message in zip(sources, (EVENT, CHALLENGE), strict=True):
        assert source.publication.offer(message)
    found = []
    while poller.poll():
        found.append(type(poller.message))
        assert repr(poller) == f"<EgressPoller {type(poller.message).__name__}>"
    assert sorted(kind.__name__ for kind in found) == ["Challenge", "SessionEvent"]


def test_a_message_in_fragments_is_received_whole(stream, poller):
    payload = bytes(range(256)) * 20
    assert stream.publication.offer(HEADER + payload)
    while not poller.is_poll_complete:
        assert poller.poll()
    assert poller.payload == payload


def test_malformed_and_unexpected_messages_are_skipped(stream, poller):
    ack = codecs.ServiceAck.encode(
        log_position=1, timestamp=2, ack_id=3, relevant_id=4, service_id=5
    )
    for message in (b"short", ack, EVENT):
        assert stream.publication.offer(message)
    while not poller.is_poll_complete:
        assert poller.poll()
    assert isinstance(poller.message, codecs.SessionEvent)
