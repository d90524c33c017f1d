"""What a member does on its way to leadership, when its election says so.

The parts of ConsensusModuleAgent that Election calls.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.control_toggle import ControlToggle, NodeToggle
from aeron_cluster.cluster.election import ElectionHost, ElectionState, Role
from aeron_cluster.cluster.log_replay import replay_log
from aeron_cluster.cluster.members import NULL_VALUE
from aeron_cluster.cluster.waiting import Waiting, await_subscription
from aeron_cluster.codecs.channel_uri import ChannelUri

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.log_recording import LogChannel
    from aeron_cluster.cluster.module_parts import ModuleParts

__all__ = ["Leadership"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster")
_LIVE_LOG_END: Final = 2**63 - 1


class Leadership(ElectionHost):
    """The host of a member's elections.

    Parameters
    ----------
    parts : ModuleParts
    initial_leadership_term_id, initial_term_base_log_position : int
        Where the member's log began before its first election: for a recording log without terms.
    """

    def __init__(
        self,
        parts: ModuleParts,
        initial_leadership_term_id: int,
        initial_term_base_log_position: int,
    ) -> None:
        self._parts = parts
        self._initial_term = (initial_leadership_term_id, initial_term_base_log_position)
        self._log_channel: LogChannel | None = None
        self._ingress: list[Subscription] = []

    def close(self) -> None:
        """End the log, which is the first thing that others see, and hear clients no more."""
        self._parts.log.disconnect()
        self._close_ingress()

    # ---- what an election asks for ----

    def on_election_state(self, state: ElectionState, reason: str) -> None:
        """Publish the state."""
        _LOGGER.debug("election %s: %s", state.name, reason)
        self._parts.counters.election_state.set(state)

    def set_role(self, role: Role) -> None:
        """Publish the role."""
        self._parts.status.set_role(role)

    def prepare_for_new_leadership(self, log_position: int) -> Waiting[int]:
        """Undo what was not committed; return where the log's recording ends."""
        parts = self._parts
        self.set_role(Role.FOLLOWER)
        self._close_ingress()
        parts.agent.set_recorded_position(None)
        parts.log.disconnect()
        parts.counters.control_toggle.set(ControlToggle.INACTIVE)
        descriptor = yield from parts.recording.stop()
        parts.sessions.prepare_for_new_leadership(log_position)
        parts.counters.commit_position.set(log_position)
        parts.restore_uncommitted(log_position)
        return log_position if descriptor is None else descriptor.stop_position

    def begin_candidate_term(self, leadership_term_id: int, log_position: int) -> int:
        """Promise a term that is above this one and all that were ever promised, and return it."""
        node_state = self._parts.node_state
        promised = node_state.candidate_term.candidate_term_id
        candidate_term_id = max(promised, leadership_term_id) + 1
        node_state.update(candidate_term_id, log_position, self._parts.context.epoch_ms())
        return candidate_term_id

    def add_log_publication(self, leadership_term_id: int, append_position: int) -> Waiting[None]:
        """Add the publication of the log, which goes on at a position."""
        log = self._parts.log
        log.disconnect()
        self._log_channel = yield from self._parts.recording.add_publication(append_position)
        log.leadership_term_id = leadership_term_id
        log.connect(self._log_channel.publication)

    def replay_log(self, start_position: int, stop_position: int) -> Waiting[None]:
        """Let the module and its services read what they have not seen of the log."""
        parts = self._parts
        return replay_log(
            parts.context,
            parts.aeron,
            parts.archive,
            parts.services,
            _Reader(parts),
            parts.counters.commit_position,
            recording_id=parts.recording.recording_id,
            start_position=start_position,
            stop_position=stop_position,
        )

    def join_log_as_leader(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Record the log, and have the services read it."""
        assert self._log_channel is not None
        parts, channel = self._parts, self._log_channel
        session_id = channel.publication.session_id
        yield from parts.recording.start(channel.local, session_id)
        yield from parts.services.join_log(
            log_position=log_position,
            max_log_position=_LIVE_LOG_END,
            log_session_id=session_id,
            log_stream_id=parts.context.options.log_stream_id,
            log_channel=channel.spy,
            is_startup=is_startup,
            role=Role.LEADER,
        )
        parts.agent.set_recorded_position(parts.recording.counter_id)

    def append_term(self, leadership_term_id: int, term_base_log_position: int) -> None:
        """Note the term in the recording log."""
        parts = self._parts
        parts.status.set_term(leadership_term_id)
        parts.recording_log.ensure_coherent(
            parts.recording.recording_id,
            *self._initial_term,
            leadership_term_id,
            term_base_log_position,
            NULL_VALUE,
            parts.context.cluster_time(),
        )

    def try_append_term_event(self, term_base_log_position: int) -> bool:
        """Begin the term in the log."""
        parts = self._parts
        position = parts.log.append_new_leadership_term(
            parts.context.cluster_time(),
            term_base_log_position,
            parts.context.options.member_id,
            parts.log.session_id,
            parts.context.time_unit,
            parts.context.app_version,
        )
        return position > 0

    def complete_election(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Take up the leader's work."""
        parts = self._parts
        term_id = parts.status.leadership_term_id
        parts.sessions.become_leader(
            term_id, is_startup=is_startup, now_ns=parts.context.seams.clock.nano_time()
        )
        parts.timers.move_to(parts.context.cluster_time())
        parts.agent.set_timer_deadline(parts.timers.next_deadline)
        parts.counters.commit_position.propose_max(log_position)
        yield from self._open_ingress()
        parts.counters.control_toggle.set(ControlToggle.NEUTRAL)
        parts.counters.node_toggle.set(NodeToggle.NEUTRAL)
        _LOGGER.info(
            "member %d leads term %d from position %d",
            parts.context.options.member_id,
            term_id,
            log_position,
        )

    # ---- ingress ----

    def _open_ingress(self) -> Waiting[None]:
        parts = self._parts
        options = parts.context.options
        channel = ChannelUri.parse(options.ingress_channel)
        if not channel.is_ipc and "endpoint" not in channel:
            channel = channel.with_params(endpoint=parts.context.member.ingress_endpoint)
        channels = [str(channel.with_params(reliable=True, rejoin=False))]
        if options.ingress_ipc_allowed and not channel.is_ipc:
            channels.append("aeron:ipc")
        for each in channels:
            self._ingress.append(
                (
                    yield from await_subscription(
                        parts.aeron,
                        each,
                        options.ingress_stream_id,
                        unavailable_image_handler=self._on_image_gone,
                    )
                )
            )
        parts.agent.set_ingress(self._ingress)

    def _on_image_gone(self, image: Image) -> None:
        self._parts.agent.drop_ingress_image(image.session_id)
        self._parts.sessions.on_image_unavailable(image.correlation_id)
        self._parts.agent.set_next(0, is_busy=True)

    def _close_ingress(self) -> None:
        self._parts.agent.set_ingress(())
        for subscription in self._ingress:
            subscription.close()
        self._ingress.clear()


class _Reader:
    """Reads the log for a replay, and stops while the module takes a snapshot it met there."""

    def __init__(self, parts: ModuleParts) -> None:
        self._adapter = parts.log_adapter
        self._status = parts.status
        self.set_image = self._adapter.set_image
        self.poll = self._adapter.poll

    @property
    def position(self) -> int:
        return self._adapter.position

    @property
    def is_ready(self) -> bool:
        return self._status.can_read_log
