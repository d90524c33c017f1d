"""The demo's output: live on a terminal, occasional lines elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from aeron_cluster.cli.latency import PERCENTILES
from aeron_cluster.cli.options.durations import format_ns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cli.demo.order_client import Measurement
    from aeron_cluster.cli.latency import LatencyHistogram

__all__ = ["Display", "distribution_table", "latency_table", "summary"]

_BAR_WIDTH: Final = 40


def summary(measurement: Measurement) -> str:
    """Return a line with throughput and latency."""
    latencies = measurement.latencies
    times = ", ".join(
        f"p{percentile:g} {format_ns(latencies.percentile_ns(percentile))}"
        for percentile in PERCENTILES
    )
    return (
        f"{measurement.name}: {measurement.rate:,.0f} orders/s, {times},"
        f" max {format_ns(latencies.max_ns)}"
    )


def latency_table(measurements: Sequence[Measurement]) -> Table:
    """Return throughput and percentiles, with a column for each measurement."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("")
    for each in measurements:
        table.add_column(each.name, justify="right", min_width=16)
    table.add_row("orders answered", *(f"{each.latencies.count:,}" for each in measurements))
    table.add_row("orders a second", *(f"{each.rate:,.0f}" for each in measurements))
    for percentile in PERCENTILES:
        table.add_row(
            f"latency p{percentile:g}",
            *(format_ns(each.latencies.percentile_ns(percentile)) for each in measurements),
        )
    table.add_row("latency max", *(format_ns(each.latencies.max_ns) for each in measurements))
    return table


def distribution_table(latencies: LatencyHistogram) -> Table:
    """Return the latency distribution, with a row and a bar for each doubling."""
    doublings: dict[int, int] = {}
    for lower_ns, _, count in latencies.buckets():
        doubling = lower_ns.bit_length()
        doublings[doubling] = doublings.get(doubling, 0) + count
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column(width=_BAR_WIDTH, style="cyan")
    if doublings:
        most = max(doublings.values())
        for doubling in range(min(doublings), max(doublings) + 1):
            count = doublings.get(doubling, 0)
            table.add_row(
                f"below {format_ns(1 << doubling)}",
                f"{100 * count / latencies.count:.2f} %",
                "█" * -(-count * _BAR_WIDTH // most),
            )
    return table


class Display:
    """Shows measurements as they grow, between permanent lines.

    Parameters
    ----------
    console : Console
        The output; if it is not a terminal, each update is a line.

    Notes
    -----
    It draws only when called: drawing takes milliseconds, which must not be part of measurements.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(Text(), console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end_live()

    def _end_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def write_line(self, text: str, style: str = "") -> None:
        """Print a permanent line."""
        self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    def show(self, measurements: Sequence[Measurement]) -> None:
        """Show the measurements; the last one is in progress."""
        if self._live is not None:
            view = Group(
                Text(), latency_table(measurements), distribution_table(measurements[-1].latencies)
            )
            self._live.update(view, refresh=True)
        else:
            self.write_line(f"  {summary(measurements[-1])}")

    def conclude(self, measurements: Sequence[Measurement], detailed: Measurement) -> None:
        """Print the results, and the latency distribution of one; end the live output."""
        self._end_live()
        self._console.print(latency_table(measurements))
        self._console.print(f"\nLatency, {detailed.name}:", markup=False, highlight=False)
        self._console.print(distribution_table(detailed.latencies))
