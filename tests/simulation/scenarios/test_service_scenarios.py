"""Service messages, several services, sessions, and single topics."""

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import ClusterError, MessageError, ServiceCallbackError
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from tests.simulation.scenarios.rig import S, Scenario, is_active, sequence_of, term_of


def relay(cluster, count, base=1000):
    """Make the service send numbers in separate messages."""
    for number in range(base, base + count):
        cluster.client.send(Request(0, number, Verb.RELAY, 0, number).encode())


def queues(cluster, index=0):
    return [each.services[index].state.queue for each in cluster.members]


def test_a_services_messages_return_once_and_in_order(cluster):
    relay(cluster, 20)
    cluster.run_until(lambda: queues(cluster) == [list(range(1000, 1020))] * 3)
    cluster.run_for(S)
    assert queues(cluster) == [list(range(1000, 1020))] * 3


class OffersTooMuch(ReferenceService):
    """Offers a message longer than the log allows, and a valid one after it."""

    def on_session_message(self, session, timestamp, message, header):
        if session is not None and Request.decode(bytes(message)).number == 0:
            assert self._cluster.offer(Request(0, 0, Verb.RELAY, 0, 7).encode())
            self._cluster.offer(bytes(10_000))
        super().on_session_message(session, timestamp, message, header)


def test_service_offering_too_long_messages_is_notified_and_blocks_nothing():
    # If retained, it would precede all later offers, with each leader and after each start.
    with Scenario(services=OffersTooMuch) as cluster:
        cluster.begin()
        cluster.client.send(Request(0, 0, Verb.NEXT).encode())
        cluster.run_until(lambda: queues(cluster) == [[7]] * 3)
        for member in cluster.members:
            (error,) = member.errors
            assert isinstance(error, ServiceCallbackError)
            assert isinstance(error.__cause__, MessageError)
        relay(cluster, 3)
        cluster.run_until(lambda: queues(cluster) == [[7, 1000, 1001, 1002]] * 3)
        cluster.snapshot()


def test_a_services_messages_are_delivered_once_over_a_failover(cluster):
    cluster.send_request(1)
    old = cluster.leader()
    relay(cluster, 20)
    cluster.run_until(lambda: len(cluster.client.responses) > 5)
    old.kill()
    cluster.await_other_leader(old)
    old.start()
    cluster.send_request(1)
    cluster.await_equal()
    (first, *others) = queues(cluster)
    assert others == [first] * 2
    assert len(first) == len(set(first))
    # Each request in the log has its message there too, once.
    requested = [
        Request.decode(each.payload).second
        for each in cluster.journals[0].entries
        if each.kind == "message"
        and each.key >= 0
        and Request.decode(each.payload).verb is Verb.RELAY
    ]
    cluster.await_all(lambda each: each.services[0].state.queue == requested, what="all messages")


def test_a_services_messages_are_delivered_once_over_a_restart_of_all(cluster):
    relay(cluster, 10)
    cluster.run_until(lambda: queues(cluster) == [list(range(1000, 1010))] * 3)
    cluster.restart_all()
    cluster.send_request(1)
    relay(cluster, 10, base=2000)
    wanted = [*range(1000, 1010), *range(2000, 2010)]
    cluster.run_until(lambda: queues(cluster) == [wanted] * 3)


def test_a_services_messages_are_delivered_once_over_a_restart_from_a_snapshot(cluster):
    relay(cluster, 10)
    cluster.run_until(lambda: queues(cluster) == [list(range(1000, 1010))] * 3)
    cluster.snapshot()
    cluster.restart_all()
    cluster.send_request(1)
    relay(cluster, 10, base=2000)
    wanted = [*range(1000, 1010), *range(2000, 2010)]
    cluster.run_until(lambda: queues(cluster) == [wanted] * 3)


class FailsFirst(ReferenceService):
    def on_take_snapshot(self, _snapshot_publication):
        raise ClusterError("no snapshot today")


def sequences(cluster):
    return {each.services[index].state.sequence for each in cluster.members for index in (0, 1)}


def test_two_services_receive_the_same_and_restart_from_a_snapshot():
    with Scenario(services=(ReferenceService, ReferenceService)) as cluster:
        cluster.begin()
        cluster.client.send(Request(0, 0, Verb.NEXT).encode())
        cluster.run_until(lambda: sequences(cluster) == {1})
        cluster.snapshot()
        cluster.restart_all()
        assert sequences(cluster) == {1}


@pytest.mark.parametrize(
    "services",
    [(FailsFirst, ReferenceService), (ReferenceService, FailsFirst), (FailsFirst, FailsFirst)],
)
def test_log_continues_after_one_or_both_services_fail_to_snapshot(services):
    with Scenario(services=services) as cluster:
        cluster.begin()
        cluster.client.send(Request(0, 0, Verb.NEXT).encode())
        cluster.run_until(lambda: sequences(cluster) == {1})
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.await_all(lambda each: each.errors, what="errors")
        cluster.await_all(is_active)
        cluster.restart_all()
        assert sequences(cluster) == {1}
        assert [cluster.snapshots(member) for member in cluster.members] == [[]] * 3


def test_session_of_an_ended_client_is_closed_even_after_a_failover(cluster):
    cluster.send_request(1)
    gone = cluster.add_client(is_reconnecting=False)
    cluster.run_until(lambda: gone.is_connected)
    old = cluster.leader()
    old.kill()
    cluster.await_other_leader(old)
    gone.kill()
    session_id = 2
    cluster.run_until(
        lambda: any(
            each.kind == "close" and each.key == session_id for each in cluster.journals[0].entries
        )
    )
    cluster.send_request(1)


def test_an_appointed_leader_leads_replays_and_is_caught_up_with():
    with Scenario(module={"appointed_leader_id": 1}) as cluster:
        cluster.begin().send_request()
        assert cluster.leader() is cluster.members[1]
        late = cluster.members[2]
        late.kill()
        cluster.send_request()
        late.start()
        cluster.await_equal()
        cluster.restart_all()
        assert cluster.leader() is cluster.members[1]
        assert [sequence_of(each) for each in cluster.members] == [10] * 3


def test_leader_stalled_past_the_heartbeat_timeout_returns_as_a_follower(cluster):
    cluster.send_request()
    old = cluster.leader()
    term = term_of(old)
    old.pause(4 * S)
    new = cluster.await_other_leader(old)
    cluster.await_equal()
    assert cluster.leader() is new
    assert term_of(new) > term
    cluster.send_request()


def test_cluster_resumes_after_a_suspension_past_the_session_timeout(cluster):
    cluster.send_request()
    assert cluster.leader().module.try_toggle(ControlToggle.SUSPEND)
    cluster.run_for(8 * S)
    assert cluster.leader().module.try_toggle(ControlToggle.RESUME)
    cluster.await_all(is_active)
    cluster.send_request()


def test_wall_clocks_jump_on_several_nodes(cluster):
    for member, seconds in zip(cluster.members, (8, -3600, 3), strict=True):
        member.machine.clock.step_wall_clock(seconds * S)
    cluster.run_for(2 * S)
    cluster.send_request()
    cluster.await_equal()
