"""Clients on one machine that share its driver, and by that the publications to members."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.config import assumed_environment
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.simulator.clients.client import Client, launch_driver
from aeron_cluster.simulator.world.machine import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.driver.media_driver import MediaDriver
    from aeron_cluster.memory.system.seams import Seams
    from aeron_cluster.simulator.world.machine import Machine
    from aeron_cluster.simulator.world.process_host import ClientHost

__all__ = ["SharedDriver", "SharingClient"]

_FIRST_PORT: Final = 20_000


class SharedDriver:
    """A driver in a process of its own, for the clients of its machine.

    Parameters
    ----------
    cluster : ClientHost
    machine : Machine
    options : mapping of str to object
        Keywords of `MediaDriver.launch`.

    Attributes
    ----------
    machine : Machine
    driver : MediaDriver
    invoker : AgentInvoker
        Drives it.
    """

    def __init__(self, cluster: ClientHost, machine: Machine, options: Mapping[str, Any]) -> None:
        self.machine = machine
        self._cluster = cluster
        self._process = process = machine.start()
        with assumed_environment(ENVIRONMENT):
            self.driver: MediaDriver = launch_driver(process.seams, options)
            self.invoker = AgentInvoker(self.driver.agents, clock=process.seams.clock)
            self.invoker.start()
        self._place = cluster.loop.add(
            self.invoker,
            process.network,
            process.files,
            longest_step_ns=cluster.longest_step_ns,
        )
        cluster.on_started(self, self._place)

    def on_stopped(self, error: BaseException | None) -> None:
        """Fail, since nothing ends it."""
        raise error or AssertionError("the driver of clients was killed")

    def close(self) -> None:
        """End it in order."""
        self._cluster.loop.remove(self._place)
        self._cluster.on_ended(self._place)
        for each in (self.invoker, self.driver):
            with contextlib.suppress(AeronClusterError, OSError):
                each.close()
        self._process.end()


class SharingClient(Client):
    """A client whose publications are shared with the other clients of a driver.

    Parameters are those of `Client`, but for the machine, and:

    Parameters
    ----------
    shared : SharedDriver
    """

    has_own_driver = False

    def __init__(
        self,
        cluster: ClientHost,
        number: int,
        shared: SharedDriver,
        **options: Any,  # noqa: ANN401 - as of Client
    ) -> None:
        super().__init__(cluster, number, shared.machine, **options)
        self._shared = shared

    def __repr__(self) -> str:
        return f"<SharingClient {self.number} {self.session!r}>"

    def _join_driver(self, seams: Seams) -> tuple[MediaDriver, AgentInvoker]:  # noqa: ARG002
        return self._shared.driver, self._shared.invoker

    def _options(self) -> dict[str, Any]:
        port = _FIRST_PORT + self.number
        return {
            **super()._options(),
            "is_ingress_exclusive": False,
            "egress_channel": f"aeron:udp?endpoint={self.machine.name}:{port}",
        }
