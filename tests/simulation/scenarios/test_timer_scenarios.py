"""ClusterTimerTest: timers that set the next one, over snapshots and restarts."""

import pytest

from aeron_cluster.simulator.reference import Reference
from tests.simulation.scenarios.rig import Scenario

PERIOD_MS = 20
KINDS = [
    "io.aeron.cluster.WheelTimerServiceSupplier",
    "io.aeron.cluster.PriorityHeapTimerServiceSupplier",
]
BOTH_KINDS = pytest.mark.parametrize("kind", KINDS, ids=["wheel", "heap"])


class Ticks(Reference):
    """Sets a timer with the first session, and with each timer the next one."""

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
    """Kill the node and start it again; what fired before is there."""
    before = list(fired(cluster))
    cluster.kill_all()
    cluster.start()
    cluster.await_leader()
    assert fired(cluster)[: len(before)] == before


@BOTH_KINDS
@pytest.mark.parametrize("has_snapshot", [False, True])
def test_a_timer_that_sets_the_next_goes_on_over_restarts(kind, has_snapshot):
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
def test_a_timer_that_is_set_again_fires_at_the_later_time_alone(kind):
    with Scenario(services=SetsTwice, module={"timer_service_supplier": kind}) as cluster:
        cluster.begin()
        cluster.await_all(lambda each: 2 in each.services[0].state.fired, what="both timers")
        assert [each.services[0].state.fired for each in cluster.members] == [[1, 2]] * 3
