"""Backups of simulated clusters, even if killed at any call, are a prefix of the committed log."""

import errno
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.cluster.backup.events import BackupEventsListener
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.restore import restore
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    DirectoryInUseError,
    InvariantError,
    MissingFileError,
    StateError,
)
from aeron_cluster.memory.system.seams import Seams, SeededRandom
from aeron_cluster.simulator.checks.backup_invariants import BackupsArePrefixes
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.faults.disk_events import FlipRecordedBit
from aeron_cluster.simulator.world.processes import ProcessTable
from tests.conftest import SEED
from tests.simulation.scenarios.rig import FILES, MS, S, Scenario

OPTIONS = {
    "backup": {
        "backup_interval_ns": 2 * S,
        "backup_cool_down_interval_ns": S,
        "backup_response_timeout_ns": S,
    }
}


@dataclass
class Copy:
    """The content of a backup's or a member's disk."""

    log: list[tuple[int, bytes]]
    snapshots: dict[tuple[int, int], list[bytes]]


def read_copy(files):
    """Read the log and snapshots up to the last written frame."""
    copy = files.copy(FILES)
    if not copy.is_file(f"{FILES}/cluster/recording.log"):
        return Copy([], {})
    with RecordingLog(copy, f"{FILES}/cluster", writable=False) as log:
        entries = log.entries
        recording_id = log.find_last_term_recording_id()
    if recording_id < 0:
        return Copy([], {})
    archive = f"{FILES}/archive"
    with Catalog(copy, archive, writable=False) as catalog:

        def read(each):
            return list(read_recording(copy, archive, catalog.get(each).descriptor))

        return Copy(
            [(position, data) for data, position in read(recording_id)],
            {
                (entry.log_position, entry.service_id): [
                    data for data, _ in read(entry.recording_id)
                ]
                for entry in entries
                if entry.is_valid_snapshot
            },
        )


class Backed(Scenario):
    """A cluster and a backup of it."""

    def __init__(self, seed, **module):
        self.watch = BackupsArePrefixes(S)
        super().__init__(
            seed,
            module=module,
            options={"archive": {"segment_file_length": 64 * 1024}},
            checkers=[*standard_checkers(), self.watch],
        )

    def begin(self):
        super().begin()
        self.backup = self.add_backup(options=OPTIONS)
        return self

    def await_backed_up(self):
        """Wait until the backup has the current commit position and the newest snapshot."""
        position = self.leader().commit_position
        snapshots = self.snapshots(self.leader())

        for _ in range(120):
            if not self.backup.process.is_running:
                self.backup.process.start()
            self.run_for(500 * MS)
            if (
                self.backup.live_log_position >= position
                and self.backup.backup.state is BackupState.BACKING_UP
                and snapshots[-1:] == self.snapshots(self.backup)[-1:]
            ):
                return
        raise AssertionError(f"expected log up to {position}, {snapshots}, found {self.backup}")

    def restore(self, member):
        """Restore the ended backup to a stopped member and start it."""
        return restore(FILES, FILES, seams=seams_of(member), backup_seams=seams_of(self.backup))


def seams_of(process):
    """Return the seams of a tool on an ended process's machine."""
    return process.machine.start_process()


def blank(member):
    files = member.machine.files
    files.remove_tree(FILES)
    files.make_directory(FILES)


class Events(BackupEventsListener):
    """Collects the events of a backup; one of the callbacks raises."""

    def __init__(self):
        self.seen = []

    def on_backup_query(self):
        self.seen.append(("query",))

    def on_possible_failure(self, error):
        self.seen.append(("failure", error))

    def on_backup_response(self, members, log_source, snapshots_to_retrieve):
        positions = {each.log_position for each in snapshots_to_retrieve}
        self.seen.append(("response", len(members), log_source in members, positions))
        raise ValueError("of a listener")

    def on_updated_recording_log(self, recording_log, snapshots_retrieved):
        positions = {each.log_position for each in snapshots_retrieved}
        terms = len([each for each in recording_log.entries if each.is_valid_term])
        self.seen.append(("updated", terms, positions))

    def on_live_log_progress(self, *values):
        _recording_id, _counter_id, log_position = values
        self.seen.append(("progress", log_position))

    def named(self, name):
        return [each[1:] for each in self.seen if each[0] == name]


