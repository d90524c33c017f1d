"""The service around the order book: replies, retries and snapshots."""

import pytest

from aeron_cluster.cli.order_book import ACK, BUY, MESSAGE, NEW_ORDER, SELL, OrderBook
from aeron_cluster.cli.order_matching import OrderMatching
from aeron_cluster.client.not_sent import ADMIN_ACTION, BACK_PRESSURED, NOT_CONNECTED
from aeron_cluster.errors import CorruptError


class Stream:
    """Records the messages sent to a session or a snapshot, after some rejections."""

    def __init__(self, id_=0):
        self.id = id_
        self.sent = []
        self.rejections = []

    def offer(self, message):
        if self.rejections:
            return self.rejections.pop(0)
        self.sent.append(bytes(message))
        return 64


class FakeCluster:
    def __init__(self):
        self.sessions = {}
        self.idle_count = 0

    def get_client_session(self, session_id):
        return self.sessions.get(session_id)

    def idle(self, work_count=0):
        assert work_count >= 0
        self.idle_count += 1


class FakeImage:
    """A recorded snapshot, one message per poll."""

    is_closed = False
    position = 1000

    def __init__(self, messages):
        self.messages = [*messages]

    @property
    def is_end_of_stream(self):
        return not self.messages

    def poll(self, handler, _limit):
        if not self.messages:
            return 0
        handler(self.messages.pop(0), None)
        return 1


@pytest.fixture
def cluster():
    return FakeCluster()


@pytest.fixture
def service(cluster):
    made = OrderMatching()
    made.on_start(cluster, None)
    return made


def opened(cluster, session_id):
    cluster.sessions[session_id] = Stream(session_id)
    return cluster.sessions[session_id]


def send(service, session, side, quantity, price):
    request = MESSAGE.pack(NEW_ORDER, side, 0, quantity, 1, 0, price)
    service.on_session_message(session, 0, request, None)


def test_both_owners_of_a_match_are_notified(service, cluster):
    alice, bob = opened(cluster, 1), opened(cluster, 2)
    send(service, alice, BUY, 5, 100)
    send(service, bob, SELL, 5, 100)
    assert [len(each.sent) for each in (alice, bob)] == [2, 2]
    assert MESSAGE.unpack(alice.sent[0])[0] == ACK


def test_an_owner_with_a_closed_session_is_not_notified(service, cluster):
    alice, bob = opened(cluster, 1), opened(cluster, 2)
    send(service, alice, BUY, 5, 100)
    del cluster.sessions[1]
    send(service, bob, SELL, 5, 100)
    assert [len(each.sent) for each in (alice, bob)] == [1, 2]


def test_a_reply_is_sent_again_until_it_is_sent(service, cluster):
    alice = opened(cluster, 1)
    alice.rejections = [BACK_PRESSURED, ADMIN_ACTION, BACK_PRESSURED]
    send(service, alice, BUY, 5, 100)
    assert (len(alice.sent), cluster.idle_count) == (1, 3)


def test_a_dead_client_blocks_no_other(service, cluster):
    alice = opened(cluster, 1)
    alice.rejections = [NOT_CONNECTED]
    send(service, alice, BUY, 5, 100)
    assert (alice.sent, cluster.idle_count) == ([], 0)


def test_a_message_of_a_service_is_ignored(service):
    send(service, None, BUY, 5, 100)
    snapshot = Stream()
    service.on_take_snapshot(snapshot)
    assert snapshot.sent == list(OrderBook().snapshot())


def test_a_snapshot_is_written_in_full_and_loaded_again(service, cluster):
    alice = opened(cluster, 1)
    for price in range(1, 100):
        send(service, alice, BUY, 5, price)
    written = Stream()
    written.rejections = [BACK_PRESSURED, NOT_CONNECTED, ADMIN_ACTION]
    service.on_take_snapshot(written)
    assert cluster.idle_count == 3

    again = OrderMatching()
    again.on_start(cluster, FakeImage(written.sent))
    rewritten = Stream()
    again.on_take_snapshot(rewritten)
    assert rewritten.sent == written.sent


def test_truncated_snapshot_is_rejected(service, cluster):
    send(service, opened(cluster, 1), BUY, 5, 100)
    written = Stream()
    service.on_take_snapshot(written)
    with pytest.raises(CorruptError, match="order book snapshot at 1000: end none"):
        OrderMatching().on_start(cluster, FakeImage(written.sent[:-1]))
