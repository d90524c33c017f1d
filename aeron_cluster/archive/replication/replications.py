"""Replications, from the request to their sessions.

``io.aeron.archive.ArchiveConductor.replicate`` and ``stopReplication``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from aeron_cluster.archive.protocol.channels import is_response_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.replication.replication_session import (
    ReplicationSession,
    RequestedReplication,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import ConfigurationError, OperationError
from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.recording.recordings import Recordings
    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.client.aeron import Aeron

__all__ = ["Replications"]


class Replications:
    """All replications.

    Parameters
    ----------
    context : ArchiveContext
    aeron : Aeron
        The archive's own client.
    catalog : Catalog
    recordings : Recordings
        The recordings of the copies.
    next_id : Callable[[], int]
        Supplies ids that neither a replication nor a control session has.
    """

    def __init__(
        self,
        context: ArchiveContext,
        aeron: Aeron,
        catalog: Catalog,
        recordings: Recordings,
        next_id: Callable[[], int],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._catalog = catalog
        self._recordings = recordings
        self._next_id = next_id
        self._sessions: dict[int, ReplicationSession] = {}

    # ---- requests ----

    def start(self, request: RequestedReplication) -> int:
        """Check a request and begin; return the replication's id.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        if not request.replication_channel:
            request = replace(
                request, replication_channel=self._context.options.replication_channel
            )
        _check_channels(request)
        self._check_destination(request.dst_recording_id)
        replication_id = self._next_id()
        try:
            source = self._context.source_context(
                self._aeron,
                control_channel=request.src_control_channel,
                control_stream_id=request.src_control_stream_id,
                response_channel=request.src_response_channel,
                encoded_credentials=request.encoded_credentials,
                replication_id=replication_id,
            )
        except ConfigurationError as error:
            raise OperationError(str(error), ArchiveErrorCode.GENERIC) from error
        self._sessions[replication_id] = ReplicationSession(
            request,
            replication_id,
            self._aeron,
            source,
            self._catalog,
            self._recordings,
            self._context.error_handler,
            self._context.events,
        )
        return replication_id

    def _check_destination(self, recording_id: int) -> None:
        if recording_id == NULL_VALUE:
            return
        if recording_id not in self._catalog:
            raise OperationError(
                f"unknown destination recording id {recording_id}",
                ArchiveErrorCode.UNKNOWN_RECORDING,
            )
        stop_position = self._catalog.get(recording_id).descriptor.stop_position
        if stop_position == NULL_VALUE or recording_id in self._recordings.active:
            raise OperationError(
                f"cannot replicate to active recording {recording_id}",
                ArchiveErrorCode.ACTIVE_RECORDING,
            )

    def stop(self, replication_id: int) -> None:
        """Stop a replication.

        Raises
        ------
        OperationError
            With code 12 if it does not exist.
        """
        session = self._sessions.get(replication_id)
        if session is None or session.is_done:
            raise OperationError(
                f"unknown replication id {replication_id}", ArchiveErrorCode.UNKNOWN_REPLICATION
            )
        session.stop()

    # ---- the passes ----

    def do_work(self, now_ns: int) -> int:
        """Advance each that is due, the newest first; return the work count."""
        work_count = 0
        for session in reversed(tuple(self._sessions.values())):
            if not session.is_done and now_ns >= session.next_ns:
                work_count += session.do_work(now_ns)
            if session.is_done:
                del self._sessions[session.replication_id]
                session.close()
                work_count += 1
        return work_count

    def next_deadline_ns(self) -> int:
        """Return when the next session is due."""
        return min((session.next_ns for session in self._sessions.values()), default=NEVER)

    def close(self) -> None:
        """End all replications."""
        for session in tuple(self._sessions.values()):
            session.close()
        self._sessions.clear()


def _check_channels(request: RequestedReplication) -> None:
    try:
        channel = ChannelUri.parse(request.replication_channel).validate()
        ChannelUri.parse(request.src_control_channel).validate()
        for text in (request.live_destination, request.src_response_channel):
            if text:
                ChannelUri.parse(text).validate()
    except ConfigurationError as error:
        raise OperationError(str(error), ArchiveErrorCode.GENERIC) from error
    problem = ""
    if is_response_channel(channel) and request.live_destination:
        problem = "response channels can't be used with live destinations"
    elif is_response_channel(channel) and request.is_tagged:
        problem = "response channels can't be used with tagged replication"
    elif not channel.is_udp:
        problem = f"replicationChannel={channel}: expected aeron:udp"
    elif (request.live_destination or request.is_tagged) and "endpoint" not in channel:
        problem = f"replicationChannel={channel}: expected an endpoint"
    if problem:
        raise OperationError(problem, ArchiveErrorCode.GENERIC)
