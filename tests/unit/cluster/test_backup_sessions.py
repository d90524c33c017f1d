"""Queries of backups and standbys, and the responses of leaders and followers."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.module.backup_sessions import BackupSessions
from aeron_cluster.cluster.security import SimpleAuthenticator, allow_all, deny_all
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.codecs.cluster import (
    BackupQuery,
    BackupResponse,
    Challenge,
    ChallengeResponse,
    HeartbeatRequest,
    HeartbeatResponse,
    SessionEvent,
    StandbySnapshot,
)
from aeron_cluster.errors import ClosedError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.session_rig import (
    MEMBER,
    MEMBERS,
    MS,
    TERM,
    VERSION,
    Counter,
    S,
    SessionRig,
    image,
)

NEVER = 2**63 - 1
LAST = 2**63 - 1


class BackupRig(SessionRig):
    """The backup sessions of a member, besides its client sessions, over a recording log."""

    def __init__(self, log, *, leader_member_id=MEMBER, **arguments):
        super().__init__(is_leader=leader_member_id == MEMBER, service_count=2, **arguments)
        self.commit_position = 0
        self.counters.commit_position = SimpleNamespace(
            counter_id=17, get=lambda: self.commit_position
        )
        self.counters.standby_snapshots = Counter()
        self.status = SimpleNamespace(
            state=State.ACTIVE, leadership_term_id=TERM, leader_member_id=leader_member_id
        )
        self.enter(State.ACTIVE)
        self.backups = BackupSessions(
            context=self.context,
            aeron=self.aeron,
            counters=self.counters,
            recording_log=log,
            sessions=self.manager,
            status=self.status,
            members=parse_members(MEMBERS),
        )

    def enter(self, state):
        self.status.state = state
        self.status.is_active = state is State.ACTIVE

    def send_request(self, message, number=1, **fields):
        self.correlation_id += 1
        request = message(
            correlation_id=self.correlation_id,
            response_stream_id=108,
            response_channel=f"aeron:udp?endpoint=client{number}:9",
            encoded_credentials=fields.pop("credentials", b""),
            **fields,
        )
        self.backups.on_request(request, image(number), self.now_ns)
        return self.correlation_id

    def query(self, number=1, **fields):
        return self.send_request(
            BackupQuery, number, **{"version": VERSION, "log_position": LAST} | fields
        )

    def offer(self, *snapshots, **fields):
        return self.send_request(
            StandbySnapshot, **{"version": VERSION, "snapshots": snapshots} | fields
        )

    def tick(self, elapsed_ns=0, times=1):
        count = 0
        for _ in range(times):
            self.now_ns += elapsed_ns
            count = self.backups.do_work(self.now_ns)
        return count


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        opened.append_term(11, 0, 0, 1000)
        for position, first in ((1024, 20), (2048, 30)):
            for service_id in (1, 0, -1):
                opened.append_snapshot(first + service_id, 0, 0, position, 1001, service_id)
        opened.append_term(11, TERM, 4096, 1002)
        yield opened


@pytest.fixture
def rig(log):
    return BackupRig(log)


def test_a_backup_receives_the_log_the_snapshots_and_the_members(rig):
    requested = rig.query()
    rig.tick()
    (answer,) = rig.observed()
    assert answer == BackupResponse(
        correlation_id=requested,
        log_recording_id=11,
        log_leadership_term_id=TERM,
        log_term_base_log_position=4096,
        last_leadership_term_id=TERM,
        last_term_base_log_position=4096,
        commit_position_counter_id=17,
        leader_member_id=MEMBER,
        member_id=MEMBER,
        snapshots=[
            BackupResponse.Snapshots(
                recording_id=30 + service_id,
                leadership_term_id=0,
                term_base_log_position=0,
                log_position=2048,
                timestamp=1001,
                service_id=service_id,
            )
            for service_id in (1, 0, -1)
        ],
        cluster_members=MEMBERS,
    )
    # "answered, closed": it is removed, and the log is unchanged.
    assert rig.aeron.open_things == []
    assert len(rig.manager.limits) == 0
    assert rig.log.entries == []
    assert rig.backups.next_deadline_ns() == NEVER


def test_a_follower_answers_too_and_names_the_leader(log):
    follower = BackupRig(log, leader_member_id=2)
    follower.query()
    follower.tick()
    (answer,) = follower.observed()
    assert (answer.leader_member_id, answer.member_id) == (2, MEMBER)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (LAST, 2048),
        (2048, 2048),
        (2047, 1024),
        (1024, 1024),
        (5, 1024),
        (-1, 2048),  # any position
        (-(2**63), 2048),  # null: a query from before schema version 16
        (-2, 1024),
    ],
)
def test_snapshots_are_the_newest_up_to_the_position_requested_or_the_lowest(
    rig, requested, expected
):
    # "the newest complete valid snapshot at or below the asked position, else the lowest"
    rig.query(log_position=requested)
    rig.tick()
    (answer,) = rig.observed()
    assert [snapshot.log_position for snapshot in answer.snapshots] == [expected] * 3


def test_an_invalidated_snapshot_is_not_offered(rig, log):
    log.invalidate_latest_snapshot()
    rig.query()
    rig.tick()
    (answer,) = rig.observed()
    assert [snapshot.log_position for snapshot in answer.snapshots] == [1024] * 3


def test_backup_without_snapshots_is_offered_none(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as empty:
        rig = BackupRig(empty)
        rig.query()
        rig.tick(1 * MS, times=3)
        assert rig.observed() == []  # nor a log
        empty.append_term(3, 0, 0, 1000)
        rig.tick(1 * MS)
        (answer,) = rig.observed()
        assert (answer.log_recording_id, answer.snapshots) == (3, [])


def test_a_heartbeat_is_answered(rig):
    requested = rig.send_request(HeartbeatRequest)
    rig.tick()
    assert rig.observed() == [HeartbeatResponse(correlation_id=requested)]
    assert rig.aeron.open_things == []


def test_a_standby_snapshot_is_rejected_where_disabled(rig):
    requested = rig.send_request(StandbySnapshot, version=VERSION, snapshots=[])
    rig.tick(times=2)
    (event,) = rig.observed()
    assert isinstance(event, SessionEvent)
    assert (event.correlation_id, event.code.name) == (requested, "ERROR")
    assert event.detail == "Not configured to accept StandbySnapshot"
    assert rig.aeron.open_things == []


def offered(position=5120, services=(1, 0, -1), **fields):
    return [
        StandbySnapshot.Snapshots(
            **{
                "recording_id": 70 + service_id,
                "leadership_term_id": TERM,
                "term_base_log_position": 4096,
                "log_position": position,
                "timestamp": 1003,
                "service_id": service_id,
                "archive_endpoint": "standby:8010",
            }
            | fields
        )
        for service_id in services
    ]


def noted(log):
    kind = EntryType.STANDBY_SNAPSHOT
    entries = [entry for entry in log.entries if entry.entry_type is kind]
    return [(each.log_position, each.service_id, each.archive_endpoint) for each in entries]


WHOLE = [(5120, each, "standby:8010") for each in (1, 0, -1)]


def test_a_standby_snapshot_is_recorded_once_the_commit_position_reached_it(log):
    # "it waits until the commit position reached its log position, then an optional delay"
    rig = BackupRig(
        log,
        accept_standby_snapshots=True,
        standby_snapshot_notification_processing_delay_ns=50 * MS,
    )
    rig.commit_position = 5119
    rig.offer(*offered(services=(-1, 0, 1)))
    rig.tick(10 * MS, times=3)
    assert (rig.observed(), noted(log)) == ([], [])
    rig.commit_position = 5120
    rig.tick(10 * MS)
    assert rig.backups.next_deadline_ns() == rig.now_ns + 50 * MS
    rig.tick(49 * MS)
    assert noted(log) == []
    rig.tick(1 * MS)
    assert noted(log) == WHOLE
    assert rig.counters.standby_snapshots.value == 1
    # As in Java, nothing is sent, and the query is dropped.
    assert (rig.observed(), rig.aeron.open_things) == ([], [])
    assert rig.backups.next_deadline_ns() == NEVER


def test_repeated_offer_is_recorded_once(log):
    rig = BackupRig(log, accept_standby_snapshots=True)
    rig.commit_position = 5120
    for _ in range(2):
        rig.offer(*offered())
        rig.tick(times=2)
    assert noted(log) == WHOLE


@pytest.mark.parametrize(
    "snapshots",
    [
        [],
        offered(services=(0, -1)),
        offered(services=(1, 0, -1, -1)),
        offered(archive_endpoint=""),
        offered(archive_endpoint="ä:1"),
        offered(recording_id=-1),
        [*offered(services=(1, 0)), *offered(6144, services=(-1,))],
    ],
)
def test_offer_of_an_incomplete_snapshot_is_rejected(log, snapshots):
    rig = BackupRig(log, accept_standby_snapshots=True)
    rig.commit_position = 10_000
    rig.offer(*snapshots)
    rig.tick(times=2)
    (event,) = rig.observed()
    assert event.code.name == "ERROR"
    assert event.detail.startswith("invalid StandbySnapshot: expected")
    assert noted(log) == []


def test_an_offer_of_another_log_is_reported_and_not_recorded(log):
    rig = BackupRig(log, accept_standby_snapshots=True)
    rig.commit_position = 10_000
    rig.offer(*offered(term_base_log_position=4032))
    rig.tick(times=2)
    assert noted(log) == []
    assert "standby:8010" in str(rig.errors[0])


@pytest.mark.parametrize("message", [BackupQuery, StandbySnapshot])
def test_another_protocol_version_is_rejected(rig, message):
    fields = {"snapshots": []} if message is StandbySnapshot else {"log_position": LAST}
    rig.send_request(message, version=1 << 16, **fields)
    rig.tick()
    (event,) = rig.observed()
    assert (event.code.name, event.detail) == (
        "ERROR",
        "invalid client version 1.0.0, cluster=0.3.0",
    )
    assert "invalid client version 1.0.0, cluster=0.3.0" in str(rig.errors[0])


@pytest.mark.parametrize(
    ("message", "name", "fields"),
    [
        (BackupQuery, "BackupQuery", {"version": VERSION, "log_position": LAST}),
        (HeartbeatRequest, "Heartbeat", {}),
        (StandbySnapshot, "StandbySnapshot", {"version": VERSION, "snapshots": []}),
    ],
)
def test_an_unauthorised_member_is_rejected(log, message, name, fields):
    rig = BackupRig(log, authorisation_service=deny_all, accept_standby_snapshots=True)
    rig.send_request(message, **fields)
    rig.tick(times=2)
    (event,) = rig.observed()
    assert (event.code.name, event.detail) == (
        "AUTHENTICATION_REJECTED",
        f"Not authorised for {name}",
    )
    assert rig.aeron.open_things == []


@pytest.mark.parametrize("raised", [RuntimeError("broken"), SystemExit("broken")], ids=repr)
def test_raising_authorisation_service_allows_nothing(log, raised):
    def broken(*_):
        raise raised

    rig = BackupRig(log, authorisation_service=broken)
    rig.query()
    rig.tick(times=2)
    (event,) = rig.observed()
    assert event.code.name == "AUTHENTICATION_REJECTED"
    assert "broken" in str(rig.errors[0])


def test_the_authorisation_service_receives_template_and_principal(log):
    requested = []

    def service(*arguments):
        requested.append(arguments)
        return True

    rig = BackupRig(
        log, authenticator=SimpleAuthenticator({b"pw": b"who"}), authorisation_service=service
    )
    rig.query(credentials=b"pw")
    rig.tick()
    assert requested == [(111, 77, None, b"who")]
    assert len(rig.observed()) == 1


def test_two_waiting_backups_have_their_own_credentials(log):
    # Both would be -1 for upstream's authenticator, which applies the last credentials to both.
    rig = BackupRig(log, authenticator=SimpleAuthenticator({b"pw": b"who"}))
    rig.query(1, credentials=b"wrong")
    rig.query(2, credentials=b"pw")
    rig.tick(times=2)
    assert [type(observed) for observed in rig.observed(2)] == [BackupResponse]
    (event,) = rig.observed(1)
    assert (event.code.name, event.detail) == (
        "AUTHENTICATION_REJECTED",
        "session failed authentication",
    )


class Challenger:
    def __init__(self):
        self.answers = {}

    def on_connect_request(self, session_id, encoded_credentials, now_ms):
        pass

    def on_challenge_response(self, session_id, encoded_credentials, _now_ms):
        self.answers[session_id] = bytes(encoded_credentials)

    def on_connected_session(self, proxy, _now_ms):
        proxy.challenge(b"who goes there")

    def on_challenged_session(self, proxy, _now_ms):
        if self.answers.get(proxy.session_id) == b"friend":
            proxy.authenticate(b"who")


def test_a_challenge_is_answered_on_the_image_of_its_request(log):
    rig = BackupRig(log, authenticator=Challenger(), authorisation_service=allow_all)
    rig.query()
    rig.tick()
    (challenge,) = rig.observed()
    assert isinstance(challenge, Challenge)
    response = ChallengeResponse(
        correlation_id=77,
        cluster_session_id=challenge.cluster_session_id,
        encoded_credentials=b"friend",
    )
    rig.backups.on_challenge_response(response, image(2), rig.now_ns)
    rig.tick()
    assert len(rig.observed()) == 1
    rig.backups.on_challenge_response(response, image(1), rig.now_ns)
    rig.tick()
    assert rig.observed()[1].correlation_id == 77


def test_a_follower_forwards_challenge_responses_to_the_leader(log):
    follower = BackupRig(log, leader_member_id=2)
    fields = {"correlation_id": 5, "cluster_session_id": 6, "encoded_credentials": b"x"}
    follower.notify(ChallengeResponse, **fields)
    assert follower.forwarded == [ChallengeResponse.encode(**fields)]


@pytest.mark.parametrize("state", [State.SUSPENDED, State.SNAPSHOT])
def test_a_query_waits_while_the_module_is_suspended_or_takes_a_snapshot(rig, state):
    rig.enter(state)
    rig.query()
    rig.tick(1 * MS, times=3)
    assert rig.observed() == []
    rig.enter(State.ACTIVE)
    rig.tick()
    assert len(rig.observed()) == 1


@pytest.mark.parametrize("state", [State.INIT, State.TERMINATING, State.QUITTING, State.CLOSED])
def test_receives_only_while_the_module_works(rig, state):
    rig.enter(state)
    rig.query()
    assert rig.aeron.open_things == []


def test_a_missing_egress_ends_the_session_after_the_timeout(rig):
    rig.aeron.are_clients_there = False
    rig.query()
    rig.tick()
    assert rig.backups.next_deadline_ns() == rig.now_ns + 1 * MS
    rig.tick(10 * S)
    assert rig.timed_out == 0
    rig.tick(1)
    assert rig.timed_out == 1
    assert rig.aeron.open_things == []


def test_back_pressured_answer_is_sent_later(rig):
    rig.query()
    for made in rig.aeron.open_things:
        made.is_full = True
    rig.tick(1 * MS, times=2)
    assert rig.observed() == []
    assert rig.backups.next_deadline_ns() == rig.now_ns + 1 * MS
    for made in rig.aeron.open_things:
        made.is_full = False
    rig.tick(1 * MS)
    assert len(rig.observed()) == 1


def test_querying_members_wait_within_the_same_limits_as_clients(log):
    rig = BackupRig(log, max_pending_sessions_per_source=2)
    rig.aeron.are_clients_there = False
    for _ in range(5):
        rig.query()
    assert len(rig.aeron.open_things) == 4  # publication and counter for each of two
    assert rig.rejected == 3
    rig.query(2)
    assert len(rig.aeron.open_things) == 6


def test_query_failing_to_start_releases_its_place(log):
    rig = BackupRig(log, max_pending_sessions_per_source=2)
    add, failures = rig.aeron.async_add_publication, []

    def fail(*_):
        failures.append(1)
        raise ClosedError("no client")

    rig.aeron.async_add_publication = fail
    for _ in range(3):
        with pytest.raises(ClosedError):
            rig.query()
    assert len(failures) == 3
    assert len(rig.manager.limits) == 0
    rig.aeron.async_add_publication = add
    rig.query()
    rig.tick()
    assert len(rig.observed()) == 1
    assert rig.rejected == 0


def test_channel_unfit_for_responses_is_rejected(rig):
    request = BackupQuery(
        correlation_id=1,
        response_stream_id=100,
        version=VERSION,
        log_position=LAST,
        response_channel="aeron:udp?endpoint=h2:1",
        encoded_credentials=b"",
    )
    rig.backups.on_request(request, image(1), rig.now_ns)
    assert rig.aeron.open_things == []
    assert rig.rejected == 1


def test_counters_name_their_requester_as_tools_expect(rig):
    rig.aeron.are_clients_there = False
    rig.query()
    rig.tick()
    (counter,) = rig.aeron.counters
    assert counter.label == (
        "cluster-session: BACKUP sourceIdentity=10.0.0.1:4000 sessionId=1 - clusterId=3"
    )
    assert counter.value == -1


def test_closing_releases_everything(rig):
    rig.aeron.are_clients_there = False
    rig.query()
    rig.query(2, version=1 << 16)
    rig.backups.close()
    rig.backups.close()
    assert rig.aeron.open_things == []
    assert len(rig.manager.limits) == 0


def test_it_shows_how_many_are_pending(rig):
    assert repr(rig.backups) == "<BackupSessions pending=0 rejected=0>"
