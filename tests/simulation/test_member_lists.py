"""Members started with different lists: it is reported, and no second leader is elected."""

import pytest

from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.errors import MemberListError
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.cluster import Cluster

S = 1_000_000_000


class Differing(Cluster):
    """Three members, some of them with another list."""

    def __init__(self, lists, seed=7):
        self._lists = lists
        super().__init__(seed, ReferenceService, members=3, checkers=standard_checkers())

    def node_options(self, member):
        options = super().node_options(member)
        return options | {"members": self._lists.get(member.member_id, options["members"])}

    def named(self, member):
        return [error for error in member.errors if isinstance(error, MemberListError)]


def listed(*ids):
    return "|".join(str(local_member(each, f"node{each}")) for each in ids)


THREE, FIVE = listed(0, 1, 2), listed(0, 1, 2, 3, 4)


def test_member_list_in_another_order_is_not_reported():
    with Differing({1: listed(2, 1, 0)}) as cluster:
        cluster.start()
        cluster.await_leader()
        cluster.run_for(20 * S)
        assert not any(map(cluster.named, cluster.members))


@pytest.mark.parametrize("odd_id", [0, 1, 2])
def test_a_member_with_a_list_of_five_among_three_is_named_with_both_lists(odd_id):
    """It is reported by itself or, if it leads, by both other members."""
    with Differing({odd_id: FIVE}) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        cluster.run_for(200 * S)
        is_leading = leader.member_id == odd_id
        for member in cluster.members:
            is_naming = member is not leader and (is_leading or member.member_id == odd_id)
            errors = cluster.named(member)
            assert len(errors) == is_naming  # once per term, however long the term is
            for error in errors:
                assert (error.expected, error.found) == (
                    (THREE, FIVE) if is_leading else (FIVE, THREE)
                )
                assert error.leader_member_id == leader.member_id


def test_a_member_with_a_list_of_five_elects_nobody_with_one_of_three():
    """It needs three votes and has one peer: its own list allows no second leader."""
    with Differing({2: FIVE}) as cluster:
        cluster.start()
        cluster.await_leader()
        first, _, third = cluster.members
        cluster.isolate(first)
        cluster.run_for(120 * S)
        assert not third.is_leading
        cluster.heal()
        cluster.isolate(third)
        cluster.run_for(60 * S)
        assert not third.is_leading
        assert cluster.leader() is not None
        cluster.heal()
        cluster.run_for(60 * S)
        assert cluster.leader() is not None
