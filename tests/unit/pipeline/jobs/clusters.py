"""Clusters of members with logs and snapshots written entry by entry."""

from aeron_cluster.cluster.service.service_snapshot import snapshot_messages
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterSession,
    ClusterTimeUnit,
    SnapshotMark,
    SnapshotMarker,
    Timer,
)
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.pipeline.logs import CHANNEL, TIME, LogBuilder
from tests.unit.pipeline.recording_builder import RecordingBuilder


def long_log(**options):
    """Return a log of three terms over some segments, and its possible snapshot positions."""
    log = LogBuilder(**options)
    places = []
    for term in range(3):
        log.begin_term(term, leader=term)
        log.open(term + 1)
        for index in range(60):
            log.time += 1
            log.emit(term + 1, bytes([term, index]) * (index * 40 % 3000 + 1))
        log.timer(term)
        log.act()
        places.append((term, log.bases[-1][1], log.position))
        log.emit(term + 1, b"after the snapshot")
    return log, places


def service_messages(term, position, state=(b"state of", b"the service")):
    begin = snapshot_messages(
        (),
        log_position=position,
        leadership_term_id=term,
        time_unit=ClusterTimeUnit.MILLIS,
        app_version=1,
    )
    return [*begin, *state]


def module_messages(term, position, *, last_activity=0, session_ids=(1, 2)):
    def marker(mark):
        return SnapshotMarker.encode(
            type_id=1,
            log_position=position,
            leadership_term_id=term,
            index=0,
            mark=mark,
            time_unit=ClusterTimeUnit.MILLIS,
            app_version=1,
        )

    sessions = [
        ClusterSession.encode(
            cluster_session_id=session_id,
            correlation_id=7,
            opened_log_position=96,
            time_of_last_activity=last_activity,
            close_reason=CloseReason.NULL_VALUE,
            response_stream_id=102,
            response_channel=CHANNEL,
        )
        for session_id in session_ids
    ]
    timer = Timer.encode(correlation_id=5, deadline=99)
    return [marker(SnapshotMark.BEGIN), *sessions, timer, marker(SnapshotMark.END)]


def record_snapshot(archive, messages):
    """Add a recording of a snapshot to an archive; return its id."""
    written = RecordingBuilder(stream_id=107)
    for message in messages:
        written.message(message)
    return written.put(archive)


def put_snapshot(node, term, base, position, *, state=(b"state of", b"the service"), noted=None):
    """Add a snapshot of the service and of the module, recorded for a position."""
    noted = position if noted is None else noted
    service = record_snapshot(node / "archive", service_messages(term, position, state))
    module = record_snapshot(
        node / "archive", module_messages(term, noted, last_activity=len(node.name))
    )
    with RecordingLog(SystemFiles(), str(node / "cluster")) as log:
        log.append_snapshot(service, term, base, noted, TIME, 0)
        log.append_snapshot(module, term, base, noted, TIME, -1)
    return service


def write_cluster(path, count=3, *, snapshot_terms=(0, 2), **options):
    """Write members with equal content; return their directories, the log and the positions."""
    nodes = []
    log, places = long_log()
    for index in range(count):
        # Session ids differ between members.
        own, _ = long_log()
        own.session_id = 20 + index
        node = own.write_node(path / f"node{index}", is_shut_down=True, **options)
        for term in snapshot_terms:
            put_snapshot(node, *places[term])
        nodes.append(node)
    return nodes, log, places
