"""Client sessions at the leader, in the order of their life cycle."""

import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.security import DefaultAuthenticator, SimpleAuthenticator, allow_all
from aeron_cluster.cluster.sessions.cluster_session import SessionState
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminRequestType,
    AdminResponse,
    AdminResponseCode,
    Challenge,
    ChallengeResponse,
    CloseReason,
    NewLeaderEvent,
    SessionCloseEvent,
    SessionCloseRequest,
    SessionEvent,
    SessionKeepAlive,
    SessionOpenEvent,
)
from aeron_cluster.errors import (
    AgentTerminationError,
    CallbackExitError,
    ClosedError,
    ConfigurationError,
    MaxPositionExceededError,
    MessageError,
    RegistrationError,
)
from tests.unit.cluster.session_rig import ENDPOINTS, EPOCH_MS, MEMBER, MS, TERM, S, SessionRig

NEVER = 2**63 - 1


@pytest.fixture
def rig():
    return SessionRig()


@pytest.fixture
def follower():
    return SessionRig(is_leader=False)


def event_of(message):
    assert isinstance(message, SessionEvent), message
    return message.code.name, message.detail


def open_event(session_id, channel="aeron:udp?endpoint=client1:9", correlation_id=40):
    return SessionOpenEvent(
        leadership_term_id=TERM,
        correlation_id=correlation_id,
        cluster_session_id=session_id,
        timestamp=EPOCH_MS,
        response_stream_id=102,
        response_channel=channel,
        encoded_principal=b"who",
    )


def close_event(session_id, reason=CloseReason.CLIENT_ACTION):
    return SessionCloseEvent(
        leadership_term_id=TERM,
        cluster_session_id=session_id,
        timestamp=EPOCH_MS,
        close_reason=reason,
    )


# ---- connecting -------------------------------------------------------------------------------


def test_an_authenticated_client_is_accepted_and_notified_through_the_log(rig):
    # "For CLIENT ClusterSessions, it attempts to append a SessionOpenEvent to the Log. When that
    # succeeds, it moves the ClusterSession to the OPEN state and sends a SessionEvent on the Egress
    # with EventCode OK"
    requested = rig.connect()
    rig.tick()
    channel = "aeron:udp?endpoint=client1:9"
    timestamp = rig.context.cluster_time()
    assert rig.log.entries == [("open", 1, requested, timestamp, 102, channel, b"")]
    (event,) = rig.observed()
    assert event_of(event) == ("OK", "")
    # "The SessionEvent contains clusterSessionId and leadershipTermId fields that the client needs
    # to include in all subsequent Ingress messages."
    assert (event.cluster_session_id, event.leadership_term_id) == (1, TERM)
    assert (event.correlation_id, event.leader_member_id) == (requested, MEMBER)
    assert (event.version, event.leader_heartbeat_timeout_ns) == (3 << 8, 5 * S)
    assert rig.manager.session(1).opened_log_position == rig.log.position
    assert rig.table.is_open(1)
    assert rig.table.last_activity_ns(1) == rig.now_ns
    assert rig.table.ingress_image(1) == 901


def test_client_authenticated_immediately_is_open_in_the_same_pass(rig):
    rig.connect()
    assert rig.tick() > 0
    assert rig.manager.session(1).state is SessionState.OPEN


@pytest.mark.parametrize("kind", [SessionCloseRequest, AdminRequest])
def test_no_client_can_send_for_another_clients_session(rig, kind):
    """Session ids are consecutive: otherwise one client could close all other sessions."""
    rig.open()
    fields = {"leadership_term_id": TERM, "cluster_session_id": 1}
    if kind is AdminRequest:
        fields |= {"request_type": AdminRequestType.SNAPSHOT, "correlation_id": 7, "payload": b""}
    rig.notify(kind, image=2, **fields)
    rig.tick()
    assert rig.manager.session(1).is_open
    assert list(rig.log.of("close")) == []
    assert len(rig.observed()) == 1
    # After an election the session's messages may arrive by another image; a keep-alive links it.
    rig.table.link(1, -1)
    rig.notify(kind, image=2, **fields)
    rig.tick()
    assert len(rig.observed()) + len(list(rig.log.of("close"))) == 2


def test_ids_are_used_for_every_request_even_a_rejected_one(rig):
    rig.connect(1, version=1 << 16)
    rig.open(2)
    assert rig.manager.next_session_id == 3
    assert list(rig.log.of("open")[0])[1] == 2


def test_the_egress_is_requested_and_never_waited_for(rig):
    rig.aeron.is_answering = False
    rig.connect()
    for _ in range(30):
        rig.tick(1 * S)  # INIT has no timeout: the driver always answers
    assert rig.timed_out == 0
    assert rig.log.entries == []
    rig.aeron.is_answering = True
    rig.tick()
    assert rig.manager.session(1).is_open


def test_client_with_a_raising_egress_blocks_no_other(rig):
    rig.aeron.are_clients_there = False
    rig.connect(1)
    rig.connect(2)
    rig.tick()
    rig.aeron.are_clients_there = True
    rig.aeron.publications[0].failure = RuntimeError("broken")
    rig.tick()
    assert event_of(rig.aeron.publications[1].messages[0]) == ("OK", "")
    assert rig.manager.session(1).egress is None
    assert [str(each) for each in rig.errors] == ["broken"]


def test_request_failing_to_start_releases_its_place(rig):
    def reject(*_):
        raise ClosedError("no client")

    rig.aeron.async_add_publication = reject
    with pytest.raises(ClosedError):
        rig.connect()
    assert len(rig.manager.limits) == 0


def test_raising_extension_leaves_no_session_half_open_or_half_closed(rig):
    class Failing:
        def on_session_opened(self, session_id):
            raise RuntimeError(f"opened {session_id}")

        def on_session_closed(self, session_id, _reason):
            raise RuntimeError(f"closed {session_id}")

    rig.manager._extension = Failing()
    rig.connect(1)
    rig.connect(2)
    rig.tick(times=3)
    assert rig.manager.session(1).is_open
    assert rig.manager.session(2).is_open
    rig.manager.on_service_close(1, rig.now_ns)
    rig.tick(times=3)
    assert rig.manager.session(1) is None
    assert [each[:2] for each in rig.log.entries] == [("open", 1), ("open", 2), ("close", 1)]
    assert [str(each) for each in rig.errors] == ["opened 1", "opened 2", "closed 1"]


def test_extension_may_end_the_module(rig):
    def end(session_id):
        raise AgentTerminationError(f"opened {session_id}")

    rig.manager._extension = SimpleNamespace(on_session_opened=end)
    rig.connect(1)
    with pytest.raises(AgentTerminationError, match="opened 1"):
        rig.tick(times=3)
    assert rig.errors == []


def test_a_raising_extension_does_not_prevent_a_replay(follower):
    def fail(*arguments):
        raise RuntimeError(arguments)

    follower.manager._extension = SimpleNamespace(on_session_opened=fail, on_session_closed=fail)
    follower.manager.on_replay_open(open_event(5), 160)
    assert follower.manager.session(5).is_open
    follower.manager.on_replay_close(close_event(5, CloseReason.SERVICE_ACTION))
    assert follower.manager.session(5) is None
    assert [each.args[0] for each in follower.errors] == [(5,), (5, CloseReason.SERVICE_ACTION)]


