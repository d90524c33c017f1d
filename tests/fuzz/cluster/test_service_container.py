"""Any bytes in the log, from the module and in a snapshot: handled or rejected without a crash."""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.codecs.cluster import (
    BooleanType,
    CloseReason,
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    JoinLog,
    NewLeadershipTermEvent,
    RequestServiceAck,
    ServiceTerminationPosition,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    SnapshotMark,
    SnapshotMarker,
    TimerEvent,
)
from aeron_cluster.codecs.cluster import ClientSession as SessionRecord
from aeron_cluster.errors import AeronClusterError
from tests.conftest import SHARED_MEMORY
from tests.unit.cluster.service.container_rig import TERM_ID, TIME, Calls, ContainerRig

LOG = (
    SessionMessageHeader.encode(leadership_term_id=TERM_ID, cluster_session_id=1, timestamp=TIME)
    + b"payload",
    TimerEvent.encode(leadership_term_id=TERM_ID, correlation_id=4, timestamp=TIME),
    SessionOpenEvent.encode(
        leadership_term_id=TERM_ID,
        correlation_id=9,
        cluster_session_id=1,
        timestamp=TIME,
        response_stream_id=102,
        response_channel="aeron:ipc?term-length=64k",
        encoded_principal=b"me",
    ),
    SessionCloseEvent.encode(
        leadership_term_id=TERM_ID,
        cluster_session_id=1,
        timestamp=TIME,
        close_reason=CloseReason.TIMEOUT,
    ),
    ClusterActionRequest.encode(
        leadership_term_id=TERM_ID,
        log_position=4096,
        timestamp=TIME,
        action=ClusterAction.SUSPEND,
        flags=0,
    ),
    NewLeadershipTermEvent.encode(
        leadership_term_id=TERM_ID,
        log_position=96,
        timestamp=TIME,
        term_base_log_position=0,
        leader_member_id=5,
        log_session_id=7,
        time_unit=ClusterTimeUnit.MILLIS,
        app_version=1,
    ),
)
CONTROL = (
    JoinLog.encode(
        log_position=0,
        max_log_position=2**63 - 1,
        member_id=5,
        log_session_id=7,
        log_stream_id=100,
        is_startup=BooleanType.FALSE,
        role=0,
        is_standby=BooleanType.FALSE,
        log_channel="aeron:ipc",
    ),
    ServiceTerminationPosition.encode(log_position=1 << 40),
    RequestServiceAck.encode(log_position=0),
)
SNAPSHOT = (
    *(
        SnapshotMarker.encode(
            type_id=2,
            log_position=0,
            leadership_term_id=TERM_ID,
            index=0,
            mark=mark,
            time_unit=ClusterTimeUnit.MILLIS,
            app_version=1,
        )
        for mark in (SnapshotMark.BEGIN, SnapshotMark.END)
    ),
    SessionRecord.encode(
        cluster_session_id=3,
        response_stream_id=102,
        response_channel="aeron:ipc",
        encoded_principal=b"me",
    ),
)
# What a container may report of invalid messages.
REPORTED = (AeronClusterError, ValueError, OSError)
ROUGH = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def damaged(draw, messages):
    """Draw messages in any order, truncated, extended, with changed bytes, or random bytes."""
    parts = []
    for index in draw(st.lists(st.integers(0, len(messages)), min_size=1, max_size=12)):
        if index == len(messages):
            parts.append(draw(st.binary(max_size=60)))
            continue
        part = bytearray(messages[index])
        for _ in range(draw(st.integers(0, 3))):
            match draw(st.sampled_from(["change", "change", "change", "cut", "lengthen"])):
                case "change" if part:
                    part[draw(st.integers(0, len(part) - 1))] = draw(st.integers(0, 255))
                case "cut":
                    del part[draw(st.integers(0, len(part))) :]
                case _:
                    part += draw(st.binary(max_size=20))
        parts.append(bytes(part))
    return parts


@contextmanager
def running_rig():
    directory = Path(tempfile.mkdtemp(prefix="aeron-cluster-test-", dir=SHARED_MEMORY))
    rig = ContainerRig(directory)
    try:
        yield rig
        for error in rig.errors:
            assert isinstance(error, REPORTED), repr(error)
    finally:
        rig.close()
        shutil.rmtree(directory, ignore_errors=True)


@ROUGH
@given(messages=damaged(LOG))
def test_any_bytes_in_the_log_are_handled_or_reported(messages):
    with running_rig() as rig:
        service = Calls()
        rig.lead(service)
        for message in messages:
            rig.append(message)
        rig.message(-77, b"after")
        rig.commit_position.set(rig.position)
        rig.until(
            lambda: (
                rig.container.is_terminated
                or [None, TIME, b"after"] in service.named("on_session_message")
            )
        )


@ROUGH
@given(messages=damaged(CONTROL))
def test_any_bytes_from_the_module_are_handled_or_reported(messages):
    with running_rig() as rig:
        rig.lead(Calls())
        for message in messages:
            rig.until(lambda message=message: rig.to_services.offer(message))
        rig.rest(30)
        assert not rig.container.is_closed


@ROUGH
@given(messages=damaged(SNAPSHOT))
def test_any_bytes_in_a_snapshot_are_loaded_or_rejected(messages):
    with running_rig() as rig:
        service = Calls()
        recording_id = rig.record(messages)
        rig.recover(recording_id, position=0, term_id=TERM_ID)
        container = rig.launch(service)
        relevant_id = rig.ack()[2]
        rig.until(lambda: service.calls or container.is_terminated)
        assert (relevant_id == -1) == container.is_terminated
