"""A member's view of its cluster, and messages that are not answers."""

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.membership import parse_membership, query_membership
from aeron_cluster.codecs.cluster import (
    ClusterMembersExtendedResponse,
    ClusterMembersResponse,
    ServiceTerminationPosition,
)
from aeron_cluster.errors import MissingFileError, TimeoutExpiredError
from aeron_cluster.memory.system.seams import Seams

Active = ClusterMembersExtendedResponse.ActiveMembers
Passive = ClusterMembersExtendedResponse.PassiveMembers


def view(kind, member_id, position):
    names = ("ingress", "consensus", "log", "catchup", "archive")
    endpoints = {f"{name}_endpoint": f"{name}:{member_id}" for name in names}
    return kind(
        leadership_term_id=7,
        log_position=position,
        time_of_last_append_ns=position * 10,
        member_id=member_id,
        **endpoints,
    )


def answer(leader=1):
    return ClusterMembersExtendedResponse.encode(
        correlation_id=55,
        current_time_ns=1_000,
        leader_member_id=leader,
        member_id=1,
        active_members=[view(Active, 0, 96), view(Active, 1, 128), view(Active, 2, -1)],
        passive_members=[view(Passive, 9, 64)],
    )


def test_reads_active_and_passive_members():
    correlation_id, found = parse_membership(answer())
    assert correlation_id == 55
    assert (found.leader_member_id, found.member_id, found.current_time_ns) == (1, 1, 1_000)
    assert found.is_leader
    assert [each.member_id for each in found.active_members] == [0, 1, 2]
    assert [each.is_leader for each in found.active_members] == [False, True, False]
    assert [each.log_position for each in found.active_members] == [96, 128, -1]
    assert found.active_members[2].endpoints == "ingress:2,consensus:2,log:2,catchup:2,archive:2"
    (passive,) = found.passive_members
    assert (passive.member_id, passive.log_position, passive.is_leader) == (9, 64, False)


def test_a_follower_and_a_cluster_without_a_leader_are_reported():
    assert not parse_membership(answer(leader=2))[1].is_leader
    assert not parse_membership(answer(leader=-1))[1].is_leader


def test_only_a_leader_knows_how_far_the_others_are():
    for leader, known in ((1, [96, 128, -1]), (2, [-1, 128, -1])):
        found = parse_membership(answer(leader))[1]
        assert [found.position_of(each) for each in found.active_members] == known


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xff" * 64,
        answer()[:40],
        ServiceTerminationPosition.encode(log_position=1),
        ClusterMembersResponse.encode(
            correlation_id=55, leader_member_id=1, active_members="", passive_followers=""
        ),
    ],
)
def test_other_service_messages_of_a_module_are_no_answer(message):
    assert parse_membership(message) is None


def test_queries_no_module_where_no_driver_runs(member):
    member.mark()
    component = ClusterDirectory(str(member.directory)).component()
    with pytest.raises(MissingFileError, match="driver is not running"):
        query_membership(Seams(), component)


def test_reports_a_missing_answer(member, driver):
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark()
    component = ClusterDirectory(str(member.directory)).component()
    with pytest.raises(TimeoutExpiredError, match="nothing connected to its control channel"):
        query_membership(Seams(), component)


def test_tool_reports_that_no_answer_came(member, driver):
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark()
    done = CliRunner().invoke(main, ["tool", str(member.directory), "list-members"])
    assert (done.exit_code, done.output) == (255, "timeout waiting for response from node\n")


def test_driver_without_a_consensus_module_has_no_leader(member, driver):
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark()
    done = CliRunner().invoke(main, ["is-leader", str(member.directory)])
    assert done.exit_code == 3
    assert done.stderr == (
        f"error: {member.directory}: its driver runs, its consensus module does not\n"
    )
