"""What clients receive, compared with the log: answers, and the notices of members.

A session's answers are those that the service gave, with the log's timestamps, each once and in
the log's order by each leader; a failover may lose some, and what a deposed leader sent may come
late. A session's notices name the leader, the reason of a close, and the endpoints of the cluster.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_requests import PlainRequests
from aeron_cluster.simulator.checks.promises import Listener
from aeron_cluster.simulator.clients.reference import ReferenceLoad, ReferenceService
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.model.plain_messages import (
    CLIENT_ACTION,
    CLOSED,
    ERROR,
    OK,
    REASONS,
    REDIRECT,
    NewLeader,
    SessionState,
    read_egress_event,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.clients.client import Response
    from aeron_cluster.simulator.clients.reference import Operation
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.journal import Journal
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster

__all__ = [
    "AnswersMatchTheLog",
    "NoticesMatchTheLog",
    "answers_by_session",
    "check_client_closes",
    "check_notice",
    "check_received",
    "check_requests",
]

_NAME: Final = struct.Struct("<II")  # of a request: client and number
_ELECTION: Final = b"election"
_CLIENT: Final = re.compile(rb"endpoint=client(\d+):")
_SHOWN: Final = 24
_NO_LEADER: Final = -1

Answers = dict[int, list[tuple[int, bytes]]]
"""By session, the timestamp and content of each answer, in the order of the log."""


class AnswersMatchTheLog(Checker):
    """Clients of the reference service receive its answers as it gave them, and the log has theirs.

    Answers to surviving clients may come from the service's table; other checks compare these.
    """

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        if not all(type(each) is ReferenceService for each in cluster.latest_services.values()):
            return
        first = [each for each in cluster.journals if each.service_id == 0]
        if len(first) != 1:
            return  # clusters of their own
        answers = answers_by_session(first[0])
        operations: dict[int, Sequence[Operation]] = {}
        for client in cluster.everyone:
            if isinstance(client, Survivor):
                continue
            received: dict[int, list[Response]] = {}
            for response in client.responses:
                received.setdefault(response.session_id, []).append(response)
            for session_id, responses in received.items():
                check_received(f"client {client.number}", session_id, responses, answers)
            if isinstance(client.load, ReferenceLoad):
                operations[client.number] = client.load.operations
        check_requests(first[0], operations)


def answers_by_session(journal: Journal) -> Answers:
    """Return what a service sent to each session, and of which time of the log."""
    timestamps = {each.position: each.timestamp for each in journal.entries}
    found: Answers = {}
    for position, place in sorted(journal.answers):
        session_id, message = journal.answers[position, place]
        if position in timestamps:
            found.setdefault(session_id, []).append((timestamps[position], message))
    return found


def check_received(
    name: str, session_id: int, responses: Sequence[Response], answers: Answers
) -> None:
    """Compare what a client received in a session with what the service sent to it.

    Those of a deposed leader may come after those of its successor, each still once.

    Raises
    ------
    InvariantError
        Something else was received, or twice, or in another order, or with another timestamp.
    """
    sent = answers.get(session_id, ())
    begins: dict[int, int] = {}  # of what a source may still send
    received: set[int] = set()
    for response in responses:
        found = response.timestamp, response.payload
        rest = range(begins.get(response.source, 0), len(sent))
        index = next((each for each in rest if sent[each] == found and each not in received), -1)
        received.add(index)
        begins[response.source] = index + 1
        if index < 0:
            raise InvariantError(
                "clients receive what the service sent",
                f"{name}, session {session_id}: {response.payload[:_SHOWN].hex()} of"
                f" {response.timestamp}, received at {response.time_ns}, was not sent to it, or"
                " before that",
            )


def check_requests(journal: Journal, operations: Mapping[int, Sequence[Operation]]) -> None:
    """Compare the requests of the log with those that plain clients made.

    Parameters
    ----------
    journal : Journal
        Of the first service.
    operations : mapping
        By the number of the client.

    Raises
    ------
    InvariantError
        One was not made so, or a session has two of them in another order.
    """
    latest: dict[int, int] = {}
    owners: dict[int, int] = {}
    for entry in journal.entries:
        if entry.kind != "message" or entry.key < 0 or PlainRequests.is_enveloped(entry.payload):
            continue
        client, number = _NAME.unpack_from(entry.payload)
        own = operations.get(client)
        if own is None:
            continue
        if number >= len(own) or own[number].request.encode() != entry.payload:
            raise InvariantError("requests come to the log as they were made", f"{entry}")
        if owners.setdefault(entry.key, client) != client:
            raise InvariantError(
                "a session is of one client",
                f"{entry} is of client {client}, the session of {owners[entry.key]}",
            )
        if number <= latest.get(entry.key, -1):
            raise InvariantError(
                "a session's requests are in order",
                f"{entry}: request {number} follows {latest[entry.key]}",
            )
        latest[entry.key] = number


def check_client_closes(model: PlainCluster, closed: Mapping[int, Collection[int]]) -> None:
    """Compare the sessions that were closed for their client with those that clients closed.

    Parameters
    ----------
    model : PlainCluster
    closed : mapping of int to collection of int
        The sessions that a client closed, by its number.

    Raises
    ------
    InvariantError
        One was closed for a client that did not close it.
    """
    for session_id, event in model.closes.items():
        if event.reason != CLIENT_ACTION:
            continue
        client = _CLIENT.search(model.opens[session_id].channel)
        number = -1 if client is None else int(client[1])
        if session_id not in closed.get(number, (session_id,)):
            raise InvariantError(
                "closes have their reason", f"{event}: client {number} did not close it"
            )


class NoticesMatchTheLog(Listener, Checker):
    """Session events and new leader events that members send agree with the log.

    Parameters
    ----------
    followed : MembersFollowTheModel
        Has the model; it concludes before this one.
    """

    def __init__(self, followed: MembersFollowTheModel) -> None:
        self._followed = followed
        self._notices: list[tuple[int, bytes]] = []

    def on_notice(self, host: int, message: bytes) -> None:
        """Keep a notice until the log is known."""
        self._notices.append((host, message))

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        model = self._followed.model
        if model is None:
            return
        endpoints = cluster.ingress_endpoints.encode()
        for host, message in self._notices:
            if host < len(cluster.members):
                check_notice(host, read_egress_event(message), model, endpoints)
        plain = [each for each in cluster.clients if not isinstance(each, Survivor)]
        check_client_closes(model, {each.number: each.left for each in plain})


def check_notice(
    host: int, notice: SessionState | NewLeader, model: PlainCluster, endpoints: bytes
) -> None:
    """Compare a notice that a member sent with the log.

    Parameters
    ----------
    host : int
        The member.
    notice : SessionState or NewLeader
    model : PlainCluster
    endpoints : bytes
        The ingress endpoints of the cluster.

    Raises
    ------
    InvariantError
        It names another leader, reason, session or endpoint.
    """
    leader_id = model.leader_of(notice.term_id)
    # Nothing was committed in a term that is missing in the log.
    if leader_id not in (_NO_LEADER, notice.leader_id):
        raise InvariantError(
            "notices name the leader", f"member {host} sent {notice}, {leader_id} leads"
        )
    if isinstance(notice, NewLeader):
        is_right = notice.leader_id == host and notice.endpoints == endpoints
        opened = model.opens.get(notice.session_id)
        if not is_right or (leader_id >= 0 and opened is None):
            raise InvariantError("new leaders name themselves", f"member {host} sent {notice}")
        return
    opened = model.opens.get(notice.session_id)
    closed = model.closes.get(notice.session_id)
    match notice.code:
        case code if code == REDIRECT:
            # A follower that is elected while its redirect waits for the egress names itself.
            is_right = notice.detail == endpoints
        case code if code == OK:
            is_right = notice.leader_id == host and (
                opened is None
                or opened.term_id > notice.term_id
                or opened.correlation_id == notice.correlation_id
            )
        case code if code == CLOSED:
            reasons = {each.encode() for each in REASONS.values()}
            is_right = notice.leader_id == host and notice.detail in (_ELECTION, *reasons)
            if closed is not None and closed.term_id == notice.term_id:
                is_right &= notice.detail == REASONS[closed.reason].encode()
        case code if code == ERROR:
            # Its id is given to no session, except by another leader.
            is_right = notice.leader_id != host or (
                opened is None
                or opened.term_id > notice.term_id
                or opened.correlation_id != notice.correlation_id
            )
        case _:
            is_right = True
    if not is_right:
        raise InvariantError(
            "notices agree with the log",
            f"member {host} sent {notice}, opened as {opened}, closed as {closed}",
        )
