"""ClusterTimerTest: timers that set the next one, across snapshots and restarts."""

import pytest

from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from tests.simulation.scenarios.rig import MS, S, Scenario

PERIOD_MS = 20
KINDS = [
    "io.aeron.cluster.WheelTimerServiceSupplier",
    "io.aeron.cluster.PriorityHeapTimerServiceSupplier",
]
BOTH_KINDS = pytest.mark.parametrize("kind", KINDS, ids=["wheel", "heap"])


class Ticks(ReferenceService):
    """Sets a timer with the first session, and the next one with each timer."""

    def on_session_open(self, session, timestamp):  # noqa: ARG002
        if not self.state.fired:
            self._set(1, timestamp + PERIOD_MS)

    def on_timer_event(self, correlation_id, timestamp):
        self.state.fired.append(correlation_id)
        self._set(correlation_id + 1, timestamp + PERIOD_MS)

    def _set(self, correlation_id, deadline):
        while not self._cluster.schedule_timer(correlation_id, deadline):
            self._cluster.idle()


def fired(cluster):
    return cluster.members[0].services[0].state.fired


def await_more(cluster, count):
    wanted = len(fired(cluster)) + count
    cluster.run_until(lambda: len(fired(cluster)) >= wanted, what="timers")
    assert fired(cluster) == list(range(1, len(fired(cluster)) + 1))


def restart(cluster):
    """Kill the node and restart it; earlier timers are in its state."""
    before = list(fired(cluster))
    cluster.kill_all()
    cluster.start()
    cluster.await_leader()
    assert fired(cluster)[: len(before)] == before


@BOTH_KINDS
@pytest.mark.parametrize("has_snapshot", [False, True])
def test_rescheduling_timer_continues_across_restarts(kind, has_snapshot):
    with Scenario(members=1, services=Ticks, module={"timer_service_supplier": kind}) as cluster:
        cluster.begin()
        await_more(cluster, 2)
        if has_snapshot:
            cluster.snapshot()
            await_more(cluster, 4)
        for _ in range(2):
            restart(cluster)
            await_more(cluster, 4)


class SetsTwice(Ticks):
    def on_session_open(self, session, timestamp):  # noqa: ARG002
        for correlation_id, delay_ms in ((1, 1_000_000), (1, 20), (2, 30)):
            self._set(correlation_id, timestamp + delay_ms)

    def on_timer_event(self, correlation_id, timestamp):  # noqa: ARG002
        self.state.fired.append(correlation_id)


@BOTH_KINDS
def test_rescheduled_timer_fires_only_at_the_later_time(kind):
    with Scenario(services=SetsTwice, module={"timer_service_supplier": kind}) as cluster:
        cluster.begin()
        cluster.await_all(lambda each: 2 in each.services[0].state.fired, what="both timers")
        assert [each.services[0].state.fired for each in cluster.members] == [[1, 2]] * 3


class ChangesItsMind(ReferenceService):
    """Sets a timer, cancels or moves it, and sets it again, always with the same id.

    Only on the leader the second step is slow, so that the timer fires in the meantime.
    """

    def on_session_message(self, session, timestamp, message, header):
        match Request.decode(bytes(message)).first:
            case 1:
                self._set(timestamp + PERIOD_MS)
            case 2 | 3 as change:
                self._wait_if_leading(3 * PERIOD_MS * MS)
                if change == 2:
                    while not self._cluster.cancel_timer(7):
                        self._cluster.idle()
                else:
                    self._set(timestamp + 2000)
            case 4:
                self._set(timestamp + 2000)
        super().on_session_message(session, timestamp, message, header)

    def _wait_if_leading(self, duration_ns):
        leader = self.scenario.leader()
        if leader is not None and leader.member_id == self.member_id:
            until_ns = self.scenario.now_ns + duration_ns
            while self.scenario.now_ns < until_ns:
                self._cluster.idle()

    def _set(self, deadline):
        while not self._cluster.schedule_timer(7, deadline):
            self._cluster.idle()


def has_fired_once(member):
    return member.services[0].state.fired == [7]


@BOTH_KINDS
@pytest.mark.parametrize("script", [(1, 2, 4), (1, 3)], ids=["cancelled", "moved"])
def test_a_timer_cancelled_or_moved_as_it_fired_fires_after_a_failover(kind, script):
    module = {"timer_service_supplier": kind}
    with Scenario(services=ChangesItsMind, module=module) as cluster:
        cluster.begin().send_request(1)
        for number, what in enumerate(script):
            if what == 4:
                cluster.await_all(has_fired_once, what="the first timer")
            cluster.client.send(Request(0, 100 + number, Verb.WRITE, what).encode())
        cluster.run_until(lambda: len(cluster.client.responses) == 1 + len(script))
        cluster.await_all(has_fired_once, what="the first timer")
        old = cluster.leader()
        old.kill()
        cluster.await_other_leader(old)
        cluster.run_for(3 * S)
        rest = [each for each in cluster.members if each is not old]
        assert [each.services[0].state.fired for each in rest] == [[7, 7]] * 2
