"""Losses of power without syncs, of one machine at a time: nothing acknowledged may be lost.

All members have the same when a machine loses its power, the others continue, and elect if it was
the leader's. Its member then starts with what its disk has. If it does not join them, its
directories are removed, as by an operator, and it copies everything. Only once it has what the
others have is the next machine lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.endings.conditions import (
    election_bound_ns,
    has_no_election,
    has_settled,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["draw_unsynced_losses", "lose_power_in_turn"]

_SALT: Final = 0x0FF0FF
_ONE_IN: Final = 3
_FEWEST_MEMBERS: Final = 3
_TIMEOUT_NS: Final = 60_000_000_000
_SYNC_STEP_NS: Final = 100_000_000


def draw_unsynced_losses(seed: int, members: int, sync_level: int) -> tuple[int, ...]:
    """Draw whose machines lose power, in one of three runs of several members without syncs.

    Parameters
    ----------
    seed, members, sync_level : int
        Those of the run.
    """
    random = SeededRandom(seed ^ _SALT)
    if sync_level or members < _FEWEST_MEMBERS or random.below(_ONE_IN):
        return ()
    return tuple(random.below(members) for _ in range(1 + random.below(2)))


def lose_power_in_turn(host: RunHost, member_ids: Sequence[int]) -> None:
    """Lose the power of machines, one after the other, each once all members are in sync.

    Raises
    ------
    TimeoutExpiredError
        The others do not elect, or the member does not come back even without its directories.
    """
    cluster = host.cluster
    cluster.loses_one_at_a_time = True
    for member_id in member_ids:
        member = cluster.members[member_id]
        others = [each for each in cluster.members if each is not member]
        _await_sync(host)
        member.lose_power()
        host.on_power_lost()
        host.prevent_restart(member)
        host.on_step("the others lead on after a loss of power without syncs")
        host.await_until(
            lambda others=others: (
                any(each.is_leading for each in others)  # type: ignore[misc]
                and all(map(has_no_election, others))
            ),
            election_bound_ns(cluster),
        )
        _come_back(host, member)
    _await_sync(host)


def _await_sync(host: RunHost) -> None:
    """Wait until all members have what one of them had committed at first."""
    cluster = host.cluster
    host.on_step("all members are in sync")
    host.await_until(lambda: has_settled(cluster), _TIMEOUT_NS)
    position = max(each.commit_position for each in cluster.members)
    host.await_until(
        lambda: (
            has_settled(cluster)
            and all(each.commit_position >= position for each in cluster.members)
        ),
        _TIMEOUT_NS,
    )


def _come_back(host: RunHost, member: Member) -> None:
    cluster = host.cluster
    leader = cluster.leader()
    assert leader is not None
    until_ns = cluster.now_ns + 2 * int(leader.module.context.options.leader_heartbeat_timeout_ns)
    host.on_step("a member without its unsynced data comes back")
    host.start(member)
    while not has_no_election(member) and cluster.now_ns < until_ns:
        host.drive_to(cluster.now_ns + _SYNC_STEP_NS)
    if not has_no_election(member):
        member.kill()
        member.machine.files.remove_tree(DIRECTORY)
        member.machine.files.make_directory(DIRECTORY)
        host.on_step("a member without directories copies everything")
        host.start(member)
    host.await_until(lambda: has_no_election(member), _TIMEOUT_NS)
