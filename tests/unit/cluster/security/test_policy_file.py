"""The permissions in a policy file, and its invalid lines."""

import pytest

from aeron_cluster.cluster.security import allow_backup
from aeron_cluster.cluster.security.policy_file import ConnectPolicy, PolicyFile, parse_policy
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminRequestType,
    AdminResponse,
    AdminResponseCode,
    BackupQuery,
    HeartbeatRequest,
    StandbySnapshot,
)
from aeron_cluster.errors import AccessFileError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.session_rig import TERM, SessionRig

CLUSTER = 111
SNAPSHOT = (AdminRequest.template_id, AdminRequestType.SNAPSHOT)
POLICY = f"""
# who       may
admin:      connect snapshot
backup-1:   backup
a:b:        standby
root:       all
nobody:
numbers:    {CLUSTER}.26 7.*.3 8.9.10
*:          connect
"""


@pytest.fixture
def reported():
    return []


@pytest.fixture
def clock():
    return VirtualClock(epoch_nanos=10**18)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "policy"
    path.write_text(POLICY)
    return path


@pytest.fixture
def policy(path, clock, reported):
    return PolicyFile(str(path), SystemFiles(), clock, reported.append)


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        (b"admin", {"connect", "snapshot"}),
        (b"backup-1", {"backup"}),
        (b"a:b", {"standby"}),
        (b"root", {"connect", "snapshot", "backup", "standby", "other"}),
        (b"nobody", set()),
        (b"", {"connect"}),
        (b"somebody", {"connect"}),
        (b"Admin", {"connect"}),
        (b"\xff\xfe", {"connect"}),
        (b"*", {"connect"}),
    ],
)
def test_all_users_may_do_what_their_lines_allow(policy, who, allowed):
    requested = {
        "snapshot": policy(CLUSTER, *SNAPSHOT, who),
        "backup": policy(CLUSTER, BackupQuery.template_id, None, who)
        and policy(CLUSTER, HeartbeatRequest.template_id, None, who),
        "standby": policy(CLUSTER, StandbySnapshot.template_id, None, who),
        "connect": policy.may_connect(who),
        "other": policy(7, 8, 9, who),
    }
    assert {name for name, is_allowed in requested.items() if is_allowed} == allowed


def test_numeric_rules_match_messages(policy):
    for requested, is_allowed in (
        ((CLUSTER, 26, None), True),
        ((CLUSTER, 26, 5), True),
        ((CLUSTER, 27, None), False),
        ((7, 1, 3), True),
        ((7, 1, 4), False),
        ((7, 1, None), False),
        ((8, 9, 10), True),
        ((8, 9, 11), False),
    ):
        assert policy(*requested, b"numbers") is is_allowed


def test_an_admin_may_request_a_snapshot_and_no_other_admin_request(policy):
    assert not policy(CLUSTER, AdminRequest.template_id, AdminRequestType.NULL_VALUE, b"admin")
    assert not policy(CLUSTER, AdminRequest.template_id, None, b"admin")


def test_an_empty_file_allows_nothing():
    assert parse_policy("policy", b"\n# nobody\n") == {}


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("admin", "expected principal: permissions, found 'admin'"),
        (": connect", "expected principal"),
        ("bob: connect", "expected each principal once, found 'bob' again"),
        ("admin: conect", "expected one of all, connect, snapshot, backup, standby"),
        ("admin: connect,snapshot", "expected one of"),
        ("admin: 111", "schema.template"),
        ("admin: 111.-1", "schema.template"),
        ("admin: 1.2.3.4", "schema.template"),
        ("admin: 111111.1", "schema.template"),
    ],
)
def test_a_bad_line_is_named(line, reported):
    with pytest.raises(AccessFileError, match=reported) as caught:
        parse_policy("/etc/policy", f"\nbob: all\n{line}\n".encode())
    assert (caught.value.path, caught.value.line) == ("/etc/policy", 3)


def test_a_change_applies_a_second_later_and_a_mistake_changes_nothing(
    policy, path, clock, reported
):
    path.write_text("*: snapshot\n")
    assert policy.may_connect(b"x")
    clock.advance(10**9)
    assert not policy.may_connect(b"x")
    assert policy(CLUSTER, *SNAPSHOT, b"x")
    path.write_text("*: everything\n")
    for _ in range(3):
        clock.advance(10**9)
        assert policy(CLUSTER, *SNAPSHOT, b"x")
    assert [error.line for error in reported] == [1]


class Named:
    """Accepts every client with the name it sends."""

    def __init__(self):
        self.names = {}

    def on_connect_request(self, session_id, encoded_credentials, _):
        self.names[session_id] = bytes(encoded_credentials)

    def on_connected_session(self, proxy, _):
        proxy.authenticate(self.names[proxy.session_id])


def admin_answer(rig, number):
    session_id = rig.open(number, encoded_credentials=f"client{number}".encode())
    rig.notify(
        AdminRequest,
        leadership_term_id=TERM,
        cluster_session_id=session_id,
        correlation_id=66,
        request_type=AdminRequestType.SNAPSHOT,
        image=number,
    )
    answer = rig.observed(number)[-1]
    assert isinstance(answer, AdminResponse)
    return answer.response_code


def test_a_leader_applies_the_policy(path, policy):
    path.write_text("client1: connect snapshot\nclient2: connect\nclient3: backup\n")
    policy = PolicyFile(str(path), SystemFiles(), VirtualClock(), print)
    rig = SessionRig(authenticator=Named(), authorisation_service=policy)
    assert admin_answer(rig, 1) is AdminResponseCode.OK
    assert admin_answer(rig, 2) is AdminResponseCode.UNAUTHORISED_ACCESS
    for number in (3, 4):
        rig.connect(number, encoded_credentials=f"client{number}".encode())
        rig.tick(times=3)
        (event,) = rig.observed(number)
        assert (event.code.name, event.detail) == (
            "AUTHENTICATION_REJECTED",
            "session not authorised",
        )
    assert len(rig.snapshots) == 1
    assert len(rig.manager) == 2


def test_authorisation_function_is_no_connect_policy():
    assert not isinstance(allow_backup, ConnectPolicy)


def test_raising_policy_accepts_no_client(policy):
    def fail(_):
        raise RuntimeError("no policy")

    policy.may_connect = fail
    rig = SessionRig(authorisation_service=policy)
    rig.connect(1)
    rig.tick(times=3)
    (event,) = rig.observed(1)
    assert event.code.name == "AUTHENTICATION_REJECTED"
    assert [str(error) for error in rig.errors] == ["no policy"]
