"""The publication of the log, and the one recording that all its terms extend.

The parts of ConsensusModuleAgent and Election that prepare the log's channel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.recording_pos import find_counter_by_session, is_active
from aeron_cluster.archive.waiting import (
    await_recording,
    list_recording,
    list_recording_subscriptions,
    send_request,
)
from aeron_cluster.client.waiting import await_exclusive_publication
from aeron_cluster.cluster.log.log_destinations import LogDestinations
from aeron_cluster.cluster.members.members import any_port
from aeron_cluster.codecs.archive import (
    ExtendRecordingRequest2,
    RecordingSignal,
    RecordingSignalEvent,
    SourceLocation,
    StartRecordingRequest2,
    StopRecordingByIdentityRequest,
    StopRecordingRequest,
    StopRecordingSubscriptionRequest,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import ArchiveError, ClusterError
from aeron_cluster.memory.agents.waiting import Waiting, until

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.codecs.message import Message

__all__ = ["LogChannel", "LogRecording"]

_ALIAS: Final = "alias=log"  # of a leader's log, and the beginning of a follower's
_MAX_SUBSCRIPTIONS: Final = 100


class LogChannel(NamedTuple):
    """The publication of the log of a term, and its local subscriptions.

    Parameters
    ----------
    publication : ExclusivePublication
    local : str
        The channel for the archive, which records it as LOCAL.
    spy : str
        The channel for the services.
    destinations : LogDestinations
        The other members.
    """

    publication: ExclusivePublication
    local: str
    spy: str
    destinations: LogDestinations


class LogRecording:
    """The recording of the log.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    archive : AeronArchive
    recording_id : int
        The id of the log's recording; -1 without one.
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        aeron: Aeron,
        archive: AeronArchive,
        recording_id: int = NULL_VALUE,
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._archive = archive
        self.recording_id = recording_id
        self.counter_id: int | None = None
        self._session_id = NULL_VALUE
        # The channel of the last recording request, until it is stopped, whether the recording was
        # observed or not.
        self._requested_channel: str | None = None
        self._is_stopping = False

    @property
    def position(self) -> int | None:
        """The recorded position; None while the log is not recorded."""
        if self.counter_id is None:
            return None
        counters = self._aeron.counters_reader
        position = counters.value(self.counter_id)
        # Checked after reading the value: the counter may have been reused meanwhile.
        return position if is_active(counters, self.counter_id, self.recording_id) else None

    def on_signal(self, signal: RecordingSignalEvent) -> bool:
        """Handle a signal of the archive; return whether the recording stopped unrequested."""
        if signal.recording_id != self.recording_id or self.counter_id is None:
            return False
        return signal.signal is RecordingSignal.STOP and not self._is_stopping

    def stop(self) -> Waiting[RecordingDescriptor | None]:
        """Stop the recording if it is active, and return its extent in the archive.

        Raises
        ------
        ClusterError
            The archive does not have the recording.
        """
        self._is_stopping = True
        try:
            if self._requested_channel is not None and self.counter_id is None:
                # Stopped before the recording was observed: the archive may still start it.
                yield from self._stop_requested_channel(self._requested_channel)
            descriptor = None
            if self.recording_id != NULL_VALUE:
                yield from send_request(
                    self._archive, StopRecordingByIdentityRequest, recording_id=self.recording_id
                )
                while (descriptor := (yield from self._describe())).stop_position == NULL_VALUE:
                    yield
            self.counter_id = None
            if self._requested_channel is not None:
                # The next recording may have the same session, and would be mistaken for this one.
                yield from until(lambda: None if self._find_counter() else True)
                self._requested_channel = None
        finally:
            self._is_stopping = False
        return descriptor

    def stop_earlier(self) -> Waiting[None]:
        """Stop what an earlier process of this module requested, also if no recording came of it.

        The archive may still start that, and its subscription keeps the addresses of that process's
        destinations bound: this member could receive no log. No counterpart in Aeron.
        """
        options, counters = self._context.options, self._aeron.counters_reader
        found = yield from list_recording_subscriptions(
            self._archive, _ALIAS, options.log_stream_id, _MAX_SUBSCRIPTIONS
        )
        for each in found:
            session_id = ChannelUri.parse(each.stripped_channel).session_id
            if session_id is None:
                continue  # the log has a number
            active = find_counter_by_session(counters, session_id, self._archive.archive_id)
            # Another cluster's recording in the same archive goes on.
            if active is None or active[1] == self.recording_id:
                yield from self._stop_if_known(
                    StopRecordingSubscriptionRequest, subscription_id=each.subscription_id
                )

    def _stop_requested_channel(self, channel: str) -> Waiting[None]:
        yield from self._stop_if_known(
            StopRecordingRequest, channel=channel, stream_id=self._context.options.log_stream_id
        )

    def _stop_if_known(self, kind: type[Message], **values: object) -> Waiting[None]:
        try:
            yield from send_request(self._archive, kind, **values)
        except ArchiveError as error:
            if error.code != ArchiveErrorCode.UNKNOWN_SUBSCRIPTION:
                raise

    def _describe(self) -> Waiting[RecordingDescriptor]:
        descriptor = yield from list_recording(self._archive, self.recording_id)
        if descriptor is None:
            raise ClusterError(
                f"recording {self.recording_id} of the log: unknown to archive"
                f" {self._archive.archive_id}"
            )
        return descriptor

    def _find_counter(self) -> tuple[int, int] | None:
        return find_counter_by_session(
            self._aeron.counters_reader, self._session_id, self._archive.archive_id
        )

    def add_publication(self, position: int) -> Waiting[LogChannel]:
        """Add the publication that continues the log at a position."""
        options = self._context.options
        channel = ChannelUri.parse(options.log_channel)
        tags = (self._aeron.next_correlation_id(), self._aeron.next_correlation_id())
        params: dict[str, str | int | bool | None] = {
            "alias": "log",
            "tags": f"{tags[0]},{tags[1]}",
        }
        if not channel.is_ipc:
            # A single member has no followers: its spies count as connected subscribers.
            params["ssc"] = len(self._context.members) == 1
            if "endpoint" not in channel:
                params["control-mode"] = "manual"
                if options.log_control_enable:
                    params["control"] = any_port(self._context.member.log_endpoint)
        if self.recording_id == NULL_VALUE:
            params |= {"init-term-id": 0, "term-id": 0, "term-offset": 0}
        else:
            descriptor = yield from self._describe()
            params |= _position_params(position, descriptor)
        publication = yield from await_exclusive_publication(
            self._aeron, channel.with_params(params), options.log_stream_id
        )
        is_multi_destination = not channel.is_ipc and "endpoint" not in channel
        try:
            destinations = LogDestinations(
                self._context, self._aeron, publication, channel if is_multi_destination else None
            )
            yield from destinations.add()
        except BaseException:
            publication.close()  # an election that ends here has no owner for it
            raise
        media = "ipc" if channel.is_ipc else "udp"
        local = f"aeron:{media}?tags={tags[0]}|session-id={publication.session_id}|alias=log"
        spy = local if channel.is_ipc else f"aeron-spy:{local}"
        return LogChannel(publication, local, spy, destinations)

    def start(
        self, channel: str, session_id: int, source: SourceLocation = SourceLocation.LOCAL
    ) -> Waiting[None]:
        """Record the log, and wait until its position counter exists.

        Parameters
        ----------
        channel : str
        session_id : int
            The session id of the publication.
        source : SourceLocation
            LOCAL for the own publication, REMOTE for another leader's.
        """
        self._requested_channel, self._session_id = channel, session_id
        values: dict[str, object] = {
            "channel": channel,
            "stream_id": self._context.options.log_stream_id,
            "source_location": source,
            "auto_stop": True,
        }
        if self.recording_id == NULL_VALUE:
            yield from send_request(self._archive, StartRecordingRequest2, **values)
        else:
            yield from send_request(
                self._archive, ExtendRecordingRequest2, recording_id=self.recording_id, **values
            )
        self.counter_id, self.recording_id = yield from await_recording(self._archive, session_id)


def _position_params(position: int, descriptor: RecordingDescriptor) -> dict[str, int]:
    """Return the parameters of a publication that continues at the end of a recording."""
    term_length = descriptor.term_buffer_length
    term_count, term_offset = divmod(position, term_length)
    term_id = descriptor.initial_term_id + term_count
    return {
        "init-term-id": descriptor.initial_term_id,
        "term-id": (term_id + 2**31) % 2**32 - 2**31,
        "term-offset": term_offset,
        "term-length": term_length,
        "mtu": descriptor.mtu_length,
    }
