"""A service's snapshot: its sessions, then the service's own messages.

``io.aeron.cluster.service.ServiceSnapshotTaker`` and ``ServiceSnapshotLoader``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.protocol.recording_pos import is_active
from aeron_cluster.archive.waiting import (
    await_recording,
    begin_replay,
    connect_archive,
    send_request,
)
from aeron_cluster.client.waiting import await_exclusive_publication, await_subscription
from aeron_cluster.cluster.members.time_unit import time_unit_of
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.archive import (
    SourceLocation,
    StartRecordingRequest2,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import ClusterTimeUnit, SnapshotMark, SnapshotMarker
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import StateError
from aeron_cluster.logbuffer.fragment_assembler import ControlledFragmentAssembler
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from aeron_cluster.archive.client.client_context import ArchiveClientContext
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["SnapshotLoader", "load_snapshot", "snapshot_messages", "take_snapshot"]

TYPE_ID: Final = 2
"""The type id of a service's snapshot, in its markers."""

_FRAGMENT_LIMIT: Final = 10


def snapshot_messages(
    sessions: Iterable[ClientSession],
    *,
    log_position: int,
    leadership_term_id: int,
    time_unit: ClusterTimeUnit,
    app_version: int,
) -> Iterable[bytes]:
    """Yield the container's part of a snapshot: a marker, the sessions by id, a marker."""

    def marker(mark: SnapshotMark) -> bytes:
        return SnapshotMarker.encode(
            type_id=TYPE_ID,
            log_position=log_position,
            leadership_term_id=leadership_term_id,
            index=0,
            mark=mark,
            time_unit=time_unit,
            app_version=app_version,
        )

    yield marker(SnapshotMark.BEGIN)
    for session in sessions:
        yield codecs.ClientSession.encode(
            cluster_session_id=session.id,
            response_stream_id=session.response_stream_id,
            response_channel=session.response_channel,
            encoded_principal=session.encoded_principal,
        )
    yield marker(SnapshotMark.END)


def take_snapshot(
    archive_context: ArchiveClientContext,
    aeron: Aeron,
    channel: str,
    stream_id: int,
    messages: Iterable[bytes],
    write_state: Callable[[ExclusivePublication, Callable[[], None]], object],
) -> Waiting[int]:
    """Record a snapshot.

    Parameters
    ----------
    archive_context : ArchiveClientContext
    aeron : Aeron
    channel, stream_id
        The channel and stream published to the archive.
    messages : iterable of bytes
        The container's part of the snapshot.
    write_state : callable
        Writes the service's part before it returns. Called with the publication, and a function to
        call while waiting, which raises once the recording has ended.

    Returns
    -------
    int
        The recording's id.

    Raises
    ------
    ArchiveError, TimeoutExpiredError, ClosedError
        The archive rejected the request, or was closed.
    StateError
        The recording ended before everything was recorded.
    """
    archive = yield from connect_archive(archive_context, aeron)
    try:
        publication = yield from await_exclusive_publication(aeron, channel, stream_id)
        try:
            session_id = publication.session_id
            yield from send_request(
                archive,
                StartRecordingRequest2,
                channel=str(ChannelUri.parse(channel).with_params(session_id=session_id)),
                stream_id=stream_id,
                source_location=SourceLocation.LOCAL,
                auto_stop=True,
            )
            counters = aeron.counters_reader
            counter_id, recording_id = yield from await_recording(archive, session_id)

            def check_recording() -> None:
                archive.poll()
                if not is_active(counters, counter_id, recording_id):
                    raise StateError(
                        f"recording stopped unexpectedly: {recording_id}, expected it to continue"
                        f" to position {publication.position}"
                    )

            for message in messages:
                while not publication.offer(message):
                    check_recording()
                    yield
            write_state(publication, check_recording)
            while True:
                recorded = counters.value(counter_id)
                # Checked after reading the value: the counter may have been reused meanwhile.
                check_recording()
                if recorded >= publication.position:
                    break
                yield
            return recording_id
        finally:
            publication.close()
    finally:
        archive.close()


