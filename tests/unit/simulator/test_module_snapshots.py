"""Snapshots of the consensus module, compared field by field."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.state.module_snapshot import (
    ModuleState,
    SessionRecord,
    TrackerState,
    encode_module_snapshot,
)
from aeron_cluster.codecs.cluster import CloseReason, ClusterTimeUnit, SessionMessageHeader
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.module_snapshots import (
    check_against_journal,
    check_equal,
    read_content,
)
from aeron_cluster.simulator.members.journal import Entry, Journal

BASE = -(1 << 63)
SESSIONS = tuple(
    SessionRecord(
        cluster_session_id=each,
        correlation_id=70 + each,
        opened_log_position=each * 64,
        response_stream_id=102,
        response_channel="aeron:udp?endpoint=a:1",
        close_reason=reason,
    )
    for each, reason in ((2, CloseReason.NULL_VALUE), (5, CloseReason.SERVICE_ACTION))
)


def message(number):
    header = SessionMessageHeader.encode(
        leadership_term_id=0, cluster_session_id=number, timestamp=2**63 - 1
    )
    return header + b"offered"


TRACKER = TrackerState(
    service_id=0,
    next_service_session_id=BASE + 9,
    log_service_session_id=BASE + 7,
    messages=(message(BASE + 8),),
)
STATE = ModuleState(
    log_position=640,
    leadership_term_id=3,
    app_version=1,
    time_unit=ClusterTimeUnit.MILLIS,
    next_session_id=6,
    sessions=SESSIONS,
    timers=((9, 100), (8, 200)),
    trackers=(TRACKER,),
)


def content(**changes):
    return read_content(encode_module_snapshot(replace(STATE, **changes)))


def test_a_snapshot_is_read_completely():
    found = content()
    assert found.next_session_id == 6
    assert found.sessions[5] == (75, 320, 102, "aeron:udp?endpoint=a:1")
    assert found.closing == {5: CloseReason.SERVICE_ACTION}
    assert found.timers == {9: 100, 8: 200}
    assert found.trackers == {0: (BASE + 9, BASE + 7)}
    assert found.messages == [(BASE + 8, b"offered")]


def test_equal_states_in_another_order_are_equal():
    check_equal(640, 0, content(), 1, content(timers=STATE.timers[::-1]))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"next_session_id": 7}, "next_session_id"),
        ({"sessions": SESSIONS[:1]}, "sessions"),
        ({"sessions": (SESSIONS[0], replace(SESSIONS[1], correlation_id=1))}, "sessions"),
        ({"timers": STATE.timers[:1]}, "timers"),
        ({"timers": ((9, 100), (8, 201))}, "timers"),
        (
            {"trackers": (replace(STATE.trackers[0], next_service_session_id=BASE + 10),)},
            "trackers",
        ),
        ({"trackers": (replace(STATE.trackers[0], messages=(message(BASE + 9),)),)}, "messages"),
        (
            {"sessions": (SESSIONS[0], replace(SESSIONS[1], close_reason=CloseReason.NULL_VALUE))},
            "session 5 closes",
        ),
    ],
)
def test_differing_field_is_named(changes, name):
    with pytest.raises(InvariantError, match=f"module snapshots are equal: at 640: {name}"):
        check_equal(640, 0, content(), 1, content(**changes))


def test_leader_may_close_a_session_still_open_in_the_log():
    closing = (replace(SESSIONS[0], close_reason=CloseReason.TIMEOUT), SESSIONS[1])
    check_equal(640, 0, content(), 1, content(sessions=closing))


def journal_of(*entries):
    journal = Journal(0)
    for index, (kind, key) in enumerate(entries):
        journal.add(index, Entry((index + 1) * 64, kind, key, index, b""), "member 0")
    return journal


OPENED = [("open", 1), ("open", 2), ("close", 1), ("open", 5), ("message", 5)]


def test_snapshot_has_the_sessions_open_at_its_position():
    journals = [journal_of(*OPENED, ("close", 2), ("open", 6)), Journal(1)]
    check_against_journal(320, 0, content(), journals)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (
            {"sessions": SESSIONS[1:]},
            r"hold the sessions: member 0, at 320: \[5\], open are \[2, 5\]",
        ),
        ({"next_session_id": 5}, "given once: member 0, at 320: the next is 5, the last was 5"),
        ({"next_session_id": 7}, "given once: member 0, at 320: the next is 7, the last was 5"),
    ],
)
def test_sessions_unknown_to_the_services_are_detected(changes, found):
    with pytest.raises(InvariantError, match=found):
        check_against_journal(320, 0, content(**changes), [journal_of(*OPENED)])
