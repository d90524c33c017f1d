"""Sessions of clients whose leader is lost: a client that needs another session is detected."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.held_sessions import HeldSession
from aeron_cluster.simulator.model.plain_messages import (
    CLIENT_ACTION,
    REASONS,
    SERVICE_ACTION,
    TIMEOUT,
)

RULE = "sessions outlive their leader"


def connected(session_id=5, leader_id=0, session_count=1, closes=None):
    session = SimpleNamespace(leader_member_id=leader_id)
    return SimpleNamespace(
        number=3,
        session=session,
        session_id=session_id,
        session_count=session_count,
        closes=closes or {},
    )


def change(held, **changes):
    """Change the client after its session was recorded."""
    vars(held.client).update(vars(connected(**changes)))


def test_a_client_without_a_session_holds_none():
    client = connected()
    client.session_id = None
    assert HeldSession.of(client) is None
    client.session, client.session_id = None, 5
    assert HeldSession.of(client) is None


def test_the_same_session_with_the_next_leader_passes():
    held = HeldSession.of(connected())
    assert not held.has_new_leader()
    change(held, leader_id=1)
    assert held.has_new_leader()
    held.check(RULE)


def test_a_client_without_a_session_has_no_new_leader():
    held = HeldSession.of(connected())
    held.client.session = None
    assert not held.has_new_leader()


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"session_id": 6, "session_count": 2}, 1),
        ({"session_count": 2}, 1),
        ({"session_id": None}, 0),
        ({"session_count": 2, "closes": {5: REASONS[TIMEOUT]}}, 1),
        ({"session_count": 2, "closes": {4: REASONS[CLIENT_ACTION]}}, 1),
    ],
)
def test_another_session_is_detected(changes, more):
    held = HeldSession.of(connected())
    change(held, **changes)
    assert held.has_new_leader() == bool(more)
    with pytest.raises(InvariantError) as error:
        held.check(RULE)
    assert error.value.invariant == RULE
    assert error.value.found.startswith(
        f"client 3 had session 5 with member 0, then needed {more} more: "
    )


@pytest.mark.parametrize("reason", [CLIENT_ACTION, SERVICE_ACTION])
def test_a_client_may_connect_again_after_a_requested_close(reason):
    held = HeldSession.of(connected())
    change(held, session_id=6, session_count=2, closes={5: REASONS[reason]})
    held.check(RULE)
