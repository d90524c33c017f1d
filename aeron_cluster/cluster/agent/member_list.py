"""Check that this member and its leader have the same list of members.

No counterpart upstream: its members with different lists silently elect and commit by different
majorities. The only message with a member list is the answer to a backup's query, which Java's
leaders send as well. So a follower queries its leader once per term. That is one message each way
and needs no subscription, since the answer is published to the follower's consensus stream.

The protection of the log does not depend on this check: votes and positions of ids missing from a
member's own list are ignored. But two majorities of different lists may have no member in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.client.credentials import Credentials
from aeron_cluster.cluster.members.members import NULL_VALUE, Member, parse_members
from aeron_cluster.cluster.security import DefaultAuthenticator
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.errors import ConfigurationError, MemberListError
from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.state.module_counters import ModuleCounters

__all__ = ["QUERY_DELAY_NS", "RETRY_INTERVAL_NS", "MemberListCheck", "describe_differences"]

QUERY_DELAY_NS: Final = 5_000_000_000
"""The delay of the query after joining a term: clients connect and others catch up first."""

RETRY_INTERVAL_NS: Final = 60_000_000_000
"""The interval of queries until one is answered."""

_MAX_TEXT_LENGTH: Final = 4096
_TERM_LENGTH: Final = "256k"  # of the answer's publication; ample for a list


class MemberListCheck:
    """Queries the leader's list of members, and reports a difference.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    counters : ModuleCounters
    status : ModuleStatus
    link : ConsensusLink
        Sends to the leader.

    Notes
    -----
    At most one report per term: lists do not change while a process runs. If members require
    credentials and this one has none, nothing is queried: the leader would only log a rejection.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        counters: ModuleCounters,
        status: ModuleStatus,
        link: ConsensusLink,
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._counters = counters
        self._status = status
        self._link = link
        self._members = context.members
        self._channel = str(
            ChannelUri("udp").with_params(
                {"endpoint": context.member.consensus_endpoint, "term-length": _TERM_LENGTH}
            )
        )
        needs_credentials = context.authenticator_supplier is not DefaultAuthenticator
        has_credentials = type(context.credentials) is not Credentials
        self._is_wanted = (
            len(self._members) > 1
            and ChannelUri.parse(context.options.consensus_channel).is_udp
            and (has_credentials or not needs_credentials)
        )
        self._leadership_term_id = NULL_VALUE
        self._correlation_id: int | None = None  # of the pending query
        self._next_ns = NEVER

    def next_deadline_ns(self) -> int:
        """Return when `do_work` is due."""
        is_another_term = self._status.leadership_term_id != self._leadership_term_id
        return 0 if is_another_term else self._next_ns

    def do_work(self, now_ns: int) -> int:
        """Query the leader if that is due, while no election runs."""
        status = self._status
        if status.leadership_term_id != self._leadership_term_id:
            self._leadership_term_id = status.leadership_term_id
            self._correlation_id = None
            is_due = self._is_wanted and not status.is_leader
            self._next_ns = now_ns + QUERY_DELAY_NS if is_due else NEVER
        if now_ns < self._next_ns:
            return 0
        self._next_ns = now_ns + RETRY_INTERVAL_NS
        context = self._context
        self._correlation_id = self._aeron.next_correlation_id()
        query = codecs.BackupQuery.encode(
            correlation_id=self._correlation_id,
            response_stream_id=context.options.consensus_stream_id,
            version=PROTOCOL_VERSION,
            log_position=0,
            response_channel=self._channel,
            encoded_credentials=context.credentials.encoded_credentials(),
        )
        return int(self._link.send(status.leader_member_id, query))

    def on_answer(
        self, message: codecs.BackupResponse | codecs.Challenge | codecs.SessionEvent
    ) -> None:
        """Compare the leader's list, or respond to its challenge; other answers are ignored."""
        if message.correlation_id != self._correlation_id:
            return
        if isinstance(message, codecs.Challenge):
            self._link.send(
                self._status.leader_member_id,
                codecs.ChallengeResponse.encode(
                    correlation_id=message.correlation_id,
                    cluster_session_id=message.cluster_session_id,
                    encoded_credentials=self._context.credentials.on_challenge(
                        message.encoded_challenge
                    ),
                ),
            )
            return
        self._correlation_id = None
        self._next_ns = NEVER  # also after a rejection, which the leader logs
        if isinstance(message, codecs.BackupResponse) and message.cluster_members:
            self._compare(message)

    def _compare(self, response: codecs.BackupResponse) -> None:
        difference = describe_differences(self._members, response.cluster_members)
        if not difference:
            return
        self._context.error_handler(
            MemberListError(
                difference,
                _cut("|".join(map(str, self._members))),
                _cut(response.cluster_members),
                leader_member_id=response.leader_member_id,
                member_id=self._context.options.member_id,
                leadership_term_id=self._status.leadership_term_id,
                log_position=self._counters.commit_position.get(),
            )
        )

    def close(self) -> None:
        """Stop sending queries."""
        self._correlation_id = None
        self._next_ns = NEVER


def describe_differences(own: Sequence[Member], text: str) -> str:
    """Describe the members in which a list differs from the own one, ignoring order; "" for none.

    Parameters
    ----------
    own : sequence of Member
    text : str
        The other list, in the format of ``aeron.cluster.members``.
    """
    try:
        found = {member.member_id: member.endpoints for member in parse_members(text)}
    except ConfigurationError as error:
        return f"not a list of members: {_cut(str(error))}"
    expected = {member.member_id: member.endpoints for member in own}
    differences = (
        ("only in the own list", expected.keys() - found.keys()),
        ("only in the leader's list", found.keys() - expected.keys()),
        (
            "with other endpoints",
            {each for each in expected.keys() & found.keys() if expected[each] != found[each]},
        ),
    )
    return ", ".join(
        f"{name}: member {', '.join(map(str, sorted(ids)))}" for name, ids in differences if ids
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT_LENGTH else f"{text[:_MAX_TEXT_LENGTH]}..."
