"""Sessions whose clients end or fall silent time out, each in its time, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.sessions import (
    SeenClose,
    Silence,
    check_left_sessions,
    check_timed_out,
    closed_by_returned_leader,
    open_sessions,
)
from aeron_cluster.simulator.clients.client import Client
from aeron_cluster.simulator.endings.conditions import election_bound_ns, is_term_seen, terms_seen
from aeron_cluster.simulator.model.plain_messages import CLIENT_ACTION, REASONS, TIMEOUT

if TYPE_CHECKING:
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["check_sessions_without_a_client"]

_TIMEOUT_NS: Final = 60_000_000_000
_SILENT_LONGER_NS: Final = 1_500_000_000
_MAX_SILENCE_NS: Final = 30_000_000_000
_APART_NS: Final = 500_000_000
_LONGEST_GAP_NS: Final = 500_000_000
_OF_GAPS: Final = 0x6A95
_STEP_NS: Final = 50_000_000


def check_sessions_without_a_client(host: RunHost) -> None:
    """End some clients, pause others, and run until the sessions of both time out.

    Their sessions end, each in its time, no other does, and silent clients are notified. Nothing is
    done if the timeout is too long, or services are native ones, which are not observed.

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    cluster = host.cluster
    for each in cluster.quiet_clients:
        each.stop()
    host.on_step("services see the term that the leader shows")
    host.await_until(lambda: is_term_seen(cluster), election_bound_ns(cluster))
    host.on_step("a client that died connects again")
    leader = cluster.leader()
    assert leader is not None
    timeout_ns = int(leader.module.context.options.session_timeout_ns)
    if timeout_ns + _SILENT_LONGER_NS > _MAX_SILENCE_NS or not cluster.journals[0].entries:
        return
    terms = terms_seen(cluster)
    dying, silent = _chosen(host)
    watch = _Closes(host, len(cluster.journals[0].entries))
    closed = closed_by_returned_leader(cluster.journals[0])
    # One that nobody answers may not know of its close, and still wait for a new leader.
    opened = open_sessions(cluster.journals[0].entries)
    quiet = [each.session_id for each in cluster.quiet_clients]
    closed |= {each for each in quiet if each is not None and not opened.get(each, True)}
    silences: list[Silence] = []
    left: int | None = None
    if dying not in silent:
        is_closed = dying.session_id in closed
        if type(dying) is Client and cluster.seed // 4 % 2 and not is_closed:
            left = dying.end_session()
        elif dying.session_id is not None and not is_closed:
            # The end of its ingress may end it before its silence does.
            silences.append(Silence(dying.session_id, 0, cluster.now_ns))
        if left is None:
            dying.on_stopped(None)

        def is_back() -> bool:
            watch.look()
            return dying.is_connected

        host.await_until(is_back, _TIMEOUT_NS)
    host.on_step("sessions without a client time out, and no others")
    held: list[tuple[Client, int | None]] = [
        (each, None if each.session_id in closed else each.session_id)
        for each in (*cluster.clients, *cluster.quiet_clients)
        if each not in silent
    ]
    fallen: list[tuple[Client, int]] = []
    random = SeededRandom(cluster.seed ^ _OF_GAPS)
    for client in silent:
        session_id, now_ns = client.session_id, cluster.now_ns
        since_ns = _last_activity_ns(client, now_ns)
        if session_id is not None and session_id not in closed and client.fall_silent():
            fallen.append((client, session_id))
            silences.append(Silence(session_id, since_ns, now_ns))
        else:
            held.append((client, None))
        gap_ns = random.below(_LONGEST_GAP_NS) if cluster.quiet_clients else _APART_NS
        watch.drive_to(now_ns + gap_ns)
    watch.drive_to(cluster.now_ns + timeout_ns + _SILENT_LONGER_NS)
    closes = watch.seen
    leaders = [each for each in cluster.members if each.is_leading]
    is_active = all(each.module.state is ConsensusModuleState.ACTIVE for each in leaders)
    if (terms_now := terms_seen(cluster)) != terms:
        raise InvariantError(
            "no election is held without a fault", f"services saw {terms} terms, then {terms_now}"
        )
    if not is_active:
        return  # a suspended leader does not count
    check_timed_out(silences, closes, timeout_ns, _STEP_NS)
    if left is not None and (left not in closes or closes[left].reason != CLIENT_ACTION):
        raise InvariantError(
            "closes have their reason", f"{dying} closed {left}: {closes.get(left)}"
        )
    for client, session_id in fallen:
        if client.closes.get(session_id) != REASONS[TIMEOUT]:
            raise InvariantError(
                "clients are notified of a close",
                f"{client}: session {session_id}, notices {client.closes}",
            )
    known = [session_id for _, session_id in held if session_id is not None]
    known += [each.session_id for each, _ in fallen if each.session_id is not None]
    # One that is superseded, and has nothing to send, keeps its session.
    every = (*cluster.clients, *cluster.quiet_clients)
    unknown = sum(each.process_count for each in every) - len(known)
    for journal in cluster.journals:
        if journal.entries:
            check_left_sessions(journal, known, unknown, timeout_ns + _SILENT_LONGER_NS)


def _last_activity_ns(client: Client, now_ns: int) -> int:
    """Return when a client that falls silent now was last active, at the earliest, in ns.

    One that was silent before may time out before its last keep-alive arrives.
    """
    return client.session_logs[-1].sent[-1].time_ns if client.is_silent else now_ns


def _chosen(host: RunHost) -> tuple[Client, list[Client]]:
    """Return the client that ends, and those that fall silent."""
    cluster = host.cluster
    clients, seed = cluster.clients, cluster.seed
    dying = clients[seed % len(clients)]
    silent = [each for each in clients if type(each) is Client and each is not dying]
    # Where there is one client, it falls silent in half of all runs.
    if not silent and type(dying) is Client and seed // 2 % 2:
        silent.append(dying)
    # The first one stays.
    return dying, [*silent, *cluster.quiet_clients[1:]]


class _Closes:
    """When services see sessions close, from now on, by session."""

    def __init__(self, host: RunHost, begin: int) -> None:
        self.seen: dict[int, SeenClose] = {}
        self._host = host
        self._index = begin

    def look(self) -> None:
        """Record the closes since the last look."""
        cluster = self._host.cluster
        entries = cluster.journals[0].entries
        for entry in entries[self._index :]:
            if entry.kind == "close":
                self.seen[entry.key] = SeenClose(cluster.now_ns, int(entry.payload))
        self._index = len(entries)

    def drive_to(self, until_ns: int) -> None:
        """Run to a time, and look often."""
        cluster = self._host.cluster
        while cluster.now_ns < until_ns:
            self._host.drive_to(min(cluster.now_ns + _STEP_NS, until_ns))
            self.look()