def test_a_listener_sees_the_rounds_of_a_backup():
    events = Events()
    with Backed(11).begin() as cluster:
        cluster.backup.process.close()
        cluster.send_request()
        cluster.snapshot()
        options = OPTIONS["backup"] | {"events_listener": events}
        cluster.backup = cluster.add_backup(options={"backup": options})
        cluster.await_backed_up()
        (position,) = {each for each, _ in read_copy(cluster.backup.machine.files).snapshots}
        first = [each[0] for each in events.seen[:3]]
        assert first == ["query", "response", "updated"]
        assert events.named("response")[0] == (3, True, {position})
        assert events.named("updated")[0] == (1, {position})
        cluster.send_request()
        cluster.await_backed_up()
        progress = [each for (each,) in events.named("progress")]
        assert progress == sorted(set(progress))
        assert progress[-1] == cluster.backup.live_log_position
        assert events.named("failure") == []
        # Its source ends: the round fails, and the next one copies no snapshot again.
        source = cluster.backup.backup._backup._live.member_id
        cluster.members[source].kill()
        cluster.run_for(20 * S)
        assert len(events.named("failure")) >= 1
        assert events.named("response")[-1][2] == set()


def test_a_blank_member_starts_from_a_backup():
    with Backed(5).begin() as cluster:
        cluster.send_request()
        cluster.snapshot()
        cluster.send_request()
        cluster.await_backed_up()
        cluster.watch.conclude(cluster)
        cluster.backup.process.close()
        member = cluster.followers[0]
        member.kill()
        cluster.send_request()
        blank(member)
        restored = cluster.restore(member)
        assert restored.snapshot_position == cluster.snapshots(member)[-1]
        assert restored.log_position == read_copy(member.machine.files).log[-1][0]
        assert restored.kept == ""
        member.start()
        cluster.await_equal()
        cluster.send_request()
        cluster.await_equal()


def test_lagging_member_starts_from_a_backup_and_retains_its_votes():
    with Backed(6).begin() as cluster:
        cluster.send_request()
        away = cluster.followers[0]
        away.kill()
        node_state = away.machine.files.read(f"{FILES}/cluster/node-state.dat")
        cluster.send_request(80, padding=1200)
        cluster.snapshot(*cluster.followers, cluster.leader())
        cluster.send_request()
        cluster.await_backed_up()
        cluster.backup.process.close()
        restored = cluster.restore(away)
        assert restored.kept == f"{FILES}/archive.before-restore"
        # Its vote is not lost.
        assert away.machine.files.read(f"{FILES}/cluster/node-state.dat") == node_state
        away.start()
        cluster.await_equal()
        # A second restore changes nothing.
        away.close()
        with pytest.raises(StateError, match="earlier restore"):
            cluster.restore(away)
        away.machine.files.remove_tree(f"{FILES}/archive.before-restore")
        with pytest.raises(StateError, match="all that the backup has"):
            cluster.restore(away)
        away.start()
        cluster.await_equal()


@pytest.fixture(scope="module")
def disks():
    """Return the disks of an ended backup and of a member that lags behind it."""
    with Backed(7).begin() as cluster:
        cluster.send_request()
        away = cluster.followers[0]
        away.close()
        cluster.send_request()
        cluster.snapshot(*cluster.followers, cluster.leader())
        cluster.send_request()
        cluster.await_backed_up()
        cluster.backup.process.close()
        return cluster.backup.machine.files.copy(FILES), away.machine.files.copy(FILES)


@pytest.fixture
def places(disks):
    """Return copies of both disks, and a function that restores from one to the other."""
    backup, member = (each.copy(FILES) for each in disks)
    processes = ProcessTable().spawn()

    def run(source=FILES, directory=FILES):
        return restore(
            source,
            directory,
            seams=Seams(files=member, processes=processes),
            backup_seams=Seams(files=backup, processes=processes),
        )

    return SimpleNamespace(backup=backup, member=member, run=run)


def test_a_restore_killed_at_any_call_starts_again(disks, places):
    wanted = read_copy(disks[0])
    before = read_copy(disks[1])
    assert len(before.log) < len(wanted.log)
    count = places.member.call_count
    places.run()
    assert read_copy(places.member) == wanted
    random = SeededRandom(SEED)
    calls = places.member.call_count - count
    # The last calls move the copied files to their place.
    for call in [1 + random.below(calls) for _ in range(8)] + list(range(calls - 14, calls)):
        places.member = member = disks[1].copy(FILES)
        seams = Seams(files=member, processes=ProcessTable().spawn())
        member.stop_after(call)
        with pytest.raises(OSError, match="Errno 5"):
            restore(FILES, FILES, seams=seams, backup_seams=Seams(files=places.backup))
        member.end_process()
        found = read_copy(member)
        assert found in (before, wanted, Copy([], {})), f"killed at call {call} of {calls}"
        assert member.is_file(f"{FILES}/cluster/node-state.dat")
        if found != wanted:
            restore(FILES, FILES, seams=seams, backup_seams=Seams(files=places.backup))
        assert read_copy(member) == wanted


