"""Publish recording events: started, progress and stopped.

``io.aeron.archive.RecordingEventsProxy``. Off by default. Works without subscribers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.archive import RecordingProgress, RecordingStarted, RecordingStopped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.archive.recording.active_recording import ActiveRecording
    from aeron_cluster.client.publication import ExclusivePublication

__all__ = ["RecordingEvents"]

_SEND_ATTEMPTS: Final = 3


class RecordingEvents:
    """The publication of recording events.

    Parameters
    ----------
    publication : ExclusivePublication or None
        By default, nothing is published.
    """

    def __init__(self, publication: ExclusivePublication | None) -> None:
        self._publication = publication

    @property
    def is_enabled(self) -> bool:
        """Whether events are published."""
        return self._publication is not None

    def started(
        self,
        recording_id: int,
        position: int,
        session_id: int,
        stream_id: int,
        channel: str,
        source_identity: str,
    ) -> None:
        """Publish the start of a recording; lost under back pressure."""
        if self._publication is not None:
            self._send(
                RecordingStarted.encode(
                    recording_id=recording_id,
                    start_position=position,
                    session_id=session_id,
                    stream_id=stream_id,
                    channel=channel,
                    source_identity=source_identity,
                )
            )

    def stopped(self, recording_id: int, join_position: int, position: int) -> None:
        """Publish the stop of a recording; lost under back pressure."""
        if self._publication is not None:
            self._send(
                RecordingStopped.encode(
                    recording_id=recording_id,
                    start_position=join_position,
                    stop_position=position,
                )
            )

    def progress(self, recordings: Iterable[ActiveRecording]) -> int:
        """Publish the positions of recordings; under back pressure, newer ones later."""
        if self._publication is None:
            return 0
        published = 0
        for active in recordings:
            position = active.position
            if active.session is None or position == active.reported_position:
                continue
            message = RecordingProgress.encode(
                recording_id=active.recording_id,
                start_position=active.join_position,
                position=position,
            )
            if self._publication.offer(message):
                active.reported_position = position
                published += 1
        return published

    def _send(self, message: bytes) -> None:
        assert self._publication is not None
        any(self._publication.offer(message) for _ in range(_SEND_ATTEMPTS))

    def close(self) -> None:
        """Close the publication."""
        if self._publication is not None:
            self._publication.close()
