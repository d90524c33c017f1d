"""Whole clusters with a clock, a timer service and application versions of the user."""

import pytest

from aeron_cluster.cluster.state.app_version import AppVersionValidator
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import MemberVersionError, UserComponentError
from aeron_cluster.simulator.clients.reference import Request, Verb
from aeron_cluster.simulator.cluster import MemberState
from tests.simulation.scenarios.rig import MS, S, Scenario
from tests.unit.cluster.user_components import DictTimers, MicrosClock


class Own(Scenario):
    """A cluster whose members have their own clocks and timer services."""

    def __init__(self, **options):
        self.clocks, self.timers, self.times = {}, {}, {}
        self.validators = {}  # by member, and the version
        super().__init__(**options)

    def node_options(self, member):
        options = super().node_options(member)
        number = member.member_id
        self.clocks[number] = MicrosClock(member.machine.clock.epoch_nanos)
        self.times[number] = []

        def supply(time_unit, handler):
            self.timers[number] = DictTimers(time_unit, handler)
            return self.timers[number]

        options["consensus_module"] |= {
            "clock": self.clocks[number],
            "timer_service_supplier": supply,
            "cluster_time_consumer": self.times[number].append,
        }
        for part in ("consensus_module", "container"):
            options[part] |= self.validators.get(number, {})
        return options

    def set_timer(self, delay_ms):
        count = len(self.client.responses)
        self.client.send(Request(self.client.number, 99, Verb.TIMER, delay_ms).encode())
        self.run_until(lambda: len(self.client.responses) > count, what="the request of a timer")

    @property
    def fired(self):
        """The number of timer events of each member's service."""
        return [
            len(each.services[0].state.fired) if each.services else None for each in self.members
        ]


def named(member, name=""):
    """Return a member's errors that name a component of the user."""
    return [
        error
        for error in member.errors
        if isinstance(error, UserComponentError) and name in str(error)
    ]


@pytest.fixture
def cluster():
    with Own(seed=18) as cluster:
        yield cluster.begin()


def test_timers_of_own_service_and_clock_survive_a_snapshot_and_a_leader(cluster):
    cluster.send_request()
    cluster.set_timer(8_000)
    cluster.snapshot()
    old = cluster.leader()
    assert cluster.timers[old.member_id].time_unit is ClusterTimeUnit.MICROS
    assert len(cluster.timers[old.member_id].deadlines) == 1
    old.kill()
    other = cluster.await_other_leader(old)
    old.start()
    cluster.await_equal()
    assert cluster.fired == [0, 0, 0]
    cluster.run_until(lambda: cluster.fired == [1, 1, 1], what="the timer")
    # The new leader's service was notified of the time; every member's has no timer left.
    assert cluster.timers[other.member_id].times
    assert all(not each.deadlines for each in cluster.timers.values())
    assert not [error for each in cluster.members for error in named(each)]
    for number, times in cluster.times.items():
        now = cluster.members[number].machine.clock.epoch_nanos() // 1000
        assert 0 <= now - times[-1] < S // 1000
        assert times == sorted(times)


def test_leader_whose_clock_fails_is_replaced_and_resumes_as_a_follower(cluster):
    cluster.send_request()
    old = cluster.leader()
    clock = cluster.clocks[old.member_id]
    clock.failure = -1
    cluster.await_other_leader(old)
    assert named(old, "MicrosClock: time")
    clock.failure = None
    cluster.run_until(lambda: not old.is_leading, what="the former leader's election")
    cluster.send_request()
    cluster.await_equal()
    assert old.start_count == 1


def test_leader_whose_timer_service_fails_serves_and_fires_later(cluster):
    cluster.send_request()
    leader = cluster.leader()
    cluster.set_timer(500)
    cluster.timers[leader.member_id].failure = OSError("no disk")
    cluster.run_for(S)
    cluster.send_request()
    assert cluster.leader() is leader
    assert named(leader, "DictTimers: poll")
    assert cluster.fired == [0, 0, 0]
    cluster.timers[leader.member_id].failure = None
    cluster.run_until(lambda: cluster.fired == [1, 1, 1], what="the timer")


class AnyVersion(AppVersionValidator):
    def is_version_compatible(self, *_):
        return True


class NoVersion(AppVersionValidator):
    def is_version_compatible(self, *_):
        return False


def restart_as(cluster, member, **options):
    cluster.validators[member.member_id] = options
    member.kill()
    member.errors.clear()
    member.start()


def test_validator_admits_a_log_and_a_snapshot_of_another_major_version(cluster):
    cluster.send_request()
    cluster.snapshot()
    cluster.send_request()
    member = cluster.followers[0]
    restart_as(cluster, member, app_version=2 << 16, app_version_validator=AnyVersion())
    cluster.send_request()
    cluster.await_equal()
    assert member.errors == []


def test_member_whose_validator_rejects_the_log_ends(cluster):
    cluster.send_request()
    member = cluster.followers[0]
    restart_as(cluster, member, app_version_validator=NoVersion())
    cluster.run_until(lambda: member.state is MemberState.ENDED, what="the end of the member")
    (error,) = [each for each in member.errors if isinstance(each, MemberVersionError)]
    assert "expected one that NoVersion accepts beside 0.0.1" in str(error)
    cluster.run_for(100 * MS)
    cluster.send_request()