def test_an_extension_may_end_the_module_in_a_replay(follower):
    def end(session_id):
        raise AgentTerminationError(f"opened {session_id}")

    follower.manager._extension = SimpleNamespace(on_session_opened=end)
    with pytest.raises(AgentTerminationError, match="opened 5"):
        follower.manager.on_replay_open(open_event(5), 160)
    assert follower.errors == []


def test_waits_for_the_client_to_connect_its_egress(rig):
    rig.aeron.are_clients_there = False
    rig.connect()
    rig.tick(1 * S, times=9)
    assert rig.log.entries == []
    rig.aeron.are_clients_there = True
    rig.tick()
    assert rig.manager.session(1).is_open


def test_pending_client_idle_past_the_timeout_is_dropped_and_counted(rig):
    rig.aeron.are_clients_there = False
    rig.connect()
    rig.tick()  # the driver has answered; the timeout starts here
    rig.tick(10 * S)
    assert (len(rig.manager), rig.timed_out) == (0, 0)
    rig.tick(1)
    assert rig.timed_out == 1
    assert rig.aeron.open_things == []
    rig.aeron.are_clients_there = True
    rig.tick(times=3)
    assert rig.log.entries == []


def test_client_with_a_channel_rejected_by_the_driver_is_dropped_and_reported(rig):
    rejected = RegistrationError("no such host", 1)
    rig.aeron.rejections["aeron:udp?endpoint=client1:9"] = rejected
    rig.connect()
    rig.tick(times=2)
    assert rig.errors == [rejected]
    assert rig.log.entries == []
    assert rig.aeron.open_things == []
    assert rig.timed_out == 0


def test_temporarily_unavailable_resource_is_requested_again(rig):
    rig.aeron.rejections["aeron:udp?endpoint=client1:9"] = RegistrationError("port in use", 10)
    rig.connect()
    rig.tick(times=3)
    assert rig.errors == []
    rig.aeron.rejections.clear()
    rig.tick(times=2)
    assert rig.manager.session(1).is_open


def test_an_invalid_response_channel_is_the_clients_error(rig):
    def reject(channel, _stream_id):
        raise ConfigurationError("channel URI", "aeron:", channel)

    rig.aeron.async_add_publication = reject
    rig.connect()
    rig.tick(times=2)
    assert [type(error) for error in rig.errors] == [ConfigurationError]
    assert rig.log.entries == []
    assert rig.manager.is_busy is False
    assert rig.manager.next_deadline_ns() == NEVER


def test_does_not_open_while_the_egress_has_no_window(rig):
    rig.connect()
    rig.aeron.is_answering = False
    rig.tick()
    rig.aeron.is_answering = True
    original = rig.aeron.get_publication

    def full(registration_id):
        publication = original(registration_id)
        publication.is_full = True
        return publication

    rig.aeron.get_publication = full
    rig.tick(times=3)
    assert rig.log.entries == []
    rig.publication().is_full = False
    rig.tick()
    assert rig.manager.session(1).is_open


def test_does_not_open_while_the_log_is_back_pressured(rig):
    rig.log.is_full = True
    rig.connect()
    rig.tick(times=3)
    assert rig.observed() == []
    assert rig.manager.next_deadline_ns() == rig.now_ns + 1 * MS
    rig.log.is_full = False
    rig.tick()
    assert [event_of(event) for event in rig.observed()] == [("OK", "")]


def test_session_too_long_for_the_log_is_rejected(rig):
    rig.log.failure = MessageError("session open event", "at most 8192 bytes", 9000)
    rig.connect()
    rig.tick(times=3)
    assert [event_of(event) for event in rig.observed()] == [
        ("ERROR", "session does not fit into the log")
    ]
    assert rig.errors == [rig.log.failure]
    assert rig.aeron.open_things == []


def test_earlier_clients_are_accepted_first(rig):
    for number in (1, 2, 3):
        rig.connect(number)
    rig.tick(times=2)
    assert [entry[1] for entry in rig.log.of("open")] == [1, 2, 3]


# ---- rejected ---------------------------------------------------------------------------------


def test_a_follower_redirects_without_giving_an_id(follower):
    # "Followers only keep the ClusterSession long enough to return a REDIRECT to it, so they don't
    # assign a clusterSessionId that might conflict with one assigned by the leader."
    requested = follower.connect()
    follower.tick(times=2)
    (event,) = follower.observed()
    assert event_of(event) == ("REDIRECT", ENDPOINTS)
    assert (event.cluster_session_id, event.correlation_id) == (-1, requested)
    assert event.leader_member_id == 2  # "REDIRECT and rejections the known leader's"
    assert follower.manager.next_session_id == 1
    assert follower.log.entries == []
    # "a REDIRECT SessionEvent is sent on it, then the Egress is closed"
    assert follower.aeron.open_things == []


def test_another_major_version_is_rejected_with_both(rig):
    rig.connect(version=1 << 16 | 2 << 8 | 3)
    rig.tick(times=2)
    (event,) = rig.observed()
    assert event_of(event) == ("ERROR", "invalid client version 1.2.3, cluster is 0.3.0")
    assert event.cluster_session_id == 1
    assert rig.aeron.open_things == []


@pytest.mark.parametrize("version", [0, 1 << 8, 99 << 8 | 7])
def test_any_version_of_the_same_major_is_accepted(rig, version):
    rig.connect(version=version)
    rig.tick()
    assert rig.manager.session(1).is_open


def test_the_first_accepted_client_counts_towards_the_limit():
    rig = SessionRig(max_sessions=2)
    rig.open(1)
    rig.aeron.are_clients_there = False
    rig.connect(2)
    rig.connect(3)
    rig.tick()
    rig.aeron.are_clients_there = True
    rig.tick(times=3)
    assert [event_of(event) for event in rig.observed(2)] == [("OK", "")]
    assert [event_of(event) for event in rig.observed(3)] == [("ERROR", "concurrent session limit")]
    assert len(rig.manager) == 2


def test_back_pressured_event_is_sent_in_a_later_pass(follower):
    follower.connect()
    original = follower.aeron.get_publication

    def full(registration_id):
        publication = original(registration_id)
        publication.is_full = len(follower.aeron.publications) == 1 and publication.attempts < 6
        return publication

    follower.aeron.get_publication = full
    follower.tick()
    publication = follower.publication()
    assert publication.attempts == 3  # "three attempts"
    assert publication.messages == []
    follower.tick()
    assert publication.attempts == 6
    publication.is_full = False
    follower.tick()
    assert [event_of(event) for event in publication.messages] == [("REDIRECT", ENDPOINTS)]


def test_the_egress_of_a_redirected_client_is_waited_for_without_a_timeout(follower):
    follower.aeron.is_answering = False
    follower.connect()
    follower.tick(1 * S, times=30)  # INIT has no timeout: the driver always answers
    assert follower.aeron.open_things != []
    follower.aeron.is_answering = True
    follower.tick()
    assert [event_of(event) for event in follower.publication().messages] == [
        ("REDIRECT", ENDPOINTS)
    ]


