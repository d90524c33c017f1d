"""Clients are answered again after the faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.clients.survivor import Survivor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.clients.client import Client
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["await_answers"]

_TIMEOUT_NS: Final = 60_000_000_000  # lost sessions may first have to be detected and reopened


def await_answers(host: RunHost, services: Sequence[object]) -> None:
    """Wait until each client has an answer to a request that it sends from now on.

    Suspended members are resumed: the resume of a plan ends with its faults.

    Parameters
    ----------
    host : RunHost
    services : sequence of callables
        The factories of services, for the error.

    Raises
    ------
    TimeoutExpiredError
    """
    cluster = host.cluster
    clients = cluster.clients
    begin_ns = cluster.now_ns
    sent_before = [client.sent_count for client in clients]
    begin = [len(each.entries) for each in cluster.journals]

    def is_logged(session_id: int | None) -> bool:
        return any(
            entry.kind == "message" and entry.key == session_id
            for journal, first in zip(cluster.journals, begin, strict=True)
            for entry in journal.entries[first:]
        )

    def is_client_answered(client: Client) -> bool:
        if not client.load.is_answered and not client.load.is_surviving:
            return is_logged(client.session_id)
        return any(each.time_ns > begin_ns for each in client.responses[-1:])

    def is_answered() -> bool:
        for member in cluster.members:
            if member.is_running and member.module.state is ConsensusModuleState.SUSPENDED:
                member.module.try_toggle(ControlToggle.RESUME)
        return all(map(is_client_answered, clients))

    def unanswered() -> str:
        return "; ".join(
            _describe_unanswered(client, client.sent_count - before, services)
            for client, before in zip(clients, sent_before, strict=True)
            if not is_client_answered(client)
        )

    host.await_until(is_answered, _TIMEOUT_NS, unanswered)


def _describe_unanswered(client: Client, sent_count: int, services: Sequence[object]) -> str:
    if isinstance(client, Survivor) and client.pending:
        return f"{len(client.pending)} requests of client {client.number} have no answer"
    if not sent_count:
        return f"client {client.number} sent no request"
    names = [getattr(each, "__name__", repr(each)) for each in services]
    described = f"{'services' if len(names) > 1 else 'service'} {', '.join(names)}"
    return (
        f"no answer came to client {client.number}'s {sent_count} requests from {described},"
        f" {len(client.responses)} to the {client.sent_count - sent_count} before"
    )
