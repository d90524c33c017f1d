"""The order book, following ``benchmarks/native/order_messages.h``."""

import pytest

from aeron_cluster.cli.order_book import (
    ACK,
    BAD_PRICE,
    BAD_QUANTITY,
    BOOK_FULL,
    BUY,
    CANCEL,
    FILL,
    FILL_MESSAGE,
    MAKER,
    MALFORMED,
    MAX_PRICE,
    MESSAGE,
    NEW_ORDER,
    NOT_OWNER,
    REJECT,
    REPLACE,
    SELL,
    STATE,
    STATE_MESSAGE,
    TAKER,
    TOP_MESSAGE,
    TOP_OF_BOOK,
    UNKNOWN_ORDER,
    OrderBook,
    SnapshotLoader,
)
from aeron_cluster.errors import CorruptError

ALICE, BOB = 7, -9


class Exchange:
    """A book and its replies."""

    def __init__(self, **options):
        self.book = OrderBook(**options)

    def send(self, session_id, request):
        reported = []
        self.book.apply(session_id, request, lambda to, reply: reported.append((to, reply)))
        return reported

    def send_request(
        self, kind, session_id=ALICE, side=0, quantity=0, number=1, order_id=0, price=0
    ):
        request = MESSAGE.pack(kind, side, 0, quantity, number, order_id, price)
        return self.send(session_id, request)

    def buy(self, quantity, price, session_id=ALICE, number=1):
        return self.send_request(NEW_ORDER, session_id, BUY, quantity, number, 0, price)

    def sell(self, quantity, price, session_id=ALICE, number=1):
        return self.send_request(NEW_ORDER, session_id, SELL, quantity, number, 0, price)

    def top(self):
        ((_, reply),) = self.send_request(TOP_OF_BOOK)
        return TOP_MESSAGE.unpack(reply)[5:]


@pytest.fixture
def exchange():
    return Exchange()


def codes(reported):
    return [MESSAGE.unpack(reply)[:3:2] for _, reply in reported]


def test_an_order_is_acknowledged_and_rests(exchange):
    assert exchange.buy(5, 100, number=42) == [
        (ALICE, MESSAGE.pack(ACK, BUY, NEW_ORDER, 5, 42, 1, 100))
    ]
    assert exchange.top() == (100, 5, 0, 0)


def test_a_match_is_reported_first_to_the_incoming_then_to_the_resting_order(exchange):
    """Each match gives two FILLs; the resting order's price is the trade's."""
    exchange.sell(5, 100, ALICE, 11)
    assert exchange.buy(7, 103, BOB, 22) == [
        (BOB, MESSAGE.pack(ACK, BUY, NEW_ORDER, 7, 22, 2, 103)),
        (BOB, FILL_MESSAGE.pack(FILL, BUY, TAKER, 5, 22, 2, 100, 1, 2, 0)),
        (ALICE, FILL_MESSAGE.pack(FILL, SELL, MAKER, 5, 11, 1, 100, 1, 0, 0)),
    ]
    assert exchange.top() == (103, 2, 0, 0)


def test_best_price_is_matched_first_and_then_the_oldest_order(exchange):
    for number, price in enumerate((101, 100, 100, 99), 1):
        exchange.sell(1, price, number=number)
    reported = exchange.buy(4, 101, BOB)
    makers = [FILL_MESSAGE.unpack(reply)[5:7] for to, reply in reported if to == ALICE]
    assert makers == [(4, 99), (2, 100), (3, 100), (1, 101)]
    assert exchange.top() == (0, 0, 0, 0)


def test_non_crossing_prices_do_not_match(exchange):
    exchange.sell(1, 100)
    assert len(exchange.buy(1, 99)) == 1
    assert exchange.top() == (99, 1, 100, 1)


def test_a_session_may_trade_with_itself(exchange):
    exchange.sell(1, 100)
    assert [to for to, _ in exchange.buy(1, 100)] == [ALICE, ALICE, ALICE]


def test_a_cancel_removes_the_remaining_quantity(exchange):
    exchange.buy(5, 100)
    exchange.sell(2, 100)
    assert exchange.send_request(CANCEL, number=9, order_id=1) == [
        (ALICE, MESSAGE.pack(ACK, BUY, CANCEL, 3, 9, 1, 100))
    ]
    assert exchange.top() == (0, 0, 0, 0)