def test_an_unreachable_client_is_dropped_after_the_session_timeout(follower):
    follower.aeron.are_clients_there = False
    follower.connect()
    follower.tick()
    follower.tick(10 * S)
    assert follower.aeron.open_things != []
    follower.tick(1)
    assert follower.aeron.open_things == []
    assert follower.timed_out == 0  # it is not a client session
    assert follower.manager.next_deadline_ns() == NEVER


def test_unreachable_clients_use_no_place_of_reachable_ones():
    # Ten requests with unreachable responses kept every client out for a session timeout.
    rig = SessionRig(max_sessions=2)
    rig.aeron.are_clients_there = False
    for _ in range(20):
        rig.connect(1)
    rig.tick()
    nowhere = list(rig.aeron.publications)
    rig.aeron.are_clients_there = True
    for publication in nowhere:
        publication.is_full = True
    rig.open(2)
    rig.open(3)
    assert [event_of(event) for event in rig.observed(2) + rig.observed(3)] == [("OK", "")] * 2


@pytest.mark.parametrize("is_leader", [True, False])
@pytest.mark.parametrize("fields", [{}, {"version": 1 << 16}])
def test_one_source_cannot_use_all_places(is_leader, fields):
    rig = SessionRig(is_leader=is_leader)
    rig.aeron.are_clients_there = False
    for _ in range(10_000):
        rig.connect(1, **fields)
    # A publication and a counter each; no others.
    assert len(rig.aeron.open_things) == 2 * 64
    assert rig.rejected == 10_000 - 64
    limits = [error for error in rig.errors if "per.source" in str(error)]
    assert [str(error) for error in limits] == [
        "64 connect requests from 10.0.0.1 wait already, the next are ignored"
        " (aeron.cluster.max.pending.sessions.per.source)"
    ]
    rig.aeron.are_clients_there = True
    rig.connect(2)
    rig.tick(times=3)
    assert rig.observed(2) != []


@pytest.mark.parametrize("is_leader", [True, False])
def test_pending_sessions_of_all_sources_are_bounded(is_leader):
    rig = SessionRig(is_leader=is_leader)
    rig.aeron.are_clients_there = False
    for number in range(400):
        rig.connect(number % 200)
    assert len(rig.aeron.open_things) == 2 * 256
    assert rig.rejected == 400 - 256
    assert [str(error) for error in rig.errors] == [
        "256 connect requests wait already, the next are ignored"
        " (aeron.cluster.max.pending.sessions)"
    ]
    rig.tick()
    rig.tick(11 * S)
    assert rig.aeron.open_things == []
    rig.aeron.are_clients_there = True
    rig.connect(1)
    rig.tick(times=2)
    assert rig.observed(1) != []


@pytest.mark.parametrize("end", ["open", "reject", "lose", "election", "close"])
def test_every_outcome_releases_the_place(end):
    class Decider(SimpleAuthenticator):
        def on_connected_session(self, proxy, now_ms):
            if end in ("open", "reject"):
                super().on_connected_session(proxy, now_ms)

    rig = SessionRig(
        authenticator=Decider({b"good": b"p"}), max_pending_sessions=1, max_sessions=50
    )
    for _ in range(3):
        rig.connect(1, encoded_credentials=b"good" if end == "open" else b"bad")
        rig.connect(2)
        rig.tick(times=3)
        if end == "lose":
            rig.manager.on_image_unavailable(901)
        elif end == "election":
            rig.manager.prepare_for_new_leadership(0)
            rig.manager.become_leader(TERM, is_startup=False, now_ns=rig.now_ns)
        elif end == "close":
            rig.tick(11 * S)
    assert rig.rejected == 3
    assert rig.manager.next_session_id == 4


def test_a_rejection_by_the_authenticator_is_reported():
    rig = SessionRig(authenticator=SimpleAuthenticator({b"admin:admin": b"the admin"}))
    rig.connect(1, encoded_credentials=b"admin:wrong")
    rig.connect(2, encoded_credentials=b"admin:admin")
    rig.tick(times=2)
    (event,) = rig.observed(1)
    assert event_of(event) == ("AUTHENTICATION_REJECTED", "session failed authentication")
    assert [event_of(event) for event in rig.observed(2)] == [("OK", "")]
    assert [(entry[1], entry[6]) for entry in rig.log.of("open")] == [(2, b"the admin")]


# ---- authentication ---------------------------------------------------------------------------


class Challenger:
    """Challenges every client, and accepts those answering ``right``."""

    def __init__(self):
        self.calls = []
        self.answers = {}

    def on_connect_request(self, session_id, encoded_credentials, now_ms):
        self.calls.append(("connect", session_id, bytes(encoded_credentials), now_ms))

    def on_connected_session(self, proxy, now_ms):
        self.calls.append(("connected", proxy.session_id, now_ms))
        proxy.challenge(b"who?")

    def on_challenge_response(self, session_id, encoded_credentials, now_ms):
        self.calls.append(("response", session_id, bytes(encoded_credentials), now_ms))
        self.answers[session_id] = bytes(encoded_credentials)

    def on_challenged_session(self, proxy, now_ms):
        self.calls.append(("challenged", proxy.session_id, now_ms))
        match self.answers.get(proxy.session_id):
            case b"right":
                proxy.authenticate(b"p")
            case None:
                pass
            case _:
                proxy.reject()


def answer(rig, correlation_id, encoded_credentials, session_id=1):
    rig.notify(
        ChallengeResponse,
        correlation_id=correlation_id,
        cluster_session_id=session_id,
        encoded_credentials=encoded_credentials,
    )


def test_challenge_carries_the_requests_id_and_the_event_the_answers():
    # "Challenge (7) carries correlationId of the request and session id; ChallengeResponse (8)
    # carries a NEW correlationId and the session id, and the final SessionEvent and the
    # SessionOpenEvent carry that new id."
    authenticator = Challenger()
    rig = SessionRig(authenticator=authenticator)
    requested = rig.connect(encoded_credentials=b"c")
    rig.tick()
    (challenge,) = rig.observed()
    assert isinstance(challenge, Challenge)
    assert (challenge.correlation_id, challenge.cluster_session_id) == (requested, 1)
    assert challenge.encoded_challenge == b"who?"
    answer(rig, 4711, b"right")
    rig.tick()
    assert [entry[2] for entry in rig.log.of("open")] == [4711]
    assert event_of(rig.observed()[1]) == ("OK", "")
    assert rig.observed()[1].correlation_id == 4711
    assert authenticator.calls[0] == ("connect", 1, b"c", EPOCH_MS)


def test_the_authenticator_decides_on_a_challenged_session_in_every_pass():
    authenticator = Challenger()
    rig = SessionRig(authenticator=authenticator)
    rig.connect()
    rig.tick(times=4)
    names = [call[0] for call in authenticator.calls]
    assert names == ["connect", "connected", *["challenged"] * 4]


def lose_image(rig):
    rig.manager.on_image_unavailable(901)


