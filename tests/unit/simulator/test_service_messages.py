"""Messages of services in the log compared with the offered ones: losses, duplicates and
reorderings are detected.
"""

import pytest

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.service_messages import check_service_messages


def message(number, payload, service_id=0):
    session_id = -(1 << 63) | service_id << 56 | number
    header = SessionMessageHeader.encode(
        leadership_term_id=0, cluster_session_id=session_id, timestamp=0
    )
    return header + payload


def of_a_client(payload):
    return SessionMessageHeader.encode(leadership_term_id=0, cluster_session_id=7, timestamp=0) + (
        payload
    )


def check(*messages, offers, start_position=0):
    log = [(64 * index, each) for index, each in enumerate(messages, 1)]
    check_service_messages(log, offers, start_position)


FIRST, SECOND, THIRD = (message(number, b"%d" % number) for number in (1, 2, 3))
OFFERED = {0: [b"1", b"2", b"3"]}


def test_offers_are_in_the_log_in_order():
    check(FIRST, of_a_client(b"2"), SECOND, THIRD, offers=OFFERED)
    check(of_a_client(b"2"), offers={0: []})


@pytest.mark.parametrize(
    "messages",
    [
        (FIRST, SECOND),
        (SECOND, THIRD),
        (FIRST, THIRD),
        (FIRST, SECOND, SECOND, THIRD),
        (FIRST, THIRD, SECOND),
        (FIRST, SECOND, THIRD, message(4, b"4")),
        (FIRST, SECOND, message(3, b"2")),
        (),
    ],
    ids=["last", "first", "between", "twice", "out of turn", "one more", "another", "all"],
)
def test_a_log_other_than_offered_is_found(messages):
    with pytest.raises(InvariantError, match="a service's message is in the log once"):
        check(*messages, offers=OFFERED)


def test_the_messages_of_two_services_may_be_mixed():
    other = message(1, b"other", service_id=1)
    check(FIRST, other, SECOND, THIRD, offers={**OFFERED, 1: [b"other"]})
    with pytest.raises(InvariantError, match="service 1: expected no more, found 1"):
        check(FIRST, other, SECOND, THIRD, offers={**OFFERED, 1: []})


def test_service_with_unobserved_offers_is_left_out():
    check(message(5, b"native", service_id=1), offers={})


def test_purged_log_is_presumed_right():
    check(SECOND, THIRD, offers=OFFERED, start_position=64)
    check(offers=OFFERED, start_position=64)
    with pytest.raises(InvariantError, match="a service's message is in the log once"):
        check(SECOND, offers=OFFERED, start_position=64)
