"""One snapshot of a member: the services' parts, the module's part, then their log entries.

``ConsensusModuleAgent.takeSnapshot``. The set is valid once the module's entry is in the recording
log, which is written last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.archive.protocol.recording_pos import is_active
from aeron_cluster.archive.waiting import await_recording, send_request
from aeron_cluster.client.waiting import await_exclusive_publication
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.module_snapshot import (
    take_module_snapshot,
    term_length_for,
    write_snapshot,
)
from aeron_cluster.codecs.archive import SourceLocation, StartRecordingRequest2
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.module_snapshot import ModuleState
    from aeron_cluster.cluster.state.recording_log import RecordingLog

__all__ = ["take_snapshot_round"]


def take_snapshot_round(
    context: ConsensusModuleContext,
    aeron: Aeron,
    archive: AeronArchive,
    services: ServiceLink,
    recording_log: RecordingLog,
    counters: ModuleCounters,
    log_position: int,
    timestamp: int,
    capture: Callable[[int], ModuleState],
) -> Waiting[None]:
    """Take a snapshot at the current position of the log.

    Parameters
    ----------
    log_position : int
        The log position after the action that requests it.
    timestamp : int
        The cluster time of the entries without services; otherwise services send it.
    capture : callable
        Returns the module's part. Called once all services have reached the position, since
        messages that they sent before belong to it.

    Raises
    ------
    ClusterError
        A service failed to write its part, or a pending message does not fit the stream; there is
        no snapshot.
    """
    begin_ns = context.seams.clock.nano_time()
    acks = yield from services.await_acks(log_position)
    failed = [ack.service_id for ack in acks if ack.relevant_id == NULL_VALUE]
    if failed:
        raise ClusterError(f"failed to take snapshot at {log_position}: service(s) {failed} failed")
    state = capture(log_position)
    recording_id = yield from _record(context, aeron, archive, state)
    term = recording_log.get_term(state.leadership_term_id)
    if acks:
        timestamp = acks[-1].timestamp
    entries = [(ack.service_id, ack.relevant_id) for ack in reversed(acks)]
    for service_id, snapshot_recording_id in [*entries, (NULL_VALUE, recording_id)]:
        recording_log.append_snapshot(
            snapshot_recording_id,
            state.leadership_term_id,
            term.term_base_log_position,
            state.log_position,
            timestamp,
            service_id,
        )
    counters.snapshot_count.increment()
    duration_ns = context.seams.clock.nano_time() - begin_ns
    counters.max_snapshot_duration.propose_max(duration_ns)
    if duration_ns > context.options.total_snapshot_threshold_ns:
        counters.snapshot_duration_exceeded.increment()


def _record(
    context: ConsensusModuleContext, aeron: Aeron, archive: AeronArchive, state: ModuleState
) -> Waiting[int]:
    """Write the module's part into a separate recording, and return its id."""
    options = context.options
    longest = max((tracker.longest_message for tracker in state.trackers), default=0)
    publication = yield from _add_publication(
        aeron, ChannelUri.parse(options.snapshot_channel), options.snapshot_stream_id, longest
    )
    try:
        session_id = publication.session_id
        channel = ChannelUri.parse(options.snapshot_channel).with_params(session_id=session_id)
        yield from send_request(
            archive,
            StartRecordingRequest2,
            channel=str(channel),
            stream_id=options.snapshot_stream_id,
            source_location=SourceLocation.LOCAL,
            auto_stop=True,
        )
        counter_id, recording_id = yield from await_recording(archive, session_id)
        yield from take_module_snapshot(publication, state, context.error_handler)
        if context.extension is not None:
            messages = context.extension.on_take_snapshot()
            yield from write_snapshot(publication, messages, state.log_position)
        yield from _await_recorded(aeron, publication, counter_id, recording_id)
    finally:
        publication.close()
    return recording_id


def _add_publication(
    aeron: Aeron, channel: ChannelUri, stream_id: int, longest: int
) -> Waiting[ExclusivePublication]:
    """Add the snapshot's publication, with terms long enough for pending service messages.

    The log's terms may be longer than the driver's default, so a pending message that fits the log
    might not fit this stream and prevent the snapshot. A term length set in the channel is kept.
    """
    publication = yield from await_exclusive_publication(aeron, channel, stream_id)
    if longest <= publication.max_message_length or "term-length" in channel:
        return publication
    publication.close()
    longer = channel.with_params(**{"term-length": term_length_for(longest)})
    return (yield from await_exclusive_publication(aeron, longer, stream_id))


def _await_recorded(
    aeron: Aeron, publication: ExclusivePublication, counter_id: int, recording_id: int
) -> Waiting[None]:
    counters, position = aeron.counters_reader, publication.position
    while True:
        recorded = counters.value(counter_id)
        # Checked after reading the value: the counter may have been reused meanwhile.
        if not is_active(counters, counter_id, recording_id):
            raise ClusterError(f"recording has stopped unexpectedly: {recording_id} of a snapshot")
        if recorded >= position:
            return
        yield
