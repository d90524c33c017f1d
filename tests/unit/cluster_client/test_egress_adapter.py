"""Egress messages passed to the adapter from a callback and after it."""

import pytest

from aeron_cluster.cluster_client.egress_adapter import EgressAdapter
from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import BufferUsageError
from tests.unit.cluster.streams import Streams

HEADER = SessionMessageHeader.encode(leadership_term_id=1, cluster_session_id=7, timestamp=9)


@pytest.fixture
def image(tmp_path):
    stream = Streams(tmp_path).stream(5)
    image = stream.image()
    assert stream.publication.offer(HEADER + b"a reply") > 0
    return image


def test_a_message_is_the_payload_in_place(image):
    seen = []
    adapter = EgressAdapter(
        lambda timestamp, message, _: seen.append((timestamp, bytes(message))),
        seen.append,
        cluster_session_id=7,
    )

    def on_fragment(message, header):
        adapter(message, header)
        seen.append(len(message))
        memoryview(message).release()

    image.poll(on_fragment)
    assert seen == [(9, b"a reply"), len(HEADER) + len(b"a reply")]


def test_view_of_an_ended_callback_is_rejected(image):
    kept = []
    image.poll(lambda message, header: kept.append((message, header)))
    adapter = EgressAdapter(pytest.fail, pytest.fail, cluster_session_id=7)
    with pytest.raises(BufferUsageError, match="found it after"):
        adapter(*kept[0])
