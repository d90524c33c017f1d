"""Losses of power without syncs, of one machine at a time: nothing acknowledged may be lost.

All members have the same when a machine loses its power, the others continue, and elect if it was
the leader's. Its member then starts with what its disk has. If it does not join them, its
directories are removed, as by an operator, and it copies everything. Only once it has what the
others have is the next machine lost. In some runs the system has written back what a disk should
have shortly before: catalog and segments are there, and only the end of the log is in part.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.endings.conditions import (
    election_bound_ns,
    has_no_election,
    has_settled,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = [
    "draw_unsynced_losses",
    "draw_write_back",
    "lose_power_after_write_back",
    "lose_power_in_turn",
    "start_machines_anew",
]

_SALT: Final = 0x0FF0FF
_ONE_IN: Final = 3
_FEWEST_MEMBERS: Final = 3
_TIMEOUT_NS: Final = 60_000_000_000
_SYNC_STEP_NS: Final = 100_000_000
_WRITE_BACK_SALT: Final = 0xD127B
_WRITE_BACK_ONE_IN: Final = 2
_GROWTH_NS: Final = 10_000_000_000  # the longest wait for the log to reach another page
_GROWTH_STEP_NS: Final = 1_000_000
_PAGE: Final = 4096


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


def draw_write_back(seed: int) -> bool:
    """Draw whether the disks are written back shortly before each loss, in one of two runs.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    return SeededRandom(seed ^ _WRITE_BACK_SALT).below(_WRITE_BACK_ONE_IN) == 0


def start_machines_anew(cluster: Cluster) -> None:
    """Give members' machines another boot id after each loss of power, as real ones have.

    What an archive stored of its recordings' positions before is then no longer valid: it may not
    know whether the last frame is torn, and not start. If it syncs, checksums still show that;
    one without these would need its operator even then, which is left out here.

    Parameters
    ----------
    cluster : Cluster
    """
    for member in cluster.members:
        machine = member.machine
        machine.has_boots = cluster.sync_level == 0 or not machine.files.whole_pages


def lose_power_after_write_back(host: RunHost, member_ids: Sequence[int]) -> None:
    """Lose the power of machines as below, each shortly after its system has written all back.

    Then the end of the log is on another page than what was written back: the last frame may have
    its first page, and lack the next one.

    Raises
    ------
    TimeoutExpiredError
    """
    lose_power_in_turn(host, member_ids, prepare=partial(_write_back, host))


def _write_back(host: RunHost, member: Member) -> None:
    cluster = host.cluster
    member.machine.write_back(DIRECTORY)
    page = member.commit_position // _PAGE
    until_ns = cluster.now_ns + _GROWTH_NS
    host.on_step("the log reaches a page that is not written back")
    while member.commit_position // _PAGE == page and cluster.now_ns < until_ns:
        host.drive_to(cluster.now_ns + _GROWTH_STEP_NS)


def lose_power_in_turn(
    host: RunHost, member_ids: Sequence[int], *, prepare: Callable[[Member], None] | None = None
) -> None:
    """Lose the power of machines, one after the other, each once all members are in sync.

    Parameters
    ----------
    host : RunHost
    member_ids : sequence of int
    prepare : callable, optional
        Called with each member before its machine loses power.

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
        if prepare is not None:
            prepare(member)
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
