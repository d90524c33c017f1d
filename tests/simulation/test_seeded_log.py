"""A log that begins with a snapshot of an earlier one, which stays in the archive."""

from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.recording_log_edit import seed_recording_log_from_snapshot
from tests.simulation.scenarios.rig import FILES, Scenario, sequence_of


def test_a_member_alone_starts_with_a_log_seeded_from_the_snapshot():
    with Scenario(members=1, checkers=()) as cluster:
        cluster.begin().send_request(9)
        cluster.snapshot()
        cluster.send_request(2)
        cluster.kill_all()
        (member,) = cluster.members
        seams = member.machine.start_process()
        seed_recording_log_from_snapshot(ClusterDirectory(FILES, seams))
        cluster.start()
        cluster.await_leader()
        assert sequence_of(member) == 9
        cluster.send_request(5)
        assert sequence_of(member) == 14
