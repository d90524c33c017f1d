"""Replay the end of the log's recording for the module, beside the services.

Upstream: LogReplay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from aeron_cluster.archive.storage.segments import base_position, segment_name
from aeron_cluster.archive.waiting import begin_replay, list_recording, send_request
from aeron_cluster.client.waiting import await_subscription
from aeron_cluster.codecs.archive import StopReplayRequest
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import (
    ArchiveError,
    ClusterError,
    CorruptError,
    DamagedLogError,
    DamagedRecordingError,
    ForeignMessageError,
    LogMismatchError,
    MessageError,
)
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["REPLAY_INTERVAL_NS", "LogReader", "read_on", "replay_log"]

_FOLLOWER = 0

REPLAY_INTERVAL_NS: Final = 200_000
"""The interval between steps of a replay: services on the same thread run in between."""
_DAMAGE_PAGE: Final = "docs/operating.md, Damage"
_WITH_OTHERS: Final = (
    "start it without its archive and cluster directories, and it copies all from the others; where"
    " these have purged some of it, start it from a backup (aeron-cluster restore);"
    f" see {_DAMAGE_PAGE}"
)
_ALONE: Final = f"start it from a backup (aeron-cluster restore); see {_DAMAGE_PAGE}"
_ALL_PARTS: Final = (
    "start it with the services, and the extension, with which its log was written; if it has them,"
)
_BATCH_DURATION_NS: Final = 100_000
_POLLS_PER_BATCH: Final = 40


class LogReader(Protocol):
    """The handler of the log's messages; LogAdapter."""

    @property
    def position(self) -> int:
        """The position up to which the image was read."""

    @property
    def is_ready(self) -> bool:
        """Whether the next message may be read; not while a snapshot is taken."""

    def set_image(self, image: Image | None) -> None:
        """Read this image from now on."""

    def check_fragments(self, recording_id: int) -> None:
        """Check that the fragments of the image, a replay of a recording, are contiguous."""

    def poll(self, limit_position: int, fragment_limit: int) -> int:
        """Read the next messages, at most up to a position."""


def read_on(
    reader: LogReader,
    commit_position: Counter,
    clock: Clock,
    stop_position: int,
    fragment_limit: int,
) -> int:
    """Read and commit a batch: one step in Python costs as much as hundreds of messages.

    If a poll raises, what it read is not committed: services read up to the commit position, and
    the last message may be damaged.
    """
    until_ns = clock.nano_time() + _BATCH_DURATION_NS
    position = reader.position
    total = 0
    for _ in range(_POLLS_PER_BATCH):
        fragments = reader.poll(stop_position, fragment_limit) if reader.is_ready else 0
        # Padding, which may end a log, is read without being counted.
        if reader.position > position:
            position = reader.position
            commit_position.propose_max(position)
        total += fragments
        if fragments == 0 or clock.nano_time() >= until_ns:
            break
    return total


def _damaged_log(context: ConsensusModuleContext, error: DamagedRecordingError) -> DamagedLogError:
    return DamagedLogError(
        f"its log is damaged: {error}",
        member_id=context.options.member_id,
        leadership_term_id=NULL_VALUE,
        log_position=error.position,
        remedy=_remedy(context),
    )


def _unreadable_log(
    context: ConsensusModuleContext, log_position: int, error: CorruptError | MessageError
) -> LogMismatchError:
    """Return the error of a message that no election changes; upstream's members retry for ever."""
    member_id = context.options.member_id
    if isinstance(error, ForeignMessageError):
        return LogMismatchError(
            f"its log has a message that it cannot handle: {error}",
            member_id=member_id,
            leadership_term_id=NULL_VALUE,
            log_position=log_position,
            remedy=f"{_ALL_PARTS} its log is damaged: {_remedy(context)}",
        )
    return DamagedLogError(
        f"its log is damaged: {error}",
        member_id=member_id,
        leadership_term_id=NULL_VALUE,
        log_position=log_position,
        remedy=_remedy(context),
    )


def _remedy(context: ConsensusModuleContext) -> str:
    return _WITH_OTHERS if len(context.members) > 1 else _ALONE


