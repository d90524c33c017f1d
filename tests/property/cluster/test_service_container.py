"""A container and a log with any content, committed step by step, compared with a model."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.codecs.cluster import CloseReason
from tests.conftest import SHARED_MEMORY
from tests.unit.cluster.service.container_rig import FOLLOWER, LEADER, TIME, Calls, ContainerRig

MTU, DATA_HEADER, SESSION_HEADER = 1408, 32, 32
SESSION_IDS = st.integers(1, 6)
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), SESSION_IDS),
        st.tuples(st.just("close"), SESSION_IDS, st.sampled_from(CloseReason)),
        st.tuples(st.just("message"), st.integers(-2, 7), st.integers(0, 4000)),
        st.tuples(st.just("timer"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(st.just("commit")),
        st.tuples(st.just("commit half")),
    ),
    max_size=40,
)


class Model:
    """The events of a log that a service receives."""

    def __init__(self):
        self.open = set()
        self.calls = []
        self.reports = 0

    def read(self, event, time):
        match event:
            case ("open", session_id):
                if session_id in self.open:
                    self.reports += 1
                else:
                    self.open.add(session_id)
                    self.calls.append(("on_session_open", session_id, TIME))
            case ("close", session_id, reason):
                if session_id in self.open:
                    self.open.remove(session_id)
                    self.calls.append(("on_session_close", session_id, TIME, reason))
                else:
                    self.reports += 1
            case ("message", session_id, length):
                known = session_id if session_id in self.open else None
                self.calls.append(("on_session_message", known, time, _payload(time, length)))
            case ("timer", correlation_id):
                self.calls.append(("on_timer_event", correlation_id, time))


def _payload(time, length):
    return (time.to_bytes(8, "little") * (length // 8 + 1))[:length]


def _frame_ends(position, event):
    """Return the ends of an event's frames; the event ends at a position."""
    length = event[2] + SESSION_HEADER if event[0] == "message" else 0
    full, rest = divmod(length, MTU - DATA_HEADER)
    if length <= MTU - DATA_HEADER:
        return [position]
    begin = position - full * MTU - (-(-(rest + DATA_HEADER) // 32) * 32 if rest else 0)
    ends = [begin + MTU * count for count in range(1, full + 1)]
    return [*ends, position] if rest else ends


def _plain(call):
    name, *values = call
    return (name, *(getattr(value, "id", value) for value in values))


def append(rig, event, time):
    match event:
        case ("open", session_id):
            rig.open(session_id)
        case ("close", session_id, reason):
            rig.close_session(session_id, reason)
        case ("message", session_id, length):
            rig.message(session_id, _payload(time, length), timestamp=time)
        case ("timer", correlation_id):
            rig.timer(correlation_id, time)


@pytest.mark.parametrize("role", [FOLLOWER, LEADER])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=EVENTS)
def test_service_receives_committed_messages_in_order(role, events):
    directory = Path(tempfile.mkdtemp(prefix="aeron-cluster-test-", dir=SHARED_MEMORY))
    rig = ContainerRig(directory)
    try:
        service, model = Calls(), Model()
        cluster = rig.start(service)
        rig.join(role)
        rig.term()
        rig.commit()
        rig.until(lambda: role == FOLLOWER or service.named("on_role_change"))
        service.calls.clear()
        committed = rig.position
        behind = []
        for number, event in enumerate([*events, ("commit",)]):
            time = TIME + number
            if event[0] not in ("commit", "commit half"):
                append(rig, event, time)
                behind.append((rig.position, event, time))
                continue
            if event[0] == "commit half":
                # The first fragments of a message may be committed alone.
                ends = [end for position, read, _ in behind for end in _frame_ends(position, read)]
                committed = ends[len(ends) // 2] if ends else committed
            else:
                committed = rig.position
            while behind and behind[0][0] <= committed:
                _, read, at = behind.pop(0)
                model.read(read, at)
            rig.commit_position.set(committed)
            rig.until(
                lambda: len(service.calls) >= len(model.calls) and len(rig.errors) >= model.reports
            )
            rig.rest(3)
            assert [_plain(call) for call in service.calls] == model.calls
            assert [session.id for session in cluster.client_sessions] == sorted(model.open)
            assert len(rig.errors) == model.reports
    finally:
        rig.close()
        shutil.rmtree(directory, ignore_errors=True)
