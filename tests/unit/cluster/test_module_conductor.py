"""The order of a module's start, what begins its elections, and what ends it."""

from functools import partial
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.module import module_conductor
from aeron_cluster.cluster.module.module_conductor import ModuleConductor
from aeron_cluster.cluster.module.running_module import RunningModule
from aeron_cluster.codecs.cluster import BackupQuery, BooleanType, ClusterMembersQuery, decode
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    ConductorServiceTimeoutError,
    LogMismatchError,
    MessageError,
    StalledError,
    UnknownMessageError,
)
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.shared.counters import CountersManager


def opening(passes):
    for _ in range(passes):
        yield


def started():
    recovered = SimpleNamespace(service_client_ids={7: 0})
    return SimpleNamespace(recovered=recovered)
    yield


class Running:
    """Built with any parts; it begins or fails to."""

    failure = None

    def __init__(self, **_):
        pass

    def begin(self, _recovered):
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def conductor(monkeypatch):
    monkeypatch.setattr(module_conductor, "RunningModule", Running)
    made = object.__new__(ModuleConductor)
    for name in ("context", "aeron", "table", "log", "trackers", "members", "addresses"):
        setattr(made, f"_{name}", None)
    made._aeron = SimpleNamespace(counters_reader=SimpleNamespace(find=lambda _type_id, _id: 0))
    made.agent = made._recording_log = made._node_state = None
    made._start = SimpleNamespace(run=started)
    made._link = SimpleNamespace(open=lambda: opening(3))
    made._services = SimpleNamespace(try_terminate_now=lambda: None)
    made._context = SimpleNamespace(error_handler=lambda _error: None)
    made._service_clients = {}
    made._running = None
    made._mark_file = SimpleNamespace(signal_ready=lambda: None)
    return made


def test_the_clients_of_services_are_known_before_the_consensus_stream_opens(conductor):
    """The end of a service's client is notified once, in any pass."""
    next(conductor._run_start())
    assert conductor._service_clients == {7: 0}
    assert conductor._running is None


def test_a_service_that_ended_before_the_module_knew_it_ends_the_module(conductor, monkeypatch):
    ended = []
    monkeypatch.setattr(
        ModuleConductor, "on_unavailable_counter", lambda _, each: ended.append(each)
    )
    next(conductor._run_start())
    assert ended == []
    conductor._aeron.counters_reader.find = lambda _type_id, _id: None
    next(conductor._run_start())
    assert ended == [7]


def test_an_exception_at_the_begin_ends_the_module(conductor, monkeypatch):
    monkeypatch.setattr(Running, "failure", ValueError("of the extension"))
    with pytest.raises(AgentTerminationError, match="of the extension"):
        list(conductor._run_start())
    assert conductor._running is not None  # retained until its close


def test_a_mark_file_that_cannot_be_published_ends_the_module(conductor):
    """It would be without a version for ever, and nobody could read it."""

    def fail():
        raise OSError(5, "Input/output error")

    conductor._mark_file.signal_ready = fail
    with pytest.raises(AgentTerminationError, match="Input/output error"):
        list(conductor._run_start())


# ---- the reasons of elections, as upstream's ----


def entered():
    """Return a module that records the arguments of elections it enters."""
    calls = []
    module = SimpleNamespace(
        status=SimpleNamespace(state=ConsensusModuleState.ACTIVE),
        enter_election=lambda *given, **fields: calls.append((*given, fields)),
        _election=None,
        _leadership=SimpleNamespace(on_signal=lambda _signal: False),
        _recording=SimpleNamespace(on_signal=lambda _signal: True),
        _context=SimpleNamespace(seams=SimpleNamespace(clock=SimpleNamespace(nano_time=lambda: 5))),
    )
    return calls, module


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        # "it enters an Election with the reason "leader heartbeat timeout""
        (ModuleConductor.on_leader_timeout, "leader heartbeat timeout"),
        # "it starts an Election with reason "inactive follower quorum""
        (ModuleConductor.on_quorum_lost, "inactive follower quorum"),
    ],
)
def test_a_timeout_begins_an_election_with_upstreams_reason(conductor, call, reason):
    calls, conductor._running = entered()
    call(conductor, 5)
    assert calls == [(reason, 5, {})]


