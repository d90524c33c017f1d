"""Surviving clients that are given the endpoint of one member, and later lose that member.

They must reconnect by the endpoints that the cluster has sent them since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.survivor import Survivor

if TYPE_CHECKING:
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["draw_known_member", "lose_known_member"]

_OF_KNOWN: Final = 0x6B0011
_ONE_IN: Final = 2
_FEWEST_MEMBERS: Final = 3
_TIMEOUT_NS: Final = 60_000_000_000
_STEP_NS: Final = 10_000_000


def draw_known_member(seed: int, members: int) -> int:
    """Draw the member whose endpoint surviving clients are given, in one run of two; else -1.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        The number of members; -1 is returned if they need each one for a majority.
    """
    random = SeededRandom(seed ^ _OF_KNOWN)
    if members < _FEWEST_MEMBERS or random.below(_ONE_IN):
        return -1
    return random.below(members)


def lose_known_member(host: RunHost, member_id: int) -> None:
    """Kill the member that clients were given, and have them lose their sessions meanwhile.

    If it leads, they follow the next leader before.

    Raises
    ------
    TimeoutExpiredError
        They did not reconnect to the others.
    """
    cluster = host.cluster
    clients = [each for each in cluster.clients if isinstance(each, Survivor)]

    def is_connected() -> bool:
        leader = cluster.leader()
        return leader is not None and all(
            each.is_connected and each.leader_id == leader.member_id for each in clients
        )

    host.on_step("surviving clients are connected after the faults")
    host.await_until(is_connected, _TIMEOUT_NS)
    member = cluster.members[member_id]
    is_leading = member is cluster.leader()
    member.kill()
    host.prevent_restart(member)
    if is_leading:
        host.on_step("surviving clients follow the next leader")
        until_ns = cluster.now_ns + _TIMEOUT_NS
        while not is_connected() and cluster.now_ns < until_ns:
            host.drive_to(cluster.now_ns + _STEP_NS)
    # A client whose session ended with that leader knows no other member.
    if is_connected():
        cluster.isolate(*clients)
        host.on_step("clients that are cut off lose their sessions")
        host.await_until(lambda: not any(each.is_connected for each in clients), _TIMEOUT_NS)
        cluster.world.wire.heal()
        host.on_step("clients reconnect without the member that they were given")
        host.await_until(is_connected, _TIMEOUT_NS)
    host.start(member)
