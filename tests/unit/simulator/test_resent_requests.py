"""Requests that surviving clients send again: one without end is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_requests import PlainRequests
from aeron_cluster.simulator.checks.resent_requests import (
    RequestsAreResentWithPauses,
    check_copies,
)
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.members.journal import Entry

MOST = 16
PROBE = 2**62


def envelope(sequence, kind=EnvelopeKind.REQUEST):
    return Envelope(kind, 7, 1, sequence).encode(b"request")


def entries(*messages):
    """Return entries of a log: terms as numbers, messages of session 3."""
    return [
        Entry(64 * index, "term", each, index, b"0")
        if isinstance(each, int)
        else Entry(64 * index, "message", 3, index, each)
        for index, each in enumerate(messages, 1)
    ]


def test_sequences_are_read_as_they_were_written():
    assert PlainRequests.sequence_of(envelope(5)) == 5
    assert PlainRequests.sequence_of(envelope(5, EnvelopeKind.OPEN)) is None
    assert PlainRequests.sequence_of(b"another message") is None


def test_some_copies_pass_and_more_in_another_term():
    copies = [envelope(1)] * MOST
    check_copies(entries(0, *copies, envelope(2), 1, *copies))
    check_copies(entries(0, *[envelope(PROBE)] * (2 * MOST)))


def test_a_request_that_is_sent_without_end_is_detected():
    with pytest.raises(InvariantError, match="session 3, request 1: 17 times in term 0"):
        check_copies(entries(0, *[envelope(1)] * (MOST + 1)))


def test_copies_of_plain_clients_are_not_counted():
    journal = SimpleNamespace(entries=entries(0, *[envelope(1)] * (MOST + 1)))
    cluster = SimpleNamespace(is_joined=True, journals=[journal], clients=[object()])
    RequestsAreResentWithPauses().conclude(cluster)
    cluster.clients.append(Survivor.__new__(Survivor))
    with pytest.raises(InvariantError, match="requests are resent with pauses"):
        RequestsAreResentWithPauses().conclude(cluster)