@pytest.mark.parametrize(
    ("is_given_up", "reason"),
    [
        (False, "too far behind the leader's log to receive it"),
        (True, "a bad frame in what was received as the leader's log"),
    ],
)
def test_a_log_that_cannot_be_received_begins_an_election(is_given_up, reason):
    calls, module = entered()
    module._follower_log = SimpleNamespace(is_given_up=is_given_up)
    RunningModule.on_log_lost(module, 5)
    assert calls == [(reason, 5, {})]


@pytest.mark.parametrize("state", [ConsensusModuleState.TERMINATING, ConsensusModuleState.CLOSED])
def test_the_end_of_the_recording_begins_no_election_of_a_member_that_ends(state):
    calls, module = entered()
    module.status.state = state
    module._follower_log = SimpleNamespace(is_end_of_stream=False)
    RunningModule.on_recording_signal(module, SimpleNamespace(recording_id=7))
    assert calls == []


@pytest.mark.parametrize(("is_eos", "text"), [(True, "true"), (False, "false")])
def test_the_end_of_the_log_begins_an_election_with_upstreams_reason(is_eos, text):
    calls, module = entered()
    module._follower_log = SimpleNamespace(is_end_of_stream=is_eos)
    RunningModule.on_log_ended(module, 5)
    RunningModule.on_recording_signal(module, SimpleNamespace(recording_id=7))
    fields = {"is_closed_well": is_eos}
    assert calls == [
        (f"log disconnected from leader: eos={text}", 5, fields),
        (f"log recording stopped: eos={text}, recording 7", 5, fields),
    ]


def test_the_reason_of_an_election_is_reported_as_by_upstream():
    reported, begun = [], []
    module = SimpleNamespace(
        _election=None,
        _context=SimpleNamespace(error_handler=reported.append),
        _members=(),
        status=SimpleNamespace(
            set_role=lambda _role: None, set_leader=lambda _id: None, leadership_term_id=3
        ),
        _freeze_commit_position=lambda: 96,
        _begin_election=lambda **fields: begun.append(fields["reason"]),
        _schedule=lambda _now_ns: None,
    )
    RunningModule.enter_election(module, "inactive follower quorum", 5)
    assert [str(error) for error in reported] == ["WARN - inactive follower quorum"]
    assert begun == ["inactive follower quorum"]


def test_a_reason_for_an_election_changes_nothing_in_a_running_one():
    module = SimpleNamespace(_election="the election")  # any use of a part would fail
    assert RunningModule.enter_election(module, "inactive follower quorum", 5) is None
    assert module._election == "the election"


MEMBERS = "|".join(f"{each},n{each}:1,n{each}:2,n{each}:3,n{each}:0,n{each}:4" for each in range(3))
TIMES = (
    "startup_canvass_timeout_ns",
    "election_timeout_ns",
    "election_status_interval_ns",
    "leader_heartbeat_timeout_ns",
    "leader_heartbeat_interval_ns",
)


def electing(appointed_leader_id):
    """Return member 1 of three, which begins its elections with the options that they need."""
    options = SimpleNamespace(
        member_id=1, appointed_leader_id=appointed_leader_id, **dict.fromkeys(TIMES, 1000)
    )
    module = SimpleNamespace(
        _context=SimpleNamespace(
            options=options, events=NO_EVENTS, error_handler=lambda _error: None
        ),
        _counters=SimpleNamespace(
            election_count=SimpleNamespace(increment=lambda: None),
            commit_position=SimpleNamespace(set=lambda _position: None),
        ),
        _leadership=SimpleNamespace(on_election_state=lambda _state, _reason: None),
        _agent=SimpleNamespace(member=lambda _index: (96, 5, 3)),
        _members=parse_members(MEMBERS),
        _election=None,
        _extension=None,
        _freeze_commit_position=lambda: 96,
        _schedule=lambda _now_ns: None,
        status=SimpleNamespace(
            set_election=lambda **_: None,
            set_role=lambda _role: None,
            set_leader=lambda _id: None,
            enter=lambda _state, _reason: None,
            leadership_term_id=3,
            leader_member_id=2,
        ),
    )
    module._begin_election = partial(RunningModule._begin_election, module)
    return module


