"""The services of the examples in simulated clusters: under faults, and their timers."""

from aeron_cluster import simulator
from examples.auction import BID, HIGH, NEWS, SOLD, Auction
from examples.echo import Echo
from examples.key_value_store import KeyValueStore
from examples.rolling_replacement.total import AMOUNT, Total

S = 1_000_000_000
NAMES = (b"alice", b"bob", b"carol", b"dave")


class Paced(simulator.Load):
    """Sends what `make` returns, some twenty times a second."""

    def __init__(self, number, random):
        self.name = NAMES[number % len(NAMES)]
        self.random = random
        self.due_ns = 0

    def next_request(self, now_ns):
        if now_ns < self.due_ns:
            return None
        self.due_ns = now_ns + 20_000_000 + self.random.below(60_000_000)
        return self.make()


class Commands(Paced):
    """Requests of the key-value store, a few keys and short lives."""

    is_surviving = True

    def make(self):
        key = self.random.below(5)
        match self.random.below(5):
            case 0:
                return b"get %d" % key
            case 1:
                return b"delete %d" % key
            case 2:
                return b"expire %d %d" % (key, self.random.below(500))
            case _:
                return b"set %d %d" % (key, self.random.below(1000))


class Bids(Paced):
    def make(self):
        return BID.pack(1 + self.random.below(200), self.name)


class Amounts(Paced):
    def make(self):
        return AMOUNT.pack(self.random.below(1000))


def test_the_key_value_store_holds_under_faults():
    simulator.check(KeyValueStore, load=Commands, seeds=2, seconds=4)


def test_the_auction_holds_under_faults():
    simulator.check(Auction, load=Bids, seeds=2, seconds=4)


def test_the_echo_and_the_sum_hold_under_faults():
    simulator.check(Echo, seeds=1, seconds=3)
    simulator.check(Total, load=Amounts, seeds=1, seconds=3)


class Script(simulator.Load):
    """Sends some messages, and keeps what arrives."""

    def __init__(self, *messages, is_surviving=False):
        self.is_surviving = is_surviving
        self.messages = list(messages)
        self.received = []

    def next_request(self, now_ns):  # noqa: ARG002
        return self.messages.pop(0) if self.messages else None

    def on_response(self, payload, now_ns):  # noqa: ARG002
        self.received.append(bytes(payload))


def run(service, *loads, until):
    checkers = simulator.standard_checkers()
    with simulator.Cluster(1, service, members=1, checkers=checkers) as cluster:
        cluster.start()
        cluster.await_leader()
        for load in loads:
            cluster.add_client(load=load)
        cluster.run_until(until)
        return cluster.now_ns


def test_a_key_expires():
    load = Script(
        b"set a 1", b"set b 2", b"expire a 300", b"expire b 300", b"set b 3", is_surviving=True
    )

    def has_expired():
        if len(load.received) >= 5 and not load.messages:
            load.messages.append(b"count")
        return load.received[-1:] == [b"1"]

    run(KeyValueStore, load, until=has_expired)
    assert load.received[:5] == [b"ok"] * 5
    assert load.received[5] == b"2"  # not at once


def test_all_sessions_get_the_news_and_the_sale():
    alice, bob = Script(BID.pack(7, b"alice")), Script(BID.pack(5, b"bob"), BID.pack(9, b"bob"))

    def have_the_sale():
        last = [NEWS.unpack(each.received[-1])[0] for each in (alice, bob) if each.received]
        return last == [SOLD, SOLD]

    run(Auction, alice, bob, until=have_the_sale)
    for each in (alice, bob):
        *news, sale = (NEWS.unpack(message)[:2] for message in each.received)
        assert (HIGH, 9) in news
        assert sale == (SOLD, 9)
