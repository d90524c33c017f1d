"""An active recording, and its subscription.

``io.aeron.archive.RecordingSession``, as the conductor knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.archive.recording.recorder import RecordingSession
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription

__all__ = ["ActiveRecording", "RecordingPhase", "RecordingSubscription"]


class RecordingPhase(IntEnum):
    """The states of a recording's session, with upstream's names."""

    INIT = 0
    RECORDING = 1
    INACTIVE = 2
    STOPPED = 3


@dataclass(slots=True, eq=False)
class RecordingSubscription:
    """The subscription of a start or extend request.

    Parameters
    ----------
    registration_id : int
        Its registration id at the driver, which also identifies it for the client.
    key : str
        Its key, by which a stop by channel finds it.
    reference_count : int
        A reference for the request, and one for each of its recordings.
    before_stop : Callable[[int], object], optional
        Called with the stop position of one of its recordings, before it is published.
    """

    registration_id: int
    key: str
    owner: ControlSession
    correlation_id: int
    stream_id: int
    original_channel: str
    stripped_channel: str
    channel: str  # the subscribed channel
    auto_stop: bool
    extended_id: int | None  # the recording to extend
    subscription: Subscription | None = None  # None until the driver has answered
    reference_count: int = 1
    is_stopped: bool = False
    before_stop: Callable[[int], object] | None = None


@dataclass(slots=True, eq=False)
class ActiveRecording:
    """An active recording, from its image to the stop position in its catalog entry."""

    recording_id: int
    subscription: RecordingSubscription
    image: Image
    join_position: int
    session_id: int
    stream_id: int
    segment_base: int
    segment_length: int
    counter_registration_id: int = -1
    counter: Counter | None = None
    session: RecordingSession | None = None  # None until the counter exists
    is_aborted: bool = False
    abort_reason: str = ""
    reported_position: int = -1  # none yet
    phase: RecordingPhase = RecordingPhase.INIT

    @property
    def position(self) -> int:
        """The recorded position."""
        return self.join_position if self.session is None else self.session.position

    def abort(self, reason: str) -> None:
        """End it in the recorder's next pass; the reason is for the event log."""
        self.is_aborted = True
        self.abort_reason = self.abort_reason or reason
        if self.session is not None:
            self.session.abort()
