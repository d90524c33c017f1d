"""The node's output about its role: one line per change, with the leader."""

import contextlib
from types import SimpleNamespace

from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.processes.node import _Watch, fast_failover
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.module_counters import (
    COMMIT_POSITION_TYPE,
    ELECTION_STATE_TYPE,
    LEADERSHIP_TERM_ID_TYPE,
    NODE_ROLE_TYPE,
    SESSION_TYPE,
)
from aeron_cluster.config import assumed_environment, environment_name
from aeron_cluster.memory.system.seams import SystemClock


class Node:
    """A node with counters set by the test."""

    is_running = True

    def __init__(self):
        self.values = {}
        self.driver = SimpleNamespace(counters=self)
        self.member = SimpleNamespace(ingress_endpoint="b:9011")
        self.consensus_module = SimpleNamespace(leader_member_id=-1)

    def counters(self):
        return [SimpleNamespace(type_id=key, value=value) for key, value in self.values.items()]

    def be(self, election, role=Role.FOLLOWER, leader=-1, term=-1):
        self.consensus_module.leader_member_id = leader
        self.values = {
            COMMIT_POSITION_TYPE: 4096,
            ELECTION_STATE_TYPE: election,
            LEADERSHIP_TERM_ID_TYPE: term,
            NODE_ROLE_TYPE: role,
        }


def test_each_change_of_role_leader_or_term_is_printed_once(capsys):
    node = Node()
    watch = _Watch(node, Lines(), None, SystemClock().nano_time(), None)
    for election, role, leader, term in (
        (ElectionState.CANVASS, Role.FOLLOWER, -1, -1),
        (ElectionState.CLOSED, Role.FOLLOWER, 2, 0),
        (ElectionState.CLOSED, Role.FOLLOWER, 2, 0),
        (ElectionState.CLOSED, Role.FOLLOWER, 0, 3),
        (ElectionState.CANVASS, Role.FOLLOWER, -1, 3),
        (ElectionState.CLOSED, Role.LEADER, 1, 4),
    ):
        node.be(election, role, leader, term)
        assert watch._print_election() is (election is ElectionState.CLOSED)
    assert [line.partition(" s  ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "canvass, log at 4,096",
        "follower of member 2 in term 0, log at 4,096",
        "follower of member 0 in term 3, log at 4,096",
        "canvass, log at 4,096",
        "leader in term 4, log at 4,096; serving clients at b:9011",
    ]


class Terminal(Lines):
    """Lines on a terminal, whose status the test reads."""

    def __init__(self):
        super().__init__()
        self.is_terminal = True
        self.shown = []

    @contextlib.contextmanager
    def status(self, text):
        self.shown.append(text)
        yield self.shown.append


def test_a_terminal_shows_role_sessions_and_commits_until_a_signal(capsys):
    node, lines = Node(), Terminal()
    node.be(ElectionState.CLOSED, Role.LEADER, 1, 4)
    changes = iter(
        [
            lambda: None,
            lambda: node.values.update({COMMIT_POSITION_TYPE: 8192, SESSION_TYPE: 0}),
            lambda: node.be(ElectionState.CLOSED, Role.FOLLOWER, 0, 5),
        ]
    )

    def wait(_):
        change = next(changes, None)
        if change is not None:
            change()
        return change is None

    barrier = SimpleNamespace(wait=wait)
    _Watch(node, lines, barrier, SystemClock().nano_time(), None).run_until_end()
    assert lines.shown == [
        "leader, sessions 0, log committed to 4,096",
        "leader, sessions 1, log committed to 8,192",
        "follower, sessions 0, log committed to 4,096",
    ]
    printed = capsys.readouterr().err
    assert "leader in term 4" in printed
    assert "follower of member 0 in term 5" in printed


def test_fast_failover_retains_given_properties():
    name = "aeron.cluster.leader.heartbeat.timeout"
    given = fast_failover({name: "5s", "aeron.cluster.session.timeout": "1s"})
    assert "leader_heartbeat_timeout_ns" not in given
    assert set(fast_failover({})) - set(given) == {"leader_heartbeat_timeout_ns"}
    assert fast_failover({})["leader_heartbeat_timeout_ns"] < 1_000_000_000
    with assumed_environment({environment_name(name): "5s"}):
        assert "leader_heartbeat_timeout_ns" not in fast_failover({})
