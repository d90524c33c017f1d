"""Recordings, from the start request to the stop position in the catalog.

``io.aeron.archive.ArchiveConductor`` (startRecording, extendRecording, stopRecording) and
``RecordingSession``'s closing. A request creates a subscription, and each image of it a separate
recording, whose position counter is requested before it is passed to the recorder.
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.protocol.channels import (
    recording_channel,
    stripped_channel,
    subscription_key,
)
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE, position_key
from aeron_cluster.archive.recording.active_recording import (
    ActiveRecording,
    RecordingPhase,
    RecordingSubscription,
)
from aeron_cluster.archive.recording.recorder import RecordingEnd, RecordingSession
from aeron_cluster.archive.storage.migrations import migration_problem
from aeron_cluster.archive.storage.segments import (
    base_position,
    cut_segment,
    segment_bases,
    segment_name,
)
from aeron_cluster.codecs.archive import RecordingSignal, SourceLocation
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    ConfigurationError,
    DriverTimeoutError,
    InsufficientSpaceError,
    OperationError,
    RegistrationError,
)
from aeron_cluster.events.codes import ArchiveEvent
from aeron_cluster.memory.shared.counter_descriptor import MAX_LABEL_LENGTH

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.recording.recorder import PositionSlots, Recorder
    from aeron_cluster.archive.recording.recording_events import RecordingEvents
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.archive.sessions.orphans import Orphans
    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.codecs.archive import RecordingDescriptor

__all__ = ["Recordings"]

_STOP: Final = "stop recording"  # reasons in the event log are upstream's


def _image_text(image: Image) -> str:
    is_ended, is_closed = str(image.is_end_of_stream).lower(), str(image.is_closed).lower()
    return f"image.isEndOfStream={is_ended}, image.isClosed={is_closed}"


@dataclass(slots=True, eq=False)
class _StopRequest:
    """A request to stop recordings, which is answered when all of them have ended."""

    session: ControlSession
    correlation_id: int
    relevant_id: int
    recordings: list[ActiveRecording]


class Recordings:
    """All active recordings, and their subscriptions.

    Parameters
    ----------
    context : ArchiveContext
    aeron : Aeron
        The archive's own client.
    catalog : Catalog
    recorder : Recorder
    slots : PositionSlots or None
        Slots for positions that survive a kill.
    events : RecordingEvents
        Notified when a recording starts, grows and stops.
    orphans : Orphans
        Closes driver resources that are no longer needed when they arrive.
    on_image : Callable[[], object]
        Called when a new image is to be recorded in the next pass.
    on_stopped : Callable[[int, int], object]
        Called with the recording id and the position when a recording has stopped.
    highest_base_being_deleted : Callable[[int], int]
        Returns the highest base of a recording's segments that are being deleted, or -1.
    count : Callable[[int], object]
        Notified of the count whenever it changes.
    """

    def __init__(
        self,
        context: ArchiveContext,
        aeron: Aeron,
        catalog: Catalog,
        recorder: Recorder,
        slots: PositionSlots | None,
        events: RecordingEvents,
        orphans: Orphans,
        on_image: Callable[[], object],
        on_stopped: Callable[[int, int], object],
        highest_base_being_deleted: Callable[[int], int],
        count: Callable[[int], object],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._catalog = catalog
        self._recorder = recorder
        self._slots = slots
        self._events = events
        self._orphans = orphans
        self._on_image = on_image
        self._on_stopped = on_stopped
        self._highest_base_being_deleted = highest_base_being_deleted
        self._count = count
        self._by_key: dict[str, RecordingSubscription] = {}
        self._by_id: dict[int, RecordingSubscription] = {}
        self._awaited: list[RecordingSubscription] = []
        self._active: dict[int, ActiveRecording] = {}
        self._uncounted: list[ActiveRecording] = []
        self._unstored: list[tuple[int, int, int]] = []
        self._images: deque[Image] = deque()
        self._stop_requests: list[_StopRequest] = []

    # ---- state ----

    @property
    def is_busy(self) -> bool:
        """Whether there may be work in every pass."""
        return bool(self._awaited or self._uncounted or self._images)

    @property
    def has_unstored_ends(self) -> bool:
        """Whether the catalog could not be written at the end of a recording: `do_work` retries."""
        return bool(self._unstored)

    @property
    def active(self) -> dict[int, ActiveRecording]:
        """The active recordings, by id."""
        return self._active

    @property
    def subscriptions(self) -> list[RecordingSubscription]:
        """The active recording subscriptions."""
        return [each for each in self._by_key.values() if each.subscription is not None]

    def position(self, recording_id: int) -> int:
        """Return the position of an active recording, -1 for others."""
        active = self._active.get(recording_id)
        return NULL_VALUE if active is None else active.position

    # ---- requests ----

    def start(
        self,
        session: ControlSession,
        correlation_id: int,
        stream_id: int,
        channel: str,
        source_location: SourceLocation,
        *,
        auto_stop: bool,
        extended_id: int | None = None,
    ) -> RecordingSubscription:
        """Subscribe, and record each image; or append the image to a stopped recording.

        Parameters
        ----------
        session : ControlSession
        correlation_id : int
        stream_id : int
        channel : str
        source_location : SourceLocation
        auto_stop : bool
            Stop with the first image that ends.
        extended_id : int, optional
            The recording to append to.

        Returns
        -------
        RecordingSubscription
            The subscription; the request is answered once the driver has added it.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        self._check_count("reached" if extended_id is None else "reached at")
        if extended_id is not None:
            self._check_extended(extended_id, stream_id)
        self._check_space()
        uri = _parsed(channel)
        key = subscription_key(uri, stream_id)
        if key in self._by_key:
            raise OperationError(
                f"recording exists for streamId={stream_id} channel={channel}",
                ArchiveErrorCode.ACTIVE_SUBSCRIPTION,
            )
        subscribed = recording_channel(uri, source_location)
        try:
            registration_id = self._aeron.async_add_subscription(
                subscribed,
                stream_id,
                available_image_handler=self._on_available_image,
                unavailable_image_handler=_ignore_image,
            )
        except ConfigurationError as error:
            raise OperationError(str(error), ArchiveErrorCode.GENERIC) from error
        subscription = RecordingSubscription(
            registration_id=registration_id,
            key=key,
            owner=session,
            correlation_id=correlation_id,
            stream_id=stream_id,
            original_channel=channel,
            stripped_channel=str(stripped_channel(uri)),
            channel=str(subscribed),
            auto_stop=auto_stop,
            extended_id=extended_id,
        )
        self._by_key[key] = subscription
        self._by_id[registration_id] = subscription
        self._awaited.append(subscription)
        return subscription

    def _check_extended(self, recording_id: int, stream_id: int) -> None:
        """Reject a recording that cannot be extended by a stream."""
        descriptor = self._catalog.get(recording_id).descriptor
        if descriptor.stream_id != stream_id:
            raise OperationError(
                f"cannot extend recording {recording_id} with streamId={stream_id}"
                f" for existing streamId={descriptor.stream_id}",
                ArchiveErrorCode.UNKNOWN_RECORDING,
            )
        if recording_id in self._active:
            raise OperationError(
                f"cannot extend active recording {recording_id}",
                ArchiveErrorCode.ACTIVE_RECORDING,
            )
        if descriptor.stop_position == NULL_VALUE:
            # The catalog could not be written: without an end all segments would count as after it.
            raise OperationError(
                f"cannot extend recording {recording_id}: its end is not in the catalog yet;"
                " request it again later",
                ArchiveErrorCode.GENERIC,
            )
        self._check_not_deleting(descriptor)

    def _check_not_deleting(self, descriptor: RecordingDescriptor) -> None:
        """Reject extending a recording into segments that are being deleted."""
        # Truncated to a start within a segment, the recording also loses the segment of its end.
        if self._highest_base_being_deleted(descriptor.recording_id) >= _end_base(descriptor):
            raise OperationError(
                f"cannot extend recording {descriptor.recording_id} due to an outstanding delete"
                f" operation: segments at and after stopPosition={descriptor.stop_position}",
                ArchiveErrorCode.GENERIC,
            )

    def _remove_left_over(self, descriptor: RecordingDescriptor) -> None:
        """Remove what is after the end, left by an archive killed during a truncation.

        Once the recording is extended, they would look like its own frames: a repair would find a
        wrong end. Segments of an interrupted migration belong to another recording: the migration
        must be requested again. Deleted ones, also those of a completed truncation, are gone after
        a power loss too: the directory is synced, unless ``file_sync_level`` is 0.
        """
        stop = descriptor.stop_position
        assert stop >= descriptor.start_position, f"recording without an end: {descriptor}"
        end = _end_base(descriptor)
        files, directory = self._context.seams.files, self._context.archive_dir
        sync_level = self._context.options.file_sync_level
        recording_id = descriptor.recording_id
        there = [each for each in segment_bases(files, directory, recording_id) if each >= end]
        problem = migration_problem(files, directory, self._catalog, descriptor, there)
        if problem:
            raise OperationError(
                f"cannot extend recording {recording_id}: {problem}", ArchiveErrorCode.GENERIC
            )
        for base in there:
            path = f"{directory}/{segment_name(recording_id, base)}"
            try:
                if base == end:  # it becomes the last segment
                    length = descriptor.segment_file_length
                    cut_segment(files, path, stop - end, length, sync_level=sync_level)
                else:
                    files.remove(path)
            except OSError as error:
                verb = "cut" if base == end else "delete"
                raise OperationError(
                    f"unable to {verb} segment file: {path}: {error}", ArchiveErrorCode.GENERIC
                ) from error
        if sync_level > 0:
            try:
                files.sync_directory(directory)
            except OSError as error:
                raise OperationError(
                    f"unable to sync directory: {directory}: {error}", ArchiveErrorCode.GENERIC
                ) from error

    def stop_by_channel(self, channel: str, stream_id: int) -> list[ActiveRecording]:
        """Stop all recordings of a channel and stream; return those that have not ended yet.

        Raises
        ------
        OperationError
            With code 4 if none match.
        """
        subscription = self._by_key.get(subscription_key(_parsed(channel), stream_id))
        if subscription is None:
            raise OperationError(
                f"no recording found for streamId={stream_id} channel={channel}",
                ArchiveErrorCode.UNKNOWN_SUBSCRIPTION,
            )
        if subscription.subscription is None:
            # Stopped before the driver has answered: otherwise its start would get no response.
            subscription.owner.send_ok(subscription.correlation_id, subscription.registration_id)
        return self.stop(subscription)

    def stop_by_subscription(self, subscription_id: int) -> list[ActiveRecording]:
        """Stop all recordings of a subscription; return those that have not ended yet.

        Raises
        ------
        OperationError
            With code 4 if the subscription does not exist.
        """
        subscription = self._by_id.get(subscription_id)
        if subscription is None or not self._is_listed(subscription):
            raise OperationError(
                f"no recording subscription found for subscriptionId={subscription_id}",
                ArchiveErrorCode.UNKNOWN_SUBSCRIPTION,
            )
        return self.stop(subscription)

    def stop_by_identity(self, recording_id: int) -> tuple[list[ActiveRecording], bool]:
        """Stop one recording; return it unless it has ended, and whether this is the first request.

        Its subscription is removed from the list, and closed when its last recording has ended.
        """
        active = self._active.get(recording_id)
        if active is None:
            return [], False
        active.abort("stop recording by identity")
        subscription = active.subscription
        was_listed = self._is_listed(subscription)
        if was_listed:
            self._forget_key(subscription)
            self._release(subscription)
        return [active], was_listed

    def answer_when_ended(
        self,
        session: ControlSession,
        correlation_id: int,
        recordings: list[ActiveRecording],
        relevant_id: int = 0,
    ) -> None:
        """Respond to a stop when its recordings have ended: until then they count as active."""
        request = _StopRequest(session, correlation_id, relevant_id, recordings)
        self._stop_requests.append(request)
        self._answer_stops()

    def _answer_stops(self) -> None:
        waiting = []
        for request in self._stop_requests:
            if any(self._active.get(each.recording_id) is each for each in request.recordings):
                waiting.append(request)
            else:
                request.session.send_ok(request.correlation_id, request.relevant_id)
        self._stop_requests = waiting

    def _check_count(self, reached: str) -> None:
        limit = self._context.options.max_concurrent_recordings
        if len(self._active) >= limit:
            raise OperationError(
                f"max concurrent recordings {reached} {limit}", ArchiveErrorCode.MAX_RECORDINGS
            )

    def _check_space(self) -> None:
        threshold = self._context.options.low_storage_space_threshold
        usable = self._context.seams.files.usable_space(self._context.archive_dir)
        if usable <= threshold:
            raise OperationError(
                f"low storage threshold={threshold}: usableSpace={usable} in"
                f" {self._context.archive_dir}",
                ArchiveErrorCode.STORAGE_SPACE,
            )

    def _on_available_image(self, image: Image) -> None:
        self._images.append(image)
        self._on_image()

    # ---- the end of subscriptions ----

    def stop(self, subscription: RecordingSubscription) -> list[ActiveRecording]:
        """Stop all recordings of a subscription; return those that have not ended yet."""
        self._forget_key(subscription)
        subscription.is_stopped = True
        stopped = [each for each in self._active.values() if each.subscription is subscription]
        for active in stopped:
            active.abort(_STOP)
        self._release(subscription)
        return stopped

    def _is_listed(self, subscription: RecordingSubscription) -> bool:
        return self._by_key.get(subscription.key) is subscription

    def _forget_key(self, subscription: RecordingSubscription) -> None:
        if self._is_listed(subscription):
            del self._by_key[subscription.key]

    def _release(self, subscription: RecordingSubscription) -> None:
        subscription.reference_count -= 1
        if subscription.reference_count > 0 and not (
            subscription.auto_stop and subscription.subscription is not None
        ):
            return
        if self._by_id.pop(subscription.registration_id, None) is None:
            return  # closed before
        self._forget_key(subscription)
        subscription.is_stopped = True
        for active in self._active.values():
            if active.subscription is subscription:
                active.abort("close recording session")
        if subscription.subscription is not None:
            subscription.subscription.close()
        else:
            self._awaited.remove(subscription)
            self._orphans.drop(self._aeron.get_subscription, subscription.registration_id)

    # ---- the passes ----

    def do_work(self) -> int:
        """Advance the recordings; return the work count."""
        work_count = 0
        if self._unstored:
            self._store_ends_again()
        if self._awaited:
            work_count += self._poll_subscriptions()
        if self._images:
            work_count += self._poll_images()
        if self._uncounted:
            work_count += self._poll_counters()
        if self._recorder.has_finished:
            for session in self._recorder.take_finished():
                self._attempt(partial(self._on_finished, session))
                work_count += 1
        if self._stop_requests:
            self._answer_stops()
        return work_count

    def _poll_subscriptions(self) -> int:
        count = 0
        for waiting in tuple(self._awaited):
            try:
                found = self._aeron.get_subscription(waiting.registration_id)
            except (RegistrationError, DriverTimeoutError) as error:
                self._awaited.remove(waiting)
                self._by_id.pop(waiting.registration_id, None)
                self._forget_key(waiting)
                waiting.is_stopped = True
                waiting.owner.send_error(
                    waiting.correlation_id, ArchiveErrorCode.GENERIC, str(error)
                )
                count += 1
                continue
            if found is not None:
                self._awaited.remove(waiting)
                waiting.subscription = found
                waiting.owner.send_ok(waiting.correlation_id, waiting.registration_id)
                count += 1
        return count

    def _poll_images(self) -> int:
        count = 0
        for _ in range(len(self._images)):
            image = self._images.popleft()
            subscription = self._by_id.get(image.subscription.registration_id)
            if subscription is None or subscription.is_stopped or image.is_closed:
                continue
            if subscription.subscription is None:
                self._images.append(image)  # its request is answered first
                continue
            count += 1
            try:
                if subscription.extended_id is None:
                    self._begin(subscription, image)
                else:
                    self._begin_extension(subscription, subscription.extended_id, image)
            except OSError as error:
                self._reject(subscription, error)
        return count

    def _reject(self, subscription: RecordingSubscription, error: OSError) -> None:
        """Report to the requester that the catalog cannot be written: no recording begins."""
        is_full = isinstance(error, InsufficientSpaceError)
        code = ArchiveErrorCode.STORAGE_SPACE if is_full else ArchiveErrorCode.GENERIC
        self._context.error_handler(error)
        subscription.owner.send_error(subscription.correlation_id, code, str(error))
        if subscription.auto_stop:
            self.stop(subscription)

    def _begin(self, subscription: RecordingSubscription, image: Image) -> None:
        term_length = image.term_buffer_length
        segment_length = max(self._context.options.segment_file_length, term_length)
        recording_id = self._catalog.add(
            start_position=image.join_position,
            start_timestamp=self._context.epoch_ms(),
            initial_term_id=image.initial_term_id,
            segment_file_length=segment_length,
            term_buffer_length=term_length,
            mtu_length=image.mtu_length,
            session_id=image.session_id,
            stream_id=image.stream_id,
            stripped_channel=subscription.stripped_channel,
            original_channel=subscription.original_channel,
            source_identity=image.source_identity,
        )
        self._add(subscription, image, recording_id, image.join_position, segment_length)

    def _begin_extension(
        self, subscription: RecordingSubscription, recording_id: int, image: Image
    ) -> None:
        try:
            descriptor = self._extensible(recording_id, image)
        except OperationError as error:
            subscription.owner.send_error(subscription.correlation_id, error.code, error.message)
            if subscription.auto_stop:
                self.stop(subscription)
            return
        end = (recording_id, descriptor.stop_position, descriptor.stop_timestamp)
        if self._slots is not None:
            # Before the catalog is changed: the session is created once its counter exists.
            self._slots.note(recording_id, descriptor.stop_position)
        try:
            self._catalog.extend(
                recording_id,
                subscription.owner.session_id,
                subscription.correlation_id,
                image.session_id,
            )
        except OSError:
            # It may be active in the catalog already, and nothing else would end it.
            self._unstored.append(end)
            raise
        self._unstored = [each for each in self._unstored if each[0] != recording_id]
        self._add(
            subscription,
            image,
            recording_id,
            descriptor.start_position,
            descriptor.segment_file_length,
        )

    def _extensible(self, recording_id: int, image: Image) -> RecordingDescriptor:
        if recording_id in self._active:
            raise OperationError(
                f"cannot extend active recording {recording_id}", ArchiveErrorCode.ACTIVE_RECORDING
            )
        descriptor = self._catalog.get(recording_id).descriptor
        # A request may have started that meanwhile.
        self._check_not_deleting(descriptor)
        for what, found, field_name, expected in (
            ("joinPosition", image.join_position, "stopPosition", descriptor.stop_position),
            ("initialTermId", image.initial_term_id, "initialTermId", descriptor.initial_term_id),
            (
                "termBufferLength",
                image.term_buffer_length,
                "termBufferLength",
                descriptor.term_buffer_length,
            ),
            ("mtuLength", image.mtu_length, "mtuLength", descriptor.mtu_length),
        ):
            if found != expected:
                raise OperationError(
                    f"cannot extend recording {recording_id} image.{what}={found}"
                    f" != rec.{field_name}={expected}",
                    ArchiveErrorCode.INVALID_EXTENSION,
                )
        self._remove_left_over(descriptor)
        return descriptor

    def _add(
        self,
        subscription: RecordingSubscription,
        image: Image,
        recording_id: int,
        start_position: int,
        segment_length: int,
    ) -> None:
        subscription.reference_count += 1
        active = ActiveRecording(
            recording_id=recording_id,
            subscription=subscription,
            image=image,
            join_position=image.join_position,
            session_id=image.session_id,
            stream_id=image.stream_id,
            segment_base=base_position(
                start_position, image.join_position, image.term_buffer_length, segment_length
            ),
            segment_length=segment_length,
        )
        self._active[recording_id] = active
        self._count(len(self._active))
        try:
            active.counter_registration_id = self._add_counter(subscription, image, recording_id)
        except OperationError as error:  # the driver's command ring is full
            self._fail(active, ArchiveErrorCode.GENERIC, str(error))
        else:
            self._uncounted.append(active)

    def _add_counter(
        self, subscription: RecordingSubscription, image: Image, recording_id: int
    ) -> int:
        archive_id = self._context.archive_id
        key = position_key(recording_id, image.session_id, image.source_identity, archive_id)
        begin = f"rec-pos: {recording_id} {image.session_id} {image.stream_id} "
        end = f" - archiveId={archive_id}"
        room = MAX_LABEL_LENGTH - len(begin) - len(end)
        label = begin + subscription.stripped_channel[:room] + end
        return self._aeron.async_add_counter(POSITION_COUNTER_TYPE, label, key)

    def _poll_counters(self) -> int:
        count = 0
        for active in tuple(self._uncounted):
            try:
                counter = self._aeron.get_counter(active.counter_registration_id)
            except (RegistrationError, DriverTimeoutError) as error:
                self._uncounted.remove(active)
                self._fail(active, ArchiveErrorCode.GENERIC, str(error))
                count += 1
                continue
            if counter is not None:
                self._uncounted.remove(active)
                active.counter = counter
                self._start(active, counter)
                count += 1
        return count

    def _start(self, active: ActiveRecording, counter: Counter) -> None:
        subscription = active.subscription
        try:
            session = RecordingSession(
                active.image,
                counter,
                recording_id=active.recording_id,
                position=active.join_position,
                segment_base=active.segment_base,
                segment_length=active.segment_length,
                block_length_limit=self._context.options.file_io_max_length,
                slots=self._slots,
            )
        except ClosedError:
            # The image closed before the driver had created the counter: nothing was recorded.
            self._end(active, active.join_position)
            return
        active.session = session
        self._enter(active, RecordingPhase.RECORDING, active.join_position, "")
        if active.is_aborted:
            session.abort()
        is_extension = subscription.extended_id is not None
        subscription.owner.send_signal(
            subscription.correlation_id,
            active.recording_id,
            subscription.registration_id,
            active.join_position,
            RecordingSignal.EXTEND if is_extension else RecordingSignal.START,
        )
        self._events.started(
            active.recording_id,
            active.join_position,
            active.session_id,
            active.stream_id,
            subscription.original_channel,
            active.image.source_identity,
        )
        self._recorder.add(session)

    def _on_finished(self, session: RecordingSession) -> None:
        active = self._active[session.recording_id]
        if text := session.error_text(self._context.archive_dir):
            is_full = session.error_number in (errno.ENOSPC, errno.EDQUOT)
            code = ArchiveErrorCode.STORAGE_SPACE if is_full else ArchiveErrorCode.GENERIC
            self._context.error_handler(OperationError(text, code))
            active.subscription.owner.send_error(active.subscription.correlation_id, code, text)
        self._end(active, session.final_position, text)

    def _fail(self, active: ActiveRecording, code: int, text: str) -> None:
        active.subscription.owner.send_error(active.subscription.correlation_id, code, text)
        self._end(active, active.join_position, text)

    def _enter(
        self, active: ActiveRecording, phase: RecordingPhase, position: int, reason: str
    ) -> None:
        self._context.events.record(
            ArchiveEvent.RECORDING_SESSION_STATE_CHANGE,
            recording_id=active.recording_id,
            position=position,
            states=(active.phase, phase),
            reason=reason,
        )
        active.phase = phase

    def _end(self, active: ActiveRecording, position: int, reason: str = "") -> None:
        if not reason:
            is_closing = active.session is not None and (
                active.session.end is RecordingEnd.RECORDING_CLOSED
            )
            reason = active.abort_reason or (
                "the archive was closed" if is_closing else _image_text(active.image)
            )
        self._enter(active, RecordingPhase.INACTIVE, position, reason)
        self._enter(active, RecordingPhase.STOPPED, position, "")
        subscription = active.subscription
        del self._active[active.recording_id]
        self._count(len(self._active))
        self._store_end(active.recording_id, position, self._context.epoch_ms())
        self._events.stopped(active.recording_id, active.join_position, position)
        if subscription.before_stop is not None:
            self._attempt(partial(subscription.before_stop, position))
        subscription.owner.send_signal(
            subscription.correlation_id,
            active.recording_id,
            subscription.registration_id,
            position,
            RecordingSignal.STOP,
        )
        # Replays get the end before the counter, which holds it too, can be reused.
        self._on_stopped(active.recording_id, position)
        if active.counter is not None:
            active.counter.close()
        self._release(subscription)

    def _store_end(self, recording_id: int, position: int, timestamp_ms: int) -> None:
        """Write a recording's stop position to the catalog; notify users even on failure."""
        try:
            self._catalog.stop(recording_id, position, timestamp_ms)
        except OSError as error:
            # The next start would repair it by the segments; until then storing is retried.
            self._unstored.append((recording_id, position, timestamp_ms))
            self._context.error_handler(error)
            return
        if self._slots is not None:
            self._slots.release(recording_id)

    def _store_ends_again(self) -> None:
        unstored, self._unstored = self._unstored, []
        for end in unstored:
            self._attempt(partial(self._store_end_again, *end))

    def _store_end_again(self, recording_id: int, position: int, timestamp_ms: int) -> None:
        """Store an end, unless a request changed it: if only a sync failed, it was there."""
        if recording_id in self._catalog:
            try:
                stored = self._catalog.get(recording_id).descriptor.stop_position
            except OSError:
                self._unstored.append((recording_id, position, timestamp_ms))
                raise
            if stored in (NULL_VALUE, position):
                self._store_end(recording_id, position, timestamp_ms)
                return
        if self._slots is not None:
            self._slots.release(recording_id)

    # ---- the end ----

    def close(self, *, are_final: bool) -> None:
        """Store the stop positions of the recordings.

        Parameters
        ----------
        are_final : bool
            Whether the positions no longer change: the recorder is closed, or of this thread.
        """
        for session in self._recorder.take_finished():
            self._attempt(partial(self._on_finished, session))
        for active in tuple(self._active.values()):
            if active.session is not None and (active.session.is_broken or not are_final):
                continue  # without an end in the catalog, it is found at the next start
            self._attempt(partial(self._end, active, active.position))
        self._attempt(self._answer_stops)
        for subscription in tuple(self._by_id.values()):
            subscription.reference_count = 1
            self._attempt(partial(self._release, subscription))

    def _attempt(self, work: Callable[[], object]) -> None:
        """Handle one recording; if that fails, the others are still handled."""
        try:
            work()
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one recording
            self._context.error_handler(error)


def _end_base(descriptor: RecordingDescriptor) -> int:
    """Return the base of the segment in which a stopped recording continues."""
    return base_position(
        descriptor.start_position,
        descriptor.stop_position,
        descriptor.term_buffer_length,
        descriptor.segment_file_length,
    )


def _parsed(channel: str) -> ChannelUri:
    try:
        return ChannelUri.parse(channel).validate()
    except ConfigurationError as error:
        raise OperationError(str(error), ArchiveErrorCode.GENERIC) from error


def _ignore_image(_: Image) -> None:
    """Do nothing: the recorder itself detects closed images."""
