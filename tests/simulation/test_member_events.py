"""Lines of the event log of a whole member, in the format of upstream's logging agent.

The formats themselves are compared with the real agent's in tests/unit/events/test_text.py.
"""

import re
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state import event_log
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.recorder import EventRecorder
from aeron_cluster.events.text import decode_record
from tests.golden.vectors import differing_changes
from tests.simulation.scenarios.rig import Scenario, state_of

CAPACITY = 1 << 20
TIME = re.compile(r"^\[\d+\.\d{9}\] ")


@pytest.fixture
def lines(monkeypatch):
    """Enable all events of members; return a function that returns their lines by event."""
    logs = []

    def open_log(_stack, component, _directory, seams, *_, **_options):
        memory = bytearray(EventLog.file_length(CAPACITY))
        log = EventLog(
            memory,
            seams.clock,
            component=component,
            enabled=sum(1 << (event & 0xFFFF) for event in ClusterEvent),
            pid=1,
        )
        logs.append(EventLogReader(memory, "cluster-events.dat"))
        return EventRecorder(log)

    monkeypatch.setattr(event_log, "EventRecorder", SimpleNamespace(open=open_log))
    seen = []

    def lines_of(event):
        for log in logs:
            while records := log.poll(1000):
                seen.extend(decode_record(*record).line for record in records)
        name = f" CLUSTER: {event.name} "
        found = [line for line in seen if name in line]
        assert all(map(TIME.match, found)), found
        return [TIME.sub("", line) for line in found]

    return lines_of


def test_elections_replays_and_services_acknowledgements_have_upstreams_lines(lines):
    with Scenario(members=1) as cluster:
        cluster.start()
        cluster.await_leader()
        cluster.send_request(1)
        member = cluster.leader()
        [started] = lines(ClusterEvent.NEW_ELECTION)
        assert started == (
            "CLUSTER: NEW_ELECTION [44/44]: memberId=0 leadershipTermId=-1 logPosition=0"
            ' appendPosition=0 reason="node started"'
        )
        assert lines(ClusterEvent.REPLAY_NEW_LEADERSHIP_TERM) == []
        # At its start with the id of its client, then when it has joined the log.
        for ack, wanted in zip(
            lines(ClusterEvent.SERVICE_ACK),
            (r"ackId=0 relevantId=\d+", "ackId=1 relevantId=-1"),
            strict=True,
        ):
            assert re.fullmatch(
                r"CLUSTER: SERVICE_ACK \[56/56\]: memberId=0 logPosition=0 timestamp=0"
                rf" timeUnit=MILLISECONDS {wanted} serviceId=0",
                ack,
            )
        end = member.commit_position
        member.kill()
        member.start()
        cluster.await_leader()
        _, restarted = lines(ClusterEvent.NEW_ELECTION)
        assert restarted == (
            f"CLUSTER: NEW_ELECTION [44/44]: memberId=0 leadershipTermId=0 logPosition=0"
            f' appendPosition={end} reason="node started"'
        )
        [replayed] = lines(ClusterEvent.REPLAY_NEW_LEADERSHIP_TERM)
        assert re.fullmatch(
            r"CLUSTER: REPLAY_NEW_LEADERSHIP_TERM \[57/57\]: memberId=0 isInElection=true"
            r" leadershipTermId=0 logPosition=\d+ termBaseLogPosition=0 appVersion=1"
            r" timestamp=\d+ timeUnit=MILLISECONDS",
            replayed,
        )


# Upstream: the reasons of ConsensusModuleAgent.
@pytest.mark.parametrize(
    ("toggle", "changes"),
    [
        (
            ControlToggle.SHUTDOWN,
            [
                ("ACTIVE -> SNAPSHOT", "ClusterControl.SHUTDOWN"),
                ("SNAPSHOT -> TERMINATING", "null != clusterTermination"),
                ("TERMINATING -> CLOSED", "expected termination"),
            ],
        ),
        (
            ControlToggle.ABORT,
            [
                ("ACTIVE -> TERMINATING", "ClusterControl.ABORT"),
                ("TERMINATING -> CLOSED", "expected termination"),
            ],
        ),
    ],
)
def test_the_states_of_an_end_have_upstreams_reasons(lines, toggle, changes):
    with Scenario(members=1) as cluster:
        cluster.start()
        cluster.await_leader()
        cluster.end(toggle)
        started, *ended = lines(ClusterEvent.STATE_CHANGE)
        assert started.endswith('memberId=0 INIT -> ACTIVE reason="started"')
        assert [line.partition("memberId=0 ")[2] for line in ended] == [
            f'{change} reason="{reason}"' for change, reason in changes
        ]


# Changes that Java's members did not have in that run.
OTHERS = {
    "action=BACKUP": "a follower queries its leader's member list (docs/decisions/elections.md)",
    "OPEN -> CLOSED": "a session that is open at the end",
    "FOLLOWER -> FOLLOWER": "no change",
}


def test_changes_and_reasons_are_those_of_a_running_cluster_of_java(lines):
    with Scenario(members=3) as cluster:
        cluster.begin()
        cluster.send_request()
        cluster.snapshot()
        leader = cluster.leader()
        for toggle, state in (
            (ControlToggle.SUSPEND, ConsensusModuleState.SUSPENDED),
            (ControlToggle.RESUME, ConsensusModuleState.ACTIVE),
        ):
            assert leader.module.try_toggle(toggle)
            cluster.await_all(lambda each, state=state: state_of(each) is state, what=state.name)
        leader.kill()
        cluster.await_other_leader(leader)
        cluster.send_request()
        leader.start()
        cluster.await_equal()
        cluster.end(ControlToggle.SHUTDOWN)
        events = (
            ClusterEvent.ELECTION_STATE_CHANGE,
            ClusterEvent.NEW_ELECTION,
            ClusterEvent.STATE_CHANGE,
            ClusterEvent.ROLE_CHANGE,
            ClusterEvent.CLUSTER_SESSION_STATE_CHANGE,
        )
        found = [line for event in events for line in lines(event)]
    assert len({line.split()[1] for line in found}) == len(events)
    assert differing_changes(found, OTHERS) == []
