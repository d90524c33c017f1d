"""The hot half of a consensus module: from ingress to the log, and from recording to commit."""

import random
from dataclasses import replace

import pytest

from aeron_cluster.client.counter import Counter
from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster.agent.module_agent import IGNORED, ModuleAgent
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminRequestType,
    CancelTimer,
    ChallengeResponse,
    ClusterTimeUnit,
    ScheduleTimer,
    ServiceAck,
    SessionCloseRequest,
    SessionConnectRequest,
    SessionMessageHeader,
)
from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    IgnoredMessageError,
    MaxPositionExceededError,
    MessageError,
    ServiceError,
    StateError,
)
from aeron_cluster.memory.agents.agent import AgentInvoker
from tests.unit.cluster.module_rig import (
    ACTIVE,
    CANDIDATE,
    EPOCH_MS,
    EPOCH_NS,
    FOLLOWER,
    LEADER,
    NEVER,
    SNAPSHOT,
    SUSPENDED,
    TERM_ID,
    ModuleRig,
    change_leadership,
    keep_alive,
    session_message,
)
from tests.unit.cluster.streams import messages

CONNECT = SessionConnectRequest.encode(
    correlation_id=1,
    response_stream_id=102,
    version=768,
    response_channel="aeron:ipc",
    encoded_credentials=b"",
    client_info="",
)


@pytest.fixture
def rig(streams):
    return ModuleRig(streams)


@pytest.fixture
def client(rig, streams):
    stream = streams.stream(7)
    (stream.seen,) = rig.ingress(stream)
    rig.open_session(17)
    return stream


# ---- ingress to the log ----


def test_a_session_message_is_logged_with_the_leaders_term_and_time(rig, client):
    client.publication.offer(session_message(17, b"hello"))
    assert rig.agent.do_work() == 1
    assert rig.logged() == [session_message(17, b"hello", timestamp=EPOCH_MS)]
    assert rig.ignored() == {}
    assert rig.conductor.take_calls() == []


