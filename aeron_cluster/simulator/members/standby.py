"""A standby that offers snapshots to a member: a machine with a driver and a client.

Upstream's standbys follow the log, take snapshots of their own, and offer them to members in
messages StandbySnapshot. This one only offers: the recordings are in an archive of the cluster.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.codecs.cluster import SessionEvent, StandbySnapshot
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.simulator.members.client_parts import ClientParts
from aeron_cluster.simulator.members.layouts import ProcessPlan
from aeron_cluster.simulator.members.member_process import MemberProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.client.publication import Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.simulator.members.member import Member
    from aeron_cluster.simulator.world.machine import Machine
    from aeron_cluster.simulator.world.process_host import ProcessHost

__all__ = ["Standby", "archive_of"]

_STREAM_ID: Final = 108  # of consensus, and so of answers
_PORT: Final = 9501
_FRAGMENT_LIMIT: Final = 10


def archive_of(member: Member) -> str:
    """Return the endpoint of a member's archive, as ``host:port``."""
    return local_member(member.member_id, member.machine.name).archive_endpoint


class Standby:
    """Offers snapshots to one member, and receives its rejections.

    Created by `Cluster.add_standby`.

    Parameters
    ----------
    cluster : ProcessHost
    machine : Machine
    member : Member
        The member that it offers snapshots to.

    Attributes
    ----------
    machine : Machine
    process : MemberProcess
    answers : list of SessionEvent
        The answers of the member: those to rejected offers.
    errors : list of Exception
        Of its process.
    """

    def __init__(self, cluster: ProcessHost, machine: Machine, member: Member) -> None:
        self.machine = machine
        self.answers: list[SessionEvent] = []
        self.errors: list[Exception] = []
        self._channel = f"aeron:udp?endpoint={machine.name}:{_PORT}"
        own = local_member(member.member_id, member.machine.name)
        self._member_channel = f"aeron:udp?endpoint={own.consensus_endpoint}"
        plan = ProcessPlan("standby", partial(ClientParts, self.errors), needs_driver=False)
        self.process = MemberProcess(cluster, machine, plan)
        self._publication: Publication | None = None
        self._subscription: Subscription | None = None
        self._ids = (-1, -1)

    def __repr__(self) -> str:
        return f"<Standby {self.machine.name} {self.process.state.value}>"

    def start(self) -> None:
        """Start its process, and connect to the member."""
        self.process.start()
        aeron = self._parts.aeron
        self._ids = (
            aeron.async_add_publication(self._member_channel, _STREAM_ID),
            aeron.async_add_subscription(self._channel, _STREAM_ID),
        )

    def poll(self) -> None:
        """Receive answers."""
        aeron = self._parts.aeron
        if self._publication is None:
            self._publication = aeron.get_publication(self._ids[0])
        if self._subscription is None:
            self._subscription = aeron.get_subscription(self._ids[1])
        if self._subscription is not None:
            self._subscription.poll(self._on_answer, _FRAGMENT_LIMIT)

    def try_offer(
        self, correlation_id: int, snapshots: Sequence[StandbySnapshot.Snapshots]
    ) -> bool:
        """Offer a snapshot; return False if that cannot be sent yet."""
        self.poll()
        message = StandbySnapshot.encode(
            correlation_id=correlation_id,
            version=PROTOCOL_VERSION,
            response_stream_id=_STREAM_ID,
            snapshots=list(snapshots),
            response_channel=self._channel,
            encoded_credentials=b"",
        )
        return self._publication is not None and bool(self._publication.offer(message))

    def close(self) -> None:
        """End its process in order. Calling it again does nothing."""
        self._publication = self._subscription = None
        self.process.close()

    @property
    def _parts(self) -> ClientParts:
        part = self.process.part
        assert isinstance(part, ClientParts)
        return part

    def _on_answer(self, message: MessageView, header: Header) -> None:
        del header
        self.answers.append(SessionEvent.decode(bytes(message)))
