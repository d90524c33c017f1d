"""Surviving clients: an answer too many, a wrong rejection and an end are violations."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import ClosedError, SupersededError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.client import Client, Load
from aeron_cluster.simulator.clients.earlier_process import EarlierProcess
from aeron_cluster.simulator.clients.failed_requests import Failure
from aeron_cluster.simulator.clients.reference import Operation, ReferenceLoad, Request, Verb
from aeron_cluster.simulator.clients.survivor import Survivor


class Orders(Load):
    """Records what a client is given."""

    def __init__(self, *, may_be_rejected):
        self.may_be_rejected = may_be_rejected
        self.given = []

    def on_response(self, payload, now_ns):
        self.given.append((payload, now_ns))

    def on_rejected(self, reason, now_ns):
        self.given.append((reason, now_ns))


def survivor(*, may_be_rejected=True, pending=(1,)):
    cluster = SimpleNamespace(now_ns=70, ingress_endpoints="0=node0:9010")
    made = Survivor(
        cluster, 0, SimpleNamespace(name="client0"), load=Orders(may_be_rejected=may_be_rejected)
    )
    made.pending = dict.fromkeys(pending, b"request")
    return made


def test_an_answer_ends_its_request():
    client = survivor()
    client.on_answer(1, b"done", client.pending)
    assert client.load.given == [(b"done", 70)]
    assert client.pending == {}
    assert client.violations == []


@pytest.mark.parametrize("pending", [(), (2,)])
def test_an_answer_without_a_request_is_a_violation(pending):
    client = survivor(pending=pending)
    client.on_answer(1, b"done", client.pending)
    assert client.violations == ["request 1 was answered twice, or never sent"]


def test_a_rejection_that_the_load_allows_is_an_answer():
    client = survivor()
    client.on_failure(1, "too many", client.pending, is_rejected=True)
    assert client.load.given == [("too many", 70)]
    assert [each.payload for each in client.responses] == [b"too many"]
    assert client.violations == []


def test_a_rejection_that_the_load_does_not_allow_is_a_violation():
    client = survivor(may_be_rejected=False)
    client.on_failure(1, "too many", client.pending, is_rejected=True)
    assert client.violations == ["request 1 failed: too many"]
    assert client.load.given == []
    assert client.pending == {1: b"request"}


def test_a_failure_without_a_request_is_a_violation():
    client = survivor(pending=(2,))
    client.on_failure(1, "too many", client.pending, is_rejected=False)
    assert client.violations == ["request 1 was answered twice, or never sent"]
    assert client.load.given == []


@pytest.mark.parametrize("is_rejected", [False, True])
def test_a_load_records_how_its_request_failed(is_rejected):
    load = ReferenceLoad(0, SeededRandom(1))
    load.enable_failed_requests(SeededRandom(2))
    client = survivor()
    client.load = load
    load.operations.append(Operation(Request(0, 0, Verb.REJECT, 3)))
    client.pending = {1: load.operations[0].request.encode()}
    client.on_failure(1, "too many", client.pending, is_rejected=is_rejected)
    (operation,) = load.operations
    assert operation.failure == Failure(is_rejected, "too many")
    assert (operation.answered_ns, operation.answer_count) == (70, 1)
    assert client.violations == []


def test_a_client_that_ends_by_itself_is_a_violation(monkeypatch):
    client = survivor()
    given = []

    def start(*, listener, **_):
        given.append(listener)
        return SimpleNamespace(do_work=raise_closed, leader_member_id=2)

    def raise_closed():
        raise ClosedError("the client is closed")

    monkeypatch.setattr(SurvivingClient, "start", start)
    client._agent = SimpleNamespace()
    assert client.leader_id == -1
    with pytest.raises(ClosedError):
        client.do_work()
    assert [str(each) for each in client.errors] == ["the client is closed"]
    assert client.violations == [f"the client ended: {client.errors[0]!r}"]
    assert client.leader_id == 2
    given[0].on_failure(1, "too many")
    assert client.load.given == [("too many", 70)]


@pytest.mark.parametrize("kind", [Client, Survivor])
def test_a_client_without_a_process_has_nothing_to_end(kind):
    cluster = SimpleNamespace(now_ns=70)
    client = kind(cluster, 0, SimpleNamespace(name="client0"))
    client.stop()
    client.resume()
    assert not client.is_stopped
    client.send(b"request")
    assert [*client.outbox] == [b"request"]
    assert client.end_session() is None
    assert not client.fall_silent()
    client.kill()
    client.close()
    assert client.left == set()
    assert client.leaks == {}


@pytest.mark.parametrize("in_doubt", [(), (1,), (1, 2, 3)])
def test_a_superseded_process_has_exactly_its_unanswered_requests_in_doubt(in_doubt):
    process = EarlierProcess(SimpleNamespace(close=lambda: None), dict.fromkeys((2, 1), b""))
    assert process.violation(SupersededError(7, "taken over", (1, 2))) == ""
    text = f"a superseded client has (1, 2) in doubt, was notified of {in_doubt}"
    assert process.violation(SupersededError(7, "taken over", in_doubt)) == text
    process.close()
    assert process.pending == {}


def test_a_client_waits_for_the_processes_that_it_replaced():
    client = survivor(pending=())
    assert not client.is_waiting
    client._earlier.append(EarlierProcess(SimpleNamespace(), {3: b"request"}))
    assert client.is_waiting
