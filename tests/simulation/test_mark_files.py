"""The mark files of a member, which tools and other processes read to see whether it is alive."""

import itertools
import struct

from aeron_cluster.cluster.state.recording_log import EntryType
from tests.simulation.scenarios.rig import FILES, MS, S, Scenario

ACTIVITY_OFFSET = 16  # activityTimestamp of the mark file's header
NAMES = ("cluster-mark.dat", "cluster-mark-service-0.dat")


class Emptied(Scenario):
    """A member that begins with an empty cluster directory, if requested."""

    is_emptied = False

    def node_options(self, member):
        options = super().node_options(member)
        options["consensus_module"]["delete_dir_on_start"] = self.is_emptied
        # A module does not start beside an archive with a log that it does not know.
        options.setdefault("archive", {})["dir_delete_on_start"] = self.is_emptied
        return options


def test_the_mark_files_of_module_and_container_are_updated_once_a_second():
    # Upstream: MARK_FILE_UPDATE_INTERVAL_NS, of the module as of the containers.
    with Scenario(members=1) as cluster:
        cluster.start()
        cluster.await_leader()
        files = cluster.members[0].machine.files
        seen = {name: [] for name in NAMES}
        end_ns = cluster.now_ns + 6 * S
        while cluster.now_ns < end_ns:
            cluster.run_for(MS)
            for name, updates in seen.items():
                data = files.read(f"{FILES}/cluster/{name}")
                (timestamp_ms,) = struct.unpack_from("<q", data, ACTIVITY_OFFSET)
                if not updates or updates[-1][0] != timestamp_ms:
                    updates.append((timestamp_ms, cluster.now_ns))
        for updates in seen.values():
            assert 6 <= len(updates) <= 7
            # The first one was written before it was read.
            for (before_ms, before_ns), (after_ms, after_ns) in itertools.pairwise(updates[1:]):
                assert 1000 <= after_ms - before_ms <= 1010
                assert 999 * MS <= after_ns - before_ns <= 1011 * MS


def terms_of(cluster):
    return [
        entry.leadership_term_id for entry in cluster.entries(cluster.members[0], EntryType.TERM)
    ]


def test_a_module_begins_with_an_empty_directory_if_requested():
    with Emptied(members=1, checkers=()) as cluster:
        cluster.start()
        cluster.await_leader()
        cluster.restart_all()
        assert terms_of(cluster) == [0, 1]
        cluster.is_emptied = True
        cluster.restart_all()
        assert cluster.members[0].failure is None
        assert terms_of(cluster) == [0]
