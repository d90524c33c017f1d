"""Backups follow the log while nothing is wrong, and not only by their next query.

A query is repeated so often in a run that a backup whose replay has stopped seems to follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.endings.conditions import are_backed_up, furthest_commit_position

if TYPE_CHECKING:
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["check_backups_follow"]

_S: Final = 1_000_000_000
_TIMEOUT_NS: Final = 60 * _S
_STEP_NS: Final = 10_000_000
# Half of the interval of a run's queries: after one of these no other is as near.
_DELAY_NS: Final = _S
_ROUNDS: Final = 3


def check_backups_follow(host: RunHost) -> None:
    """Suspend the cluster and resume it: backups must have each of both actions at once.

    A query in between is only answered once the cluster is active again, as upstream, and until
    then its backup cannot be judged: the next round comes right after that query.

    Raises
    ------
    InvariantError
        A backup lacks an action one second after its commit.
    TimeoutExpiredError
        An action is not committed, or a backup has not even what was committed before.
    """
    before = furthest_commit_position(host.cluster)
    host.on_step("backups have what is committed")
    host.await_until(lambda: are_backed_up(host.cluster, before), _TIMEOUT_NS)
    for _ in range(_ROUNDS):
        is_judged = _is_judged(host, ControlToggle.SUSPEND)
        if _is_judged(host, ControlToggle.RESUME) and is_judged:
            return


def _is_judged(host: RunHost, request: ControlToggle) -> bool:
    """Check that backups follow an action; return False if one began a query meanwhile."""
    cluster = host.cluster

    def is_requested() -> bool:
        leader = cluster.leader()
        return leader is not None and leader.module.try_toggle(request)

    host.on_step(f"the operator's {request.name} is committed")
    before = furthest_commit_position(cluster)
    host.await_until(is_requested, _TIMEOUT_NS)
    host.await_until(lambda: furthest_commit_position(cluster) > before, _TIMEOUT_NS)
    position, until_ns = furthest_commit_position(cluster), cluster.now_ns + _DELAY_NS
    host.on_step("backups follow the log")
    while cluster.now_ns < until_ns and not are_backed_up(cluster, position):
        host.drive_to(cluster.now_ns + _STEP_NS)
    late = [each for each in cluster.backups if each.live_log_position < position]
    if any(each.is_backing_up for each in late):
        found = ", ".join(f"{each} is at {each.live_log_position}" for each in late)
        raise InvariantError(
            "backups follow the log", f"{position} was committed {_DELAY_NS / _S:g} s ago, {found}"
        )
    return not late
