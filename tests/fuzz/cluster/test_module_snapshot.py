"""Any bytes as a snapshot: read or rejected with a typed error, without a crash."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.state.module_snapshot import (
    ModuleSnapshotReader,
    ModuleState,
    SessionRecord,
    TrackerState,
    encode_module_snapshot,
)
from aeron_cluster.codecs.cluster import ClusterTimeUnit, SessionMessageHeader
from aeron_cluster.errors import CorruptError

BASE = -(2**63)
PARTS = tuple(
    encode_module_snapshot(
        ModuleState(
            log_position=4096,
            leadership_term_id=1,
            app_version=1,
            time_unit=ClusterTimeUnit.MILLIS,
            next_session_id=5,
            sessions=(
                SessionRecord(
                    cluster_session_id=4,
                    correlation_id=1,
                    opened_log_position=64,
                    response_stream_id=102,
                    response_channel="aeron:ipc",
                ),
            ),
            timers=((1, 2),),
            trackers=(
                TrackerState(
                    service_id=0,
                    next_service_session_id=BASE + 3,
                    log_service_session_id=BASE + 1,
                    messages=(
                        SessionMessageHeader.encode(
                            leadership_term_id=1,
                            cluster_session_id=BASE + 2,
                            timestamp=2**63 - 1,
                        )
                        + b"payload",
                    ),
                ),
            ),
        )
    )
)


@st.composite
def damaged(draw):
    """Draw the snapshot with messages lost, moved, truncated, extended, or with a changed byte."""
    indexes = draw(st.lists(st.integers(0, len(PARTS) - 1), max_size=12))
    parts = [bytearray(PARTS[index]) for index in indexes] or [bytearray(p) for p in PARTS]
    for _ in range(draw(st.integers(0, 4))):
        part = parts[draw(st.integers(0, len(parts) - 1))]
        kind = draw(st.sampled_from(["change", "cut", "lengthen"]))
        if kind == "change" and part:
            part[draw(st.integers(0, len(part) - 1))] = draw(st.integers(0, 255))
        elif kind == "cut":
            del part[draw(st.integers(0, len(part))) :]
        else:
            part += draw(st.binary(max_size=20))
    return [bytes(part) for part in parts]


def read(parts):
    reader = ModuleSnapshotReader("any bytes", 1, ClusterTimeUnit.MILLIS)
    for index, part in enumerate(parts):
        if reader.on_message(part, index):
            break
    if not reader.is_done:
        return
    for tracker in reader.state.trackers:
        made = PendingServiceMessages(tracker.service_id)
        made.load(tracker)
        assert made.state().log_service_session_id == tracker.log_service_session_id


@given(st.lists(st.binary(max_size=100), max_size=5))
def test_any_bytes_are_rejected(parts):
    with contextlib.suppress(CorruptError):
        read(parts)


@given(damaged())
def test_a_damaged_snapshot_is_read_or_rejected(parts):
    with contextlib.suppress(CorruptError):
        read(parts)