@pytest.mark.parametrize(
    ("unit", "timestamp"),
    [
        (ClusterTimeUnit.MILLIS, EPOCH_NS // 1_000_000),
        (ClusterTimeUnit.MICROS, EPOCH_NS // 1_000),
        (ClusterTimeUnit.NANOS, EPOCH_NS),
    ],
)
def test_the_time_in_the_log_is_in_the_clusters_unit(unit, timestamp, streams):
    rig = ModuleRig(streams, unit=unit)
    client = streams.stream(7)
    rig.ingress(client)
    rig.open_session(17)
    client.publication.offer(session_message(17, b"x"))
    rig.agent.do_work()
    assert SessionMessageHeader.decode(rig.logged()[0]).timestamp == timestamp


def test_ten_thousand_messages_are_delivered_byte_for_byte(streams):
    """From 32 bytes to fragmented messages over several terms of both streams; the leader sets only
    the header.
    """
    rig = ModuleRig(streams)
    client = streams.stream(7)
    (seen,) = rig.ingress(client)
    rig.open_session(17)
    source = random.Random(5)
    sent, logged = [], []
    cleaned = {client: 0, rig.log_stream: 0}
    while len(logged) < 10_000:
        while len(sent) < 10_000 and client.publication.position - seen.position < 40_000:
            payload = source.randbytes(source.choice([32, 32, 100, 1344, 1345, 5_000, 8_160]))
            if not client.publication.offer(session_message(17, payload)):
                break
            sent.append(payload)
        assert rig.pass_all() > 0
        logged += rig.logged()
        for stream, image in ((client, seen), (rig.log_stream, rig.log_image)):
            while cleaned[stream] < image.position // stream.term_length:
                stream.clean(cleaned[stream])
                cleaned[stream] += 1
    assert [message[32:] for message in logged] == sent
    assert {message[:32] for message in logged} == {session_message(17, b"", timestamp=EPOCH_MS)}
    assert rig.commit_position.get() == rig.log.position
    assert rig.ignored() == {}


def test_a_full_log_gives_a_message_again(rig, client):
    rig.log_stream.limit.set(0)
    sent = [bytes([index]) * length for index, length in enumerate((10, 3000, 40))]
    for payload in sent:
        client.publication.offer(session_message(17, payload))
    for _ in range(3):
        rig.agent.do_work()
    assert rig.logged() == []
    # "Back pressure from the log publication aborts the fragment so that it is polled again."
    rig.log_stream.limit.set(1)
    rig.agent.do_work()
    rig.log_stream.limit.set(1 << 30)
    rig.agent.do_work()
    rig.agent.do_work()
    assert [message[32:] for message in rig.logged()] == sent
    assert rig.ignored() == {}


def test_message_waiting_for_the_log_retains_its_session(rig, client):
    rig.log_stream.limit.set(0)
    client.publication.offer(session_message(17, b"x"))
    rig.clock.advance(500)
    rig.agent.do_work()
    assert rig.sessions.last_activity_ns(17) == 1500


def test_a_message_longer_than_the_logs_is_dropped_and_reported(streams):
    rig = ModuleRig(streams)
    client = streams.stream(7, term_length=1 << 20)
    rig.ingress(client)
    rig.open_session(17)
    client.publication.offer(session_message(17, bytes(8161)))
    client.publication.offer(session_message(17, b"next"))
    rig.agent.do_work()
    assert [message[32:] for message in rig.logged()] == [b"next"]
    assert rig.ignored() == {"too_long": 1}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (session_message(17, b"x", term_id=TERM_ID - 1), "stale_term"),
        (session_message(17, b"x", term_id=TERM_ID + 1), "stale_term"),
        (session_message(18, b"x"), "unknown_session"),
        (session_message(-1, b"x"), "unknown_session"),
        (session_message(19, b"x"), "closed_session"),
        (keep_alive(17, term_id=2), "stale_term"),
        (keep_alive(18), "unknown_session"),
        (keep_alive(19), "closed_session"),
        (b"", "malformed"),
        (session_message(17, b"")[:31], "malformed"),
        (b"\x10\x00" + session_message(17, b"")[2:], "malformed"),
        (b"\x08\x00" + keep_alive(17)[2:], "malformed"),
        (CONNECT[:4] + b"\x70\x00" + CONNECT[6:], "foreign_schema"),
        (
            ServiceAck.encode(log_position=0, timestamp=0, ack_id=0, relevant_id=0, service_id=0),
            "unknown_template",
        ),
    ],
)
def test_ignored_messages_are_counted_by_kind_and_reported_once(message, kind, rig, client):
    rig.sessions.put(19, is_open=False, last_activity_ns=5)
    for _ in range(3):
        client.publication.offer(message)
        rig.agent.do_work()
    assert rig.logged() == []
    assert rig.ignored() == {kind: 3}
    (error,) = rig.errors
    assert isinstance(error, IgnoredMessageError)
    assert error.found == kind
    assert rig.sessions.last_activity_ns(17) == 0
    assert rig.sessions.last_activity_ns(19) == 5
    assert rig.conductor.take_calls() == []


def test_every_kind_has_its_counter(rig):
    assert set(rig.agent.ignored) == {name for name, _ in IGNORED}


def test_a_follower_appends_no_session_message(rig, client):
    change_leadership(rig.agent, role=FOLLOWER)
    client.publication.offer(session_message(17, b"x"))
    client.publication.offer(keep_alive(17))
    client.publication.offer(CONNECT)
    rig.agent.do_work()
    assert rig.ignored() == {"not_leader": 2}
    # It redirects connecting clients to the leader.
    assert [call[0] for call in rig.conductor.take_calls()] == ["on_ingress"]


def test_a_keep_alive_touches_its_session_and_links_its_image_once(rig, client, streams):
    client.publication.offer(keep_alive(17))
    rig.clock.advance(500)
    rig.agent.do_work()
    assert rig.sessions.last_activity_ns(17) == 1500
    assert rig.sessions.ingress_image(17) == client.seen.correlation_id
    other = streams.stream(8)
    rig.ingress(other)
    other.publication.offer(keep_alive(17))
    rig.agent.do_work()
    assert rig.sessions.ingress_image(17) == client.seen.correlation_id


