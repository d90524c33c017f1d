"""A cluster client between members played by the test: connects, redirects, lost leaders."""

import contextlib
import errno
import mmap
import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster_client.cluster_client import AeronCluster, ClientState
from aeron_cluster.cluster_client.connect import ConnectStep
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    Challenge,
    EventCode,
    SessionCloseRequest,
    SessionConnectRequest,
    SessionEvent,
    SessionKeepAlive,
    SessionMessageHeader,
)
from aeron_cluster.errors import (
    AuthenticationError,
    ClosedError,
    ClusterError,
    ConfigurationError,
    CorruptError,
    MaxPositionExceededError,
    MessageError,
    PlatformError,
    RegistrationError,
    TimeoutExpiredError,
    UnknownMessageError,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.memory.shared.commands import ErrorCode
from tests.unit.cluster_client.client_rig import (
    HEADER_LENGTH,
    MS,
    SESSION_ID,
    TERM,
    ClientRig,
    S,
    endpoint,
    endpoints,
)


class RecordingListener(EgressListener):
    def __init__(self):
        self.messages = []
        self.events = []
        self.leaders = []
        self.actions = []
        self.is_extended = False
        self.foreign = []

    def on_extension_message(self, message, header):
        if not self.is_extended:
            return super().on_extension_message(message, header)
        self.foreign.append(bytes(message))
        return Action.CONTINUE

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.messages.append((timestamp, bytes(message)))
        return self.actions.pop(0) if self.actions else Action.CONTINUE

    def on_session_event(self, event):
        self.events.append(event)

    def on_new_leader(self, event):
        self.leaders.append(event.leader_member_id)


@pytest.fixture
def rig():
    with contextlib.closing(ClientRig()) as rig:
        yield rig


class Session:
    """A client whose leader is member 0."""

    def __init__(self, rig, **more):
        self.rig = rig
        self.listener = RecordingListener()
        options = rig.options(listener=self.listener, **{"ingress_endpoints": endpoints(0), **more})
        connect = AeronCluster.async_connect(**options)
        self.request = None
        self.client = None

        def is_open():
            if self.client is None:
                self.client = connect.poll()
            observed = rig.members[0].received(SessionConnectRequest)
            return self.client is not None or (observed and self.request is None)

        rig.run_until(is_open)
        self.request = rig.members[0].await_request()
        rig.members[0].answer(self.request)
        rig.run_until(is_open)
        connect.close()  # a second call has no effect

    def poll_until(self, is_done, poll="poll_egress"):
        def done():
            getattr(self.client, poll)()
            return is_done()

        self.rig.run_until(done)

    def offer(self, payload):
        self.rig.run_until(lambda: self.client.offer(payload))


@pytest.fixture
def session(rig):
    session = Session(rig)
    yield session
    session.client.close()


# ---- connecting ----


def follow(connect):
    """Return a function that polls a connect and records its result."""
    found = []

    def poll():
        if not found and (client := connect.poll()) is not None:
            found.append(client)
        return bool(found)

    return found, poll


def test_a_connect_advances_as_it_is_polled(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        assert connect.step is ConnectStep.ADD_EGRESS
        steps = set()

        def is_awaiting_response():
            steps.add(connect.step)
            assert connect.poll() is None
            return connect.step is ConnectStep.AWAIT_RESPONSE

        rig.run_until(is_awaiting_response)
        assert steps >= {ConnectStep.ADD_EGRESS, ConnectStep.ADD_INGRESS}
        request = rig.members[0].await_request()
        assert request.response_channel.startswith("aeron:udp?")
        assert "rejoin=false" in request.response_channel
        assert "AWAIT_RESPONSE" in repr(connect)
        rig.members[0].answer(request)
        found, poll = follow(connect)
        rig.run_until(poll)
        assert connect.poll() is found[0]
    (client,) = found
    assert client.state is ClientState.CONNECTED
    assert (client.cluster_session_id, client.leadership_term_id) == (SESSION_ID, TERM)
    client.close()
    rig.run_until(lambda: rig.members[0].received(SessionCloseRequest))


def test_a_connect_waits_for_the_port_of_its_egress(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        rig.run_until(lambda: connect.poll() or connect.step is ConnectStep.AWAIT_CONNECTED)
        inner = connect._connect
        bound = inner.egress
        inner.egress = SimpleNamespace(try_resolve_channel_endpoint_port=lambda: None)
        for _ in range(100):
            assert connect.poll() is None
            rig.run_until(lambda: True)
        assert connect.step is ConnectStep.AWAIT_CONNECTED
        inner.egress = bound
        rig.run_until(lambda: connect.poll() or connect.step is ConnectStep.AWAIT_RESPONSE)


def test_a_connect_that_is_done_stays_done(rig):
    with AeronCluster.async_connect(**rig.options()) as connect:
        connect._connect.step = ConnectStep.DONE
        assert connect._connect.poll(rig.world.time.now_ns)
        assert connect.step is ConnectStep.DONE


def test_abandoned_connect_leaves_nothing(rig):
    connect = AeronCluster.async_connect(**rig.options())
    found, poll = follow(connect)
    rig.run_until(lambda: poll() or connect.step is ConnectStep.AWAIT_CONNECTED)
    connect.close()
    assert not found
    rig.run_until(lambda: not any(member.ingress.is_connected for member in rig.members))
    assert all(not member.received(SessionConnectRequest) for member in rig.members)


def test_a_connect_without_an_answer_reports_its_step(rig):
    connect = AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(2)))
    _, poll = follow(connect)
    with (
        connect,
        pytest.raises(TimeoutExpiredError, match=r"AWAIT_RESPONSE.*member 2 cluster:9021 conn"),
    ):
        rig.run_until(poll)


def test_time_runs_out_while_ingress_is_still_added(rig):
    connect = AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(2)))
    rig.run_until(lambda: connect.poll() or connect.step is ConnectStep.ADD_INGRESS)
    rig.world.time.advance(5 * S + 1)
    with (
        connect,
        pytest.raises(TimeoutExpiredError, match=r"ADD_INGRESS.*member 2 cluster:9021 not yet add"),
    ):
        connect.poll()


