"""Snapshots of other members: recorded, copied on request or at the next start, and loaded."""

import pytest

from aeron_cluster.cluster.state.control_toggle import NodeToggle
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.codecs.archive import PurgeRecordingRequest
from aeron_cluster.codecs.cluster import StandbySnapshot
from tests.simulation.scenarios.rig import FILES, MS, S, Scenario, send_to_archive, snapshots_of

VERSION = 3 << 8


@pytest.fixture
def cluster():
    with Scenario(seed=11, module={"accept_standby_snapshots": True}) as cluster:
        yield cluster.begin()


def await_soon(cluster, holds):
    """Wait for a condition that needs reads of files."""
    for _ in range(100):
        if holds():
            return
        cluster.run_for(100 * MS)
    raise AssertionError("not within 10 s")


def lose_snapshot(cluster, member):
    """Remove a member's snapshot and offer it the leader's."""
    own = cluster.entries(member, EntryType.SNAPSHOT)
    for entry in own:
        send_to_archive(member, PurgeRecordingRequest, recording_id=entry.recording_id)
    cluster.run_for(S)
    member.module.counters.node_toggle.set(NodeToggle.VALIDATE_RECORDING_LOG)
    await_soon(cluster, lambda: cluster.snapshots(member) == [])
    leader = cluster.leader()
    answered = f"aeron:udp?endpoint={leader.machine.name}:7777"
    leader.module._conductor._aeron.async_add_subscription(answered, 108)
    offer = StandbySnapshot.encode(
        correlation_id=1,
        version=VERSION,
        response_stream_id=108,
        snapshots=[
            StandbySnapshot.Snapshots(
                recording_id=entry.recording_id,
                leadership_term_id=entry.leadership_term_id,
                term_base_log_position=entry.term_base_log_position,
                log_position=entry.log_position,
                timestamp=entry.timestamp,
                service_id=entry.service_id,
                archive_endpoint=f"{leader.machine.name}:{9005 + 10 * leader.member_id}",
            )
            for entry in cluster.entries(leader, EntryType.SNAPSHOT)
        ],
        response_channel=answered,
        encoded_credentials=b"",
    )
    # On the leader's consensus stream: only the authenticator accepts queries.
    assert leader.module._conductor._link.send(member.member_id, offer)


def noted(cluster, member):
    return cluster.entries(member, EntryType.STANDBY_SNAPSHOT)


def test_an_offered_snapshot_is_copied_on_request(cluster):
    cluster.send_request()
    cluster.snapshot()
    cluster.send_request()
    member = cluster.followers[0]
    (position,) = cluster.snapshots(member)
    lose_snapshot(cluster, member)
    before = snapshots_of(member)
    await_soon(cluster, lambda: len(noted(cluster, member)) == 2)
    member.module.counters.node_toggle.set(NodeToggle.REPLICATE_STANDBY_SNAPSHOT)
    await_soon(cluster, lambda: cluster.snapshots(member) == [position])
    assert snapshots_of(member) == before + 1
    # It is usable for a start.
    member.kill()
    member.start()
    cluster.send_request()
    cluster.await_equal()


def test_recorded_standby_snapshot_is_copied_at_the_next_start(cluster):
    cluster.send_request()
    cluster.snapshot()
    member = cluster.followers[0]
    (position,) = cluster.snapshots(member)
    lose_snapshot(cluster, member)
    await_soon(cluster, lambda: len(noted(cluster, member)) == 2)
    member.kill()
    member.start()
    await_soon(cluster, lambda: cluster.snapshots(member) == [position])
    cluster.send_request()
    cluster.await_equal()


def test_unresponsive_archive_is_reported_and_the_start_continues(cluster):
    cluster.send_request()
    member = cluster.followers[0]
    member.kill()
    with RecordingLog(member.machine.files, f"{FILES}/cluster") as log:
        for service_id in (0, -1):
            log.append_snapshot(7, 0, 0, 64, 0, service_id, "node9:8010")
    member.start()
    cluster.send_request()
    cluster.await_equal()
    assert any("no standby's snapshot could be copied" in str(each) for each in member.errors)
