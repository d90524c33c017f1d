"""ClusterTest: a cluster of three with members stopping and returning."""

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import MemberState
from tests.simulation.scenarios.rig import (
    S,
    Scenario,
    elections_of,
    is_active,
    sequence_of,
    snapshots_of,
    term_of,
)


def test_restarted_follower_starts_no_election_elsewhere(cluster):
    leader, (returning, other) = cluster.leader(), cluster.followers
    before = elections_of(leader), elections_of(other)
    returning.close()
    cluster.send_request()
    returning.start()
    cluster.await_equal()
    assert (elections_of(leader), elections_of(other)) == before
    assert cluster.leader() is leader


def test_a_client_is_notified_of_a_new_leader_and_term_counters_agree(cluster):
    cluster.send_request()
    old = cluster.leader()
    session = cluster.client.session
    session_id = session.cluster_session_id
    old.kill()
    new = cluster.await_other_leader(old)
    cluster.run_until(lambda: session.leader_member_id == new.member_id)
    old.start()
    cluster.await_equal()
    assert len({term_of(member) for member in cluster.members}) == 1
    assert cluster.client.session_count == 1
    assert session.cluster_session_id == session_id
    assert session.leadership_term_id == term_of(new)


def test_a_snapshot_is_loaded_by_all_when_all_were_stopped(cluster):
    cluster.send_request(10)
    cluster.snapshot()
    for member in cluster.members:
        member.close()
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    for member in cluster.members:
        assert len(cluster.snapshots(member)) == 1
        assert sequence_of(member) == 10


def test_standby_snapshot_is_not_taken_by_ordinary_nodes(cluster):
    cluster.send_request()
    assert cluster.leader().module.try_toggle(ControlToggle.STANDBY_SNAPSHOT)
    cluster.send_request()
    cluster.await_equal()
    assert [cluster.entries(each, EntryType.SNAPSHOT) for each in cluster.members] == [[]] * 3
    assert [snapshots_of(each) for each in cluster.members] == [0] * 3


def test_a_node_ends_if_its_service_throws_a_termination_on_a_message():
    class Ends(ReferenceService):
        def on_session_message(self, *_):
            raise AgentTerminationError("enough")

    with Scenario(services=Ends) as cluster:
        cluster.begin()
        cluster.client.send(Request(0, 0, Verb.NEXT).encode())
        cluster.await_all(lambda each: each.state is MemberState.ENDED, what="the end")


def test_all_members_receive_echoed_messages(cluster):
    cluster.send_request(20)
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [20] * 3


def test_leader_without_quorum_leads_again_once_a_follower_returns(cluster):
    cluster.send_request()
    old, (first, second) = cluster.leader(), cluster.followers
    first.kill()
    second.kill()
    cluster.run_until(lambda: not old.is_leading, what="the end of a leadership")
    first.start()
    assert cluster.await_leader() is old
    cluster.send_request()
    cluster.await_equal(old, first)


def test_leader_closing_in_order_is_replaced_soon(cluster):
    cluster.await_equal()  # a member that has not joined its log is not notified of an end
    old = cluster.leader()
    began_ns = cluster.now_ns
    old.close()
    cluster.await_other_leader(old)
    # Half the heartbeat timeout: the end of the leader's log was observed.
    assert cluster.now_ns - began_ns < S // 2
    cluster.send_request()


def test_a_new_leader_continues_echoing(cluster):
    cluster.send_request()
    cluster.leader().kill()
    cluster.send_request()
    cluster.await_equal(*[each for each in cluster.members if each.is_running])
    assert sequence_of(cluster.leader()) == 10


def test_an_old_leader_returns_as_a_follower(cluster):
    cluster.send_request()
    old = cluster.leader()
    old.kill()
    new = cluster.await_other_leader(old)
    old.start()
    cluster.await_equal()
    assert cluster.leader() is new
    assert not old.is_leading


def test_returned_leader_serves_after_the_new_leader_dies(cluster):
    old = cluster.leader()
    old.kill()
    new = cluster.await_other_leader(old)
    old.start()
    cluster.send_request()
    cluster.await_equal()
    new.kill()
    cluster.await_other_leader(new)
    cluster.send_request()
    rest = [each for each in cluster.members if each is not new]
    cluster.await_equal(*rest)
    assert [sequence_of(each) for each in rest] == [10] * 2


def test_wiped_follower_recovers_everything(cluster):
    cluster.send_request(10)
    wiped = cluster.followers[0]
    wiped.kill()
    cluster.send_request()
    cluster.start_blank(wiped)
    cluster.await_equal()
    assert sequence_of(wiped) == 15


def test_two_wiped_followers_recover_everything(cluster):
    cluster.send_request(10)
    wiped = cluster.followers
    for member in wiped:
        member.kill()
    for member in wiped:
        cluster.start_blank(member)
    cluster.await_leader()
    cluster.await_equal()
    cluster.send_request()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [15] * 3


def test_a_restarted_follower_takes_the_snapshot_during_catchup(cluster):
    cluster.send_request()
    away = cluster.followers[0]
    away.kill()
    cluster.snapshot(*[each for each in cluster.members if each is not away])
    cluster.send_request()
    away.start()
    cluster.await_equal()
    cluster.await_all(is_active)
    assert snapshots_of(away) == 1
    assert cluster.snapshots(away) == cluster.snapshots(cluster.leader())


def test_leaders_fail_one_after_the_other(cluster):
    for count in range(1, 4):
        old = cluster.await_leader()
        old.kill()
        cluster.await_other_leader(old)
        cluster.send_request()
        old.start()
        cluster.await_equal()
        assert [sequence_of(each) for each in cluster.members] == [5 * count] * 3
