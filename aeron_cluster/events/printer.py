"""Print the events of a component as they are recorded.

``io.aeron.agent.EventLogReaderAgent``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.events.text import decode_record, format_time_ns
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.line_output import local_time
from aeron_cluster.memory.system.version import AERON_COMMIT, AERON_VERSION

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable

    from aeron_cluster.events.codes import ComponentType
    from aeron_cluster.events.event_log import EventLogReader
    from aeron_cluster.memory.system.line_output import LineOutput
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["EventPrinter", "start_printer"]

_POLL_LIMIT: Final = 128
_IDLE_NS: Final = 1_000_000


def start_printer(
    stack: contextlib.ExitStack,
    reader: EventLogReader,
    component: ComponentType,
    clock: Clock,
    output: LineOutput,
    report: Callable[[Exception], None],
) -> None:
    """Start the thread that prints a component's events.

    Parameters
    ----------
    stack : ExitStack
        Ends the thread.
    reader : EventLogReader
        The consumer of the log.
    component : ComponentType
    clock : Clock
    output : LineOutput
    report : Callable
        Notified of an error that ends the printing.
    """
    printer = EventPrinter(reader, component, output)
    printer.print_start(clock)
    runner = AgentRunner(
        [printer],
        idle_strategy=IdleStrategy("sleeping", sleep_period_ns=_IDLE_NS),
        error_handler=lambda _, error: report(error) if isinstance(error, Exception) else None,
        stop_on_error=True,
    )
    stack.callback(runner.close)
    runner.start()


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
