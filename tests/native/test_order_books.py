"""The order books in C and in Python give the same bytes for the same requests."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.cli.order_book import OrderBook, SnapshotLoader
from tests.native import orders
from tests.native.service_script import Did, Script, only, returned

MAX_ORDERS = 300
SESSIONS = (1, 2, 5)


class Both:
    """Sends the same events to both books; the one in C runs at the end of the script."""

    def __init__(self, max_orders=MAX_ORDERS, snapshot=None):
        self.max_orders = max_orders
        self.script = Script().start(snapshot)
        self.open = set(SESSIONS)
        for session in SESSIONS:
            self.script.open(session)
        self.script.lead()
        self.replies = []
        self.writes = []
        self.book = OrderBook(max_orders)
        if snapshot is not None:
            loader = SnapshotLoader(max_orders)
            for message in snapshot:
                loader.on_message(message)
            self.book = loader.book

    def request(self, session, request):
        if session not in self.open:
            return
        self.script.message(session, request)
        self.book.apply(session, request, self._reply)

    def _reply(self, session, reply):
        if session in self.open:
            self.replies.append((session, reply))

    def close(self, session):
        if session in self.open and len(self.open) > 1:
            self.open.remove(session)
            self.script.close(session)

    def take_snapshot(self):
        self.script.take_snapshot()
        self.writes += self.book.snapshot()

    def check(self, service_host):
        self.request(min(self.open), orders.state())
        self.take_snapshot()
        entries = service_host("order_matching", self.script, max_orders=self.max_orders)
        assert set(returned(entries)) == {0}
        assert [(entry.a, entry.data) for entry in only(entries, Did.EGRESS)] == self.replies
        assert [entry.data for entry in only(entries, Did.WRITE)] == self.writes
        return list(self.book.snapshot())


prices = st.one_of(
    st.integers(60, 70), st.sampled_from([0, 1, 4095, 4096, orders.MAX_PRICE, 1 << 20, -1])
)
quantities = st.one_of(st.integers(0, 9), st.just(2**32 - 1))
order_ids = st.integers(0, 40)
sides = st.sampled_from([orders.BUY, orders.SELL, orders.BUY, orders.SELL, 0])
ids = st.integers(0, 2**64 - 1)
requests = st.one_of(
    st.builds(orders.new_order, sides, quantities, prices, ids),
    st.builds(orders.new_order, sides, quantities, prices, ids),
    st.builds(orders.cancel, order_ids, ids),
    st.builds(orders.replace, order_ids, quantities, prices, ids),
    st.builds(orders.top_of_book, ids),
    st.builds(orders.state, ids),
    st.binary(min_size=0, max_size=40),
)
sessions = st.sampled_from(SESSIONS)
events = st.lists(
    st.one_of(
        st.tuples(st.just("request"), sessions, requests),
        st.tuples(st.just("request"), sessions, requests),
        st.tuples(st.just("request"), sessions, requests),
        st.tuples(st.just("close"), sessions, st.none()),
        st.tuples(st.just("snapshot"), st.none(), st.none()),
    ),
    max_size=80,
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(events, st.sampled_from([1, 3, MAX_ORDERS]))
def test_the_books_answer_identically(service_host, happened, max_orders):
    both = Both(max_orders)
    for what, session, request in happened:
        if what == "request":
            both.request(session, request)
        elif what == "close":
            both.close(session)
        else:
            both.take_snapshot()
    snapshot = both.check(service_host)
    loaded = Both(max_orders, snapshot)
    loaded.request(1, orders.top_of_book())
    loaded.check(service_host)


@pytest.mark.parametrize("seed", range(4))
def test_the_books_answer_identically_for_long(service_host, seed):
    source = random.Random(seed)
    both = Both()
    middle = 5000
    for index in range(6000):
        middle += source.choice((-1, 0, 1))
        side = source.choice((orders.BUY, orders.SELL))
        distance = int(source.expovariate(0.2)) - 2
        price = middle - distance if side == orders.BUY else middle + distance
        quantity = source.randint(1, 50)
        order_id = max(1, both.book.last_order_id - source.randint(0, 200))
        request = source.choices(
            [
                orders.new_order(side, quantity, price, index),
                orders.cancel(order_id, index),
                orders.replace(order_id, quantity, price, index),
                orders.top_of_book(index),
            ],
            (50, 25, 20, 5),
        )[0]
        both.request(source.choice(SESSIONS), request)
        if index % 1500 == 0:
            both.request(1, orders.state(index))
            both.take_snapshot()
    assert len(both.replies) > 8000
    both.check(service_host)