@pytest.mark.parametrize("is_start", [True, False])
@pytest.mark.parametrize(("appointed", "may_stand"), [(-1, True), (1, True), (0, False)])
def test_only_the_appointed_leader_becomes_candidate_in_any_election(
    appointed, may_stand, is_start
):
    """In the first one of a process, and in those after a failure."""
    module = electing(appointed)
    if is_start:
        recovered = SimpleNamespace(
            snapshot=None, log_leadership_term_id=3, log_position=96, append_position=96
        )
        RunningModule.begin(module, recovered)
    else:
        RunningModule.enter_election(module, "inactive follower quorum", 5)
    assert module._election.is_node_startup == is_start
    assert module._election.may_stand == may_stand


def test_a_clients_message_is_forwarded_to_the_leader():
    sent = []
    module = SimpleNamespace(
        _link=SimpleNamespace(send=lambda *given: sent.append(given)),
        status=SimpleNamespace(leader_member_id=2),
    )
    RunningModule._forward_to_leader(module, b"message")
    assert sent == [(2, b"message")]


# ---- failed elections ----

TIMEOUT_NS, INTERVAL_NS = 1000, 300
# The wording of Java's archive.
PURGED = "requested replay start position=64 is less than recording start position=4096"


class Failing:
    """A module whose election failed some times in a row."""

    def __init__(self, failures=0, members=3):
        self.ended, self.reported, self.restarted = [], [], []
        self.election = SimpleNamespace(
            failure_count=failures,
            log_leadership_term_id=3,
            log_position=64,
            restart=lambda *given: self.restarted.append(given),
        )
        self.module = SimpleNamespace(
            _members=[None] * members,
            _context=SimpleNamespace(
                options=SimpleNamespace(
                    member_id=0,
                    election_timeout_ns=TIMEOUT_NS,
                    election_status_interval_ns=INTERVAL_NS,
                ),
                error_handler=self.reported.append,
            ),
            _archive=SimpleNamespace(is_connected=True),
            _end_unexpectedly=self._end,
            _freeze_commit_position=lambda: 96,
        )

    def _end(self, error):
        self.ended.append(error)
        raise AgentTerminationError(str(error))

    def fail(self, error):
        """Fail; return whether the module ended."""
        try:
            RunningModule._begin_election_again(self.module, self.election, error, 5)
        except AgentTerminationError:
            assert self.restarted == []
            return True
        assert self.ended == []
        return False


@pytest.mark.parametrize(
    ("failures", "members", "pause_ns"),
    [
        (0, 3, 0),
        (1, 3, INTERVAL_NS),
        (2, 3, 2 * INTERVAL_NS),
        (4, 3, TIMEOUT_NS),
        (99, 3, TIMEOUT_NS),
        (0, 1, TIMEOUT_NS),
        (3, 1, TIMEOUT_NS),
    ],
)
def test_a_failed_election_begins_again_after_a_pause(failures, members, pause_ns):
    error, failing = ClusterError("no leader"), Failing(failures, members)
    assert not failing.fail(error)
    assert failing.reported == [error]
    assert failing.restarted == [(error, 96, 5 + pause_ns)]


def test_it_begins_again_even_if_the_error_handler_raises():
    def handler(_error):
        raise ValueError("of the handler")

    error, failing = ClusterError("no leader"), Failing()
    failing.module._context.error_handler = handler
    with pytest.raises(ValueError, match="of the handler"):
        failing.fail(error)
    assert failing.restarted == [(error, 96, 5)]


def test_a_member_alone_ends_after_elections_that_fail_always():
    failing = Failing(4, members=1)
    assert failing.fail(ClusterError("no archive"))
    assert [str(each) for each in failing.ended] == [
        "an election failed 5 times in a row, at last with: no archive"
    ]


@pytest.mark.parametrize("members", [1, 3])
def test_an_election_without_an_archive_ends_the_member(members):
    error, failing = ClusterError("not connected"), Failing(members=members)
    failing.module._archive.is_connected = False
    assert failing.fail(error)
    assert failing.ended == [error]


def test_a_log_that_differs_from_the_leaders_ends_the_member():
    place = {"member_id": 0, "leadership_term_id": 3, "log_position": 64}
    error = LogMismatchError("differs", remedy="restore it", **place)
    failing = Failing()
    assert failing.fail(error)
    assert failing.ended == [error]


def test_a_log_of_its_own_whose_beginning_is_purged_ends_the_member():
    failing = Failing()
    assert failing.fail(ArchiveError(PURGED, ArchiveErrorCode.INVALID_POSITION))
    (error,) = failing.ended
    assert isinstance(error, LogMismatchError)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (0, 3, 64)
    assert "restore" in error.remedy


