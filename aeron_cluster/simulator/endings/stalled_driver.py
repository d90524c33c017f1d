"""A driver that stalls while its archive opens a session, until the archive has given up.

The module of a follower connects to its archive, which requests a publication and a counter for
the session from the driver. Both arrive after the session's end, and the archive releases them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.endings.conditions import has_no_election

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["draw_stall", "stall_driver"]

_SALT: Final = 0x57A11
_ONE_IN: Final = 2
_FEWEST_MEMBERS: Final = 3
_CONTROL_SESSIONS: Final = 102  # the type of the counter of an archive's sessions
_STEP_NS: Final = 50_000
_DOWN_NS: Final = 1_500_000_000  # in which the driver releases what the module had
_REQUEST_NS: Final = 200_000_000  # in which a module that starts connects to its archive
_CONNECT_TIMEOUT_NS: Final = 5_000_000_000  # of archives
_LONGEST_STALL_NS: Final = 3_000_000_000  # beyond that, less than the timeout of a driver
_TIMEOUT_NS: Final = 60_000_000_000


def draw_stall(seed: int, members: int) -> int:
    """Draw how long the driver of a follower stalls, in ns; 0 in one of two runs.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        Their number: the others need a majority.
    """
    random = SeededRandom(seed ^ _SALT)
    if members < _FEWEST_MEMBERS or random.below(_ONE_IN):
        return 0
    return _CONNECT_TIMEOUT_NS + 1 + random.below(_LONGEST_STALL_NS)


def stall_driver(host: RunHost, stall_ns: int) -> None:
    """Start the module of a follower again, and stall its driver once it connects to its archive.

    Nothing stalls if the archive has no new session in time.

    Parameters
    ----------
    host : RunHost
        A run in which each component of a member is a process of its own.
    stall_ns : int
        How long the driver stalls, in ns.

    Raises
    ------
    TimeoutExpiredError
        The member does not follow afterwards.
    """
    cluster = host.cluster
    host.on_step("a driver stalls while an archive opens a session")
    host.await_until(lambda: all(map(has_no_election, cluster.members)), _TIMEOUT_NS)
    member = next(each for each in cluster.members if not each.is_leading)
    member.process("module").close()
    host.prevent_restart(member)
    host.drive_to(cluster.now_ns + _DOWN_NS)
    count = _session_count(member)
    host.start(member)
    until_ns = cluster.now_ns + _REQUEST_NS
    while cluster.now_ns < until_ns:
        host.drive_to(cluster.now_ns + _STEP_NS)
        before, count = count, _session_count(member)
        if count > before:
            member.process_of_driver.pause(stall_ns)
            host.drive_to(cluster.now_ns + stall_ns)
            break
    host.await_until(lambda: has_no_election(member), _TIMEOUT_NS)


def _session_count(member: Member) -> int:
    """Return how many sessions the archive of a member counts."""
    return sum(each.value for each in member.driver_counters(_CONTROL_SESSIONS))
