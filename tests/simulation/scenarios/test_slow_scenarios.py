"""ClusterTest: slow services."""

from tests.simulation.scenarios.rig import MS, S, Scenario, Slow, elections_of, sequence_of


def sequences(cluster, index):
    return [member.services[index].state.sequence for member in cluster.members]


def test_a_cluster_does_not_elect_while_a_follower_is_slow():
    with Scenario(services=Slow) as cluster:
        cluster.begin().send_request(1)
        leader, (restarted, slow) = cluster.leader(), cluster.followers
        before = elections_of(leader), elections_of(slow)
        restarted.kill()
        slow.services[0].service.delay_ns = 50 * MS
        cluster.send_request(5, padding=1000)
        cluster.run_until(lambda: sequence_of(slow) == 6, what="the slow follower")
        assert cluster.client.responses[-1].time_ns < slow.services[0].service.done_ns
        restarted.start()
        cluster.await_equal(leader, restarted)
        cluster.send_request(3, padding=1000)
        cluster.await_equal()
        assert [sequence_of(each) for each in cluster.members] == [9] * 3
        assert (elections_of(leader), elections_of(slow)) == before
        assert cluster.leader() is leader


class SlowSecond(Slow):
    delay_ns = 10 * MS


def test_a_follower_with_a_slow_second_service_catches_up():
    with Scenario(services=(Slow, SlowSecond)) as cluster:
        cluster.begin().send_request(5)
        late = cluster.followers[0]
        late.kill()
        cluster.send_request(7)
        late.start()
        cluster.send_request(3)
        cluster.run_until(lambda: sequences(cluster, 1) == [15] * 3, what="the slow services")
        assert sequences(cluster, 0) == [15] * 3


class SlowSnapshot(Slow):
    def on_take_snapshot(self, snapshot_publication):
        self.wait(self.snapshot_ns)
        super().on_take_snapshot(snapshot_publication)


class First(SlowSnapshot):
    snapshot_ns = 30 * MS


class Second(SlowSnapshot):
    snapshot_ns = 70 * MS


def test_two_slow_services_show_in_the_durations_of_a_snapshot():
    limits = {"service_snapshot_threshold_ns": 20 * MS}
    with Scenario(
        services=(First, Second),
        module={"total_snapshot_threshold_ns": 50 * MS},
        options={"container": limits},
    ) as cluster:
        cluster.begin().send_request()
        for member in cluster.members:
            assert member.module.counters.max_snapshot_duration.get() == 0
        cluster.snapshot()
        for member in cluster.members:
            total = member.module.counters
            assert 70 * MS <= total.max_snapshot_duration.get() < S
            assert total.snapshot_duration_exceeded.get() == 1
            for container, service in zip(member.node.containers, (First, Second), strict=True):
                own = container._conductor._counters
                assert service.snapshot_ns <= own.max_snapshot_duration.get() < S
                assert own.snapshot_duration_exceeded.get() == 1
        cluster.send_request()
