"""Services requested to join logs: replays, catch-ups, and logs that have already ended."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from tests.simulation.scenarios.rig import (
    MS,
    S,
    Scenario,
    Slow,
    appended,
    election_of,
    has_log_image,
    sequence_of,
    snapshots_of,
)


class Watched(Slow):
    """A slow service during whose work a function is called repeatedly."""

    while_waiting = None

    def wait(self, duration_ns):
        until_ns = self.scenario.now_ns + duration_ns
        while self.scenario.now_ns < until_ns:
            self._cluster.idle()
            if self.while_waiting is not None:
                self.while_waiting()


def out_of_sequence(member):
    return [error for error in member.errors if "out of sequence" in str(error)]


def test_a_replay_takes_the_snapshots_of_all_terms_it_passes():
    """The module derives an action's term from the snapshot it started from."""
    with Scenario() as cluster:
        cluster.begin().send_request()
        cluster.snapshot()
        failing = cluster.followers[0]
        failing.service_faults.fails_snapshot = True
        others = [member for member in cluster.members if member is not failing]
        cluster.snapshot(*others)
        failing.service_faults.fails_snapshot = False
        cluster.send_request()
        first = cluster.leader()
        first.kill()
        cluster.await_other_leader(first)
        first.start()
        cluster.await_equal()
        cluster.send_request()
        cluster.restart_all()
        assert snapshots_of(failing) == 1
        assert [out_of_sequence(member) for member in cluster.members] == [[], [], []]
        cluster.send_request()
        cluster.await_equal()


def test_log_of_a_lost_leader_is_abandoned_before_the_services_finish_it():
    """A member that keeps waiting would be missing in the next election."""
    a_message_at_a_time = {"service_container": {"log_fragment_limit": 1}}
    with Scenario(
        services=Watched, module={"appointed_leader_id": 0}, options=a_message_at_a_time
    ) as cluster:
        cluster.begin().send_request()
        leader, slow, other = cluster.members

        def lose_the_leader_during_a_join():
            # It is to lead again, so it has recorded its term, as the follower has.
            is_ready = election_of(leader) is ElectionState.LEADER_READY
            is_joining = election_of(slow) is ElectionState.FOLLOWER_LOG_AWAIT
            if is_ready and is_joining and has_log_image(slow):
                slow.services[0].service.while_waiting = None
                other.kill()
                leader.kill()
                leader.start()

        slow.services[0].service.delay_ns = 100 * MS
        cluster.send_request(100)
        leader.kill()
        leader.start()
        service = slow.services[0].service
        service.while_waiting = lose_the_leader_during_a_join
        cluster.run_until(lambda: service.while_waiting is None, what="a join")
        cluster.await_leader()
        assert any("before the services joined its log" in str(each) for each in slow.errors)
        other.start()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [105] * 3
        assert [out_of_sequence(member) for member in cluster.members] == [[], [], []]


@pytest.mark.parametrize(
    "state", [ElectionState.FOLLOWER_CATCHUP_AWAIT, ElectionState.FOLLOWER_CATCHUP]
)
def test_follower_killed_during_catchup_soon_catches_up_again(state):
    """The leader's driver still has the previous replay, with the same session."""
    timeouts = {"leader_heartbeat_timeout_ns": 10 * S, "startup_canvass_timeout_ns": 60 * S}
    with Scenario(module=timeouts) as cluster:
        cluster.begin().send_request()
        behind = cluster.followers[0]
        behind.kill()
        cluster.send_request(200, padding=1000)
        behind.start()
        cluster.run_until(lambda: election_of(behind) is state, what="a catch-up")
        behind.kill()
        behind.start()
        began_ns = cluster.now_ns
        cluster.await_equal()
        assert cluster.now_ns - began_ns < 3 * S


def test_the_copied_log_of_the_term_counts_before_it_is_read():
    """Nothing of the term is committed, so it cannot read the term's first entry before."""
    timeouts = {"leader_heartbeat_timeout_ns": 10 * S, "startup_canvass_timeout_ns": 60 * S}
    with Scenario(module={**timeouts, "appointed_leader_id": 0}) as cluster:
        cluster.begin().send_request()
        cluster.await_equal()
        leader, behind, other = cluster.members
        cluster.kill_all()
        leader.start()
        other.start()
        cluster.run_until(
            lambda: election_of(leader) is ElectionState.CANDIDATE_BALLOT, timeout_ns=100 * S
        )
        # From when it receives the log, until the leader learns that and appends to it.
        while not has_log_image(other):
            cluster.run_for(MS // 50)
        cluster.block_log(leader, other)
        cluster.await_leader()
        other.kill()
        term_base = leader.commit_position
        assert term_base < appended(leader)
        behind.start()
        began_ns = cluster.now_ns
        cluster.run_until(lambda: leader.commit_position > term_base, timeout_ns=100 * S)
        assert cluster.now_ns - began_ns < 3 * S
        assert behind.errors == []


def catchups_of(leader):
    return leader.module._conductor._running._leadership._catchups


def behind_of(cluster, requests, padding=100):
    """Start a follower that lacks some requests; return it and its leader."""
    cluster.begin().send_request()
    behind, leader = cluster.followers[0], cluster.leader()
    behind.kill()
    cluster.send_request(requests, padding=padding)
    return behind, leader


def test_the_end_of_a_replay_is_not_that_of_an_image_without_the_live_log():
    with Scenario() as cluster:
        behind, leader = behind_of(cluster, 20)
        behind.start()
        cluster.block_log(leader, behind)
        cluster.run_until(
            lambda: election_of(behind) is ElectionState.FOLLOWER_CATCHUP_AWAIT, what="a replay"
        )
        catchups = catchups_of(leader)
        link, catchups._link = catchups._link, SimpleNamespace(send=lambda *_: False)
        cluster.run_for(S // 4)
        catchups._link = link  # StopCatchup arrives from now on
        cluster.run_until(
            lambda: election_of(behind) is ElectionState.CLOSED, what="the end of a catch-up"
        )
        cluster.world.wire.heal()
        cluster.send_request()
        cluster.await_equal()
        assert behind.errors == []


def test_services_read_what_the_module_read_of_a_revoked_replay(monkeypatch):
    """A leader that is deposed ends its replays."""
    timeouts = {"leader_heartbeat_timeout_ns": 10 * S, "startup_canvass_timeout_ns": 60 * S}
    a_message_at_a_time = {"service_container": {"log_fragment_limit": 1}}
    with Scenario(services=Slow, module=timeouts, options=a_message_at_a_time) as cluster:
        behind, leader = behind_of(cluster, 400, padding=1200)
        behind.start()
        cluster.block_log(leader, behind)
        monkeypatch.setattr(Slow, "delay_ns", S)
        cluster.run_until(
            lambda: election_of(behind) is ElectionState.FOLLOWER_CATCHUP_AWAIT, what="a replay"
        )
        cluster.run_until(lambda: behind.commit_position > 10_000, what="a catch-up")
        catchups_of(leader).stop_all()
        cluster.run_until(lambda: behind.errors, what="the end of the image")
        cluster.run_for(3 * S)
        cluster.world.wire.heal()
        monkeypatch.setattr(Slow, "delay_ns", 0)
        cluster.await_equal()
        assert sequence_of(behind) == 405
