"""The order of a module's start."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.module import module_conductor
from aeron_cluster.cluster.module.module_conductor import ModuleConductor
from aeron_cluster.cluster.module.running_module import RunningModule
from aeron_cluster.errors import AgentTerminationError


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