class SnapshotLoader:
    """Reads the container's part of a snapshot; the service's part follows.

    Parameters
    ----------
    on_session : callable
        Called with each session.

    Attributes
    ----------
    app_version : int
    time_unit : ClusterTimeUnit
        The values of the snapshot's begin marker, once read.
    is_done : bool
        Whether the container's part was read.
    """

    def __init__(self, on_session: Callable[[codecs.ClientSession], object]) -> None:
        self.app_version = 0
        self.time_unit = ClusterTimeUnit.MILLIS
        self.is_done = False
        self._is_begun = False
        self._on_session = on_session
        self._assembler = ControlledFragmentAssembler(self._on_message)

    def poll(self, image: Image) -> int:
        """Read the next few messages; return the number of fragments."""
        return image.controlled_poll(self._assembler, _FRAGMENT_LIMIT)

    def _on_message(self, message: MessageView, _: Header) -> Action:
        data = bytes(message)
        match codecs.SCHEMA.template_id_of(data):
            case SnapshotMarker.template_id:
                return self._on_marker(SnapshotMarker.decode(data))
            case codecs.ClientSession.template_id:
                self._on_session(codecs.ClientSession.decode(data))
            case _:
                pass
        return Action.CONTINUE

    def _on_marker(self, marker: SnapshotMarker) -> Action:
        if marker.type_id != TYPE_ID:
            raise StateError(f"snapshot: expected type {TYPE_ID}, found {marker.type_id}")
        match marker.mark:
            case SnapshotMark.BEGIN:
                if self._is_begun:
                    raise StateError("snapshot: expected one begin, found another")
                self._is_begun = True
                self.app_version = marker.app_version
                self.time_unit = time_unit_of(marker.time_unit)
            case SnapshotMark.END:
                if not self._is_begun:
                    raise StateError("snapshot: expected its begin before its end")
                self.is_done = True
                return Action.BREAK
            case _:
                pass
        return Action.CONTINUE


def load_snapshot(
    archive_context: ArchiveClientContext,
    aeron: Aeron,
    recording_id: int,
    channel: str,
    stream_id: int,
    loader: SnapshotLoader,
    read_state: Callable[[Image], object],
) -> Waiting[None]:
    """Replay a snapshot.

    Parameters
    ----------
    archive_context : ArchiveClientContext
    aeron : Aeron
    recording_id : int
    channel, stream_id
        The channel and stream of the archive's replay.
    loader : SnapshotLoader
        The reader of the container's part.
    read_state : callable
        Called with the image, and reads the service's part before it returns.

    Raises
    ------
    ArchiveError, TimeoutExpiredError, ClosedError
        The archive rejected the request, or was closed.
    DamagedRecordingError
        The recording cannot be replayed.
    StateError
        It is not a snapshot of a service, or ended within the container's part.
    """
    archive = yield from connect_archive(archive_context, aeron)
    try:
        replay = yield from begin_replay(
            archive,
            recording_id=recording_id,
            position=0,
            length=NULL_VALUE,
            replay_stream_id=stream_id,
            file_io_max_length=NULL_VALUE,
            replay_token=NULL_VALUE,
            replay_channel=channel,
        )
        subscription = yield from await_subscription(
            aeron,
            str(ChannelUri.parse(channel).with_params(session_id=replay.session_id)),
            stream_id,
        )
        try:
            image = yield from replay.await_image(subscription)
            while not loader.is_done:
                if loader.poll(image) == 0:
                    archive.poll()
                    if image.is_closed or image.is_end_of_stream:
                        yield from replay.check(image)
                        raise StateError(
                            f"snapshot ended unexpectedly: recording {recording_id}: expected the"
                            " end of its sessions, found the end of the recording at"
                            f" {image.position}"
                        )
                    yield
            try:
                read_state(image)
            except Exception:
                yield from replay.check(image)
                raise
            # A service that reads to the end of the image cannot detect that part is missing.
            yield from replay.check(image)
        finally:
            replay.close()
            subscription.close()
    finally:
        archive.close()
