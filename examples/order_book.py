"""Trade on an order book: price-time priority, acknowledgements, and fills for both sides.

Run it, with a node and two traders in one process::

    python -m examples.order_book

or on three members::

    aeron-cluster local 3 --service aeron_cluster.cli.order_matching:OrderMatching
    python -m examples.order_book localhost:9001

The service is the one of ``aeron-cluster demo``: `aeron_cluster.cli.order_matching` has its
callbacks, `aeron_cluster.cli.order_book` the book itself, its messages and its snapshot.
``benchmarks/native/order_matching.c`` is the same service in C.
"""

import sys

from aeron_cluster import (
    AeronCluster,
    EgressListener,
    Header,
    IdleStrategy,
    MediaDriver,
    MessageView,
)
from aeron_cluster.cli.order_book import (
    ACK,
    BUY,
    FILL,
    FILL_MESSAGE,
    MESSAGE,
    NEW_ORDER,
    SELL,
    TOP_MESSAGE,
    TOP_OF_BOOK,
)
from aeron_cluster.cli.order_matching import OrderMatching
from examples.single_node import running

KIND = slice(0, 2)


class Trader(EgressListener):
    """Sends orders, and prints what becomes of them.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent = self.acknowledged = 0
        self.bought = 0
        self.top: tuple[int, ...] | None = None

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        """Print an answer of the service."""
        kind = int.from_bytes(bytes(message)[KIND], "little")
        if kind == ACK:
            _, _, _, quantity, number, order_id, price = MESSAGE.unpack(message)
            self.acknowledged += 1
            print(f"{self.name}: {number} is order {order_id}: {quantity} at {price}")
        elif kind == FILL:
            _, side, _, quantity, number, _, price, *_ = FILL_MESSAGE.unpack(message)
            self.bought += quantity if side == BUY else -quantity
            print(f"{self.name}: {number} is filled: {quantity} at {price}")
        elif kind == TOP_OF_BOOK:
            self.top = TOP_MESSAGE.unpack(message)[-4:]

    def order(self, session: AeronCluster, side: int, quantity: int, price: int) -> None:
        """Send a limit order, and wait until it is in the log."""
        self.sent += 1
        message = MESSAGE.pack(NEW_ORDER, side, 0, quantity, self.sent, 0, price)
        idle = IdleStrategy("backoff")
        while not session.offer(message):
            idle.idle(session.poll_egress())
        while self.acknowledged < self.sent:
            idle.idle(session.poll_egress())

    def top_of_book(self, session: AeronCluster) -> tuple[int, ...]:
        """Return the best bid, its quantity, the best ask, and its quantity."""
        idle = IdleStrategy("backoff")
        while not session.offer(MESSAGE.pack(TOP_OF_BOOK, 0, 0, 0, 0, 0, 0)):
            idle.idle(session.poll_egress())
        while self.top is None:
            idle.idle(session.poll_egress())
        return self.top


def trade(endpoint: str) -> tuple[int, ...]:
    """Have one trader sell at two prices, and another buy across both.

    Returns
    -------
    tuple of int
        The best bid and its quantity, the best ask and its quantity.
    """
    maker, taker = Trader("maker"), Trader("taker")
    with (
        MediaDriver.launch(threading_mode="SHARED") as driver,
        AeronCluster.connect(endpoint, aeron_dir=driver.aeron_dir, listener=maker) as one,
        AeronCluster.connect(endpoint, aeron_dir=driver.aeron_dir, listener=taker) as other,
    ):
        maker.order(one, SELL, 30, 101)
        maker.order(one, SELL, 50, 102)
        maker.order(one, BUY, 40, 99)
        taker.order(other, BUY, 60, 102)
        idle = IdleStrategy("backoff")
        while (maker.bought, taker.bought) != (-60, 60):
            idle.idle(one.poll_egress() + other.poll_egress())
        return taker.top_of_book(other)


def main(arguments: list[str]) -> None:
    """Trade in the cluster at an endpoint, or in a node of this process."""
    if arguments:
        top = trade(arguments[0])
    else:
        with running(OrderMatching()) as endpoint:
            top = trade(endpoint)
    bid, bid_quantity, ask, ask_quantity = top
    print(f"best bid {bid_quantity} at {bid}, best ask {ask_quantity} at {ask}")


if __name__ == "__main__":
    main(sys.argv[1:])