@pytest.mark.parametrize("found", ["0=nowhere:9001", "0=nowhere:9001,1=nowhere:9011"])
def test_connect_without_any_valid_endpoint_fails_immediately(rig, found):
    began_ns = rig.world.time.now_ns
    with (
        AeronCluster.async_connect(**rig.options(ingress_endpoints=found)) as connect,
        pytest.raises(RegistrationError, match="nowhere"),
    ):
        rig.run_until(connect.poll)
    assert rig.world.time.now_ns - began_ns < S


def test_connect_needs_only_one_valid_endpoint(rig):
    session = Session(rig, ingress_endpoints=f"{endpoints(0)},1=nowhere:9011")
    assert session.client.state is ClientState.CONNECTED
    session.client.close()


def test_timeout_names_rejected_endpoints(rig):
    found = f"{endpoints(2)},1=nowhere:9011"
    connect = AeronCluster.async_connect(**rig.options(ingress_endpoints=found))
    _, poll = follow(connect)
    with connect, pytest.raises(TimeoutExpiredError, match=r"member 1 nowhere:9011 rejected: .*"):
        rig.run_until(poll)


def fail_mappings(rig, monkeypatch, count):
    """Make the mapping of the next publications fail, as without free file handles."""
    get_publication = rig.aeron.get_exclusive_publication
    failures = [PlatformError(errno.EMFILE, "too many open files") for _ in range(count)]
    failed = set()

    def get_or_fail(registration_id):
        if failures and registration_id not in failed:
            failed.add(registration_id)
            raise failures.pop()
        return get_publication(registration_id)

    monkeypatch.setattr(rig.aeron, "get_exclusive_publication", get_or_fail)


def test_connect_needs_only_one_mapped_publication(rig, monkeypatch):
    fail_mappings(rig, monkeypatch, 1)
    session = Session(rig, ingress_endpoints=endpoints(2, 0))
    assert session.client.state is ClientState.CONNECTED
    assert session.client.leader_member_id == 0
    session.client.close()


@pytest.mark.parametrize("found", [endpoints(0), endpoints(0, 1)])
def test_connect_without_any_mapped_publication_fails(rig, monkeypatch, found):
    fail_mappings(rig, monkeypatch, 2)
    with (
        AeronCluster.async_connect(**rig.options(ingress_endpoints=found)) as connect,
        pytest.raises(PlatformError, match="too many open files"),
    ):
        rig.run_until(connect.poll)


def at_request(rig, connect):
    """Poll a connect until its next step is to send the request."""
    rig.run_until(lambda: connect.poll() or connect.step is ConnectStep.SEND_REQUEST)


