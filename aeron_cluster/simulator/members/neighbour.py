"""Another application on the machine of a member, which shares its media driver.

It asks for session ids without end, so that the driver always has some of its requests before it,
and executes what others request together in several passes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.simulator.members.layouts import ProcessPlan
from aeron_cluster.simulator.members.member_process import MemberProcess
from aeron_cluster.simulator.world.loop import ClientAgent
from aeron_cluster.simulator.world.machine import AERON_DIR

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.memory.agents.agent import Agent
    from aeron_cluster.memory.system.seams import Random, Seams
    from aeron_cluster.simulator.world.machine import Machine
    from aeron_cluster.simulator.world.process_host import ProcessHost

__all__ = ["Neighbour"]

_NAME: Final = "neighbour"
_STREAM_ID: Final = 9_000  # of nobody
_LEAST: Final = 8  # requests: as many as a driver executes in one pass
_MORE: Final = 9


class DriverHost(Protocol):
    """The interface of a `Member` for a neighbour."""

    @property
    def machine(self) -> Machine:
        """Its machine."""

    def run_driver(self) -> None:
        """Advance time with all other processes, while one waits for another's driver."""


class Neighbour:
    """A process that keeps requests in a member's driver.

    Parameters
    ----------
    cluster : ProcessHost
    member : DriverHost
    random : Random
        Draws how many requests are there at a time.

    Attributes
    ----------
    process : MemberProcess
    """

    def __init__(self, cluster: ProcessHost, member: DriverHost, random: Random) -> None:
        launch = partial(_NeighbourParts, member, random)
        plan = ProcessPlan(_NAME, launch)
        self.process = MemberProcess(cluster, member.machine, plan)


class _NeighbourParts:
    """The client of a neighbour, and what it requests."""

    def __init__(self, member: DriverHost, random: Random, seams: Seams) -> None:
        self._random = random
        self._requested: list[Callable[[], int | None]] = []
        self._aeron = Aeron.connect(
            aeron_dir=AERON_DIR,
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=member.run_driver,
            error_handler=_ignore,
        )
        agent = ClientAgent(self, member.machine.clock.time)
        agent.set_next(0, is_busy=True)
        self.agents: tuple[Agent, ...] = (self._aeron.conductor_agent, agent)

    def do_work(self) -> int:
        """Receive answers, and request more."""
        self._requested = [each for each in self._requested if each() is None]
        missing = _LEAST + self._random.below(_MORE) - len(self._requested)
        for _ in range(missing):
            self._requested.append(self._aeron.async_next_session_id(_STREAM_ID))
        return max(missing, 0)

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:  # noqa: ARG002
        """End with its driver, or with what it does not answer."""
        raise error

    def close(self) -> None:
        """Close its client."""
        self._aeron.close()


def _ignore(error: Exception) -> None:
    """Ignore an error that its driver reports: it ends with its driver."""
