"""The tables of `aeron-cluster status`: a member's columns at several widths, and its details."""

import contextlib
import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.table import Table

from aeron_cluster.cli.members.status import _add_live, _details, _members_table
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.tools.cluster_directory import Presence
from aeron_cluster.cluster.tools.status import (
    BackupStatus,
    LiveStatus,
    NodeStatus,
    RecordedStatus,
    ServiceStatus,
    SessionStatus,
    SnapshotStatus,
)
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.memory.shared.error_text import ErrorLogEntry


def member(*, silent_ms=0, timeout_ns=-1, leader_silent_ms=None):
    live = SimpleNamespace(
        state=SimpleNamespace(name="ACTIVE"),
        election_state=ElectionState.CLOSED,
        role=Role.LEADER,
        is_leader=True,
        leadership_term_id=1_234,
        commit_position=123_456_789_012,
        append_position=123_456_789_312,
        sessions=(),
        error_count=0,
        leader_heartbeat_timeout_ns=timeout_ns,
        leader_activity_ms=-1,
    )
    read_ms = 1_700_000_000_000  # long ago: only the time of the reading counts
    if leader_silent_ms is not None:
        live.leader_activity_ms = read_ms - leader_silent_ms
    header = SimpleNamespace(activity_timestamp=read_ms - silent_ms, member_id=0)
    return NodeStatus(
        directory="/var/lib/a/rather/long/path/of/a/member/cluster",
        read_ms=read_ms,
        component=SimpleNamespace(header=header),
        services=(),
        live=live,
        backup=None,
        recorded=None,
        disk=(),
        errors=(),
    )


def shown(found, width):
    out = io.StringIO()
    Console(file=out, width=width).print(_members_table([found], width))
    return out.getvalue()


def test_no_number_is_cut_in_80_columns():
    text = shown(member(), 80)
    assert "123,456,789,012" in text
    assert "…" not in text
    assert "active" in text
    assert "123,456,789,312" in shown(member(), 110)
    assert "…" not in shown(member(), 110)


def test_a_silent_member_is_not_reported_active():
    assert "active" in shown(member(silent_ms=900), 200)
    silent = shown(member(silent_ms=5_130), 200)
    assert "was leader" in silent
    assert "silent for 5.1 s, election at 10 s" in silent
    assert "election since 10 s" in shown(member(silent_ms=11_000), 200)


def test_member_whose_driver_is_silent_too_is_reported_silent():
    stopped = member(silent_ms=12_340)
    header = stopped.component.header
    header.component_type = ClusterComponentType.CONSENSUS_MODULE
    component = SimpleNamespace(header=header, presence=Presence.RUNNING, is_alive=True)
    stopped = replace(stopped, live=None, component=component)
    assert "0  -     silent for 12.3 s" in shown(stopped, 200)
    starting = replace(stopped, read_ms=header.activity_timestamp)
    assert "not known" in shown(starting, 200)


def test_election_time_follows_the_timeout_in_the_environment(monkeypatch):
    monkeypatch.setenv("AERON_CLUSTER_LEADER_HEARTBEAT_TIMEOUT", "7s")
    assert "election at 7 s" in shown(member(silent_ms=5_100), 200)


def test_election_time_is_that_of_the_member_if_it_publishes_it(monkeypatch):
    monkeypatch.setenv("AERON_CLUSTER_LEADER_HEARTBEAT_TIMEOUT", "7s")
    assert "election at 15 s" in shown(member(silent_ms=5_100, timeout_ns=15 * 10**9), 200)


def details_of(follower, silent, *, leader=2):
    follower.live.membership = SimpleNamespace(
        leader_member_id=leader, active_members=(), position_of=lambda _: -1
    )
    table = Table()
    with contextlib.suppress(AttributeError):  # the rest is not part of this test
        _add_live(table, follower, silent)
    return str(list(table.columns[-1].cells))


def test_a_follower_alone_shows_that_its_leader_is_silent():
    assert "leader 2 silent for 4.1 s, election at 15 s;" in details_of(
        member(leader_silent_ms=4_120, timeout_ns=15 * 10**9), {}
    )
    assert "member 2 leads" in details_of(member(leader_silent_ms=1_200), {})
    # The counter of a follower that is silent itself is old.
    stopped = member(leader_silent_ms=9_000, silent_ms=8_500)
    assert "member 2 leads" in details_of(stopped, {})


def test_silent_leader_is_not_reported_as_leading():
    assert "member 2 leads" in details_of(member(), {2: 0.4})
    assert "leader 2 silent for 4.1 s, election at 10 s;" in details_of(member(), {2: 4.12})


def test_during_an_election_no_leader_is_silent():
    follower = member(leader_silent_ms=10_100)
    assert "no leader known" in details_of(follower, {-1: 10.1}, leader=-1)


def test_an_election_is_shown_in_place_of_the_state():
    electing = member()
    electing.live.election_state = ElectionState.FOLLOWER_BALLOT
    electing.live.is_leader = False
    electing.live.role = Role.FOLLOWER
    assert "0  follower  electing: follower ballot" in shown(electing, 200)


# ---- details ----


READ_MS = 1_700_000_000_000


def live(**changes):
    given = {
        "state": ConsensusModuleState.ACTIVE,
        "role": Role.LEADER,
        "election_state": ElectionState.CLOSED,
        "election_count": 1,
        "leadership_term_id": 3,
        "commit_position": 4_096,
        "append_position": 4_096,
        "lag": 0,
        "control_toggle": ControlToggle.NEUTRAL,
        "error_count": 0,
        "snapshot_count": 0,
        "timed_out_clients": 0,
        "next_snapshot_ms": -1,
        "log_start_position": -1,
        "leader_activity_ms": -1,
        "leader_heartbeat_timeout_ns": -1,
        "sessions": (),
        "membership": None,
    }
    return LiveStatus(**given | changes)