def test_ingress_lost_before_the_request_ends_the_connect(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        at_request(rig, connect)
        rig.members[0].close_ingress()
        rig.run_until(lambda: not connect._connect._chosen.is_connected)
        with pytest.raises(ClusterError, match=r"lost the connection .*SEND_REQUEST.*cluster:9001"):
            connect.poll()


def test_ingress_closed_before_the_request_ends_the_connect(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        at_request(rig, connect)
        connect._connect._chosen.publication.close()
        with pytest.raises(ClosedError, match="ingress to cluster:9001 was closed"):
            connect.poll()


def fail_first_egress(rig, monkeypatch, code):
    """Make the driver reject the first subscription request."""
    get_subscription = rig.aeron.get_subscription
    rejections = [RegistrationError("client:30000 is being closed, try again", code)]

    def get_or_reject(registration_id):
        if rejections:
            raise rejections.pop()
        return get_subscription(registration_id)

    monkeypatch.setattr(rig.aeron, "get_subscription", get_or_reject)
    return rejections


def test_temporarily_rejected_egress_is_requested_again(rig, monkeypatch):
    rejections = fail_first_egress(
        rig, monkeypatch, ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE
    )
    client = Session(rig, egress_channel="aeron:udp?endpoint=client:30000").client
    assert rejections == []
    assert client.state is ClientState.CONNECTED
    client.close()


def test_permanently_rejected_egress_is_raised(rig, monkeypatch):
    fail_first_egress(rig, monkeypatch, ErrorCode.ERROR_INVALID_CHANNEL)
    with pytest.raises(RegistrationError, match="is being closed"):
        Session(rig, egress_channel="aeron:udp?endpoint=client:30000")


@pytest.mark.parametrize(
    ("code", "error"),
    [(EventCode.ERROR, ClusterError), (EventCode.AUTHENTICATION_REJECTED, AuthenticationError)],
)
def test_a_rejection_is_raised(rig, code, error):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        _, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        rig.members[0].answer(rig.members[0].await_request(), code, "not you")
        with pytest.raises(error, match="not you"):
            rig.run_until(poll)


def test_redirect_is_followed_with_the_existing_publication(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0, 2))) as connect:
        found, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        first = rig.members[0].await_request()
        images = [image.session_id for image in rig.members[2].ingress.images]
        rig.members[0].answer(first, EventCode.REDIRECT, endpoints(0, 1, 2), leader=2)
        rig.run_until(lambda: poll() or rig.members[2].received(SessionConnectRequest))
        second = rig.members[2].await_request()
        assert second.correlation_id != first.correlation_id
        assert [image.session_id for image in rig.members[2].ingress.images] == images
        rig.members[2].answer(second)
        rig.run_until(poll)
    (client,) = found
    assert client.ingress_endpoints == endpoints(0, 1, 2)
    assert client.leader_member_id == 2
    client.close()


def test_redirect_may_name_an_unconfigured_member(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        found, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        request = rig.members[0].await_request()
        rig.members[0].answer(request, EventCode.REDIRECT, endpoints(0, 1), leader=1)
        rig.run_until(lambda: poll() or rig.members[1].received(SessionConnectRequest))
        rig.members[1].answer(rig.members[1].await_request())
        rig.run_until(poll)
    assert found[0].leader_member_id == 1
    found[0].close()


def test_redirect_may_change_the_endpoint_of_a_member(rig):
    wrong = f"{endpoints(0)},1={endpoint(2)}"
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=wrong)) as connect:
        found, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        request = rig.members[0].await_request()
        rig.members[0].answer(request, EventCode.REDIRECT, endpoints(0, 1), leader=1)
        rig.run_until(lambda: poll() or rig.members[1].received(SessionConnectRequest))
        rig.members[1].answer(rig.members[1].await_request())
        rig.run_until(poll)
    assert found[0].leader_member_id == 1
    assert not rig.members[2].received(SessionConnectRequest)
    rig.run_until(lambda: not rig.members[2].ingress.is_connected)
    found[0].close()


