"""The events that a member and a backup log, as the texts of upstream's logging agent.

The layouts themselves are checked against the real agent's records in
tests/unit/events/test_text.py.
"""

import itertools
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.leadership import LeadershipView
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState, ModuleStatus
from aeron_cluster.cluster.backup.agent import BackupAgent
from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.cluster.log.replication_events import done_recorder
from aeron_cluster.cluster.members.message_events import log_message
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.members.time_unit import time_unit_name
from aeron_cluster.cluster.sessions.cluster_session import ClusterSession
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import BooleanType, CloseReason, ClusterTimeUnit, EventCode
from aeron_cluster.events.codes import ClusterEvent, ComponentType
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from tests.unit.cluster.election_rig import Cluster, Node
from tests.unit.cluster.logged_events import LoggedEvents
from tests.unit.cluster.members_rig import MembersRig, append_position, commit_position
from tests.unit.cluster.module_rig import TERM_ID, change_leadership
from tests.unit.cluster.session_rig import TERM, SessionRig
from tests.unit.cluster.test_backup_sessions import BackupRig, offered
from tests.unit.cluster.test_election import LEADER, Host, drive, elect
from tests.unit.cluster.test_election_of_many import Alone, log_of_term, new_term

CAPACITY = 65536
MESSAGES = [
    (
        codecs.NewLeadershipTerm.encode(
            log_leadership_term_id=2,
            next_leadership_term_id=3,
            next_term_base_log_position=4,
            next_log_position=5,
            leadership_term_id=6,
            term_base_log_position=7,
            log_position=8,
            leader_recording_id=10,
            timestamp=11,
            leader_member_id=12,
            log_session_id=13,
            app_version=0x010203,
            is_startup=BooleanType.TRUE,
            commit_position=9,
        ),
        "NEW_LEADERSHIP_TERM memberId=1 logLeadershipTermId=2 nextLeadershipTermId=3"
        " nextTermBaseLogPosition=4 nextLogPosition=5 leadershipTermId=6 termBaseLogPosition=7"
        " logPosition=8 commitPosition=9 leaderRecordingId=10 timestamp=11 leaderId=12"
        " logSessionId=13 appVersion=1.2.3 isStartup=true",
    ),
    (
        codecs.CanvassPosition.encode(
            log_leadership_term_id=2,
            log_position=3,
            leadership_term_id=4,
            follower_member_id=5,
            protocol_version=0x010203,
        ),
        "CANVASS_POSITION memberId=1 logLeadershipTermId=2 logPosition=3 leadershipTermId=4"
        " followerMemberId=5 protocolVersion=1.2.3",
    ),
    (
        codecs.RequestVote.encode(
            log_leadership_term_id=2,
            log_position=3,
            candidate_term_id=4,
            candidate_member_id=5,
            protocol_version=0x010203,
        ),
        "REQUEST_VOTE memberId=1 logLeadershipTermId=2 logPosition=3 candidateTermId=4"
        " candidateId=5 protocolVersion=1.2.3",
    ),
    (
        codecs.Vote.encode(
            candidate_term_id=4,
            log_leadership_term_id=2,
            log_position=3,
            candidate_member_id=5,
            follower_member_id=6,
            vote=BooleanType.TRUE,
        ),
        "VOTE memberId=1 logLeadershipTermId=2 logPosition=3 candidateTermId=4 candidateId=5"
        " voterId=6 vote=true",
    ),
    (
        codecs.CatchupPosition.encode(
            leadership_term_id=2,
            log_position=3,
            follower_member_id=4,
            catchup_endpoint="localhost:9003",
        ),
        "CATCHUP_POSITION memberId=1 leadershipTermId=2 logPosition=3 followerMemberId=4"
        " catchupEndpoint=localhost:9003",
    ),
    (
        codecs.StopCatchup.encode(leadership_term_id=2, follower_member_id=3),
        "STOP_CATCHUP memberId=1 leadershipTermId=2 followerMemberId=3",
    ),
    (
        codecs.TerminationPosition.encode(leadership_term_id=2, log_position=3),
        "TERMINATION_POSITION memberId=1 logLeadershipTermId=2 logPosition=3",
    ),
    (
        codecs.TerminationAck.encode(leadership_term_id=2, log_position=3, member_id=4),
        "TERMINATION_ACK memberId=1 logLeadershipTermId=2 logPosition=3 senderMemberId=4",
    ),
]


