"""ClusterTest, ServiceIpcIngressMessageTest: service containers that stop or fail."""

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    ServiceCallbackError,
)
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import MemberState
from tests.simulation.scenarios.rig import MS, S, Scenario, sequence_of, snapshots_of


def stop_services(member):
    """Close only the service containers of a member."""
    for container in member.node.containers:
        container.close()


def test_leader_with_a_stopped_service_container_ends_and_is_replaced(cluster):
    cluster.send_request()
    old = cluster.leader()
    stop_services(old)
    cluster.run_until(lambda: old.state is MemberState.ENDED, what="the end of the leader")
    assert isinstance(old.failure, AgentTerminationError)
    assert not old.failure.is_expected
    cluster.await_other_leader(old)
    cluster.send_request()
    old.start()
    cluster.await_equal()
    assert sequence_of(old) == 10


def test_services_messages_and_timers_are_delivered_once_when_the_leaders_services_are_stopped():
    with Scenario(services=(ReferenceService, ReferenceService)) as cluster:
        cluster.begin()
        numbers = range(1000, 1020)

        def send(first, verb):
            for number in numbers:
                request = Request(0, first + number, verb, 400, first + number)
                cluster.client.send(request.encode())

        send(0, Verb.RELAY)
        send(10_000, Verb.TIMER)
        old = cluster.leader()
        cluster.run_until(lambda: len(old.services[0].state.queue) > 5)
        stop_services(old)
        cluster.run_until(lambda: old.state is MemberState.ENDED, what="the end of the leader")
        new = cluster.await_other_leader(old)
        cluster.run_until(lambda: not cluster.client.outbox, what="all requests are sent")
        cluster.send_request(1)
        old.start()
        cluster.await_equal()
        # For each log entry, each service offered its message and set its timer once.
        requested = [
            Request.decode(entry.payload)
            for entry in cluster.journals[0].entries
            if entry.kind == "message" and entry.key >= 0
        ]
        timed = sorted(each.number for each in requested if each.verb is Verb.TIMER)
        pushed = [each.second for each in requested if each.verb is Verb.RELAY]
        assert pushed
        assert timed
        # Both receive each timer, and each offers its number too.
        relayed = sorted(2 * (pushed + timed))

        def is_done(member):
            return all(
                sorted(service.state.queue) == relayed and sorted(set(service.state.fired)) == timed
                for service in member.services
            )

        cluster.await_all(is_done, what="all messages and timers")
        assert new.services[0].state.fired == old.services[0].state.fired


class EndsInSnapshot(ReferenceService):
    def on_take_snapshot(self, _snapshot_publication):
        raise AgentTerminationError("no snapshot, and the service ends")


class FindsNoRoom(ReferenceService):
    def on_take_snapshot(self, _snapshot_publication):
        raise ArchiveError("the disk is gone", ArchiveErrorCode.STORAGE_SPACE)


@pytest.mark.parametrize("service", [EndsInSnapshot, FindsNoRoom])
def test_a_node_ends_if_its_snapshot_fails_terminally(service):
    with Scenario(services=service) as cluster:
        cluster.begin().send_request()
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.await_all(lambda each: each.state is MemberState.ENDED, what="the end")
        for member in cluster.members:
            assert not member.failure.is_expected
            assert cluster.snapshots(member) == []


class CannotLoad(ReferenceService):
    def on_start(self, cluster, snapshot_image):
        if snapshot_image is not None:
            raise ClusterError("no such snapshot")
        super().on_start(cluster, snapshot_image)


def test_a_node_ends_if_one_of_two_services_cannot_load():
    with Scenario(services=(ReferenceService, CannotLoad)) as cluster:
        cluster.begin().send_request()
        cluster.snapshot()
        follower = cluster.followers[0]
        follower.kill()
        follower.start()
        cluster.run_until(lambda: follower.state is MemberState.ENDED, what="the end")
        named = [each for each in follower.errors if isinstance(each, ServiceCallbackError)]
        assert [(each.callback, str(each.__cause__)) for each in named] == [
            ("on_start", "no such snapshot")
        ]
        cluster.send_request()
        cluster.invalidate_snapshot(follower)
        follower.start()
        cluster.await_equal()
        assert [each.state.sequence for each in follower.services] == [10, 10]


@pytest.mark.parametrize("is_leader", [True, False], ids=["leader", "follower"])
def test_snapshot_waits_for_a_late_acknowledgement(is_leader):
    with Scenario(layout="apart") as cluster:
        cluster.begin().send_request()
        leader = cluster.leader()
        late = leader if is_leader else cluster.followers[0]
        late.process("service-0").pause(3 * S)
        assert leader.module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.run_for(2 * S)
        assert snapshots_of(late) == 0
        cluster.await_all(lambda each: snapshots_of(each) == 1, what="snapshots")
        cluster.send_request()
        cluster.restart_all()
        assert [sequence_of(each) for each in cluster.members] == [10] * 3


@pytest.mark.parametrize("count", [1, 2])
def test_member_with_a_late_service_takes_part_after_elections(count):
    with Scenario(layout="apart") as cluster:
        cluster.begin().send_request()
        late, other = cluster.followers
        late.process("service-0").pause(6 * S)
        for each in (cluster.leader(), other)[:count]:
            each.kill()
            cluster.run_for(2500 * MS)
            each.start()
        cluster.await_equal()
        cluster.send_request()
        cluster.await_equal()
        assert [sequence_of(each) for each in cluster.members] == [10] * 3