def test_a_lower_quantity_retains_its_place(exchange):
    exchange.buy(5, 100)
    exchange.buy(5, 100)
    assert exchange.send_request(REPLACE, quantity=3, number=9, order_id=1, price=100) == [
        (ALICE, MESSAGE.pack(ACK, BUY, REPLACE, 3, 9, 1, 100))
    ]
    reported = exchange.sell(4, 100, BOB)
    filled = [FILL_MESSAGE.unpack(reply)[3:6] for to, reply in reported if to == ALICE]
    assert filled == [(3, 9, 1), (1, 1, 2)]


@pytest.mark.parametrize(("quantity", "price"), [(6, 100), (5, 101)])
def test_any_other_replacement_is_queued_last_and_may_match(exchange, quantity, price):
    exchange.buy(5, 100)
    exchange.buy(5, 100)
    exchange.send_request(REPLACE, quantity=quantity, order_id=1, price=price)
    exchange.send_request(REPLACE, quantity=quantity, order_id=2, price=price)
    exchange.send_request(REPLACE, quantity=quantity + 1, number=9, order_id=1, price=price)
    reported = exchange.sell(quantity + 1, price, BOB)
    assert [FILL_MESSAGE.unpack(reply)[5] for to, reply in reported if to == ALICE] == [2, 1]


def test_crossing_replacement_is_an_incoming_order(exchange):
    exchange.sell(1, 105, BOB)
    exchange.buy(5, 100)
    reported = exchange.send_request(REPLACE, quantity=5, number=9, order_id=2, price=110)
    assert reported == [
        (ALICE, MESSAGE.pack(ACK, BUY, REPLACE, 5, 9, 2, 110)),
        (ALICE, FILL_MESSAGE.pack(FILL, BUY, TAKER, 1, 9, 2, 105, 1, 4, 0)),
        (BOB, FILL_MESSAGE.pack(FILL, SELL, MAKER, 1, 1, 1, 105, 1, 0, 0)),
    ]
    assert exchange.top() == (110, 4, 0, 0)


@pytest.mark.parametrize(
    "request_",
    [
        b"",
        MESSAGE.pack(NEW_ORDER, BUY, 0, 1, 1, 0, 100)[:-1],
        MESSAGE.pack(NEW_ORDER, BUY, 0, 1, 1, 0, 100) + b"\0",
        MESSAGE.pack(NEW_ORDER, 3, 0, 1, 1, 0, 100),
        MESSAGE.pack(0, BUY, 0, 1, 1, 0, 100),
        MESSAGE.pack(6, BUY, 0, 1, 1, 0, 100),
        MESSAGE.pack(ACK, BUY, 0, 1, 1, 0, 100),
    ],
)
def test_a_malformed_request_is_rejected_with_zeros(exchange, request_):
    assert exchange.send(ALICE, request_) == [
        (ALICE, MESSAGE.pack(REJECT, 0, MALFORMED, 0, 0, 0, 0))
    ]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ((NEW_ORDER, ALICE, SELL, 1, 5, 6, 0), BAD_PRICE),
        ((NEW_ORDER, ALICE, SELL, 0, 5, 6, MAX_PRICE + 1), BAD_PRICE),
        ((NEW_ORDER, ALICE, SELL, 1, 5, 6, -1), BAD_PRICE),
        ((NEW_ORDER, ALICE, SELL, 0, 5, 6, MAX_PRICE), BAD_QUANTITY),
        ((NEW_ORDER, ALICE, SELL, 1, 5, 6, 1), BOOK_FULL),
        ((CANCEL, BOB, 9, 0, 5, 2, 0), UNKNOWN_ORDER),
        ((CANCEL, BOB, 9, 0, 5, 1, 0), NOT_OWNER),
        ((REPLACE, BOB, 9, 0, 5, 1, 0), BAD_PRICE),
        ((REPLACE, BOB, 9, 0, 5, 1, 1), BAD_QUANTITY),
        ((REPLACE, BOB, 9, 1, 5, 2, 1), UNKNOWN_ORDER),
        ((REPLACE, BOB, 9, 1, 5, 1, 1), NOT_OWNER),
    ],
)
def test_first_applicable_reason_is_reported_and_nothing_changes(fields, code):
    exchange = Exchange(max_orders=1)
    exchange.buy(1, 100)
    before = exchange.book.state
    kind, session_id, *rest = fields
    side, quantity, number, order_id, price = rest
    reported = exchange.send_request(kind, session_id, *rest)
    rejection = MESSAGE.pack(REJECT, side, code, quantity, number, order_id, price)
    assert reported == [(session_id, rejection)]
    assert exchange.book.state == before


