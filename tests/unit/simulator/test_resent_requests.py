"""Requests that surviving clients send again: one without end is detected."""

import pytest

from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_requests import PlainRequests
from aeron_cluster.simulator.checks.resent_requests import (
    check_copies,
)
from aeron_cluster.simulator.members.journal import Entry

MOST = 16
PROBE = 2**62


def envelope(sequence, kind=EnvelopeKind.REQUEST, client_id=7, incarnation=1):
    return Envelope(kind, client_id, incarnation, sequence).encode(b"request")


def entries(*messages):
    """Return entries of a log: terms as numbers, messages of session 3."""
    return [
        Entry(64 * index, "term", each, index, b"0")
        if isinstance(each, int)
        else Entry(64 * index, "message", 3, index, each)
        for index, each in enumerate(messages, 1)
    ]


def test_the_name_of_a_request_is_read_as_it_was_written():
    assert PlainRequests.name_of(envelope(5)) == (7, 1, 5)
    assert PlainRequests.name_of(envelope(5, EnvelopeKind.OPEN)) is None
    assert PlainRequests.name_of(b"another message") is None


def test_some_copies_pass_and_more_in_another_term():
    copies = [envelope(1)] * MOST
    check_copies(entries(0, *copies, envelope(2), 1, *copies))
    check_copies(entries(0, *[envelope(PROBE)] * (2 * MOST)))


def test_equal_sequences_of_several_clients_of_a_session_are_no_copies():
    clients = [envelope(1, client_id=each) for each in range(2 * MOST)]
    processes = [envelope(1, incarnation=each) for each in range(2, 2 * MOST)]
    check_copies(entries(0, *clients, *processes))


def test_a_request_that_is_sent_without_end_is_detected():
    with pytest.raises(InvariantError, match="session 3, client 7, request 1: 17 times in term 0"):
        check_copies(entries(0, *[envelope(1)] * (MOST + 1)))