def test_a_session_message_touches_but_does_not_link(rig, client):
    # "ordinary messages do not link"
    client.publication.offer(session_message(17, b"x"))
    rig.clock.advance(500)
    rig.agent.do_work()
    assert rig.sessions.last_activity_ns(17) == 1500
    assert rig.sessions.ingress_image(17) == -1


@pytest.mark.parametrize(
    "message",
    [
        CONNECT,
        SessionCloseRequest.encode(leadership_term_id=3, cluster_session_id=17),
        ChallengeResponse.encode(
            correlation_id=1, cluster_session_id=17, encoded_credentials=bytes(3000)
        ),
        AdminRequest.encode(
            leadership_term_id=3,
            cluster_session_id=17,
            correlation_id=1,
            request_type=AdminRequestType.SNAPSHOT,
            payload=b"",
        ),
    ],
)
def test_all_other_requests_of_a_client_are_passed_to_the_conductor(message, rig, client):
    client.publication.offer(message)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_ingress", message, client.seen, 1000)]


def test_conductor_may_request_a_message_again(rig, client):
    rig.conductor.takes_ingress = False
    client.publication.offer(CONNECT)
    client.publication.offer(session_message(17, b"later"))
    rig.agent.do_work()
    rig.agent.do_work()
    assert len(rig.conductor.take_calls()) == 2
    assert rig.logged() == []
    rig.conductor.takes_ingress = True
    rig.agent.do_work()
    assert len(rig.conductor.take_calls()) == 1
    assert [message[32:] for message in rig.logged()] == [b"later"]


def test_message_undecodable_by_the_conductor_is_malformed(rig, client):
    def reject():
        raise MessageError("a message", "whole", "cut")

    rig.conductor.then = reject
    client.publication.offer(CONNECT)
    rig.agent.do_work()
    assert rig.ignored() == {"malformed": 1}


def test_an_exception_of_the_conductor_ends_the_pass_after_the_message(rig, client):
    def fail():
        raise RuntimeError("no")

    rig.conductor.then = fail
    client.publication.offer(CONNECT)
    client.publication.offer(session_message(17, b"next"))
    with pytest.raises(RuntimeError, match="no"):
        rig.agent.do_work()
    rig.agent.do_work()
    assert [message[32:] for message in rig.logged()] == [b"next"]


def test_time_is_read_again_after_python_appended(rig, client):
    rig.conductor.then = lambda: rig.clock.advance(2_000_000)
    client.publication.offer(session_message(17, b"a"))
    client.publication.offer(CONNECT)
    client.publication.offer(session_message(17, b"b"))
    rig.agent.do_work()
    assert [SessionMessageHeader.decode(each).timestamp for each in rig.logged()] == [
        EPOCH_MS,
        EPOCH_MS + 2,
    ]


def test_a_closed_log_is_an_error_and_one_at_its_end_too(rig, client, streams):
    client.publication.offer(session_message(17, b"x"))
    rig.log_stream.publication.close()
    with pytest.raises(ClosedError):
        rig.agent.do_work()
    ended = ModuleRig(streams, log_position=(65536 << 31) - 32)
    other = streams.stream(8)
    ended.ingress(other)
    ended.open_session(17)
    other.publication.offer(session_message(17, b"x"))
    with pytest.raises(MaxPositionExceededError):
        ended.agent.do_work()


def test_two_clients_are_polled_from_a_different_one_each_time(streams):
    rig = ModuleRig(streams, ingress_limit=1)
    clients = [streams.stream(session_id) for session_id in (7, 8, 9)]
    rig.ingress(*clients)
    rig.open_session(17)
    for index, client in enumerate(clients):
        for number in range(3):
            client.publication.offer(session_message(17, bytes([index, number])))
    first = []
    for _ in range(9):
        rig.agent.do_work()
    first = [tuple(message[32:]) for message in rig.logged()]
    assert first[:3] == [(0, 0), (1, 0), (2, 0)]
    assert sorted(first) == [(index, number) for index in range(3) for number in range(3)]


