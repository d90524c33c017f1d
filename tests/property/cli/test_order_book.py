"""The order book compared with a list searched from one end to the other."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cli.order_book import (
    BUY,
    CANCEL,
    FILL,
    FILL_MESSAGE,
    MESSAGE,
    NEW_ORDER,
    REPLACE,
    OrderBook,
    SnapshotLoader,
)


@dataclass
class Resting:
    age: int
    order_id: int
    owner: int
    price: int
    quantity: int
    side: int


class Model:
    """Orders with their ages, and nothing else."""

    def __init__(self):
        self.orders = []
        self.last_id = 0
        self.clock = 0

    def apply(self, owner, kind, side, quantity, order_id, price):
        """Return the fills: maker's id, price, quantity."""
        self.clock += 1
        if kind == NEW_ORDER:
            self.last_id += 1
            return self.enter(Resting(self.clock, self.last_id, owner, price, quantity, side))
        found = [o for o in self.orders if o.order_id == order_id and o.owner == owner]
        if not found:
            return []
        (order,) = found
        if kind == REPLACE and price == order.price and quantity <= order.quantity:
            order.quantity = quantity
            return []
        self.orders.remove(order)
        if kind == CANCEL:
            return []
        return self.enter(Resting(self.clock, order_id, owner, price, quantity, order.side))

    def enter(self, order):
        sign = 1 if order.side == BUY else -1
        fills = []
        while order.quantity:
            facing = [
                o
                for o in self.orders
                if o.side != order.side and (order.price - o.price) * sign >= 0
            ]
            if not facing:
                self.orders.append(order)
                break
            best = min(facing, key=lambda o: (o.price * sign, o.age))
            traded = min(best.quantity, order.quantity)
            fills.append((best.order_id, best.price, traded))
            best.quantity -= traded
            order.quantity -= traded
            if not best.quantity:
                self.orders.remove(best)
        return fills

    def ordered(self):
        bids = sorted((o for o in self.orders if o.side == BUY), key=lambda o: (-o.price, o.age))
        asks = sorted((o for o in self.orders if o.side != BUY), key=lambda o: (o.price, o.age))
        return [(o.order_id, o.owner, o.price, o.quantity, o.side) for o in bids + asks]


requests = st.tuples(
    st.integers(1, 2),
    st.sampled_from([NEW_ORDER, NEW_ORDER, NEW_ORDER, CANCEL, REPLACE]),
    st.integers(1, 2),
    st.integers(1, 5),
    st.integers(1, 30),
    st.integers(1, 6),
)


@given(st.lists(requests, max_size=60))
def test_book_matches_the_same_as_a_list(sequence):
    book, model = OrderBook(), Model()
    for owner, kind, side, quantity, order_id, price in sequence:
        reported = []
        request = MESSAGE.pack(kind, side, 0, quantity, 1, order_id, price)
        book.apply(owner, request, lambda _, reply, reported=reported: reported.append(reply))
        makers = [FILL_MESSAGE.unpack(each) for each in reported if each[0] == FILL][1::2]
        expected = model.apply(owner, kind, side, quantity, order_id, price)
        assert [(fill[5], fill[6], fill[3]) for fill in makers] == expected
    found = [(o.order_id, o.session_id, o.price, o.quantity, o.side) for o in book]
    assert found == model.ordered()

    loader = SnapshotLoader()
    for message in book.snapshot():
        loader.on_message(message)
    assert loader.book.state == book.state
