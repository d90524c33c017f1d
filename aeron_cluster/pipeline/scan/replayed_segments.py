"""Reads recordings of a remote archive through replays instead of segment files.

No counterpart in Aeron; upstream's readers of replays receive messages, these receive frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.client.archive_client import AeronArchive, as_session_id
from aeron_cluster.errors import ConfigurationError, OperationError, TimeoutExpiredError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.pipeline.scan.pieces import Piece

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_view import MessageView

__all__ = ["ArchiveSession", "RemoteArchive", "ReplayedSegments", "remote_piece"]

_BLOCK_LENGTH: Final = 256 * 1024
_ANY_PORT: Final = "aeron:udp?endpoint=localhost:0"


@dataclass(frozen=True, slots=True)
class RemoteArchive:
    """The settings of connections to an archive, for each reading machine.

    Parameters
    ----------
    control_channel : str
        The control channel of the archive.
    aeron_dir : str, optional
        The directory of the driver on the reading machine.
    response_channel, replay_channel : str
        The channels on which that machine receives responses and replays; port 0: any free one.
    """

    control_channel: str
    aeron_dir: str | None = None
    response_channel: str = _ANY_PORT
    replay_channel: str = _ANY_PORT

    def connect(self) -> AeronArchive:
        """Open a control session.

        Raises
        ------
        TimeoutExpiredError, ArchiveError, AuthenticationError, DriverTimeoutError
            As for `AeronArchive.connect`.
        """
        return AeronArchive.connect(
            control_channel=self.control_channel,
            control_response_channel=self.response_channel,
            aeron_dir=self.aeron_dir,
        )


class ArchiveSession:
    """A control session, opened when needed and reopened if it has ended; close it.

    Parameters
    ----------
    remote : RemoteArchive
    """

    def __init__(self, remote: RemoteArchive) -> None:
        self._remote = remote
        self._archive: AeronArchive | None = None

    def close(self) -> None:
        """Close it. Calling it again does nothing."""
        archive, self._archive = self._archive, None
        if archive is not None:
            archive.close()

    def archive(self) -> AeronArchive:
        """Return the client of an open session."""
        if self._archive is not None and not self._archive.is_connected:
            self.close()
        if self._archive is None:
            self._archive = self._remote.connect()
        return self._archive


def remote_piece(
    archive: AeronArchive, recording_id: int, bounds: tuple[int, int] | None = None
) -> Piece:
    """Return a recording, or a part of it, as a piece.

    Parameters
    ----------
    archive : AeronArchive
    recording_id : int
    bounds : tuple of int, optional
        The bounds of the part; the first must be the start of a frame.

    Raises
    ------
    ConfigurationError
        The archive does not have the recording.
    """
    it = archive.list_recording(recording_id)
    if it is None:
        channel = archive.context.control_channel
        raise ConfigurationError("recording_id", f"one of the archive at {channel}", recording_id)
    if bounds is None:
        bounds = it.start_position, archive.get_max_recorded_position(recording_id)
    return Piece(
        archive.context.control_channel,
        recording_id,
        bounds[0],
        bounds[1],
        it.initial_term_id,
        it.term_buffer_length,
        it.segment_file_length,
        it.session_id,
        it.stream_id,
        # Replayed frames have the session id of the replay.
        has_checksums=True,
    )


class ReplayedSegments:
    """Reads the bytes of a recording through replays; close it.

    Parameters
    ----------
    archive : AeronArchive
    replay_channel : str
    piece : Piece
        The piece; nothing after its end is replayed.

    Attributes
    ----------
    begin : int
        The position of the last requested replay; -1 for none.

    Notes
    -----
    For a sequential reader: each backward step starts another replay.
    """

    def __init__(self, archive: AeronArchive, replay_channel: str, piece: Piece) -> None:
        self._archive = archive
        self._channel = replay_channel
        self._piece = piece
        self._replay: _Replay | None = None
        self.begin = -1

    def close(self) -> None:
        """End the replay. Calling it again does nothing."""
        replay, self._replay = self._replay, None
        if replay is not None:
            replay.close()

    def open(self, path: str) -> _ReplayedSegment:
        """Return a segment by the path of its file."""
        return _ReplayedSegment(self, int(PurePath(path).stem.rpartition("-")[2]))

    def read_into(self, view: memoryview, position: int) -> int:
        """Fill a view from a position; the range must be within the piece.

        Raises
        ------
        OperationError
            The archive rejects the replay, or does not send its data.
        """
        try:
            if self._replay is None or not self._replay.continues_at(position):
                self.close()
                self.begin = position
                self._replay = _Replay(self._archive, self._channel, self._piece, position)
            self._replay.read_into(view, position)
        except TimeoutExpiredError as error:
            # Not an OSError: permissive passes must not skip it like a damaged file.
            raise OperationError(str(error)) from error
        return len(view)


class _ReplayedSegment:
    def __init__(self, segments: ReplayedSegments, base: int) -> None:
        self._segments = segments
        self._base = base

    def read_into(self, view: memoryview, offset: int) -> int:
        return self._segments.read_into(view, self._base + offset)

    def close(self) -> None:
        """Do nothing: the replay continues in the next segment."""


class _Replay:
    """One replay from a position to the end of a piece, with its unread data."""

    def __init__(self, archive: AeronArchive, channel: str, piece: Piece, position: int) -> None:
        self._archive = archive
        self._recording_id = piece.recording_id
        self._begin = position
        self._data = bytearray()
        self._image: Image | None = None
        self._idle = IdleStrategy("backoff")
        self._deadline_ns = 0
        self._touch()
        # Frames have the recorded stream id.
        self._subscription: Subscription = archive.aeron.add_subscription(channel, piece.stream_id)
        try:
            while (resolved := self._subscription.try_resolve_channel_endpoint_port()) is None:
                self._wait(0)
            self._session_id = as_session_id(
                archive.start_replay(
                    piece.recording_id,
                    resolved,
                    piece.stream_id,
                    position=position,
                    length=piece.end_position - position,
                )
            )
        except BaseException:
            self._subscription.close()
            raise

    def close(self) -> None:
        self._subscription.close()

    def continues_at(self, position: int) -> bool:
        return self._begin <= position <= self._begin + len(self._data)

    def read_into(self, view: memoryview, position: int) -> None:
        del self._data[: position - self._begin]
        self._begin = position
        self._touch()
        while len(self._data) < len(view):
            if self._image is None:
                self._image = self._subscription.image_by_session_id(self._session_id)
            count = 0 if self._image is None else self._image.block_poll(self._take, _BLOCK_LENGTH)
            self._wait(count)
        view[:] = self._data[: len(view)]

    def _take(self, block: MessageView, _session_id: int, _term_id: int) -> None:
        self._data += memoryview(block)

    def _touch(self) -> None:
        context = self._archive.context
        self._deadline_ns = self._archive.aeron.context.now_ns() + context.message_timeout_ns

    def _wait(self, work_count: int) -> None:
        """Idle if nothing was received; raise after the archive's timeout."""
        if work_count:
            self._touch()
        elif self._archive.aeron.context.now_ns() > self._deadline_ns:
            raise TimeoutExpiredError(
                f"recording {self._recording_id}: expected a replay to continue at position"
                f" {self._begin + len(self._data)}, found nothing for"
                f" {self._archive.context.message_timeout_ns / 1e9:g} s"
            )
        else:
            self._archive.poll()
        self._idle.idle(work_count)