def test_both_ingress_channels_may_have_the_same_session_ids(rig, streams):
    network, local = streams.stream(7), streams.stream(7)
    rig.agent.set_ingress(
        [streams.subscription(network.image()), streams.subscription(local.image())]
    )
    rig.open_session(17)
    parts = [bytes([index]) * 4000 for index in range(2)]
    for stream, part in zip((network, local), parts, strict=True):
        stream.publication.offer(session_message(17, part))
    rig.agent.do_work()
    assert [message[32:] for message in rig.logged()] == parts


def test_a_limit_bounds_the_fragments_of_a_pass(streams):
    rig = ModuleRig(streams, ingress_limit=2)
    client = streams.stream(7)
    rig.ingress(client)
    rig.open_session(17)
    for _ in range(5):
        client.publication.offer(session_message(17, b"x"))
    assert [rig.agent.do_work() for _ in range(4)] == [2, 2, 1, 0]


@pytest.mark.parametrize(
    ("role", "state", "is_electing", "is_taken"),
    [
        (LEADER, ACTIVE, False, True),
        (LEADER, SUSPENDED, False, False),
        (LEADER, SNAPSHOT, False, False),
        (LEADER, ACTIVE, True, False),
        (FOLLOWER, ACTIVE, False, True),
        (FOLLOWER, SUSPENDED, False, True),
        (FOLLOWER, SNAPSHOT, False, False),
        (CANDIDATE, ACTIVE, True, False),
    ],
)
def test_ingress_is_accepted_by_role_and_state(role, state, is_electing, is_taken, rig, client):
    change_leadership(rig.agent, role=role)
    rig.agent.set_state(state)
    change_leadership(rig.agent, is_electing=is_electing)
    client.publication.offer(CONNECT)
    rig.agent.do_work()
    assert [call[0] for call in rig.conductor.take_calls()] == ["on_ingress"] * is_taken


def test_a_partial_message_of_a_closed_image_is_dropped(rig, client):
    client.publication.offer(session_message(17, bytes(4000)))
    client.bytes[1408:1412] = bytes(4)  # the second fragment is missing
    rig.agent.do_work()
    rig.agent.drop_ingress_image(7)
    client.bytes[1408:1412] = (1408).to_bytes(4, "little")
    rig.agent.do_work()
    assert rig.logged() == []


def test_subscriptions_are_not_changed_from_within_their_poll(rig, client):
    rig.conductor.then = lambda: rig.agent.set_ingress(())
    client.publication.offer(CONNECT)
    with pytest.raises(StateError):
        rig.agent.do_work()
    rig.agent.set_ingress(())
    assert rig.agent.do_work() == 0


def test_at_most_two_ingress_subscriptions_are_accepted(rig, streams):
    with pytest.raises(ValueError, match="at most 2"):
        rig.agent.set_ingress([streams.subscription() for _ in range(3)])


# ---- messages of services ----


@pytest.fixture
def service(rig, streams):
    stream = streams.stream(9, 105)
    rig.agent.set_control(streams.subscription(stream.image()))
    return stream


def test_offers_of_a_service_are_retained_numbered_and_logged(rig, service):
    service.publication.offer(session_message(0, b"one", timestamp=99))
    service.publication.offer(session_message(0, bytes(3000)))
    rig.agent.do_work()
    assert len(rig.trackers[0]) == 2
    rig.pass_all()
    first = -(2**63) + 1
    assert rig.logged() == [
        session_message(first, b"one", timestamp=EPOCH_MS),
        session_message(first + 1, bytes(3000), timestamp=EPOCH_MS),
    ]
    # They are committed, so the leader has dropped them.
    assert len(rig.trackers[0]) == 0


