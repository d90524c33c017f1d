"""``aeron-cluster latency``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from rich.console import Group
from rich.table import Table

from aeron_cluster.cli.latency import PERCENTILES
from aeron_cluster.cli.metrics.health import find_target
from aeron_cluster.cli.options.durations import format_ns
from aeron_cluster.cli.options.member import reports_errors
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.cluster.latency.latency_file import Stage, StageLatency, read_latencies
from aeron_cluster.errors import CorruptError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.jobs.figures.buckets import BITS, Buckets

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["StageHistogram", "latency"]

_NAMES: Final = {
    Stage.LOG: "ingress to log",
    Stage.RECORDED: "to recorded",
    Stage.COMMITTED: "to committed",
    Stage.SERVICE: "to service",
    Stage.EGRESS: "to egress",
    Stage.TOTAL: "in all",
}


class StageHistogram(Buckets):
    """The percentiles of a stage.

    Parameters
    ----------
    found : StageLatency
    before : StageLatency, optional
        Earlier counts, which are subtracted.
    """

    def __init__(self, found: StageLatency, before: StageLatency | None = None) -> None:
        super().__init__()
        if found.bits != BITS:
            raise CorruptError("latencies", 16, "bits of a bucket", BITS, found.bits)
        self.sum_ns = found.sum_ns
        self._counts = dict(found.buckets)
        if before is not None:
            self.sum_ns -= before.sum_ns
            for index, count in before.buckets.items():
                self._counts[index] = self._counts.get(index, 0) - count
        self._counts = {index: count for index, count in self._counts.items() if count > 0}
        # The sum of the buckets: the stored count is updated after them.
        self.count = sum(self._counts.values())
        self._max = found.longest_ns
        if before is not None and self._counts:
            # The stored maximum may be earlier: use the end of the highest bucket.
            *_, (_, self._max, _) = self.buckets()

    def _non_empty(self) -> Iterator[tuple[int, int]]:
        return iter(sorted(self._counts.items()))


@click.command()
@click.argument("directory", metavar="[DIR]", default="aeron-cluster", envvar="AERON_CLUSTER_DIR")
@watch_options
@click.option(
    "--since-start",
    is_flag=True,
    help="With --watch: show all, not only those since the last update.",
)
@reports_errors
def latency(directory: str, interval: float | None, is_json: bool, since_start: bool) -> None:
    """Show how long the messages of a leader take in each stage, from ingress to egress.

    DIR is the directory of a member, a node or its driver, started with --latency. One duration is
    counted for each pass that appended to the log, regardless of the number of messages; above
    5,000 such passes a second, for one in 16. Without --watch, all durations since the start are
    shown; with it, those since the last update.

    \b
    Examples:
      aeron-cluster latency data --watch
      aeron-cluster latency data --json | jq '.stages.TOTAL.p99_ns'
    """  # noqa: D301 - \b is click's mark
    aeron_dir = find_target(directory).aeron_dir
    files = Seams().files
    before: dict[Stage, StageLatency] = {}

    def look() -> dict[Stage, StageHistogram]:
        found = read_latencies(files, aeron_dir)
        seen = {stage: StageHistogram(each, before.get(stage)) for stage, each in found.items()}
        if interval is not None and not since_start:
            before.update(found)
        return seen

    show(look, _object, _view, is_json=is_json, interval=interval)


def _object(seen: dict[Stage, StageHistogram]) -> dict[str, object]:
    return {
        "stages": {
            stage.name: {
                "count": each.count,
                **{f"p{one:g}_ns": each.percentile_ns(one) for one in PERCENTILES},
                "max_ns": each.max_ns if each.count else 0,
            }
            for stage, each in seen.items()
        }
    }


def _view(seen: dict[Stage, StageHistogram]) -> Group:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("stage")
    for name in ("count", *(f"p{one:g}" for one in PERCENTILES), "max"):
        table.add_column(name, justify="right", no_wrap=True)
    for stage, each in seen.items():
        cells = [format_ns(each.percentile_ns(one)) for one in PERCENTILES]
        cells.append(format_ns(each.max_ns))
        table.add_row(
            _NAMES[stage],
            f"{each.count:,}",
            *(cells if each.count else [""] * len(cells)),
            style="bold" if stage is Stage.TOTAL else None,
        )
    return Group(table)
