"""The plain model of a cluster: a good log leads to a state, and each broken rule is named."""

import pytest

from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    TimerEvent,
)
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.model.plain_cluster import PlainCluster
from aeron_cluster.simulator.model.plain_messages import first_service_id

CHANNEL = "aeron:udp?endpoint=client0:1"


class Log:
    """Encodes a log as a leader would, and applies it to a model."""

    def __init__(self, members=3):
        self.model = PlainCluster(members)
        self.term_id = -1
        self.timestamp = 1000
        self.position = 0

    def append(self, data):
        self.position += (32 + len(data) + 31) & ~31
        self.model.apply(data, self.position)

    def fields(self, **changes):
        self.timestamp += 1
        return {
            "leadership_term_id": self.term_id,
            "timestamp": self.timestamp,
            **changes,
        }

    def term(self, term_id, **changes):
        self.term_id = term_id
        event = {
            "log_position": self.position + 96,
            "term_base_log_position": self.position,
            "leader_member_id": term_id % 3,
            "log_session_id": 5,
            "time_unit": ClusterTimeUnit.MILLIS,
            "app_version": 1,
            **changes,
        }
        self.append(NewLeadershipTermEvent.encode(**self.fields(**event)))

    def open(self, session_id, **changes):
        event = {
            "correlation_id": 70 + session_id,
            "cluster_session_id": session_id,
            "response_stream_id": 102,
            "response_channel": CHANNEL,
            "encoded_principal": b"me",
            **changes,
        }
        self.append(SessionOpenEvent.encode(**self.fields(**event)))

    def close(self, session_id, reason=CloseReason.TIMEOUT, **changes):
        event = {"cluster_session_id": session_id, "close_reason": reason, **changes}
        self.append(SessionCloseEvent.encode(**self.fields(**event)))

    def message(self, session_id, payload=b"request", **changes):
        event = {"cluster_session_id": session_id, **changes}
        self.append(SessionMessageHeader.encode(**self.fields(**event)) + payload)

    def offered(self, service_id, number, payload=b"offered"):
        self.message(first_service_id(service_id) + number, payload)

    def timer(self, correlation_id, **changes):
        self.append(TimerEvent.encode(**self.fields(correlation_id=correlation_id, **changes)))

    def action(self, action=ClusterAction.SNAPSHOT, **changes):
        event = {"log_position": self.position + 96, "action": action, "flags": 0, **changes}
        self.append(ClusterActionRequest.encode(**self.fields(**event)))


def log_of_two_terms():
    log = Log()
    log.term(0)
    log.open(1)
    log.message(1)
    log.offered(0, 1)
    log.offered(1, 1)
    log.open(2)
    log.timer(9)
    log.close(1)
    log.term(4)
    log.offered(0, 2)
    log.action()
    log.message(2, b"last")
    return log


def test_a_log_determines_the_state():
    model = log_of_two_terms().model
    assert model.term_id == 4
    assert [each.leader_id for each in model.terms] == [0, 1]
    assert [model.leader_of(each) for each in (0, 1, 4)] == [0, -1, 1]
    assert list(model.sessions) == [2]
    assert model.closes[1].reason == 2
    assert model.logged == {0: 2, 1: 1}
    assert [timestamp for _, timestamp in model.fired[9]] == [1007]
    assert model.time_regressions == []


def test_services_see_events_in_the_order_of_the_log():
    assert [each[1:] for each in log_of_two_terms().model.seen] == [
        ("term", 0, 1001, b"0"),
        ("open", 1, 1002, b""),
        ("message", 1, 1003, b"request"),
        ("message", -1, 1004, b"offered"),
        ("message", -1, 1005, b"offered"),
        ("open", 2, 1006, b""),
        ("timer", 9, 1007, b""),
        ("close", 1, 1008, b"2"),
        ("term", 4, 1009, b"1"),
        ("message", -1, 1010, b"offered"),
        ("message", 2, 1012, b"last"),
    ]


def test_the_state_at_a_snapshot_request_is_retained():
    log = log_of_two_terms()
    log.close(2)
    log.offered(0, 3)
    ((position, requested),) = log.model.requested.items()
    assert requested.event.log_position == position
    assert requested.term.term_id == 4
    ((session_id, session),) = requested.sessions.items()
    assert session_id == 2
    assert session.event.channel == CHANNEL.encode()
    assert session.event.principal == b"me"
    assert requested.next_session_id == 3
    assert requested.logged == {0: 2, 1: 1}


def test_a_snapshot_for_a_standby_is_not_taken_by_members():
    log = Log()
    log.term(0)
    log.action(flags=1)
    log.action(ClusterAction.SUSPEND)
    assert log.model.requested == {}


@pytest.mark.parametrize(
    ("break_it", "found"),
    [
        (lambda log: log.term(4), "terms rise"),
        (lambda log: log.term(2), "terms rise"),
        (lambda log: log.term(5, leader_member_id=3), "members lead"),
        (lambda log: log.term(5, term_base_log_position=0), "begin where the last one ended"),
        (lambda log: log.term(5, log_position=0), "begin where the last one ended"),
        (lambda log: log.term(5, time_unit=ClusterTimeUnit.NANOS), "one unit of time"),
        (lambda log: log.open(1), "ids are given once"),
        (lambda log: log.open(2), "ids are given once"),
        (lambda log: log.open(0), "ids are given once"),
        (lambda log: log.open(3, leadership_term_id=0), "of their term"),
        (lambda log: log.close(1), "closed once"),
        (lambda log: log.close(2, CloseReason.NULL_VALUE), "closes have a reason"),
        (lambda log: log.message(1), "nothing comes from a closed session"),
        (lambda log: log.message(2, leadership_term_id=3), "of their term"),
        (lambda log: log.offered(0, 2), "in the log once"),
        (lambda log: log.offered(0, 4), "in the log once"),
        (lambda log: log.timer(9, leadership_term_id=5), "of their term"),
        (lambda log: log.action(log_position=1), "name their position"),
        (lambda log: log.append(b"\x00\x00\x63\x00\x6f\x00\x10\x00"), "have their format"),
        (lambda log: log.append(b"\x08\x00\x01\x00\x6f\x00\x10\x00" + bytes(24)), "too short"),
        (lambda log: log.append(b"\x18\x00\x01\x00\x6e\x00\x10\x00" + bytes(24)), "is of 110"),
        (lambda log: log.model.apply(b"", 0), "follow each other"),
    ],
)
def test_a_broken_rule_is_named(break_it, found):
    log = log_of_two_terms()
    with pytest.raises(InvariantError, match=found):
        break_it(log)


def test_the_first_entry_begins_a_term():
    with pytest.raises(InvariantError, match="of their term"):
        Log().open(1)


def test_a_term_may_begin_after_padding_alone():
    log = Log()
    log.term(0)
    log.position = 65536 - 32
    event = {"term_base_log_position": log.position, "log_position": 65536 + 96}
    log.position += 32
    log.term(1, **event)
    assert log.model.term_id == 1
    log.position += 32
    with pytest.raises(InvariantError, match="begin where"):
        log.term(2, term_base_log_position=log.position - 32)


def test_timestamps_that_fall_are_kept_with_the_leaders():
    log = log_of_two_terms()
    log.message(2, timestamp=3)
    log.message(2, timestamp=2)
    assert [(each.leader_ids, each.timestamps) for each in log.model.time_regressions] == [
        ((1, 1), (1012, 3)),
        ((1, 1), (3, 2)),
    ]