def test_the_purged_log_of_a_leader_is_reported_and_another_one_may_have_it():
    failing = Failing()
    assert not failing.fail(ArchiveError(PURGED, ArchiveErrorCode.GENERIC))
    (error,) = failing.reported
    assert isinstance(error, LogMismatchError)
    assert failing.restarted == [(error, 96, 5)]


@pytest.mark.parametrize("is_electing", [True, False])
def test_a_failure_outside_of_an_election_is_only_reported(is_electing):
    failing, reported = Failing(), []
    failing.module._election = failing.election if is_electing else None
    failing.module._on_client_error = reported.append
    failing.module._begin_election_again = lambda _, error, __: failing.fail(error)
    error = ClusterError("of a part")
    RunningModule.on_failure(failing.module, error, 5)
    assert reported == ([] if is_electing else [error])
    assert failing.restarted == ([(error, 96, 5)] if is_electing else [])


@pytest.mark.parametrize("is_electing", [True, False])
@pytest.mark.parametrize(
    ("error", "restarts"),
    [
        (ClusterError("of an answer"), True),
        (MessageError("length", ">= 8", 4), False),
        (AgentTerminationError("over"), False),
    ],
)
def test_only_a_failed_election_begins_again_after_a_message(error, restarts, is_electing):
    """An invalid message, which any peer may send, restarts none."""

    def on_message(*_):
        raise error

    again, scheduled = [], []
    module = SimpleNamespace(
        _messages=SimpleNamespace(on_message=on_message),
        _election="the election" if is_electing else None,
        _begin_election_again=lambda *given: again.append(given),
        _schedule=scheduled.append,
    )
    if restarts and is_electing:
        RunningModule.on_consensus_message(module, b"", None, 5)
        assert again == [("the election", error, 5)]
    else:
        with pytest.raises(type(error)) as raised:
            RunningModule.on_consensus_message(module, b"", None, 5)
        assert (raised.value, again) == (error, [])
    assert scheduled == [5]


# ---- its end, and what is only reported ----


@pytest.fixture
def stalled(conductor):
    """Return a conductor that has read the log up to 640 in term 3, and its reports."""
    conductor.reports = []
    conductor._context = SimpleNamespace(
        error_handler=conductor.reports.append, options=SimpleNamespace(member_id=2)
    )
    conductor._running = SimpleNamespace(log_place=lambda: (3, 640))
    conductor._failure = conductor._stall = None
    return conductor


def test_a_stall_that_closed_the_client_is_reported_once_with_its_place(stalled):
    failure = ConductorServiceTimeoutError(12_000_000_000, 10_000_000_000)
    for _ in range(2):
        stalled.on_client_error(failure)
    (error,) = stalled.reports
    assert isinstance(error, StalledError)
    assert (error.stalled_ns, error.limit_ns) == (12_000_000_000, 10_000_000_000)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (2, 3, 640)
    assert error.__cause__ is failure


def test_another_error_of_the_client_is_reported_each_time(stalled):
    errors = [ClusterError("one"), ClusterError("two")]
    for each in errors:
        stalled.on_client_error(each)
    assert stalled.reports == errors


def test_a_module_on_a_given_client_reports_that_its_driver_timed_it_out(stalled):
    failure = ConductorServiceTimeoutError(12_000_000_000, 10_000_000_000)
    stalled._aeron = SimpleNamespace(is_closed=True, failure=failure)
    for _ in range(2):
        with pytest.raises(AgentTerminationError, match="unexpected Aeron close") as raised:
            stalled._check_failure()
    (error,) = stalled.reports
    assert raised.value.__cause__ is error
    assert isinstance(error, StalledError)


def test_the_place_of_a_closed_client_is_read_while_its_counter_is_there():
    counters = CountersManager(bytearray(512 * 4), bytearray(128 * 4))
    counter_id = counters.allocate("commit-pos", 203, now_ms=0)
    counters.set_registration_id(counter_id, 77)
    counters.set_value(counter_id, 640)
    module = SimpleNamespace(
        _counters=SimpleNamespace(
            commit_position=SimpleNamespace(
                is_closed=True, counter_id=counter_id, registration_id=77
            )
        ),
        _aeron=SimpleNamespace(counters_reader=counters),
        status=SimpleNamespace(leadership_term_id=3),
    )
    assert RunningModule.log_place(module) == (3, 640)
    counters.set_registration_id(counter_id, 78)  # another one since then
    assert RunningModule.log_place(module) == (3, -1)


