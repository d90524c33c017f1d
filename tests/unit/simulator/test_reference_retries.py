"""The reference service repeats calls that the cluster rejects for now, and gives up on answers."""

from types import SimpleNamespace

import pytest

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb

BUSY = 3


class BusyCluster:
    """Rejects the first calls of each kind; the service idles between two of them."""

    time_unit = ClusterTimeUnit.MILLIS
    log_position = 64
    service_id = 0

    def __init__(self, rejected=NotSent.BACK_PRESSURED):
        self.rejected = rejected
        self.calls = []
        self.idle_count = 0

    def idle(self, work_count=0):
        assert work_count == 0
        self.idle_count += 1

    def _accept(self, *call):
        self.calls.append(call)
        return self.calls.count(call) > BUSY

    def schedule_timer(self, correlation_id, deadline):
        return self._accept("schedule", correlation_id, deadline)

    def cancel_timer(self, correlation_id):
        return self._accept("cancel", correlation_id)

    def offer(self, message):
        return 128 if self._accept("offer", bytes(message)) else self.rejected


class BusySession:
    id = 7

    def __init__(self, cluster, offers=0):
        self.cluster, self.offers = cluster, offers
        self.offered = []

    def close(self):
        return self.cluster._accept("close")

    def offer(self, message):
        self.offered.append(bytes(message))
        return 64 if len(self.offered) > self.offers else self.cluster.rejected


def apply(request, cluster, session, service_id=0):
    service = ReferenceService(service_id)
    service.on_start(cluster, None)
    service.on_session_message(session, 1000, memoryview(request.encode()), None)
    return service


@pytest.mark.parametrize("rejected", [NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION])
@pytest.mark.parametrize(
    ("request_", "call"),
    [
        (Request(0, 5, Verb.TIMER, 40), "schedule"),
        (Request(0, 5, Verb.MOVE, 40, 2), "schedule"),
        (Request(0, 5, Verb.CANCEL, 0, 2), "cancel"),
        (Request(0, 5, Verb.RELAY, 0, 5), "offer"),
        (Request(0, 5, Verb.CLOSE), "close"),
    ],
)
def test_a_call_is_repeated_until_it_is_accepted(request_, call, rejected):
    cluster = BusyCluster(rejected)
    session = BusySession(cluster)
    apply(request_, cluster, session)
    assert [each[0] for each in cluster.calls] == [call] * (BUSY + 1)
    assert len(set(cluster.calls)) == 1
    assert cluster.idle_count == BUSY
    assert len(session.offered) == 1


def test_only_the_first_service_answers_and_closes():
    cluster = BusyCluster()
    session = BusySession(cluster)
    apply(Request(0, 5, Verb.CLOSE), cluster, session, service_id=1)
    assert cluster.calls == []
    assert session.offered == []


@pytest.mark.parametrize(
    ("rejections", "count"), [(0, 1), (2, 3), (199, 200), (200, 200), (1000, 200)]
)
def test_an_answer_is_repeated_for_a_limited_time(rejections, count):
    cluster = BusyCluster()
    session = BusySession(cluster, rejections)
    apply(Request(0, 5, Verb.NEXT), cluster, session)
    assert len(session.offered) == count
    assert cluster.idle_count == min(rejections, 200)


def test_a_part_of_a_snapshot_is_repeated_until_it_is_written():
    cluster = BusyCluster()
    service = apply(Request(0, 5, Verb.NEXT), cluster, BusySession(cluster))
    written = []

    def offer(chunk):
        written.append(bytes(chunk))
        return len(written) > BUSY

    service.on_take_snapshot(SimpleNamespace(offer=offer))
    assert len(written) == BUSY + 1
    assert len(set(written)) == 1
    assert cluster.idle_count == BUSY
