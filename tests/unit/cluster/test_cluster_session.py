import pytest

from aeron_cluster.cluster.sessions.cluster_session import (
    ClusterSession,
    SessionAction,
    SessionState,
)
from aeron_cluster.codecs.cluster import CloseReason, EventCode
from aeron_cluster.errors import MessageError, StateError

S = SessionState
# Steps that bring a session into each state, and all transitions out of it.
WAYS = {
    S.CONNECTING: lambda s: s.on_connecting(0),
    S.CONNECTED: lambda s: s.on_connected(),
    S.CHALLENGED: lambda s: s.on_challenged(),
    S.AUTHENTICATED: lambda s: s.authenticate(b"me"),
    S.REJECTED: lambda s: s.reject(EventCode.ERROR, "no"),
    S.OPEN: lambda s: s.open(160),
    S.CLOSING: lambda s: s.closing(CloseReason.TIMEOUT),
    S.INVALID: lambda s: s.invalidate(),
    S.CLOSED: lambda s: s.close("closed"),
}
PATHS = {
    S.INIT: [],
    S.CONNECTING: [S.CONNECTING],
    S.CONNECTED: [S.CONNECTING, S.CONNECTED],
    S.CHALLENGED: [S.CONNECTING, S.CONNECTED, S.CHALLENGED],
    S.AUTHENTICATED: [S.CONNECTING, S.CONNECTED, S.AUTHENTICATED],
    S.REJECTED: [S.REJECTED],
    S.OPEN: [S.OPEN],
    S.CLOSING: [S.OPEN, S.CLOSING],
    S.INVALID: [S.INVALID],
    S.CLOSED: [S.CLOSED],
}
# Written by hand a second time, as rows of allowed transitions.
ALLOWED = {
    S.INIT: "CONNECTING REJECTED INVALID OPEN CLOSING CLOSED",
    S.CONNECTING: "CONNECTED INVALID CLOSED",
    S.CONNECTED: "CHALLENGED AUTHENTICATED REJECTED INVALID CLOSED",
    S.CHALLENGED: "CHALLENGED AUTHENTICATED REJECTED INVALID CLOSED",
    S.AUTHENTICATED: "OPEN REJECTED INVALID CLOSED",
    S.REJECTED: "CLOSED",
    S.OPEN: "CLOSING CLOSED",
    S.CLOSING: "CLOSED",
    S.INVALID: "CLOSED",
    S.CLOSED: "CLOSING CLOSED",
}


def session_in(state):
    session = ClusterSession(1, 102, "aeron:ipc", 5)
    for step in PATHS[state]:
        WAYS[step](session)
    assert session.state is state
    return session


def test_has_the_ten_states_and_four_actions_of_the_document():
    # "INIT, CONNECTING, CONNECTED, CHALLENGED, AUTHENTICATED, REJECTED, OPEN, CLOSING, INVALID,
    # CLOSED"; "CLIENT, BACKUP, HEARTBEAT, STANDBY_SNAPSHOT"
    assert " ".join(state.name for state in SessionState) == (
        "INIT CONNECTING CONNECTED CHALLENGED AUTHENTICATED REJECTED OPEN CLOSING INVALID CLOSED"
    )
    assert " ".join(action.name for action in SessionAction) == (
        "CLIENT BACKUP HEARTBEAT STANDBY_SNAPSHOT"
    )


@pytest.mark.parametrize("state", list(SessionState))
@pytest.mark.parametrize("following", list(WAYS))
def test_accepts_the_drawn_transitions_and_rejects_all_others(state, following):
    session = session_in(state)
    if following.name in ALLOWED[state].split():
        WAYS[following](session)
        assert session.state is following
    else:
        with pytest.raises(StateError, match=f"after {state.name}, found {following.name}"):
            WAYS[following](session)
        assert session.state is state


def test_uncommitted_close_is_closing_again_with_its_reason():
    session = session_in(S.CLOSING)
    session.closed_log_position = 320
    session.close("closed")
    session.restore_closing()
    assert (session.state, session.close_reason) == (S.CLOSING, CloseReason.TIMEOUT)
    assert session.closed_log_position == -1


def test_closing_session_has_no_pending_events():
    session = session_in(S.OPEN)
    session.is_new_leader_event_pending = True
    assert session.is_open_event_pending
    session.closing(CloseReason.SERVICE_ACTION)
    assert not session.is_open_event_pending
    assert not session.is_new_leader_event_pending


def test_the_answer_to_a_challenge_brings_a_new_correlation_id():
    session = session_in(S.CHALLENGED)
    session.on_challenge_response(77, 9)
    assert (session.correlation_id, session.last_activity_ns) == (77, 9)


def test_rejects_a_principal_too_long_for_the_log():
    session = session_in(S.CONNECTED)
    with pytest.raises(MessageError, match="4096 bytes, found 4097"):
        session.authenticate(bytes(4097))
    assert session.state is S.CONNECTED
    session.authenticate(bytes(4096))
    assert len(session.encoded_principal) == 4096
