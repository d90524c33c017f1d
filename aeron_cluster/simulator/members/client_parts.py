"""The components of a process that only sends messages: a driver and a client."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import in_pass_order
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.simulator.world.machine import AERON_DIR

if TYPE_CHECKING:
    from aeron_cluster.memory.agents.agent import Agent
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ClientParts"]

_SMALL: Final = "64k"


class ClientParts:
    """A driver and a client of it.

    Parameters
    ----------
    errors : list of Exception
        Receives the errors of both.
    seams : Seams

    Attributes
    ----------
    aeron : Aeron
    agents : tuple of Agent
        The agents of both, in the order of their passes.
    """

    def __init__(self, errors: list[Exception], seams: Seams) -> None:
        self._errors = errors
        with contextlib.ExitStack() as stack:
            driver = stack.enter_context(
                MediaDriver.launch(
                    seams=seams,
                    threading_mode="INVOKER",
                    aeron_dir=AERON_DIR,
                    environment={},
                    term_buffer_length=_SMALL,
                    ipc_term_buffer_length=_SMALL,
                )
            )
            below: list[Agent] = list(driver.agents)

            def drive_below() -> None:
                for agent in in_pass_order(below):
                    agent.do_work()

            self.aeron = Aeron.connect(
                aeron_dir=AERON_DIR,
                seams=seams,
                use_conductor_invoker=True,
                driver_invoker=drive_below,
            )
            stack.callback(self.aeron.close)
            self.agents = tuple(in_pass_order([*below, self.aeron.conductor_agent]))
            self._stack = stack.pop_all()

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:  # noqa: ARG002
        """Handle an exception of one of them."""
        if not isinstance(error, Exception) or isinstance(error, AgentTerminationError):
            raise error
        self._errors.append(error)

    def close(self) -> None:
        """Close it in order."""
        self._stack.close()
