"""Record the events of a component.

``io.aeron.agent.EventLogAgent``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aeron_cluster.events.codes import ComponentType, Event
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.layouts import LAYOUTS
from aeron_cluster.events.names import select_events
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.line_output import LineOutput

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable

    from typing_extensions import Buffer

    from aeron_cluster.memory.system.seams import Seams

__all__ = ["EVENT_LOG_SUFFIX", "NO_EVENTS", "EventOptions", "EventRecorder"]

EVENT_LOG_SUFFIX: Final = "-events.dat"
"""The end of the names of event logs; before it the component's name."""


class EventOptions(NamedTuple):
    """The options of a component's event log.

    Parameters
    ----------
    enabled, disabled : str or None
        The events to record, and those of them to leave out.
    filename : str or None
        The file to which lines are appended; None for standard output.
    buffer_length : int
        The capacity of the buffer, in bytes.
    """

    enabled: str | None
    disabled: str | None
    filename: str | None
    buffer_length: int


class EventRecorder:
    """Records events that are enabled.

    Parameters
    ----------
    log : EventLog, optional
        The log; None if no event is enabled.

    Notes
    -----
    Any thread may use it.
    """

    def __init__(self, log: EventLog | None = None) -> None:
        self.log = log

    @classmethod
    def open(
        cls,
        stack: contextlib.ExitStack,
        component: ComponentType,
        directory: str,
        seams: Seams,
        options: EventOptions,
        report: Callable[[Exception], None],
        *,
        name: str | None = None,
    ) -> EventRecorder:
        """Create the event log of a component, and the thread that prints it.

        Parameters
        ----------
        stack : ExitStack
            Ends the thread, after all agents.
        component : ComponentType
        directory : str
            The directory of the component.
        seams : Seams
        options : EventOptions
        report : Callable
            Notified of an error that ends the printing.
        name : str, optional
            The name of the file without its suffix; by default the component's.

        Returns
        -------
        EventRecorder
            `NO_EVENTS` if no event is enabled.

        Notes
        -----
        Unknown names of events are reported on standard error and ignored, as in upstream.
        """
        selected = select_events(component, options.enabled)
        selected -= select_events(component, options.disabled)
        for unknown, near in selected.unknown:
            hint = f" (did you mean {near}?)" if near else ""
            sys.stderr.write(f"unknown event code: {unknown}{hint}\n")
        if not selected.events:
            return NO_EVENTS
        output = LineOutput(options.filename)
        stack.callback(output.close)
        path = f"{directory}/{name or component.name.lower()}{EVENT_LOG_SUFFIX}"
        if seams.files.exists(path):
            seams.files.remove(path)  # of an earlier process; its readers keep the old file
        length = EventLog.file_length(options.buffer_length)
        memory = stack.enter_context(MappedFile.create(seams.files, path, length))
        log = EventLog(
            memory,
            seams.clock,
            component=component,
            enabled=sum(1 << (event & 0xFFFF) for event in selected.events),
            pid=seams.processes.own_identity().pid,
        )
        # Imported only if needed: it imports the texts of all events.
        from aeron_cluster.events.printer import start_printer  # noqa: PLC0415

        reader = EventLogReader(memory, path, is_consumer=True)
        start_printer(stack, reader, component, seams.clock, output, report)
        return cls(log)

    def is_enabled(self, event: Event) -> bool:
        """Return whether an event is recorded."""
        return self.log is not None and self.log.is_enabled(event)

    def record(self, event: Event, **values: Any) -> None:  # noqa: ANN401 - of the event
        """Record an event, if it is enabled, with the values of its layout."""
        if self.log is not None and self.log.is_enabled(event):
            self.log.write(event, *LAYOUTS[event].encode(values))

    def capture(self, event: Event, data: Buffer) -> None:
        """Record an event, if it is enabled, with captured bytes."""
        if self.log is not None and self.log.is_enabled(event):
            self.log.write(event, data)


NO_EVENTS: Final = EventRecorder()
"""Records nothing."""
