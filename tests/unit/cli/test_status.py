"""The table of `aeron-cluster status`: a member's columns at several widths."""

import contextlib
import io
from dataclasses import replace
from types import SimpleNamespace

from rich.console import Console
from rich.table import Table

from aeron_cluster.cli.members.status import _add_live, _members_table
from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.cluster.tools.cluster_directory import Presence
from aeron_cluster.cluster.tools.status import NodeStatus
from aeron_cluster.codecs.cluster_mark import ClusterComponentType


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
