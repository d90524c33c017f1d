"""The leader's log as a follower receives it: the live log, and a replay for catch-up.

Both are received by one subscription into one image, since both have the session of the leader's
publication. The parts of Election and ConsensusModuleAgent around the log subscription.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.client.waiting import await_destination, await_subscription
from aeron_cluster.cluster.agent.log_reader import ReplayedLogReader
from aeron_cluster.cluster.election.catchup_replays import CATCHUP_FLAG
from aeron_cluster.cluster.election.host import FollowerLog as FollowerLogFace
from aeron_cluster.cluster.log.log_replay import read_on
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.codecs.archive import SourceLocation
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import AppendPosition
from aeron_cluster.errors import (
    ClusterError,
    DriverTimeoutError,
    ElectionRestartError,
    RegistrationError,
    StateError,
)
from aeron_cluster.memory.agents.waiting import Waiting, until
from aeron_cluster.memory.shared.counters_layout import CounterType

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_adapter import LogAdapter
    from aeron_cluster.cluster.log.log_recording import LogRecording
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.state.module_counters import ModuleCounters

__all__ = ["FollowerLog"]

_ENDLESS: Final = 2**63 - 1
_LARGEST_WINDOW: Final = 32 << 20


class FollowerLog(FollowerLogFace):
    """The log subscription of a follower, from an election to the next.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    counters : ModuleCounters
    log_adapter : LogAdapter
    recording : LogRecording
    services : ServiceLink
    status : ModuleStatus
    link : ConsensusLink
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        counters: ModuleCounters,
        log_adapter: LogAdapter,
        recording: LogRecording,
        services: ServiceLink,
        status: ModuleStatus,
        link: ConsensusLink,
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._counters = counters
        self._log_adapter = log_adapter
        self._recording = recording
        self._services = services
        self._status = status
        self._link = link
        self._reader = ReplayedLogReader(log_adapter, status)
        self._subscription: Subscription | None = None
        self._session_id = 0
        self._image: Image | None = None
        self._catchup_destination: str | None = None
        self._live_destination: str | None = None
        self._removals: list[int] = []  # ids of requests whose results are not collected yet
        self._leader: Member | None = None
        # For catch-up: the reported position, the time of the report, and the time of the last
        # progress.
        self._sent_position = 0
        self._sent_ns = 0
        self._grown_ns = 0

    # ---- its sources ----

    @property
    def is_open(self) -> bool:
        """Whether there is a subscription."""
        return self._subscription is not None

    @property
    def has_live_destination(self) -> bool:
        """Whether the live log is received."""
        return self._live_destination is not None

    @property
    def has_catchup_destination(self) -> bool:
        """Whether a replay is still received."""
        return self._catchup_destination is not None

    @property
    def _channel(self) -> ChannelUri:
        return ChannelUri.parse(self._context.options.log_channel)

    @property
    def _opened(self) -> Subscription:
        if self._subscription is None:
            raise StateError("follower's log: expected it to be open")
        return self._subscription

    def open(self, leader: Member, log_session_id: int) -> Waiting[None]:
        """Subscribe to the log of a leader's session, without destinations yet."""
        aeron, template = self._aeron, self._channel
        channel = ChannelUri("udp").with_params(
            {
                "tags": f"{aeron.next_correlation_id()},{aeron.next_correlation_id()}",
                "control-mode": "manual",
                "session-id": log_session_id,
                "group": True,
                "rejoin": False,
                "so-rcvbuf": template.get("so-rcvbuf"),
                "rcv-wnd": template.get("rcv-wnd"),
                "alias": "log-cm",
            }
        )
        self._leader = leader
        members = self._context.members
        # Valid until another leader's log is opened, or this member leads: a termination may arrive
        # after the end of the leader's log, during an election.
        self._status.set_log_leader(
            next(i for i, each in enumerate(members) if each.member_id == leader.member_id)
        )
        self._session_id = log_session_id
        self._subscription = yield from await_subscription(
            aeron, channel, self._context.options.log_stream_id
        )

    def add_catchup_destination(self) -> Waiting[str]:
        """Receive a replay; return the endpoint for the leader's replay."""
        subscription, endpoint = self._opened, self._context.member.catchup_endpoint
        destination = str(self._channel.destination(endpoint))
        # Set first: if the steps are closed, the driver may still add it.
        self._catchup_destination = destination
        yield from await_destination(self._aeron, subscription, destination)
        if not endpoint.endswith(":0"):
            return endpoint
        bound = yield from until(lambda: subscription.resolved_endpoint)
        return f"{endpoint[:-2]}:{bound.rpartition(':')[2]}"

    def add_live_destination(self) -> Waiting[None]:
        """Receive the leader's live log."""
        template = self._channel
        if "endpoint" in template:
            destination = str(template)
        else:
            destination = str(template.destination(self._context.member.log_endpoint))
        subscription = self._opened
        self._live_destination = destination
        yield from await_destination(self._aeron, subscription, destination)

    def remove_catchup_destination(self) -> None:
        """Stop receiving a replay."""
        if self._catchup_destination is not None:
            self._remove_destination(self._opened, self._catchup_destination)
            self._catchup_destination = None

    def _remove_destination(self, subscription: Subscription, destination: str) -> None:
        """Request a removal, and collect the results of earlier ones, which the client retains."""
        self._removals = [each for each in self._removals if not self._is_done(each)]
        self._removals.append(subscription.async_remove_destination(destination))

    def _is_done(self, request_id: int) -> bool:
        try:
            return self._aeron.is_done(request_id)
        except (RegistrationError, DriverTimeoutError):
            return True  # it was not added, or its subscription is closed

    def close(self) -> int | None:
        """Stop receiving; return the argument of `await_free`."""
        self._log_adapter.set_image(None)
        self._image = None
        if self._subscription is None:
            return None
        # Services keep the same channel until they join another log, so the addresses are released
        # now.
        for destination in (self._catchup_destination, self._live_destination):
            if destination is not None:
                self._remove_destination(self._subscription, destination)
        self._catchup_destination = self._live_destination = None
        registration_id = self._subscription.registration_id
        self._subscription.close()
        self._subscription = None
        return registration_id

    def await_free(self, registration_id: int | None) -> Waiting[None]:
        """Wait until the endpoints of a closed subscription can be bound again."""
        counters = self._aeron.counters_reader

        def is_free() -> bool | None:
            for counter in counters.counters(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS):
                if counter.registration_id == registration_id:
                    return None
            return True

        if registration_id is not None:
            yield from until(is_free)

    # ---- reading ----

    @property
    def is_ended(self) -> bool:
        """Whether its image is closed, or not readable any further."""
        return self._image is None or self._image.is_closed or self._image.is_given_up

    @property
    def is_given_up(self) -> bool:
        """Whether its image has an invalid frame."""
        return self._image is not None and self._image.is_given_up

    @property
    def is_end_of_stream(self) -> bool:
        """Whether the leader closed the log, and all of it was read."""
        return self._image is not None and self._image.is_end_of_stream

    def await_image(self, log_position: int) -> Waiting[None]:
        """Wait for the log, which begins at a position, and record it.

        Raises
        ------
        ClusterError
            It begins at another position, or cannot be received.
        """
        subscription = self._opened
        while (image := subscription.image_by_session_id(self._session_id)) is None:
            if subscription.channel_status == -1:
                kind = "catchup" if self.has_catchup_destination else "live"
                raise ClusterError(
                    f"failed to add {kind} log as follower - {subscription.channel}:"
                    f" {subscription!r}"
                )
            yield
        if image.join_position != log_position:
            # Messages were sent between the leader's answer and the join, or frames were lost.
            state = "followerCatchupAwait" if self.has_catchup_destination else "followerLogAwait"
            order = "less" if image.join_position < log_position else "greater"
            raise ElectionRestartError(
                f"WARN - {state} - joinPosition={image.join_position} {order} than"
                f" logPosition={log_position}: {image!r}"
            )
        yield from self._recording.start(
            subscription.channel, self._session_id, SourceLocation.REMOTE
        )
        self._image = image

    def join(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Wait until the services joined it, and read it from now on.

        Raises
        ------
        ClusterError
            It ended before they could join.
        """
        subscription = self._opened
        self._log_adapter.set_image(self._image)
        yield from self._services.join_log(
            log_position=log_position,
            max_log_position=_ENDLESS,
            log_session_id=self._session_id,
            log_stream_id=subscription.stream_id,
            log_channel=subscription.channel,
            is_startup=is_startup,
            role=Role.FOLLOWER,
            is_gone=lambda: self.is_ended,
        )
        self._sent_position = log_position
        self._sent_ns = self._grown_ns = self._context.seams.clock.nano_time()

    # ---- the replay ----

    def is_near(self, position: int) -> bool:
        """Whether it is close enough to a position to join the live log."""
        image = self._image
        if image is None:
            return False
        window = min(image.term_buffer_length // 4, _LARGEST_WINDOW)
        return image.position >= position - window

    def poll_catchup(self, limit_position: int, now_ns: int) -> int:
        """Read and commit some of the recorded log, up to a position, and notify the leader.

        Raises
        ------
        ClusterError
            The recording or the image ended, or there was no progress for too long.
        """
        commit_position = self._counters.commit_position
        fragments = 0
        if self._reader.is_ready:
            recorded = self._recording.position
            if recorded is None:
                raise ClusterError(
                    "unexpected recording stop during catchup:"
                    f" position={self._log_adapter.position}"
                )
            fragments = read_on(
                self._reader,
                commit_position,
                self._context.seams.clock,
                min(recorded, limit_position),
                self._context.options.log_fragment_limit,
            )
            if fragments == 0 and self.is_ended:
                raise ClusterError(
                    f"unexpected image close during catchup: position={self._log_adapter.position}"
                )
            self._send_append_position(recorded, now_ns)
            commit_position.propose_max(self._log_adapter.position)  # also right after a join
        silent_ns = now_ns - self._grown_ns
        if self._status.is_active and silent_ns > self._context.options.leader_heartbeat_timeout_ns:
            raise ClusterError(
                f"no catchup progress: appendPosition={self._sent_position}, expected"
                f" limitPosition={limit_position}"
            )
        return fragments

    def _send_append_position(self, recorded: int, now_ns: int) -> None:
        interval_ns = self._context.options.leader_heartbeat_interval_ns
        if recorded > self._sent_position:
            self._grown_ns = now_ns
        elif now_ns < self._sent_ns + interval_ns:
            return
        assert self._leader is not None
        message = AppendPosition.encode(
            leadership_term_id=self._status.leadership_term_id,
            log_position=recorded,
            follower_member_id=self._context.options.member_id,
            flags=CATCHUP_FLAG,
        )
        if self._link.send(self._leader.member_id, message):
            self._sent_position = recorded
            self._sent_ns = now_ns