def _with_segment(
    archive: AeronArchive, error: DamagedRecordingError
) -> Waiting[DamagedRecordingError]:
    """Return the error with the segment file's name, like the archive's own errors."""
    descriptor = yield from list_recording(archive, error.recording_id)
    if descriptor is None:
        return error
    base = base_position(
        descriptor.start_position,
        error.position,
        descriptor.term_buffer_length,
        descriptor.segment_file_length,
    )
    name = segment_name(error.recording_id, base)
    return DamagedRecordingError(
        error.recording_id,
        error.position,
        f"{error.found} (segmentOffset={error.position - base}, segmentFile={name})",
    )


def replay_log(
    context: ConsensusModuleContext,
    aeron: Aeron,
    archive: AeronArchive,
    services: ServiceLink,
    reader: LogReader,
    commit_position: Counter,
    *,
    recording_id: int,
    start_position: int,
    stop_position: int,
) -> Waiting[None]:
    """Replay the recording of the log into the module and its services.

    The replay has two subscribers. The services join and acknowledge it before the module reads
    anything; otherwise the replay could end before they joined. They follow the commit position,
    which the module advances as it reads.

    Parameters
    ----------
    reader : LogReader
        The reader of the replayed log.
    commit_position : Counter
    recording_id : int
    start_position, stop_position : int
        The position that module and services have reached, and the end of the replay.

    Raises
    ------
    DamagedLogError
        The archive found a damaged frame, the fragments of a message are not contiguous, or a
        message is invalid.
    LogMismatchError
        A message is for a service, or an extension, that this member does not have.
    ClusterError
        The replay began at another position, or ended early, or before the services had joined it.
    """
    options = context.options
    try:
        replay = yield from begin_replay(
            archive,
            recording_id=recording_id,
            position=start_position,
            length=stop_position - start_position,
            replay_stream_id=options.replay_stream_id,
            file_io_max_length=NULL_VALUE,
            replay_token=NULL_VALUE,
            replay_channel=options.replay_channel,
        )
    except DamagedRecordingError as error:
        raise _damaged_log(context, error) from error
    session_id = replay.session_id
    channel = str(ChannelUri.parse(options.replay_channel).with_params(session_id=session_id))
    subscription = yield from await_subscription(aeron, channel, options.replay_stream_id)
    try:
        image = yield from replay.await_image(subscription)
        if image.join_position != start_position:
            raise ClusterError(
                f"joinPosition={image.join_position} expected startPosition={start_position}: log"
                " replay"
            )
        try:
            yield from services.join_log(
                log_position=start_position,
                max_log_position=stop_position,
                log_session_id=session_id,
                log_stream_id=options.replay_stream_id,
                log_channel=channel,
                is_startup=True,
                role=_FOLLOWER,
                is_gone=lambda: image.is_closed or image.is_given_up,
            )
        except ClusterError:
            if image.is_closed or image.is_given_up:
                yield from replay.check(image)
            raise
        reader.set_image(image)
        reader.check_fragments(recording_id)
        try:
            while reader.position < stop_position or not reader.is_ready:
                # A snapshot requested in the log is taken first.
                try:
                    work_count = read_on(
                        reader,
                        commit_position,
                        context.seams.clock,
                        stop_position,
                        options.log_fragment_limit,
                    )
                except DamagedRecordingError as error:
                    raise (yield from _with_segment(archive, error)) from error
                except (CorruptError, MessageError) as error:
                    raise _unreadable_log(context, reader.position, error) from error
                is_gone = image.is_closed or image.is_given_up
                is_over = work_count == 0 and reader.is_ready and is_gone
                if is_over and reader.position < stop_position:
                    yield from replay.check(image)
                    raise ClusterError(
                        f"unexpected image close when replaying log: position={reader.position},"
                        f" expected {stop_position}"
                    )
                yield work_count
        finally:
            reader.set_image(None)
    except DamagedRecordingError as error:
        raise _damaged_log(context, error) from error
    finally:
        replay.close()
        subscription.close()
    try:
        yield from send_request(archive, StopReplayRequest, replay_session_id=replay.replay_id)
    except ArchiveError:
        return  # it has already ended, as intended
