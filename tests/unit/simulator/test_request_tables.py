"""Tables of surviving clients and times of recordings: every wrong one is detected."""

import struct

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.plain_disk import PlainRecording
from aeron_cluster.simulator.checks.plain_requests import PlainRequests
from aeron_cluster.simulator.checks.recording_times import check_times
from aeron_cluster.simulator.checks.request_tables import check_table, requests_of
from aeron_cluster.simulator.clients.guests import Guests, is_enveloped
from aeron_cluster.simulator.clients.reference import Request, Verb
from aeron_cluster.simulator.members.journal import Entry
from aeron_cluster.simulator.trials.shapes import draw_guest_capacity

MANY = 2000
ENVELOPE = struct.Struct("<4sHHqqqq")
OPEN, REQUEST, FORGET = 1, 2, 3
CLIENT, ANSWER = 32, 33
OPENED, ANSWERED, NO_ROOM = 16, 17, 23
BODY = Request(1, 1, Verb.NEXT).encode()


def envelope(kind, client_id, incarnation, sequence=0, acknowledged=0, body=b""):
    head = ENVELOPE.pack(b"ACRQ", 1, kind, client_id, incarnation, sequence, acknowledged)
    return head + body


def log_of(*messages):
    return [
        Entry(64 * index, "message", 5 + index, 100 + index, message)
        for index, message in enumerate(messages, 1)
    ]


LOG = log_of(
    envelope(OPEN, 7, 1),
    envelope(REQUEST, 7, 1, 1, 0, BODY),
    envelope(REQUEST, 7, 1, 2, 1, BODY),
    envelope(OPEN, 8, 1),
    envelope(OPEN, 9, 3),
    envelope(FORGET, 9, 2),
    envelope(FORGET, 8, 1),
)
# Two places: 9 found none, and 8 ended in order.
TABLE = [
    b"the service's own",
    envelope(CLIENT, 7, 1, 2, 1, struct.pack("<qq", 103, 8)),
    envelope(ANSWER, 7, 17, 2, 16, bytes(16)),
]


def test_the_table_that_the_log_leads_to_passes():
    check_table("member 0", TABLE, requests_of(LOG, 2))


@pytest.mark.parametrize(
    "table",
    [
        TABLE[:1],
        TABLE[:2],
        [*TABLE, envelope(CLIENT, 8, 1, 0, 0, struct.pack("<qq", 104, 9))],
        [envelope(CLIENT, 7, 1, 2, 1, struct.pack("<qq", 102, 8)), TABLE[2]],
        [envelope(CLIENT, 7, 1, 2, 1, struct.pack("<qq", 103, 7)), TABLE[2]],
        [envelope(CLIENT, 7, 1, 2, 0, struct.pack("<qq", 103, 8)), TABLE[2]],
        [*TABLE, envelope(ANSWER, 7, 17, 1, 16, bytes(16))],
    ],
    ids=["empty", "no answer", "forgotten", "activity", "session", "acknowledged", "old answer"],
)
def test_a_table_that_differs_is_detected(table):
    with pytest.raises(InvariantError, match=r"tables of clients|answers are retained"):
        check_table("member 0", table, requests_of(LOG, 2))


def test_what_is_answered_later_is_not_retained_before():
    check_table("member 0", TABLE[:2], requests_of(LOG, 2), {(7, 2)})
    with pytest.raises(InvariantError, match="answers are retained"):
        check_table("member 0", TABLE, requests_of(LOG, 2), {(7, 2)})
    with pytest.raises(InvariantError, match="answers are retained"):
        check_table("member 0", TABLE[:2], requests_of(LOG, 2), {(8, 2)})


FAILED, REJECTED_CAUSE, FAILED_CAUSE = 18, 1 << 16, 2 << 16
REJECTED = Request(1, 1, Verb.REJECT, 3)
UNWORKABLE = Request(1, 1, Verb.FAIL, 1)


