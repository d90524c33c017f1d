"""The ring of retained messages compared with a list."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import InsufficientSpaceError
from tests.unit.cluster.streams import Streams

BASE = -(2**63) | 3 << 56
HEADER = SessionMessageHeader.encode(leadership_term_id=0, cluster_session_id=3, timestamp=0)
MAX_CAPACITY = 128 * 1024
LONGEST = 8000
NOT_APPENDED = 2**63 - 1

steps = st.lists(
    st.one_of(
        st.tuples(st.just("enqueue"), st.sampled_from([0, 1, 7, 8, 100, 3000, LONGEST])),
        st.tuples(st.just("fill"), st.integers(1, 30)),
        st.tuples(st.just("poll"), st.integers(0, 25), st.integers(0, 20)),
        st.tuples(st.just("commit"), st.integers(0, 40)),
        st.tuples(st.just("follow"), st.integers(0, 12)),
        st.tuples(st.just("restore"), st.integers(0, 5)),
        st.tuples(st.just("reload")),
    ),
    max_size=40,
)


class Model:
    """Messages as a list of (id, payload, end position in the log)."""

    def __init__(self):
        self.kept = []
        self.next_id = BASE + 1
        self.log_id = BASE

    def enqueue(self, payload):
        if self.next_id > self.log_id:
            self.kept.append([self.next_id, payload, NOT_APPENDED])
        self.next_id += 1

    def commit(self, position):
        while self.kept and self.kept[0][2] <= position:
            self.log_id = self.kept.pop(0)[0]

    def follow(self, cluster_session_id):
        self.log_id = cluster_session_id
        self.kept = [entry for entry in self.kept if entry[0] > cluster_session_id]

    def restore(self, position):
        self.commit(position)
        for entry in self.kept:
            entry[2] = NOT_APPENDED

    @property
    def appended(self):
        return sum(entry[2] < NOT_APPENDED for entry in self.kept)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory):
    directory: Path = tmp_path_factory.mktemp("log")
    stream = Streams(directory).stream(session_id=42, stream_id=100)
    made = LogPublisher()
    made.connect(stream.publication)
    return made, stream


def poll(tracker, model, log, stream, limit, window):
    """Append with a window of frames, and read the positions from the retained messages."""
    before = log.position
    stream.limit.set(before + window * 4096)
    appended = tracker.poll(log, 7, limit)
    assert appended <= limit
    assert model.appended + appended <= len(model.kept)
    messages = tracker.state().messages
    last = before
    for index in range(model.appended, model.appended + appended):
        position = int.from_bytes(messages[index][24:32], "little")
        assert position > last
        last = model.kept[index][2] = position
    if appended < limit and model.appended < len(model.kept):
        assert log.position + 4096 + LONGEST >= stream.limit.get()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(script=steps)
def test_retains_the_same_as_a_list(log, script):
    log, stream = log
    tracker, model, count = PendingServiceMessages(3, max_capacity=MAX_CAPACITY), Model(), 0
    for name, *arguments in script:
        if name in ("enqueue", "fill"):
            repeats = arguments[0] if name == "fill" else 1
            length = 2500 if name == "fill" else arguments[0]
            for _ in range(repeats):
                count += 1
                payload = (b"%d:" % count).ljust(length, b"-")[: max(length, 0)]
                has_room = tracker.has_room(32 + len(payload)) or model.next_id <= model.log_id
                try:
                    tracker.enqueue(HEADER + payload)
                    assert has_room
                except InsufficientSpaceError:
                    used = sum(40 + (len(kept[1]) + 7) // 8 * 8 for kept in model.kept)
                    assert not has_room
                    # At most two paddings: at the ring's end now, and at its earlier end.
                    assert used + 3 * (LONGEST + 48) > MAX_CAPACITY
                    break
                model.enqueue(payload)
        elif name == "poll":
            poll(tracker, model, log, stream, *arguments)
        elif name == "commit":
            positions = [entry[2] for entry in model.kept if entry[2] < NOT_APPENDED]
            position = positions[min(arguments[0], len(positions) - 1)] if positions else 0
            tracker.sweep_leader(position)
            model.commit(position)
        elif name == "follow":
            cluster_session_id = model.log_id + arguments[0]
            tracker.sweep_follower(cluster_session_id)
            model.follow(cluster_session_id)
        elif name == "restore":
            positions = [entry[2] for entry in model.kept[: arguments[0]]]
            position = max((p for p in positions if p < NOT_APPENDED), default=0)
            tracker.restore_uncommitted(position)
            model.restore(position)
        elif model.kept or model.next_id == model.log_id + 1:
            state = tracker.state()
            tracker = PendingServiceMessages(3, max_capacity=MAX_CAPACITY)
            tracker.load(state)
            model.restore(-1)
        state = tracker.state()
        assert [
            [
                int.from_bytes(message[16:24], "little", signed=True),
                message[32:],
                int.from_bytes(message[24:32], "little"),
            ]
            for message in state.messages
        ] == model.kept
        assert len(tracker) == len(model.kept)
        assert tracker.appended_count == model.appended
        assert tracker.next_service_session_id == model.next_id
        assert tracker.log_service_session_id == model.log_id
