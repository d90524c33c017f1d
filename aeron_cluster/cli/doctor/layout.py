"""The layout of a node's threads that fits a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Layout", "recommend"]

# The threads of a node with one service and threads="each": docs/layouts.md.
_THREADS_OF_EACH: Final = 8
# With fewer processors, a spinning thread leaves too few for clients and other processes.
_ENOUGH_TO_SPIN: Final = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """A recommended way to start a node, and the reason.

    Parameters
    ----------
    arguments : str
        Options of ``aeron-cluster node``.
    reason : str
    """

    arguments: str
    reason: str


def recommend(cpus: Sequence[int], isolated: frozenset[int], quota: float | None) -> list[Layout]:
    """Return the recommended layouts; the first one has the shortest latency.

    Parameters
    ----------
    cpus : sequence of int
        The usable processors, the best first.
    isolated : frozenset of int
        The isolated processors: the kernel schedules only pinned threads on them.
    quota : float, optional
        The number of processors that may be used on average: the CPU quota.
    """
    usable = len(cpus) if quota is None else min(len(cpus), quota)
    alone = [cpu for cpu in cpus if cpu in isolated]
    if not alone and usable < _ENOUGH_TO_SPIN:
        if usable <= 1:
            return [Layout("--threads one --idle backoff", "one processor, shared by everything")]
        return [
            Layout(
                "--threads one --idle backoff",
                "few processors: more threads would wait for each other; --idle yield answers"
                " sooner and keeps one of them busy",
            )
        ]
    best = (alone or cpus)[0]
    found = [
        Layout(
            f"--threads one --idle spin --cpus {best}",
            "the shortest latency: a message is received, recorded, committed and answered in one"
            " pass of one thread",
        )
    ]
    if usable > _THREADS_OF_EACH:
        own = ",".join(str(each) for each in cpus[:_THREADS_OF_EACH])
        found.append(
            Layout(
                f"--threads each --idle spin --cpus {own}",
                "the highest rates, big messages, or a recorder that syncs each write",
            )
        )
    return found
