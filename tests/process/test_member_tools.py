"""The commands for members on a running node: what they print for people, and upstream's words."""

import json
import re

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from tests.waiting import await_true

TIMER_ID = 77
PROPERTIES = {
    "aeron.cluster.log.channel": "aeron:udp?term-length=1m",
    # Longer than any pause of a busy machine.
    "aeron.client.liveness.timeout": "600s",
    "aeron.publication.unblock.timeout": "700s",
    "aeron.cluster.session.timeout": "600s",
}


class Scheduler(ClusteredService):
    """Schedules a timer far in the future with its first message."""

    def __init__(self):
        self.is_scheduled = False

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster

    def on_session_message(self, _session, timestamp, _message, _header):
        while not self.cluster.schedule_timer(TIMER_ID, timestamp + 3_600_000):
            self.cluster.idle()
        self.is_scheduled = True


def run(*arguments, code=0):
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == code, f"{arguments}: {done.exit_code}, expected {code}\n{done.output}"
    return done


def run_json(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def position_of_snapshot(place):
    return run_json("recovery-plan", place)["plan"]["snapshots"][0]["log_position"]


def rows(text):
    """Return the words of each line."""
    return [line.split() for line in text.splitlines()]


def local(directory, ports, service, *, count=1):
    """Return a node that is member 0 of a cluster on this machine, and its ingress endpoint."""
    members = [local_member(each, "localhost", ports + 10 * each) for each in range(count)]
    node = ClusterNode.launch(
        service,
        directory=directory,
        members="|".join(map(str, members)),
        properties=PROPERTIES,
    )
    return node, members[0].ingress_endpoint


@pytest.fixture(scope="module")
def place(tmp_path_factory, free_port):
    """Return the cluster directory of a leader with a session, a timer and a snapshot."""
    directory = tmp_path_factory.mktemp("node")
    service = Scheduler()
    node, ingress = local(directory, free_port(10), service)
    with (
        node,
        AeronCluster.connect(
            aeron_dir=node.driver.aeron_dir,
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0={ingress}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=120 * 10**9,
        ) as client,
    ):
        await_true(lambda: client.offer(b"begin"), "a message that was sent")
        await_true(lambda: service.is_scheduled, "a timer")
        assert run("snapshot", directory).stdout == "member 0: SNAPSHOT done\n"
        yield directory / "cluster"


@pytest.fixture(scope="module")
def lone(tmp_path_factory, free_port):
    """Return the cluster directory of a running member without its two peers."""
    directory = tmp_path_factory.mktemp("lone")
    node, _ = local(directory, free_port(30), ClusteredService(), count=3)
    with node:
        await_true(
            lambda: CliRunner().invoke(main, ["status", str(directory)]).exit_code == 0,
            "a member that has started",
        )
        yield directory / "cluster"


# ---- for people ----


def test_recovery_plan_shows_the_snapshots_and_the_log_after_them(place):
    plan = run_json("recovery-plan", place)["plan"]
    text = run("recovery-plan", place).stdout
    position = f"{plan['snapshots'][0]['log_position']:,}"
    assert text.startswith(f"snapshot at {position}\n")
    for each in plan["snapshots"]:
        of = ["module"] if each["service_id"] < 0 else ["service", str(each["service_id"])]
        entry = [str(each["recording_id"]), "0", "0", position, str(each["timestamp"])]
        assert [*entry, "snapshot", *of] in rows(text)
    assert len(plan["snapshots"]) == 2
    assert f"log, recording {plan['log']['recording_id']}\n" in text
    assert ["replayed", "from", position] in rows(text)
    assert ["up", "to", "still", "recorded"] in rows(text)
    assert ["committed", "at", "least", "to", position] in rows(text)


def test_latest_snapshot_shows_its_sessions_and_timers(place):
    state = run_json("describe-latest-cm-snapshot", place)["state"]
    text = run("describe-latest-cm-snapshot", place).stdout
    assert text.startswith(f"snapshot at {state['log_position']:,} in term 0: recording ")
    assert f"next session {state['next_session_id']}\n" in text
    (session,) = state["sessions"]
    channel = f"{session['response_channel']} stream {session['response_stream_id']}"
    found = [str(session["cluster_session_id"]), f"{session['opened_log_position']:,}"]
    assert [*found, *channel.split()] in rows(text)  # it is not closing
    ((correlation_id, deadline),) = state["timers"]
    assert correlation_id == TIMER_ID
    assert [str(TIMER_ID), str(deadline)] in rows(text)
    (tracker,) = state["trackers"]
    next_id, log_id = tracker["next_service_session_id"], tracker["log_service_session_id"]
    assert ["0", "0", str(next_id), str(log_id)] in rows(text)


def test_members_are_listed_with_their_endpoints(place):
    found = run_json("list-members", place)
    (member,) = found["active_members"]
    text = run("list-members", place).stdout
    position = f"{member['log_position']:,}"
    names = ("ingress", "consensus", "log", "catchup", "archive")
    endpoints = [member[f"{name}_endpoint"] for name in names]
    assert ["0", "leader", "0", position, *endpoints] in rows(text)
    assert "knows no leader" not in text


def test_errors_are_those_of_the_member_its_driver_and_its_services(place):
    logs = run_json("errors", place)["logs"]
    kinds = [each["of"].partition(",")[0] for each in logs]
    assert kinds == ["consensus module", "driver", "container of service 0"]
    text = run("errors", place).stdout
    assert text.splitlines()[2] == f"driver ({logs[1]['path']})"
    assert text.count("0 distinct errors observed") == 3


def test_invalidated_snapshot_of_a_running_member_is_used_again_after_the_next_one(place):
    latest = position_of_snapshot(place)
    done = run("invalidate-latest-snapshot", place, "--yes")
    assert done.stdout == f"the snapshot at {latest:,} is now invalid\n"
    assert "the member is running and continues" in done.stderr
    plan = run("recovery-plan", place).stdout
    assert plan.startswith("no snapshot\n")
    assert ["replayed", "from", "0"] in rows(plan)
    nothing = run("invalidate-latest-snapshot", place, "--yes", code=1)
    assert nothing.output == "there is no valid snapshot\n"
    assert run("tool", place, "describe-latest-cm-snapshot", code=255).stdout == (
        "Snapshot not found\n"
    )
    applied = run("tool", place, "snapshot").stdout
    assert applied == "Member [0]: SNAPSHOT applied successfully\n"
    assert position_of_snapshot(place) >= latest


# ---- a member without a leader ----


def test_member_without_a_leader_is_shown_as_electing(lone):
    def shown():
        done = run("status", lone).stdout.splitlines()
        return done[1].split()

    await_true(lambda: shown()[:4] == ["0", "follower", "electing:", "canvass"], "a canvass")
    assert "members      no leader known; " in run("status", lone).stdout


def test_list_of_members_shows_that_none_leads(lone):
    text = run("list-members", lone).stdout
    assert text.endswith("the member knows no leader\n")
    assert [row[0] for row in rows(text)[1:-1]] == ["0", "1", "2"]
    assert "leader" not in [word for row in rows(text)[1:-1] for word in row]


def test_requests_to_a_member_that_does_not_lead_are_rejected(lone):
    assert run("is-leader", lone, code=1).output == ""
    assert run("tool", lone, "is-leader", code=1).output == ""
    reason = "Current node is not the leader (leaderMemberId = -1), unable to SNAPSHOT"
    assert run("tool", lone, "snapshot", code=255).stdout == f"Member [0]: {reason}\n"
    assert reason in run("snapshot", lone, code=1).stderr


def test_member_without_a_leader_is_alive_but_not_ready(lone):
    def problem():
        return run("ready", lone, code=1).stderr

    assert run("live", lone).output == ""
    await_true(lambda: "member 0 is in an election: canvass" in problem(), "a canvass")


# ---- upstream's wording ----


def test_the_tool_shows_the_records_of_the_latest_snapshot(place):
    state = run_json("describe-latest-cm-snapshot", place)["state"]
    lines = run("tool", place, "describe-latest-cm-snapshot").stdout.splitlines()
    assert lines[0] == "Snapshot: appVersion=1 timeUnit=MILLISECONDS"
    ((_, deadline),) = state["timers"]
    assert f"Timer: correlationId={TIMER_ID} deadline={deadline}" in lines
    assert any(line.startswith("Cluster Session: clusterSessionId=1 ") for line in lines)
    (end,) = (line for line in lines if line.startswith("End Snapshot, "))
    assert re.fullmatch(r"End Snapshot, offset=\d+, length=\d+", end)


def test_the_tool_shows_the_errors_of_a_running_driver(place):
    text = run("tool", place, "errors").stdout
    after = text.partition("Aeron driver error log (directory: ")[2]
    assert "O distinct errors observed\n" in after.partition("INFO: mark file exists")[0]
