"""Messages of clients, compared with the log: correct histories pass, others are reported."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.codecs.cluster import CloseReason, EventCode, NewLeaderEvent, SessionEvent
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.egress import (
    AnswersMatchTheLog,
    NoticesMatchTheLog,
    answers_by_session,
    check_client_closes,
    check_received,
    check_requests,
)
from aeron_cluster.simulator.clients.client import Load, Response
from aeron_cluster.simulator.clients.reference import Operation, ReferenceService, Request, Verb
from aeron_cluster.simulator.members.journal import Entry, Journal
from tests.unit.simulator.test_plain_cluster import log_of_two_terms

ENDPOINTS = "0=node0:9010,1=node1:9020,2=node2:9030"
REQUESTS = [Request(0, number, Verb.NEXT) for number in range(3)]


def journal():
    found = Journal(0)
    for index, (session_id, request) in enumerate(zip((1, 1, 2), REQUESTS, strict=True)):
        position = 64 + 64 * index
        entry = Entry(position, "message", session_id, 1000 + index, request.encode())
        found.add(index, entry, "member 0")
        found.on_answer(position, 0, session_id, b"answer %d" % index, "member 0")
    found.on_answer(64, 1, 1, b"more", "member 0")
    return found


ANSWERS = answers_by_session(journal())


def received(*messages, session_id=1):
    return [
        Response(number, timestamp, payload, session_id)
        for number, (timestamp, payload) in enumerate(messages)
    ]


FIRST, MORE, SECOND = (1000, b"answer 0"), (1000, b"more"), (1001, b"answer 1")


@pytest.mark.parametrize("messages", [(FIRST, MORE, SECOND), (FIRST, SECOND), (MORE,), ()])
def test_answers_may_be_lost_at_a_failover(messages):
    check_received("client 0", 1, received(*messages), ANSWERS)


@pytest.mark.parametrize(
    "messages",
    [
        (SECOND, FIRST),
        (MORE, FIRST),
        (FIRST, FIRST),
        ((1001, b"answer 0"),),
        ((1000, b"other"),),
        ((1002, b"answer 2"),),
    ],
)
def test_answers_not_sent_or_out_of_order_are_found(messages):
    with pytest.raises(InvariantError, match="clients receive what the service sent: client 0"):
        check_received("client 0", 1, received(*messages), ANSWERS)


def test_answers_of_a_deposed_leader_may_come_late():
    late, new = (Response(0, *each, 1, source) for source, each in enumerate((FIRST, SECOND)))
    more = Response(0, *MORE, 1, 0)
    check_received("client 0", 1, [new, late, more], ANSWERS)
    for wrong in ([new, more, late], [new, late, late], [late, replace(late, source=1)]):
        with pytest.raises(InvariantError, match="was not sent to it, or before that"):
            check_received("client 0", 1, wrong, ANSWERS)


def conclude(*messages, session_id=1):
    client = SimpleNamespace(
        number=0, responses=received(*messages, session_id=session_id), load=Load()
    )
    cluster = SimpleNamespace(
        latest_services={0: ReferenceService()},
        journals=[journal()],
        everyone=[client],
    )
    AnswersMatchTheLog().conclude(cluster)


def test_closed_session_must_belong_to_the_closing_client():
    log = log_of_two_terms()
    log.close(2, CloseReason.CLIENT_ACTION)
    check_client_closes(log.model, {0: {1, 2}})
    check_client_closes(log.model, {1: set()})  # a session of an unobserved client
    with pytest.raises(InvariantError, match=r"closes have their reason: .* client 0 did not"):
        check_client_closes(log.model, {0: {1}})


def test_answers_of_several_clusters_are_not_compared():
    client = SimpleNamespace(number=0, responses=received((7, b"of nobody")), load=Load())
    cluster = SimpleNamespace(
        latest_services={0: ReferenceService()},
        journals=[journal()],
        everyone=[client],
    )
    with pytest.raises(InvariantError, match="clients receive what the service sent"):
        AnswersMatchTheLog().conclude(cluster)
    cluster.journals = [journal(), journal()]
    AnswersMatchTheLog().conclude(cluster)


def test_answers_before_the_journal_begins_are_of_no_time():
    own = journal()
    own.on_answer(32, 0, 1, b"earlier", "member 0")
    assert answers_by_session(own) == ANSWERS


def test_an_answer_belongs_to_its_session():
    conclude(FIRST)
    with pytest.raises(InvariantError, match="clients receive what the service sent"):
        conclude(FIRST, session_id=2)


def operations_of(*requests):
    return {0: [Operation(each) for each in requests]}


def test_unchanged_requests_pass():
    check_requests(journal(), operations_of(*REQUESTS))
    check_requests(journal(), {})


@pytest.mark.parametrize(
    ("operations", "change", "found"),
    [
        (operations_of(*REQUESTS[:2]), {}, "as they were made"),
        (operations_of(*REQUESTS[:2], REQUESTS[2]._replace(padding=1)), {}, "as they were made"),
        (operations_of(*REQUESTS), {"payload": REQUESTS[0].encode(), "key": 1}, "are in order"),
        (operations_of(*REQUESTS), {"payload": REQUESTS[1].encode(), "key": 1}, "are in order"),
        (
            operations_of(*REQUESTS) | {1: [Operation(Request(1, 0, Verb.NEXT))]},
            {"payload": Request(1, 0, Verb.NEXT).encode(), "key": 1},
            "of one client",
        ),
    ],
)
def test_altered_and_reordered_requests_are_found(operations, change, found):
    changed = journal()
    changed.entries[2] = changed.entries[2]._replace(**change)
    with pytest.raises(InvariantError, match=found):
        check_requests(changed, operations)


def state(code=EventCode.OK, **changes):
    fields = {
        "cluster_session_id": 2,
        "correlation_id": 72,
        "leadership_term_id": 0,
        "leader_member_id": 0,
        "code": code,
        "version": 768,
        "leader_heartbeat_timeout_ns": 1,
        "detail": "",
        **changes,
    }
    return SessionEvent.encode(**fields)


def redirect(**changes):
    fields = {"cluster_session_id": -1, "detail": ENDPOINTS, **changes}
    return state(EventCode.REDIRECT, **fields)


def closed(**changes):
    fields = {"cluster_session_id": 1, "detail": "TIMEOUT", **changes}
    return state(EventCode.CLOSED, **fields)


def new_leader(**changes):
    fields = {
        "leadership_term_id": 4,
        "cluster_session_id": 2,
        "leader_member_id": 1,
        "ingress_endpoints": ENDPOINTS,
        **changes,
    }
    return NewLeaderEvent.encode(**fields)


def take(host, message):
    notices = NoticesMatchTheLog(SimpleNamespace(model=log_of_two_terms().model))
    notices.on_notice(host, message)
    cluster = SimpleNamespace(members=range(3), clients=[], ingress_endpoints=ENDPOINTS)
    notices.conclude(cluster)


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (0, state()),
        (1, state(leadership_term_id=4, leader_member_id=1)),
        (2, state(leadership_term_id=2, leader_member_id=2, cluster_session_id=9)),
        (0, state(cluster_session_id=7)),
        (2, redirect()),
        (0, redirect()),  # elected while it waited for the client's egress
        (0, redirect(leadership_term_id=4, leader_member_id=1)),
        (0, closed()),
        (0, closed(cluster_session_id=8, detail="election")),
        # Of another term than that of the log.
        (1, closed(leadership_term_id=4, leader_member_id=1, detail="CLIENT_ACTION")),
        # Errors are of no session of the log, but the next leader may give their id again.
        (0, state(EventCode.ERROR, cluster_session_id=8, detail="anything")),
        (2, state(EventCode.ERROR, detail="anything")),
        (2, state(EventCode.AUTHENTICATION_REJECTED, detail="anything")),
        (1, new_leader()),
        (2, new_leader(leadership_term_id=2, leader_member_id=2, cluster_session_id=9)),
        (7, new_leader(ingress_endpoints="")),
    ],
)
def test_correct_notices_pass(host, message):
    take(host, message)


@pytest.mark.parametrize(
    ("host", "message", "found"),
    [
        (1, state(leader_member_id=1), "name the leader"),
        (1, state(), "agree with the log"),
        (0, state(correlation_id=71), "agree with the log"),
        (1, state(leadership_term_id=4, leader_member_id=1, correlation_id=1), "agree with"),
        (2, redirect(detail="0=node0:9010"), "agree with the log"),
        (2, redirect(leader_member_id=1), "name the leader"),
        (0, closed(detail="SERVICE_ACTION"), "agree with the log"),
        (0, closed(detail="election"), "agree with the log"),
        (0, closed(cluster_session_id=8, detail="because"), "agree with the log"),
        (0, state(EventCode.ERROR, detail="anything"), "agree with the log"),
        (0, new_leader(), "new leaders name themselves"),
        (2, new_leader(leader_member_id=2), "name the leader"),
        (1, new_leader(ingress_endpoints="0=node0:9010"), "new leaders name themselves"),
        (1, new_leader(cluster_session_id=3), "new leaders name themselves"),
    ],
)
def test_wrong_notices_are_found(host, message, found):
    with pytest.raises(InvariantError, match=found):
        take(host, message)
