"""ClusterTest: recovery from snapshots, from missed terms, and from failures."""

import errno

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle, NodeToggle
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.codecs.archive import PurgeRecordingRequest, StopRecordingByIdentityRequest
from aeron_cluster.errors import ClusterError
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import MemberState
from tests.simulation.scenarios.rig import (
    S,
    Scenario,
    elections_of,
    is_active,
    send_to_archive,
    sequence_of,
    snapshots_of,
    term_of,
)


def test_two_killed_leaders_return_together(cluster):
    cluster.send_request()
    first = cluster.leader()
    first.kill()
    second = cluster.await_other_leader(first)
    cluster.send_request(40, padding=1000)
    second.kill()
    first.start()
    second.start()
    cluster.await_leader()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [45] * 3


def test_leader_without_followers_steps_down(cluster):
    leader = cluster.leader()
    for member in cluster.followers:
        member.kill()
    cluster.run_until(lambda: not leader.is_leading, timeout_ns=5 * S, what="a step down")
    assert leader.is_running
    cluster.run_for(S)
    assert not leader.is_leading


class RecordsRoles(ReferenceService):
    def __init__(self):
        super().__init__()
        self.roles = []

    def on_role_change(self, role):
        self.roles.append(role.name)


@pytest.mark.parametrize("members", [1, 3])
def test_only_a_leader_is_notified_of_a_role(members):
    with Scenario(services=RecordsRoles, members=members) as cluster:
        cluster.begin().send_request()
        leader = cluster.leader()
        for member in cluster.members:
            assert member.services[0].roles == (["LEADER"] if member is leader else [])


def test_idle_client_is_closed_and_counted(cluster):
    cluster.send_request()
    idle = cluster.add_client(is_reconnecting=False)
    cluster.run_until(lambda: idle.is_connected)
    idle.kill()
    leader = cluster.leader()
    cluster.run_until(lambda: leader.module.counters.timed_out_clients.get() == 1)
    cluster.run_until(lambda: cluster.kinds[-1] == "close")
    cluster.send_request()


def test_a_follower_restarts_while_traffic_flows(cluster):
    follower = cluster.followers[0]
    for number in range(60):
        if number == 10:
            follower.kill()
        if number == 30:
            follower.start()
        cluster.send_request(2, padding=500)
    cluster.await_equal()
    assert sequence_of(follower) == 120


def test_two_fresh_nodes_catch_up_after_a_shutdown(cluster):
    cluster.send_request()
    leader, fresh = cluster.leader(), cluster.followers
    cluster.end(ControlToggle.SHUTDOWN)
    leader.start()
    for member in fresh:
        cluster.start_blank(member)
    cluster.await_leader()
    cluster.await_equal()
    cluster.send_request()
    cluster.await_equal()


def test_an_empty_follower_replays_over_several_snapshots(cluster):
    empty = cluster.followers[0]
    for _ in range(3):
        cluster.send_request()
        cluster.snapshot()
    cluster.send_request()
    empty.kill()
    cluster.start_blank(empty)
    cluster.await_equal()
    cluster.await_all(is_active)
    assert sequence_of(empty) == 20
    assert snapshots_of(empty) == 3


def test_a_cluster_recovers_when_both_followers_died_and_one_was_wiped(cluster):
    cluster.send_request()
    leader, (wiped, gone) = cluster.leader(), cluster.followers
    wiped.kill()
    gone.kill()
    began_ns = cluster.now_ns
    cluster.start_blank(wiped)
    cluster.await_equal(leader, wiped)
    cluster.send_request()
    assert cluster.now_ns - began_ns < 20 * S


