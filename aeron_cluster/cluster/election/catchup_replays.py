"""A leader's replays to members that lag behind in its term.

The parts of ConsensusModuleAgent around a member's catch-up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.archive.waiting import send_request
from aeron_cluster.cluster.log.purged_log import purged_log_error
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.optional_fields import null_of
from aeron_cluster.codecs.archive import ReplayRequest, StopReplayRequest
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import AppendPosition, StopCatchup
from aeron_cluster.errors import AgentTerminationError, ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_publisher import LogPublisher
    from aeron_cluster.cluster.log.log_recording import LogRecording
    from aeron_cluster.codecs.cluster import CatchupPosition
    from aeron_cluster.errors import LogMismatchError
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["CATCHUP_FLAG", "CatchupReplays"]

CATCHUP_FLAG = 1
"""A flag of an append position: the follower receives a replay."""

_NO_FLAGS = null_of(AppendPosition, "flags")  # from a member before schema version 8
_WHOLE_LOG = 2**63 - 1


@dataclass(slots=True)
class _Replay:
    """The replay to one follower; its id is -1 before its start and after its stop."""

    replay_id: int = NULL_VALUE
    is_wanted: bool = True
    is_stop_sent: bool = False  # StopCatchup was sent while its follower received it


class CatchupReplays:
    """The active replays, by follower.

    Parameters
    ----------
    context : ConsensusModuleContext
    archive : AeronArchive
    log : LogPublisher
    recording : LogRecording
    status : ModuleStatus
    link : ConsensusLink
    begin : callable
        ``begin(steps)`` drives steps in every duty cycle.
    set_catching_up : callable
        ``set_catching_up(member_id, is_running)`` passes every position of a member to
        `on_append_position`, or only the flagged ones.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        archive: AeronArchive,
        log: LogPublisher,
        recording: LogRecording,
        status: ModuleStatus,
        link: ConsensusLink,
        begin: Callable[[Waiting[None]], None],
        set_catching_up: Callable[[int, bool], None],
    ) -> None:
        self._context = context
        self._archive = archive
        self._log = log
        self._recording = recording
        self._status = status
        self._link = link
        self._begin = begin
        self._set_catching_up = set_catching_up
        self._replays: dict[int, _Replay] = {}
        self._copying: set[int] = set()

    def on_catchup_position(self, request: CatchupPosition) -> None:
        """Replay the log to a follower from its position, with one replay at a time for each."""
        member_id = request.follower_member_id
        if member_id in self._replays or not self._log.is_connected:
            return
        replay = self._replays[member_id] = _Replay()
        if request.leadership_term_id == self._status.leadership_term_id:
            self._copying.add(member_id)
        self._set_catching_up(member_id, True)
        self._begin(self._start(request, replay))

    def _start(self, request: CatchupPosition, replay: _Replay) -> Waiting[None]:
        member_id = request.follower_member_id
        try:
            channel = self._channel(request)
            replay.replay_id = yield from self._request_replay(request, channel, replay)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of this follower, which may request again
            if isinstance(error, ArchiveError):
                error = _purged(error, request) or error
            self._forget(member_id, replay)
            self._context.error_handler(error)
            return
        if not replay.is_wanted:
            yield from self._stop(replay)

    def _channel(self, request: CatchupPosition) -> str:
        options = self._context.options
        return str(
            ChannelUri.parse(options.follower_catchup_channel).with_params(
                endpoint=request.catchup_endpoint,
                # The follower's one image continues from the replay to the live log.
                **{"session-id": self._log.session_id},
                linger="0",  # upstream's archive does not accept a unit
                eos=False,
                alias=f"catchup-followerId-{request.follower_member_id}",
            )
        )

    def _request_replay(
        self, request: CatchupPosition, channel: str, replay: _Replay
    ) -> Waiting[int]:
        """Start a replay; the archive may reject it for a while.

        A restarted follower receives the same session at the same endpoint again, and the driver
        releases the earlier replay only after a delay. Upstream gives up after the first rejection,
        and its follower then waits for the leader timeout.
        """
        options = self._context.options
        clock = self._context.seams.clock
        deadline_ns = clock.nano_time() + options.leader_heartbeat_timeout_ns
        while True:
            try:
                return (
                    yield from send_request(
                        self._archive,
                        ReplayRequest,
                        recording_id=self._recording.recording_id,
                        position=request.log_position,
                        length=_WHOLE_LOG,
                        replay_stream_id=options.log_stream_id,
                        file_io_max_length=NULL_VALUE,
                        replay_token=NULL_VALUE,
                        replay_channel=channel,
                    )
                )
            except ArchiveError as error:
                if _purged(error, request) is not None:
                    raise  # purged log cannot be replayed
                again_ns = clock.nano_time() + options.leader_heartbeat_interval_ns
                while replay.is_wanted and clock.nano_time() < again_ns:
                    yield
                if not replay.is_wanted or clock.nano_time() >= deadline_ns:
                    raise

    def is_copying(self, member_id: int) -> bool:
        """Return whether a member has caught up in this term without a restart since.

        Its reported position is then one of this member's log, whatever term it has read so far.
        """
        return member_id in self._copying

    def on_append_position(self, message: AppendPosition) -> None:
        """Have a follower that has caught up leave its replay, then stop it.

        Upstream's leader stops it at once, which revokes its publication: a follower whose image
        has received nothing of the live log yet then loses it, and starts again.
        """
        member_id = message.follower_member_id
        replay = self._replays.get(member_id)
        is_caught_up = message.log_position >= self._log.position
        if message.flags != _NO_FLAGS and message.flags & CATCHUP_FLAG:
            if is_caught_up and self._send_stop(message) and replay is not None:
                replay.is_stop_sent = True
        elif replay is not None and (replay.is_stop_sent or is_caught_up):
            self._on_left(message, replay)

    def _on_left(self, message: AppendPosition, replay: _Replay) -> None:
        """Stop a replay whose follower has left it, or caught up without the flag."""
        is_sent = replay.is_stop_sent or self._send_stop(message)
        self._end(replay)
        if is_sent:
            self._forget(message.follower_member_id, replay)

    def _send_stop(self, message: AppendPosition) -> bool:
        stop = StopCatchup.encode(
            # The follower's term: it may not have read the leader's term yet.
            leadership_term_id=message.leadership_term_id,
            follower_member_id=message.follower_member_id,
        )
        return self._link.send(message.follower_member_id, stop)

    def stop(self, member_id: int) -> None:
        """Stop the replay to a follower that restarts."""
        self._copying.discard(member_id)
        replay = self._replays.get(member_id)
        if replay is not None:
            self._end(replay)
            self._forget(member_id, replay)

    def stop_all(self) -> None:
        """Stop every replay: this member no longer leads."""
        for member_id in tuple(self._replays):
            self.stop(member_id)
        self._copying.clear()

    def _end(self, replay: _Replay | None) -> None:
        if replay is None or not replay.is_wanted:
            return
        replay.is_wanted = False
        if replay.replay_id != NULL_VALUE:
            self._begin(self._stop(replay))

    def _stop(self, replay: _Replay) -> Waiting[None]:
        replay_id, replay.replay_id = replay.replay_id, NULL_VALUE
        try:
            yield from send_request(self._archive, StopReplayRequest, replay_session_id=replay_id)
        except ArchiveError:
            return  # it has already ended, as intended

    def _forget(self, member_id: int, replay: _Replay) -> None:
        if self._replays.get(member_id) is replay:
            del self._replays[member_id]
            self._set_catching_up(member_id, False)


def _purged(error: ArchiveError, request: CatchupPosition) -> LogMismatchError | None:
    return purged_log_error(
        error,
        member_id=request.follower_member_id,
        leadership_term_id=request.leadership_term_id,
        log_position=request.log_position,
    )