def lines_of(kind=ClusterComponentType.CONSENSUS_MODULE, **changes):
    """Return the lines of a member's details, each as its name and its text."""
    header = SimpleNamespace(
        activity_timestamp=READ_MS,
        start_timestamp=READ_MS,
        member_id=0,
        pid=4_321,
        aeron_directory="driver",
        component_type=kind,
    )
    given = {
        "directory": "cluster",
        "read_ms": READ_MS,
        "component": SimpleNamespace(header=header, presence=Presence.RUNNING, is_alive=True),
        "services": (),
        "live": None,
        "backup": None,
        "recorded": None,
        "disk": (),
        "errors": (),
    }
    out = io.StringIO()
    for part in _details(NodeStatus(**given | changes), {}):
        Console(file=out, width=200).print(part)
    found = (re.split(r"  +", line.rstrip(), maxsplit=1) for line in out.getvalue().splitlines())
    return [tuple(each) for each in found if len(each) > 1]


def test_member_without_a_recording_log_has_none_yet():
    assert lines_of() == [("recording log", "none yet")]


def test_pending_request_and_what_is_scheduled_are_shown():
    found = dict(lines_of(live=live()))
    assert not {"requested", "next snapshot", "purged"} & set(found)
    scheduled = live(
        control_toggle=ControlToggle.SNAPSHOT,
        next_snapshot_ms=READ_MS + 60_000,
        log_start_position=1_048_576,
    )
    found = dict(lines_of(live=scheduled))
    assert found["requested"] == "snapshot"
    assert re.fullmatch(r"due 2023-11-1\d \d\d:\d\d:20", found["next snapshot"])
    assert found["purged"] == "the log begins at 1,048,576"


@pytest.mark.parametrize(("count", "more"), [(10, None), (13, "and 3 sessions more")])
def test_only_ten_sessions_are_listed(count, more):
    sessions = tuple(
        SessionStatus(cluster_session_id=each, about=f"name={each}") for each in range(count)
    )
    found = lines_of(live=live(sessions=sessions))
    assert [line for line in found if line[0].startswith("session ")] == [
        (f"session {each}", f"name={each}") for each in range(10)
    ]
    assert (("", more) in found) == (more is not None)


@pytest.mark.parametrize("count", [3, 5])
def test_only_three_snapshots_and_errors_are_listed(count):
    snapshots = tuple(
        SnapshotStatus(
            log_position=1_000 * (count - each),
            leadership_term_id=2,
            timestamp=0,
            is_valid=True,
            recording_ids=(each, each + 1),
        )
        for each in range(count)
    )
    recorded = RecordedStatus(
        log_recording_id=0,
        term_count=3,
        last_term_id=2,
        last_term_base_log_position=2_048,
        snapshots=snapshots,
    )
    errors = tuple(
        ("driver", ErrorLogEntry(each + 1, READ_MS, READ_MS, f"error {each}\n  at its place"))
        for each in range(count)
    )
    found = lines_of(recorded=recorded, errors=errors)
    assert [text for name, text in found if name == "snapshot"] == [
        f"at {each.log_position:,} in term 2, recordings {each.recording_ids[0]},"
        f" {each.recording_ids[1]}"
        for each in snapshots[:3]
    ]
    shown_errors = [text for name, text in found if name == "error"]
    assert [re.sub(", last .*:20: ", " ", text) for text in shown_errors] == [
        f"driver: {each + 1} x error {each}" for each in range(3)
    ]
    rest = [("", "and 2 older ones"), ("", "and 2 more: aeron-cluster errors")]
    assert [line for line in found if not line[0]] == (rest if count > 3 else [])


def test_services_show_the_errors_that_they_counted():
    services = tuple(
        ServiceStatus(
            service_id=each,
            name="book",
            presence="RUNNING",
            log_position=4_000,
            lag=96,
            error_count=each,
        )
        for each in range(2)
    )
    found = dict(lines_of(services=services))
    assert found["service 0"] == "book, running, log read to 4,000, 96 behind"
    assert found["service 1"] == "book, running, log read to 4,000, 96 behind, 1 errors"


@pytest.mark.parametrize(
    ("position", "next_query_ms", "copied"),
    [(4_096, READ_MS, "4,096"), (-1, -1, "nowhere yet")],
)
def test_backup_shows_its_copy_of_the_log_and_its_next_query(position, next_query_ms, copied):
    backup = BackupStatus(
        state=BackupState.SNAPSHOT_RETRIEVE,
        live_log_position=position,
        next_query_ms=next_query_ms,
        error_count=2,
        snapshots_retrieved=1,
    )
    found = dict(lines_of(ClusterComponentType.BACKUP, backup=backup))
    assert found["backup"] == "snapshot retrieve"
    assert found["log copied to"] == copied
    assert ("next query" in found) == (next_query_ms >= 0)
    assert found["since start"] == "1 snapshots retrieved, 2 errors"


@pytest.mark.parametrize("presence", [Presence.RUNNING, Presence.CLOSED])
def test_backup_is_shown_in_the_list_of_members(presence):
    backup = member()
    header = backup.component.header
    header.component_type = ClusterComponentType.BACKUP
    component = SimpleNamespace(header=header, presence=presence, is_alive=True)
    text = shown(replace(backup, live=None, component=component), 200)
    assert f"0  -     backup, {presence.name.lower()}" in text


def test_follower_is_shown_with_its_role_and_state():
    follower = member()
    follower.live.is_leader = False
    follower.live.role = Role.FOLLOWER
    assert "0  follower  active" in shown(follower, 200)
