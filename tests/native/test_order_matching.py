"""The order matching service in C: its protocol, its priorities and its snapshots."""

import random

import pytest

from tests.native import orders
from tests.native.orders import (
    ACK,
    BAD_PRICE,
    BAD_QUANTITY,
    BOOK_FULL,
    BUY,
    CANCEL,
    FILL,
    MAKER,
    MALFORMED,
    MAX_PRICE,
    NEW_ORDER,
    NOT_OWNER,
    REJECT,
    REPLACE,
    SELL,
    TAKER,
    UNKNOWN_ORDER,
)
from tests.native.service_script import Did, Script, Status, only, returned

ALICE, BOB = 7, 9
SMALL = {"max_orders": 64}


def opened(snapshot=None):
    return Script().start(snapshot).open(ALICE).open(BOB).lead()


@pytest.fixture
def book(service_host):
    """Run a script; return the replies as (session, decoded message)."""

    def run(script, **options):
        entries = service_host("order_matching", script, **(SMALL | options))
        assert all(code == 0 for code in returned(entries))
        return [(entry.a, orders.decode(entry.data)) for entry in only(entries, Did.EGRESS)]

    return run


def test_an_order_without_a_counterpart_rests(book):
    script = opened().message(ALICE, orders.new_order(BUY, 10, 100, correlation_id=5))
    script.message(BOB, orders.top_of_book(6))
    (to, ack), (_, top) = book(script)
    assert to == ALICE
    assert ack == (ACK, BUY, NEW_ORDER, 10, 5, 1, 100)
    assert top[4:] == (6, 100, 10, 0, 0)


def test_both_sides_of_a_match_get_the_price_of_the_resting_order(book):
    script = opened()
    script.message(ALICE, orders.new_order(SELL, 10, 100, correlation_id=1))
    script.message(BOB, orders.new_order(BUY, 4, 105, correlation_id=2))
    _, (_, ack), taker, maker = book(script)
    assert ack.type == ACK
    assert taker == (BOB, (FILL, BUY, TAKER, 4, 2, 2, 100, 1, 0, 0))
    assert maker == (ALICE, (FILL, SELL, MAKER, 4, 1, 1, 100, 1, 6, 0))


def test_the_best_price_comes_first_and_at_one_price_the_oldest(book):
    script = opened()
    for price in (101, 100, 100, MAX_PRICE, 102):
        script.message(ALICE, orders.new_order(SELL, 1, price))
    script.message(BOB, orders.new_order(BUY, 4, 102))
    fills = [message for to, message in book(script) if message.type == FILL and to == ALICE]
    assert [(fill.order_id, fill.price, fill.match_id) for fill in fills] == [
        (2, 100, 1),
        (3, 100, 2),
        (1, 101, 3),
        (5, 102, 4),
    ]


def test_the_rest_of_an_incoming_order_rests(book):
    script = opened().message(ALICE, orders.new_order(BUY, 3, 50))
    script.message(BOB, orders.new_order(SELL, 10, 40)).message(BOB, orders.top_of_book())
    assert book(script)[-1][1][5:] == (0, 0, 40, 7)


def test_a_cancelled_order_is_removed(book):
    script = opened().message(ALICE, orders.new_order(BUY, 3, 50))
    script.message(ALICE, orders.cancel(1, correlation_id=8)).message(ALICE, orders.cancel(1))
    _, (_, ack), (_, reject) = book(script)
    assert ack == (ACK, BUY, CANCEL, 3, 8, 1, 50)
    assert (reject.type, reject.code, reject.order_id) == (REJECT, UNKNOWN_ORDER, 1)


@pytest.mark.parametrize(
    ("quantity", "price", "first"), [(2, 50, 1), (3, 50, 1), (4, 50, 2), (2, 51, 1), (2, 49, 2)]
)
def test_a_replaced_order_retains_its_place_unless_it_grows_or_moves(book, quantity, price, first):
    script = opened()
    script.message(ALICE, orders.new_order(BUY, 3, 50)).message(ALICE, orders.new_order(BUY, 3, 50))
    script.message(ALICE, orders.replace(1, quantity, price, correlation_id=77))
    script.message(BOB, orders.new_order(SELL, 1, 1))
    replies = [message for to, message in book(script) if to == ALICE]
    assert replies[2] == (ACK, BUY, REPLACE, quantity, 77, 1, price)
    assert replies[3].order_id == first
    assert replies[3].correlation_id == (77 if first == 1 else 0)


