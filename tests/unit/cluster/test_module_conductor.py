"""The order of a module's start."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.module import module_conductor
from aeron_cluster.cluster.module.module_conductor import ModuleConductor
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