@pytest.fixture
def events():
    return LoggedEvents()


@pytest.mark.parametrize(("message", "line"), MESSAGES, ids=lambda each: str(each).split()[0])
def test_a_message_of_a_member_is_logged(message, line, events):
    log_message(events, codecs.decode(message), 1)
    assert events.lines == [line]


def test_a_message_without_an_event_is_not_logged(events):
    ack = codecs.ServiceAck(log_position=1, timestamp=2, ack_id=3, relevant_id=4, service_id=5)
    log_message(events, ack, 1)
    assert events.lines == []


def test_the_units_of_cluster_time_have_javas_names():
    units = (ClusterTimeUnit.MILLIS, ClusterTimeUnit.MICROS, ClusterTimeUnit.NANOS)
    assert list(map(time_unit_name, units)) == ["MILLISECONDS", "MICROSECONDS", "NANOSECONDS"]


# ---- positions, without the GIL ----


def event_log(*enabled):
    memory = bytearray(EventLog.file_length(CAPACITY))
    log = EventLog(
        memory,
        SystemClock(),
        component=ComponentType.CLUSTER,
        enabled=sum(1 << (event & 0xFFFF) for event in enabled),
        pid=1,
    )
    return log, EventLogReader(memory, "cluster-events.dat")


def texts(reader):
    lines = [decode_record(*record).line for record in reader.poll(100)]
    return [line.partition("CLUSTER: ")[2] for line in lines]


@pytest.mark.parametrize("is_electing", [False, True])
def test_positions_of_members_are_logged_within_and_outside_elections(streams, is_electing):
    log, reader = event_log(ClusterEvent.APPEND_POSITION, ClusterEvent.COMMIT_POSITION)
    rig = MembersRig(streams, leader=1, events=log)
    change_leadership(rig.agent, is_electing=is_electing)
    rig.emit(1, commit_position(96, 1), append_position(64, 1, flags=1))
    rig.emit(1, append_position(128, 1, TERM_ID - 1))
    rig.agent.do_work()
    assert texts(reader) == [
        f"COMMIT_POSITION [24/24]: memberId=10 leadershipTermId={TERM_ID} logPosition=96"
        " leaderId=11",
        f"APPEND_POSITION [25/25]: memberId=10 leadershipTermId={TERM_ID} logPosition=64"
        " followerMemberId=11 flags=0b00000001",
        f"APPEND_POSITION [25/25]: memberId=10 leadershipTermId={TERM_ID - 1} logPosition=128"
        " followerMemberId=11 flags=0b00000000",
    ]


def test_a_logged_position_is_handled_as_without_a_log(streams):
    log, _ = event_log(ClusterEvent.APPEND_POSITION)
    rig = MembersRig(streams, events=log)
    rig.emit(1, append_position(96, 1))
    rig.agent.do_work()
    assert rig.agent.member(1)[0] == 96


@pytest.mark.parametrize("enabled", [ClusterEvent.APPEND_POSITION, ClusterEvent.COMMIT_POSITION])
def test_only_enabled_positions_are_logged(streams, enabled):
    log, reader = event_log(enabled)
    rig = MembersRig(streams, leader=1, events=log)
    rig.emit(1, commit_position(96, 1), append_position(64, 1))
    rig.agent.do_work()
    (text,) = texts(reader)
    assert text.startswith(enabled.name)


def test_no_position_is_logged_if_only_other_events_are_enabled(streams):
    log, reader = event_log(ClusterEvent.VOTE)
    rig = MembersRig(streams, leader=1, events=log)
    rig.emit(1, commit_position(96, 1), append_position(64, 1))
    rig.agent.do_work()
    assert texts(reader) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda position: bytes([4]) + position[1:],  # a shorter block: the fields are not there
        lambda position: position[:4] + b"\x70\x00" + position[6:],
    ],
    ids=["shorter", "of_another_schema"],
)
def test_malformed_position_is_not_logged(streams, change):
    log, reader = event_log(ClusterEvent.APPEND_POSITION, ClusterEvent.COMMIT_POSITION)
    rig = MembersRig(streams, leader=1, events=log)
    rig.emit(1, change(append_position(64, 1)), change(commit_position(96, 1)))
    rig.agent.do_work()
    assert texts(reader) == []


