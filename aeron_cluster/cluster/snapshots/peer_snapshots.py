"""Query each member and each backup for its newest snapshot.

The query is the one that backups send, so that Java's members answer it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.client.waiting import await_exclusive_publication, await_subscription
from aeron_cluster.cluster.members.members import NULL_VALUE, any_port
from aeron_cluster.cluster.members.optional_fields import LATEST
from aeron_cluster.cluster.state.recording_log import CONSENSUS_MODULE_SERVICE_ID
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.errors import AeronClusterError, ClusterError, MessageError, UnknownMessageError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.waiting import Waiting, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["PeerSnapshots", "newest_position"]

_ANSWER_TIMEOUT_NS: Final = 5_000_000_000
_FRAGMENT_LIMIT: Final = 10


def newest_position(response: codecs.BackupResponse) -> int:
    """Return the log position of the snapshot in a response; 0 without one."""
    return max(
        (
            each.log_position
            for each in response.snapshots
            if each.service_id == CONSENSUS_MODULE_SERVICE_ID
        ),
        default=0,
    )


class PeerSnapshots:
    """Queries every member and backup that may still need this member's log.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    link : ConsensusLink
        Reaches the other members.
    backups : sequence of str
        Consensus endpoints of backups that must have the log before it is purged.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        link: ConsensusLink,
        backups: list[str],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._link = link
        self._backups = backups
        own_id = context.options.member_id
        self._member_ids = [
            member.member_id for member in context.members if member.member_id != own_id
        ]
        self._names: dict[int, str] = {}
        self._senders: dict[int, Callable[[bytes], bool]] = {}
        self._positions: dict[str, int] = {}

    def query_all(self) -> Waiting[dict[str, int]]:
        """Query each; return the position of its newest snapshot by name, -1 without an answer."""
        self._positions = {f"member {each}": NULL_VALUE for each in self._member_ids}
        self._positions |= {f"backup {each}": NULL_VALUE for each in self._backups}
        if not self._positions:
            return {}
        options, aeron = self._context.options, self._aeron
        endpoint = any_port(self._context.member.consensus_endpoint)
        channel = ChannelUri.parse(options.consensus_channel).with_params(
            endpoint=endpoint, control=None
        )
        self._names.clear()
        self._senders.clear()
        publications: list[ExclusivePublication] = []
        subscription = yield from await_subscription(aeron, channel, options.consensus_stream_id)
        try:
            bound = yield from until(lambda: subscription.resolved_endpoint)
            # Without the channel template of members: a backup only accepts this form.
            own = ChannelUri("udp").with_params(
                endpoint=f"{endpoint[:-2]}:{bound.rpartition(':')[2]}"
            )
            for member_id in self._member_ids:
                self._add(f"member {member_id}", self._to_member(member_id))
            for backup in self._backups:
                try:
                    there = channel.with_params(endpoint=backup)
                    publication = yield from await_exclusive_publication(
                        aeron, there, options.consensus_stream_id
                    )
                except AeronClusterError as error:
                    self._context.error_handler(error)
                    continue
                publications.append(publication)
                self._add(f"backup {backup}", _to_publication(publication))
            unsent = [(self._query(each, str(own)), self._senders[each]) for each in self._names]
            assembler = FragmentAssembler(self._on_message)
            deadline_ns = self._context.seams.clock.nano_time() + _ANSWER_TIMEOUT_NS
            while self._names and self._context.seams.clock.nano_time() < deadline_ns:
                unsent = [(query, send) for query, send in unsent if not send(query)]
                subscription.poll(assembler, _FRAGMENT_LIMIT)
                yield
            return self._positions
        finally:
            subscription.close()
            for publication in publications:
                publication.close()

    def _add(self, name: str, send: Callable[[bytes], bool]) -> None:
        correlation_id = self._aeron.next_correlation_id()
        self._names[correlation_id] = name
        self._senders[correlation_id] = send

    def _to_member(self, member_id: int) -> Callable[[bytes], bool]:
        return lambda message: self._link.send(member_id, message)

    def _query(self, correlation_id: int, channel: str) -> bytes:
        context = self._context
        return codecs.BackupQuery.encode(
            correlation_id=correlation_id,
            response_stream_id=context.options.consensus_stream_id,
            version=PROTOCOL_VERSION,
            log_position=LATEST,
            response_channel=channel,
            encoded_credentials=context.credentials.encoded_credentials(),
        )

    def _on_message(self, view: MessageView, _: Header) -> None:
        try:
            message = codecs.decode(bytes(view))
        except (UnknownMessageError, MessageError):
            return
        match message:
            case codecs.BackupResponse():
                name = self._names.get(message.correlation_id)
                is_member = message.member_id in self._member_ids
                if name is None or (is_member and name != f"member {message.member_id}"):
                    return
                del self._names[message.correlation_id]
                self._positions[name] = newest_position(message)
            case codecs.Challenge() if message.correlation_id in self._names:
                credentials = self._context.credentials
                # An answer that is not accepted counts as missing.
                self._senders[message.correlation_id](
                    codecs.ChallengeResponse.encode(
                        correlation_id=message.correlation_id,
                        cluster_session_id=message.cluster_session_id,
                        encoded_credentials=credentials.on_challenge(message.encoded_challenge),
                    )
                )
            case codecs.SessionEvent() if message.correlation_id in self._names:
                name = self._names.pop(message.correlation_id)
                self._context.error_handler(
                    ClusterError(f"{name}: {message.code.name}: {message.detail}")
                )
            case _:
                pass


def _to_publication(publication: ExclusivePublication) -> Callable[[bytes], bool]:
    return lambda message: publication.offer(message) > 0
