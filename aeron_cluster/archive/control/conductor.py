"""The archive's conductor: it creates its components, and `do_work` runs them in order.

``io.aeron.archive.ArchiveConductor``. Its agent (`ArchiveConductorAgent`) calls `do_work` for a
request, an ended session or a deadline, and in every pass while something waits for the driver or
for flow control.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.control.conductor_agent import ArchiveConductorAgent
from aeron_cluster.archive.control.control_requests import ControlRequests
from aeron_cluster.archive.control.listing import Listings
from aeron_cluster.archive.control.maintenance import Maintenance
from aeron_cluster.archive.recording.recordings import Recordings
from aeron_cluster.archive.replay.replays import Replays
from aeron_cluster.archive.replication.replications import Replications
from aeron_cluster.archive.sessions.control_sessions import ControlSessions
from aeron_cluster.archive.sessions.orphans import Orphans
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.control.counters import ArchiveCounters
    from aeron_cluster.archive.control.mark_file import ArchiveMarkFile
    from aeron_cluster.archive.recording.recorder import Recorder
    from aeron_cluster.archive.recording.recording_events import RecordingEvents
    from aeron_cluster.archive.replay.replayer import Replayer
    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["ArchiveConductor"]

_FRAGMENT_LIMIT: Final = 10
_PROGRESS_INTERVAL_NS: Final = 1_000_000
# The longest delay until storing the end of a recording is retried.
_STORE_INTERVAL_NS: Final = 1_000_000_000


class ArchiveConductor:
    """Drives control sessions, recordings, replays, replications, lists and deletions.

    Parameters
    ----------
    context : ArchiveContext
    aeron : Aeron
        The archive's own client, driven on the same thread.
    catalog : Catalog
    mark_file : ArchiveMarkFile
    recorder : Recorder
    replayer : Replayer
    counters : ArchiveCounters
    events : RecordingEvents
    control : list of Subscription
        The subscriptions to requests.
    """

    def __init__(
        self,
        context: ArchiveContext,
        aeron: Aeron,
        catalog: Catalog,
        mark_file: ArchiveMarkFile,
        recorder: Recorder,
        replayer: Replayer,
        counters: ArchiveCounters,
        events: RecordingEvents,
        control: list[Subscription],
    ) -> None:
        self._context = context
        self._clock = context.seams.clock
        self._aeron = aeron
        self._activity_stamp = mark_file.activity_stamp
        self._events = events
        self._control = control
        self._orphans = Orphans()
        self._is_closed = False
        self._recordings = Recordings(
            context,
            aeron,
            catalog,
            recorder,
            mark_file.slots,
            events,
            self._orphans,
            on_image=self._request_duty_cycle,
            on_stopped=self._on_recording_stopped,
            highest_base_being_deleted=self._highest_base_being_deleted,
            count=_setter(counters.recording_sessions),
        )
        self._replays = Replays(
            context,
            aeron,
            catalog,
            replayer,
            self._recordings,
            self._orphans,
            count=_setter(counters.replay_sessions),
        )
        self._sessions = ControlSessions(
            context,
            aeron,
            context.authenticator_supplier(),
            self._orphans,
            count=_setter(counters.control_sessions),
            reject_image=self._reject_image,
        )
        self._listings = Listings(catalog)
        self._maintenance = Maintenance(context, catalog, self._recordings, self._replays)
        self._replications = Replications(
            context,
            aeron,
            catalog,
            self._recordings,
            self._sessions.next_id,
        )
        self._requests = ControlRequests(
            context,
            self._sessions,
            catalog,
            self._recordings,
            self._replays,
            self._listings,
            self._maintenance,
            self._replications,
        )
        self._assemblers = [FragmentAssembler(self._on_message) for _ in control]
        self.agent = ArchiveConductorAgent(
            self, self._clock, recorder, replayer, control, mark_file.activity_stamp
        )

    def _reject_image(self, image: Image, reason: str) -> None:
        self._orphans.ignore(
            self._aeron.is_done, self._aeron.async_reject_image(image, reason[:1023])
        )

    def _request_duty_cycle(self) -> None:
        self.agent.set_next(0, is_busy=True)

    def _on_recording_stopped(self, recording_id: int, position: int) -> None:
        self._replays.on_recording_stopped(recording_id, position)

    def _highest_base_being_deleted(self, recording_id: int) -> int:
        return self._maintenance.highest_base_being_deleted(recording_id)

    def _on_message(self, view: MessageView, header: Header) -> None:
        """Handle a request; an error is reported to its client, and the next one is handled."""
        try:
            self._requests.on_message(view, header)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one request
            self._context.error_handler(error)

    def _attempt(self, work: Callable[[], int | None]) -> int:
        """Do a part of the work; if it fails, the other parts are still done in this pass."""
        try:
            return work() or 0
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one part
            self._context.error_handler(error)
            return 1

    def do_work(self) -> int:
        """Do what is due; return the work count."""
        if self._aeron.is_closed:
            failure = self._aeron.failure or "not by the archive"
            raise AgentTerminationError(f"unexpected Aeron close: {failure}")
        now_ns = self._clock.nano_time()
        work_count = 0
        try:
            self._activity_stamp.check()
            for subscription, assembler in zip(self._control, self._assemblers, strict=True):
                work_count += self._attempt(partial(subscription.poll, assembler, _FRAGMENT_LIMIT))
            work_count += self._attempt(self._recordings.do_work)
            work_count += self._attempt(self._replays.do_work)
            work_count += self._attempt(partial(self._replications.do_work, now_ns))
            work_count += self._attempt(partial(self._sessions.do_work, now_ns))
            work_count += self._attempt(self._listings.do_work)
            work_count += self._attempt(self._maintenance.do_work)
            work_count += self._attempt(self._orphans.do_work)
            active = self._recordings.active.values()
            work_count += self._attempt(partial(self._events.progress, active))
        finally:
            self.agent.set_next(self._next_deadline_ns(now_ns), self._is_busy())
            self.agent.set_sessions(self._sessions.watches)
        return work_count

    def _is_busy(self) -> bool:
        return (
            self._sessions.is_busy
            or self._recordings.is_busy
            or self._replays.is_busy
            or self._listings.is_busy
            or self._maintenance.is_busy
            or self._orphans.is_busy
        )

    def _next_deadline_ns(self, now_ns: int) -> int:
        deadline_ns = min(
            self._sessions.next_deadline_ns(now_ns), self._replications.next_deadline_ns()
        )
        if self._events.is_enabled and self._recordings.active:
            deadline_ns = min(deadline_ns, now_ns + _PROGRESS_INTERVAL_NS)
        if self._recordings.has_unstored_ends:
            deadline_ns = min(deadline_ns, now_ns + _STORE_INTERVAL_NS)
        return deadline_ns

    def close(self) -> None:
        """Store the stop positions of recordings, and end the sessions.

        The recorder and the replayer are closed first, unless this thread ends by itself.
        """
        if self._is_closed:
            return
        self._is_closed = True
        are_final = not self.agent.is_recorder_driven
        for close in (
            self._replications.close,
            partial(self._recordings.close, are_final=are_final),
            self._replays.close,
            self._sessions.close,
        ):
            self._attempt(close)


def _setter(counter: Counter) -> Callable[[int], None]:
    """Return a function that sets a counter until the client closes it."""

    def set_if_open(value: int) -> None:
        if not counter.is_closed:
            counter.set(value)

    return set_if_open