def test_a_damaged_backup_is_rejected_and_the_member_is_as_it_was(disks, places):
    archive = f"{FILES}/archive"
    for name in places.backup.list(archive):
        if not name.endswith(".rec"):
            continue
        damaged = disks[0].copy(FILES)
        with damaged.open(f"{archive}/{name}", write=True) as file:
            file.write_at(b"\xff\xff\xff\x7f", 0)
        with pytest.raises(CorruptError):
            restore(
                FILES,
                FILES,
                seams=Seams(files=places.member),
                backup_seams=Seams(files=damaged),
            )
    assert read_copy(places.member) == read_copy(disks[1])
    assert places.member.list(FILES) == disks[1].list(FILES)


def test_foreign_and_newer_directories_are_left_unchanged(places):
    member = places.member
    member.make_directory("/other")
    member.replace("/other/notes.txt", b"mine")
    with pytest.raises(ConfigurationError, match=r"notes\.txt"):
        places.run(directory="/other")
    with pytest.raises(ConfigurationError, match="directory"):
        places.run(directory="/other/notes.txt")
    with pytest.raises(MissingFileError):
        places.run(source="/nowhere")
    with pytest.raises(ConfigurationError, match="another directory"):
        restore(FILES, FILES, seams=Seams(files=places.backup))
    assert member.list("/other") == ["notes.txt"]
    # The data of another cluster: a term with a different base.
    with RecordingLog(member, f"{FILES}/cluster") as log:
        log.append_term(log.find_last_term_recording_id(), 7, 1 << 30, 0)
    with RecordingLog(places.backup, f"{FILES}/cluster") as log:
        log.append_term(log.find_last_term_recording_id(), 7, 1 << 20, 0)
    with pytest.raises(StateError, match="another cluster's"):
        places.run()


def test_a_restore_from_or_to_a_running_member_is_rejected():
    with Backed(5).begin() as cluster:
        cluster.send_request()
        cluster.await_backed_up()
        seams = Seams(files=cluster.backup.machine.files, clock=cluster.backup.machine.clock)
        with pytest.raises(DirectoryInUseError, match="stop"):
            restore(FILES, "/other", seams=seams)
        assert not cluster.backup.machine.files.exists("/other")


def test_a_backup_killed_at_any_call_resumes():
    random = SeededRandom(SEED)
    with Backed(SEED).begin() as cluster:
        for _ in range(8):
            cluster.send_request(6, padding=random.below(3000))
            if random.below(3) == 0:
                cluster.snapshot()
            cluster.backup.process.stop_after(1 + random.below(1500))
            cluster.run_for((1 + random.below(3)) * S)
            if not cluster.backup.process.is_running:
                cluster.backup.process.start()
        cluster.await_backed_up()
        cluster.watch.conclude(cluster)


def test_error_is_reported_even_if_its_log_cannot_store_it():
    with Backed(SEED).begin() as cluster:
        backup, errors = cluster.backup.backup, cluster.backup.errors
        cluster.backup.machine.files.fail("write_at", errno.EIO)
        backup.context.error_handler(ValueError("bad"))
        failure, error = errors[-2:]
        assert failure.errno == errno.EIO
        assert str(error) == "bad"


def test_differing_backup_is_detected():
    with Backed(5).begin() as cluster:
        cluster.send_request()
        cluster.await_backed_up()
        cluster.watch.conclude(cluster)
        files = cluster.backup.machine.files
        message = FlipRecordedBit(0, 0, choice=1, down_ns=0)
        files.flip_bit(*message._choose(files.copy(FILES), SeededRandom(1)))
        with pytest.raises(InvariantError, match="a backup is a prefix"):
            cluster.watch.conclude(cluster)


def test_a_backup_continues_with_another_member():
    with Backed(8).begin() as cluster:
        cluster.send_request()
        cluster.await_backed_up()
        for member in cluster.members:
            cluster.drop_client()
            member.kill()
            cluster.await_leader()
            cluster.send_request()
            cluster.await_backed_up()
            member.start()
        cluster.watch.conclude(cluster)


