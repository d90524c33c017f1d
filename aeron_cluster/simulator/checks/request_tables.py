"""What a de-duplicating service retains of its clients, compared with the log.

Which requests of a client it has taken, what the client has acknowledged, when it was last active
and in which session, and that clients which ended in order are forgotten: in memory at the end, and
in each snapshot. So are the retained answers of requests that failed, with the cause. What a
service will answer later has no answer until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import read_snapshot_messages
from aeron_cluster.simulator.checks.plain_requests import PlainAnswer, PlainRequests, read_table
from aeron_cluster.simulator.checks.unsynced_data import may_lose_what_is_committed
from aeron_cluster.simulator.clients.late_answers import LateAnswer, LateAnswers
from aeron_cluster.simulator.clients.reference import (
    LATE_VERBS,
    MAX_CLIENTS,
    WINDOW_LENGTH,
    ReferenceService,
    Request,
    Verb,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.journal import Entry, Journal
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["TablesFollowTheLog", "check_table", "late_answers_of", "max_clients_of", "requests_of"]


# Drawn in include/aeron_cluster/requests.h.
_ANSWER: Final = 17
_FAILURE: Final = 18
_REJECTED: Final = 1
_FAILED: Final = 2
_NUMBER_BITS: Final = 32  # of a timer; the bits above have the client
_NUMBER_MASK: Final = (1 << _NUMBER_BITS) - 1


class TablesFollowTheLog(DiskChecker):
    """The tables of de-duplicating services are those that follow from the log."""

    def conclude(self, cluster: Cluster) -> None:
        """Compare what services have in memory and in snapshots."""
        if may_lose_what_is_committed(cluster):
            return  # what was committed may be lost
        for member in cluster.members:
            for journal in cluster.journals_of(member):
                service = _reference_of(member, journal)
                if service is None or service.requests is None:
                    continue
                name = f"member {member.member_id}"
                seen_count = getattr(member.services[journal.service_id], "seen_count", 0)
                if seen_count == len(journal.entries):
                    _check(name, _records(service), journal.entries, service)
                disk = self.with_snapshots(cluster, member)
                if disk is not None:
                    _check_snapshots(name, disk, journal, service)


def _check_snapshots(
    name: str, disk: MemoryFiles, journal: Journal, service: ReferenceService
) -> None:
    for entry, messages in read_snapshot_messages(disk, DIRECTORY):
        if entry.service_id == journal.service_id:
            seen = journal.entries[: journal.index_after(entry.log_position)]
            _check(f"{name} at {entry.log_position}", messages, seen, service)


def _check(
    where: str, messages: Iterable[bytes], entries: Sequence[Entry], service: ReferenceService
) -> None:
    late = late_answers_of(entries, service.max_clients) if service.answers_late else ()
    check_table(where, messages, requests_of(entries, service.max_clients), late)


def max_clients_of(cluster: Cluster, journal: Journal) -> int:
    """Return the size of the table of surviving clients of the services that a journal is of."""
    found = (_reference_of(each, journal) for each in cluster.members)
    return next((each.max_clients for each in found if each is not None), MAX_CLIENTS)


def _reference_of(member: Member, journal: Journal) -> ReferenceService | None:
    """Return the reference service of a member that a journal is of; None of another class."""
    service: Any = member.services[journal.service_id] if member.services else None
    found = getattr(service, "service", None)
    return found if type(found) is ReferenceService else None


def requests_of(entries: Sequence[Entry], max_clients: int) -> PlainRequests:
    """Return the requests that the log leads to.

    Parameters
    ----------
    entries : sequence of Entry
        What a service saw of the log.
    max_clients : int
        The size of its table.
    """
    requests = PlainRequests(WINDOW_LENGTH, max_clients)
    for entry in entries:
        is_of_client = entry.kind == "message" and entry.key >= 0
        if is_of_client and PlainRequests.is_enveloped(entry.payload):
            requests.accept(entry.payload, entry.key, entry.timestamp)
    return requests


def late_answers_of(
    entries: Sequence[Entry], max_clients: int = MAX_CLIENTS
) -> Collection[tuple[int, int]]:
    """Return the ids and sequences of the requests that a service is to answer later.

    Parameters
    ----------
    entries : sequence of Entry
        What it saw of the log.
    max_clients : int
        The size of its table.
    """
    requests = PlainRequests(WINDOW_LENGTH, max_clients)
    late = LateAnswers()
    for entry in entries:
        if entry.kind == "timer":
            late.take(entry.key >> _NUMBER_BITS, entry.key & _NUMBER_MASK)
        if entry.kind != "message":
            continue
        late.take_overdue(entry.timestamp)
        if entry.key < 0:
            relayed = Request.decode(entry.payload)
            late.take(relayed.client, relayed.number)
        elif PlainRequests.is_enveloped(entry.payload):
            payload = requests.accept(entry.payload, entry.key, entry.timestamp)
            name = PlainRequests.name_of(entry.payload)
            request = None if payload is None else Request.decode(payload)
            if name is not None and request is not None and request.verb in LATE_VERBS:
                is_timed = request.verb is Verb.TIMER
                late.add(
                    request.client,
                    request.number,
                    LateAnswer(
                        name.client_id, name.sequence, entry.key, entry.timestamp, is_timed, 0
                    ),
                )
    return late.names


class _Records:
    """Collects messages of a snapshot."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def offer(self, message: bytes) -> int:
        self.messages.append(bytes(message))
        return len(self.messages)


def _records(service: ReferenceService) -> list[bytes]:
    found: Any = _Records()
    assert service.requests is not None
    service.requests.write_snapshot(found)
    return list(found.messages)


def check_table(
    where: str,
    messages: Iterable[bytes],
    requests: PlainRequests,
    late: Collection[tuple[int, int]] = (),
) -> None:
    """Compare the table of a snapshot with the one that the log leads to.

    Parameters
    ----------
    where : str
        Whose it is, for the error.
    messages : iterable of bytes
    requests : PlainRequests
    late : collection of tuple of int
        The ids and sequences of requests that are not answered yet.

    Raises
    ------
    InvariantError
        A client is missing, or one too many, or differs.
    """
    clients, answers = read_table(messages)
    expected = requests.table
    if clients != expected:
        wrong = sorted(
            each
            for each in clients.keys() | expected.keys()
            if clients.get(each) != expected.get(each)
        )
        text = "; ".join(
            f"{each}: {clients.get(each)}, expected {expected.get(each)}" for each in wrong
        )
        raise InvariantError("tables of clients follow from the log", f"{where}: {text}")
    for client_id, client in expected.items():
        unacknowledged = range(client.acknowledged + 1, client.last + 1)
        retained = [each for each in unacknowledged if (client_id, each) not in late]
        if [*answers[client_id]] != retained:
            raise InvariantError(
                "answers are retained until they are acknowledged",
                f"{where}: client {client_id} of {client}: {[*answers[client_id]]}",
            )
        for sequence, answer in answers[client_id].items():
            request = Request.decode(requests.applied[client_id, sequence])
            _check_answer(f"{where}: client {client_id}, request {sequence}", answer, request)


def _check_answer(where: str, answer: PlainAnswer, request: Request) -> None:
    failure = request.failure
    if failure is None:
        is_right = (answer.kind, answer.cause) == (_ANSWER, 0)
    else:
        cause = _REJECTED if failure.is_rejected else _FAILED
        is_right = answer == (_FAILURE, cause, failure.reason.encode())
    if not is_right:
        raise InvariantError(
            "retained answers are those of their requests", f"{where}: {answer}, of {request}"
        )
