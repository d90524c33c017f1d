"""Any bytes in the hot half: they are dropped and counted, or raise with the position."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.log.log_adapter import LogAdapter
from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.codecs.cluster import (
    ScheduleTimer,
    ServiceAck,
    SessionCloseRequest,
    TimerEvent,
    decode,
)
from aeron_cluster.errors import CorruptError, MessageError
from tests.conftest import SHARED_MEMORY
from tests.fuzz.damaged_messages import any_messages
from tests.unit.cluster.module_rig import (
    EPOCH_MS,
    TERM_ID,
    ModuleRig,
    keep_alive,
    session_message,
)
from tests.unit.cluster.streams import TERM_LENGTH, Streams, messages

SESSION = 17
VALID = [
    session_message(SESSION, b"payload"),
    session_message(SESSION, bytes(3000)),
    session_message(0, b"of a service"),
    session_message(-(2**63) + 1, b"of a service"),
    keep_alive(SESSION),
    SessionCloseRequest.encode(leadership_term_id=TERM_ID, cluster_session_id=SESSION),
    TimerEvent.encode(leadership_term_id=TERM_ID, correlation_id=1, timestamp=2),
    ServiceAck.encode(log_position=0, timestamp=0, ack_id=0, relevant_id=0, service_id=0),
    ScheduleTimer.encode(correlation_id=1, deadline=2),
]


anything = any_messages(VALID)


@contextmanager
def new_streams() -> Iterator[Streams]:
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-test-", dir=SHARED_MEMORY) as directory:
        yield Streams(Path(directory))


def is_of_session(message: bytes, template_id: int, shortest: int) -> bool:
    """Return whether it is a valid message of the session and term: a second form of the rules."""
    if len(message) < 8:
        return False
    block_length, found, schema_id = (
        int.from_bytes(message[at : at + 2], "little") for at in (0, 2, 4)
    )
    return (
        (found, schema_id) == (template_id, 111)
        and shortest <= block_length <= len(message) - 8
        and message[8:16] == TERM_ID.to_bytes(8, "little")
        and message[16:24] == SESSION.to_bytes(8, "little")
    )


@given(anything)
def test_clients_may_send_anything(sent):
    with new_streams() as streams:
        rig = ModuleRig(streams)
        client = streams.stream(7)
        rig.ingress(client)
        rig.open_session(SESSION)
        rig.conductor.then = lambda: decode(rig.conductor.calls[-1][1])
        for message in sent:
            assert client.publication.offer(message)
        rig.pass_all(2)
        logged = [
            session_message(
                SESSION, message[8 + int.from_bytes(message[:2], "little") :], timestamp=EPOCH_MS
            )
            for message in sent
            if is_of_session(message, 1, 24)
        ]
        assert rig.logged() == logged
        # Nothing is dropped without a count.
        observed = sum(is_of_session(message, 5, 16) for message in sent)
        handed = malformed = 0
        for _, message, *_ in rig.conductor.take_calls():
            handed += 1
            try:
                decode(message)
            except MessageError:
                malformed += 1
        ignored = sum(rig.ignored().values())
        assert len(logged) + observed + handed - malformed + ignored == len(sent)
        assert len(rig.errors) == len(rig.ignored())


@given(anything)
def test_services_may_send_anything(sent):
    with new_streams() as streams:
        rig = ModuleRig(streams, services=2)
        service = streams.stream(9, 105)
        rig.agent.set_control(streams.subscription(service.image()))
        rig.conductor.then = lambda: decode(rig.conductor.calls[-1][1])
        for message in sent:
            assert service.publication.offer(message)
        rig.pass_all(20)
        kept = sum(len(each) for each in rig.trackers)
        assert len(rig.logged()) + kept <= len(sent)
        assert all(message[:2] == b"\x18\x00" for message in rig.logged())


@given(anything)
def test_a_log_may_hold_anything(sent):
    with new_streams() as streams:
        rig = ModuleRig(streams)
        seen = []
        adapter = LogAdapter(
            lambda message, position: seen.append((decode(message), position)),
            rig.sessions,
            rig.trackers,
        )
        log = streams.stream(42, 100)
        adapter.set_image(log.image())
        for message in sent:
            assert log.publication.offer(message)
        for _ in range(40):
            with suppress(CorruptError, MessageError):
                adapter.poll(1 << 40, 50)
        assert adapter.position == log.publication.position
        assert all(position <= adapter.position for _, position in seen)


lengths = st.lists(
    st.one_of(st.integers(0, 200), st.integers(1300, 1500), st.integers(0, 8_000)), max_size=40
)


@given(st.integers(0, TERM_LENGTH // 32 - 1), lengths)
def test_log_positions_match_those_of_a_reader(begin, lengths):
    with new_streams() as streams:
        stream = streams.stream(42, 100, position=begin * 32)
        image = stream.image()
        log = LogPublisher()
        log.connect(stream.publication)
        appended = []
        for index, length in enumerate(lengths):
            if log.position + 10_000 > begin * 32 + 2 * TERM_LENGTH:
                break
            if index % 5 == 4:
                position = log.append_cluster_action(index, 0)
            elif index % 5 == 3:
                position = log.append_session_open(index, 1, 1, 1, "aeron:ipc", bytes(length))
            else:
                position = log.append_session_message(index, 1, bytes(length))
            assert position == log.position
            appended.append(position)
        found = messages(image)
        assert [position for _, position in found] == appended
        for index, (message, position) in enumerate(found):
            if index % 5 == 4:
                assert decode(message).log_position == position


step = st.one_of(
    st.tuples(st.just("send"), st.integers(0, 2), st.sampled_from([0, 32, 1344, 1345, 3000, 8000])),
    st.tuples(st.just("pass"), st.just(0), st.just(0)),
    st.tuples(st.just("window"), st.sampled_from([-32, 0, 1, 96, 4096]), st.just(0)),
    st.tuples(st.just("state"), st.sampled_from([1, 2]), st.just(0)),
)


@given(st.lists(step, max_size=60), st.integers(1, 7))
def test_each_clients_messages_are_logged_once_and_in_order(steps, ingress_limit):
    with new_streams() as streams:
        rig = ModuleRig(streams, ingress_limit=ingress_limit)
        clients = [streams.stream(7 + index) for index in range(3)]
        rig.ingress(*clients)
        sent = [[], [], []]
        for index in range(3):
            rig.open_session(index)
        for kind, value, length in steps:
            if kind == "send":
                payload = len(sent[value]).to_bytes(4, "little") + bytes(length)
                total = sum(client.publication.position for client in clients)
                if total + length + 2000 < TERM_LENGTH:  # so that the log needs no cleaning
                    assert clients[value].publication.offer(session_message(value, payload))
                    sent[value].append(payload)
            elif kind == "window":
                rig.log_stream.limit.set(rig.log.position + value)
            elif kind == "state":
                rig.agent.set_state(value)
            else:
                rig.pass_all()
        rig.log_stream.limit.set(1 << 60)
        rig.agent.set_state(1)
        for _ in range(1000):
            if rig.pass_all() == 0:
                break
        logged = [[], [], []]
        for message in rig.logged():
            logged[int.from_bytes(message[16:24], "little")].append(message[32:])
        assert logged == sent
        assert rig.commit_position.get() == rig.log.position
        assert rig.ignored() == {}
