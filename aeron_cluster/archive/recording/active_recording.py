"""A recording that is being made, and the subscription that it comes from.

``io.aeron.archive.RecordingSession``, as the conductor knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.archive.recording.recorder import RecordingSession
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription

__all__ = ["ActiveRecording", "RecordingSubscription"]


@dataclass(slots=True, eq=False)
class RecordingSubscription:
    """What a start or extend request subscribed to.

    Parameters
    ----------
    registration_id : int
        The driver's, and the client's name for it.
    key : str
        Its key, by which a stop by channel finds it.
    reference_count : int
        One for the request, one for each of its recordings.
    before_stop : Callable[[int], object], optional
        Called with the position where one of its recordings has ended, before that is published.
    """

    registration_id: int
    key: str
    owner: ControlSession
    correlation_id: int
    stream_id: int
    original_channel: str
    stripped_channel: str
    channel: str  # that was subscribed to
    auto_stop: bool
    extended_id: int | None  # the recording to extend
    subscription: Subscription | None = None  # None until the driver has answered
    reference_count: int = 1
    is_stopped: bool = False
    before_stop: Callable[[int], object] | None = None


@dataclass(slots=True, eq=False)
class ActiveRecording:
    """A recording that is being made, from its image to its catalog entry's stop position."""

    recording_id: int
    subscription: RecordingSubscription
    image: Image
    join_position: int
    session_id: int
    stream_id: int
    segment_base: int
    segment_length: int
    counter_registration_id: int
    counter: Counter | None = None
    session: RecordingSession | None = None  # None until the counter is there
    is_aborted: bool = False
    reported_position: int = -1  # none yet

    @property
    def position(self) -> int:
        """Up to where it is recorded."""
        return self.join_position if self.session is None else self.session.position

    def abort(self) -> None:
        """End it with the recorder's next pass."""
        self.is_aborted = True
        if self.session is not None:
            self.session.abort()
