"""Join a live stream from its past: a replay of its recording, merged with the stream itself.

``io.aeron.archive.client.ReplayMerge``. Both are received by one subscription and, having the same
session id, into one image::

    [RESOLVE_REPLAY_PORT ->] GET_RECORDING_POSITION -> REPLAY -> CATCHUP <-> ATTEMPT_LIVE_JOIN
                                                                                  -> MERGED
    any -> FAILED, CLOSED
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, assert_never

from aeron_cluster.archive.client.archive_client import as_session_id
from aeron_cluster.codecs.archive import (
    ControlResponseCode,
    MaxRecordedPositionRequest,
    ReplayRequest,
    StopReplayRequest,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.config import Duration, duration_ns
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    ConfigurationError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.fragment_handlers import FragmentHandler
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription

__all__ = ["LIVE_ADD_MAX_WINDOW", "MERGED_TRANSPORT_COUNT", "ReplayMerge", "ReplayMergeState"]

LIVE_ADD_MAX_WINDOW: Final = 32 * 1024 * 1024
MERGED_TRANSPORT_COUNT: Final = 2
_MAX_LENGTH: Final = 2**63 - 1
_MS: Final = 1_000_000
_PROGRESS_TIMEOUT_NS: Final = 5_000 * _MS
_FIRST_BACKOFF_NS: Final = 8 * _MS
_MAX_BACKOFF_NS: Final = 500 * _MS
_ARCHIVE_POLL_INTERVAL_NS: Final = 100 * _MS


class ReplayMergeState(IntEnum):
    """The state of a merge."""

    RESOLVE_REPLAY_PORT = 0
    GET_RECORDING_POSITION = 1
    REPLAY = 2
    CATCHUP = 3
    ATTEMPT_LIVE_JOIN = 4
    MERGED = 5
    FAILED = 6
    CLOSED = 7


class ReplayMerge(Closeable):
    """A merge in progress.

    Parameters
    ----------
    subscription : Subscription
        One with ``control-mode=manual`` and without destinations, for this purpose only.
    archive : AeronArchive
        A client of the archive that records the stream, for this purpose only until then.
    replay_channel : str or ChannelUri
        The channel for the archive's replay, with the live stream's ``session-id``; the endpoint is
        taken from the destination.
    replay_destination, live_destination : str or ChannelUri
        The endpoints at which the subscription receives the replay (port 0 means any free port),
        and the live stream.
    recording_id : int
    start_position : int
        The position to begin at, in bytes.
    merge_progress_timeout_ns : int, str or timedelta
        The longest time without progress.

    Raises
    ------
    ConfigurationError
        A channel that cannot be merged: IPC, or a subscription without ``control-mode=manual``.

    Notes
    -----
    One thread uses it. No method blocks.

    Examples
    --------
    >>> merge = ReplayMerge(subscription, archive, ...)  # doctest: +SKIP
    >>> while not merge.is_merged:  # doctest: +SKIP
    ...     merge.poll(handler)
    >>> while True:  # doctest: +SKIP
    ...     merge.image.poll(handler)
    """

    def __init__(
        self,
        subscription: Subscription,
        archive: AeronArchive,
        replay_channel: str | ChannelUri,
        replay_destination: str | ChannelUri,
        live_destination: str | ChannelUri,
        recording_id: int,
        start_position: int,
        *,
        merge_progress_timeout_ns: Duration = _PROGRESS_TIMEOUT_NS,
    ) -> None:
        channel = _checked("replay_channel", replay_channel)
        endpoint = _checked("replay_destination", replay_destination).get("endpoint")
        _checked("live_destination", live_destination)
        mode = _checked("subscription", subscription.channel).get("control-mode")
        if mode != "manual":
            raise ConfigurationError("subscription", "control-mode=manual", subscription.channel)
        if endpoint is None:
            raise ConfigurationError("replay_destination", "an endpoint", str(replay_destination))
        self._subscription = subscription
        self._archive = archive
        self._clock = archive.aeron.context
        self._replay_destination = str(replay_destination)
        self._live_destination = str(live_destination)
        self._recording_id = recording_id
        self._start_position = start_position
        self._progress_timeout_ns = duration_ns(
            "merge_progress_timeout_ns", merge_progress_timeout_ns
        )
        # Java's archive only accepts digits as a linger, without a unit.
        self._replay_channel = channel.with_params(linger="0", eos=False, endpoint=endpoint)
        self._state = (
            ReplayMergeState.RESOLVE_REPLAY_PORT
            if endpoint.endswith(":0")
            else ReplayMergeState.GET_RECORDING_POSITION
        )
        self._image: Image | None = None
        self._is_live_added = False
        self._replay_session_id: int | None = None
        self._replay_correlation_id: int | None = None
        self._replay_error: ArchiveError | None = None
        self._correlation_id: int | None = None
        self._target_position = NULL_VALUE
        self._position_of_last_progress = NULL_VALUE
        self._backoff_ns = _FIRST_BACKOFF_NS
        self._open: list[int] = []
        now_ns = self._clock.now_ns()
        self._time_of_last_progress_ns = self._next_question_ns = self._next_poll_ns = now_ns
        self._open.append(subscription.async_add_destination(self._replay_destination))

    def __repr__(self) -> str:
        return (
            f"<ReplayMerge {self._state.name} recording {self._recording_id} target"
            f" {self._target_position}{' live' if self._is_live_added else ''} {self._image!r}>"
        )

    # ---- state ----

    @property
    def state(self) -> ReplayMergeState:
        """The state."""
        return self._state

    @property
    def subscription(self) -> Subscription:
        """The subscription that receives both streams."""
        return self._subscription

    @property
    def image(self) -> Image | None:
        """The image of the replay, then of the live stream; None until it is available."""
        return self._image

    @property
    def is_merged(self) -> bool:
        """Whether the image only receives the live stream."""
        return self._state is ReplayMergeState.MERGED

    @property
    def has_failed(self) -> bool:
        """Whether the merge failed."""
        return self._state is ReplayMergeState.FAILED

    @property
    def is_live_added(self) -> bool:
        """Whether the live stream is being received too."""
        return self._is_live_added

    # ---- the passes ----

    def poll(self, handler: FragmentHandler, fragment_limit: int = 10) -> int:
        """Advance the merge, and read its image; return the fragments read.

        Raises
        ------
        ArchiveError
            The archive rejected a request, or the replay failed.
        ClosedError
            The archive or the stream was closed.
        TimeoutExpiredError
            It made no progress within the progress timeout.
        RegistrationError
            The driver rejected a destination.

        Notes
        -----
        After an error it `has_failed`.
        """
        self.do_work()
        return 0 if self._image is None else self._image.poll(handler, fragment_limit)

    def do_work(self) -> int:
        """Advance the merge, without reading the image; return the work count."""
        now_ns = self._clock.now_ns()
        try:
            work_count = self._work(now_ns)
            if self._state < ReplayMergeState.MERGED:
                self._check(now_ns)
        except BaseException:
            self._enter(ReplayMergeState.FAILED)
            raise
        return work_count

    def _work(self, now_ns: int) -> int:
        match self._state:
            case ReplayMergeState.RESOLVE_REPLAY_PORT:
                return self._resolve_replay_port(now_ns)
            case ReplayMergeState.GET_RECORDING_POSITION:
                return self._get_recording_position(now_ns)
            case ReplayMergeState.REPLAY:
                return self._replay(now_ns)
            case ReplayMergeState.CATCHUP:
                return self._catch_up(now_ns)
            case ReplayMergeState.ATTEMPT_LIVE_JOIN:
                return self._attempt_live_join(now_ns)
            case ReplayMergeState.MERGED | ReplayMergeState.FAILED | ReplayMergeState.CLOSED:
                return 0
            case _:
                assert_never(self._state)

    def _enter(self, state: ReplayMergeState) -> None:
        self._forget_request()
        self._state = state
        if state >= ReplayMergeState.MERGED and self._replay_correlation_id is not None:
            self._archive.route_errors(self._replay_correlation_id, None)

    def _resolve_replay_port(self, now_ns: int) -> int:
        endpoint = self._subscription.resolved_endpoint
        if endpoint is None:
            return 0
        self._replay_channel = self._replay_channel.with_resolved_port(endpoint)
        self._time_of_last_progress_ns = now_ns
        self._enter(ReplayMergeState.GET_RECORDING_POSITION)
        return 1

    def _get_recording_position(self, now_ns: int) -> int:
        position = self._request_position(now_ns)
        if position is None:
            return 0
        self._time_of_last_progress_ns = now_ns
        self._target_position = position
        if position != NULL_VALUE:
            self._enter(ReplayMergeState.REPLAY)
        return 1

    def _replay(self, now_ns: int) -> int:
        if self._correlation_id is None:
            self._correlation_id = self._archive.request(
                ReplayRequest,
                recording_id=self._recording_id,
                position=self._start_position,
                length=_MAX_LENGTH,
                replay_stream_id=self._subscription.stream_id,
                file_io_max_length=NULL_VALUE,
                replay_token=NULL_VALUE,
                replay_channel=str(self._replay_channel),
            )
            return 0
        correlation_id = self._correlation_id
        replay_session_id = self._poll_answer()
        if replay_session_id is None:
            return 0
        self._replay_session_id = replay_session_id
        self._replay_correlation_id = correlation_id
        self._archive.route_errors(correlation_id, self._on_replay_error)
        self._time_of_last_progress_ns = self._next_question_ns = now_ns
        self._backoff_ns = _FIRST_BACKOFF_NS
        self._enter(ReplayMergeState.CATCHUP)
        return 1

    def _on_replay_error(self, error: ArchiveError) -> None:
        self._replay_error = error

    def _catch_up(self, now_ns: int) -> int:
        if self._image is None:
            assert self._replay_session_id is not None
            session_id = as_session_id(self._replay_session_id)
            self._image = self._subscription.image_by_session_id(session_id)
            if self._image is None:
                return 0
            self._time_of_last_progress_ns = now_ns
        self._check_open(self._image)
        position = self._image.position
        if position > self._position_of_last_progress:
            self._position_of_last_progress = position
            self._time_of_last_progress_ns = now_ns
        if position < self._target_position:
            return 0
        self._time_of_last_progress_ns = now_ns
        self._enter(ReplayMergeState.ATTEMPT_LIVE_JOIN)
        return 1

    def _check_open(self, image: Image) -> None:
        if image.is_closed:
            raise ClosedError(f"{self!r}: the image was closed unexpectedly")

    def _attempt_live_join(self, now_ns: int) -> int:
        target = self._request_position(now_ns)
        if target is None:
            return 0
        assert self._image is not None
        self._check_open(self._image)
        self._target_position = target
        if target == NULL_VALUE:
            return 1
        lag = target - self._image.position
        following = ReplayMergeState.CATCHUP
        window = min(self._image.term_buffer_length // 4, LIVE_ADD_MAX_WINDOW)
        if not self._is_live_added and lag <= window:
            self._open.append(self._subscription.async_add_destination(self._live_destination))
            self._is_live_added = True
            self._time_of_last_progress_ns = now_ns
        elif (
            self._is_live_added
            and lag <= 0
            and self._image.active_transport_count >= MERGED_TRANSPORT_COUNT
        ):
            self._remove_replay_destination()
            self._stop_replay()
            following = ReplayMergeState.MERGED
        self._enter(following)
        return 1

    # ---- the archive and the driver ----

    def _poll_answer(self) -> int | None:
        assert self._correlation_id is not None
        self._archive.poll()
        answer = self._archive.take_answer(self._correlation_id)
        if answer is None:
            return None
        self._correlation_id = None
        response = answer.response
        assert response is not None
        if response.code is not ControlResponseCode.OK:
            raise ArchiveError(
                response.error_message, response.relevant_id, response.correlation_id
            )
        return response.relevant_id

    def _forget_request(self) -> None:
        if self._correlation_id is not None:
            undo = None
            if self._state is ReplayMergeState.REPLAY:
                undo = self._stop_late_replay
            self._archive.forget(self._correlation_id, undo)
            self._correlation_id = None

    def _request_position(self, now_ns: int) -> int | None:
        """Return the recording's position, requested at growing intervals; None if unknown."""
        if self._correlation_id is not None:
            return self._poll_answer()
        if now_ns < self._next_question_ns:
            return None
        self._backoff_ns = min(2 * self._backoff_ns, _MAX_BACKOFF_NS)
        self._next_question_ns = now_ns + self._backoff_ns
        self._correlation_id = self._archive.request(
            MaxRecordedPositionRequest, recording_id=self._recording_id
        )
        if self._correlation_id is not None:
            self._time_of_last_progress_ns = now_ns
        return None

    def _check(self, now_ns: int) -> None:
        self._open = [each for each in self._open if not self._archive.aeron.is_done(each)]
        if now_ns > self._time_of_last_progress_ns + self._progress_timeout_ns:
            count = 0 if self._image is None else self._image.active_transport_count
            raise TimeoutExpiredError(f"{self!r}: no progress, active transports {count}")
        if self._correlation_id is None and now_ns > self._next_poll_ns:
            self._next_poll_ns = now_ns + _ARCHIVE_POLL_INTERVAL_NS
            self._archive.poll()
        if self._replay_error is not None:
            raise self._replay_error
        if not self._archive.is_connected:
            raise ClosedError(f"{self!r}: the archive is not connected")

    # ---- closing ----

    def close(self) -> None:
        """Cancel an incomplete merge; the subscription stays. Calling it again does nothing."""
        if self._state is ReplayMergeState.CLOSED:
            return
        if not self._archive.aeron.is_closed:
            if not self.is_merged and not self._subscription.is_closed:
                self._remove_replay_destination()
            if self._archive.is_connected:
                self._stop_replay()
        self._enter(ReplayMergeState.CLOSED)

    def _remove_replay_destination(self) -> None:
        removed = self._subscription.async_remove_destination(self._replay_destination)
        self._archive.aeron.abandon(removed)  # nothing waits for it

    def _stop_replay(self) -> None:
        if self._replay_session_id is not None:
            self._stop_late_replay(self._replay_session_id)
            self._replay_session_id = None

    def _stop_late_replay(self, replay_session_id: int) -> None:
        self._archive.post(StopReplayRequest, replay_session_id=replay_session_id)


def _checked(name: str, channel: str | ChannelUri) -> ChannelUri:
    uri = channel if isinstance(channel, ChannelUri) else ChannelUri.parse(channel)
    if uri.is_ipc:
        raise ConfigurationError(name, "a UDP channel: IPC cannot be merged", str(channel))
    return uri
