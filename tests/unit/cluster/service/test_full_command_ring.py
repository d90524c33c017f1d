"""A container whose driver reads no commands: everything else goes on."""

import contextlib

import pytest

from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.codecs.cluster import CloseReason, ServiceTerminationPosition
from aeron_cluster.errors import OperationError
from tests.unit.cluster.service.container_rig import TIME, Calls


def fill_ring(rig):
    """Fill the command ring of the driver."""
    with contextlib.suppress(OperationError):
        while True:
            rig.aeron.async_add_counter(1001, "x" * 300)
    with contextlib.suppress(OperationError):
        while True:
            rig.aeron._conductor.proxy.remove_counter(-5)


def passes(rig, count=100):
    """Run the container's agents; the driver reads nothing."""
    for _ in range(count):
        for agent in rig.container.agents:
            agent.do_work()


def leader(rig, service, sessions=1):
    rig.lead(service)
    for session_id in range(1, 1 + sessions):
        rig.open(session_id)
    rig.commit()
    rig.until(lambda: len(service.named("on_session_open")) == sessions)


def assert_full(errors, count):
    assert [type(each) for each in errors] == [OperationError] * count
    assert all("command ring is full" in str(each) for each in errors)


def test_a_closed_session_is_notified(rig):
    service = Calls()
    leader(rig, service)
    session, position = service.sessions[1], rig.close_session(1)
    fill_ring(rig)
    rig.commit_position.set(position)
    passes(rig)
    assert service.named("on_session_close") == [[session, TIME, CloseReason.CLIENT_ACTION]]
    assert rig.errors == []  # the removal of its egress is sent later


def test_a_leader_becomes_a_follower(rig):
    service = Calls()
    leader(rig, service, 2)
    rig.ask_to_join(log_session_id=123)
    rig.container._conductor.agent.cap(rig.position)
    fill_ring(rig)
    passes(rig)
    assert rig.container.cluster.role is Role.FOLLOWER
    assert service.named("on_role_change")[-1] == [Role.FOLLOWER]
    assert not any(each.is_connected for each in service.sessions.values())
    # The removals of two egresses, and of the subscription to the log, are sent later. If the
    # passes take long, it also tries to subscribe to the next log.
    assert_full(rig.errors, len(rig.errors))


@pytest.mark.parametrize("is_joined", [True, False])
def test_a_container_ends(rig, is_joined):
    service = Calls()
    if is_joined:
        leader(rig, service, 2)
    else:
        rig.start(service)
    message = ServiceTerminationPosition.encode(log_position=rig.position)
    rig.until(lambda: rig.to_services.offer(message))
    fill_ring(rig)
    passes(rig, 2000)
    assert rig.ended == 1
    assert len(service.named("on_terminate")) == 1
    assert rig.container._conductor.failure is not None
    assert rig.errors
    assert_full(rig.errors, len(rig.errors))


def test_a_failed_step_of_the_end_is_reported(rig, monkeypatch):
    rig.start(Calls())
    error = OSError(5, "Input/output error")

    def fail():
        raise error

    monkeypatch.setattr(rig.container._conductor._mark_file, "close", fail)
    rig.terminate_at(rig.position)
    rig.until(lambda: rig.ended)
    assert rig.errors == [error]