def test_a_backup_joins_a_live_log_at_any_port():
    with Backed(10) as cluster:
        Scenario.begin(cluster)
        cluster.send_request()
        # It binds no port reserved for the log while messages arrive all the time.
        assert "endpoint" not in OPTIONS["backup"]
        cluster.backup = cluster.add_backup(options=OPTIONS)
        while cluster.backup.live_log_position <= 0:
            cluster.send_request(3, padding=2000)
        cluster.await_backed_up()


def test_log_and_snapshots_written_during_a_backup_are_in_it():
    with Backed(12).begin() as cluster:
        cluster.send_request(20, padding=1000)
        cluster.await_backed_up()
        for _ in range(3):
            cluster.send_request(20, padding=1000)
        cluster.snapshot()
        cluster.send_request()
        # The snapshot is copied since the next query; the log since it is live.
        cluster.await_backed_up()
        before = cluster.backup.live_log_position
        cluster.send_request()
        cluster.run_until(
            lambda: cluster.backup.live_log_position == cluster.leader().commit_position
        )
        assert cluster.backup.live_log_position > before
        cluster.watch.conclude(cluster)


def test_an_unknown_name_is_reported_and_another_member_queried():
    with Backed(13) as cluster:
        Scenario.begin(cluster)
        options = {"backup": {**OPTIONS["backup"], "consensus_endpoints": "nobody:1,node1:9012"}}
        cluster.send_request()
        cluster.backup = cluster.add_backup(options=options)
        cluster.await_backed_up()
        # The first source is random; the other is used after it has ended.
        cluster.drop_client()
        cluster.members[1].kill()
        cluster.await_leader()
        cluster.run_until(lambda: any("nobody" in str(each) for each in cluster.backup.errors))
        cluster.members[1].start()
        cluster.send_request()
        cluster.await_backed_up()


def test_nothing_needed_by_a_named_backup_is_purged():
    with Backed(
        9,
        snapshots_kept=2,
        purge_backups="backup0:9501",
        consensus_channel="aeron:udp?term-length=64k",
    ) as cluster:
        cluster.begin()
        cluster.send_request()
        cluster.await_backed_up()
        cluster.backup.process.kill()
        for _ in range(3):
            cluster.send_request(60, padding=1200)
            cluster.snapshot()
        cluster.run_for(20 * S)
        starts = [each.module.counters.log_start.get() for each in cluster.members]
        assert starts == [0, 0, 0]
        assert any("backup backup0:9501: no answer" in str(e) for e in cluster.leader().errors)
        cluster.backup.process.start()
        cluster.await_backed_up()
        cluster.run_for(20 * S)
        starts = [each.module.counters.log_start.get() for each in cluster.members]
        assert all(start > 0 for start in starts), starts
        # Without the backup, a member with a lost disk could not join.
        cluster.backup.process.close()
        member = cluster.followers[0]
        member.kill()
        blank(member)
        cluster.restore(member)
        member.start()
        cluster.await_equal()


def test_a_backup_is_answered_by_response_channels_where_members_have_them():
    with Backed(14) as cluster:
        cluster._endpoints = [
            f"{text},{member.machine.name}:{9006 + 10 * member.member_id}"
            for member, text in zip(cluster.members, cluster._endpoints, strict=True)
        ]
        cluster.begin()
        cluster.send_request(20, padding=1000)
        cluster.snapshot()
        cluster.await_backed_up()
        responses = cluster.backup.backup._backup._source.context.control_response_channel
        assert "control-mode=response" in responses
        cluster.send_request()
        cluster.await_backed_up()
        cluster.watch.conclude(cluster)


def test_a_backup_may_begin_with_an_empty_directory():
    with Backed(16).begin() as cluster:
        cluster.send_request()
        cluster.snapshot()
        cluster.await_backed_up()
        files = cluster.backup.machine.files
        directory = f"{FILES}/cluster"
        options = OPTIONS["backup"] | {"delete_dir_on_start": True}
        with files.open(f"{directory}/stray", create=True):
            pass
        cluster.backup.process.close()
        cluster.backup.options = {"backup": options}
        cluster.backup.process.start()
        cluster.await_backed_up()
        assert not files.exists(f"{directory}/stray")
        assert read_copy(files).snapshots