def test_an_error_handler_that_raises_leaves_the_next_call_scheduled(stalled):
    def do_work(*_):
        raise ValueError("of the handler")

    scheduled = []
    stalled._aeron = SimpleNamespace(is_closed=False)
    stalled._start = SimpleNamespace(archive=None)
    stalled._link = stalled._addresses = SimpleNamespace(do_work=lambda: 0)
    stalled._has_unchecked_images = False
    stalled._running = SimpleNamespace(do_work=do_work)
    stalled._schedule = scheduled.append
    with pytest.raises(ValueError, match="of the handler"):
        stalled.do_work(5)
    assert scheduled == [5]


class Ended:
    """A running module in which everything ends it."""

    def __init__(self):
        self.states = []
        self.status = SimpleNamespace(enter=lambda *given: self.states.append(given))

    def __getattr__(self, name):
        def end(*_):
            raise AgentTerminationError(f"in {name}")

        return end


SERVICE_QUERY = ClusterMembersQuery.encode(correlation_id=1, extended=1)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("do_work", (5,)),
        ("on_ingress", (b"", None, 5)),
        ("on_consensus_message", (b"", None, 5)),
        ("on_member_id_mismatch", (SimpleNamespace(source_identity="10.0.0.9:1"), 5)),
        ("authorized_members", (SimpleNamespace(source_identity="10.0.0.9:1"),)),
        ("on_leader_timeout", (5,)),
        ("on_quorum_lost", (5,)),
        ("on_log_ended", (5,)),
        ("on_log_lost", (5,)),
        ("on_termination_position", (5,)),
        ("on_service_message", (SERVICE_QUERY, 96, 5)),
        ("on_timers_due", (5,)),
        ("on_committed", (96,)),
        ("_pass_time", (96,)),
        ("_read_time", ()),
    ],
)
def test_the_user_is_notified_of_an_end_once_whatever_raised_it(stalled, name, arguments):
    hooks = []
    ended = stalled._running = stalled._addresses = Ended()
    stalled._is_terminated = False
    stalled._start = SimpleNamespace(archive=None, counters=None)
    stalled._aeron = SimpleNamespace(is_closed=False)
    stalled._link = SimpleNamespace(do_work=lambda: 0)
    stalled._context.termination_hook = lambda: hooks.append(True)
    stalled._context.cluster_time = stalled._context.cluster_time_consumer = ended.user
    stalled.agent = ended
    for _ in range(2):
        with pytest.raises(AgentTerminationError):
            getattr(stalled, name)(*arguments)
    assert hooks == [True]
    assert [state for state, _ in ended.states] == [ConsensusModuleState.CLOSED]


@pytest.mark.parametrize("has_extension", [True, False])
def test_an_event_of_the_log_that_ends_the_module_closes_it(has_extension):
    def end(*_):
        raise AgentTerminationError("by the log")

    ended = []
    module = SimpleNamespace(
        _context=SimpleNamespace(error_handler=pytest.fail),
        _extension=SimpleNamespace(on_log_message=end) if has_extension else None,
        _events=SimpleNamespace(on_event=end),
        _on_termination=ended.append,
    )
    with pytest.raises(AgentTerminationError) as raised:
        RunningModule._on_log_event(module, bytes(8), 96)
    assert ended == [raised.value]


def test_an_end_at_the_begin_is_not_reported_again(conductor, monkeypatch):
    failure, reports = AgentTerminationError("no archive"), []
    conductor._context = SimpleNamespace(error_handler=reports.append)
    monkeypatch.setattr(Running, "failure", failure)
    with pytest.raises(AgentTerminationError) as raised:
        list(conductor._run_start())
    assert (raised.value, reports) == (failure, [])