def time_out(rig):
    rig.tick(11 * S)


def elect(rig):
    rig.manager.prepare_for_new_leadership(0)


def close_manager(rig):
    rig.manager.close()


@pytest.mark.parametrize("end", [lose_image, time_out, elect, close_manager])
@pytest.mark.parametrize("raised", [None, KeyError("users"), SystemExit(3)], ids=repr)
def test_the_authenticator_is_notified_of_the_end_of_an_undecided_session(end, raised):
    class Undecided(Challenger):
        def on_session_ended(self, session_id):
            self.calls.append(("ended", session_id))
            if raised is not None:
                raise raised

    rig = SessionRig(authenticator=Undecided())
    rig.connect(1)
    rig.tick()
    end(rig)
    rig.tick()
    calls = rig.manager.authenticator.calls
    assert [call for call in calls if call[0] == "ended"] == [("ended", 1)]
    assert len(rig.errors) == (raised is not None)
    assert rig.aeron.open_things == []


@pytest.mark.parametrize("raised", [KeyError("users"), SystemExit(3)], ids=repr)
def test_an_authenticator_that_fails_to_close_is_reported_and_all_is_released(raised):
    class Failing(Challenger):
        def close(self):
            self.calls.append(("closed",))
            raise raised

    rig = SessionRig(authenticator=Failing())
    rig.connect(1)
    rig.tick()
    rig.manager.close()
    rig.manager.close()
    calls = rig.manager.authenticator.calls
    assert [call for call in calls if call[0] == "closed"] == [("closed",)]
    (error,) = rig.errors
    assert raised in (error, error.__cause__)
    assert rig.aeron.open_things == []


def test_the_authenticator_is_notified_of_no_end_of_an_open_session():
    class Accepting(SimpleAuthenticator):
        def on_session_ended(self, session_id):
            raise AssertionError(session_id)

    rig = SessionRig(authenticator=Accepting({b"good": b"p"}))
    rig.open(1, encoded_credentials=b"good")
    rig.manager.on_service_close(1, rig.now_ns)
    rig.manager.close()
    assert rig.errors == []


def test_a_wrong_answer_is_rejected():
    rig = SessionRig(authenticator=Challenger())
    rig.connect()
    rig.tick()
    answer(rig, 9, b"wrong")
    rig.tick(times=2)
    assert event_of(rig.observed()[1]) == (
        "AUTHENTICATION_REJECTED",
        "session failed authentication",
    )
    assert rig.log.entries == []


def test_an_answer_from_an_unchallenged_client_is_dropped():
    authenticator = Challenger()
    rig = SessionRig(authenticator=authenticator)
    rig.aeron.are_clients_there = False
    rig.connect()
    rig.tick()
    answer(rig, 9, b"right")
    answer(rig, 9, b"right", session_id=55)
    assert authenticator.answers == {}


def test_an_answer_of_another_client_is_dropped():
    """A wrong answer would lock out the challenged client."""
    authenticator = Challenger()
    rig = SessionRig(authenticator=authenticator)
    rig.connect()
    rig.tick()
    rig.notify(
        ChallengeResponse,
        image=2,
        correlation_id=9,
        cluster_session_id=1,
        encoded_credentials=b"wrong",
    )
    assert authenticator.answers == {}
    answer(rig, 10, b"right")
    rig.tick()
    assert rig.manager.session(1).is_open


def test_an_answer_counts_as_activity():
    rig = SessionRig(authenticator=Challenger())
    rig.connect()
    rig.tick()
    rig.tick(9 * S)
    rig.manager._pending._authenticator.answers.clear()
    answer(rig, 9, b"right")
    rig.manager._pending._authenticator.answers.clear()
    rig.tick(9 * S)
    assert rig.timed_out == 0
    rig.tick(2 * S)
    assert rig.timed_out == 1


def test_back_pressured_challenge_is_retried():
    rig = SessionRig(authenticator=Challenger())
    rig.connect()
    rig.aeron.are_clients_there = False
    rig.tick()
    rig.publication().is_full = True
    rig.aeron.are_clients_there = True
    rig.tick(times=2)
    assert rig.observed() == []
    rig.publication().is_full = False
    rig.tick()
    assert [type(message) for message in rig.observed()] == [Challenge]


def test_the_authenticator_decides_on_a_connected_session_in_every_pass():
    class Slow(Challenger):
        def on_connected_session(self, proxy, now_ms):
            self.calls.append(("connected", proxy.session_id, now_ms))
            if len(self.calls) == 5:
                proxy.authenticate(b"")

    authenticator = Slow()
    rig = SessionRig(authenticator=authenticator)
    rig.connect()
    rig.tick(times=3)
    assert rig.log.entries == []
    rig.tick()
    assert rig.manager.session(1).is_open


@pytest.mark.parametrize(
    "method", ["on_connect_request", "on_connected_session", "on_challenge_response"]
)
@pytest.mark.parametrize("raised", [KeyError("users"), SystemExit(3)], ids=repr)
def test_raising_authenticator_does_not_accept(method, raised):
    authenticator = Challenger()

    def fail(*_):
        raise raised

    setattr(authenticator, method, fail)
    rig = SessionRig(authenticator=authenticator)
    rig.connect()
    rig.tick()
    answer(rig, 9, b"right")
    rig.tick(times=2)
    assert event_of(rig.observed()[-1]) == (
        "AUTHENTICATION_REJECTED",
        "session failed authentication",
    )
    (error,) = rig.errors
    assert error is raised or (type(error), error.raised) == (CallbackExitError, raised)
    assert rig.log.entries == []


def test_a_too_long_principal_is_rejected():
    rig = SessionRig(authenticator=SimpleAuthenticator({b"c": bytes(4097)}))
    rig.connect(encoded_credentials=b"c")
    rig.tick(times=2)
    assert event_of(rig.observed()[0])[0] == "AUTHENTICATION_REJECTED"
    assert [type(error) for error in rig.errors] == [MessageError]


# ---- the session's counter --------------------------------------------------------------------


def test_each_session_has_a_counter_until_it_ends(rig):
    rig.open()
    (counter,) = rig.aeron.counters
    assert counter.type_id == 241
    assert counter.key == struct.pack("<iq", 3, 1)
    assert counter.label == (
        "cluster-session: name=client1 sourceIdentity=10.0.0.1:4000 sessionId=1 - clusterId=3"
    )
    assert counter.value == 1
    assert counter.reference_id == rig.publication().registration_id
    rig.manager.on_service_close(1, rig.now_ns)
    assert counter.is_closed


def test_a_late_counter_is_set_too(rig):
    rig.aeron.has_counters = False
    rig.open()
    assert rig.manager.next_deadline_ns() == rig.now_ns + 1 * MS
    rig.aeron.has_counters = True
    rig.tick()
    assert rig.aeron.counters[0].value == 1
    assert rig.manager.next_deadline_ns() > rig.now_ns + 1 * S


def test_a_long_client_info_is_cut_and_the_cluster_id_retained(rig):
    rig.open(client_info="x" * 500)
    (counter,) = rig.aeron.counters
    assert len(counter.label) == 380
    assert counter.label.endswith("x - clusterId=3")