def test_an_offer_longer_than_the_logs_is_skipped_and_reported(rig, streams, client):
    service = streams.stream(9, 105, term_length=1 << 20)
    rig.agent.set_control(streams.subscription(service.image()))
    for payload in (b"one", bytes(9000), b"three"):
        service.publication.offer(session_message(0, payload))
    client.publication.offer(session_message(17, b"client"))
    rig.pass_all(5)
    first = -(2**63) + 1
    # Its number is used, since every member's service counts it.
    assert sorted(rig.logged()) == sorted(
        [
            session_message(first, b"one", timestamp=EPOCH_MS),
            session_message(first + 2, b"three", timestamp=EPOCH_MS),
            session_message(17, b"client", timestamp=EPOCH_MS),
        ]
    )
    (error,) = rig.errors
    assert isinstance(error, ServiceError)
    assert "service 0: a message of 9000 bytes" in str(error)
    assert "take 8160 at most" in str(error)
    assert len(rig.trackers[0]) == 0


def test_offers_are_logged_twenty_a_pass_before_ingress(rig, service, client):
    for number in range(30):
        service.publication.offer(session_message(0, bytes([number])))
    rig.agent.set_state(SUSPENDED)
    rig.agent.do_work()
    rig.agent.do_work()
    assert len(rig.trackers[0]) == 30
    client.publication.offer(session_message(17, b"client"))
    rig.agent.set_state(ACTIVE)
    rig.agent.do_work()
    found = [message[32:] for message in rig.logged()]
    assert found == [bytes([number]) for number in range(20)] + [b"client"]


def test_service_waits_for_its_queued_messages(streams):
    rig = ModuleRig(streams, kept_capacity=65536)
    stream = streams.stream(stream_id=105)
    rig.agent.set_control(streams.subscription(stream.image()))
    rig.log_stream.limit.set(0)
    for number in range(30):
        message = session_message(0, bytes([number]) * 4000)
        # The second offer is needed at the end of a term.
        assert stream.publication.offer(message) or stream.publication.offer(message)
        rig.pass_all()
    assert len(rig.trackers[0]) == 16
    rig.log_stream.limit.set(1 << 60)
    rig.pass_all(10)
    assert [message[32] for message in rig.logged()] == list(range(30))
    assert len(rig.trackers[0]) == 0


def test_the_next_leader_skips_too_long_offers_again(streams):
    # As from an upstream container, which does not know the limit.
    rig = ModuleRig(streams)
    client, service = streams.stream(7), streams.stream(9, 105, term_length=1 << 20)
    rig.ingress(client)
    rig.agent.set_control(streams.subscription(service.image()))
    rig.open_session(17)
    for payload in (b"before", bytes(8161), bytes(8161), b"after"):
        service.publication.offer(session_message(0, payload))
    client.publication.offer(session_message(17, b"client"))
    for _ in range(4):
        rig.agent.do_work()
    # The next leader appends uncommitted messages again and skips this one again.
    rig.trackers[0].restore_uncommitted(0)
    rig.pass_all(5)
    logged = [message[32:] for message in rig.logged()]
    assert logged == [b"client", b"before", b"after", b"before", b"after"]
    assert [type(each) for each in rig.errors] == [ServiceError] * 4
    assert len(rig.trackers[0]) == 0
    assert rig.trackers[0].log_service_session_id == -(2**63) + 4


def test_log_failing_during_offers_is_an_error(rig, service):
    service.publication.offer(session_message(0, b"x"))
    rig.agent.do_work()
    rig.log_stream.publication.close()
    with pytest.raises(ClosedError):
        rig.agent.do_work()


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (session_message(1, b"x"), "unknown_service"),
        (session_message(-1, b"x"), "unknown_service"),
        (b"\x10\x00" + session_message(0, b"")[2:], "malformed"),
        (b"\x20\x00" + session_message(0, bytes(8))[2:], "malformed"),
        (b"abc", "malformed"),
        (CONNECT[:4] + b"\x70\x00" + CONNECT[6:], "foreign_schema"),
    ],
)
def test_forbidden_service_messages_are_counted(message, kind, rig, service):
    service.publication.offer(message)
    rig.agent.do_work()
    assert rig.ignored() == {kind: 1}
    assert len(rig.trackers[0]) == 0
    assert rig.conductor.take_calls() == []