def test_a_source_that_is_no_member_has_no_vote_and_is_resolved_again(conductor):
    """Its host may have a new address: nothing else may be due."""
    scheduled, rejected = [], []
    conductor._context = SimpleNamespace(
        seams=SimpleNamespace(clock=SimpleNamespace(nano_time=lambda: 5))
    )
    conductor._schedule = scheduled.append
    conductor._members = [SimpleNamespace(member_id=each) for each in (4, 5, 6)]
    conductor._addresses = SimpleNamespace(
        is_member=lambda source: source == "10.0.0.1:1",
        members_at=lambda _: {4, 6},
        reject_id=lambda *given: rejected.append(given),
    )
    assert conductor.authorized_members(SimpleNamespace(source_identity="10.0.0.1:1")) == 0b101
    assert scheduled == []
    stranger = SimpleNamespace(source_identity="10.0.0.9:1")
    assert conductor.authorized_members(stranger) == 0
    assert scheduled == [5]
    conductor.on_member_id_mismatch(stranger, 5)
    assert rejected == [("10.0.0.9:1", 5)]


def test_the_time_of_the_log_is_passed_to_the_users_consumer(conductor):
    times = []
    conductor._context = SimpleNamespace(cluster_time_consumer=times.append)
    conductor._pass_time(1234)
    assert times == [1234]


def test_an_unknown_request_of_a_service_is_reported(stalled):
    message = bytearray(ClusterMembersQuery.encode(correlation_id=1, extended=1))
    message[2:4] = (9999).to_bytes(2, "little")  # the template id
    stalled.on_service_message(bytes(message), 96, 5)
    (error,) = stalled.reports
    assert isinstance(error, UnknownMessageError)


def test_requests_before_the_module_runs_are_skipped(conductor):
    """They were sent to an earlier one."""
    message = ClusterMembersQuery.encode(correlation_id=1, extended=1)
    assert conductor.on_service_message(message, 96, 5) is None
    assert conductor.on_consensus_message(message, None, 5) is None
    assert conductor._on_recording_signal(SimpleNamespace(recording_id=7)) is None
    assert conductor.on_ingress(message, None, 5) is True


def test_a_message_that_is_no_request_changes_nothing():
    query = BackupQuery.encode(
        correlation_id=1,
        response_stream_id=1,
        version=0,
        log_position=0,
        response_channel="aeron:ipc",
        encoded_credentials=b"",
    )
    module = SimpleNamespace()  # any use of a part would fail
    assert RunningModule.on_request_of_service(module, BackupQuery.decode(query), 96, 5) is None


def test_the_answer_to_a_query_of_members_has_their_progress_and_the_own_one_as_of_now():
    """The age of a position is the time of the answer minus that of its receipt, both in ns."""
    now_ns = 1_700_000_000_123_456_789
    answers = []
    members = parse_members(MEMBERS)
    module = SimpleNamespace(
        _context=SimpleNamespace(members=members, options=SimpleNamespace(member_id=1)),
        _members=members,
        _own_index=1,
        _services=SimpleNamespace(try_answer=answers.append),
        _counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 640)),
        _agent=SimpleNamespace(member=lambda index: (96 * index, now_ns - 1 - index, 2)),
        status=SimpleNamespace(leader_member_id=2, leadership_term_id=3),
    )
    module._progress = partial(RunningModule._progress, module)
    query = ClusterMembersQuery(correlation_id=77, extended=BooleanType.TRUE)
    RunningModule.on_request_of_service(module, query, 96, now_ns)
    (answer,) = map(decode, answers)
    assert (answer.correlation_id, answer.current_time_ns) == (77, now_ns)
    assert (answer.leader_member_id, answer.member_id) == (2, 1)
    assert [
        (each.member_id, each.log_position, each.time_of_last_append_ns, each.leadership_term_id)
        for each in answer.active_members
    ] == [(0, 0, now_ns - 1, 2), (1, 640, now_ns, 3), (2, 192, now_ns - 3, 2)]


# ---- the end ----


@pytest.mark.parametrize("raised", [KeyError("files"), SystemExit(3)], ids=repr)
def test_an_extension_that_fails_to_close_is_reported(raised):
    errors = []

    def fail():
        raise raised

    part = SimpleNamespace(close=lambda: None)
    module = SimpleNamespace(
        status=SimpleNamespace(enter=lambda _state, _reason: None),
        _context=SimpleNamespace(error_handler=errors.append),
        _election=None,
        _leadership=part,
        _backups=part,
        _schedules=(),
        _sessions=part,
        _extension=SimpleNamespace(close=fail),
        _extension_work=object(),
    )
    RunningModule.close(module)
    RunningModule.close(module)
    (error,) = errors
    assert raised in (error, error.__cause__)
