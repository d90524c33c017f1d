"""A user's services, correct and wrong ones, and their clients' messages."""

# ruff: noqa: ARG001, ARG002

import os

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.simulator.clients.client import Load


class Counter(ClusteredService):
    """Counts messages, and answers with the count."""

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        self.count = 0
        while snapshot_image is not None and not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(self.load, 10))

    def load(self, message, _):
        self.count = int(bytes(message))

    def on_session_message(self, session, timestamp, message, header):
        self.count += 1
        answer = b"%d" % self.count
        while session.offer(answer) in (NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION):
            self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication):
        while not snapshot_publication.offer(b"%d" % self.count):
            self.cluster.idle()


class Raises(Counter):
    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        if self.count % 10 == 0:
            raise ValueError("every tenth is one too many")


class EndsItsProcess(Counter):
    def on_session_message(self, session, timestamp, message, header):
        os._exit(3)


class NeverAnswers(Counter):
    def on_session_message(self, session, timestamp, message, header):
        self.count += 1


class RaisesAnOsError(Counter):
    def on_session_open(self, session, timestamp):
        raise OSError("no such book")


class FailsToTakeSnapshots(Counter):
    def on_take_snapshot(self, snapshot_publication):
        raise RuntimeError("no snapshot today")


class TakesEmptySnapshots(Counter):
    def on_take_snapshot(self, snapshot_publication):
        pass


class IgnoresSnapshots(Counter):
    def load(self, message, _):
        pass


class IsNotTheSame(Counter):
    def on_session_message(self, session, timestamp, message, header):
        self.count += self.cluster.member_id
        super().on_session_message(session, timestamp, message, header)


class Once(Counter):
    """Counts each request of a surviving client once."""

    def on_start(self, cluster, snapshot_image):
        self.requests = Deduplication(cluster)
        super().on_start(cluster, snapshot_image)

    def load(self, message, _):
        if not self.requests.load(message):
            super().load(message, _)

    def on_session_message(self, session, timestamp, message, header):
        self.requests.handle(session, timestamp, message, self.enter)

    def enter(self, request):
        self.count += 1
        return b"%d" % self.count

    def on_take_snapshot(self, snapshot_publication):
        super().on_take_snapshot(snapshot_publication)
        self.requests.write_snapshot(snapshot_publication)


class CountsDown(Once):
    def enter(self, request):
        self.count -= 1
        return b"%d" % self.count


class Orders(Load):
    due_ns = 0

    def next_request(self, now_ns):
        if now_ns < self.due_ns:
            return None
        self.due_ns = now_ns + 20_000_000
        return b"order"


class CheckedOrders(Orders):
    is_surviving = True
    last = 0

    def on_response(self, payload, now_ns):
        assert int(payload) > self.last, "the count goes up"
        self.last = int(payload)


class OrdersOnce(Orders):
    is_surviving = True


def make_load(number, random):
    return Orders()


def make_surviving_load(number, random):
    return OrdersOnce()


def make_checked_load(number, random):
    return CheckedOrders()