def test_a_poll_stops_after_an_acknowledgement(rig, service):
    timer = ScheduleTimer.encode(correlation_id=1, deadline=5)
    ack = ServiceAck.encode(log_position=0, timestamp=0, ack_id=0, relevant_id=0, service_id=0)
    cancel = CancelTimer.encode(correlation_id=1)
    for message in (timer, ack, cancel):
        service.publication.offer(message)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [
        ("on_service_message", timer, -1, 1000),
        ("on_service_message", ack, -1, 1000),
    ]
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_service_message", cancel, -1, 1000)]


def test_a_request_has_the_log_position_of_its_service(rig, service):
    timer = ScheduleTimer.encode(correlation_id=1, deadline=5)
    claim = BufferClaim()
    assert service.publication.try_claim(len(timer), claim) > 0
    claim.reserved_value = 961
    claim.put(timer)
    claim.commit()
    rig.agent.do_work()
    assert rig.conductor.take_calls() == [("on_service_message", timer, 960, 1000)]


def test_services_are_polled_during_an_election_and_by_a_follower(rig, service):
    ack = ServiceAck.encode(log_position=0, timestamp=0, ack_id=0, relevant_id=0, service_id=0)
    change_leadership(rig.agent, is_electing=True)
    change_leadership(rig.agent, role=FOLLOWER)
    service.publication.offer(ack)
    service.publication.offer(session_message(0, b"x"))
    rig.agent.do_work()
    rig.agent.do_work()
    assert [call[0] for call in rig.conductor.take_calls()] == ["on_service_message"]
    assert len(rig.trackers[0]) == 1
    assert rig.logged() == []


# ---- when Python is called ----


def test_an_idle_module_calls_no_python(rig, streams):
    rig.ingress(streams.stream(7))
    assert [rig.pass_all() for _ in range(5)] == [0] * 5
    assert rig.conductor.take_calls() == []


def test_the_conductor_is_called_at_its_deadline_or_when_busy(rig):
    rig.agent.set_next(1500, False)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []
    rig.clock.advance(500)
    assert rig.agent.do_work() == 1
    assert rig.conductor.take_calls() == [("do_work", 1500)]
    rig.agent.set_next(NEVER, True)
    rig.agent.do_work()
    rig.agent.do_work()
    assert len(rig.conductor.take_calls()) == 2


@pytest.mark.parametrize(
    ("role", "state", "toggles"),
    [
        # "Only a settled leader in ACTIVE reads it (SUSPENDED reads RESUME only)." A RESUME in
        # ACTIVE is read too; otherwise it would block all other requests.
        (LEADER, ACTIVE, {2, 3, 4, 5, 6, 7}),
        (LEADER, SUSPENDED, {3}),
        (LEADER, SNAPSHOT, set()),
        (FOLLOWER, ACTIVE, set()),
    ],
)
def test_the_conductor_is_called_while_a_toggle_requests_something(role, state, toggles, rig):
    change_leadership(rig.agent, role=role)
    rig.agent.set_state(state)
    called = set()
    for toggle in range(-1, 10):
        rig.control_toggle.set(toggle)
        rig.agent.do_work()
        rig.agent.do_work()
        if calls := rig.conductor.take_calls():
            assert len(calls) == 2
            called.add(toggle)
    assert called == toggles
    change_leadership(rig.agent, is_electing=True)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []


def test_the_conductor_is_called_when_the_nodes_toggle_moved(rig):
    rig.node_toggle.set(3)
    rig.agent.do_work()
    assert len(rig.conductor.take_calls()) == 1
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []
    rig.node_toggle.set(1)
    rig.agent.do_work()
    assert len(rig.conductor.take_calls()) == 1