def table_of(request, kind, reason, parts=1):
    """Return a log with a request, and the table with one retained answer."""
    log = log_of(envelope(OPEN, 7, 1), envelope(REQUEST, 7, 1, 1, 0, request.encode()))
    length = -(-len(reason) // parts)
    table = [
        envelope(CLIENT, 7, 1, 1, 0, struct.pack("<qq", 102, 7)),
        *(
            envelope(ANSWER, 7, kind, 1, len(reason), reason[begin : begin + length])
            for begin in range(0, len(reason) or 1, length or 1)
        ),
    ]
    return table, requests_of(log, 2)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("request_", [REJECTED, UNWORKABLE], ids=["rejected", "failed"])
def test_a_retained_failure_has_its_cause_and_reason(request_, parts):
    is_rejected, reason = request_.failure
    cause = REJECTED_CAUSE if is_rejected else FAILED_CAUSE
    reason = reason.encode()
    check_table("member 0", *table_of(request_, FAILED | cause, reason, parts))


@pytest.mark.parametrize(
    ("request_", "kind", "reason"),
    [
        (REJECTED, FAILED | FAILED_CAUSE, None),
        (REJECTED, FAILED, None),
        (REJECTED, 17, None),
        (REJECTED, FAILED | REJECTED_CAUSE, b"another"),
        (UNWORKABLE, FAILED | REJECTED_CAUSE, None),
        (UNWORKABLE, FAILED | FAILED_CAUSE, b"UnworkableRequestError"),
        (Request(1, 1, Verb.NEXT), FAILED | FAILED_CAUSE, b"WorseRequestError"),
        (Request(1, 1, Verb.NEXT), 17 | REJECTED_CAUSE, bytes(16)),
    ],
)
def test_a_retained_answer_of_another_kind_is_detected(request_, kind, reason):
    if reason is None:
        reason = request_.failure.reason.encode()
    with pytest.raises(InvariantError, match="retained answers are those of their requests"):
        check_table("member 0", *table_of(request_, kind, reason))


@pytest.mark.parametrize(
    ("late", "sequence"),
    [(1, 2), (3, 3)],
    ids=["of an earlier process", "with a later request than the service has"],
)
def test_a_client_that_opens_with_less_than_the_table_has_changes_nothing(late, sequence):
    log = log_of(
        envelope(OPEN, 7, 2),
        envelope(REQUEST, 7, 2, 1, 0, BODY),
        envelope(REQUEST, 7, 2, 2, 1, BODY),
    )
    before = requests_of(log, 2).table
    after = requests_of([*log, *log_of(envelope(OPEN, 7, late, sequence))], 2).table
    assert after == before


def test_one_run_of_four_has_guests_and_a_small_table():
    capacities = [draw_guest_capacity(seed) for seed in range(MANY)]
    assert MANY // 5 < sum(each > 0 for each in capacities) < MANY // 3
    assert {each for each in capacities if each} == {1, 2, 3, 4}


def test_guests_fill_the_table_and_end_and_state_only_what_was_answered():
    guests = Guests(0, SeededRandom(3))
    requests = PlainRequests(32, 3)
    kinds = {OPEN: 0, REQUEST: 0, FORGET: 0}
    applied = full = unknown = 0
    for index in range(3 * MANY):
        message = guests.draw()
        if message is None:
            continue
        assert is_enveloped(message)
        _, _, kind, client_id, incarnation, sequence, answered = ENVELOPE.unpack_from(message)
        kinds[kind] += 1
        before = requests.table.get(client_id)
        if kind == REQUEST and before is not None:
            assert answered <= before.last
        is_taken = requests.accept(message, 1, index) is not None
        applied += is_taken
        after = requests.table.get(client_id)
        if kind == OPEN and sequence > 0 and before is None:
            assert after is None
            unknown += 1
            continue
        full += kind == OPEN and after is None
        if kind == OPEN and after is not None:
            guests.on_message(envelope(OPENED, client_id, incarnation, after.last))
        elif kind == OPEN:
            guests.on_message(envelope(NO_ROOM, client_id, incarnation))
        if is_taken:
            guests.on_message(envelope(ANSWERED, client_id, incarnation, sequence))
    assert min(kinds.values()) > MANY // 20
    assert applied > MANY // 20
    assert full > MANY // 20
    assert unknown > 0


@pytest.mark.parametrize("kind", [OPENED, ANSWERED])
def test_late_replies_to_guests_do_not_take_them_back(kind):
    guests = Guests(0, SeededRandom(5))
    late = []
    requests = 0
    for _ in range(MANY):
        message = guests.draw()
        if message is None:
            continue
        _, _, sent, client_id, incarnation, sequence, answered = ENVELOPE.unpack_from(message)
        assert sequence > answered or sent != REQUEST
        requests += sent == REQUEST
        reply = OPENED if sent == OPEN else ANSWERED
        if sent == FORGET:
            continue
        if reply == kind:
            late.append(envelope(reply, client_id, incarnation, sequence))
        else:
            guests.on_message(envelope(reply, client_id, incarnation, sequence))
        if len(late) > 3:
            guests.on_message(late.pop(0))
    assert requests > MANY // 8


RECORDING = PlainRecording(3, 0, 640, 1 << 16, 1 << 16, 2000, 3000)


@pytest.mark.parametrize(
    "recording",
    [
        RECORDING,
        RECORDING._replace(start_ms=1000, stop_ms=4000),
        RECORDING._replace(stop_position=-1, stop_ms=-1),
    ],
)
def test_right_times_of_a_recording_pass(recording):
    check_times("member 0", recording, 1000, 4000)


@pytest.mark.parametrize(
    "recording",
    [
        RECORDING._replace(start_ms=999),
        RECORDING._replace(stop_ms=3_000_000),
        RECORDING._replace(stop_ms=3),
        RECORDING._replace(stop_ms=-1),
        RECORDING._replace(stop_position=-1),
        RECORDING._replace(start_ms=3001),
    ],
)
def test_a_wrong_time_of_a_recording_is_detected(recording):
    with pytest.raises(InvariantError, match="recordings have their times"):
        check_times("member 0", recording, 1000, 4000)
