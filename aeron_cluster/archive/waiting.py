"""Waits for an archive as steps, for the tasks of `aeron_cluster.memory.agents.waiting`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.client.archive_client import AeronArchive, as_session_id
from aeron_cluster.archive.client.client_connect import ArchiveConnect
from aeron_cluster.archive.protocol.recording_pos import find_counter_by_session
from aeron_cluster.codecs.archive import (
    ControlResponseCode,
    ListRecordingRequest,
    ListRecordingsForUriRequest,
    ListRecordingsRequest,
    ListRecordingSubscriptionsRequest,
    RecordingDescriptor,
    RecordingSubscriptionDescriptor,
    ReplayRequest,
)
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    DamagedRecordingError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.waiting import Waiting, until

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import Answer
    from aeron_cluster.archive.client.client_context import ArchiveClientContext
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.message import Message

__all__ = [
    "RunningReplay",
    "await_recording",
    "begin_replay",
    "connect_archive",
    "list_recording",
    "list_recording_subscriptions",
    "list_recordings",
    "list_recordings_for_uri",
    "send_request",
]

# Errors of archives that cannot read a recording; not those of a replay without a subscriber.
_DAMAGE: Final = (
    "checksum mismatch",
    "unexpected end of recording",
    "damaged frame",
    "does not point to a valid frame",
    "segment not found",
    "segment file not created",
    "cannot read",
)
_POSITION: Final = re.compile(r"[pP]osition=(\d+)")
_FAILURE_TIMEOUT_NS: Final = 5_000_000_000


def connect_archive(context: ArchiveClientContext, aeron: Aeron) -> Waiting[AeronArchive]:
    """Open a control session with an archive, as ``AeronArchive.connect``.

    Raises
    ------
    TimeoutExpiredError, AuthenticationError, ArchiveError
        It was not open in time, or the archive rejected it.
    """
    session_id = yield from until(aeron.async_next_session_id(context.control_stream_id))
    connect = ArchiveConnect(context, aeron, aeron.context.now_ns(), session_id)
    try:
        while not connect.poll(aeron.context.now_ns()):
            yield
    except BaseException:
        connect.close()
        raise
    return AeronArchive(context, aeron, connect)


def _answer(
    archive: AeronArchive,
    kind: type[Message],
    expected: int,
    via: ExclusivePublication | None = None,
    /,
    **values: object,
) -> Waiting[Answer]:
    context = archive.context
    deadline_ns = archive.aeron.context.now_ns() + context.message_timeout_ns
    attempts = 0
    while (correlation_id := archive.request(kind, expected, via, **values)) is None:
        _check_in_time(archive, kind, deadline_ns)
        attempts += 1
        context.check_attempts(attempts, kind)
        yield
    try:
        while True:
            archive.poll()
            answer = archive.take_answer(correlation_id)
            if answer is not None:
                return answer
            if not archive.is_connected:
                raise ClosedError(f"{archive!r}: the archive closed the session")
            _check_in_time(archive, kind, deadline_ns)
            yield
    finally:
        archive.forget(correlation_id)


def _check_in_time(archive: AeronArchive, kind: type[Message], deadline_ns: int) -> None:
    if archive.aeron.context.now_ns() > deadline_ns:
        raise TimeoutExpiredError(f"{archive!r}: no answer to {kind.__name__} in time")


def send_request(
    archive: AeronArchive,
    kind: type[Message],
    via: ExclusivePublication | None = None,
    /,
    **values: object,
) -> Waiting[int]:
    """Send a request with a control response as answer, and return its relevant id.

    Parameters
    ----------
    archive : AeronArchive
    kind : type of Message
        One of ``aeron_cluster.codecs.archive``.
    via : ExclusivePublication, optional
        The publication to send it by, instead of the session's own.
    **values
        Its fields, without the two ids.

    Raises
    ------
    ArchiveError
        The archive rejected it.
    TimeoutExpiredError, ClosedError
        It did not answer within the message timeout, or was closed.
    """
    answer = yield from _answer(archive, kind, 0, via, **values)
    response = answer.response
    assert response is not None
    if response.code is not ControlResponseCode.OK:
        raise ArchiveError(response.error_message, response.relevant_id, response.correlation_id)
    return response.relevant_id


class RunningReplay:
    """A started replay, and the archive's error if the replay fails.

    Parameters
    ----------
    archive : AeronArchive
    recording_id, correlation_id : int
        The recording, and the correlation id of the request.
    replay_id : int
    """

    def __init__(
        self, archive: AeronArchive, recording_id: int, correlation_id: int, replay_id: int
    ) -> None:
        self.replay_id = replay_id
        self._archive = archive
        self._recording_id = recording_id
        self._correlation_id = correlation_id
        self._failure: ArchiveError | None = None
        archive.route_errors(correlation_id, self._on_error)

    def _on_error(self, error: ArchiveError) -> None:
        self._failure = error

    @property
    def session_id(self) -> int:
        """The session id of the published stream."""
        return as_session_id(self.replay_id)

    def await_image(self, subscription: Subscription) -> Waiting[Image]:
        """Wait for the stream.

        Raises
        ------
        DamagedRecordingError, ArchiveError
            The replay ended before its image was available.
        """
        while (image := subscription.image_by_session_id(self.session_id)) is None:
            if self._failure is not None:
                yield from self.check()
            self._archive.poll()
            yield
        return image

    def close(self) -> None:
        """Restore the client's own error handler."""
        self._archive.route_errors(self._correlation_id, None)

    def check(self, image: Image | None = None) -> Waiting[None]:
        """Raise the archive's error of a replay that ended early.

        Parameters
        ----------
        image : Image, optional
            The image: if the archive revoked it, the reason may arrive a moment later.

        Raises
        ------
        DamagedRecordingError
            The recording cannot be replayed.
        ArchiveError
            The replay failed for another reason.
        """
        clock = self._archive.aeron.context
        deadline_ns = clock.now_ns() + min(
            self._archive.context.message_timeout_ns, _FAILURE_TIMEOUT_NS
        )
        is_revoked = image is not None and image.is_publication_revoked
        while self._failure is None and is_revoked and clock.now_ns() < deadline_ns:
            if not self._archive.is_connected:
                return
            self._archive.poll()
            yield
        if (error := self._failure) is None:
            return
        if not any(each in error.message for each in _DAMAGE):
            raise error
        found = _POSITION.search(error.message)
        position = int(found[1]) if found else -1
        raise DamagedRecordingError(self._recording_id, position, error.message) from error