# ---- the way out ------------------------------------------------------------------------------


def close_request(rig, session_id=1, term=TERM):
    rig.notify(SessionCloseRequest, leadership_term_id=term, cluster_session_id=session_id)


def test_a_closing_client_receives_no_reply_and_its_close_is_logged_immediately(rig):
    rig.open()
    close_request(rig)
    assert rig.log.of("close") == [("close", 1, "CLIENT_ACTION", rig.context.cluster_time())]
    assert len(rig.observed()) == 1  # the OK
    assert rig.publication().is_closed
    assert 1 not in rig.table
    assert rig.timed_out == 0


def test_client_close_rejected_by_the_log_waits_for_the_session_check(rig):
    rig.open()
    rig.log.is_full = True
    close_request(rig)
    assert rig.publication().is_closed  # "egress is closed first"
    assert rig.table.is_open(1) is False
    rig.tick(times=2)
    assert rig.manager.session(1).state is SessionState.CLOSING
    rig.log.is_full = False
    rig.tick()
    assert [entry[2] for entry in rig.log.of("close")] == ["CLIENT_ACTION"]
    assert len(rig.manager) == 0
    assert rig.timed_out == 0


@pytest.mark.parametrize("term", [TERM - 1, TERM + 1])
def test_a_close_request_needs_the_current_term(rig, term):
    rig.open()
    close_request(rig, term=term)
    assert rig.log.of("close") == []
    assert rig.manager.session(1).is_open


def test_a_close_request_for_an_unknown_session_is_dropped(rig):
    rig.open()
    close_request(rig, session_id=2)
    assert rig.log.of("close") == []


def test_a_session_closed_by_a_service_is_notified_and_logged_at_once(rig):
    rig.open()
    rig.manager.on_service_close(1, rig.now_ns)
    assert [entry[2] for entry in rig.log.of("close")] == ["SERVICE_ACTION"]
    assert event_of(rig.observed()[1]) == ("CLOSED", "SERVICE_ACTION")
    assert rig.publication().is_closed
    assert rig.timed_out == 0


def test_service_close_with_an_inactive_leader_waits_for_the_session_check(rig):
    rig.open()
    rig.manager.set_active(False)
    rig.manager.on_service_close(1, rig.now_ns)
    rig.tick(times=2)
    assert rig.log.of("close") == []
    rig.manager.set_active(True)
    rig.tick()
    assert [entry[2] for entry in rig.log.of("close")] == ["SERVICE_ACTION"]
    assert event_of(rig.observed()[1]) == ("CLOSED", "SERVICE_ACTION")


def test_service_close_on_a_follower_moves_the_session_too(follower):
    # "Followers also move to CLOSING"
    follower.manager.on_replay_open(open_event(5), 160)
    follower.manager.on_service_close(5, follower.now_ns)
    assert follower.manager.session(5).state is SessionState.CLOSING
    follower.tick(times=2)
    assert follower.log.entries == []
    follower.manager.on_replay_close(close_event(5, CloseReason.SERVICE_ACTION))
    assert follower.manager.session(5) is None


def test_a_silent_client_times_out_and_is_counted(rig):
    # "If it hasn't received a message for 10 seconds (SESSION_TIMEOUT_DEFAULT_NS), the connection
    # is closed."
    rig.open()
    rig.tick(10 * S)
    assert rig.log.of("close") == []
    rig.tick(1)
    assert [entry[2] for entry in rig.log.of("close")] == ["TIMEOUT"]
    assert event_of(rig.observed()[1]) == ("CLOSED", "TIMEOUT")
    assert rig.timed_out == 1


def test_an_active_client_does_not_time_out(rig):
    rig.open()
    for _ in range(5):
        rig.tick(9 * S)
        rig.table.touch(1, rig.now_ns)
    assert rig.log.of("close") == []


def test_timeout_rejected_by_the_log_is_logged_once_and_counted_once(rig):
    rig.open()
    rig.log.is_full = True
    rig.tick(11 * S, times=3)
    assert rig.timed_out == 0
    rig.log.is_full = False
    rig.tick(times=3)
    assert len(rig.log.of("close")) == 1
    assert rig.timed_out == 1


def test_a_lost_ingress_image_closes_its_sessions(rig):
    # "every OPEN session linked to it goes to CLOSING with TIMEOUT: a client must never lose
    # ingress silently"
    rig.open(1)
    rig.open(2)
    rig.manager.on_image_unavailable(901)
    assert rig.manager.session(1).state is SessionState.CLOSING
    assert rig.manager.is_busy
    rig.tick()
    assert [entry[1:3] for entry in rig.log.of("close")] == [(1, "TIMEOUT")]
    assert event_of(rig.observed(1)[1]) == ("CLOSED", "TIMEOUT")
    assert rig.manager.session(2).is_open
    assert rig.timed_out == 1


def test_image_linked_by_a_keep_alive_protects_the_session_too(follower):
    follower.manager.on_replay_open(open_event(5), 160)
    follower.manager.become_leader(8, is_startup=False, now_ns=follower.now_ns)
    follower.tick(times=2)
    follower.manager.on_image_unavailable(901)
    assert follower.manager.session(5).is_open  # "a session is only protected once ..."
    follower.table.link(5, 901)
    follower.manager.on_image_unavailable(901)
    assert follower.manager.session(5).state is SessionState.CLOSING


def test_image_lost_with_an_inactive_leader_closes_its_sessions_later(rig):
    rig.open()
    rig.manager.set_active(False)
    rig.manager.on_image_unavailable(901)
    rig.tick()
    assert rig.manager.session(1).is_open
    rig.manager.set_active(True)
    rig.tick()
    assert [entry[1:3] for entry in rig.log.of("close")] == [(1, "TIMEOUT")]


def test_images_closed_by_an_election_close_no_session(rig):
    rig.open()
    rig.manager.set_active(False)
    rig.manager.on_image_unavailable(901)
    rig.manager.prepare_for_new_leadership(rig.log.position)
    rig.manager.on_image_unavailable(901)
    rig.manager.become_leader(8, is_startup=False, now_ns=rig.now_ns)
    rig.manager.set_active(True)
    assert rig.manager.session(1).is_open


def test_pending_client_with_a_lost_image_is_not_accepted():
    rig = SessionRig(authenticator=Challenger())
    rig.connect(1)
    rig.tick()
    rig.manager.on_image_unavailable(901)
    assert event_of(rig.observed()[-1]) == ("CLOSED", "TIMEOUT")
    answer(rig, 9, b"right")
    rig.tick(times=2)
    assert rig.log.entries == []
    assert rig.aeron.open_things == []


def test_log_at_its_end_raises_to_the_caller(rig):
    rig.open()
    rig.log.failure = MaxPositionExceededError("log: at its end")
    with pytest.raises(MaxPositionExceededError):
        close_request(rig)


# ---- events to the client ---------------------------------------------------------------------


