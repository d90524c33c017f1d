"""The event log in a cluster directory, of a consensus module or a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aeron_cluster.events.codes import ComponentType
from aeron_cluster.events.recorder import EventOptions, EventRecorder

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable

    from aeron_cluster.config import Configuration
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["open_event_log"]


class _Context(Protocol):
    """The context of a component with a cluster directory."""

    options: Configuration

    @property
    def cluster_dir(self) -> str: ...
    @property
    def seams(self) -> Seams: ...


def open_event_log(
    stack: contextlib.ExitStack,
    context: _Context,
    report: Callable[[Exception], None],
    *,
    name: str | None = None,
) -> EventRecorder:
    """Create the event log of a component, by its options.

    Parameters
    ----------
    stack : ExitStack
        Closes it.
    context : BackupContext or ConsensusModuleContext
    report : callable
        Called with an error that ends the printing of events.
    name : str, optional
        The name of the file without its suffix; by default ``cluster``.
    """
    options = context.options
    return EventRecorder.open(
        stack,
        ComponentType.CLUSTER,
        context.cluster_dir,
        context.seams,
        EventOptions(
            options.event_cluster_log,
            options.event_cluster_log_disable,
            options.event_log_filename,
            options.event_buffer_length,
        ),
        report,
        name=name,
    )