def test_a_replaced_order_matches_like_an_incoming_one(book):
    script = opened().message(ALICE, orders.new_order(SELL, 5, 60))
    script.message(BOB, orders.new_order(BUY, 2, 50)).message(BOB, orders.replace(2, 9, 60))
    script.message(BOB, orders.top_of_book())
    replies = book(script)
    assert [message.type for _, message in replies[2:5]] == [ACK, FILL, FILL]
    assert replies[-1][1][5:] == (60, 4, 0, 0)


@pytest.mark.parametrize(
    ("request_bytes", "reason"),
    [
        (b"", MALFORMED),
        (b"\1", MALFORMED),
        (bytes(31), MALFORMED),
        (bytes(33), MALFORMED),
        (bytes(32), MALFORMED),
        (orders.new_order(0, 1, 1), MALFORMED),
        (orders.new_order(3, 0, 0), MALFORMED),
        (orders.new_order(BUY, 0, 0), BAD_PRICE),
        (orders.new_order(BUY, 1, MAX_PRICE + 1), BAD_PRICE),
        (orders.new_order(BUY, 1, -(2**63)), BAD_PRICE),
        (orders.new_order(SELL, 0, MAX_PRICE), BAD_QUANTITY),
        (orders.replace(1, 1, 0), BAD_PRICE),
        (orders.replace(99, 0, 1), BAD_QUANTITY),
        (orders.replace(99, 1, 1), UNKNOWN_ORDER),
        (orders.cancel(0), UNKNOWN_ORDER),
        (orders.cancel(2**64 - 1), UNKNOWN_ORDER),
        (orders.cancel(1), NOT_OWNER),
        (orders.replace(1, 1, 1), NOT_OWNER),
    ],
)
def test_a_rejected_update_changes_nothing(book, request_bytes, reason):
    script = opened().message(ALICE, orders.new_order(BUY, 1, 1)).message(ALICE, orders.state())
    script.message(BOB, request_bytes).message(ALICE, orders.state())
    (_, before), (to, reject), (_, after) = book(script)[1:]
    assert to == BOB
    assert (reject.type, reject.code) == (REJECT, reason)
    if reason == MALFORMED:
        assert reject[3:] == (0, 0, 0, 0)
    assert before == after


def test_a_full_book_rejects_orders_until_one_is_removed(book):
    script = opened()
    for _ in range(3):
        script.message(ALICE, orders.new_order(BUY, 1, 1))
    script.message(ALICE, orders.cancel(1)).message(ALICE, orders.new_order(BUY, 1, 1))
    codes = [(message.type, message.code) for _, message in book(script, max_orders=2)]
    assert codes[2:] == [(REJECT, BOOK_FULL), (ACK, CANCEL), (ACK, NEW_ORDER)]


def test_orders_of_a_closed_session_stay_and_trade(book):
    script = opened().message(ALICE, orders.new_order(BUY, 1, 1)).close(ALICE)
    script.message(BOB, orders.new_order(SELL, 1, 1)).message(None, b"of a service")
    replies = book(script)[1:]
    assert [(to, message.type) for to, message in replies] == [(BOB, ACK), (BOB, FILL)]


def random_requests(seed, count):
    source = random.Random(seed)
    script = opened()
    for index in range(count):
        session = source.choice((ALICE, BOB))
        side, price = source.choice((BUY, SELL)), source.randint(90, 110)
        if source.random() < 0.02:
            price = source.choice((1, 63, 64, 65, 4095, 4096, MAX_PRICE - 1, MAX_PRICE))
        quantity, order_id = source.randint(1, 20), source.randint(1, index + 1)
        request = source.choices(
            [
                orders.new_order(side, quantity, price, index),
                orders.cancel(order_id, index),
                orders.replace(order_id, quantity, price, index),
            ],
            (6, 2, 2),
        )[0]
        script.message(session, request)
    return script


def test_leader_and_follower_reach_the_same_state(service_host):
    script = random_requests(1, 2_000).message(ALICE, orders.state())
    leader = service_host("order_matching", script, max_orders=1000)
    follower = random_requests(1, 2_000)
    follower.role(0)
    state = only(leader, Did.EGRESS)[-1].data
    entries = service_host(
        "order_matching", follower.lead().message(ALICE, orders.state()), max_orders=1000
    )
    assert only(entries, Did.EGRESS)[-1].data == state


