"""The end of a run of members with extensions of their consensus modules, and no services."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.clients.extension_client import ExtensionLoad
from aeron_cluster.simulator.endings.conditions import (
    all_lead,
    election_bound_ns,
    has_no_pending_requests,
    is_quiet,
)

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["await_messages", "come_to_rest_with_extensions"]

_S: Final = 1_000_000_000
_TIMEOUT_NS: Final = 60 * _S  # lost sessions may first have to be detected and reopened
_LAST_MESSAGES_NS: Final = _S
_CLIENT_MESSAGE: Final = struct.Struct("<HHHHqq")
_OF_CLIENT: Final = 1


def await_messages(host: RunHost) -> None:
    """Wait for a leader, and until each extension has a new message of each client.

    Suspended members are resumed: the resume of a plan ends with its faults.

    Raises
    ------
    TimeoutExpiredError
    """
    cluster = host.cluster
    host.on_step("the majority elects after the faults")
    host.await_until(lambda: all_lead(cluster), election_bound_ns(cluster))
    host.on_step("clients' messages come to extensions after the faults")
    loads = [each.load for each in cluster.clients if isinstance(each.load, ExtensionLoad)]
    sent = [each.count for each in loads]

    def is_done() -> bool:
        for member in cluster.members:
            if member.is_running and member.module.state is ConsensusModuleState.SUSPENDED:
                member.module.try_toggle(ControlToggle.RESUME)
        return all(
            number > sent[client]
            for member in cluster.members
            for client, number in enumerate(_last_numbers(cluster, member.member_id, len(sent)))
        )

    host.await_until(is_done, _TIMEOUT_NS)


def _last_numbers(cluster: Cluster, member_id: int, client_count: int) -> list[int]:
    """Return the number of the last message of each client that a member's extension has."""
    life = None if cluster.extensions is None else cluster.extensions.last_life(member_id)
    found = [0] * client_count
    for call in [] if life is None else life.calls:
        data = call.detail if call.kind in ("message", "read") else None
        if isinstance(data, bytes) and data[2] == _OF_CLIENT:
            *_, client, number = _CLIENT_MESSAGE.unpack_from(data)
            found[client] = number
    return found


def come_to_rest_with_extensions(host: RunHost) -> None:
    """Stop the clients, and wait until nothing is in progress.

    Raises
    ------
    TimeoutExpiredError
    """
    cluster = host.cluster
    for client in cluster.clients:
        client.stop()
    assert cluster.extensions is not None
    cluster.extensions.is_stopped = True
    host.on_step("all members come to the same position")
    host.drive_to(cluster.now_ns + _LAST_MESSAGES_NS)
    host.await_until(lambda: is_quiet(cluster), _TIMEOUT_NS)
    host.on_step("the operators' requests are done")
    host.await_until(lambda: has_no_pending_requests(cluster), _TIMEOUT_NS)
    host.await_until(lambda: is_quiet(cluster), _TIMEOUT_NS)
