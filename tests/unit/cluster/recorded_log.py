"""A cluster's log in segment files, with an archive's catalog, for an offline host."""

from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    TimerEvent,
)
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.archive.recordings_rig import Recorded

TERM_ID = 3
TIME = 1_000_000


def term(log_position=96, term_id=TERM_ID):
    return NewLeadershipTermEvent.encode(
        leadership_term_id=term_id,
        log_position=log_position,
        timestamp=TIME,
        term_base_log_position=0,
        leader_member_id=0,
        log_session_id=1,
        time_unit=ClusterTimeUnit.MILLIS,
        app_version=1,
    )


def opened(session_id):
    return SessionOpenEvent.encode(
        leadership_term_id=TERM_ID,
        correlation_id=99,
        cluster_session_id=session_id,
        timestamp=TIME,
        response_stream_id=102,
        response_channel="aeron:udp?endpoint=localhost:1",
        encoded_principal=b"",
    )


def closed(session_id):
    return SessionCloseEvent.encode(
        leadership_term_id=TERM_ID,
        cluster_session_id=session_id,
        timestamp=TIME,
        close_reason=CloseReason.CLIENT_ACTION,
    )


def message(session_id, payload, timestamp=TIME):
    header = SessionMessageHeader.encode(
        leadership_term_id=TERM_ID, cluster_session_id=session_id, timestamp=timestamp
    )
    return header + payload


def timer(correlation_id):
    return TimerEvent.encode(
        leadership_term_id=TERM_ID, correlation_id=correlation_id, timestamp=TIME
    )


def snapshot_action():
    return ClusterActionRequest.encode(
        leadership_term_id=TERM_ID,
        log_position=0,
        timestamp=TIME,
        action=ClusterAction.SNAPSHOT,
        flags=0,
    )


class RecordedLog(Recorded):
    """Records log events, one message each."""

    @property
    def source(self):
        return OfflineSource.of_recording(SystemFiles(), str(self.path), 0)