# ---- elections ----


def test_states_of_an_election_are_logged_after_the_change_of_role(events):
    election = elect(Host(), events=events)
    drive(election)
    lines = [line.partition(" candidateTermId")[0] for line in events.lines]
    assert lines == [
        f"ELECTION_STATE_CHANGE memberId=0 {old} -> {new} leaderId=0"
        for old, new in itertools.pairwise(["INIT", *LEADER])
    ]
    assert events.lines[0] == (
        "ELECTION_STATE_CHANGE memberId=0 INIT -> LEADER_LOG_REPLICATION leaderId=0"
        " candidateTermId=0 leadershipTermId=0 logPosition=0 logLeadershipTermId=-1"
        ' appendPosition=0 catchupPosition=-1 reason="single-node cluster leader"'
    )


def test_won_ballot_is_logged_with_upstreams_reason(events, monkeypatch):
    monkeypatch.setattr(Node, "events", events)
    cluster = Cluster(3)
    nodes = cluster.nodes.values()
    for node in nodes:
        node.start()
    cluster.run_until(lambda: any(node.host.role is Role.LEADER for node in nodes), 999)
    (won,) = (line for line in events.lines if " -> LEADER_LOG_REPLICATION " in line)
    assert 'reason="unanimous leader of term 0"' in won
    canvass = next(line for line in events.lines if "INIT -> CANVASS" in line)
    assert " leaderId=-1 " in canvass


def test_truncated_log_is_logged(events, monkeypatch):
    monkeypatch.setattr(Node, "events", events)
    alone = Alone(log_of_term(0, 128))
    alone.deliver(new_term(2, 64, 64, log_leadership_term_id=0))
    assert events.of("TRUNCATE_LOG_ENTRY") == [
        "TRUNCATE_LOG_ENTRY memberId=1 state=CANVASS logLeadershipTermId=0 leadershipTermId=0"
        " candidateTermId=0 commitPosition=0 logPosition=0 appendPosition=128 oldPosition=128"
        " newPosition=64"
    ]


# ---- states ----


def test_changes_of_state_and_role_are_logged_with_upstreams_reasons(events):
    counter = SimpleNamespace(is_closed=False, set=lambda _value: None)
    status = ModuleStatus(
        SimpleNamespace(module_state=counter, node_role=counter),
        SimpleNamespace(
            set_state=lambda _state: None,
            leadership=LeadershipView(),
            install_leadership=lambda _view: None,
        ),
        SimpleNamespace(set_active=lambda _is_active: None, set_role=lambda **_: None),
        events,
        3,
    )
    status.enter(ConsensusModuleState.ACTIVE, "started")
    status.enter(ConsensusModuleState.ACTIVE, "again")
    status.set_role(Role.LEADER)
    status.enter_with(ConsensusModuleState.SUSPENDED, 96, "ClusterControl.SUSPEND")
    status.restore_uncommitted(0)
    assert events.lines == [
        'STATE_CHANGE memberId=3 INIT -> ACTIVE reason="started"',
        'ROLE_CHANGE memberId=3 FOLLOWER -> LEADER reason=""',
        'STATE_CHANGE memberId=3 ACTIVE -> SUSPENDED reason="ClusterControl.SUSPEND"',
        'STATE_CHANGE memberId=3 SUSPENDED -> ACTIVE reason="rollback"',
    ]


def test_states_of_a_session_are_logged_with_upstreams_reasons(events):
    session = ClusterSession(5, 102, "aeron:ipc", events=events, member_id=1)
    session.on_connecting(0)
    session.on_connected()
    session.on_challenged()
    session.authenticate(b"")
    session.open(96)
    session.closing(CloseReason.TIMEOUT)
    session.close("closed")
    session.close("again")
    session.restore_closing()
    prefix = "CLUSTER_SESSION_STATE_CHANGE memberId=1 sessionId=5 action=CLIENT"
    assert events.lines == [
        f'{prefix} null -> INIT reason=""',
        f'{prefix} INIT -> CONNECTING reason="connecting"',
        f'{prefix} CONNECTING -> CONNECTED reason="connected"',
        f'{prefix} CONNECTED -> CHALLENGED reason="challenged"',
        f'{prefix} CHALLENGED -> AUTHENTICATED reason="authenticated"',
        f'{prefix} AUTHENTICATED -> OPEN reason="openedLogPosition=96"',
        f'{prefix} OPEN -> CLOSING reason="TIMEOUT"',
        f'{prefix} CLOSING -> CLOSED reason="closed"',
        f'{prefix} CLOSED -> CLOSING reason="uncommitted session"',
    ]


