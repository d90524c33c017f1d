"""A backup's reaction to members' answers and to failures, and what a failed round leaves."""

import contextlib
import errno
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.backup import agent
from aeron_cluster.cluster.backup.agent import BackupAgent, _Live
from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.state.recovery_plan import plan_recovery
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.archive import (
    StopRecordingByIdentityRequest,
    StopRecordingSubscriptionRequest,
    StopReplayRequest,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import BackupResponse, EventCode
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    InsufficientSpaceError,
    OperationError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock


class Credentials:
    """Raises the given error at the next request."""

    def __init__(self, error=None):
        self.error = error

    def encoded_credentials(self):
        return b"name"

    def on_challenge(self, encoded_challenge):
        if self.error is not None:
            raise self.error
        return b"answer to " + encoded_challenge


class Member:
    """A publication to a member, and the messages sent to it."""

    def __init__(self):
        self.observed = []

    def offer(self, message):
        self.observed.append(codecs.decode(message))
        return 1 if message else NotSent.NOT_CONNECTED

    def close(self):
        pass


class Client:
    """Allocates ids, and adds publications at once."""

    is_closed = False

    def __init__(self):
        self.last_id = 0
        self.endpoints = []

    def next_correlation_id(self):
        self.last_id += 1
        return self.last_id

    def async_add_exclusive_publication(self, channel, _stream_id):
        self.endpoints.append(ChannelUri.parse(str(channel)).get("endpoint"))
        return len(self.endpoints)

    def get_exclusive_publication(self, _registration_id):
        return Member()


def created(**options):
    """Return a backup that has done nothing."""
    context = BackupContext.of(**{"consensus_endpoints": "localhost:9002"} | options)
    return BackupAgent(context, Client(), None, lambda _: None, lambda: None)


def asking(credentials):
    """Return a backup that has queried a member, its steps and the member."""
    backup = created(credentials=credentials)
    backup._query_publication = member = Member()
    steps = backup._query_member()
    next(steps)
    return backup, steps, member


def challenge(backup):
    message = codecs.Challenge.encode(
        correlation_id=backup._correlation_id, cluster_session_id=-2, encoded_challenge=b"it"
    )
    backup._on_message(message, None)


def test_a_challenge_is_answered():
    backup, steps, member = asking(Credentials())
    challenge(backup)
    next(steps)
    query, answer = member.observed
    assert query.encoded_credentials == b"name"
    assert answer.encoded_credentials == b"answer to it"
    assert answer.cluster_session_id == -2
    assert backup._correlation_id == answer.correlation_id != query.correlation_id


def test_failing_credentials_end_the_round():
    # As upstream: "any exception resets, and is rethrown"; the member is queried no further until
    # its timeout.
    failure = ValueError("no such key")
    backup, steps, member = asking(Credentials(failure))
    challenge(backup)
    with pytest.raises(ValueError, match="no such key"):
        next(steps)
    assert len(member.observed) == 1


def test_a_late_challenge_is_skipped():
    backup, _, member = asking(Credentials())
    backup._disconnect()
    challenge(backup)
    assert len(member.observed) == 1


@pytest.mark.parametrize(
    "error",
    [
        ArchiveError("no space", ArchiveErrorCode.STORAGE_SPACE),
        # With only its own recording log, each further round would copy the snapshots again.
        InsufficientSpaceError(errno.ENOSPC, "no space", "recording.log"),
    ],
)
def test_a_full_disk_ends_the_backup(error):
    backup, _, _ = asking(Credentials())

    def steps():
        raise error
        yield

    backup._start = lambda: iter(())
    backup._run_round = steps
    # "Local archive lost or out of space: terminate."
    with pytest.raises(AgentTerminationError, match="no space"):
        backup._task.do_work()


RECORDING = (StopRecordingSubscriptionRequest, {"subscription_id": 7})
REPLAY = (StopReplayRequest, {"replay_session_id": 4711})


@pytest.mark.parametrize(
    ("replay_id", "is_connected", "requested"),
    [
        (4711, True, [RECORDING, REPLAY]),
        (4711, False, [RECORDING]),
        (-1, True, [RECORDING]),  # it failed before the replay began
        (-1, False, [RECORDING]),
    ],
)
@pytest.mark.parametrize("failure", [None, ArchiveError("unknown", 5), TimeoutExpiredError("no")])
def test_a_failed_round_ends_its_recording_and_its_replay(
    monkeypatch, replay_id, is_connected, requested, failure
):
    """The replay would occupy the member's archive, and prevent a purge of its log."""
    backup, _, member = asking(Credentials())
    requests, states, closed = [], [], []

    def send_request(archive, kind, **values):
        yield
        requests.append((archive, kind, values))
        if failure is not None:
            raise failure
        return 0

    def fail():
        raise ClusterError("the round failed")
        yield

    monkeypatch.setattr(agent, "send_request", send_request)
    monkeypatch.setattr(member, "close", lambda: closed.append(member), raising=False)
    source = SimpleNamespace(is_connected=is_connected, close=lambda: closed.append(source))
    backup._start, backup._run_round = (lambda: iter(())), fail
    backup._state_counter = SimpleNamespace(set=states.append)
    backup._archive, backup._source = "the own one", source
    backup._live = _Live(source, 0, 7, replay_id)
    copy = SimpleNamespace(close=lambda: closed.append(copy))
    backup._replication = copy
    for _ in range(5):
        backup._task.do_work()
    assert [(kind, values) for _, kind, values in requests] == requested
    assert [archive for archive, *_ in requests] == ["the own one", source][: len(requested)]
    assert closed == [member, copy, source]
    assert backup._replication is None
    assert states == [BackupState.RESET_BACKUP]


FULL = OperationError("the driver's command ring is full")


def failing():
    """Return a resource whose close fails."""

    def close():
        raise FULL

    return SimpleNamespace(close=close, is_connected=True, poll=lambda: 0)


def test_a_resource_that_cannot_be_closed_does_not_end_the_rounds():
    backup, errors, rounds = created(), [], []
    backup._context.error_handler = errors.append
    backup._clock = VirtualClock()

    def fail():
        rounds.append(True)
        backup._query_publication, backup._replication = failing(), failing()
        backup._source = failing()
        raise ClusterError("the round failed")
        yield

    backup._start, backup._run_round = (lambda: iter(())), fail
    backup._state_counter = SimpleNamespace(set=lambda _: None)
    for _ in range(3):
        backup._task.do_work()
        backup._clock.advance(backup._context.options.backup_cool_down_interval_ns)
    assert len(rounds) == 3
    assert errors.count(FULL) == 9
    assert backup._query_publication is backup._replication is backup._source is None


def test_each_resource_is_closed_though_another_one_cannot_be():
    backup, errors, closed = created(), [], []
    backup._context.error_handler = errors.append
    backup._query_publication, backup._source = failing(), failing()
    backup._archive = failing()
    backup._archive.post = lambda *_, **__: backup._query_publication.close()
    backup._subscription = SimpleNamespace(close=lambda: closed.append(True))
    for _ in range(2):
        backup.close()
    assert errors == [FULL] * 3
    assert closed == [True]


# ---- the members that it queries ----


def answer(backup, member_id=1, leader_id=0, **changes):
    fields = {
        "correlation_id": backup._correlation_id,
        "log_recording_id": 0,
        "log_leadership_term_id": 0,
        "log_term_base_log_position": 0,
        "last_leadership_term_id": 0,
        "last_term_base_log_position": 0,
        "commit_position_counter_id": 0,
        "leader_member_id": leader_id,
        "member_id": member_id,
        "snapshots": [],
        "cluster_members": "0,a:1,a:2,a:3,a:4,a:5|1,b:1,b:2,b:3,b:4,b:5",
    }
    backup._on_message(BackupResponse.encode(**fields | changes), None)


def event(backup, code):
    backup._on_message(
        codecs.SessionEvent.encode(
            cluster_session_id=-1,
            correlation_id=backup._correlation_id,
            leadership_term_id=0,
            leader_member_id=0,
            code=code,
            version=0,
            leader_heartbeat_timeout_ns=0,
            detail="not here",
        ),
        None,
    )


def failed_query(backup, reply):
    """Query a member, which replies; return the error."""
    steps, before = backup._query(), backup._correlation_id
    while backup._correlation_id == before:
        next(steps)
    reply(backup)
    with pytest.raises(ClusterError) as raised:
        next(steps)
    return str(raised.value)


UNSUITABLE = {
    "another source": lambda backup: answer(backup, member_id=1, leader_id=0),
    "a redirect": lambda backup: event(backup, EventCode.REDIRECT),
}


@pytest.mark.parametrize("reply", UNSUITABLE.values(), ids=UNSUITABLE)
def test_a_member_that_supplies_no_log_is_queried_no_more(reply):
    backup = created(
        consensus_endpoints="localhost:1,localhost:2,localhost:3", backup_source_type="LEADER"
    )
    error = failed_query(backup, reply)
    assert "source type LEADER" in error or error == "REDIRECT: not here"
    (excluded,) = backup._aeron.endpoints
    for _ in range(5):
        backup._disconnect()
        list(backup._connect_next())
    queried = backup._aeron.endpoints[1:]
    assert len(queried) == 5
    assert set(queried) == {f"localhost:{port}" for port in (1, 2, 3)} - {excluded}


@pytest.mark.parametrize("reply", UNSUITABLE.values(), ids=UNSUITABLE)
def test_the_only_member_is_queried_again(reply):
    backup = created(consensus_endpoints="localhost:1", backup_source_type="LEADER")
    for _ in range(2):
        failed_query(backup, reply)
    assert backup._aeron.endpoints == ["localhost:1"] * 2


def test_a_rejection_is_reported_and_the_member_queried_again():
    backup = created(consensus_endpoints="localhost:1,localhost:2")
    for _ in range(2):
        error = failed_query(backup, lambda it: event(it, EventCode.AUTHENTICATION_REJECTED))
        assert error == "AUTHENTICATION_REJECTED: not here"
    assert len(backup._aeron.endpoints) == 1


def test_an_answer_without_a_member_id_is_rejected():
    # "memberId is null, retrying for compatible node"
    backup = created()
    assert "memberId is null" in failed_query(backup, lambda it: answer(it, member_id=-1))


@pytest.mark.parametrize("message", [b"", b"\xff" * 8, b"\xff" * 64], ids=len)
def test_an_invalid_message_is_skipped(message):
    backup, steps, _ = asking(Credentials())
    backup._on_message(message, None)
    next(steps)
    answer(backup)
    with pytest.raises(StopIteration) as returned:
        next(steps)
    assert returned.value.value.member_id == 1


# ---- waiting ----


def test_steps_that_take_too_long_are_ended():
    clock, ended = VirtualClock(), []
    backup = created(seams=Seams(clock=clock), backup_progress_timeout_ns=1000)

    def wait():
        try:
            while True:
                yield
        finally:
            ended.append(True)

    steps = backup._within("connecting", wait())
    next(steps)
    clock.advance(1000)
    next(steps)
    assert ended == []
    clock.advance(1)
    with pytest.raises(TimeoutExpiredError, match="progress has stalled: backup: connecting"):
        next(steps)
    assert ended == [True]


def watched(monkeypatch, **options):
    """Return a backup that has recorded the log up to 640."""
    monkeypatch.setattr(agent, "is_active", lambda *_: True)
    backup = created(**options)
    backup._live = SimpleNamespace(counter_id=4, recording_id=9)
    backup._position_counter = SimpleNamespace(propose_max=lambda _: None)
    backup._aeron.counters_reader = SimpleNamespace(value=lambda _: 640)
    return backup


def within(backup):
    next(backup._within("connecting", iter([None])))


@pytest.mark.parametrize("wait", [within, BackupAgent._watch])
def test_an_error_of_the_members_archive_ends_the_round_once(monkeypatch, wait):
    backup = watched(monkeypatch)
    failure = ArchiveError("no such recording", ArchiveErrorCode.UNKNOWN_RECORDING)
    backup._on_source_error(failure)
    with pytest.raises(ClusterError, match=r"cluster archive error: .*no such recording") as raised:
        wait(backup)
    assert raised.value.__cause__ is failure
    wait(backup)


def test_what_a_listener_raises_is_reported_and_the_backup_continues(monkeypatch):
    failure, errors = ValueError("of a listener"), []

    class Listener:
        def on_live_log_progress(self, *_):
            raise failure

    backup = watched(monkeypatch, events_listener=Listener(), error_handler=errors.append)
    backup._watch()
    assert errors == [failure]
    assert backup.live_log_position == 640


# ---- its own archive and that of a member ----


def listing(monkeypatch, *answers):
    """Let archives list recordings with these stop positions; None is an unknown recording."""
    remaining = list(answers)

    def list_recording(_archive, _recording_id):
        yield
        position = remaining.pop(0)
        return None if position is None else SimpleNamespace(stop_position=position)

    monkeypatch.setattr(agent, "list_recording", list_recording)


def returned(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def stopping(monkeypatch):
    """Let archives accept stops of recordings; return the requests."""
    requests = []

    def send_request(*request, **values):
        yield
        requests.append((*request, values))
        return 1

    monkeypatch.setattr(agent, "send_request", send_request)
    return requests


def test_a_log_continues_where_its_recording_has_ended(monkeypatch):
    listing(monkeypatch, 640)
    requests = stopping(monkeypatch)
    assert returned(created()._stop_position("the own one", 9)) == 640
    assert requests == []


def test_a_log_that_an_earlier_process_left_active_is_stopped(monkeypatch):
    """A backup that was killed beside its archive: that records on while the member replays."""
    listing(monkeypatch, -1, -1, 640)
    requests = stopping(monkeypatch)
    assert returned(created()._stop_position("the own one", 9)) == 640
    assert requests == [("the own one", StopRecordingByIdentityRequest, {"recording_id": 9})]


def test_a_log_that_its_own_archive_does_not_know_ends_the_backup(monkeypatch):
    listing(monkeypatch, None)
    backup, ended = created(), []
    backup._context.termination_hook = lambda: ended.append(True)
    backup._start = lambda: iter(())
    backup._questions = SimpleNamespace(do_work=lambda _: 0)
    backup._run_round = lambda: backup._stop_position(None, 9)
    backup.do_work()
    with pytest.raises(AgentTerminationError, match="recording 9 of the log: unknown"):
        backup.do_work()
    assert ended == [True]


def test_a_subscription_is_closed_that_binds_no_port_in_time(monkeypatch):
    closed = []
    holder = SimpleNamespace(resolved_endpoint=None, close=lambda: closed.append(True))

    def await_subscription(*_):
        yield
        return holder

    monkeypatch.setattr(agent, "await_subscription", await_subscription)
    backup = created(backup_catchup_endpoint="127.0.0.1:0")
    backup._archive = backup._source = SimpleNamespace()
    backup._recording_log = SimpleNamespace(find_last_term_recording_id=lambda: -1, entries=())
    steps = backup._record(SimpleNamespace(), [])
    next(steps)
    next(steps)
    assert closed == []
    steps.close()
    assert closed == [True]


class Replication:
    """A replication that is done at once."""

    is_done = True
    recording_id = 12

    def __init__(self, *_, **__):
        pass

    def close(self):
        pass


@pytest.mark.parametrize(
    ("original", "copy", "is_copied"),
    [(640, 640, True), (640, 608, False), (None, 640, False), (640, None, False)],
)
def test_a_copy_of_a_snapshot_ends_where_the_snapshot_does(monkeypatch, original, copy, is_copied):
    """A member that started from less than the snapshot would have another state."""
    listing(monkeypatch, original, copy)
    monkeypatch.setattr(agent, "RecordingReplication", Replication)
    backup = created()
    backup._archive = object()
    backup._source = SimpleNamespace(
        context=SimpleNamespace(control_stream_id=10, control_channel="aeron:udp?endpoint=a:5")
    )
    snapshot = SimpleNamespace(recording_id=3, service_id=-1)
    if is_copied:
        assert returned(backup._retrieve(snapshot)) == Replication.recording_id
        return
    with pytest.raises(ClusterError) as raised:
        returned(backup._retrieve(snapshot))
    assert f"expected its copy to end at {original}, found {copy}" in str(raised.value)


def test_the_end_of_its_own_archive_ends_the_backup():
    # "Local archive lost or out of space: terminate."
    backup, ended = created(), []
    backup._context.termination_hook = lambda: ended.append(True)
    backup._archive = SimpleNamespace(poll=lambda: 0, is_connected=False)
    with pytest.raises(AgentTerminationError, match="local archive not connected"):
        backup.do_work()
    assert ended == [True]


def test_the_end_of_its_own_archive_is_not_ignored_after_a_failed_round(monkeypatch):
    def send_request(*_, **__):
        raise AgentTerminationError("the archive ended")
        yield

    def fail():
        raise ClusterError("the round failed")
        yield

    monkeypatch.setattr(agent, "send_request", send_request)
    backup, _, _ = asking(Credentials())
    backup._start, backup._run_round = (lambda: iter(())), fail
    backup._state_counter = SimpleNamespace(set=lambda _: None)
    backup._archive, backup._live = "the own one", _Live(None, 0, 7, -1)
    with pytest.raises(AgentTerminationError, match="the archive ended"):
        backup._task.do_work()


@pytest.mark.parametrize("is_connected", [True, False])
@pytest.mark.parametrize("is_client_closed", [True, False])
def test_a_closed_backup_stops_its_recording_and_shows_that_it_is_closed(
    is_connected, is_client_closed
):
    backup, _, _ = asking(Credentials())
    posted, states, closed = [], [], []
    archive, source, subscription = (
        SimpleNamespace(
            is_connected=is_connected,
            post=lambda kind, **values: posted.append((kind, values)),
            close=lambda name=name: closed.append(name),
        )
        for name in ("archive", "source", "subscription")
    )
    backup.errors = object()
    backup._state_counter = SimpleNamespace(set=states.append, is_closed=is_client_closed)
    backup._archive, backup._source, backup._subscription = archive, source, subscription
    backup._live = _Live(source, 0, 7, 4711)
    for _ in range(2):
        backup.close()
    assert posted == ([RECORDING] if is_connected else [])
    assert states[:1] == ([] if is_client_closed else [BackupState.CLOSED])
    assert sorted(closed) == ["archive", "source", "subscription"]


# ---- its recording log ----


@pytest.mark.parametrize("written", [0, 1, 2, 3])
@pytest.mark.parametrize("order", [(1, 0, -1), (-1, 0, 1)])
def test_a_set_of_snapshots_counts_once_it_is_completely_recorded(
    tmp_path, monkeypatch, written, order
):
    """A full disk or a kill between two entries leaves the snapshot before: nodes start from it."""
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(9, 0, 0, -1)
        for service_id in (1, 0, -1):
            log.append_snapshot(20 + service_id, 0, 0, 640, 1000, service_id)
        backup = created()
        backup._recording_log = log
        backup._live = SimpleNamespace(recording_id=9)
        backup._retrieved = SimpleNamespace(increment=lambda: None)
        append, calls = log.append_snapshot, []

        def limited(*values):
            calls.append(values)
            if len(calls) > written:
                raise InsufficientSpaceError(errno.ENOSPC, "no space", "recording.log")
            return append(*values)

        monkeypatch.setattr(log, "append_snapshot", limited)
        offered = [
            BackupResponse.Snapshots(
                recording_id=service_id,
                leadership_term_id=0,
                term_base_log_position=0,
                log_position=1280,
                timestamp=2000,
                service_id=service_id,
            )
            for service_id in order
        ]
        response = SimpleNamespace(
            log_leadership_term_id=0,
            log_term_base_log_position=0,
            last_leadership_term_id=0,
            last_term_base_log_position=0,
        )
        copies = [(snapshot, 30 + snapshot.service_id) for snapshot in offered]
        with contextlib.suppress(InsufficientSpaceError):
            backup._update_recording_log(response, copies)
        first_id = 30 if written == 3 else 20
        latest = log.find_latest_snapshots(2)
        assert [each.recording_id for each in latest] == [first_id - 1, first_id, first_id + 1]


# ---- rounds ----


def snapshots_at(position):
    return [
        BackupResponse.Snapshots(
            recording_id=service_id,
            leadership_term_id=0,
            term_base_log_position=0,
            log_position=position,
            timestamp=2000,
            service_id=service_id,
        )
        for service_id in (0, -1)
    ]


def in_rounds(log, snapshots, term=(0, 0)):
    """Return a backup which is about to query a member that has these snapshots and this term."""

    def query():
        return SimpleNamespace(
            member_id=0,
            cluster_members="0,a:1,a:2,a:3,a:4,a:5",
            snapshots=snapshots,
            log_leadership_term_id=term[0],
            log_term_base_log_position=term[1],
            last_leadership_term_id=term[0],
            last_term_base_log_position=term[1],
        )
        yield

    backup = created()
    backup._recording_log, backup._query = log, query
    backup._archive, backup._source = "the own one", "a member's archive"
    backup._state_counter = SimpleNamespace(set=lambda _: None)
    backup._retrieved = SimpleNamespace(increment=lambda: None)
    backup._next_query = SimpleNamespace(set=lambda _: None, get=lambda: -1)
    return backup


def test_snapshots_of_a_failed_round_are_not_copied_again(tmp_path, monkeypatch):
    """The next rounds may fail, too: each would leave another copy in the archive."""
    failure, copied, in_archive = ClusterError("no log from there on"), [], {}

    def retrieve(snapshot):
        copied.append(snapshot.service_id)
        if copied == [0, -1]:
            raise failure
        copy_id = 29 + len(copied)
        in_archive[copy_id] = snapshot
        return copy_id
        yield

    def record(*_):
        if failing:
            raise failure
        backup._live = SimpleNamespace(recording_id=9)
        return
        yield

    def list_recording(_archive, recording_id):
        return in_archive.get(recording_id)
        yield

    monkeypatch.setattr(agent, "list_recording", list_recording)
    failing = [True]
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        backup = in_rounds(log, snapshots_at(1280))
        backup._retrieve, backup._record = retrieve, record
        for _ in range(3):
            with pytest.raises(ClusterError) as raised:
                returned(backup._run_round())
            assert raised.value is failure
        assert copied == [0, -1, -1]
        in_archive.clear()  # it was purged by hand
        failing.clear()
        returned(backup._run_round())
        assert copied == [0, -1, -1, 0, -1]
        latest = log.find_latest_snapshots(1)
        assert [each.recording_id for each in latest] == [34, 33]


@pytest.mark.parametrize("term", [(0, 0), (1, 1280)])
def test_nothing_beyond_the_recorded_log_is_noted(tmp_path, monkeypatch, term):
    """A node that starts from it then would be refused, and could start from what was noted."""
    monkeypatch.setattr(agent, "is_active", lambda *_: True)
    recorded = [640]

    def retrieve(snapshot):
        return 30 + snapshot.service_id
        yield

    def can_start():
        found = plan_recovery(log, 1).with_log(
            SimpleNamespace(
                recording_id=9,
                start_position=0,
                stop_position=recorded[-1],
                initial_term_id=0,
                term_buffer_length=1 << 16,
                mtu_length=1408,
                session_id=1,
            )
        )
        found.check_replay()
        return found

    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(9, 0, 0, -1)
        backup = in_rounds(log, snapshots_at(1280), term)
        backup._retrieve = retrieve
        backup._live = SimpleNamespace(member_id=0, recording_id=9, counter_id=4)
        backup._position_counter = SimpleNamespace(propose_max=lambda _: None)
        backup._aeron.counters_reader = SimpleNamespace(value=lambda _: recorded[-1])
        steps = backup._run_round()
        for position in (640, 960, 1248):
            recorded.append(position)
            next(steps)
            assert can_start().snapshot_position == 0
            assert backup.live_log_position == position
        recorded.append(1280)
        returned(steps)
        assert can_start().snapshot_position == 1280
        assert can_start().last_leadership_term_id == term[0]
