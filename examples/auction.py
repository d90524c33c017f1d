"""An auction, the subject of Aeron's cluster tutorial: sessions, timers, and news to all clients.

Run it, with a node and three bidders in one process::

    python -m examples.auction

or on three members, with one bidder a terminal, by name and the highest price that it pays::

    aeron-cluster local 3 --service examples.auction:Auction
    python -m examples.auction localhost:9001 alice 120

The first bid opens an auction; it ends when no higher bid arrived for a second. Each bidder gets
the answer to its bid, and every session the news of a higher bid and of the sale. The clients are
plain sessions (`AeronCluster`), as Aeron's: a bid may be lost with a leader.
"""

import struct
import sys
from contextlib import ExitStack

from aeron_cluster import (
    AeronCluster,
    ClientSession,
    Cluster,
    ClusteredService,
    EgressListener,
    ExclusivePublication,
    Header,
    IdleStrategy,
    Image,
    MediaDriver,
    MessageView,
    NotSent,
)
from examples.single_node import running

BID = struct.Struct("<q16s")  # the price, and the bidder's name
NEWS = struct.Struct("<4sq16s")  # what, and the highest bid
SNAPSHOT = struct.Struct("<q16sq")  # the highest bid, and the latest timer
HIGH, LOW, SOLD = b"high", b"low ", b"sold"
DURATION_MS = 1000


class Auction(ClusteredService):
    """Sells one thing after the other."""

    def __init__(self) -> None:
        self.price = 0
        self.bidder = b""
        self.timer = 0

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin without a bid, or with that of the snapshot."""
        self.cluster = cluster
        if snapshot_image is not None:
            while not snapshot_image.is_end_of_stream and not snapshot_image.is_closed:
                cluster.idle(snapshot_image.poll(self.load, 1))

    def load(self, message: MessageView, header: Header) -> None:
        """Restore the state."""
        self.price, self.bidder, self.timer = SNAPSHOT.unpack(message)

    def on_session_message(
        self, session: ClientSession | None, timestamp: int, message: MessageView, header: Header
    ) -> None:
        """Accept a bid that is higher than all others; what is not a bid is ignored."""
        if session is None or len(message) != BID.size:
            return
        price, bidder = BID.unpack(message)
        if price <= self.price:
            self.send(session, LOW)
            return
        self.price, self.bidder = price, bidder
        self.timer += 1  # an earlier one fires without effect
        while not self.cluster.schedule_timer(self.timer, timestamp + DURATION_MS):
            self.cluster.idle()
        self.send_all(HIGH)

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:
        """Sell to the highest bidder, unless a higher bid moved the end."""
        if correlation_id == self.timer:
            self.send_all(SOLD)
            self.price, self.bidder = 0, b""

    def send_all(self, what: bytes) -> None:
        """Send the highest bid to every session."""
        for session in self.cluster.client_sessions:
            self.send(session, what)

    def send(self, session: ClientSession, what: bytes) -> None:
        """Send the highest bid; a session whose client has gone is not waited for."""
        message = NEWS.pack(what, self.price, self.bidder)
        while session.offer(message) in {NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION}:
            self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the state."""
        message = SNAPSHOT.pack(self.price, self.bidder, self.timer)
        while not snapshot_publication.offer(message):
            self.cluster.idle()


class Bidder(EgressListener):
    """Bids one more than the highest bid, up to a limit.

    Parameters
    ----------
    name : str
        Of up to 16 bytes.
    limit : int
        The highest price that it pays.
    """

    def __init__(self, name: str, limit: int) -> None:
        self.name = name.encode()
        self.limit = limit
        self.price = 0
        self.highest = b""
        self.offered = 0
        self.sale: tuple[str, int] | None = None

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        """Note the highest bid, and the sale."""
        what, self.price, bidder = NEWS.unpack(message)
        self.highest = bidder.rstrip(b"\0")
        if what == SOLD:
            self.sale = self.highest.decode(), self.price

    def bid(self, cluster: AeronCluster) -> None:
        """Bid, unless its own bid is the highest, or on its way, or would exceed the limit."""
        price = self.price + 1
        is_wanted = self.highest != self.name and self.offered < price <= self.limit
        if is_wanted and cluster.offer(BID.pack(price, self.name)):
            self.offered = price


def take_part(endpoint: str, *bidders: Bidder) -> tuple[str, int]:
    """Bid in a session for each bidder, and return to whom and for how much it was sold."""
    idle = IdleStrategy("backoff")
    with ExitStack() as stack:
        driver = stack.enter_context(MediaDriver.launch(threading_mode="SHARED"))
        sessions = [
            stack.enter_context(
                AeronCluster.connect(endpoint, aeron_dir=driver.aeron_dir, listener=bidder)
            )
            for bidder in bidders
        ]
        while True:
            received = 0
            for bidder, session in zip(bidders, sessions, strict=True):
                received += session.poll_egress()
                if bidder.sale is not None:
                    return bidder.sale
                bidder.bid(session)
            idle.idle(received)


def main(arguments: list[str]) -> None:
    """Take part with one bidder, or run an auction with three."""
    if arguments:
        endpoint, name, limit = arguments
        bidder, price = take_part(endpoint, Bidder(name, int(limit)))
    else:
        with running(Auction()) as endpoint:
            bidder, price = take_part(
                endpoint, Bidder("alice", 60), Bidder("bob", 100), Bidder("carol", 80)
            )
    print(f"sold to {bidder} for {price}")


if __name__ == "__main__":
    main(sys.argv[1:])
