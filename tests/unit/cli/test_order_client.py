"""The order client on a service that is only an order book."""

from collections import deque

import pytest

from aeron_cluster.cli.demo.order_client import Measurement, OrderClient, Shadow, difference, order
from aeron_cluster.cli.order_book import ACK, BUY, MESSAGE, NEW_ORDER, REJECT, OrderBook
from aeron_cluster.errors import MessageError, StateError, TimeoutExpiredError
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

SESSION = 5


class BookAlone:
    """A fake cluster client that passes requests to the book."""

    def __init__(self, listener, *, capacity=1000, book=None):
        self.listener = listener
        self.book = book or OrderBook()
        self.capacity = capacity
        self.waiting = deque()
        self.is_silent = False

    def offer(self, message):
        if len(self.waiting) >= self.capacity:
            return 0
        if not self.is_silent:
            self.book.apply(SESSION, bytes(message), lambda _, reply: self.waiting.append(reply))
        return 1

    def poll_egress(self, fragment_limit):
        for taken in range(fragment_limit):
            if not self.waiting:
                return taken
            self.listener.on_message(0, self.waiting.popleft(), None)
        return fragment_limit


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def client(clock):
    made = OrderClient(clock, lambda: clock.advance(1_000))
    made.cluster = BookAlone(made)
    return made


def test_order_depends_only_on_its_number():
    assert order(4711) == order(4711)
    assert len({order(number) for number in range(1000)}) == 1000
    assert MESSAGE.unpack(order(4711))[4] == 4711


def test_few_orders_remain_in_the_book():
    shadow = Shadow(lambda: None)
    shadow.follow(SESSION, 20_000)
    state = shadow.state
    assert state.last_order_id == 20_000
    assert state.last_match_id > 10_000
    assert state.order_count < 1_000


def test_the_client_retains_at_most_the_window_of_unanswered_requests(client):
    for _ in range(100):
        client.pass_once(8)
        assert client.sent - client.acknowledged <= 8
    assert client.acknowledged > 100


def test_the_client_continues_with_an_order_that_was_not_accepted(client):
    client.cluster.capacity = 3
    client.pass_once(8)
    sent = client.sent
    assert 0 < sent < 8
    client.cluster.capacity = 100
    client.pass_once(8)
    assert client.acknowledged == sent
    assert client.sent == sent + 8


def test_the_client_measures_until_everything_is_answered(client):
    measurement = Measurement("eight at a time", 8)
    client.measure(measurement, 1_000_000)
    assert client.acknowledged == client.sent == measurement.latencies.count > 0
    assert measurement.duration_ns >= 1_000_000
    assert measurement.latencies.percentile_ns(50) == pytest.approx(1_000, rel=0.01)
    expected = client.sent * 1e9 / measurement.duration_ns
    assert measurement.rate == pytest.approx(expected)


def test_an_answer_out_of_turn_is_rejected(client):
    client.cluster.waiting.append(MESSAGE.pack(ACK, BUY, NEW_ORDER, 1, 2, 2, 100))
    with pytest.raises(MessageError, match="expected order 1, found '2 with id 2'"):
        client.pass_once(0)


def test_a_duplicate_order_is_detected_by_its_id(client):
    client.cluster.waiting.append(MESSAGE.pack(ACK, BUY, NEW_ORDER, 1, 1, 2, 100))
    with pytest.raises(MessageError, match="1 with id 2"):
        client.pass_once(0)


def test_a_rejection_is_rejected(client):
    client.cluster.waiting.append(MESSAGE.pack(REJECT, 0, 1, 0, 0, 0, 0))
    with pytest.raises(MessageError, match="no rejection"):
        client.pass_once(0)


def test_wait_for_a_silent_service_is_bounded(clock):
    client = OrderClient(clock, lambda: clock.advance(10_000_000))
    client.cluster = BookAlone(client)
    client.cluster.is_silent = True
    with pytest.raises(TimeoutExpiredError, match="order 1: no answer"):
        client.measure(Measurement("", 1), 10**11)
    with pytest.raises(TimeoutExpiredError, match="request for the state"):
        client.state()
    assert clock.nano_time() < 10**11


def test_a_missing_session_is_reported(clock):
    with pytest.raises(StateError, match="open session"):
        OrderClient(clock, lambda: None).pass_once(1)


def test_the_client_requests_the_state(client):
    client.measure(Measurement("", 4), 100_000)
    assert client.state() == client.cluster.book.state


# ---- the state after a kill ----


def killed(client, lost):
    """Run under load, then drop the last unacknowledged orders."""
    client.run(16, 100_000)
    client.cluster.waiting.clear()
    client.cluster.is_silent = True
    while client.sent - client.acknowledged < lost:
        client.pass_once(lost)
    return client.cluster.book.state


def test_a_book_with_all_acknowledged_and_some_unanswered_orders_passes(client):
    found = killed(client, 500)
    assert client.acknowledged < found.last_order_id < client.sent
    shadow = Shadow(lambda: None)
    assert difference(found, shadow, client, SESSION) is None
    client.resume_after(found.last_order_id)
    client.cluster.is_silent = False
    client.measure(Measurement("", 16), 100_000)
    assert difference(client.state(), shadow, client, SESSION) is None


def test_a_lost_order_is_found(client):
    client.measure(Measurement("", 16), 100_000)
    short = OrderBook()
    for number in range(1, client.acknowledged):
        short.apply(SESSION, order(number), lambda *_: None)
    wrong = difference(short.state, Shadow(lambda: None), client, SESSION)
    assert wrong is not None
    assert f"expected the {client.acknowledged:,} acknowledged" in wrong


def test_order_applied_twice_is_detected(client):
    client.measure(Measurement("", 16), 100_000)
    client.cluster.book.apply(SESSION, order(1), lambda *_: None)
    wrong = difference(client.cluster.book.state, Shadow(lambda: None), client, SESSION)
    assert wrong is not None
    assert "none beyond" in wrong


def test_changed_content_is_detected_by_the_hash(client):
    client.measure(Measurement("", 16), 100_000)
    other = OrderBook()
    for number in range(1, client.acknowledged + 1):
        other.apply(SESSION + 1, order(number), lambda *_: None)
    wrong = difference(other.state, Shadow(lambda: None), client, SESSION)
    assert wrong is not None
    assert "hash" in wrong
