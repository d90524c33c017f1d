"""ClusterNetworkPartitionTest: isolated members, and truncation of their uncommitted log."""

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.simulator.clients.reference import Request, Verb
from tests.simulation.scenarios.rig import MS, S, Scenario, appended, election_of, sequence_of

UNCOMMITTED = 1000  # requests from this number on belong to the lost tail
# Long: followers without a log for a while do not begin an election.
LONG_TIMEOUTS = {
    "leader_heartbeat_timeout_ns": 10 * S,
    "startup_canvass_timeout_ns": 20 * S,
    "election_timeout_ns": 5 * S,
}


def offer_uncommitted(cluster, count=5, padding=0):
    """Send messages that the leader appends and cannot commit."""
    for number in range(count):
        request = Request(0, UNCOMMITTED + number, Verb.PUSH, 1, padding=padding)
        cluster.client.send(request.encode())
    cluster.run_for(200 * MS)


def queues(cluster):
    return [len(each.services[0].state.queue) for each in cluster.members]


def keep_only(cluster, leader, *others):
    """Isolate a leader, together with these members and the clients, from the rest."""
    inside = [leader, *others, *cluster.clients]
    outside = [each for each in cluster.members if each not in inside]
    for one in inside:
        for other in outside:
            for pair in ((one, other), (other, one)):
                cluster.world.wire.block(*(each.machine.network for each in pair))


def cut_off(cluster, leader, *others):
    """Block traffic between members; clients reach all of them."""
    minority = [leader, *others]
    for one in minority:
        for other in cluster.members:
            if other not in minority:
                cluster.world.wire.block(one.machine.network, other.machine.network)
                cluster.world.wire.block(other.machine.network, one.machine.network)


def test_five_isolated_leader_with_client_traffic_returns_as_a_follower(five):
    five.send_request()
    old = five.leader()
    cut_off(five, old)
    offer_uncommitted(five)
    five.await_other_leader(old)
    five.heal()
    five.await_equal()
    # The first new leader, or one nominated in the meantime.
    assert five.leader() is not old
    assert queues(five) == [0] * 5
    five.send_request()


def test_five_the_tail_of_a_minority_is_lost_and_the_new_commit_passes_beyond(five):
    five.send_request()
    old = five.leader()
    other = five.followers[0]
    keep_only(five, old, other)
    offer_uncommitted(five)
    five.await_other_leader(old, other)
    five.heal()
    five.send_request(30, padding=200)
    five.await_equal()
    assert queues(five) == [0] * 5
    assert [sequence_of(each) for each in five.members] == [35] * 5


def test_five_the_tail_of_a_minority_is_lost_and_the_new_commit_stays_below(five):
    five.send_request()
    old = five.leader()
    other = five.followers[0]
    keep_only(five, old, other)
    offer_uncommitted(five, 20, padding=900)
    five.await_other_leader(old, other)
    five.heal()
    five.send_request(1)
    five.await_equal()
    assert queues(five) == [0] * 5
    assert [sequence_of(each) for each in five.members] == [6] * 5


def test_five_lagging_majority_catches_up_when_all_restart(five):
    five.send_request()
    behind = five.followers[:2]
    five.isolate(*behind)
    five.send_request(20, padding=1000)
    five.kill_all()
    five.heal()
    five.start()
    five.await_leader()
    five.await_equal()
    assert [sequence_of(each) for each in five.members] == [25] * 5


def test_five_lagging_members_catch_up_in_place(five):
    five.send_request()
    behind = five.followers[:2]
    five.isolate(*behind)
    five.send_request(20, padding=1000)
    five.heal()
    five.await_equal()
    assert [sequence_of(each) for each in five.members] == [25] * 5


def test_a_follower_does_not_hang_in_catch_up_while_nothing_can_be_committed(cluster):
    cluster.send_request()
    leader, (first, second) = cluster.leader(), cluster.followers
    first.kill()
    second.kill()
    offer_uncommitted(cluster, 10, padding=500)
    cluster.run_until(lambda: not leader.is_leading)
    first.start()
    cluster.await_equal(leader, first)
    second.start()
    cluster.await_equal()
    assert election_of(second) is ElectionState.CLOSED


def test_five_members_from_nothing_and_from_a_part_of_an_open_term_end_with_equal_logs(five):
    five.send_request()
    empty, part = five.followers[:2]
    part.kill()
    five.send_request()
    empty.kill()
    five.start_blank(empty)
    part.start()
    five.await_equal()
    five.send_request()
    five.await_equal()

    def terms(member):
        return [
            (entry.leadership_term_id, entry.term_base_log_position, entry.log_position)
            for entry in five.entries(member)
        ]

    five.await_all(lambda each: terms(each) == terms(five.leader()), what="equal recording logs")


def append_uncommitted(cluster, leader, *followers, count=40, padding=500):
    """Append to the logs of a leader and these followers, without a majority."""
    others = [each for each in cluster.followers if each not in followers]
    cluster.block_log(leader, *others)
    committed = leader.commit_position
    offer_uncommitted(cluster, count, padding)
    cluster.run_until(
        lambda: not cluster.client.outbox and len({*map(appended, (leader, *followers))}) == 1
    )
    assert appended(leader) > committed == leader.commit_position
    return committed


def test_five_a_fast_follower_replays_no_further_than_the_commit_position():
    with Scenario(members=5, module=LONG_TIMEOUTS) as five:
        five.begin().send_request()
        leader, fast = five.leader(), five.followers[0]
        committed = append_uncommitted(five, leader, fast)
        fast.close()
        fast.start()
        five.run_until(lambda: fast.commit_position == committed, what="the replay")
        for _ in range(3):
            five.run_for(100 * MS)
            # Alternate until more is committed.
            assert election_of(fast) in (ElectionState.CANVASS, ElectionState.FOLLOWER_REPLAY)
            assert fast.commit_position == committed
        assert fast.services[0].state.queue == []
        five.heal()
        five.run_until(lambda: queues(five) == [40] * 5, what="the tail")
        five.await_equal()
        assert five.leader() is leader


def test_five_a_fast_followers_tail_is_lost_when_the_others_elect_another_leader(five):
    five.send_request()
    leader, fast = five.leader(), five.followers[0]
    append_uncommitted(five, leader, fast)
    fast.close()
    five.isolate(leader)
    five.await_other_leader(leader)
    five.heal()
    fast.start()
    five.await_equal()
    assert queues(five) == [0] * 5
    five.send_request()


@pytest.mark.parametrize("missing", [16 * 1024, 32 * 1024])
def test_five_a_majority_a_quarter_or_half_a_term_behind_is_healed_in_place(missing):
    # A follower joins the live log within a quarter of a term, here 16 KiB.
    with Scenario(members=5, module=LONG_TIMEOUTS) as five:
        five.begin().send_request()
        five.snapshot()
        leader = five.leader()
        count = 1 + missing // 1024
        committed = append_uncommitted(five, leader, count=count, padding=1024)
        assert appended(leader) - committed > missing
        five.heal()
        five.run_until(lambda: queues(five) == [count] * 5, what="the missing log")
        five.await_equal()
        assert five.leader() is leader