def test_back_pressured_open_event_is_sent_by_the_session_check(rig):
    rig.connect()
    rig.aeron.are_clients_there = False
    rig.tick()
    rig.aeron.are_clients_there = True
    publication = rig.publication()
    offer, rejected = publication.offer, []
    publication.offer = lambda message: (
        offer(message) if len(rejected) == 4 else rejected.append(message)
    )
    rig.tick()
    assert rig.manager.session(1).is_open
    assert len(rejected) == 4  # three attempts when it was opened, the fourth in the same pass
    assert [event_of(event) for event in rig.observed()] == [("OK", "")]


def test_permanently_failed_egress_leaves_the_session_to_its_timeout(rig):
    rig.connect()
    rig.aeron.are_clients_there = False
    rig.tick()
    rig.publication().failure = MaxPositionExceededError("egress: at its end")
    rig.aeron.are_clients_there = True
    rig.tick(times=3)
    assert rig.manager.session(1).is_open
    assert [type(error) for error in rig.errors] == [MaxPositionExceededError]
    rig.tick(11 * S)
    assert [entry[2] for entry in rig.log.of("close")] == ["TIMEOUT"]


# ---- response channels ------------------------------------------------------------------------


def test_the_refined_channel_is_logged():
    rig = SessionRig(egress_channel="aeron:udp?mtu=8k")
    rig.connect()
    rig.tick(times=2)
    channel = rig.log.of("open")[0][5]
    assert "mtu=8k" in channel
    assert "endpoint=client1:9" in channel


@pytest.mark.parametrize("channel", ["http://here", "aeron:udp", "aeron:udp?control=h:1", ""])
def test_invalid_response_channel_creates_nothing(rig, channel):
    rig.tick()
    rig.connect(response_channel=channel)
    assert [type(error) for error in rig.errors] == [ConfigurationError]
    assert (rig.manager.next_session_id, rig.rejected) == (1, 1)
    assert rig.aeron.open_things == []
    assert rig.manager.is_busy is False


# ---- administrators ---------------------------------------------------------------------------


def admin(rig, kind=AdminRequestType.SNAPSHOT, term=TERM, session_id=1):
    rig.notify(
        AdminRequest,
        leadership_term_id=term,
        cluster_session_id=session_id,
        correlation_id=66,
        request_type=kind,
    )


def admin_answer(rig):
    response = rig.observed()[-1]
    assert isinstance(response, AdminResponse)
    assert response.correlation_id == 66
    assert response.cluster_session_id == 1
    return response.response_code, response.message


def test_a_snapshot_request_is_rejected_by_default(rig):
    rig.open()
    admin(rig)
    assert admin_answer(rig) == (
        AdminResponseCode.UNAUTHORISED_ACCESS,
        "Execution of the SNAPSHOT request was not authorised",
    )
    assert rig.snapshots == []


def test_authorised_snapshot_request_sets_the_toggle():
    requested = []

    def authorise(*arguments):
        requested.append(arguments)
        return True

    rig = SessionRig(
        authenticator=SimpleAuthenticator({b"c": b"who"}), authorisation_service=authorise
    )
    rig.open(encoded_credentials=b"c")
    admin(rig)
    assert admin_answer(rig) == (AdminResponseCode.OK, "")
    assert len(rig.snapshots) == 1
    # "Call arguments: (111, templateId, request type or null, principal)."
    assert requested == [(111, 26, AdminRequestType.SNAPSHOT, b"who")]


def test_a_snapshot_request_during_another_request_is_an_error():
    rig = SessionRig(authorisation_service=allow_all)
    rig.can_snapshot = False
    rig.open()
    admin(rig)
    assert admin_answer(rig) == (
        AdminResponseCode.ERROR,
        "Failed to switch ClusterControl to the ToggleState.SNAPSHOT state",
    )


def test_an_unknown_request_is_an_error():
    rig = SessionRig(authorisation_service=allow_all)
    rig.open()
    admin(rig, kind=AdminRequestType.NULL_VALUE)
    assert admin_answer(rig) == (AdminResponseCode.ERROR, "Unknown request type: NULL_VAL")
    assert rig.snapshots == []


@pytest.mark.parametrize("fields", [{"term": TERM - 1}, {"session_id": 2}])
def test_a_request_of_another_term_or_session_has_no_answer(fields):
    rig = SessionRig(authorisation_service=allow_all)
    rig.open()
    admin(rig, **fields)
    assert len(rig.observed()) == 1
    assert rig.snapshots == []


def test_back_pressured_answer_is_sent_later_and_the_request_is_done_once():
    rig = SessionRig(authorisation_service=allow_all)
    rig.open()
    rig.publication().is_full = True
    admin(rig)
    rig.tick(times=2)
    rig.publication().is_full = False
    rig.tick(times=2)
    assert admin_answer(rig) == (AdminResponseCode.OK, "")
    assert len(rig.observed()) == 2
    assert len(rig.snapshots) == 1


@pytest.mark.parametrize("raised", [KeyError("roles"), SystemExit(3)], ids=repr)
def test_raising_authorisation_service_allows_nothing(raised):
    def fail(*_):
        raise raised

    rig = SessionRig(authorisation_service=fail)
    rig.open()
    admin(rig)
    assert admin_answer(rig)[0] is AdminResponseCode.UNAUTHORISED_ACCESS
    (error,) = rig.errors
    assert error is raised or (type(error), error.raised) == (CallbackExitError, raised)


# ---- a follower, and the log --------------------------------------------------------------------


def test_follower_retains_the_state_of_a_takeover_and_connects_no_client(follower):
    # "This just creates a ClusterSession object and adds it to the sessions collection, so it
    # matches the leader. The ClusterSession objects on the followers don't connect to the Egress."
    follower.manager.on_replay_open(open_event(5), 160)
    session = follower.manager.session(5)
    assert session.is_open
    assert session.opened_log_position == 160
    assert session.encoded_principal == b"who"
    assert follower.table.is_open(5)
    assert follower.aeron.open_things == []
    assert (follower.manager.next_session_id, follower.manager.next_committed_session_id) == (6, 6)
    # "The followers also process SessionCloseEvent messages to remove ClusterSessions."
    follower.manager.on_replay_close(close_event(5))
    assert len(follower.manager) == 0
    assert 5 not in follower.table


def test_lower_id_in_the_log_does_not_lower_the_next_id(follower):
    follower.manager.on_replay_open(open_event(5), 160)
    follower.manager.on_replay_open(open_event(3), 320)
    assert follower.manager.next_session_id == 6


def test_a_follower_drops_messages_for_a_leader(follower):
    follower.manager.on_replay_open(open_event(5), 160)
    follower.notify(SessionCloseRequest, leadership_term_id=TERM, cluster_session_id=5)
    follower.notify(
        ChallengeResponse, correlation_id=1, cluster_session_id=5, encoded_credentials=b""
    )
    assert follower.manager.session(5).is_open
    assert follower.notify(SessionKeepAlive, leadership_term_id=TERM, cluster_session_id=5)


def test_an_invalid_message_is_counted_by_the_caller(rig):
    connect_without_its_block = struct.pack("<HHHH", 20, 3, 111, 16)
    for message in (b"\x03\x00", connect_without_its_block):
        with pytest.raises(MessageError):
            rig.manager.on_ingress(message, None, rig.now_ns)


