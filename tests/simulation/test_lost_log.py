"""A follower that missed more log than is retransmitted; a leader whose recording stopped."""

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.codecs.archive import StopRecordingByIdentityRequest
from tests.simulation.scenarios.rig import (
    MS,
    S,
    Scenario,
    appended,
    elections_of,
    is_active,
    send_to_archive,
    state_of,
)

TERM_LENGTH = 65536
IMAGE_LIVENESS_S = 10


def test_a_follower_replays_the_rest_before_its_image_ends():
    with Scenario() as cluster:
        cluster.begin().send_request()
        leader, (late, other) = cluster.leader(), cluster.followers
        before = elections_of(leader), elections_of(late), elections_of(other)
        missed = appended(late)
        cluster.block_log(leader, late)
        cluster.send_request(60, padding=1000)
        cluster.heal()
        assert appended(late) == missed
        assert appended(leader) > missed + TERM_LENGTH // 2 + TERM_LENGTH // 8
        healed_ns = cluster.now_ns
        cluster.await_equal()
        assert cluster.now_ns - healed_ns < IMAGE_LIVENESS_S * S // 3
        cluster.send_request()
        cluster.await_equal()
        assert cluster.leader() is leader
        assert (elections_of(leader), elections_of(other)) == (before[0], before[2])
        assert elections_of(late) == before[1] + 1


def stop_recording(cluster, member):
    recording_id = cluster.log_recording(member)
    send_to_archive(member, StopRecordingByIdentityRequest, recording_id=recording_id)


def test_leader_with_a_recording_stopped_in_a_snapshot_elects():
    with Scenario() as cluster:
        cluster.begin().send_request()
        old = cluster.leader()
        before = elections_of(old)
        cluster.isolate(old)  # its requests to its services are not committed
        assert old.module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.run_until(lambda: state_of(old) is ConsensusModuleState.SNAPSHOT, what="a snapshot")
        stop_recording(cluster, old)
        cluster.run_for(100 * MS)
        cluster.heal()
        cluster.run_until(lambda: elections_of(old) > before, what="an election")
        cluster.await_leader()
        cluster.send_request()
        cluster.await_equal()
        cluster.snapshot()


def test_leader_with_a_recording_stopped_while_suspended_elects():
    with Scenario() as cluster:
        cluster.begin().send_request()
        old = cluster.leader()
        before = elections_of(old)
        assert old.module.try_toggle(ControlToggle.SUSPEND)
        cluster.await_all(lambda each: state_of(each) is ConsensusModuleState.SUSPENDED)
        stop_recording(cluster, old)
        cluster.run_until(lambda: elections_of(old) > before, what="an election")
        cluster.await_leader()
        cluster.run_until(lambda: cluster.leader().module.try_toggle(ControlToggle.RESUME))
        cluster.await_all(is_active)
        cluster.send_request()
        cluster.await_equal()