@pytest.mark.parametrize(
    ("end", "change"),
    [
        (lambda each: each.invalidate(), 'INVALID reason="responsePublication is null"'),
        (lambda each: each.reject(EventCode.ERROR, "no"), 'REJECTED reason="ERROR: no"'),
        (lambda each: each.reject(EventCode.REDIRECT, ""), 'REJECTED reason="REDIRECT"'),
    ],
)
def test_the_reason_of_a_rejection_is_logged(end, change, events):
    session = ClusterSession(5, 102, "aeron:ipc", events=events, member_id=1)
    end(session)
    assert events.lines[-1].endswith(f"INIT -> {change}")


def test_open_and_close_events_of_the_log_are_logged(events):
    rig = SessionRig()
    rig.context.events = events
    session_id = rig.open()
    ((_, _, _, opened_at, *_),) = rig.log.of("open")
    rig.manager.on_service_close(session_id, rig.now_ns)
    rig.tick()
    ((*_, closed_at),) = rig.log.of("close")
    assert events.of("APPEND_SESSION_OPEN", "APPEND_SESSION_CLOSE") == [
        f"APPEND_SESSION_OPEN memberId=1 sessionId={session_id} leadershipTermId=7"
        f" logPosition=160 timestamp={opened_at} timeUnit=MILLISECONDS",
        f"APPEND_SESSION_CLOSE memberId=1 sessionId={session_id} closeReason=SERVICE_ACTION"
        f" leadershipTermId=7 timestamp={closed_at} timeUnit=MILLISECONDS",
    ]


def test_a_done_replication_is_logged(events):
    context = SimpleNamespace(events=events, options=SimpleNamespace(member_id=1))
    replication = SimpleNamespace(
        recording_id=3,
        position=4,
        has_synced=True,
        src_control_channel="aeron:udp?endpoint=localhost:8080",
    )
    done_recorder(context, "ELECTION")(replication, 2)
    assert events.lines == [
        "REPLICATION_ENDED memberId=1 purpose=ELECTION"
        " channel=aeron:udp?endpoint=localhost:8080 srcRecordingId=2 dstRecordingId=3 position=4"
        " hasSynced=true"
    ]


# ---- snapshots ----


def test_standby_snapshots_are_logged_as_they_enter_the_recording_log(events, tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(1, TERM, 4096, 1000)
        rig = BackupRig(log, accept_standby_snapshots=True)
        rig.context.events = events
        rig.commit_position = 5119
        for _ in range(2):
            rig.offer(*offered())
        rig.tick(times=2)
        assert events.of("STANDBY_SNAPSHOT_NOTIFICATION") == []
        rig.commit_position = 5120
        rig.tick(times=2)
    assert events.of("STANDBY_SNAPSHOT_NOTIFICATION") == [
        f"STANDBY_SNAPSHOT_NOTIFICATION memberId=1 recordingId={70 + service_id}"
        f" leadershipTermId={TERM} termBaseLeadershipPosition=4096 logPosition=5120"
        f" timestamp=1003 timeUnit=MILLISECONDS serviceId={service_id}"
        " archiveEndpoint=standby:8010"
        for service_id in (1, 0, -1)
    ]


def test_states_of_a_backup_are_logged(events):
    context = BackupContext.of(consensus_endpoints="localhost:9002")
    context.events = events
    backup = BackupAgent(context, SimpleNamespace(), None, lambda _: None, lambda: None)
    backup._state_counter = SimpleNamespace(set=lambda _state: None)
    backup._enter(BackupState.BACKUP_QUERY)
    backup._enter(BackupState.SNAPSHOT_RETRIEVE)
    assert events.lines == [
        'CLUSTER_BACKUP_STATE_CHANGE memberId=-1 BACKUP_QUERY -> SNAPSHOT_RETRIEVE reason=""'
    ]
