"""A media driver and an archive in one process.

``io.aeron.archive.ArchivingMediaDriver``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.config import check_keywords
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import StateError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.archive.options import ArchiveOptions
    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["ArchivingDriverOptions", "ArchivingMediaDriver"]


class ArchivingDriverOptions(TypedDict, total=False):
    """The options of `ArchivingMediaDriver.launch`."""

    driver: DriverOptions | None
    """The options of the media driver."""
    archive: ArchiveOptions | None
    """The options of the archive."""
    seams: Seams | None
    """Time, randomness, network and files; by default the system's."""
    idle_strategy: str | None
    """With both on one thread: the idle strategy of a thread that is started for them."""


class ArchivingMediaDriver(Closeable):
    """A driver and an archive on it.

    Created by `launch`; close it, or use it in a ``with``.

    Attributes
    ----------
    driver : MediaDriver
    archive : Archive

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.
    """

    def __init__(
        self,
        *,
        properties: Mapping[str, str] | None = None,
        driver: DriverOptions | None = None,
        archive: ArchiveOptions | None = None,
        seams: Seams | None = None,
        idle_strategy: str | None = None,
    ) -> None:
        seams = Seams() if seams is None else seams
        driver, archive = {**(driver or {}), "seams": seams}, archive or {}
        self._idle_strategy = idle_strategy
        self._is_shared = driver.get("threading_mode") == "INVOKER"
        self._runner: AgentRunner | None = None
        self._invoker: AgentInvoker | None = None
        with contextlib.ExitStack() as stack:
            self.driver = stack.enter_context(MediaDriver.launch(properties=properties, **driver))
            options: dict[str, Any] = {
                "seams": seams,
                "aeron_dir": self.driver.aeron_dir,
                **archive,
            }
            if self._is_shared:
                options["threading_mode"] = "INVOKER"
                options["driver_invoker"] = self._drive_driver
            self.archive = stack.enter_context(
                contextlib.closing(Archive(ArchiveContext.of(properties=properties, **options)))
            )
            self.archive.warn_of_low_space()
            self.archive.start()
            self._resources = stack.pop_all()

    @classmethod
    def launch(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ArchivingDriverOptions],
    ) -> Self:
        """Start both.

        Parameters
        ----------
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            ``driver``, ``archive`` : mappings with the keywords of `MediaDriver.launch` and
            `Archive.launch`. With the driver's ``threading_mode="INVOKER"`` both run on one thread.
            ``seams`` : time, randomness, network and files; by default the system's.
            ``idle_strategy`` : with both on one thread, the idle strategy of a thread that is
            started for them. By default none is started: `invoker` drives them, or the user drives
            `agents` among other agents.

        Raises
        ------
        ConfigurationError, DirectoryInUseError, CorruptError, InsufficientSpaceError
            As for either of the two.
        """
        check_keywords(options, ArchivingDriverOptions.__annotations__)
        both = cls(properties=properties, **options)
        if both._is_shared and both._idle_strategy is not None:
            runner = AgentRunner(
                both.agents,
                idle_strategy=both._idle_strategy,
                name="archiving-driver",
                error_handler=both.on_agent_error,
            )
            both._runner = runner
            runner.start()
        return both

    def _drive_driver(self) -> None:
        for agent in self.driver.agents:
            agent.do_work()

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:
        """Log and count an exception of an agent; called by the thread that drives the agents."""
        owner = self.archive if agent in self.archive.agents else self.driver
        owner.on_agent_error(agent, error)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents of both, in the order of a pass on one thread.

        Received data are recorded and replayed data are sent within the same pass; the rest of the
        conductors is last.
        """
        sender, driver_conductor, receiver, tracking = self.driver.agents
        client, archive_conductor, replayer, recorder, *files = self.archive.agents
        return (
            receiver,
            tracking,
            recorder,
            replayer,
            sender,
            driver_conductor,
            client,
            archive_conductor,
            *files,
        )

    @property
    def invoker(self) -> AgentInvoker:
        """Drives both, if the driver's threading mode is INVOKER.

        Raises
        ------
        StateError
            They have threads.
        """
        if not self._is_shared or self._runner is not None:
            raise StateError("archiving media driver: it runs on its own threads, no invoker")
        if self._invoker is None:
            self._invoker = AgentInvoker(self.agents, error_handler=self.on_agent_error)
        return self._invoker

    def close(self) -> None:
        """Close the archive, then the driver. Closing again does nothing."""
        if self._runner is not None:
            self._runner.close()
        if self._invoker is not None:
            self._invoker.close()
        self._resources.close()
