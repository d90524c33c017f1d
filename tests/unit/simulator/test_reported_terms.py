"""Reported positions compared with the recorded terms: a term recorded too late is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.reported_terms import ReportedTermsAreRecorded
from aeron_cluster.simulator.world.memory_files import MemoryFiles

DIRECTORY = "/data/cluster"
LEADER, FOLLOWER = 0, 1


def member(terms):
    files = MemoryFiles(directories=[DIRECTORY])
    found = SimpleNamespace(machine=SimpleNamespace(files=files, power_loss_count=0), start_count=1)
    record(found, terms)
    return found


def record(found, terms):
    with RecordingLog(found.machine.files, DIRECTORY, writable=True) as log:
        for term_id, base in terms.items():
            log.append_term(7, term_id, base, 1000)


def checked(leader, follower, *, is_led=True, sync_level=0):
    cluster = SimpleNamespace(members=[member(leader), member(follower)], sync_level=sync_level)
    checker = ReportedTermsAreRecorded()
    if is_led:
        checker.on_new_term(SimpleNamespace(leadership_term_id=5, leader_member_id=LEADER))
    return cluster, checker


@pytest.mark.parametrize(("position", "term"), [(100, 2), (101, 3), (200, 3), (201, 5)], ids=str)
def test_a_term_that_is_not_recorded_when_its_position_is_reported_is_detected(position, term):
    leader = {2: 0, 3: 100, 5: 200}
    cluster, checker = checked(leader, {1: 0})
    with pytest.raises(InvariantError, match=f"reported {position}, of term {term}, .* up to 1"):
        checker.on_new_append(cluster, 5, position, FOLLOWER)
    for recorded in [each for each in (2, 3, 5) if each >= term]:
        cluster, checker = checked(leader, {recorded: 0})
        checker.on_new_append(cluster, 5, position, FOLLOWER)


def test_a_member_is_read_again_until_it_has_the_term_and_after_a_restart():
    cluster, checker = checked({2: 0, 5: 200}, {2: 0})
    checker.on_new_append(cluster, 5, 200, FOLLOWER)
    record(cluster.members[FOLLOWER], {5: 200})
    checker.on_new_append(cluster, 5, 300, FOLLOWER)
    cluster.members[FOLLOWER] = member({2: 0})
    checker.on_new_append(cluster, 5, 400, FOLLOWER)  # as found
    cluster.members[FOLLOWER].start_count += 1
    with pytest.raises(InvariantError, match="member 1 reported 400, of term 5"):
        checker.on_new_append(cluster, 5, 400, FOLLOWER)


def test_what_cannot_be_compared_is_left_out():
    for cluster, checker in [
        checked({2: 0, 5: 200}, {2: 0}, is_led=False),
        checked({2: 0, 5: 200, 6: 250}, {2: 0}),  # the leader follows another one
        checked({}, {2: 0}),
        checked({2: 0, 5: 200}, {}),
    ]:
        checker.on_new_append(cluster, 5, 300, FOLLOWER)
    cluster, checker = checked({2: 0, 5: 200}, {2: 0})
    cluster.members[FOLLOWER].machine.files.remove_tree(DIRECTORY)
    checker.on_new_append(cluster, 5, 300, FOLLOWER)


def test_a_loss_of_power_without_syncs_may_undo_the_record():
    cluster, checker = checked({2: 0, 5: 200}, {2: 0})
    cluster.members[FOLLOWER].machine.power_loss_count = 1
    checker.on_new_append(cluster, 5, 300, FOLLOWER)
    cluster.sync_level = 1
    with pytest.raises(InvariantError, match="reported terms are recorded"):
        checker.on_new_append(cluster, 5, 300, FOLLOWER)
