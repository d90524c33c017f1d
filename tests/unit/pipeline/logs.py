"""Logs of a cluster, written entry by entry, with their recording logs."""

from aeron_cluster.cluster.state.recording_log import RecordingLog
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
from tests.unit.pipeline.recording_builder import RecordingBuilder

TIME = 1_700_000_000_123
CHANNEL = "aeron:udp?endpoint=localhost:24325"


class LogBuilder(RecordingBuilder):
    """A log: each method writes an entry and returns its start position."""

    def __init__(self, start=0, *, unit=ClusterTimeUnit.MILLIS, **options):
        super().__init__(start, **options)
        self.unit = unit
        self.term = 0
        self.time = TIME
        self.bases = []

    def entry(self, data):
        self.message(data)
        return next(f.position for f in reversed(self.frames) if f.flags & 0x80)

    def begin_term(self, term, leader=1):
        self.term = term
        base = self.position
        self.bases.append((term, base))
        return self.entry(
            NewLeadershipTermEvent.encode(
                leadership_term_id=term,
                log_position=base + 96,
                timestamp=self.time,
                term_base_log_position=base,
                leader_member_id=leader,
                log_session_id=self.session_id,
                time_unit=self.unit,
                app_version=3,
            )
        )

    def emit(self, session_id, payload):
        header = SessionMessageHeader.encode(
            leadership_term_id=self.term, cluster_session_id=session_id, timestamp=self.time
        )
        return self.entry(header + payload)

    def open(self, session_id, principal=b"", channel=CHANNEL):
        return self.entry(
            SessionOpenEvent.encode(
                leadership_term_id=self.term,
                correlation_id=session_id + 1000,
                cluster_session_id=session_id,
                timestamp=self.time,
                response_stream_id=102,
                response_channel=channel,
                encoded_principal=principal,
            )
        )

    def close(self, session_id, reason=CloseReason.TIMEOUT):
        return self.entry(
            SessionCloseEvent.encode(
                leadership_term_id=self.term,
                cluster_session_id=session_id,
                timestamp=self.time,
                close_reason=reason,
            )
        )

    def timer(self, correlation_id):
        return self.entry(
            TimerEvent.encode(
                leadership_term_id=self.term, correlation_id=correlation_id, timestamp=self.time
            )
        )

    def act(self, action=ClusterAction.SNAPSHOT):
        return self.entry(
            ClusterActionRequest.encode(
                leadership_term_id=self.term,
                log_position=self.position + 96,
                timestamp=self.time,
                action=action,
                flags=0,
            )
        )

    def write_node(self, path, *, snapshots=(), is_shut_down=False, is_stopped=True):
        """Write a node's directory with the log's terms and with snapshots at positions."""
        recording_id = self.put(path / "archive", is_stopped=is_stopped)
        (path / "cluster").mkdir()
        with RecordingLog(SystemFiles(), str(path / "cluster")) as log:
            for term, base in self.bases:
                log.append_term(recording_id, term, base, TIME)
            for position in snapshots:
                log.append_snapshot(99, self.term, 0, position, TIME, -1)
            if is_shut_down:
                log.commit_log_position(self.term, self.position)
        return path


def log_of_every_kind():
    """Return a log with an entry of every kind in two terms."""
    log = LogBuilder()
    log.begin_term(0)
    log.open(1, b"trader")
    log.emit(1, b"buy")
    log.time += 1000
    log.emit(1, bytes(range(250)) * 20)  # in fragments
    log.timer(-77)
    log.emit(-5, b"from a service")
    log.act()
    log.begin_term(1, leader=2)
    log.open(2, b"p" * 4000, CHANNEL + "|alias=" + "x" * 300)
    log.emit(2, b"")
    log.close(1)
    log.entry(b"not an SBE message")
    log.time += 1000
    log.emit(2, b"sell")
    return log