def snapshot_of(service_host, script, **options):
    entries = service_host("order_matching", script.take_snapshot(), **options)
    return [entry.data for entry in only(entries, Did.WRITE)]


def test_loaded_snapshot_equals_the_written_state(service_host):
    script = random_requests(2, 3_000).message(ALICE, orders.state())
    (before,) = [
        entry.data
        for entry in only(service_host("order_matching", script, max_orders=4000), Did.EGRESS)
        if orders.decode(entry.data).type == orders.STATE
    ]
    assert orders.decode(before).order_count > 100
    messages = snapshot_of(service_host, random_requests(2, 3_000), max_orders=4000)
    assert all(len(message) <= 1024 for message in messages)
    later = opened(messages).message(ALICE, orders.state())
    later.take_snapshot()
    entries = service_host("order_matching", later, max_orders=4000)
    assert only(entries, Did.EGRESS)[0].data == before
    assert [entry.data for entry in only(entries, Did.WRITE)] == messages


def test_back_pressure_is_retried_and_nothing_is_lost(service_host):
    script = opened().reject(Status.BACK_PRESSURED, 5)
    script.message(ALICE, orders.new_order(BUY, 1, 1)).reject(Status.ADMIN_ACTION, 3)
    script.take_snapshot()
    entries = service_host("order_matching", script, **SMALL)
    assert len(only(entries, Did.EGRESS)) == 1
    assert len(only(entries, Did.WRITE)) == 3
    assert [entry.b for entry in only(entries, Did.RETURN)][-2:] == [5, 3]


def test_ending_node_completes_the_message_of_a_waiting_service(service_host):
    script = opened().message(ALICE, orders.new_order(BUY, 5, 10)).end_idling()
    script.reject(Status.BACK_PRESSURED, 1).message(BOB, orders.new_order(SELL, 7, 10))
    script.message(BOB, orders.top_of_book())
    entries = service_host("order_matching", script, **SMALL)
    assert returned(entries)[-2:] == [Status.TERMINATE, 0]
    assert orders.decode(only(entries, Did.EGRESS)[-1].data)[5:] == (0, 0, 10, 2)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda messages: messages[:-1], b"incomplete"),
        (lambda messages: messages[1:], b"does not belong there"),
        (lambda messages: [messages[0], messages[-1]], b"differs from the written one"),
        (lambda messages: [messages[0], *messages[1:2] * 2, *messages[2:]], b"a duplicate"),
        (lambda messages: [messages[0], messages[1][:-1], *messages[2:]], b"than their count"),
        (
            lambda messages: [*messages[:-1], messages[-1][:8] + bytes(8)],
            b"differs from the written one",
        ),
        (lambda messages: [b"", *messages], b"does not belong there"),
        (
            lambda messages: [messages[0][:2] + b"\2" + messages[0][3:], *messages[1:]],
            b"expected version 1",
        ),
    ],
)
def test_damaged_snapshot_is_rejected_with_the_reason(service_host, damage, words):
    messages = snapshot_of(service_host, random_requests(3, 200), max_orders=1000)
    script = Script().start(damage(messages))
    entries = service_host("order_matching", script, max_orders=1000)
    assert returned(entries) == [Status.FAILED]
    assert words in only(entries, Did.EXPLAIN)[0].data


def test_truncated_snapshot_is_rejected(service_host):
    messages = snapshot_of(service_host, random_requests(3, 200), max_orders=1000)
    script = Script().start(messages[:2], breaks_off=True)
    assert returned(service_host("order_matching", script, max_orders=1000)) == [Status.CLOSED]
    script = Script().start(messages)
    entries = service_host("order_matching", script, max_orders=3)
    assert b"more orders than max_orders" in only(entries, Did.EXPLAIN)[0].data


def test_the_echo_service_sends_each_message_back(service_host):
    script = opened().reject(Status.BACK_PRESSURED, 2).message(ALICE, b"one").message(BOB, b"")
    script.message(None, b"of a service").reject(Status.NOT_CONNECTED).message(ALICE, b"lost")
    script.reject(Status.MAX_POSITION_EXCEEDED).message(ALICE, b"too much").take_snapshot()
    entries = service_host("echo_service", script)
    assert [(entry.a, entry.data) for entry in only(entries, Did.EGRESS)] == [
        (ALICE, b"one"),
        (BOB, b""),
    ]
    assert returned(entries)[4:] == [0, 0, 0, 0, Status.MAX_POSITION_EXCEEDED, 0]
