"""Reports of missing requests that reach surviving clients after the answers of another leader.

A client without answers asks its service which requests that has. The leader's network to these
clients alone is slow: it commits the question, and is cut off before its reports arrive. The next
leader answers everything, and then the reports come: they are outdated, and end no client.

All of that is within the time after which a client gives up a silent session, so these clusters
replace a silent leader soon, and the drivers of these clients have the usual timeouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.survivor import Survivor

if TYPE_CHECKING:
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["FAST_FAILOVER", "LateReports", "draw_late_reports", "hold_up_reports"]

_OF_REPORTS: Final = 0x6A9BE4
_ONE_IN: Final = 2
_FEWEST_MEMBERS: Final = 3
_MS: Final = 1_000_000
_TIMEOUT_NS: Final = 60_000 * _MS
# A client asks a second after the last answer, and again two seconds later.
_FIRST_REPORT_MS: Final = 1200
_SECOND_REPORT_MS: Final = 3100
_ONE_REPORT_ONE_IN: Final = 4

FAST_FAILOVER: Final[dict[str, Any]] = {
    "leader_heartbeat_timeout_ns": 700 * _MS,
    "leader_heartbeat_interval_ns": 100 * _MS,
}
"""Options of the consensus modules, as of ``aeron-cluster node --failover fast``."""


@dataclass(frozen=True)
class LateReports:
    """How long a leader works on, and how long what it sends to surviving clients is held up.

    Parameters
    ----------
    led_ns, held_ns : int
        Both from the same time.
    """

    led_ns: int
    held_ns: int


def draw_late_reports(seed: int, members: int) -> LateReports | None:
    """Draw such an end for one of two runs of those that may have it, with three members or more.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        Their number.
    """
    random = SeededRandom(seed ^ _OF_REPORTS)
    if members < _FEWEST_MEMBERS or random.below(_ONE_IN):
        return None
    first_ms = _SECOND_REPORT_MS if random.below(_ONE_REPORT_ONE_IN) else _FIRST_REPORT_MS
    led_ms = first_ms + random.below(400)
    # An election takes about a second, and late answers up to three.
    held_ms = led_ms + 2000 + random.below(2500)
    return LateReports(led_ms * _MS, held_ms * _MS)


def hold_up_reports(host: RunHost, reports: LateReports) -> None:
    """Hold up what the leader sends to surviving clients, and cut it off meanwhile.

    Parameters
    ----------
    host : RunHost
    reports : LateReports

    Raises
    ------
    TimeoutExpiredError
        The clients were not connected before.
    """
    cluster = host.cluster
    clients = [each for each in cluster.clients if isinstance(each, Survivor)]

    def is_connected() -> bool:
        leader = cluster.leader()
        return leader is not None and all(
            each.is_connected and each.leader_id == leader.member_id for each in clients
        )

    host.on_step("surviving clients are connected before their leader is slow")
    host.await_until(is_connected, _TIMEOUT_NS)
    leader = cluster.leader()
    assert leader is not None
    begin_ns = cluster.now_ns
    for each in clients:
        cluster.world.wire.clog(leader.machine.network, each.machine.network, reports.held_ns)
    host.drive_to(begin_ns + reports.led_ns)
    cluster.isolate(leader)
    host.drive_to(begin_ns + reports.held_ns)
    cluster.world.wire.heal()
