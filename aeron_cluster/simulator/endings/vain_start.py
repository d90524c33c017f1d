"""Start a member that cannot run: it has to state why, and runs when it is set right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import AgentTerminationError, InvariantError
from aeron_cluster.simulator.endings.conditions import furthest_commit_position, has_no_election

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["start_in_vain"]

_TIMEOUT_NS: Final = 60_000_000_000


def start_in_vain(
    host: RunHost,
    member: Member,
    change: Callable[[], Callable[[], None]],
    *,
    rule: str,
    expected: tuple[type[Exception], ...],
) -> None:
    """Kill a follower, start it with something changed, and then as it was.

    Parameters
    ----------
    host : RunHost
    member : Member
        The follower; the others have a majority.
    change : callable
        Changes what prevents it from running, and returns what undoes that. Both are called while
        it does not run.
    rule : str
        What must hold, for the error.
    expected : tuple of type
        The errors that it may state.

    Raises
    ------
    InvariantError
        It ended, or failed, for another reason, or for none.
    TimeoutExpiredError
        It states nothing, or does not catch up when it is set right.
    """
    host.on_step(rule)
    host.on_refusal(member)
    known = len(member.errors)
    member.kill()
    host.prevent_restart(member)
    undo = change()
    member.start()
    host.await_until(lambda: not member.is_running or len(member.errors) > known, _TIMEOUT_NS)
    errors = [*member.errors[known:], *filter(None, [member.failure])]
    member.kill()
    undo()
    # What ends an agent has its reason as the cause.
    causes = [
        each.__cause__ if isinstance(each, AgentTerminationError) else each for each in errors
    ]
    if not causes or any(not isinstance(each, expected) for each in causes):
        names = " or ".join(each.__name__ for each in expected)
        raise InvariantError(rule, f"{member} stated {causes}, expected {names}")
    host.on_refusal(None)
    host.on_step(f"a member catches up that was set right: {rule}")
    host.start(member)
    host.await_until(lambda: _has_caught_up(host.cluster, member), _TIMEOUT_NS)


def _has_caught_up(cluster: Cluster, member: Member) -> bool:
    furthest = furthest_commit_position(cluster)
    return has_no_election(member) and member.commit_position == furthest
