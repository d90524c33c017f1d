"""Incoming requests: decoded, checked for session and permission, dispatched to their component.

``io.aeron.archive.ControlSessionAdapter`` and the dispatching half of ``ControlSession``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from aeron_cluster.archive.protocol.channels import is_response_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.replay.replays import RequestedReplay
from aeron_cluster.archive.replication.replication_session import RequestedReplication
from aeron_cluster.archive.sessions.control_session import ConnectDetails
from aeron_cluster.client.image import Image
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import AeronClusterError, ConfigurationError, OperationError
from aeron_cluster.events.captures import capture_message
from aeron_cluster.memory.agents.user_callback import call_user

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.control.listing import Listings
    from aeron_cluster.archive.control.maintenance import Maintenance
    from aeron_cluster.archive.recording.recordings import Recordings
    from aeron_cluster.archive.replay.replays import Replays
    from aeron_cluster.archive.replication.replications import Replications
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.archive.sessions.control_sessions import ControlSessions
    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["ControlRequests"]

_REPLAY_FIELDS: Final = {"file_io_max_length": 7, "replay_token": 10}
_FIELD_SINCE_VERSION: Final[Mapping[type[Message], Mapping[str, int]]] = {
    codecs.ReplayRequest: _REPLAY_FIELDS,
    codecs.BoundedReplayRequest: _REPLAY_FIELDS,
    codecs.ReplicateRequest2: {"file_io_max_length": 7, "replication_session_id": 8},
}
"""The schema version of each optional number; newer clients send -1 for no value."""
# A request's fields differ by its class; the table below pairs each with the one method that reads
# it.
_Request: TypeAlias = Any
_Handler: TypeAlias = Callable[["ControlSession", _Request, Image], int | None]


class ControlRequests:
    """Handles every message of the control streams.

    Parameters
    ----------
    context : ArchiveContext
    sessions : ControlSessions
    catalog : Catalog
    recordings : Recordings
    replays : Replays
    listings : Listings
    maintenance : Maintenance
    replications : Replications

    Notes
    -----
    A handler of `_handlers` returns the relevant id of the OK response, or None if the response is
    sent later or in another way; an `OperationError` becomes the response.
    """

    def __init__(
        self,
        context: ArchiveContext,
        sessions: ControlSessions,
        catalog: Catalog,
        recordings: Recordings,
        replays: Replays,
        listings: Listings,
        maintenance: Maintenance,
        replications: Replications,
    ) -> None:
        self._context = context
        self._sessions = sessions
        self._catalog = catalog
        self._recordings = recordings
        self._replays = replays
        self._listings = listings
        self._maintenance = maintenance
        self._replications = replications
        self._handlers: Mapping[type[Message], _Handler] = {
            codecs.KeepAliveRequest: lambda _session, _request, _image: None,
            codecs.ArchiveIdRequest: lambda _session, _request, _image: context.archive_id,
            codecs.StartRecordingRequest: self._start_recording,
            codecs.StartRecordingRequest2: self._start_recording,
            codecs.ExtendRecordingRequest: self._extend_recording,
            codecs.ExtendRecordingRequest2: self._extend_recording,
            codecs.StopRecordingRequest: self._stop_recording,
            codecs.StopRecordingSubscriptionRequest: self._stop_recording_subscription,
            codecs.StopRecordingByIdentityRequest: self._stop_recording_by_identity,
            codecs.ReplayRequest: self._replay,
            codecs.BoundedReplayRequest: self._replay,
            codecs.StopReplayRequest: self._stop_replay,
            codecs.StopAllReplaysRequest: self._stop_all_replays,
            codecs.ReplayTokenRequest: self._replay_token,
            codecs.ListRecordingsRequest: self._list_recordings,
            codecs.ListRecordingsForUriRequest: self._list_recordings_for_uri,
            codecs.ListRecordingRequest: self._list_recording,
            codecs.ListRecordingSubscriptionsRequest: self._list_subscriptions,
            codecs.FindLastMatchingRecordingRequest: self._find_last,
            codecs.StartPositionRequest: self._start_position,
            codecs.StopPositionRequest: self._stop_position,
            codecs.RecordingPositionRequest: self._recording_position,
            codecs.MaxRecordedPositionRequest: self._max_recorded_position,
            codecs.TruncateRecordingRequest: self._truncate,
            codecs.PurgeRecordingRequest: self._purge,
            codecs.DetachSegmentsRequest: self._detach_segments,
            codecs.DeleteDetachedSegmentsRequest: self._delete_detached_segments,
            codecs.PurgeSegmentsRequest: self._purge_segments,
            codecs.AttachSegmentsRequest: self._attach_segments,
            codecs.MigrateSegmentsRequest: self._migrate_segments,
            codecs.UpdateChannelRequest: self._update_channel,
            codecs.ReplicateRequest: self._replicate,
            codecs.TaggedReplicateRequest: self._replicate,
            codecs.ReplicateRequest2: self._replicate,
            codecs.StopReplicationRequest: self._stop_replication,
        }

    def on_message(self, view: MessageView, header: Header) -> None:
        """Handle one request."""
        template_id = codecs.template_id_of(view)
        capture_message(self._context.events, view)
        request_class = codecs.SCHEMA.messages.get(template_id)
        if request_class is None:
            return  # a request type of a newer client
        image = header.context
        assert isinstance(image, Image), image
        request: _Request = codecs.decode(view)
        _set_absent_fields(request)
        match request:
            case codecs.AuthConnectRequest():
                self._connect(request, image, request.encoded_credentials, request.client_info)
            case codecs.ConnectRequest():
                self._connect(request, image, b"", "")
            case codecs.CloseSessionRequest():
                if session := self._sessions.find(request.control_session_id):
                    session.end("session closed")
            case codecs.ChallengeResponse():
                if session := self._sessions.find(request.control_session_id):
                    session.on_challenge_response(
                        request.correlation_id, request.encoded_credentials
                    )
            case _:
                if handler := self._handlers.get(request_class):
                    self._dispatch(request, handler, image)

    def _connect(
        self,
        request: codecs.AuthConnectRequest | codecs.ConnectRequest,
        image: Image,
        encoded_credentials: bytes,
        client_info: str,
    ) -> None:
        details = ConnectDetails(
            correlation_id=request.correlation_id,
            response_stream_id=request.response_stream_id,
            response_channel=ChannelUri.parse(request.response_channel).validate(),
            version=request.version,
            client_info=client_info,
            image=image,
        )
        self._sessions.open(details, encoded_credentials)

    def _dispatch(self, request: _Request, handler: _Handler, image: Image) -> None:
        session = self._session_of(request)
        if session is None:
            text = f"{type(request).__name__}: unknown"
            text += f" controlSessionId={request.control_session_id}"
            if _has_token(request):
                token = request.replay_token
                text = f"Unknown session or token timeout for replayToken={token}: {text}"
            self._context.error_handler(
                OperationError(text, ArchiveErrorCode.GENERIC, request.correlation_id)
            )
            return
        # A token may be the first request of a session.
        if not session.try_activate() and not isinstance(request, codecs.ReplayTokenRequest):
            return
        try:
            self._authorise(session, request)
            relevant_id = handler(session, request, image)
        except OperationError as error:
            session.send_error(request.correlation_id, error.code, error.message)
            return
        except (OSError, AeronClusterError) as error:
            # Of a deleted file, for example: reported to the archive's log and to the client.
            self._context.error_handler(error)
            session.send_error(request.correlation_id, ArchiveErrorCode.GENERIC, str(error))
            return
        if relevant_id is not None:
            session.send_ok(request.correlation_id, relevant_id)

    def _session_of(self, request: _Request) -> ControlSession | None:
        if _has_token(request):
            # It is sent by another publication, which has no session.
            return self._sessions.by_token(request.replay_token, request.recording_id)
        return self._sessions.find(request.control_session_id)

    def _authorise(self, session: ControlSession, request: _Request) -> None:
        is_allowed = call_user(
            "authorisation_service",
            self._context.authorisation_service,
            codecs.SCHEMA.schema_id,
            request.template_id,
            None,
            session.encoded_principal,
        )
        if not is_allowed:
            error = OperationError(
                "unauthorised action", ArchiveErrorCode.UNAUTHORISED_ACTION, request.correlation_id
            )
            self._context.error_handler(error)
            raise error

    # ---- recordings ----

    def _start_recording(
        self,
        session: ControlSession,
        request: _Request,
        _image: Image,
        extended_id: int | None = None,
    ) -> None:
        self._recordings.start(
            session,
            request.correlation_id,
            request.stream_id,
            request.channel,
            request.source_location,
            auto_stop=bool(getattr(request, "auto_stop", False)),
            extended_id=extended_id,
        )

    def _extend_recording(self, session: ControlSession, request: _Request, image: Image) -> None:
        self._start_recording(session, request, image, extended_id=request.recording_id)

    def _stop_recording(self, session: ControlSession, request: _Request, _image: Image) -> None:
        stopped = self._recordings.stop_by_channel(request.channel, request.stream_id)
        self._recordings.answer_when_ended(session, request.correlation_id, stopped)

    def _stop_recording_subscription(
        self, session: ControlSession, request: _Request, _image: Image
    ) -> None:
        stopped = self._recordings.stop_by_subscription(request.subscription_id)
        self._recordings.answer_when_ended(session, request.correlation_id, stopped)

    def _stop_recording_by_identity(
        self, session: ControlSession, request: _Request, _image: Image
    ) -> None:
        self._catalog.get(request.recording_id)
        stopped, was_found = self._recordings.stop_by_identity(request.recording_id)
        self._recordings.answer_when_ended(session, request.correlation_id, stopped, int(was_found))

    # ---- replays ----

    def _replay(self, session: ControlSession, request: _Request, image: Image) -> None:
        self._replays.start(
            RequestedReplay(
                session=session,
                correlation_id=request.correlation_id,
                recording_id=request.recording_id,
                position=request.position,
                length=request.length,
                stream_id=request.replay_stream_id,
                channel=request.replay_channel,
                file_io_max_length=request.file_io_max_length,
                limit_counter_id=getattr(request, "limit_counter_id", NULL_VALUE),
                image=image,
            )
        )

    def _stop_replay(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._replays.stop(session, request.correlation_id, request.replay_session_id)

    def _stop_all_replays(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._replays.stop_all(session, request.correlation_id, request.recording_id)

    def _replay_token(self, session: ControlSession, request: _Request, _image: Image) -> int:
        return self._sessions.new_token(session, request.recording_id)

    # ---- lists and positions ----

    def _list_recordings(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._listings.list_recordings(
            session,
            request.correlation_id,
            request.from_recording_id,
            request.record_count,
            lambda _: True,
        )

    def _list_recordings_for_uri(
        self, session: ControlSession, request: _Request, _image: Image
    ) -> None:
        stream_id, fragment = request.stream_id, request.channel
        self._listings.list_recordings(
            session,
            request.correlation_id,
            request.from_recording_id,
            request.record_count,
            lambda found: found.stream_id == stream_id and fragment in found.original_channel,
        )

    def _list_recording(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._listings.list_recording(session, request.correlation_id, request.recording_id)

    def _list_subscriptions(
        self, session: ControlSession, request: _Request, _image: Image
    ) -> None:
        self._listings.list_subscriptions(
            session,
            request.correlation_id,
            request.pseudo_index,
            request.subscription_count,
            self._recordings.subscriptions,
            lambda each: (
                request.channel in each.channel
                and (not request.apply_stream_id or request.stream_id == each.stream_id)
            ),
        )

    def _find_last(self, _session: ControlSession, request: _Request, _image: Image) -> int:
        if request.min_recording_id < 0:
            raise OperationError(
                f"minRecordingId={request.min_recording_id} < 0",
                ArchiveErrorCode.UNKNOWN_RECORDING,
            )
        return self._catalog.find_last(
            request.min_recording_id, request.session_id, request.stream_id, request.channel
        )

    def _start_position(self, _session: ControlSession, request: _Request, _image: Image) -> int:
        return self._catalog.get(request.recording_id).descriptor.start_position

    def _stop_position(self, _session: ControlSession, request: _Request, _image: Image) -> int:
        return self._catalog.get(request.recording_id).descriptor.stop_position

    def _recording_position(
        self, _session: ControlSession, request: _Request, _image: Image
    ) -> int:
        self._catalog.get(request.recording_id)
        return self._recordings.position(request.recording_id)

    def _max_recorded_position(
        self, _session: ControlSession, request: _Request, _image: Image
    ) -> int:
        descriptor = self._catalog.get(request.recording_id).descriptor
        if request.recording_id in self._recordings.active:
            return self._recordings.position(request.recording_id)
        return descriptor.stop_position

    # ---- maintenance of recordings ----

    def _truncate(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._maintenance.truncate(
            session, request.correlation_id, request.recording_id, request.position
        )

    def _purge(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._maintenance.purge(session, request.correlation_id, request.recording_id)

    def _detach_segments(self, _session: ControlSession, request: _Request, _image: Image) -> int:
        self._maintenance.detach(request.recording_id, request.new_start_position)
        return 0

    def _delete_detached_segments(
        self, session: ControlSession, request: _Request, _image: Image
    ) -> None:
        self._maintenance.delete_detached(session, request.correlation_id, request.recording_id)

    def _purge_segments(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._maintenance.purge_segments(
            session, request.correlation_id, request.recording_id, request.new_start_position
        )

    def _attach_segments(self, _session: ControlSession, request: _Request, _image: Image) -> int:
        return self._maintenance.attach(request.recording_id)

    def _migrate_segments(self, session: ControlSession, request: _Request, _image: Image) -> None:
        self._maintenance.migrate(
            session, request.correlation_id, request.src_recording_id, request.dst_recording_id
        )

    def _update_channel(
        self, session: ControlSession, request: _Request, _image: Image
    ) -> int | None:
        if session.listing is not None:
            raise OperationError(
                "active listing already in progress", ArchiveErrorCode.ACTIVE_LISTING
            )
        if request.recording_id not in self._catalog:
            session.send_response(
                request.correlation_id,
                request.recording_id,
                codecs.ControlResponseCode.RECORDING_UNKNOWN,
            )
            return None
        self._maintenance.update_channel(request.recording_id, request.channel)
        return 0

    # ---- replications ----

    def _replicate(self, session: ControlSession, request: _Request, _image: Image) -> int:
        # Fields that older requests do not have count as unset.
        names = (
            "stop_position",
            "channel_tag_id",
            "subscription_tag_id",
            "file_io_max_length",
            "replication_session_id",
            "encoded_credentials",
            "src_response_channel",
        )
        given = {name: getattr(request, name) for name in names if hasattr(request, name)}
        return self._replications.start(
            RequestedReplication(
                session=session,
                src_recording_id=request.src_recording_id,
                dst_recording_id=request.dst_recording_id,
                src_control_stream_id=request.src_control_stream_id,
                src_control_channel=request.src_control_channel,
                live_destination=request.live_destination,
                replication_channel=getattr(request, "replication_channel", ""),
                **given,
            )
        )

    def _stop_replication(self, _session: ControlSession, request: _Request, _image: Image) -> int:
        self._replications.stop(request.replication_id)
        return 0


def _set_absent_fields(request: _Request) -> None:
    """Set fields that are newer than a request's schema version to -1: unset."""
    for name, version in _FIELD_SINCE_VERSION.get(type(request), {}).items():
        if request.acting_version < version:
            setattr(request, name, NULL_VALUE)


def _has_token(request: _Request) -> bool:
    """Return whether a token names the session of a request."""
    return isinstance(request, codecs.ReplayRequest | codecs.BoundedReplayRequest) and (
        request.replay_token != NULL_VALUE and _is_response(request.replay_channel)
    )


def _is_response(channel: str) -> bool:
    try:
        return is_response_channel(ChannelUri.parse(channel))
    except ConfigurationError:
        return False  # reported where the channel is used