def begin_replay(
    archive: AeronArchive, *, recording_id: int, **values: object
) -> Waiting[RunningReplay]:
    """Start a replay.

    Parameters
    ----------
    archive : AeronArchive
    recording_id : int
    **values
        The other fields of a `ReplayRequest`, without the two ids.

    Raises
    ------
    ArchiveError, TimeoutExpiredError, ClosedError
        As for `send_request`.
    """
    answer = yield from _answer(archive, ReplayRequest, 0, recording_id=recording_id, **values)
    response = answer.response
    assert response is not None
    if response.code is not ControlResponseCode.OK:
        error = ArchiveError(response.error_message, response.relevant_id, response.correlation_id)
        if any(each in error.message for each in _DAMAGE):
            raise DamagedRecordingError(recording_id, -1, error.message) from error
        raise error
    return RunningReplay(archive, recording_id, response.correlation_id, response.relevant_id)


def await_recording(archive: AeronArchive, session_id: int) -> Waiting[tuple[int, int]]:
    """Wait for a recording that the archive acknowledged.

    Parameters
    ----------
    archive : AeronArchive
        The counters of the recorded publication's driver.
    session_id : int
        The session id of that publication.

    Returns
    -------
    tuple of int
        The id of its position counter, and the recording's.

    Raises
    ------
    TimeoutExpiredError
        It did not begin within the message timeout, or ended before it was detected.
    """
    aeron = archive.aeron
    deadline_ns = aeron.context.now_ns() + archive.context.message_timeout_ns
    while (
        found := find_counter_by_session(aeron.counters_reader, session_id, archive.archive_id)
    ) is None:
        archive.poll()  # it may raise the reason
        if aeron.context.now_ns() > deadline_ns:
            raise TimeoutExpiredError(f"{archive!r}: no recording of session {session_id} in time")
        yield
    return found


def list_recording(archive: AeronArchive, recording_id: int) -> Waiting[RecordingDescriptor | None]:
    """Return the catalog's descriptor of a recording, or None if it is unknown."""
    found = yield from _list(archive, ListRecordingRequest, 1, recording_id=recording_id)
    return found[0] if found else None


def list_recordings(
    archive: AeronArchive, from_recording_id: int, record_count: int
) -> Waiting[list[RecordingDescriptor]]:
    """Return the first recordings from an id on."""
    return (
        yield from _list(
            archive,
            ListRecordingsRequest,
            record_count,
            from_recording_id=from_recording_id,
            record_count=record_count,
        )
    )


def list_recordings_for_uri(
    archive: AeronArchive, channel_fragment: str, stream_id: int, record_count: int
) -> Waiting[list[RecordingDescriptor]]:
    """Return the first recordings of a stream whose original channel contains a text."""
    return (
        yield from _list(
            archive,
            ListRecordingsForUriRequest,
            record_count,
            from_recording_id=0,
            record_count=record_count,
            stream_id=stream_id,
            channel=channel_fragment,
        )
    )


def list_recording_subscriptions(
    archive: AeronArchive, channel_fragment: str, stream_id: int, subscription_count: int
) -> Waiting[list[RecordingSubscriptionDescriptor]]:
    """Return the first subscriptions to a stream for recording whose channel contains a text."""
    answer = yield from _list_answer(
        archive,
        ListRecordingSubscriptionsRequest,
        subscription_count,
        pseudo_index=0,
        subscription_count=subscription_count,
        apply_stream_id=True,
        stream_id=stream_id,
        channel=channel_fragment,
    )
    return [
        each for each in answer.descriptors if isinstance(each, RecordingSubscriptionDescriptor)
    ]


def _list(
    archive: AeronArchive, kind: type[Message], expected: int, **values: object
) -> Waiting[list[RecordingDescriptor]]:
    answer = yield from _list_answer(archive, kind, expected, **values)
    return [each for each in answer.descriptors if isinstance(each, RecordingDescriptor)]


def _list_answer(
    archive: AeronArchive, kind: type[Message], expected: int, **values: object
) -> Waiting[Answer]:
    answer = yield from _answer(archive, kind, expected, **values)
    response = answer.response
    if response is not None and response.code is ControlResponseCode.ERROR:
        raise ArchiveError(response.error_message, response.relevant_id, response.correlation_id)
    return answer
