"""The interfaces of the simulation for simulated processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aeron_cluster.simulator.world.loop import Loop
    from aeron_cluster.simulator.world.machine import World
    from aeron_cluster.simulator.world.processes import Process

__all__ = ["ClientHost", "ProcessHost"]


class ProcessHost(Protocol):
    """The interface of a `Cluster` for a process of a member."""

    @property
    def now_ns(self) -> int:
        """The virtual time since the start, in ns."""

    @property
    def loop(self) -> Loop:
        """The loop that drives the agents of all processes."""

    @property
    def longest_step_ns(self) -> int:
        """The highest lateness of a deadline without other events, in ns."""

    @property
    def process_changes(self) -> int:
        """The number of starts and ends of processes; what depends on them alone is kept by it."""

    def on_changed(self) -> None:
        """Count a start or an end of a process."""

    def on_started(self, process: Process, place: int, /) -> None:
        """Record the owner of the agents of a slot in the loop."""

    def on_ended(self, place: int, /) -> None:
        """Remove a slot of the loop."""


class ClientHost(ProcessHost, Protocol):
    """The interface of a `Cluster` for its clients."""

    @property
    def world(self) -> World:
        """The machines, and their common time."""

    @property
    def ingress_endpoints(self) -> str:
        """The ingress endpoints of the members, as ``id=host:port`` separated by commas."""
