"""Requests for sessions: an id that is used twice at one egress is detected."""

import pytest

from aeron_cluster.codecs.cluster import SessionConnectRequest
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.request_ids import (
    PlainRequest,
    RequestIdsAreUsedOnce,
    read_request,
)

EGRESS = "aeron:udp?endpoint=client0:32768"


def request(correlation_id, channel=EGRESS, stream_id=102):
    return SessionConnectRequest.encode(
        correlation_id=correlation_id,
        response_stream_id=stream_id,
        version=1,
        response_channel=channel,
        encoded_credentials=b"secret",
        client_info="client",
    )


def test_a_request_is_read_by_hand():
    assert read_request(request(7)) == PlainRequest(7, 102, EGRESS.encode())


def test_ids_of_other_hosts_streams_and_egresses_are_others():
    checker = RequestIdsAreUsedOnce()
    checker.on_session_request(3, request(7))
    for host, message in (
        (3, request(8)),
        (4, request(7)),
        (3, request(7, stream_id=103)),
        (3, request(7, "aeron:udp?endpoint=client0:32769")),
    ):
        checker.on_session_request(host, message)


def test_an_id_that_is_used_twice_is_detected():
    checker = RequestIdsAreUsedOnce()
    checker.on_session_request(3, request(7))
    with pytest.raises(InvariantError, match="correlation ids are used once: host 3 sent"):
        checker.on_session_request(3, request(7))
