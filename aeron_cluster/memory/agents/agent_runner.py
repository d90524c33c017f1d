"""A thread that drives agents.

Upstream: Agrona's AgentRunner.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Self

from aeron_cluster.config import Duration, duration_ns
from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    InvariantViolatedError,
    StateError,
)
from aeron_cluster.memory.agents.agent import Agent, DutyCycle
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy, as_strategy
from aeron_cluster.memory.system.affinity import name_thread, pin_thread
from aeron_cluster.memory.system.fork import generation, is_forked
from aeron_cluster.memory.system.seams import Clock

__all__ = ["AgentRunner", "ErrorHandler"]

_LOGGER = logging.getLogger("aeron_cluster.agent")

ErrorHandler = Callable[[Agent, BaseException], None]


class AgentRunner:
    """Drives agents, in order, on a separate thread or on the caller's.

    Parameters
    ----------
    agents : sequence
        Each an `Agent`, or an object with ``do_work()``; the order is that of each pass.
    idle_strategy : IdleStrategy or str
        How to idle after a pass without work.
    name : str, optional
        The thread's name; by default the agents' role names, joined.
    cpus : iterable of int, optional
        The processors that the thread may run on; by default all that the process may.
    error_handler : callable, optional
        Called with the agent and its exception, on the runner's thread: the distinct error log.
    stop_on_error : bool
        End at the first exception; otherwise it is counted, reported, and the passes continue.
    clock : Clock, optional
        The clock for timing passes.
    stall_threshold_ns : int, str or timedelta
        Longer duty cycles of an agent are counted, in ns; 0 disables that.

    Attributes
    ----------
    error_count : int
        The number of agents' exceptions so far.
    failure : BaseException or None
        The error that ended the runner, other than `close` and an `AgentTerminationError`.
    termination : AgentTerminationError or None
        The error by which an agent ended it; an `InvariantViolatedError` for an invalid state.

    Notes
    -----
    `close` may be called by any thread; in the child of a fork it does nothing, and the other
    calls raise. A runner that is still running is closed at the interpreter's exit.
    """

    def __init__(
        self,
        agents: Sequence[object],
        *,
        idle_strategy: IdleStrategy | str = "backoff",
        name: str | None = None,
        cpus: Iterable[int] | None = None,
        error_handler: ErrorHandler | None = None,
        stop_on_error: bool = False,
        clock: Clock | None = None,
        stall_threshold_ns: Duration = 0,
    ) -> None:
        self.error_count = 0
        self.failure: BaseException | None = None
        self.termination: AgentTerminationError | None = None
        self._error_handler = error_handler
        self._stop_on_error = stop_on_error
        self._cpus = None if cpus is None else frozenset(cpus)
        self._generation = generation()
        self._cycle = DutyCycle(
            agents,
            error_handler=self._on_error,
            clock=clock,
            stall_threshold_ns=duration_ns("stall_threshold_ns", stall_threshold_ns),
        )
        self._idle_strategy = as_strategy(idle_strategy)
        self.name = name or "+".join(agent.role_name for agent in self._cycle.agents)
        # A daemon thread: the interpreter would otherwise join it before it calls _at_exit.
        self._thread = threading.Thread(target=self._run_on_thread, name=self.name, daemon=True)
        self._lock = threading.Lock()
        self._is_started = False
        self._is_closed = False
        self._finished = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The driven agents, in order."""
        return self._cycle.agents

    @property
    def is_running(self) -> bool:
        """Whether the passes continue."""
        started = self._is_started and not is_forked(self._generation)
        return started and not self._finished.is_set()

    @property
    def unexpected_end(self) -> BaseException | None:
        """The error by which it ended unexpectedly, or None."""
        if self.termination is not None and not self.termination.is_expected:
            return self.termination
        return self.failure

    def start(self) -> None:
        """Start the thread, which starts the agents in order and drives them until `close`.

        Raises
        ------
        StateError
            It was started already.
        ClosedError
            It was closed, or inherited over a fork.
        """
        self._begin()
        self._thread.start()

    def run(self) -> None:
        """Drive the agents on the calling thread, until `close` from elsewhere or an exception.

        Raises
        ------
        Exception
            The error that ended the passes; on the main thread also `KeyboardInterrupt`, within 10
            ms.
        """
        self._begin()
        self._run()
        if self.failure is not None:
            raise self.failure

    def close(self, timeout_s: float | None = None) -> bool:
        """Stop after the current pass, and close the agents in reverse.

        Parameters
        ----------
        timeout_s : float, optional
            The longest wait for that, in s; by default without limit.

        Returns
        -------
        bool
            Whether it has ended. Called on the runner's own thread, it does not wait.
        """
        if is_forked(self._generation):
            return True
        self._cycle.stop()
        with self._lock:
            self._is_closed = True
            if not self._is_started:
                self._cycle.release()
                return True
        if self._thread is threading.current_thread():
            return False
        return self._finished.wait(timeout_s)

    def accounts(self) -> list[tuple[str, int, int]]:
        """Return each agent's name, its longest duty cycle in ns, and the number of stalls."""
        return self._cycle.accounts()

    def _begin(self) -> None:
        if is_forked(self._generation):
            raise ClosedError(f"{self.name}: made before this process was forked; make a new one")
        with self._lock:
            if self._is_closed:
                raise ClosedError(f"{self.name}: closed")
            if self._is_started:
                raise StateError(f"{self.name}: started already")
            self._is_started = True
        atexit.register(self.close)

    def _run_on_thread(self) -> None:
        name_thread(self.name)
        self._run()

    def _run(self) -> None:
        on_main_thread = threading.current_thread() is threading.main_thread()
        try:
            if self._cpus is not None:
                pin_thread(self._cpus)
            self._cycle.start()
            try:
                self._cycle.run(self._idle_strategy, check_signals=on_main_thread)
            finally:
                self._cycle.close()
        except InvariantViolatedError as violation:
            self.termination = violation
            _LOGGER.critical("%s: stopped, its own state is wrong: %s", self.name, violation)
        except AgentTerminationError as termination:
            self.termination = termination
            _LOGGER.info("%s: %s", self.name, termination)
        except BaseException as failure:
            self.failure = failure
            if not on_main_thread:
                _LOGGER.error("%s: stopped", self.name, exc_info=failure)  # noqa: TRY400
        finally:
            self._finished.set()
            atexit.unregister(self.close)

    def _on_error(self, agent: Agent, exception: BaseException) -> None:
        is_end = isinstance(exception, AgentTerminationError)
        if is_end and not isinstance(exception, InvariantViolatedError):
            raise exception
        self.error_count += 1
        if self._error_handler is not None:
            self._error_handler(agent, exception)
        else:
            _LOGGER.error("%s failed", agent.role_name, exc_info=exception)
        if self._stop_on_error or is_end:
            raise exception