def test_leader_with_a_longer_log_than_its_follower_leads_on(cluster):
    leader, (first, second) = cluster.leader(), cluster.followers
    cluster.send_request()
    first.kill()
    second.pause(S // 2)
    for number in range(10):
        cluster.client.send(Request(0, 1000 + number, Verb.NEXT, padding=500).encode())
    cluster.run_for(S // 4)
    second.kill()
    first.start()
    second.start()
    cluster.await_leader()
    cluster.await_equal()
    assert sequence_of(leader) == 15


def test_a_follower_is_several_terms_behind(cluster):
    behind = cluster.followers[0]
    behind.kill()
    for _ in range(3):
        cluster.send_request()
        old = cluster.leader()
        old.kill()
        old.start()
        cluster.await_leader()
    behind.start()
    cluster.await_equal()
    cluster.send_request()
    cluster.await_equal()
    assert sequence_of(behind) == 20


def test_follower_joins_in_the_middle_of_a_term(cluster):
    late = cluster.followers[0]
    late.kill()
    cluster.send_request()
    term = term_of(cluster.leader())
    late.start()
    cluster.await_equal()
    assert term_of(late) == term == term_of(cluster.leader())


def test_follower_joins_after_missing_an_election(cluster):
    late, old = cluster.followers[0], cluster.leader()
    cluster.send_request()
    late.kill()
    old.kill()
    old.start()
    new = cluster.await_leader()
    cluster.send_request()
    late.start()
    cluster.await_equal()
    assert cluster.leader() is new
    assert sequence_of(late) == 10


def test_the_latest_snapshot_is_invalidated_and_the_one_before_used(cluster):
    for _ in range(2):
        cluster.send_request()
        cluster.snapshot()
    before = cluster.snapshots(cluster.leader())
    cluster.kill_all()
    for member in cluster.members:
        cluster.invalidate_snapshot(member)
        assert cluster.snapshots(member) == before[:1]
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [10] * 3
    # The replay from the first position arrives for the request of the second one.
    assert [cluster.snapshots(member) for member in cluster.members] == [before] * 3


def test_the_latest_snapshot_is_invalidated_after_a_shutdown(cluster):
    cluster.send_request()
    cluster.end(ControlToggle.SHUTDOWN)
    for member in cluster.members:
        cluster.invalidate_snapshot(member)
    cluster.start()
    cluster.await_leader()
    cluster.send_request()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [10] * 3


def test_the_latest_snapshot_is_invalidated_between_two_elections(cluster):
    cluster.send_request()
    cluster.snapshot()
    cluster.restart_all()
    cluster.send_request()
    cluster.kill_all()
    for member in cluster.members:
        cluster.invalidate_snapshot(member)
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [10] * 3


def test_the_last_two_snapshots_are_invalidated_after_an_election(cluster):
    cluster.send_request()
    cluster.snapshot()
    old = cluster.leader()
    old.kill()
    cluster.await_other_leader(old)
    old.start()
    cluster.await_equal()
    for _ in range(2):
        cluster.send_request()
        cluster.snapshot()
    cluster.kill_all()
    for member in cluster.members:
        cluster.invalidate_snapshot(member)
        cluster.invalidate_snapshot(member)
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [15] * 3


def test_elections_follow_each_other(cluster):
    for count in range(4):
        old = cluster.await_leader()
        cluster.isolate(old)
        cluster.await_other_leader(old)
        cluster.heal()
        cluster.await_equal()
        cluster.send_request()
        assert sequence_of(cluster.leader()) == 5 * (count + 1)


def test_a_follower_misses_a_message(cluster):
    behind = cluster.followers[0]
    cluster.isolate(behind)
    cluster.send_request(1)
    cluster.kill_all()
    cluster.heal()
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    assert sequence_of(behind) == 1


def test_a_follower_misses_a_scheduled_timer(cluster):
    cluster.send_request(1)
    behind = cluster.followers[0]
    cluster.isolate(behind)
    wanted = len(cluster.client.responses) + 1
    cluster.client.send(Request(0, 500, Verb.TIMER, 8000).encode())
    cluster.run_until(lambda: len(cluster.client.responses) == wanted)
    cluster.kill_all()
    cluster.heal()
    cluster.start()
    cluster.await_all(lambda each: each.services[0].state.fired == [500], what="the timer")


def test_a_timers_id_is_used_again(cluster):
    cluster.send_request(1)
    for count in (1, 2):
        cluster.client.send(Request(0, 500, Verb.TIMER, 500).encode())
        cluster.await_all(lambda each, n=count: each.services[0].state.fired == [500] * n)


def test_fragmented_messages_arrive_completely(cluster):
    cluster.send_request(3, padding=5000)
    cluster.await_equal()
    payloads = [each.payload for each in cluster.journals[0].entries if each.kind == "message"]
    assert [len(each) - len(Request(0, 0, Verb.NEXT).encode()) for each in payloads] == [5000] * 3


def test_a_catch_up_during_big_messages_needs_no_further_election(cluster):
    behind = cluster.followers[0]
    behind.kill()
    cluster.send_request(10, padding=4000)
    leader = cluster.leader()
    before = elections_of(leader)
    behind.start()
    for _ in range(20):
        cluster.send_request(2, padding=4000)
    cluster.await_equal()
    assert elections_of(leader) == before
    assert cluster.leader() is leader


class CannotSnapshot(ReferenceService):
    def on_take_snapshot(self, _snapshot_publication):
        raise ClusterError("no snapshot today")


class CannotLoad(ReferenceService):
    def on_start(self, cluster, snapshot_image):
        if snapshot_image is not None:
            raise ClusterError("no such snapshot")
        super().on_start(cluster, snapshot_image)


def test_a_snapshot_fails_and_the_cluster_is_active_again():
    with Scenario(services=CannotSnapshot) as cluster:
        cluster.begin().send_request()
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.await_all(lambda each: each.errors, what="errors")
        cluster.await_all(is_active)
        cluster.send_request()
        cluster.await_equal()
        assert [cluster.snapshots(member) for member in cluster.members] == [[]] * 3


def test_snapshot_with_a_failed_recording_fails_and_the_next_succeeds(cluster):
    cluster.send_request()
    follower = cluster.followers[0]
    # After the logged action, the first write is the catalog's entry.
    follower.machine.files.fail("write_at", errno.EIO, after=1)
    assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
    cluster.await_all(lambda each: each.errors or each is not follower, what="an error")
    cluster.await_all(is_active)
    assert [len(cluster.snapshots(each)) for each in cluster.followers] == [0, 1]
    assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
    cluster.await_all(cluster.snapshots, what="a snapshot")
    cluster.await_all(is_active)


class WritesMuch(ReferenceService):
    def on_take_snapshot(self, publication):
        for _ in range(300):
            while not publication.offer(bytes(1000)):
                self._cluster.idle()
        super().on_take_snapshot(publication)


def test_service_blocked_in_its_snapshot_is_notified_of_the_recordings_end():
    with Scenario(services=WritesMuch) as cluster:
        cluster.begin().send_request()
        follower = cluster.followers[0]
        # After the catalog's entries, the next write is the service's state.
        follower.machine.files.fail("write_at", errno.EIO, after=9)
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.await_all(lambda each: each.errors or each is not follower, what="an error")
        cluster.await_all(is_active)
        causes = [str(each.__cause__) for each in follower.errors]
        assert any("recording stopped unexpectedly" in cause for cause in causes), follower.errors
        assert cluster.snapshots(follower) == []
        cluster.send_request()


def test_a_shutdown_continues_when_the_snapshot_fails():
    with Scenario(services=CannotSnapshot) as cluster:
        cluster.begin().send_request()
        cluster.end(ControlToggle.SHUTDOWN)
        cluster.start()
        cluster.await_leader()
        cluster.send_request()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [10] * 3


def test_node_ends_if_its_service_cannot_load_and_starts_without_that_snapshot():
    with Scenario(services=CannotLoad) as cluster:
        cluster.begin().send_request()
        cluster.snapshot()
        cluster.kill_all()
        cluster.start()
        cluster.await_all(lambda each: each.state is MemberState.ENDED, what="the end")
        for member in cluster.members:
            cluster.invalidate_snapshot(member)
        cluster.start()
        cluster.await_leader()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [5] * 3


def test_leader_with_a_stopped_log_recording_is_replaced(cluster):
    cluster.send_request()
    old = cluster.leader()
    (recording_id,) = {entry.recording_id for entry in cluster.entries(old, EntryType.TERM)}
    send_to_archive(old, StopRecordingByIdentityRequest, recording_id=recording_id)
    cluster.await_other_leader(old)
    cluster.send_request()


def test_leader_dying_in_a_full_partition_is_replaced(cluster):
    cluster.send_request()
    old = cluster.leader()
    cluster.world.wire.partition(*[[each.machine.network] for each in cluster.members])
    cluster.run_until(lambda: not any(each.is_leading for each in cluster.members))
    old.kill()
    cluster.heal()
    cluster.await_other_leader(old)
    cluster.send_request()


def test_the_clock_jumps_on_a_single_node(single):
    single.send_request()
    # Longer than the driver timeout too: neither clients nor drivers time out.
    for seconds in (8, 3600, 86_400, -7200):
        single.members[0].machine.clock.step_wall_clock(seconds * S)
        single.run_for(12 * S)
        single.send_request()
    assert single.members[0].is_leading
    assert single.members[0].errors == []
    assert single.members[0].start_count == 1
    assert single.journals[0].violations == []


def test_validation_invalidates_snapshots_lost_by_the_archive(cluster):
    cluster.send_request()
    cluster.snapshot()
    member = cluster.followers[0]
    lost = cluster.entries(member, EntryType.SNAPSHOT)
    for entry in lost:
        send_to_archive(member, PurgeRecordingRequest, recording_id=entry.recording_id)
    cluster.run_for(S)
    member.module.counters.node_toggle.set(NodeToggle.VALIDATE_RECORDING_LOG)
    cluster.run_until(lambda: cluster.snapshots(member) == [])
    assert len(cluster.snapshots(cluster.leader())) == 1
