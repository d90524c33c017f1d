"""A log of a cluster in segment files, with an archive's catalog: what an offline host reads."""

from aeron_cluster.archive.catalog import Catalog
from aeron_cluster.cluster.offline_source import OfflineSource
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
from aeron_cluster.memory.seams import SystemFiles
from tests.unit.archive.recordings_rig import SEGMENT_LENGTH, TERM_LENGTH, Rig

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


class RecordedLog:
    """Records messages as a log.

    Parameters
    ----------
    path
        A fresh directory, of the archive.
    messages
        Each is an event of the log.
    start
        Where the recording begins.

    Attributes
    ----------
    positions
        Behind each message.
    """

    def __init__(self, path, messages, start=0, *, is_stopped=True):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        with Catalog(SystemFiles(), str(path), capacity=4096) as catalog:
            catalog.add(
                start_position=start,
                start_timestamp=1,
                initial_term_id=0,
                segment_file_length=SEGMENT_LENGTH,
                term_buffer_length=TERM_LENGTH,
                mtu_length=1408,
                session_id=1,
                stream_id=1,
                stripped_channel="aeron:ipc",
                original_channel="aeron:ipc",
                source_identity="aeron:ipc",
            )
            rig = Rig(path)
            log = rig.log(position=start)
            rig.record(log, position=start)
            self.positions = []
            for each in messages:
                while (position := log.offer(each)) < 0:
                    pass
                self.positions.append(position)
                rig.drain()
            rig.recorder.on_close()
            if is_stopped:
                catalog.stop(0, log.producer_position, 99)

    @property
    def source(self):
        return OfflineSource.of_recording(SystemFiles(), str(self.path), 0)
