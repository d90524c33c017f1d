"""Record the events of a component, and print them.

``io.aeron.agent.EventLogAgent``, ``EventLogReaderAgent``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.events.codes import ComponentType, Event
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.layouts import LAYOUTS
from aeron_cluster.events.names import select_events
from aeron_cluster.events.text import decode_record, format_time_ns
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.line_output import LineOutput, local_time
from aeron_cluster.memory.system.version import AERON_COMMIT, AERON_VERSION

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable

    from typing_extensions import Buffer

    from aeron_cluster.memory.system.seams import Clock, Seams

__all__ = ["EVENT_LOG_SUFFIX", "NO_EVENTS", "EventOptions", "EventPrinter", "EventRecorder"]

EVENT_LOG_SUFFIX: Final = "-events.dat"
"""The end of the names of event logs; before it the component's name."""

_POLL_LIMIT: Final = 128
_IDLE_NS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EventOptions:
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
        printer = EventPrinter(EventLogReader(memory, path, is_consumer=True), component, output)
        printer.print_start(seams.clock)
        runner = AgentRunner(
            [printer],
            idle_strategy=IdleStrategy("sleeping", sleep_period_ns=_IDLE_NS),
            error_handler=lambda _, error: report(error) if isinstance(error, Exception) else None,
            stop_on_error=True,
        )
        stack.callback(runner.close)
        runner.start()
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


class EventPrinter:
    """The agent that prints a component's events as lines.

    Parameters
    ----------
    reader : EventLogReader
        The consumer of the log.
    component : ComponentType
    output : LineOutput
    """

    role_name = "event-log-reader"

    def __init__(
        self, reader: EventLogReader, component: ComponentType, output: LineOutput
    ) -> None:
        self._reader = reader
        self._component = component
        self._output = output
        self._dropped_count = 0
        self._last_time = ""

    def print_start(self, clock: Clock) -> None:
        """Print the first line."""
        self._last_time = format_time_ns(clock.nano_time())
        self._output.write(
            f"{self._last_time} log started {local_time(clock.epoch_ms())}, enabled loggers: "
            f"{{{self._component.name}: version={AERON_VERSION} commit={AERON_COMMIT}}}\n"
        )

    def do_work(self) -> int:
        """Print the next events; return their number."""
        lines = []
        for message_type, record in self._reader.poll(_POLL_LIMIT):
            event = decode_record(message_type, record)
            self._last_time = format_time_ns(event.time_ns)
            lines.append(event.line)
        dropped_count = self._reader.dropped_count
        if dropped_count != self._dropped_count:
            lines.append(
                f"{self._last_time} {self._component.name}: "
                f"{dropped_count - self._dropped_count} events were dropped: the buffer was full"
            )
            self._dropped_count = dropped_count
        if lines:
            self._output.write("\n".join(lines) + "\n")
        return len(lines)

    def on_close(self) -> None:
        """Print the rest."""
        while self.do_work():
            pass
