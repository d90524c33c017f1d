"""ClusterTest: logs that are trimmed, begun anew, or whose recording stops."""

import zlib

from aeron_cluster.archive.catalog import Catalog
from aeron_cluster.archive.segments import segment_bases
from aeron_cluster.cluster.control_toggle import ControlToggle
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.recording_log_edit import seed_recording_log_from_snapshot
from aeron_cluster.codecs.archive import PurgeSegmentsRequest, StopRecordingByIdentityRequest
from aeron_cluster.simulator.reference import Reference
from tests.simulation.scenarios.rig import (
    FILES,
    Scenario,
    elections_of,
    sequence_of,
    tell_archive,
)

SEGMENT_LENGTH = 256 * 1024


def first_segment(member, recording_id):
    """Return the position at which a member's recording begins, as its files have it."""
    return segment_bases(member.machine.files, f"{FILES}/archive", recording_id)[0]


def trim(cluster):
    """Have all archives purge the log up to the segment that holds the latest snapshot."""
    for member in cluster.members:
        (position,) = cluster.snapshots(member)
        base = position - position % SEGMENT_LENGTH
        assert base > 0
        recording_id = cluster.log_recording(member)
        tell_archive(
            member, PurgeSegmentsRequest, recording_id=recording_id, new_start_position=base
        )
        cluster.run_until(
            lambda m=member, r=recording_id, b=base: first_segment(m, r) == b, what="the purge"
        )


def test_a_log_that_was_trimmed_at_its_front_is_gone_on_with(cluster):
    cluster.ask(70, padding=4000)
    cluster.snapshot()
    trim(cluster)
    cluster.end(ControlToggle.ABORT)
    cluster.start()
    cluster.await_leader()
    cluster.await_equal()
    assert [sequence_of(member) for member in cluster.members] == [70] * 3
    cluster.ask()
    cluster.await_equal()


def test_a_member_that_is_behind_catches_up_when_the_log_was_trimmed_at_the_snapshot(cluster):
    cluster.ask(70, padding=4000)
    cluster.snapshot()
    trim(cluster)
    old = cluster.leader()
    old.kill()
    cluster.await_other_leader(old)
    cluster.ask(20, padding=4000)
    old.start()
    cluster.await_equal()
    assert sequence_of(old) == 90


def test_a_single_node_whose_log_recording_is_stopped_elects_itself_again(single):
    single.ask()
    (leader,) = single.members
    before = elections_of(leader)
    tell_archive(leader, StopRecordingByIdentityRequest, recording_id=single.log_recording(leader))
    single.run_until(lambda: elections_of(leader) > before, what="an election")
    single.run_until(lambda: leader.is_leading, what="the leader")
    single.drop_client()
    single.ask()
    assert sequence_of(leader) == 10


class Checksum(Reference):
    """Keeps a checksum of all that it was told."""

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        self.state.register = zlib.crc32(bytes(message), self.state.register)


def test_term_length_and_mtu_change_with_a_log_that_is_seeded_from_the_snapshot():
    # What comes before the snapshot stays, what comes behind it is given up with the old log.
    with Scenario(
        services=(Reference, Checksum),
        module={"log_channel": "aeron:udp?term-length=64k|mtu=1408"},
        checkers=(),
    ) as cluster:
        cluster.begin().ask(9, padding=7000)
        cluster.snapshot()
        kept = [member.services[1].state.register for member in cluster.members]
        cluster.ask(11, padding=7000)
        cluster.kill_all()
        for member in cluster.members:
            seams = member.machine.start_process()
            seed_recording_log_from_snapshot(ClusterDirectory(FILES, seams))
        cluster.options["consensus_module"]["log_channel"] = "aeron:udp?term-length=128k|mtu=8192"
        cluster.start()
        cluster.await_leader()
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [9] * 3
        assert [member.services[1].state.register for member in cluster.members] == kept
        cluster.ask(5, padding=7000)
        cluster.await_equal()
        assert [sequence_of(member) for member in cluster.members] == [14] * 3
        assert len({member.services[1].state.register for member in cluster.members}) == 1
        for member in cluster.members:
            with Catalog(
                member.machine.files.copy(FILES), f"{FILES}/archive", writable=False
            ) as catalog:
                log = catalog.get(cluster.log_recording(member)).descriptor
            assert (log.term_buffer_length, log.mtu_length) == (128 * 1024, 8192)