def test_a_message_of_a_newer_cluster_is_dropped(rig):
    message = struct.pack("<HHHHq", 8, 250, 111, 17, 0)
    assert rig.manager.on_ingress(message, None, rig.now_ns)
    assert rig.errors == []


# ---- a new leader -----------------------------------------------------------------------------


def test_a_new_leader_sends_each_client_its_open_and_then_the_leader(follower):
    # "After failover the new leader sends SessionEvent OK (original connect correlationId) and then
    # NewLeaderEvent to every open session it had not itself opened."
    follower.manager.on_replay_open(open_event(5), 160)
    follower.manager.become_leader(8, is_startup=False, now_ns=follower.now_ns)
    assert follower.table.last_activity_ns(5) == follower.now_ns
    follower.tick(times=2)
    opened, new_leader = follower.observed()
    assert event_of(opened) == ("OK", "")
    assert (opened.correlation_id, opened.leadership_term_id) == (40, 8)
    assert isinstance(new_leader, NewLeaderEvent)
    assert (new_leader.leadership_term_id, new_leader.cluster_session_id) == (8, 5)
    assert (new_leader.leader_member_id, new_leader.ingress_endpoints) == (MEMBER, ENDPOINTS)
    assert follower.aeron.counters[0].label == (
        "cluster-session: aeron:udp?endpoint=client1:9 - clusterId=3"
    )


def test_a_reelected_leader_notifies_only_its_own_clients(rig):
    rig.open()
    rig.manager.on_committed(rig.log.position)
    rig.manager.prepare_for_new_leadership(rig.log.position)
    assert rig.publication().is_closed
    assert rig.table.ingress_image(1) == -1
    rig.manager.become_leader(8, is_startup=False, now_ns=rig.now_ns)
    rig.tick(times=2)
    assert [type(message) for message in rig.observed()] == [SessionEvent, NewLeaderEvent]


def test_an_event_of_a_new_leader_waits_for_the_client(follower):
    follower.manager.on_replay_open(open_event(5), 160)
    follower.aeron.are_clients_there = False
    follower.manager.become_leader(8, is_startup=False, now_ns=follower.now_ns)
    follower.tick(1 * S, times=3)
    assert follower.observed() == []
    assert follower.manager.next_deadline_ns() == follower.now_ns + 1 * MS
    follower.aeron.are_clients_there = True
    follower.tick()
    assert len(follower.observed()) == 2


def test_client_unreachable_for_a_new_leader_is_reported_and_times_out(follower):
    rejected = RegistrationError("no such host", 1)
    follower.aeron.rejections["aeron:udp?endpoint=client1:9"] = rejected
    follower.manager.on_replay_open(open_event(5), 160)
    follower.manager.become_leader(8, is_startup=False, now_ns=follower.now_ns)
    follower.tick(times=3)
    assert follower.errors == [rejected]
    assert follower.manager.session(5).is_open
    follower.tick(11 * S)
    assert [entry[1:3] for entry in follower.log.of("close")] == [(5, "TIMEOUT")]


def test_leader_after_startup_closes_every_session(follower):
    # "all OPEN sessions at the leader go to CLOSING with TIMEOUT instead of being reconnected"
    follower.manager.on_replay_open(open_event(5), 160)
    follower.manager.on_replay_open(open_event(6), 320)
    follower.manager.become_leader(8, is_startup=True, now_ns=follower.now_ns)
    assert follower.manager.session(5).state is SessionState.CLOSING
    assert follower.aeron.open_things == []
    follower.tick()
    assert [entry[1:3] for entry in follower.log.of("close")] == [(5, "TIMEOUT"), (6, "TIMEOUT")]
    assert follower.timed_out == 2
    assert follower.observed() == []


def test_election_drops_sessions_opened_after_the_commit(rig):
    rig.open(1)
    committed = rig.log.position
    rig.open(2)
    rig.manager.prepare_for_new_leadership(committed)
    rig.manager.restore_uncommitted(committed)
    assert rig.manager.session(1).is_open
    assert rig.manager.session(2) is None
    assert 2 not in rig.table
    assert event_of(rig.observed(2)[-1]) == ("CLOSED", "election")
    assert len(rig.observed(1)) == 1
    assert rig.aeron.open_things == []
    # "Not rolled back: next session id"; "only it goes into snapshots"
    assert (rig.manager.next_session_id, rig.manager.next_committed_session_id) == (3, 2)


def test_an_election_drops_all_pending_clients():
    rig = SessionRig(authenticator=Challenger())
    rig.connect()
    rig.tick()
    rig.manager.prepare_for_new_leadership(0)
    assert event_of(rig.observed()[-1]) == ("CLOSED", "election")
    assert rig.aeron.open_things == []


def test_uncommitted_close_is_closing_again(rig):
    rig.open()
    committed = rig.log.position
    close_request(rig)
    assert rig.manager.first_uncommitted_position == committed
    rig.manager.prepare_for_new_leadership(committed)
    rig.manager.restore_uncommitted(committed)
    session = rig.manager.session(1)
    assert (session.state, session.close_reason) == (
        SessionState.CLOSING,
        CloseReason.CLIENT_ACTION,
    )
    assert rig.table.is_open(1) is False
    # As leader again, it appends them to the log again.
    rig.manager.become_leader(8, is_startup=False, now_ns=rig.now_ns)
    rig.tick()
    assert [entry[2] for entry in rig.log.of("close")] == ["CLIENT_ACTION", "CLIENT_ACTION"]


def test_session_without_anything_committed_is_dropped(rig):
    rig.open()
    close_request(rig)
    rig.manager.prepare_for_new_leadership(0)
    rig.manager.restore_uncommitted(0)
    assert len(rig.manager) == 0
    assert rig.manager.next_committed_session_id == 1
    assert rig.manager.first_uncommitted_position == NEVER


def test_committed_close_remains(rig):
    rig.open()
    close_request(rig)
    rig.manager.prepare_for_new_leadership(rig.log.position)
    rig.manager.restore_uncommitted(rig.log.position)
    assert len(rig.manager) == 0
    assert rig.manager.next_committed_session_id == 2


# ---- committed --------------------------------------------------------------------------------


def test_the_committed_id_follows_the_commit_position(rig):
    # "the second advances when the open event's position is committed"
    assert rig.manager.first_uncommitted_position == NEVER
    rig.open(1)
    first = rig.log.position
    rig.open(2)
    second = rig.log.position
    assert rig.manager.first_uncommitted_position == first
    rig.manager.on_committed(first - 1)
    assert rig.manager.next_committed_session_id == 1
    rig.manager.on_committed(first)
    assert rig.manager.next_committed_session_id == 2
    assert rig.manager.first_uncommitted_position == second
    rig.manager.on_committed(second)
    assert rig.manager.next_committed_session_id == 3
    assert rig.manager.first_uncommitted_position == NEVER


def test_rejected_id_is_not_a_committed_one(rig):
    rig.open(1)
    rig.connect(2, version=1 << 16)
    rig.tick(times=2)
    rig.manager.on_committed(rig.log.position)
    assert (rig.manager.next_session_id, rig.manager.next_committed_session_id) == (3, 2)


