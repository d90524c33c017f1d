"""The common part of driver, archive, consensus module, service container and backup.

Each owns agents, driven by its threads or its user, and resources, which are released once, by
whichever thread ends it.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, TypeVar

from aeron_cluster.errors import AgentTerminationError, InvariantViolatedError, StateError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.fork import generation, is_forked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["Component", "started"]

C = TypeVar("C", bound="Component")


class Component(ABC, Closeable):
    """A component of this process that runs until it is closed; a base class.

    A subclass sets the attributes that its resources need, then calls ``super().__init__()``, which
    calls `_open`.

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.
    """

    KIND: ClassVar[str]
    """The kind of component, for messages."""

    def __init__(self) -> None:
        self._generation = generation()
        self._is_closed = False
        self._runners: list[AgentRunner] = []
        self._invoker: AgentInvoker | None = None
        with contextlib.ExitStack() as stack:
            self._open(stack)
            self._resources = stack.pop_all()

    # ---- what a subclass defines ----

    @abstractmethod
    def _open(self, stack: contextlib.ExitStack) -> None:
        """Create the resources, and push their releases on the stack."""

    @abstractmethod
    def _make_runners(self) -> Iterable[AgentRunner]:
        """Create the threads of the threading mode; none if the user drives the agents."""

    def _one_runner(self, idle_strategy: str, name: str) -> Iterable[AgentRunner]:
        """Create one thread for all agents, unless the user drives them."""
        if self.threading_mode != "INVOKER":
            yield AgentRunner(
                self.agents,
                idle_strategy=idle_strategy,
                name=name,
                error_handler=self.on_agent_error,
            )

    @abstractmethod
    def _report(self, error: Exception) -> None:
        """Log and count an error."""

    def _end(self) -> None:
        """Do the work between the last pass and the release of resources."""

    @property
    @abstractmethod
    def threading_mode(self) -> str:
        """``"INVOKER"`` if the user drives the agents."""

    @property
    @abstractmethod
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of a duty cycle on one thread."""

    # ---- driving ----

    @property
    def invoker(self) -> AgentInvoker:
        """The invoker that drives the agents with ``threading_mode="INVOKER"``.

        Raises
        ------
        StateError
            It runs on its own threads.
        """
        if self.threading_mode != "INVOKER":
            raise StateError(f"{self.KIND}: threading_mode {self.threading_mode} has no invoker")
        if self._invoker is None:
            self._invoker = AgentInvoker(self.agents, error_handler=self.on_agent_error)
        return self._invoker

    def start(self) -> None:
        """Start the threads that the threading mode requests."""
        for runner in self._make_runners():
            self._runners.append(runner)
            runner.start()

    def on_agent_error(self, _agent: Agent, error: BaseException) -> None:
        """Log and count what one of the agents raised: for the thread that drives them."""
        if isinstance(error, InvariantViolatedError):
            self._report(error)
        if isinstance(error, AgentTerminationError) or not isinstance(error, Exception):
            raise error
        self._report(error)

    # ---- the end ----

    @property
    def failure(self) -> BaseException | None:
        """The error that ended one of its threads unexpectedly, or None.

        Only final once it is closed.
        """
        return next((each.unexpected_end for each in self._runners if each.unexpected_end), None)

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._is_closed

    def close(self) -> None:
        """End the threads, and release everything. Calling it again does nothing."""
        if self._is_closed or is_forked(self._generation):
            return
        self._is_closed = True
        # The conductors are first and end last: they handle the resources that the others release.
        is_over = True
        for runner in reversed(self._runners):
            is_over &= runner.close()
        if not is_over:
            self._is_closed = False  # called by one of these threads: a later call closes the rest
            return
        if self._invoker is not None:
            self._invoker.close()
        try:
            self._end()
        finally:
            self._resources.close()


def started(component: C) -> C:
    """Start a new component and return it; close it if the start fails."""
    try:
        component.start()
    except BaseException:
        component.close()
        raise
    return component