def test_the_conductor_is_called_for_an_answer_of_the_archive(rig, streams):
    archive = streams.stream(5, 20)
    image = archive.image()
    rig.agent.set_archive(streams.subscription(image))
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []
    archive.publication.offer(b"an answer")
    rig.agent.do_work()
    assert len(rig.conductor.take_calls()) == 1
    messages(image)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []
    rig.agent.set_archive(None)
    rig.agent.do_work()


def test_timers_are_due_at_cluster_time_at_an_active_leader(rig):
    rig.agent.set_timer_deadline(EPOCH_MS + 5)
    rig.agent.do_work()
    assert rig.conductor.take_calls() == []
    rig.clock.advance(5_000_000)
    for role, state, electing in (
        (LEADER, SUSPENDED, False),
        (FOLLOWER, ACTIVE, False),
        (LEADER, ACTIVE, True),
    ):
        change_leadership(rig.agent, role=role)
        rig.agent.set_state(state)
        change_leadership(rig.agent, is_electing=electing)
        rig.agent.do_work()
        assert rig.conductor.take_calls() == []
    change_leadership(rig.agent, is_electing=False)
    assert rig.agent.do_work() == 1
    assert rig.conductor.take_calls() == [("on_timers_due", 5_001_000)]


def test_cycles_are_counted(rig, streams):
    rig.agent.do_work()
    rig.clock.advance(150)
    rig.agent.do_work()
    rig.clock.advance(50)
    rig.agent.do_work()
    values = {
        each.label: streams.counters.value(each.counter_id) for each in streams.counters.counters()
    }
    assert (values["max cycle"], values["exceeded"]) == (150, 1)


# ---- the commit ----


def test_single_member_commits_its_recorded_position(rig):
    rig.recorded.set(96)
    assert rig.commit.do_work() == 1
    assert rig.commit_position.get() == 96
    assert rig.commit.do_work() == 0
    # "raise the commit counter (never lower)"
    rig.recorded.set(64)
    assert rig.commit.do_work() == 0
    assert rig.commit_position.get() == 96


def test_nothing_is_committed_by_a_follower_or_without_a_recording(rig):
    rig.recorded.set(96)
    change_leadership(rig.agent, role=FOLLOWER)
    assert rig.commit.do_work() == 0
    change_leadership(rig.agent, role=LEADER)
    change_leadership(rig.agent, recorded_counter_id=None)
    assert rig.commit.do_work() == 0
    assert rig.commit_position.get() == 0
    change_leadership(rig.agent, recorded_counter_id=rig.recorded.counter_id)
    assert rig.commit.do_work() == 1


def test_counters_of_a_closed_client_are_reused(rig, streams):
    commit, cycle = (
        Counter(None, streams.counters, streams.counter(label).counter_id, 1)
        for label in ("commit", "cycle")
    )
    rig.agent.set_counters(commit, rig.control_toggle, rig.node_toggle, cycle, cycle, 100)
    change_leadership(rig.agent, recorded_counter_id=rig.recorded.counter_id)
    rig.recorded.set(96)
    rig.agent.do_work()
    rig.commit.do_work()
    assert commit.get() == 96
    commit.mark_closed()
    rig.recorded.set(128)
    rig.clock.advance(1_000)
    rig.agent.do_work()
    rig.commit.do_work()
    assert streams.counters.value(commit.counter_id) == 96
    assert cycle.get() == 0


def test_three_members_commit_a_majoritys_position(streams):
    rig = ModuleRig(streams, member_ids=(0, 1, 2))
    rig.recorded.set(96)
    rig.commit.do_work()
    assert rig.commit_position.get() == 0
    rig.agent.set_member(2, 64, 1000, TERM_ID)
    rig.commit.do_work()
    assert rig.commit_position.get() == 64
    rig.agent.set_member(1, 128, 1000, TERM_ID)
    rig.commit.do_work()
    assert rig.commit_position.get() == 96  # not past the leader's own recording
    rig.recorded.set(160)
    rig.clock.advance(10_000)  # the heartbeat timeout: the others are no longer active
    rig.commit.do_work()
    assert rig.commit_position.get() == 96


