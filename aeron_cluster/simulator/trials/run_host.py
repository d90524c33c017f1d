"""What the end of a run uses of it: a last loss, and checks that need more virtual time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["RunHost"]


@dataclass(frozen=True)
class RunHost:
    """The part of a run that is used by the checks at its end, each of which drives it.

    Parameters
    ----------
    cluster : Cluster
    drive_to : callable
        Advances time to a point.
    await_until : callable
        Advances time until a condition holds, for at most some ns.
    on_step : callable
        Called with the name of what is awaited next.
    prevent_restart : callable
        Prevents the restart of a killed member.
    start : callable
        Starts a member.
    on_refusal : callable
        Called with a member that is started in a way in which it cannot run, and that is not judged
        until then; with None after it was killed.
    election_bound_ns : callable
        Returns the longest time that an election may take.
    """

    cluster: Cluster
    drive_to: Callable[[int], None]
    await_until: Callable[[Callable[[], object], int], None]
    on_step: Callable[[str], None]
    prevent_restart: Callable[[Member], None]
    start: Callable[[Member], None]
    on_refusal: Callable[[Member | None], None]
    election_bound_ns: Callable[[], int]
