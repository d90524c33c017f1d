"""Checks of members' disks: what is wrong on one is detected, an empty one is no violation."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.service.service_snapshot import snapshot_messages
from aeron_cluster.cluster.state.module_snapshot import ModuleState, encode_module_snapshot
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import (
    invariants,
    loaded_sessions,
    log_follower,
    model_checks,
    request_tables,
    rest,
)
from aeron_cluster.simulator.checks.backup_invariants import BackupsArePrefixes
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.invariants import (
    ServiceMessagesAreRetained,
    SnapshotsHaveTheirLog,
    StatesAreRight,
    TimersFire,
)
from aeron_cluster.simulator.checks.loaded_sessions import LoadedSessionsAreThoseOfTheSnapshot
from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
from aeron_cluster.simulator.checks.module_counters import LOG_START, Shown
from aeron_cluster.simulator.checks.plain_disk import PlainEntry
from aeron_cluster.simulator.checks.recording_times import RecordingsHaveTheirTimes
from aeron_cluster.simulator.checks.request_tables import TablesFollowTheLog
from aeron_cluster.simulator.members.journal import Journal
from aeron_cluster.simulator.model.plain_messages import (
    read_module_snapshot,
    read_service_snapshot,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.simulator.test_plain_cluster import log_of_two_terms
from tests.unit.simulator.test_request_tables import TABLE

S = 1_000_000_000
LOG = log_of_two_terms()
((SNAPSHOT_POSITION, SNAPSHOT),) = LOG.model.requested.items()


class Machine:
    """A machine with a right clock and a disk, which is empty unless directories are given."""

    power_loss_count = 0
    has_wrong_clock = False

    def __init__(self, *directories):
        self.name = "machine"
        self.files = MemoryFiles(directories=directories)
        self.clock = SimpleNamespace(epoch_nanos=lambda: 50 * S)


def member(number=0, *directories, **more):
    given = {"commit_position": 0, "is_leading": False, "services": (), "processes": ()} | more
    return SimpleNamespace(member_id=number, machine=Machine(*directories), **given)


def cluster_of(*members, **more):
    journals = [Journal(0)]
    given = {
        "is_joined": True,
        "sync_level": 0,
        "loses_one_at_a_time": False,
        "now_ns": 0,
        "backups": [],
        "journals": journals,
        "journals_of": lambda _: journals,
        "options": {},
        "process_changes": 0,
    }
    return SimpleNamespace(members=members, **(given | more))


@pytest.mark.parametrize(
    "kind",
    [
        BackupsArePrefixes,
        LoadedSessionsAreThoseOfTheSnapshot,
        MembersFollowTheModel,
        RecordingsHaveTheirTimes,
        ServiceMessagesAreRetained,
        SnapshotsHaveTheirLog,
        TablesFollowTheLog,
    ],
)
def test_a_member_before_its_first_file_passes(kind, monkeypatch):
    service = SimpleNamespace(requests=None, max_clients=4, answers_late=False)
    monkeypatch.setattr(request_tables, "_reference_of", lambda *_: service)
    running = member(
        commit_position=64,
        running_module=SimpleNamespace(sessions=[]),
        processes=[SimpleNamespace(start_count=1)],
    )
    cluster = cluster_of(running, backups=[member(3)])
    checker = kind()
    checker.check(cluster)
    checker.conclude(cluster)
    assert DiskCopies().of(running) is None
    assert DiskCopies().committed_log(running) == []


def test_a_recording_before_the_archive_is_there_passes():
    RecordingsHaveTheirTimes().conclude(cluster_of(member(0, "/data/cluster")))


def test_a_snapshot_without_its_log_is_found(monkeypatch):
    monkeypatch.setattr(invariants, "read_log_start", lambda *_: 128)
    monkeypatch.setattr(invariants, "read_module_snapshots", lambda *_: [(256, None), (128, None)])
    cluster = cluster_of(member(2, "/data"))
    SnapshotsHaveTheirLog().conclude(cluster)
    monkeypatch.setattr(invariants, "read_log_start", lambda *_: 129)
    with pytest.raises(InvariantError) as error:
        SnapshotsHaveTheirLog().conclude(cluster)
    assert error.value.invariant == "snapshots have their log"
    assert error.value.found == "member 2 has a snapshot at 128, its log begins at 129"


def test_native_services_are_not_observed():
    """Their journals are empty, and they are no services of the reference."""
    native = cluster_of(member(services=(object(),)))
    native.journals[0].settings[64, 5] = 1000
    TimersFire().conclude(native)
    StatesAreRight().conclude(native)


# ---- the model ----


class Followed:
    """A member's disk with a log and snapshots, as the model's checks read it."""

    def __init__(self, monkeypatch):
        self.entries, self.snapshots, self.candidate_term = [], [], 4
        self.log_start = 0
        self.messages = []
        log = log_of_two_terms()
        monkeypatch.setattr(log.model, "apply", lambda data, at: self.messages.append((data, at)))
        self.member = member(0, "/data", commit_position=LOG.position, is_leading=True)
        self.cluster = cluster_of(self.member)
        # The log of the other module's tests, which was already read.
        self.checker = MembersFollowTheModel()
        self.start_from(LOG.model)
        monkeypatch.setattr(
            log_follower, "find_log", lambda *_: SimpleNamespace(start_position=self.log_start)
        )
        monkeypatch.setattr(log_follower, "read_messages", lambda *_: self.messages)
        for name, read in (
            ("read_snapshot_messages", lambda *_: self.snapshots),
            ("read_valid_entries", lambda *_: self.entries),
            ("read_candidate_term", lambda *_: self.candidate_term),
            ("read_recordings", lambda *_: {}),
            ("check_recording_log", lambda *_: None),
        ):
            monkeypatch.setattr(model_checks, name, read)

    def start_from(self, model):
        self.checker._follower.model = model

    def conclude(self):
        self.checker.conclude(self.cluster)


def entry(position=SNAPSHOT_POSITION, service_id=0):
    return PlainEntry(20, 4, position, service_id, False, 0, 0)


def test_a_leader_whose_disk_has_another_vote_is_found(monkeypatch):
    followed = Followed(monkeypatch)
    followed.cluster.members = [followed.member, member(1)]  # one has no disk yet
    followed.conclude()
    followed.candidate_term = 3
    with pytest.raises(InvariantError) as error:
        followed.conclude()
    assert error.value.invariant == "a leader voted for itself"
    assert error.value.found == "member 0 leads in 4, its disk has 3"
    followed.member.is_leading = False
    followed.conclude()


@pytest.mark.parametrize("owner", ["member", "backup"])
def test_a_snapshot_that_nothing_requested_is_found(monkeypatch, owner):
    followed = Followed(monkeypatch)
    if owner == "backup":
        followed.cluster.backups = [member(3, "/data")]
        disks = DiskCopies()
        mine = disks.of(followed.cluster.backups[0])
        followed.checker._disks = disks
        monkeypatch.setattr(
            model_checks,
            "read_snapshot_messages",
            lambda disk, _: [(entry(64), [])] if disk is mine else [],
        )
    else:
        followed.snapshots = [(entry(64), [])]
    with pytest.raises(InvariantError) as error:
        followed.conclude()
    assert error.value.invariant == "snapshots were requested"
    name = "machine" if owner == "backup" else "member 0"
    assert error.value.found == f"{name}: {entry(64)}, not at [{SNAPSHOT_POSITION}]"


def test_what_a_loss_of_power_may_undo_is_not_compared(monkeypatch):
    followed = Followed(monkeypatch)
    followed.candidate_term = 3
    followed.member.machine.power_loss_count = 1
    followed.cluster.sync_level = 1
    with pytest.raises(InvariantError, match="a leader voted for itself"):
        followed.conclude()
    followed.cluster.sync_level = 0
    followed.conclude()
    assert followed.checker.counts() == {"models lost by a power loss": 1}


def test_a_log_that_was_purged_unread_has_no_model(monkeypatch):
    followed = Followed(monkeypatch)
    followed.log_start = LOG.position + 32
    followed.member.commit_position = LOG.position + 64
    followed.candidate_term = 3
    followed.conclude()
    assert followed.checker.model is None
    followed.log_start = 0  # what is missing does not come back
    followed.conclude()
    assert followed.checker.model is None


def test_only_what_is_committed_is_applied(monkeypatch):
    log = log_of_two_terms()
    followed = Followed(monkeypatch)
    followed.start_from(log.model)
    followed.messages = [(b"", log.position + 32), (b"", log.position + 64)]
    applied = []
    monkeypatch.setattr(type(log.model), "apply", lambda _, data, at: applied.append((data, at)))
    followed.member.commit_position = log.position + 32
    followed.conclude()
    assert applied == [(b"", log.position + 32)]


def test_the_log_is_read_at_each_interval(monkeypatch):
    followed = Followed(monkeypatch)
    looks = []
    monkeypatch.setattr(MembersFollowTheModel, "_follow", lambda *_: looks.append(1))
    for now_ns in (0, S - 1, S, S + 1, 2 * S):
        followed.cluster.now_ns = now_ns
        followed.checker.check(followed.cluster)
    assert looks == [1, 1]


# ---- tables and sessions ----


@pytest.fixture
def tables(monkeypatch):
    """Return a member whose table has a client that its log does not have, and its cluster."""
    service = SimpleNamespace(requests=object(), max_clients=4, answers_late=False)
    monkeypatch.setattr(request_tables, "_reference_of", lambda *_: service)
    monkeypatch.setattr(request_tables, "_records", lambda _: TABLE)
    one = member(services=(SimpleNamespace(seen_count=0),))
    return one, cluster_of(one)


def test_a_table_that_does_not_follow_from_the_log_is_found(tables):
    one, cluster = tables
    with pytest.raises(InvariantError, match="follow from the log: member 0: 7: "):
        TablesFollowTheLog().conclude(cluster)
    one.services[0].seen_count = 1  # of another log than the journal
    TablesFollowTheLog().conclude(cluster)


def test_a_table_that_a_loss_of_power_may_undo_is_not_compared(tables):
    one, cluster = tables
    one.machine.power_loss_count = 1
    TablesFollowTheLog().conclude(cluster)
    cluster.sync_level = 1
    with pytest.raises(InvariantError, match="follow from the log"):
        TablesFollowTheLog().conclude(cluster)


def test_a_damaged_snapshot_is_of_no_module_that_runs(monkeypatch):
    monkeypatch.setattr(
        loaded_sessions,
        "read_snapshot_messages",
        lambda *_: [(entry(service_id=-1), [b"damaged!"])],
    )
    module = SimpleNamespace(sessions=[SimpleNamespace(cluster_session_id=7)])
    process = SimpleNamespace(start_count=1)
    cluster = cluster_of(member(0, "/data", running_module=module, processes=[process]))
    checker = LoadedSessionsAreThoseOfTheSnapshot()
    checker.check(cluster)
    assert not checker._loading


# ---- the format of snapshots ----


def service_messages():
    return list(
        snapshot_messages(
            [],
            time_unit=ClusterTimeUnit.MILLIS,
            app_version=1,
            log_position=64,
            leadership_term_id=0,
        )
    )


def module_messages():
    state = ModuleState(
        log_position=64,
        leadership_term_id=0,
        app_version=1,
        time_unit=ClusterTimeUnit.MILLIS,
        next_session_id=1,
        sessions=(),
        timers=(),
        trackers=(),
    )
    return list(encode_module_snapshot(state))


def test_a_message_of_another_kind_in_a_snapshot_is_found():
    begin, end = service_messages()
    strange = module_messages()[1]  # the module's own state
    with pytest.raises(InvariantError, match="is no session"):
        read_service_snapshot([begin, strange, end])
    begin, *others = module_messages()
    session = bytearray(strange)
    session[2:4] = (2**16 - 1).to_bytes(2, "little")
    with pytest.raises(InvariantError, match="65535 is of no module"):
        read_module_snapshot([begin, bytes(session), *others])


def test_a_snapshot_with_the_end_of_another_is_found():
    begin, end = service_messages()
    read_service_snapshot([begin, end])
    for other in (begin, end[:16] + bytes(8) + end[24:]):
        with pytest.raises(InvariantError, match="has no end"):
            read_service_snapshot([begin, other])


# ---- members at rest ----


class Resting:
    """A single leader at rest, whose counter of the log's start is given at each look."""

    def __init__(self, monkeypatch, *starts, log_start=64):
        self.starts = list(starts)
        monkeypatch.setattr(rest, "_counters_of", lambda _: [self._start()])
        monkeypatch.setattr(rest, "at_rest", lambda *_: SimpleNamespace(is_leader=False))
        monkeypatch.setattr(rest, "check_counters", lambda *_: None)
        monkeypatch.setattr(rest, "read_log_start", lambda *_: log_start)
        monkeypatch.setattr(rest, "_check_marks", lambda *_: None)
        monkeypatch.setattr(rest, "_check_archive", lambda *_: None)
        one = member(0, "/data", is_running=True)
        self.cluster = cluster_of(one, run_for=self._run_for)
        self.waited_ns = 0

    def _start(self):
        return Shown(LOG_START, 0, -1, -1, self.starts[0])

    def _run_for(self, duration_ns):
        self.waited_ns += duration_ns
        self.starts.pop(0)

    def conclude(self):
        followed = SimpleNamespace(model=LOG.model)
        rest.MembersAreAtRest(followed, None).conclude(self.cluster)


def test_a_log_that_is_being_purged_is_looked_at_again(monkeypatch):
    resting = Resting(monkeypatch, 0, 64)
    resting.conclude()
    assert resting.waited_ns == S
    resting = Resting(monkeypatch, 64)
    resting.conclude()
    assert resting.waited_ns == 0
    with pytest.raises(InvariantError, match="log starts: member 0: 32, expected 64"):
        Resting(monkeypatch, 0, 32).conclude()


def test_the_log_of_a_member_without_a_disk_starts_at_zero(monkeypatch):
    resting = Resting(monkeypatch, 0)
    resting.cluster.members[0].machine.files.remove_tree("/data")
    resting.conclude()
    assert resting.waited_ns == 0
