"""Members compared with the plain model: every difference is detected, and nothing else."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.service.service_snapshot import snapshot_messages
from aeron_cluster.cluster.state.module_snapshot import (
    ModuleState,
    SessionRecord,
    TrackerState,
    encode_module_snapshot,
)
from aeron_cluster.codecs.cluster import CloseReason, ClusterTimeUnit, SessionMessageHeader
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.model_checks import (
    check_journal,
    check_module_snapshot,
    check_service_closes,
    check_service_snapshot,
    check_time,
)
from aeron_cluster.simulator.members.journal import Entry, Journal
from aeron_cluster.simulator.model.plain_messages import (
    first_service_id,
    read_module_snapshot,
    read_service_snapshot,
)
from tests.unit.simulator.test_plain_cluster import CHANNEL, log_of_two_terms

LOG = log_of_two_terms()
MODEL = LOG.model
((POSITION, REQUESTED),) = MODEL.requested.items()
OPENED = REQUESTED.sessions[2].position


def journal_of(service_id, offers):
    journal = Journal(service_id)
    for index, seen in enumerate(MODEL.seen):
        journal.add(index, Entry(*seen), "member 0")
    journal.offers = {(OPENED, place): each for place, each in enumerate(offers)}
    return journal


def journals():
    """Return journals of two services: the first offered three messages, of which the log has two.

    Timers: one fired, one is set, one was moved, one was moved after the snapshot.
    """
    first = journal_of(0, [b"offered", b"offered", b"left"])
    first.settings = {
        (OPENED - 32, 9): 1000,
        (OPENED, 5): 2000,
        (OPENED, 6): 1500,
        (OPENED + 32, 6): 3000,
        (OPENED, 7): 4000,
        (POSITION + 32, 7): 5000,
    }
    second = journal_of(1, [b"offered"])
    second.settings = first.settings
    return [first, second]


TIMERS = ((5, 2000), (6, 3000), (7, 4000))
SESSION = SessionRecord(
    cluster_session_id=2,
    correlation_id=72,
    opened_log_position=OPENED,
    response_stream_id=102,
    response_channel=CHANNEL,
)


def message(service_id, number, payload):
    header = SessionMessageHeader.encode(
        leadership_term_id=4,
        cluster_session_id=first_service_id(service_id) + number,
        timestamp=2**63 - 1,
    )
    return header + payload


def tracker(service_id, offered, logged, *messages):
    base = first_service_id(service_id)
    return TrackerState(
        service_id=service_id,
        next_service_session_id=base + offered + 1,
        log_service_session_id=base + logged,
        messages=messages,
    )


LEFT = tracker(0, 3, 2, message(0, 3, b"left"))
NONE_LEFT = tracker(1, 1, 1)
STATE = ModuleState(
    log_position=POSITION,
    leadership_term_id=4,
    app_version=1,
    time_unit=ClusterTimeUnit.MILLIS,
    next_session_id=3,
    sessions=(SESSION,),
    timers=TIMERS,
    trackers=(LEFT, NONE_LEFT),
)


def check_state(**changes):
    messages = encode_module_snapshot(replace(STATE, **changes))
    snapshot = read_module_snapshot(list(messages))
    check_module_snapshot("member 0", snapshot, REQUESTED, journals(), MODEL.fired)


def test_a_correct_snapshot_passes():
    check_state()
    check_state(timers=TIMERS[::-1])


def of_service(at, reason=CloseReason.SERVICE_ACTION):
    """Check a snapshot whose session a service requested the end of at a position."""
    messages = encode_module_snapshot(
        replace(STATE, sessions=(replace(SESSION, close_reason=reason),))
    )
    own = journals()
    own[0].closes = {2: at}
    check_module_snapshot(
        "member 0", read_module_snapshot(list(messages)), REQUESTED, own, MODEL.fired
    )


def test_session_that_a_service_closes_is_closing_in_a_snapshot():
    of_service(POSITION)
    of_service(POSITION, CloseReason.TIMEOUT)
    of_service(POSITION + 32, CloseReason.NULL_VALUE)
    for at, reason in ((POSITION, CloseReason.NULL_VALUE), (POSITION + 32, CloseReason(1))):
        with pytest.raises(InvariantError, match="snapshots hold why sessions close"):
            of_service(at, reason)


def test_sessions_that_services_close_end_for_that_reason():
    log = log_of_two_terms()
    log.close(2, CloseReason.SERVICE_ACTION)
    check_service_closes(log.model, {1: OPENED, 2: OPENED})
    with pytest.raises(InvariantError, match="closes have their reason"):
        check_service_closes(log.model, {})
    with pytest.raises(InvariantError, match="closes have their reason"):
        check_service_closes(log.model, {2: log.position})
    with pytest.raises(InvariantError, match="services close sessions"):
        check_service_closes(MODEL, {2: OPENED})


def test_a_leader_may_close_what_the_log_has_open():
    check_state(sessions=(replace(SESSION, close_reason=CloseReason.TIMEOUT),))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"log_position": POSITION - 96}, "of their position"),
        ({"leadership_term_id": 3}, "of their position"),
        ({"next_session_id": 2}, "ids are given once"),
        ({"next_session_id": 4}, "ids are given once"),
        ({"sessions": ()}, "hold the sessions"),
        ({"sessions": (replace(SESSION, cluster_session_id=1), SESSION)}, "hold the sessions"),
        ({"sessions": (replace(SESSION, correlation_id=2),)}, "hold the sessions"),
        ({"sessions": (replace(SESSION, opened_log_position=OPENED - 32),)}, "hold the sessions"),
        ({"sessions": (replace(SESSION, response_stream_id=101),)}, "hold the sessions"),
        ({"sessions": (replace(SESSION, response_channel="aeron:udp"),)}, "hold the sessions"),
        ({"timers": (*TIMERS, (9, 1000))}, "that are set: member 0: 9, which fired"),
        ({"timers": (*TIMERS, (8, 1000))}, "that are set: member 0: 8 is set for 1000, the last"),
        ({"timers": ((5, 2001),)}, "the last request there was for 2000"),
        ({"timers": ((6, 1500),)}, "the last request there was for 3000"),
        ({"timers": ((7, 5000),)}, "the last request there was for 4000"),
        ({"trackers": (replace(LEFT, messages=()), NONE_LEFT)}, "hold the services' messages"),
        (
            {"trackers": (tracker(0, 3, 2, message(0, 3, b"gone")), NONE_LEFT)},
            "hold the services' messages",
        ),
        ({"trackers": (tracker(0, 4, 2, *LEFT.messages), NONE_LEFT)}, "number the services'"),
        ({"trackers": (tracker(0, 3, 1, *LEFT.messages), NONE_LEFT)}, "number the services'"),
        ({"trackers": (LEFT,)}, "number the services'"),
    ],
)
def test_a_wrong_field_of_a_module_snapshot_is_detected(changes, found):
    with pytest.raises(InvariantError, match=found):
        check_state(**changes)


def test_an_incomplete_snapshot_is_detected():
    messages = list(encode_module_snapshot(STATE))
    for part in (messages[1:], messages[:-1], []):
        with pytest.raises(InvariantError, match="snapshots are complete"):
            read_module_snapshot(part)
    with pytest.raises(InvariantError, match="a timer once"):
        read_module_snapshot([*messages[:3], messages[3], *messages[3:]])


class ServicesSession:
    id = 2
    response_stream_id = 102
    response_channel = CHANNEL
    encoded_principal = b"me"


def check_container(sessions, **changes):
    place = {"log_position": POSITION, "leadership_term_id": 4, **changes}
    messages = snapshot_messages(sessions, time_unit=ClusterTimeUnit.MILLIS, app_version=1, **place)
    snapshot = read_service_snapshot([*messages, b"what the service writes itself"])
    check_service_snapshot("member 0", snapshot, REQUESTED)


def test_a_container_writes_the_sessions():
    check_container([ServicesSession])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 1),
        ("response_stream_id", 1),
        ("response_channel", ""),
        ("encoded_principal", b""),
    ],
)
def test_a_wrong_field_of_a_containers_session_is_detected(field, value):
    with pytest.raises(InvariantError, match="services' snapshots hold the sessions"):
        check_container([type("Other", (ServicesSession,), {field: value})])


def test_a_containers_missing_session_or_wrong_position_is_detected():
    with pytest.raises(InvariantError, match="services' snapshots hold the sessions"):
        check_container([])
    with pytest.raises(InvariantError, match="of their position"):
        check_container([ServicesSession], leadership_term_id=0)


def test_a_journal_equals_the_log():
    journal = journal_of(0, [])
    check_journal(journal, MODEL.seen)
    journal.entries.pop()
    check_journal(journal, MODEL.seen)


@pytest.mark.parametrize("change", [{"timestamp": 1}, {"payload": b"x"}, {"key": 7}])
def test_an_event_that_differs_from_the_log_is_detected(change):
    journal = journal_of(0, [])
    journal.entries[3] = journal.entries[3]._replace(**change)
    with pytest.raises(InvariantError, match="services see the log: service 0 saw message"):
        check_journal(journal, MODEL.seen)


def test_additional_and_missing_events_are_detected():
    journal = journal_of(0, [])
    with pytest.raises(InvariantError, match="the log ends before that"):
        check_journal(journal, MODEL.seen[:-1])
    del journal.entries[2]
    with pytest.raises(InvariantError, match="services see the log: service 0 saw message -1"):
        check_journal(journal, MODEL.seen)


def test_time_falls_only_where_a_clock_was_set():
    log = log_of_two_terms()
    check_time(log.model, lambda _: True)
    log.message(2, timestamp=3)
    check_time(log.model, lambda member_id: member_id != 1)
    with pytest.raises(InvariantError, match="cluster time does not fall"):
        check_time(log.model, lambda _: True)


def test_a_close_for_an_unknown_reason_is_detected():
    snapshot = read_module_snapshot(list(encode_module_snapshot(STATE)))
    (session,) = snapshot.sessions
    snapshot.sessions[0] = session._replace(reason=77)
    with pytest.raises(InvariantError, match="closes have a reason: member 0"):
        check_module_snapshot("member 0", snapshot, REQUESTED, journals(), MODEL.fired)


def test_what_native_services_request_is_not_compared():
    changes = {"timers": (), "trackers": ()}
    messages = list(encode_module_snapshot(replace(STATE, **changes)))
    own = journals()
    own[1].entries.clear()
    check_module_snapshot("member 0", read_module_snapshot(messages), REQUESTED, own, MODEL.fired)
    with pytest.raises(InvariantError):
        check_state(**changes)
