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
        """Virtual time since the beginning, in ns."""

    @property
    def loop(self) -> Loop:
        """The loop that drives the agents of all processes."""

    @property
    def longest_step_ns(self) -> int:
        """The highest lateness of a deadline without other events, in ns."""

    def on_started(self, process: Process, place: int, /) -> None:
        """Remember whose agents a place of the loop drives."""

    def on_ended(self, place: int, /) -> None:
        """Forget a place of the loop."""


class ClientHost(ProcessHost, Protocol):
    """What a client uses of its `Cluster`."""

    @property
    def world(self) -> World:
        """The machines, and the time of all of them."""

    @property
    def ingress_endpoints(self) -> str:
        """The ingress endpoints of the members, as ``id=host:port`` joined by commas."""
