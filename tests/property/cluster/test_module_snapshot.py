"""A module's state is restored from its snapshot."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.state.module_snapshot import (
    ModuleState,
    SessionRecord,
    TrackerState,
    load_module_snapshot,
    take_module_snapshot,
)
from aeron_cluster.codecs.cluster import CloseReason, ClusterTimeUnit, SessionMessageHeader
from aeron_cluster.memory.agents.waiting import Task
from tests.unit.cluster.streams import Streams

INT32 = st.integers(-(2**31) + 1, 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
POSITIONS = st.integers(0, 2**62)
NOT_APPENDED = 2**63 - 1


@st.composite
def trackers(draw, service_id):
    base = -(2**63) | service_id << 56
    log_id = base + draw(st.integers(0, 2**40))
    payloads = draw(st.lists(st.binary(max_size=200), max_size=5))
    messages = [
        SessionMessageHeader.encode(
            leadership_term_id=draw(INT64),
            cluster_session_id=log_id + 1 + index,
            timestamp=NOT_APPENDED,
        )
        + payload
        for index, payload in enumerate(payloads)
    ]
    return TrackerState(
        service_id=service_id,
        next_service_session_id=log_id + len(messages) + 1,
        log_service_session_id=log_id,
        messages=tuple(messages),
    )


@st.composite
def sessions(draw, cluster_session_id):
    return SessionRecord(
        cluster_session_id=cluster_session_id,
        correlation_id=draw(INT64),
        opened_log_position=draw(POSITIONS),
        response_stream_id=draw(INT32),
        response_channel=draw(st.text(st.characters(codec="ascii"), max_size=2000)),
        close_reason=draw(st.sampled_from(CloseReason)),
    )


@st.composite
def states(draw):
    ids = sorted(draw(st.sets(st.integers(1, 2**40), max_size=8)))
    return ModuleState(
        log_position=draw(POSITIONS),
        leadership_term_id=draw(POSITIONS),
        app_version=draw(st.integers(0, 2**24 - 1)),
        time_unit=draw(
            st.sampled_from([ClusterTimeUnit.MILLIS, ClusterTimeUnit.MICROS, ClusterTimeUnit.NANOS])
        ),
        next_session_id=max(ids, default=0) + draw(st.integers(1, 10)),
        sessions=tuple(draw(sessions(each)) for each in ids),
        timers=tuple(draw(st.lists(st.tuples(INT64, INT64), max_size=40))),
        trackers=tuple(draw(trackers(each)) for each in range(draw(st.integers(0, 4)))),
    )


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("snapshots")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(taken=states(), windows=st.lists(st.integers(32, 4096), max_size=5))
def test_loading_a_snapshot_is_the_identity(directory, taken, windows):
    stream = Streams(directory).stream(session_id=11, stream_id=107, term_length=262144)
    image = stream.image()
    taking = Task(take_module_snapshot(stream.publication, taken))
    loading = Task(load_module_snapshot(image, taken.app_version, taken.time_unit))
    for window in windows:
        stream.limit.set(stream.publication.position + window)
        taking.do_work()
        loading.do_work()
    stream.limit.set(1 << 40)
    for _ in range(100):
        taking.do_work()
        loading.do_work()
    loaded = loading.result
    assert loaded == taken
    for tracker in loaded.trackers:
        made = PendingServiceMessages(tracker.service_id)
        made.load(tracker)
        assert made.state() == tracker
