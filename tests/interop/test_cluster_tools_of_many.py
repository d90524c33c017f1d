"""Our tools on clusters of three members: all of Java's, all of ours, and both in one cluster."""

import re

import pytest

from tests.interop.java_cluster import ClusterMembers
from tests.interop.test_cluster_tools import CLUSTER_TOOL, run, run_json
from tests.waiting import await_true

OURS = "ours-one-thread"
MIXES = {
    "java": ("java", "java", "java"),
    "ours": (OURS, OURS, OURS),
    "ours-among-java": ("java", OURS, "java"),
    "java-among-ours": (OURS, "java", OURS),
}


@pytest.fixture(params=MIXES)
def cluster(request, java, tmp_path, shm_dir, free_port):
    # Long, so that a delay of a busy machine costs no leader.
    timeouts = {"heartbeatTimeoutMs": 10_000, "canvassMs": 20_000}
    with ClusterMembers(java, tmp_path, shm_dir, free_port, **timeouts) as members:
        members.start_all(*MIXES[request.param])
        yield members


def directories(cluster):
    return [one.cluster_dir for _, one in sorted(cluster.running.items())]


def live(cluster):
    """Return the counters of each member."""
    found = run_json("status", *directories(cluster), "--no-members")["members"]
    return [each["live"] for each in found]


def await_states(cluster, state):
    await_true(lambda: {each["state"] for each in live(cluster)} == {state}, f"all {state}")


def facts(text):
    """Return the Java tool's output about the members, without the times."""
    head = re.match(r"currentTimeNs=\d+, (leaderMemberId=-?\d+, memberId=\d+)", text)
    members = re.findall(r"ClusterMember\{(.*?)\}", text)
    return head[1], [re.sub(r"timeOfLastAppendPositionNs=-?\d+", "", each) for each in members]


@pytest.mark.sampled(2)
def test_tools_work_on_members_of_every_kind(cluster):
    leader = cluster.await_leader()
    followers = cluster.followers

    def ours(member):
        return facts(run("tool", member.cluster_dir, "list-members"))

    def theirs(member):
        return facts(cluster.peers.tool(CLUSTER_TOOL, member.cluster_dir, "list-members"))

    for member in (leader, *followers):
        leads = member is leader
        run("is-leader", member.cluster_dir, code=0 if leads else 1)
        found = run_json("list-members", member.cluster_dir)
        assert (found["leader_member_id"], found["member_id"]) == (leader.index, member.index)
        assert [each["member_id"] for each in found["active_members"]] == [0, 1, 2]
        assert [each["is_leader"] for each in found["active_members"]] == [
            index == leader.index for index in range(3)
        ]
        # A follower that is still joining moves its position between the two calls.
        await_true(
            lambda member=member: ours(member) == theirs(member), "the same output of both tools"
        )

    # The leader knows the positions of all.
    def positions():
        found = run_json("list-members", leader.cluster_dir)["active_members"]
        return {each["log_position"] for each in found}

    await_true(
        lambda: len(positions()) == 1 and min(positions()) > 0, "all members at one position"
    )

    # Requests to the cluster go to the leader.
    for verb in ("snapshot", "suspend", "shutdown"):
        run(verb, followers[0].cluster_dir, code=1)
    assert run_json("suspend", leader.cluster_dir)["member_id"] == leader.index
    await_states(cluster, "SUSPENDED")
    run("resume", leader.cluster_dir)
    await_states(cluster, "ACTIVE")
    run("snapshot", leader.cluster_dir)

    def snapshots():
        found = run_json("status", *directories(cluster), "--no-members")["members"]
        return [
            [
                (each["log_position"], each["is_valid"])
                for each in one["recorded"]["snapshots"]
                if len(each["recording_ids"]) == 2  # snapshots of the module and of its service
            ]
            for one in found
        ]

    await_true(lambda: all(len(each) == 1 for each in snapshots()), "a snapshot on every member")
    await_states(cluster, "ACTIVE")
    assert len({each[0] for each in snapshots()}) == 1
    for member in (leader, *followers):
        run("validate-recording-log", member.cluster_dir)
        plan = run_json("recovery-plan", member.cluster_dir)["plan"]
        assert len(plan["snapshots"]) == 2
        state = run_json("describe-latest-cm-snapshot", member.cluster_dir)["state"]
        assert state["log_position"] == snapshots()[0][0][0]

    found = live(cluster)
    assert [each["role"] for each in found].count("LEADER") == 1
    assert [each["role"] for each in found].count("FOLLOWER") == 2
    assert {each["election_state"] for each in found} == {"CLOSED"}
    assert len({each["leadership_term_id"] for each in found}) == 1
    run("shutdown", leader.cluster_dir)
    for member in (leader, *followers):
        assert member.peer.wait() == 0
    for member in (leader, *followers):
        (status,) = run_json("status", member.cluster_dir, code=3)["members"]
        assert status["component"]["presence"] == "CLOSED"
        assert len(status["recorded"]["snapshots"]) == 2
