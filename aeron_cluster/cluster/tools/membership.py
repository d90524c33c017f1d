"""Query a member's view of its cluster, over the control channel of its services.

Upstream: ClusterMembership, and ``ClusterToolOperator.queryClusterMembers``.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.waiting import await_publication, await_subscription
from aeron_cluster.cluster.tools.node_counters import open_driver
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    BooleanType,
    ClusterMembersExtendedResponse,
    ClusterMembersQuery,
)
from aeron_cluster.errors import MessageError, TimeoutExpiredError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.agents.waiting import NEVER, Task

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.cluster.tools.cluster_directory import Component
    from aeron_cluster.codecs.cluster_mark import MarkFileHeader
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.agents.waiting import Waiting
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ClusterMembership", "MemberView", "parse_membership", "query_membership"]

MIN_TIMEOUT_NS: Final = 1_000_000_000
"""A member answers within a slow tick; during an election it may take longer."""

_POLL_LIMIT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    """A member, as known to the queried one.

    Parameters
    ----------
    member_id : int
    is_leader : bool
    leadership_term_id : int
        -1 if unknown.
    log_position : int
        Its log position, in bytes; -1 if unknown.
    time_of_last_append_ns : int
        The time of its last report, on the cluster's clock; -1 if unknown.
    ingress_endpoint, consensus_endpoint, log_endpoint, catchup_endpoint, archive_endpoint : str
    """

    member_id: int
    is_leader: bool
    leadership_term_id: int
    log_position: int
    time_of_last_append_ns: int
    ingress_endpoint: str
    consensus_endpoint: str
    log_endpoint: str
    catchup_endpoint: str
    archive_endpoint: str

    @property
    def endpoints(self) -> str:
        """The five endpoints, in the format of the members' list."""
        return ",".join(
            (
                self.ingress_endpoint,
                self.consensus_endpoint,
                self.log_endpoint,
                self.catchup_endpoint,
                self.archive_endpoint,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterMembership:
    """A member's response.

    Parameters
    ----------
    current_time_ns : int
        The time of the answer, on the cluster's clock.
    leader_member_id : int
        -1 while there is no leader, or none is known.
    member_id : int
        The member that answered.
    active_members, passive_members : tuple of MemberView
        The members; a leader knows their reported positions, a follower only its own.
    """

    current_time_ns: int
    leader_member_id: int
    member_id: int
    active_members: tuple[MemberView, ...]
    passive_members: tuple[MemberView, ...] = ()

    @property
    def is_leader(self) -> bool:
        """Whether the member that answered is the leader."""
        return self.member_id == self.leader_member_id

    def position_of(self, member: MemberView) -> int:
        """Return the log position of a member; -1 if the responding member does not know it."""
        is_known = self.is_leader or member.member_id == self.member_id
        return member.log_position if is_known else -1


def parse_membership(message: bytes) -> tuple[int, ClusterMembership] | None:
    """Decode an answer.

    Parameters
    ----------
    message : bytes
        A message of the stream from a module to its services.

    Returns
    -------
    tuple of int and ClusterMembership, or None
        The correlation id of the query, and the answer; None for other messages.
    """
    try:
        decoded = codecs.decode(message)
    except MessageError:
        return None
    if not isinstance(decoded, ClusterMembersExtendedResponse):
        return None
    leader = decoded.leader_member_id
    return decoded.correlation_id, ClusterMembership(
        current_time_ns=decoded.current_time_ns,
        leader_member_id=leader,
        member_id=decoded.member_id,
        active_members=_views(decoded.active_members, leader),
        passive_members=_views(decoded.passive_members, leader),
    )


def _views(
    members: Iterable[
        ClusterMembersExtendedResponse.ActiveMembers | ClusterMembersExtendedResponse.PassiveMembers
    ],
    leader_member_id: int,
) -> tuple[MemberView, ...]:
    return tuple(
        MemberView(
            member_id=member.member_id,
            is_leader=member.member_id == leader_member_id,
            leadership_term_id=member.leadership_term_id,
            log_position=member.log_position,
            time_of_last_append_ns=member.time_of_last_append_ns,
            ingress_endpoint=member.ingress_endpoint,
            consensus_endpoint=member.consensus_endpoint,
            log_endpoint=member.log_endpoint,
            catchup_endpoint=member.catchup_endpoint,
            archive_endpoint=member.archive_endpoint,
        )
        for member in members
    )


class _Query:
    """A pending query, with its answer.

    Attributes
    ----------
    progress : str
        What has been found so far, for the error of a query without an answer.
    deadline_ns : int
        The end of the wait; moved when the driver has added the channels.
    """

    def __init__(self, aeron: Aeron, header: MarkFileHeader, deadline_ns: int) -> None:
        self._aeron = aeron
        self._header = header
        self._correlation_id = aeron.next_correlation_id()
        self._answer: ClusterMembership | None = None
        self.progress = "no response of its driver"
        self.deadline_ns = deadline_ns

    def run(self, answer_timeout_ns: int) -> Waiting[ClusterMembership]:
        """Send the query, and wait for the answer."""
        header, aeron = self._header, self._aeron
        channel = header.control_channel
        message = ClusterMembersQuery.encode(
            correlation_id=self._correlation_id, extended=BooleanType.TRUE
        )
        with (
            (yield from await_subscription(aeron, channel, header.service_stream_id)) as answers,
            (
                yield from await_publication(aeron, channel, header.consensus_module_stream_id)
            ) as queries,
        ):
            self.progress = "nothing connected to its control channel"
            if answer_timeout_ns:
                clock = aeron.context.seams.clock
                self.deadline_ns = clock.nano_time() + answer_timeout_ns
            assembler = FragmentAssembler(self._on_message)
            is_sent = False
            while self._answer is None:
                if not is_sent and answers.is_connected and queries.offer(message):
                    is_sent = True
                    self.progress = "none"
                # The module's messages to its services are read too: it waits for its slowest
                # reader.
                yield answers.poll(assembler, _POLL_LIMIT)
            return self._answer

    def _on_message(self, message: MessageView, _: Header) -> None:
        parsed = parse_membership(bytes(message))
        if parsed is not None and parsed[0] == self._correlation_id:
            self._answer = parsed[1]


def query_membership(
    seams: Seams, component: Component, timeout_ns: int = 0, *, limit_ns: int = 0
) -> ClusterMembership:
    """Query a running consensus module for the members.

    Parameters
    ----------
    seams : Seams
    component : Component
        The module; its mark file has its request channel.
    timeout_ns : int
        The timeout of the answer; at least a second. Its driver may respond later than that.
    limit_ns : int
        If above 0, the timeout of the whole query instead, also if its driver does not respond.

    Raises
    ------
    TimeoutExpiredError
        It does not answer.
    MissingFileError, DriverTimeoutError, CorruptError, VersionError
        Its driver is not running, or has another version.
    RegistrationError
        The driver rejects the channel of the mark file.
    """
    header = component.header
    # Fails immediately, with the directory's name; an Aeron client would wait for ten seconds.
    open_driver(seams, header.aeron_directory).close()
    answer_timeout_ns = 0 if limit_ns else max(timeout_ns, MIN_TIMEOUT_NS)
    deadline_ns = seams.clock.nano_time() + limit_ns if limit_ns else NEVER
    with Aeron.connect(
        aeron_dir=header.aeron_directory, client_name="cluster-tool", seams=seams
    ) as aeron:
        query = _Query(aeron, header, deadline_ns)
        task = Task(query.run(answer_timeout_ns))
        idle = IdleStrategy("backoff")
        with closing(task):
            while not task.is_done:
                idle.idle(task.do_work())
                if not task.is_done and seams.clock.nano_time() > query.deadline_ns:
                    within_ns = limit_ns or answer_timeout_ns
                    raise TimeoutExpiredError(
                        f"member {header.member_id} in {header.aeron_directory}: expected an answer"
                        f" within {within_ns / 1e9:g} s, found {query.progress};"
                        " is the member running, and not only its driver?"
                    )
            return task.result