def test_python_is_notified_once_of_a_committed_position(rig):
    rig.agent.set_uncommitted_position(96)
    rig.recorded.set(64)
    rig.commit.do_work()
    assert rig.conductor.take_calls() == []
    rig.recorded.set(128)
    rig.commit.do_work()
    assert rig.conductor.take_calls() == [("on_committed", 128)]
    rig.recorded.set(256)
    rig.commit.do_work()
    assert rig.conductor.take_calls() == []
    # A position already committed when it is set.
    rig.conductor.then = lambda: rig.agent.set_uncommitted_position(512)
    rig.agent.set_uncommitted_position(200)
    rig.commit.do_work()
    rig.commit.do_work()
    assert rig.conductor.take_calls() == [("on_committed", 256)]


def test_members_and_counters_are_checked(rig, streams):
    for ids in ((1, 1), range(65)):
        with pytest.raises(ConfigurationError, match="members"):
            ModuleRig(streams, member_ids=ids)
    with pytest.raises(ConfigurationError, match="0 among them"):
        ModuleAgent(rig.conductor, rig.context, rig.sessions, rig.log, (), member_ids=(1, 2))
    with pytest.raises(IndexError):
        rig.agent.set_member(1, 0, 0, 0)
    with pytest.raises(ConfigurationError):
        change_leadership(rig.agent, recorded_counter_id=1 << 20)


def test_an_invoker_drives_both(rig, client):
    client.publication.offer(session_message(17, b"x"))
    rig.recorded.set(96)
    with AgentInvoker((rig.agent, rig.commit)) as invoker:
        assert invoker.invoke() == 2
        assert [agent.role_name for agent in invoker.agents] == [
            "consensus-module",
            "consensus-module-commit",
        ]
    assert rig.commit_position.get() == 96
    assert rig.agent.do_work() == 0  # closed: it polls nothing


@pytest.mark.parametrize("progress", [[(64, 0, TERM_ID)] * 2, [(64, 0)], [(64, 0, "?")], [None]])
def test_an_invalid_progress_changes_nothing(rig, progress):
    before = rig.agent.member(0)
    view = replace(rig.agent.leadership, role=FOLLOWER)
    with pytest.raises((ConfigurationError, TypeError, ValueError)):
        rig.agent.install_leadership(view, progress)
    assert rig.agent.leadership.role == LEADER
    assert rig.agent.member(0) == before


def test_the_recorded_position_needs_the_counters(rig):
    agent = ModuleAgent(
        rig.conductor, rig.context, rig.sessions, rig.log, rig.trackers, member_ids=(0,)
    )
    with pytest.raises(StateError, match="expected the counters to be set before"):
        change_leadership(agent, recorded_counter_id=rig.recorded.counter_id)


FOREIGN = CONNECT[:4] + b"\x70\x00" + CONNECT[6:]


def test_a_message_of_an_extension_reaches_the_conductor(streams):
    rig = ModuleRig(streams, accepts_extension_schemas=True)
    stream = streams.stream(7)
    rig.ingress(stream)
    for message in (FOREIGN, CONNECT):
        stream.publication.offer(message)
    rig.conductor.take_calls()
    rig.pass_all(2)
    calls = [call for call in rig.conductor.take_calls() if call[0] == "on_ingress"]
    assert [call[1] for call in calls] == [FOREIGN, CONNECT]
    assert rig.ignored() == {}


def test_a_message_of_an_extension_that_is_not_accepted_is_received_again(streams):
    rig = ModuleRig(streams, accepts_extension_schemas=True)
    stream = streams.stream(7)
    rig.ingress(stream)
    stream.publication.offer(FOREIGN)
    rig.conductor.takes_ingress = False
    rig.pass_all()
    rig.conductor.takes_ingress = True
    rig.pass_all(2)
    calls = [call for call in rig.conductor.take_calls() if call[0] == "on_ingress"]
    assert [call[1] for call in calls] == [FOREIGN, FOREIGN]
