"""What survives which failure: the rows of the table in docs/durability.md."""

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.clients.reference import Request, Verb
from tests.simulation.scenarios.rig import MS, Scenario, election_of, sequence_of

ANSWERED = 30
WAITING = 10  # requests on their way when the failure happens
FAILED = {"one": 1, "a majority": 2, "all": 3}
PROCESS, MACHINE, DISK = "process", "machine", "disk"
# By failure and the failed members, the sync levels at which nothing acknowledged is lost. Tests of
# what is lost are at the end.
KEPT = {
    (PROCESS, "one"): (0, 1, 2),
    (PROCESS, "a majority"): (0, 1, 2),
    (PROCESS, "all"): (0, 1, 2),
    (MACHINE, "one"): (0, 1, 2),
    (MACHINE, "a majority"): (1, 2),
    (MACHINE, "all"): (1, 2),
    (DISK, "one"): (0, 1, 2),
    (DISK, "a majority"): (),
    (DISK, "all"): (),
}


class Failing(Scenario):
    """A cluster under load, by default of three, whose members fail at once."""

    def load(self):
        """Send requests until some are answered, and others wait; return the number answered."""
        self.begin().send_request(5)
        for number in range(ANSWERED + WAITING):
            self.client.send(Request(self.client.number, 100 + number, Verb.NEXT).encode())
        self.run_until(lambda: len(self.client.responses) >= ANSWERED, what="answers")
        return len(self.client.responses)

    def fail(self, failure, which):
        """Let members fail, the leader first or last as the seed has it; return them."""
        members = [self.leader(), *self.followers]
        failed = members[:: -1 if self.seed % 2 else 1][: FAILED[which]]
        for member in failed:
            member.kill() if failure == PROCESS else member.lose_power()
        self.drop_client()
        return failed

    def recover(self, failure, failed):
        """Start the failed members as an operator would, and wait until all agree."""
        if len(failed) == 1 < len(self.members):
            self.await_equal(*(each for each in self.members if each not in failed))
        for member in failed:
            self.start_blank(member) if failure == DISK else member.start()
        if failure == MACHINE and not self.sync_level and not self.has_joined(*failed):
            for member in failed:
                member.kill()
                self.start_blank(member)
        self.await_leader()
        self.await_equal()

    def has_joined(self, *members):
        """Return whether they are in the cluster within some seconds."""
        for _ in range(100):
            self.run_for(100 * MS)
            if all(
                each.is_running and election_of(each) is ElectionState.CLOSED for each in members
            ):
                return True
        return False


def acknowledged_survive(failure, which, level, seed, **options):
    with Failing(seed, sync_level=level, **options) as cluster:
        answered = cluster.load()
        cluster.recover(failure, cluster.fail(failure, which))
        kept = {sequence_of(each) >= answered for each in cluster.members}
        cluster.send_request()
        return kept == {True}


@pytest.mark.parametrize(
    ("failure", "which", "level"),
    [(*case, level) for case, levels in KEPT.items() for level in levels],
)
def test_nothing_acknowledged_is_lost(failure, which, level):
    for seed in range(1, 5):
        assert acknowledged_survive(failure, which, level, seed), seed


@pytest.mark.parametrize(
    ("failure", "level"),
    [(*case[:1], level) for case, levels in KEPT.items() if case[1] == "all" for level in levels],
)
def test_nothing_acknowledged_is_lost_by_a_single_member(failure, level):
    for seed in range(1, 5):
        assert acknowledged_survive(failure, "all", level, seed, members=1), seed


def is_lost(which, seed, failure=MACHINE, level=0, **options):
    try:
        return not acknowledged_survive(failure, which, level, seed, **options)
    except InvariantError:  # the services see another log than before
        return True


def test_unsynced_data_of_all_members_is_lost_in_some_runs():
    # If no run lost any, the runs above could not detect it either.
    assert any(is_lost("all", seed) for seed in range(1, 9))


def test_unsynced_data_of_a_single_member_is_lost_in_some_runs():
    assert any(is_lost("all", seed, members=1) for seed in range(1, 9))


@pytest.mark.parametrize("members", [1, 3])
def test_what_was_on_the_disks_of_all_members_is_lost_at_any_level(members):
    options = {"members": members, "checkers": ()}
    assert is_lost("all", 1, DISK, 2, **options)


def is_lost_without_the_third(seed, failure=MACHINE, level=0):
    with Failing(seed, sync_level=level, checkers=()) as cluster:
        answered = cluster.load()
        failed = cluster.fail(failure, "a majority")
        (third,) = [each for each in cluster.members if each not in failed]
        third.kill()
        for member in failed:
            cluster.start_blank(member) if failure == DISK else member.start()
        if not cluster.has_joined(*failed):
            return True  # they do not start with what is left
        return min(sequence_of(each) for each in failed) < answered


def test_unsynced_data_of_a_majority_is_lost_in_some_runs():
    assert any(is_lost_without_the_third(seed) for seed in range(1, 9))


def test_what_was_on_the_disks_of_a_majority_is_lost_at_any_level():
    assert is_lost_without_the_third(1, DISK, 2)