# ---- snapshots --------------------------------------------------------------------------------


def test_a_snapshot_has_open_and_closing_sessions_by_id_and_brings_them_back(rig):
    rig.open(1)
    rig.open(2)
    rig.open(3)
    rig.log.is_full = True
    rig.manager.on_service_close(2, rig.now_ns)
    rig.connect(4)
    rig.manager.on_committed(rig.log.position)
    records = rig.manager.records()
    assert [record.cluster_session_id for record in records] == [1, 2, 3]
    assert [record.close_reason for record in records] == [
        CloseReason.NULL_VALUE,
        CloseReason.SERVICE_ACTION,
        CloseReason.NULL_VALUE,
    ]

    other = SessionRig(is_leader=False)
    other.manager.load(records, rig.manager.next_committed_session_id)
    assert other.manager.records() == records
    assert (other.manager.next_session_id, other.manager.next_committed_session_id) == (4, 4)
    assert other.manager.session(1).is_open
    assert other.manager.session(2).state is SessionState.CLOSING
    assert other.table.is_open(1)
    assert not other.table.is_open(2)
    # A leader that loads it continues with closing sessions.
    other.manager.become_leader(8, is_startup=False, now_ns=other.now_ns)
    other.tick()
    assert [entry[1:3] for entry in other.log.of("close")] == [(2, "SERVICE_ACTION")]


def test_a_loaded_session_raises_the_next_id(rig, follower):
    rig.open()
    records = rig.manager.records()
    follower.manager.load(records, 1)
    assert follower.manager.next_session_id == 2


def test_time_of_a_snapshot_does_not_count_as_silence(rig):
    rig.open()
    rig.now_ns += 9 * S
    rig.manager.after_snapshot(rig.now_ns - 8 * S, rig.now_ns)
    rig.tick(9 * S)
    assert rig.log.of("close") == []
    rig.tick(S + 1)
    assert [entry[2] for entry in rig.log.of("close")] == ["TIMEOUT"]


def test_a_session_times_out_however_often_snapshots_are_taken(rig):
    rig.open()
    for _ in range(6):
        rig.tick(2 * S)
        rig.manager.after_snapshot(rig.now_ns - S // 10, rig.now_ns)
    assert [entry[2] for entry in rig.log.of("close")] == ["TIMEOUT"]


def test_activity_is_never_later_than_now(rig):
    rig.open()
    rig.manager.after_snapshot(rig.now_ns - 5 * S, rig.now_ns)
    rig.tick(10 * S + 1)
    assert [entry[2] for entry in rig.log.of("close")] == ["TIMEOUT"]


def test_an_inactive_leader_closes_nothing_and_accepts_no_client(rig):
    rig.open()
    rig.connect(2)
    rig.manager.set_active(False)
    rig.tick(20 * S, times=2)
    assert len(rig.log.entries) == 1
    assert rig.manager.next_deadline_ns() == NEVER
    # "after a suspension longer than the session timeout every session is closed before ingress is
    # read, however many keep-alives are waiting"
    rig.manager.set_active(True)
    rig.tick()
    assert [entry[2] for entry in rig.log.of("close")] == ["TIMEOUT"]


# ---- its deadlines ----------------------------------------------------------------------------


def test_an_idle_leader_is_called_at_the_earliest_timeout_only(rig):
    assert rig.manager.next_deadline_ns() == NEVER
    rig.open(1)
    opened_ns = rig.now_ns
    rig.tick(1 * S)
    rig.open(2)
    rig.tick()
    assert rig.manager.is_busy is False
    assert rig.manager.next_deadline_ns() == opened_ns + 10 * S + 1
    rig.table.touch(1, rig.now_ns + 5 * S)
    assert rig.manager.next_deadline_ns() == opened_ns + 11 * S + 1
    assert rig.tick(5 * S) == 0


def test_pending_work_of_others_is_checked_each_millisecond(rig):
    rig.aeron.are_clients_there = False
    rig.connect()
    assert rig.manager.is_busy
    rig.tick(times=2)
    assert rig.manager.is_busy is False
    assert rig.manager.next_deadline_ns() == rig.now_ns + 1 * MS


def test_an_idle_follower_with_sessions_is_never_called(follower):
    follower.manager.on_replay_open(open_event(5), 160)
    follower.tick()
    assert follower.manager.is_busy is False
    assert follower.manager.next_deadline_ns() == NEVER


# ---- close ------------------------------------------------------------------------------------


def test_close_releases_everything(rig):
    rig.open(1)
    rig.aeron.are_clients_there = False
    rig.connect(2)
    rig.connect(3, version=1 << 16)
    rig.manager.close()
    rig.manager.close()
    rig.tick(times=2)
    assert rig.aeron.open_things == []
    assert len(rig.table) == 0


def test_pending_driver_replies_are_abandoned(rig):
    rig.aeron.is_answering = False
    rig.connect()
    assert len(rig.aeron.open_things) == 2
    rig.manager.prepare_for_new_leadership(0)
    assert rig.aeron.open_things == []


def test_a_replayed_close_of_an_unknown_session_is_skipped(follower):
    follower.manager.on_replay_close(close_event(5))
    assert (len(follower.manager), follower.errors) == (0, [])


def test_a_rejection_before_a_failure_of_the_authenticator_is_its_decision():
    class Failing(DefaultAuthenticator):
        def on_connected_session(self, proxy, _now_ms):
            proxy.reject()
            raise ValueError("after it")

    rig = SessionRig(authenticator=Failing())
    rig.connect()
    rig.tick(times=3)
    assert ["after it" in str(each) for each in rig.errors] == [True]
    (event,) = rig.observed()
    assert event_of(event)[0] == "AUTHENTICATION_REJECTED"
    assert rig.log.entries == []


def test_a_session_of_an_extension_is_sent_messages_and_kept_alive(rig):
    session_id = rig.open()
    session = rig.manager.client_session(session_id, lambda: rig.now_ns)
    assert (session.cluster_session_id, session.is_open) == (session_id, True)
    assert session.response_channel == "aeron:udp?endpoint=client1:9"
    assert rig.manager.client_session(99, lambda: rig.now_ns) is None
    rig.now_ns += 9 * S
    session.keep_alive()
    assert rig.table.last_activity_ns(session_id) == rig.now_ns
    rig.publication().is_full = True
    assert not session.send(SessionKeepAlive.encode(leadership_term_id=7, cluster_session_id=1))
    rig.publication().is_full = False
    assert session.send(SessionKeepAlive.encode(leadership_term_id=7, cluster_session_id=1))
    assert isinstance(rig.observed()[-1], SessionKeepAlive)
    rig.manager.on_service_close(session_id, rig.now_ns)
    rig.tick(times=2)
    assert rig.manager.session(session_id) is None
    session.keep_alive()  # it is closed: nothing is kept alive
    assert session_id not in rig.table


def test_a_manager_shows_its_sessions(rig):
    rig.open(1)
    rig.connect(2)
    assert repr(rig.manager) == "<SessionManager open=1 pending=1 redirected=0 rejected=0>"