def test_redirect_to_an_unresolved_host_is_raised(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        _, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        request = rig.members[0].await_request()
        rig.members[0].answer(request, EventCode.REDIRECT, "1=nowhere:9011", leader=1)
        with pytest.raises(RegistrationError, match="nowhere"):
            rig.run_until(poll)


@pytest.mark.parametrize("detail", [endpoints(0, 1), "nonsense", "1=a:1,1=b:1", ""])
def test_a_redirect_without_the_leaders_endpoint_is_rejected(rig, detail):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        _, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        request = rig.members[0].await_request()
        rig.members[0].answer(request, EventCode.REDIRECT, detail, leader=2)
        with pytest.raises(ConfigurationError, match="ingress endpoint"):
            rig.run_until(poll)


def test_an_answer_to_another_client_is_ignored(rig):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        found, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        member = rig.members[0]
        request = member.await_request()
        member.connect_egress(request)
        member.emit(
            Challenge.encode(correlation_id=request.correlation_id + 1, cluster_session_id=3)
        )
        member.emit(b"nothing of ours")
        member.answer(request)
        rig.run_until(poll)
    found[0].close()


# ---- an open session ----


def test_sent_messages_have_the_sessions_header(rig, session):
    claim = BufferClaim()
    session.offer(b"one")
    rig.run_until(lambda: session.client.try_claim(3, claim))
    claim.put(b"two", HEADER_LENGTH)
    claim.commit()
    long = bytes(range(256)) * 20
    session.offer(long)
    member = rig.members[0]
    rig.run_until(lambda: len(member.payloads) == 3)
    assert member.payloads == [(TERM, b"one"), (TERM, b"two"), (TERM, long)]
    rig.run_until(lambda: session.client.offer_vectored([b"fo", bytearray(b"u"), b"", b"r"]))
    rig.run_until(lambda: len(member.payloads) == 4)
    assert member.payloads[3] == (TERM, b"four")


def test_shared_ingress_sends_the_same_messages(rig):
    session = Session(rig, is_ingress_exclusive=False)
    client, member, claim = session.client, rig.members[0], BufferClaim()
    session.offer(b"one")
    rig.run_until(lambda: client.offer_vectored([b"t", b"wo"]))
    rig.run_until(lambda: client.try_claim(5, claim))
    claim.put(b"three", HEADER_LENGTH)
    claim.commit()
    rig.run_until(lambda: len(member.payloads) == 3)
    assert member.payloads == [(TERM, b"one"), (TERM, b"two"), (TERM, b"three")]
    client.ingress_publication.close()
    assert client.offer(b"lost") == -1
    assert client.state is ClientState.AWAIT_NEW_LEADER


def test_too_long_or_negative_message_length_is_rejected(rig, session):
    client = session.client
    with mmap.mmap(-1, 2**31 - HEADER_LENGTH) as huge:
        for send in (client.offer, lambda message: client.offer_vectored([message])):
            with pytest.raises(MessageError, match=str(2**31 - HEADER_LENGTH)):
                send(huge)
    for length in (-1, 2**31 - HEADER_LENGTH):
        with pytest.raises(MessageError, match=f"found {length}"):
            client.try_claim(length, BufferClaim())
    session.offer(b"next")
    rig.run_until(lambda: rig.members[0].payloads == [(TERM, b"next")])
    assert client.aeron is rig.aeron


def test_keep_alive_and_an_admin_request_name_the_session(rig, session):
    assert session.client.send_keep_alive()
    assert session.client.send_snapshot_request(99)
    member = rig.members[0]
    rig.run_until(lambda: member.received(AdminRequest))
    (keep_alive,) = member.received(SessionKeepAlive)
    assert (keep_alive.cluster_session_id, keep_alive.leadership_term_id) == (SESSION_ID, TERM)
    assert member.received(AdminRequest)[0].correlation_id == 99


def test_back_pressure_is_false_and_leaves_the_session_unchanged(rig, session):
    results = set()
    while (result := session.client.offer(bytes(1000))) != -2:  # the drivers are not driven
        results.add(bool(result))
    assert not result
    assert session.client.send_keep_alive() is False
    assert session.client.state is ClientState.CONNECTED
    rig.run_until(session.client.send_keep_alive)


def test_messages_of_other_sessions_are_skipped(rig, session):
    rig.members[0].send(b"not ours", session_id=SESSION_ID + 1)
    rig.members[0].send(b"ours", timestamp=17)
    rig.members[0].send(bytes(5000))
    session.poll_until(lambda: len(session.listener.messages) == 2)
    assert session.listener.messages == [(17, b"ours"), (1, bytes(5000))]


def foreign(schema_id=999):
    return struct.pack("<HHHH", 8, 1, schema_id, 0) + bytes(8)


@pytest.mark.parametrize("poll", ["poll_egress", "controlled_poll_egress"])
def test_message_of_another_schema_is_passed_to_the_listener_or_an_error(rig, session, poll):
    """EgressAdapterTest, on unknown schema ids"""
    rig.members[0].emit(foreign())
    with pytest.raises(UnknownMessageError, match="999") as raised:
        session.poll_until(lambda: False, poll)
    assert "schema id 111" in str(raised.value)
    session.listener.is_extended = True
    rig.members[0].emit(foreign())
    session.poll_until(lambda: session.listener.foreign, poll)
    assert session.listener.foreign == [foreign()]
    assert session.client.state is ClientState.CONNECTED


def truncated():
    """Return a message of the cluster's schema with a truncated text."""
    event = SessionEvent.encode(
        cluster_session_id=SESSION_ID,
        correlation_id=0,
        leadership_term_id=TERM,
        leader_member_id=0,
        code=EventCode.CLOSED,
        detail="TIMEOUT",
    )
    return event[:-1]


def stranger_to(rig, client):
    """Return a publication to a client's egress from a host that is not a member."""
    channel = client.egress_subscription.try_resolve_channel_endpoint_port()
    stream_id = client.egress_subscription.stream_id
    stranger = rig.members_aeron.add_exclusive_publication(channel, stream_id)
    rig.run_until(lambda: stranger.is_connected)
    return stranger


@pytest.mark.parametrize("poll", ["poll_egress", "controlled_poll_egress"])
@pytest.mark.parametrize("message", [foreign(), truncated()], ids=["foreign", "truncated"])
def test_message_of_a_stranger_raises_nothing(rig, session, poll, message):
    client = session.client
    stranger = stranger_to(rig, client)
    for _ in range(3):
        rig.run_until(lambda: stranger.offer(message))
    rig.members[0].send(b"the leader's")
    before = len(client.egress_subscription.images)
    session.poll_until(lambda: session.listener.messages, poll)
    # After all sent messages.
    session.poll_until(
        lambda: all(
            image.position >= stranger.position
            for image in client.egress_subscription.images
            if image.session_id == stranger.session_id
        ),
        poll,
    )
    assert before == 2
    assert session.listener.messages == [(1, b"the leader's")]
    assert client.state is ClientState.CONNECTED


@pytest.mark.parametrize("poll", ["poll_egress", "controlled_poll_egress"])
def test_a_lost_leader_is_detected_although_each_poll_raises(rig, session, poll, monkeypatch):
    def fail(*_):
        raise ValueError("of the listener")

    monkeypatch.setattr(session.listener, "on_extension_message", fail)
    stranger = stranger_to(rig, session.client)
    rig.members[0].stop()
    for _ in range(100):
        rig.run_until(lambda: stranger.offer(foreign()))
        rig.run_for(100 * MS)
        with pytest.raises(ValueError, match="of the listener"):
            getattr(session.client, poll)(1)
        if session.client.state is ClientState.AWAIT_NEW_LEADER:
            break
    assert session.client.state is ClientState.AWAIT_NEW_LEADER


def early():
    """Return a message of a service to no session."""
    header = SessionMessageHeader.encode(
        leadership_term_id=TERM, cluster_session_id=-1, timestamp=1
    )
    return header + b"early"


@pytest.mark.parametrize(
    "message", [foreign(), truncated(), early()], ids=["foreign", "truncated", "early"]
)
def test_other_message_than_an_answer_is_skipped_while_connecting(rig, message):
    with AeronCluster.async_connect(**rig.options(ingress_endpoints=endpoints(0))) as connect:
        found, poll = follow(connect)
        rig.run_until(lambda: poll() or rig.members[0].received(SessionConnectRequest))
        request = rig.members[0].await_request()
        rig.members[0].connect_egress(request)
        rig.members[0].emit(message)
        rig.members[0].answer(request)
        rig.run_until(poll)
    found[0].close()


def test_an_abandoned_image_does_not_end_a_connect(rig):
    reported = []
    options = rig.options(ingress_endpoints=endpoints(0), error_handler=reported.append)
    with AeronCluster.async_connect(**options) as connect:
        found, poll = follow(connect)
        rig.run_until(lambda: poll() or connect.step is ConnectStep.AWAIT_RESPONSE)
        egress = connect._connect.egress
        errors = [CorruptError("image", 64, "frame length", "32", 7)]

        def poll_egress(*arguments):
            if errors:
                raise errors.pop()
            return egress.poll(*arguments)

        connect._connect.egress = SimpleNamespace(poll=poll_egress)
        assert connect.poll() is None
        connect._connect.egress = egress
        rig.members[0].answer(rig.members[0].await_request())
        rig.run_until(poll)
    assert [type(each) for each in reported] == [CorruptError]
    found[0].close()


def test_a_controlled_poll_may_abort_and_break(rig, session):
    for payload in (b"a", b"b", b"c"):
        rig.members[0].send(payload)
    rig.run_for(S // 10)
    session.listener.actions = [Action.ABORT, Action.BREAK]
    assert session.client.controlled_poll_egress() == 0
    assert session.client.controlled_poll_egress() == 1
    assert session.client.controlled_poll_egress() == 2
    assert [payload for _, payload in session.listener.messages] == [b"a", b"a", b"b", b"c"]


def test_session_closed_by_the_cluster_is_over_at_the_next_poll(rig, session):
    rig.members[0].close_session(SESSION_ID + 1)
    rig.members[0].close_session()
    session.poll_until(lambda: session.client.is_closed)
    assert [event.detail for event in session.listener.events] == ["TIMEOUT"]
    with pytest.raises(ClosedError, match="the session is over"):
        session.client.offer(b"late")
    for poll in (session.client.poll_egress, session.client.controlled_poll_egress):
        with pytest.raises(ClosedError, match="the session is over"):
            poll()
    session.client.close()


def test_new_leader_of_a_closed_session_is_ignored(rig, session):
    rig.members[0].close_session()
    rig.members[0].lead(session.request, TERM + 1, endpoints(1), leader=1)
    rig.run_for(S // 10)
    assert session.client.poll_egress() == 2
    assert session.client.is_closed
    assert session.listener.leaders == []


def test_close_under_back_pressure_does_not_wait(rig, session):
    client = session.client
    while client.offer(bytes(1000)) != -2:  # the drivers are not driven
        pass
    client.close()
    assert client.is_closed
    rig.run_until(lambda: not rig.members[0].ingress.is_connected)
    assert not rig.members[0].received(SessionCloseRequest)


def test_close_releases_all_although_the_agent_invoker_fails(rig):
    def invoke():
        raise LookupError("of the user")

    session = Session(rig, agent_invoker=invoke)
    client = session.client
    while client.offer(bytes(1000)) != -2:  # the drivers are not driven
        pass
    publication = client.ingress_publication
    with pytest.raises(LookupError, match="of the user"):
        client.close()
    assert client.is_closed
    assert publication.is_closed
    assert client.egress_subscription.is_closed


def test_close_at_the_last_position_sends_no_request(rig):
    last_term = "term-length=64k|init-term-id=0|term-id=2147483647|term-offset=61440"
    session = Session(rig, ingress_channel=f"aeron:udp?{last_term}")
    publication = session.client.ingress_publication

    def is_at_its_end():
        try:
            publication.offer(bytes(1000))
        except MaxPositionExceededError:
            return True
        return False

    rig.run_until(is_at_its_end)
    assert session.client.state is ClientState.CONNECTED
    session.client.close()
    assert session.client.is_closed
    assert publication.is_closed


# ---- lost leaders ----


@pytest.mark.parametrize("poll", ["poll_egress", "controlled_poll_egress"])
def test_client_follows_a_new_leader_without_waiting(rig, session, poll):
    rig.members[0].stop()
    member = rig.members[1]
    member.lead(session.request, TERM + 1, endpoints(1, 2))
    session.poll_until(lambda: session.listener.leaders, poll)
    client = session.client
    assert client.state is ClientState.AWAIT_NEW_LEADER_CONNECTION
    assert client.offer(b"too soon") == -1  # the driver has not added the publication yet
    assert (client.leader_member_id, client.leadership_term_id) == (1, TERM + 1)
    assert client.ingress_endpoints == endpoints(1, 2)
    session.offer(b"now")
    assert client.state is ClientState.CONNECTED
    rig.run_until(lambda: member.payloads == [(TERM + 1, b"now")])
    member.send(b"welcome")
    session.poll_until(lambda: session.listener.messages, poll)


WAYS = {
    "vectored": lambda client, _: client.offer_vectored([b"no", b"w"]),
    "claim": lambda client, claim: client.try_claim(3, claim),
    "keep-alive": lambda client, _: client.send_keep_alive(),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_kind_of_message_connects_to_a_new_leader(rig, session, way):
    client, member, claim = session.client, rig.members[1], BufferClaim()
    rig.members[0].stop()
    member.lead(session.request, TERM + 1, endpoints(1, 2))
    session.poll_until(lambda: session.listener.leaders)
    rig.run_until(lambda: WAYS[way](client, claim) > 0)
    assert client.state is ClientState.CONNECTED
    if way == "claim":
        claim.put(b"now", HEADER_LENGTH)
        claim.commit()
    if way == "keep-alive":
        rig.run_until(lambda: member.received(SessionKeepAlive))
        (keep_alive,) = member.received(SessionKeepAlive)
        assert keep_alive.leadership_term_id == TERM + 1
    else:
        rig.run_until(lambda: member.payloads == [(TERM + 1, b"now")])


@pytest.mark.parametrize("way", WAYS)
def test_each_kind_of_message_detects_lost_ingress(rig, session, way):
    rig.members[0].close_ingress()
    rig.run_until(lambda: not session.client.ingress_publication.is_connected)
    assert WAYS[way](session.client, BufferClaim()) == (False if way == "keep-alive" else -1)
    assert session.client.state is ClientState.AWAIT_NEW_LEADER


def test_new_leader_lost_before_anything_is_sent_is_replaced(rig, session):
    rig.members[0].stop()
    rig.members[1].lead(session.request, TERM + 1, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders == [1])
    rig.members[1].egress.close()
    session.poll_until(lambda: session.client.state is ClientState.AWAIT_NEW_LEADER)
    assert session.client.offer(b"not sent") == -1
    rig.members[2].lead(session.request, TERM + 2, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders == [1, 2])
    session.offer(b"sent")
    rig.run_until(lambda: rig.members[2].payloads == [(TERM + 2, b"sent")])
    assert rig.members[1].payloads == []


def test_a_leader_after_the_next_one_is_followed_too(rig, session):
    rig.members[0].stop()
    rig.members[1].lead(session.request, TERM + 1, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders == [1])
    rig.members[2].lead(session.request, TERM + 2, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders == [1, 2])
    session.offer(b"third")
    rig.run_until(lambda: rig.members[2].payloads == [(TERM + 2, b"third")])
    assert rig.members[1].payloads == []


def test_superseded_leader_is_ignored(rig, session):
    rig.members[1].lead(session.request, TERM + 2, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders == [1])
    session.offer(b"first")
    # They were paused: their messages have earlier terms.
    rig.members[0].close_session()
    rig.members[2].lead(session.request, TERM + 1, endpoints(0, 1, 2))
    rig.members[2].close_session(term_id=TERM + 1)
    rig.members[2].send(b"after it")
    rig.members[0].send(b"after it")
    session.poll_until(lambda: len(session.listener.messages) == 2)
    assert session.listener.leaders == [1]
    assert session.client.state is ClientState.CONNECTED
    assert (session.client.leader_member_id, session.client.leadership_term_id) == (1, TERM + 2)
    session.offer(b"second")
    rig.run_until(lambda: rig.members[1].payloads == [(TERM + 2, b"first"), (TERM + 2, b"second")])
    rig.members[1].close_session(term_id=TERM + 2)
    session.poll_until(lambda: session.client.is_closed)


def test_each_new_leader_restarts_the_message_timeout(rig, session):
    rig.members[0].stop()
    rig.members[1].lead(session.request, TERM + 1, endpoints(1, 2))
    session.poll_until(lambda: session.listener.leaders == [1])
    rig.run_for(3 * S)
    rig.members[2].lead(session.request, TERM + 2, endpoints(1, 2))
    session.poll_until(lambda: session.listener.leaders == [1, 2])
    rig.run_for(3 * S)
    session.client.poll_egress()
    assert session.client.state is ClientState.AWAIT_NEW_LEADER_CONNECTION


def test_a_message_started_by_the_old_leader_is_not_finished_by_the_new_one(rig, session):
    half = bytes(2000)
    rig.members[0].send(half)
    # Only its first fragment.
    rig.run_for(S // 10)
    assert session.client.egress_subscription.poll(session.client._adapter, 1) == 1
    rig.members[1].lead(session.request, TERM + 1, endpoints(1))
    rig.members[1].send(b"whole")
    session.poll_until(lambda: session.listener.leaders and session.listener.messages)
    assert (1, b"whole") in session.listener.messages


def test_a_new_leader_of_another_session_is_ignored(rig, session):
    rig.members[0].lead(session.request, TERM + 1, endpoints(1), session_id=SESSION_ID + 1)
    rig.members[0].send(b"after it")
    session.poll_until(lambda: session.listener.messages)
    assert session.listener.leaders == []
    assert session.client.leadership_term_id == TERM


@pytest.mark.parametrize("found", [endpoints(0, 2), "nonsense", ""])
def test_new_leader_missing_from_its_endpoints_ends_the_session(rig, session, found):
    rig.members[1].lead(session.request, TERM + 1, found)
    with pytest.raises(ConfigurationError, match="ingress endpoint"):
        session.poll_until(lambda: False)
    assert session.client.is_closed


def test_new_leader_with_an_unresolved_host_ends_the_session(rig, session):
    rig.members[1].lead(session.request, TERM + 1, "1=nowhere:9011")
    with pytest.raises(RegistrationError, match="nowhere"):
        session.poll_until(lambda: False)
    session.client.poll_egress()
    assert session.client.is_closed


def test_new_leader_without_a_mapped_publication_ends_the_session(rig, session, monkeypatch):
    fail_mappings(rig, monkeypatch, 1)
    rig.members[1].lead(session.request, TERM + 1, endpoints(1))
    with pytest.raises(PlatformError, match="too many open files"):
        session.poll_until(lambda: False)
    session.client.poll_egress()
    assert session.client.is_closed
    with pytest.raises(ClosedError):
        session.client.poll_egress()


def test_client_unable_to_send_to_the_new_leader_closes_itself(rig, session):
    """shouldCloseItselfWhenUnableToSendMessageForLongerThanNewLeaderConnectionTimeout."""
    rig.members[0].stop()
    rig.members[1].lead(session.request, TERM + 1, endpoints(1))
    session.poll_until(lambda: session.listener.leaders)
    rig.run_for(5 * S + S // 2)
    session.client.poll_egress()
    assert session.client.is_closed


@pytest.mark.parametrize("way", ["offer", "offer_vectored", "try_claim"])
def test_client_at_the_last_position_of_its_ingress_closes_itself(rig, way):
    """shouldCloseItselfAfterReachingMaxPositionOnTheIngressPublication."""
    last_term = "term-length=64k|init-term-id=0|term-id=2147483647|term-offset=61440"
    session = Session(rig, ingress_channel=f"aeron:udp?{last_term}")
    client, member, claim = session.client, rig.members[0], BufferClaim()
    sent_count = 0

    def send():
        if way == "offer":
            return client.offer(bytes(200))
        if way == "offer_vectored":
            return client.offer_vectored([bytes(100), bytes(100)])
        result = client.try_claim(200, claim)
        if result:
            claim.commit()
        return result

    def is_at_its_end():
        nonlocal sent_count
        try:
            sent_count += bool(send())
        except MaxPositionExceededError:
            return True
        return False

    rig.run_until(is_at_its_end)
    rig.run_until(lambda: len(member.payloads) == sent_count)
    assert sent_count > 1
    assert client.state is ClientState.PENDING_CLOSE
    with pytest.raises(MaxPositionExceededError):
        send()
    client.poll_egress()
    assert client.is_closed
    with pytest.raises(ClosedError):
        send()


def test_lost_ingress_waits_for_a_new_leader_for_twice_its_heartbeat_timeout(rig, session):
    """A leader cut off from its followers closes its ingress, and its egress remains open."""
    rig.members[0].close_ingress()
    rig.run_until(lambda: session.client.offer(b"lost") == -1)
    assert session.client.state is ClientState.AWAIT_NEW_LEADER
    since = rig.world.time.now_ns
    session.poll_until(lambda: session.client.is_closed)
    assert 4 * S <= rig.world.time.now_ns - since <= 4 * S + S // 10


def test_the_new_leader_timeout_may_be_given(rig):
    session = Session(rig, new_leader_timeout_ns=S)
    rig.members[0].close_ingress()
    rig.run_until(lambda: session.client.offer(b"lost") == -1)
    since = rig.world.time.now_ns
    session.poll_until(lambda: session.client.is_closed)
    assert S <= rig.world.time.now_ns - since <= S + S // 10


def test_a_closed_egress_image_is_a_lost_leader(rig, session):
    rig.members[0].egress.close()
    rig.members[0].egress = None
    session.poll_until(lambda: session.client.state is ClientState.AWAIT_NEW_LEADER)
    assert session.client.offer(b"not sent") == -1
    rig.members[2].lead(session.request, TERM + 1, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders == [2])
    session.offer(b"found")
    assert session.client.state is ClientState.CONNECTED


def test_ingress_without_endpoints_is_reopened_for_a_new_leader(rig):
    session = Session(
        rig, ingress_endpoints=None, ingress_channel=f"aeron:udp?endpoint={endpoint(0)}"
    )
    assert session.client.ingress_endpoints == ""
    rig.members[0].lead(session.request, TERM + 1, endpoints(0, 1, 2))
    session.poll_until(lambda: session.listener.leaders)
    session.offer(b"the same again")
    rig.run_until(lambda: rig.members[0].payloads == [(TERM + 1, b"the same again")])
    session.client.close()


def test_a_session_closed_while_its_ingress_is_reopened_leaves_nothing(rig, session):
    rig.members[1].lead(session.request, TERM + 1, endpoints(1))
    session.poll_until(lambda: session.listener.leaders)
    session.client.close()
    rig.run_for(S)
    rig.run_until(lambda: not rig.members[1].ingress.is_connected)
