"""Requests to an archive that works: one without an answer is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError, StateError, TimeoutExpiredError
from aeron_cluster.simulator.checks.archive_requests import ArchivesAnswer

S = 1_000_000_000
NO_ANSWER = TimeoutExpiredError("<AeronArchive 0>: no answer to ReplayRequest in time")


def make_cluster():
    process = SimpleNamespace(start_count=1, is_working=True, started_at_ns=0)
    member = SimpleNamespace(
        member_id=0,
        processes=(process,),
        process_of_driver=SimpleNamespace(started_at_ns=0),
        errors=[],
        machine=SimpleNamespace(disk_fails_from_ns=1 << 62),
    )
    cluster = SimpleNamespace(now_ns=0, process_changes=0, members=(member,))
    return cluster, member, process


def report(cluster, member, error, checker):
    member.errors.append(error)
    cluster.now_ns = 12 * S
    checker.check(cluster)


def test_a_request_without_an_answer_is_detected():
    cluster, member, _ = make_cluster()
    checker = ArchivesAnswer()
    checker.check(cluster)
    with pytest.raises(InvariantError, match="no answer to ReplayRequest") as found:
        report(cluster, member, NO_ANSWER, checker)
    assert found.value.invariant == "archives answer their clients"


@pytest.mark.parametrize(
    "error",
    [TimeoutExpiredError("the leader's log has not arrived"), StateError("no answer to it")],
)
def test_other_errors_pass(error):
    cluster, member, _ = make_cluster()
    checker = ArchivesAnswer()
    checker.check(cluster)
    report(cluster, member, error, checker)


@pytest.mark.parametrize("change", [{"start_count": 2}, {"is_working": False}])
def test_a_member_that_did_not_work_all_the_time_is_not_judged(change):
    cluster, member, process = make_cluster()
    checker = ArchivesAnswer()
    checker.check(cluster)
    cluster.now_ns = 3 * S
    vars(process).update(change)
    cluster.process_changes += 1
    checker.check(cluster)
    process.is_working = True
    report(cluster, member, NO_ANSWER, checker)
    cluster.now_ns = 14 * S
    member.errors.append(NO_ANSWER)
    with pytest.raises(InvariantError):
        checker.check(cluster)


def test_a_member_whose_driver_was_started_again_is_not_judged():
    """The others are over the one that ended, until they notice."""
    cluster, member, process = make_cluster()
    checker = ArchivesAnswer()
    checker.check(cluster)
    member.process_of_driver.started_at_ns = 1 * S
    report(cluster, member, NO_ANSWER, checker)
    process.started_at_ns = 13 * S
    checker.check(cluster)
    cluster.now_ns = 24 * S
    member.errors.append(NO_ANSWER)
    with pytest.raises(InvariantError):
        checker.check(cluster)


def test_a_member_whose_disk_failed_is_not_judged():
    cluster, member, _ = make_cluster()
    member.machine.disk_fails_from_ns = 5 * S
    checker = ArchivesAnswer()
    checker.check(cluster)
    report(cluster, member, NO_ANSWER, checker)