def test_the_state_is_reported(exchange):
    exchange.buy(1, 100)
    exchange.sell(2, 100)
    ((to, reply),) = exchange.send_request(STATE, BOB, number=77)
    state = exchange.book.state
    assert to == BOB
    assert reply == STATE_MESSAGE.pack(STATE, 0, 0, 0, 77, state.hash, 1, 2, 1)


def test_the_empty_book_has_the_hash_of_the_two_counts(exchange):
    """From the seed, one step with each of last_order_id and last_match_id."""
    step = 1099511628211
    expected = 14695981039346656037 * step % 2**64 * step % 2**64
    assert exchange.book.state.hash == expected


def test_every_field_of_a_resting_order_is_in_the_hash():
    hashes = set()
    for session_id, number, quantity, price, side in (
        (ALICE, 1, 1, 100, BUY),
        (BOB, 1, 1, 100, BUY),
        (ALICE, 2, 1, 100, BUY),
        (ALICE, 1, 2, 100, BUY),
        (ALICE, 1, 1, 101, BUY),
        (ALICE, 1, 1, 100, SELL),
    ):
        exchange = Exchange()
        exchange.send_request(NEW_ORDER, session_id, side, quantity, number, 0, price)
        hashes.add(exchange.book.state.hash)
    assert len(hashes) == 6


# ---- snapshots ----


def filled(count):
    exchange = Exchange()
    for number in range(count):
        exchange.buy(1 + number % 7, 100 - number % 13, (ALICE, BOB)[number % 2], number)
        exchange.sell(1 + number % 5, 101 + number % 11, (BOB, ALICE)[number % 2], number)
    exchange.buy(3, 105)
    return exchange.book


@pytest.mark.parametrize("count", [0, 1, 12, 13, 500])
def test_a_snapshot_restores_the_same_book(count):
    book = filled(count)
    loader = SnapshotLoader()
    messages = list(book.snapshot())
    for message in messages:
        assert not loader.is_done
        assert len(message) <= 1024
        loader.on_message(message)
    assert loader.is_done
    assert loader.book.state == book.state
    assert list(loader.book.snapshot()) == messages


def test_a_restored_book_continues_identically():
    book = filled(50)
    loader = SnapshotLoader()
    for message in book.snapshot():
        loader.on_message(message)
    reported = []
    for each in (book, loader.book):
        replies = []
        for price in range(90, 115):
            request = MESSAGE.pack(NEW_ORDER, BUY + price % 2, 0, 9, price, 0, price)
            each.apply(
                ALICE, request, lambda to, reply, replies=replies: replies.append((to, reply))
            )
        reported.append(replies)
    assert reported[0] == reported[1]
    assert book.state == loader.book.state


def test_a_changed_order_is_rejected_by_its_hash():
    loader = SnapshotLoader()
    begin, orders, end = filled(2).snapshot()
    loader.on_message(begin)
    loader.on_message(orders[:40] + bytes([orders[40] ^ 1]) + orders[41:])
    with pytest.raises(CorruptError, match="hash"):
        loader.on_message(end)


def test_a_message_out_of_place_is_rejected():
    begin, orders, end = filled(2).snapshot()
    for *good, bad in (
        (orders,),
        (end,),
        (begin, begin),
        (begin, end),
        (b"",),
        (begin, orders[:-1]),
    ):
        loader = SnapshotLoader()
        for each in good:
            loader.on_message(each)
        with pytest.raises(CorruptError, match="order book snapshot"):
            loader.on_message(bad)


def test_another_version_is_rejected():
    begin = next(filled(0).snapshot())
    with pytest.raises(CorruptError, match="version 2, expected 1"):
        SnapshotLoader().on_message(begin[:2] + b"\2\0" + begin[4:])
