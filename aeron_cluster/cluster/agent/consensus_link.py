"""The streams between the members of a cluster: one subscription, one publication per peer.

Upstream: ConsensusPublisher and the publications of ClusterMember.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.client.waiting import await_subscription
from aeron_cluster.cluster.members.members import any_port
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import (
    ClosedError,
    ClusterError,
    DriverTimeoutError,
    MaxPositionExceededError,
    MessageError,
    RegistrationError,
)
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.members.members import Member

__all__ = ["ConsensusLink"]

_SEND_ATTEMPTS: Final = 3


class ConsensusLink:
    """Messages between members about leadership and positions.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    agent : ModuleAgent
        Sends the frequent messages by the same publications.
    members : sequence of Member
        All members, in the order of their indices.
    accepts_image : callable
        Called with the source identity of each image before it is created; False rejects it.
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        aeron: Aeron,
        agent: ModuleAgent,
        members: Sequence[Member],
        accepts_image: Callable[[str], bool],
    ) -> None:
        self._accepts_image = accepts_image
        self._subscription: Subscription | None = None
        self._context = context
        self._aeron = aeron
        self._agent = agent
        own_id = context.options.member_id
        self._peers = {
            member.member_id: (index, member)
            for index, member in enumerate(members)
            if member.member_id != own_id
        }
        self._adding: dict[int, int] = {}  # registration ids, by member id
        self._publications: dict[int, ExclusivePublication] = {}
        self._rejected: set[int] = set()
        self._channels = self._channels_by_member()

    def _channels_by_member(self) -> dict[int, ChannelUri]:
        options = self._context.options
        channel = ChannelUri.parse(options.consensus_channel)
        if options.consensus_control_enable and not channel.is_ipc:
            # The other members identify the sender as a member by its source address.
            channel = channel.with_params(control=any_port(self._context.member.consensus_endpoint))
        return {
            member_id: channel.with_params(endpoint=member.consensus_endpoint)
            for member_id, (_, member) in self._peers.items()
        }

    def open(self) -> Waiting[None]:
        """Subscribe to members and backups, and begin to connect to the other members."""
        options = self._context.options
        channel = ChannelUri.parse(options.consensus_channel)
        if "endpoint" not in channel and not channel.is_ipc:
            channel = channel.with_params(endpoint=self._context.member.consensus_endpoint)
        subscription = yield from await_subscription(
            self._aeron,
            channel,
            options.consensus_stream_id,
            unavailable_image_handler=lambda image: self._agent.drop_consensus_image(
                image.session_id
            ),
            image_filter=lambda source_identity, _: self._accepts_image(source_identity),
        )
        self._subscription = subscription
        self._agent.set_consensus(subscription)
        self.connect()

    def drop_rejected_images(self) -> None:
        """Reject images that were created before their sources were known to be unauthorized."""
        if self._subscription is None:
            return
        for image in self._subscription.images:
            if not self._accepts_image(image.source_identity):
                self._subscription.give_up_image(
                    image.correlation_id, image.position, "rejected: not a member's host"
                )

    def connect(self) -> None:
        """Add the missing publications; one that failed is retried with each call."""
        stream_id = self._context.options.consensus_stream_id
        for member_id, channel in self._channels.items():
            if member_id not in self._publications and member_id not in self._adding:
                self._adding[member_id] = self._aeron.async_add_exclusive_publication(
                    channel, stream_id
                )
        self.do_work()

    @property
    def is_connecting(self) -> bool:
        """Whether a publication is pending at the driver."""
        return bool(self._adding)

    def do_work(self) -> int:
        """Collect the publications that the driver has added."""
        added = 0
        for member_id, registration_id in tuple(self._adding.items()):
            try:
                publication = self._aeron.get_exclusive_publication(registration_id)
            except (RegistrationError, DriverTimeoutError, OSError) as error:
                del self._adding[member_id]
                self._report(member_id, error)
                continue
            if publication is not None:
                del self._adding[member_id]
                self._rejected.discard(member_id)
                self._publications[member_id] = publication
                self._agent.set_peer(self._peers[member_id][0], publication)
                added += 1
        return added

    def _report(self, member_id: int, error: Exception) -> None:
        """Report an unreachable member, once until it is reachable again."""
        if member_id not in self._rejected:
            self._rejected.add(member_id)
            endpoint = self._peers[member_id][1].consensus_endpoint
            self._context.error_handler(
                ClusterError(f"member {member_id} at {endpoint} cannot be reached: {error}")
            )

    def send(self, member_id: int, message: bytes) -> bool:
        """Send a message to a member; return False if it cannot be sent now."""
        publication = self._publications.get(member_id)
        if publication is None or publication.is_closed:
            return False
        try:
            # A rotation of the stream's term needs another attempt.
            return any(publication.offer(message) > 0 for _ in range(_SEND_ATTEMPTS))
        except (ClosedError, MaxPositionExceededError, MessageError) as error:
            self._report(member_id, error)
            return False
