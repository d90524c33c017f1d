"""Requests to a member: when they are rejected, when they are sent, how they end."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cli.members.inspection import is_settled_leader
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.control_toggle import ControlToggle, NodeToggle
from aeron_cluster.cluster.tools import control
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.control import (
    REQUESTS,
    ControlRequestError,
    NotLeaderError,
    Request,
    request,
)
from aeron_cluster.cluster.tools.membership import ClusterMembership
from aeron_cluster.errors import TimeoutExpiredError
from aeron_cluster.memory.system.seams import Seams

STATE, ROLE, TOGGLE, SNAPSHOT_COUNT, ELECTION_STATE, NODE_TOGGLE = 200, 201, 202, 205, 207, 233
NOT_LONG_NS = 20_000_000


@pytest.fixture
def leader(monkeypatch):
    """Answer the member query in place of a module; set the leader."""
    leads = [3]

    def query(_seams, _component, _timeout_ns):
        return ClusterMembership(
            current_time_ns=0, leader_member_id=leads[0], member_id=3, active_members=()
        )

    monkeypatch.setattr(control, "query_membership", query)
    return leads


@pytest.fixture
def running(member, driver, leader):
    assert driver.aeron_dir == str(member.aeron_dir)
    assert leader == [3]
    member.mark()
    member.count(STATE, ConsensusModuleState.ACTIVE)
    member.count(TOGGLE, ControlToggle.NEUTRAL)
    member.count(NODE_TOGGLE, NodeToggle.NEUTRAL)
    return member


def send_request(member, wanted):
    return request(ClusterDirectory(str(member.directory)), wanted)


@pytest.mark.parametrize("verb", ["suspend", "shutdown", "abort"])
def test_sends_the_request_to_the_leader_without_waiting(running, verb):
    assert send_request(running, REQUESTS[verb]) == 3
    assert running.counters[TOGGLE].get() == ControlToggle[verb.upper()]


def test_only_the_leader_receives_the_request(running, leader):
    for leads in (1, -1):
        leader[0] = leads
        with pytest.raises(NotLeaderError, match=f"leaderMemberId = {leads}"):
            send_request(running, REQUESTS["snapshot"])
    assert running.counters[TOGGLE].get() == ControlToggle.NEUTRAL


def test_any_member_validates_its_recording_log(running, leader):
    leader[0] = 1
    wanted = Request(toggle=NodeToggle.VALIDATE_RECORDING_LOG)
    assert send_request(running, wanted) == 3
    assert running.counters[NODE_TOGGLE].get() == NodeToggle.VALIDATE_RECORDING_LOG
    assert running.counters[TOGGLE].get() == ControlToggle.NEUTRAL


@pytest.mark.parametrize(
    ("verb", "state"), [("snapshot", "SUSPENDED"), ("suspend", "SNAPSHOT"), ("resume", "ACTIVE")]
)
def test_a_module_in_another_state_receives_no_request(running, verb, state):
    running.counters[STATE].set(ConsensusModuleState[state])
    with pytest.raises(ControlRequestError, match=f"is {state}, but needs to be"):
        send_request(running, REQUESTS[verb])
    assert running.counters[TOGGLE].get() == ControlToggle.NEUTRAL


@pytest.mark.parametrize("state", [ConsensusModuleState.ACTIVE, ConsensusModuleState.SUSPENDED])
def test_a_leader_is_reported_while_suspended_once_the_election_is_over(running, state):
    running.counters[STATE].set(state)
    election = running.count(ELECTION_STATE, ElectionState.CLOSED)
    role = running.count(ROLE, Role.LEADER)
    place = ClusterDirectory(str(running.directory))
    assert is_settled_leader(place, 0)
    election.set(ElectionState.LEADER_READY)
    assert not is_settled_leader(place, 0)
    election.set(ElectionState.CLOSED)
    role.set(Role.FOLLOWER)
    assert not is_settled_leader(place, 0)


def test_an_unknown_state_is_reported_unchanged(running):
    running.counters[STATE].set(99)
    with pytest.raises(ControlRequestError, match="is 99, but needs to be ACTIVE"):
        send_request(running, REQUESTS["snapshot"])


@pytest.mark.parametrize("toggle", [ControlToggle.SNAPSHOT, ControlToggle.INACTIVE])
def test_one_request_at_a_time(running, toggle):
    running.counters[TOGGLE].set(toggle)
    with pytest.raises(ControlRequestError, match=f"current toggle value = {toggle.name}"):
        send_request(running, REQUESTS["suspend"])
    assert running.counters[TOGGLE].get() == toggle


def test_resumes_a_suspended_module(running):
    running.counters[STATE].set(ConsensusModuleState.SUSPENDED)
    running.counters[TOGGLE].set(ControlToggle.SUSPEND)
    wanted = Request(toggle=ControlToggle.RESUME, state=ConsensusModuleState.SUSPENDED)
    send_request(running, wanted)
    assert running.counters[TOGGLE].get() == ControlToggle.RESUME


def test_reports_an_unfinished_request(running):
    wanted = Request(toggle=ControlToggle.SNAPSHOT, timeout_ns=NOT_LONG_NS)
    with pytest.raises(TimeoutExpiredError, match="SNAPSHOT was requested and is not complete"):
        send_request(running, wanted)
    assert running.counters[TOGGLE].get() == ControlToggle.SNAPSHOT


@pytest.mark.parametrize("taken", [1, 0])
def test_a_request_without_a_snapshot_is_no_success(running, monkeypatch, taken):
    count = running.count(SNAPSHOT_COUNT, 5)

    def end(*_):
        count.set(5 + taken)

    monkeypatch.setattr(control, "_await_neutral", end)
    if taken:
        assert send_request(running, REQUESTS["snapshot"]) == 3
    else:
        with pytest.raises(ControlRequestError, match="SNAPSHOT failed: see the errors"):
            send_request(running, REQUESTS["snapshot"])


def test_a_driver_without_a_module_is_reported(member, driver, leader):
    assert driver.aeron_dir == str(member.aeron_dir)
    assert leader == [3]
    member.mark()
    with pytest.raises(ControlRequestError, match="resolve state of consensus module"):
        send_request(member, REQUESTS["snapshot"])
    member.count(STATE, ConsensusModuleState.ACTIVE)
    with pytest.raises(ControlRequestError, match="find control toggle"):
        send_request(member, REQUESTS["snapshot"])


def test_a_member_that_ends_meanwhile_is_named():
    """Its counter belongs to another owner then, or to none."""
    counter = SimpleNamespace(get=lambda: ControlToggle.SNAPSHOT, is_current=False)
    with pytest.raises(ControlRequestError, match="it ended while SNAPSHOT was in progress"):
        control._await_neutral(Seams(), 3, counter, ControlToggle.SNAPSHOT, 60_000_000_000)
