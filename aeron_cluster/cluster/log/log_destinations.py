"""The other members, as destinations of the leader's log publication.

Upstream: LogPublisher's destinations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.client.waiting import await_destination
from aeron_cluster.errors import ClusterError, RegistrationError
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.codecs.channel_uri import ChannelUri

__all__ = ["LogDestinations"]


class LogDestinations:
    """The destinations of the log of a term.

    A member with a currently unresolvable host does not prevent the leader's term: it is missing
    until `add` is called again.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    publication : ExclusivePublication
    channel : ChannelUri or None
        The channel to each member's log endpoint; None if the channel has an endpoint for all.
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        aeron: Aeron,
        publication: ExclusivePublication,
        channel: ChannelUri | None,
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._publication = publication
        self._missing = {
            member.member_id: str(channel.destination(member.log_endpoint))
            for member in context.members
            if channel is not None and member.member_id != context.member.member_id
        }
        self._rejected: set[int] = set()
        self._is_adding = False

    @property
    def is_incomplete(self) -> bool:
        """Whether members are missing that are not being added."""
        return bool(self._missing) and not self._is_adding and not self._publication.is_closed

    def add(self) -> Waiting[None]:
        """Add the missing members; one that the driver rejects is reported once."""
        self._is_adding = True
        try:
            for member_id, destination in tuple(self._missing.items()):
                if self._publication.is_closed:
                    return
                try:
                    yield from await_destination(self._aeron, self._publication, destination)
                except RegistrationError as error:
                    self._report(member_id, error)
                else:
                    del self._missing[member_id]
        finally:
            self._is_adding = False

    def _report(self, member_id: int, error: RegistrationError) -> None:
        if member_id not in self._rejected and not self._publication.is_closed:
            self._rejected.add(member_id)
            self._context.error_handler(
                ClusterError(f"member {member_id} cannot be sent the log: {error}")
            )
