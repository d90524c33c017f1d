"""Messages of members compared with their disks: each broken promise is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import promises
from aeron_cluster.simulator.checks.plain_disk import PlainRecording
from aeron_cluster.simulator.checks.promises import (
    LogTermsNeverFall,
    NothingIsSeenBeyondCommit,
    SentPositionsArePersisted,
    SentPositionsAreSynced,
    VotesArePersisted,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles

DIRECTORY = "/data/cluster"


def member(**more):
    files = MemoryFiles(directories=[DIRECTORY])
    machine = SimpleNamespace(files=files, power_loss_count=0)
    return SimpleNamespace(member_id=0, machine=machine, is_gone=True, start_count=0, **more)


def cluster_of(*members, sync_level=0):
    return SimpleNamespace(members=members, sync_level=sync_level, process_changes=0)


def test_vote_missing_from_the_disk_is_found():
    voter = member()
    with NodeState(voter.machine.files, DIRECTORY) as state:
        state.update(5, 100, 0)
    VotesArePersisted().on_vote(cluster_of(voter), 5, 0)
    with pytest.raises(InvariantError, match="voted in 6, its disk has 5"):
        VotesArePersisted().on_vote(cluster_of(voter), 6, 0)


def test_a_vote_of_a_member_without_its_directory_is_not_compared():
    """A fault has taken its files while the message was on its way."""
    voter = member()
    voter.machine.files = MemoryFiles()
    VotesArePersisted().on_vote(cluster_of(voter), 6, 0)


def test_an_unsynced_vote_is_detected():
    voter = member(running_module=object())
    files = voter.machine.files
    with NodeState(files, DIRECTORY, sync_level=1) as state:
        state.update(5, 100, 0)
    files.sync_directory(DIRECTORY)
    VotesArePersisted().on_vote(cluster_of(voter, sync_level=1), 5, 0)
    with NodeState(files, DIRECTORY, sync_level=0) as state:
        state.update(5, 101, 0)
    VotesArePersisted().on_vote(cluster_of(voter), 5, 0)
    VotesArePersisted().on_vote(cluster_of(voter, sync_level=1), 4, 0)
    with pytest.raises(InvariantError, match="a loss of power may undo it"):
        VotesArePersisted().on_vote(cluster_of(voter, sync_level=1), 5, 0)
    voter.running_module = None
    VotesArePersisted().on_vote(cluster_of(voter, sync_level=1), 5, 0)


def sent(position=200, committed=150):
    checker = SentPositionsArePersisted()
    checker.on_append(5, position, 0)
    checker.on_commit(5, committed, 1)
    return checker


def test_log_ending_before_sent_and_committed_positions_is_found():
    sent().on_canvass(5, 150, 0)
    with pytest.raises(InvariantError, match="sent 150, and has 149 in an election"):
        sent().on_canvass(5, 149, 0)


def test_a_resent_canvass_is_not_a_current_one():
    checker = SentPositionsArePersisted()
    checker.on_canvass(5, 100, 0)
    checker.on_append(5, 200, 0)
    checker.on_commit(5, 200, 1)
    checker.on_canvass(5, 100, 0)


def test_uncommitted_log_of_the_same_term_may_be_truncated():
    checker = SentPositionsArePersisted()
    checker.on_append(5, 200, 0)
    checker.on_commit(6, 300, 1)
    checker.on_canvass(5, 0, 0)


def test_the_disk_is_checked_once_a_process_has_ended(monkeypatch):
    monkeypatch.setattr(promises, "_log_end", lambda *_: 149)
    gone = member()
    with pytest.raises(InvariantError, match="sent 150, its disk has 149"):
        sent().observe(cluster_of(gone))
    gone.machine.power_loss_count = 1
    sent().observe(cluster_of(gone))  # nothing was promised
    with pytest.raises(InvariantError, match="sent positions are persisted"):
        sent().observe(cluster_of(gone, sync_level=1))
    gone.is_gone = False
    sent().observe(cluster_of(gone, sync_level=1))


def test_follower_reading_beyond_the_commit_is_found():
    positions = [150]
    counters = SimpleNamespace(
        election_state=SimpleNamespace(get=lambda: ElectionState.CLOSED),
        commit_position=SimpleNamespace(get=lambda: positions[-1]),
    )
    module = SimpleNamespace(role=Role.FOLLOWER, counters=counters)
    process = SimpleNamespace(module=module)
    cluster, checker = cluster_of(member(processes=[process])), NothingIsSeenBeyondCommit()
    checker.on_commit(5, 150, 1)
    checker.observe(cluster)
    positions.append(151)
    with pytest.raises(InvariantError, match="reads up to 151, leaders sent 150"):
        checker.observe(cluster)
    module.role = Role.LEADER
    checker.observe(cluster)
    # Another process of the member.
    process.module = SimpleNamespace(role=Role.FOLLOWER, counters=counters)
    cluster.process_changes += 1
    with pytest.raises(InvariantError, match="reads up to 151"):
        checker.observe(cluster)


def test_what_is_committed_after_a_process_ended_is_compared_with_its_disk(monkeypatch):
    monkeypatch.setattr(promises, "_log_end", lambda *_: 149)
    gone = member()
    cluster, checker = cluster_of(gone), SentPositionsArePersisted()
    checker.on_append(5, 200, 0)
    checker.observe(cluster)  # nothing of it counted
    checker.on_commit(5, 150, 1)
    with pytest.raises(InvariantError, match="sent 150, its disk has 149"):
        checker.observe(cluster)


def test_a_disk_without_its_log_is_not_compared_with_late_messages():
    """A fault has taken the log, which will be back."""
    gone = member()
    gone.machine.files.make_directory("/data/archive.away")
    cluster, checker = cluster_of(gone), sent(100, 300)
    checker.observe(cluster)
    checker.on_append(5, 200, 0)
    checker.observe(cluster)


def test_a_process_is_compared_with_its_disk_once_it_has_ended(monkeypatch):
    monkeypatch.setattr(promises, "_log_end", lambda *_: 149)
    ending = member()
    ending.is_gone = False
    cluster, checker = cluster_of(ending), sent()
    checker.observe(cluster)
    checker.observe(cluster)
    ending.is_gone = True
    cluster.process_changes += 1
    with pytest.raises(InvariantError, match="sent 150, its disk has 149"):
        checker.observe(cluster)


def test_an_unsynced_append_position_is_detected(monkeypatch):
    log = PlainRecording(3, 0, -1, 1 << 16, 1 << 16)
    monkeypatch.setattr(promises, "find_log", lambda *_: log)
    follower = member(running_module=object())
    files = follower.machine.files
    files.make_directory("/data/archive")
    file = files.open("/data/archive/3-0.rec", write=True, create=True)
    file.write_at(bytes(range(1, 129)), 0)
    checker = SentPositionsAreSynced()

    def look(position, sync_level=1):
        cluster = cluster_of(follower, sync_level=sync_level)
        checker.on_new_append(cluster, 5, position, 0)
        checker.observe(cluster)

    def assert_found(position):
        with pytest.raises(InvariantError, match=f"sent {position}, and a loss of power may"):
            look(position)

    assert_found(64)
    file.sync(2)
    assert_found(64)  # the name of the file is not synced
    files.sync_directory("/data/archive")
    look(128)
    file.write_at(b"x" * 64, 96)
    look(96)
    assert_found(128)
    look(128, sync_level=0)
    follower.running_module = None
    look(128)


def test_a_reported_position_without_a_log_is_not_compared():
    follower = member(running_module=object())
    checker, cluster = SentPositionsAreSynced(), cluster_of(follower, sync_level=1)
    checker.on_new_append(cluster, 5, 64, 0)
    checker.observe(cluster)


def test_a_member_that_sent_nothing_is_not_compared(monkeypatch):
    monkeypatch.setattr(promises, "_log_end", lambda *_: 0)
    silent = member()
    silent.member_id = 2
    gone = member()
    with pytest.raises(InvariantError, match="member 0 sent 150, its disk has 0"):
        sent().observe(cluster_of(gone, silent))
    sent().observe(cluster_of(silent))


def test_a_module_that_is_not_there_yet_sees_nothing():
    counters = SimpleNamespace(
        election_state=SimpleNamespace(get=lambda: ElectionState.CLOSED),
        commit_position=SimpleNamespace(get=lambda: 151),
    )
    module = SimpleNamespace(role=Role.FOLLOWER, counters=None)
    process = SimpleNamespace(module=module)
    cluster, checker = cluster_of(member(processes=[process])), NothingIsSeenBeyondCommit()
    checker.on_commit(5, 150, 1)
    checker.observe(cluster)
    process.module = None
    checker.observe(cluster)
    module.counters, process.module = counters, module
    with pytest.raises(InvariantError, match="reads up to 151"):
        checker.observe(cluster)


def test_term_of_which_a_log_has_nothing_may_be_left_out():
    cluster, checker = cluster_of(member()), LogTermsNeverFall()
    for term_id in (6, 8):  # nobody led 7
        base = 50 * term_id
        term = SimpleNamespace(leadership_term_id=term_id, term_base_log_position=base)
        checker.on_new_term(term)
    checker.on_log_end(cluster, 8, 400, 0)
    checker.on_log_end(cluster, 6, 400, 0)
    checker.on_log_end(cluster, 8, 401, 0)
    with pytest.raises(InvariantError, match="up to 401 was of term 8, and is of 7"):
        checker.on_log_end(cluster, 7, 401, 0)


def test_log_of_an_earlier_term_than_before_is_found():
    canvasser = member()
    cluster, checker = cluster_of(canvasser), LogTermsNeverFall()
    checker.on_new_term(SimpleNamespace(leadership_term_id=7, term_base_log_position=100))
    checker.on_log_end(cluster, 6, 100, 0)
    checker.on_log_end(cluster, 7, 200, 0)
    checker.on_log_end(cluster, 6, 100, 0)  # a resent message
    checker.on_log_end(cluster, 7, 150, 0)  # after a truncation
    with pytest.raises(InvariantError, match="up to 150 was of term 7, and is of 6"):
        checker.on_log_end(cluster, 6, 150, 0)
    canvasser.machine.power_loss_count = 1
    checker.on_log_end(cluster, 5, 150, 0)  # nothing was promised
    canvasser.machine.power_loss_count = 0
    cluster.process_changes += 1
    checker.observe(cluster)
    canvasser.machine.files.remove_tree(DIRECTORY)
    checker.observe(cluster)
    checker.on_log_end(cluster, 5, 160, 0)  # a message about another log
