"""What a driver, and the archive and the member on it, measure at one time.

The metrics for Prometheus and those for OpenTelemetry are made of the same readings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aeron_cluster.cli.metrics.families import Kind, samples
from aeron_cluster.cli.metrics.health import (
    liveness_problem,
    open_counters,
    readiness_problem,
)
from aeron_cluster.cluster.latency.latency_file import read_latencies
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.seams import Seams, SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aeron_cluster.cli.metrics.health import Target
    from aeron_cluster.cluster.latency.latency_file import StageLatency

__all__ = [
    "HEALTH_METRICS",
    "LATENCY_HELP",
    "LATENCY_METRIC",
    "Distribution",
    "Reading",
    "find_problem",
    "found",
    "read",
]

LATENCY_METRIC: Final = "aeron_cluster_stage_latency_seconds"
LATENCY_HELP: Final = "How long what a leader appends takes in each stage, with --latency."
# Powers of two of a ns, from 1 us to 17 s: where buckets of the file end.
_LATENCY_BOUNDS: Final = tuple(1 << each for each in range(10, 35))
HEALTH_METRICS: Final = {
    "aeron_live": "1 if the driver and the member on it were active within ten seconds.",
    "aeron_ready": "1 if clients are served; for a member, if no election is running.",
    "aeron_driver_heartbeat_age_seconds": "The time since the driver's conductor was active.",
}


@dataclass(frozen=True, slots=True)
class Distribution:
    """A value of a histogram.

    Parameters
    ----------
    bounds : tuple of float
        The upper bounds of all buckets but the last one.
    counts : tuple of int
        How many values are up to each bound.
    count : int
        How many values there are in all.
    total : float
        Their sum.
    """

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    count: int
    total: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A metric and its values.

    Parameters
    ----------
    name : str
        The name without ``_total``.
    kind : Kind
    help_text : str
    labels : tuple of str
        The names of its labels.
    values : list
        Labels and value of each: a number, or for a histogram a `Distribution`.
    since_ms : int
        When the counting began, in ms since 1970; 0 if unknown.
    """

    name: str
    kind: Kind
    help_text: str
    labels: tuple[str, ...] = ()
    values: list[tuple[tuple[str, ...], float | Distribution]] = field(default_factory=list)
    since_ms: int = 0


def read(find: Callable[[], Target | None]) -> Iterator[Reading]:
    """Read the counters and the latencies of a target.

    Parameters
    ----------
    find : Callable
        Returns the `Target`; None while it starts: it is then alive but not ready.
    """
    target = found(find)
    if target is None or isinstance(target, AeronClusterError):
        yield _health("aeron_live", float(target is None))
        yield _health("aeron_ready", 0)
        return
    yield _health("aeron_live", float(find_problem(liveness_problem, target) is None))
    yield _health("aeron_ready", float(find_problem(readiness_problem, target) is None))
    try:
        with open_counters(target) as (cnc, counters):
            age_ms = max(0, SystemClock().epoch_ms() - cnc.driver_heartbeat_ms)
            since_ms = cnc.start_timestamp_ms
    except AeronClusterError:
        return
    yield _health("aeron_driver_heartbeat_age_seconds", age_ms / 1000)
    member = str(target.member_id) if target.member_id >= 0 else ""
    readings: dict[str, Reading] = {}
    for sample in samples(counters, member):
        family = sample.family
        if family.name not in readings:
            readings[family.name] = Reading(
                family.name, family.kind, family.help_text, family.labels, since_ms=since_ms
            )
        readings[family.name].values.append((sample.labels, sample.value))
    yield from readings.values()
    try:
        latencies = read_latencies(Seams().files, target.aeron_dir)
    except AeronClusterError:  # not measured
        return
    yield Reading(
        LATENCY_METRIC,
        Kind.HISTOGRAM,
        LATENCY_HELP,
        ("member", "stage"),
        [((member, stage.name.lower()), _distribution(each)) for stage, each in latencies.items()],
        since_ms,
    )


def found(find: Callable[[], Target | None]) -> Target | AeronClusterError | None:
    """Return the target, None while it starts, or the error if it cannot be found."""
    try:
        return find()
    except AeronClusterError as error:
        return error


def find_problem(check: Callable[[Target], str | None], target: Target) -> str | None:
    """Return what a check finds, or why it cannot be made; None without a problem."""
    try:
        return check(target)
    except AeronClusterError as error:  # a damaged file, or another version
        return str(error)


def _health(name: str, value: float) -> Reading:
    return Reading(name, Kind.GAUGE, HEALTH_METRICS[name], (), [((), value)])


def _distribution(latency: StageLatency) -> Distribution:
    ends = []
    for index, count in sorted(latency.buckets.items()):
        shift = max(0, (index >> latency.bits) - 1)
        ends.append((((index - (shift << latency.bits)) + 1) << shift, count))
    return Distribution(
        tuple(bound / 1e9 for bound in _LATENCY_BOUNDS),
        tuple(sum(count for end, count in ends if end <= bound) for bound in _LATENCY_BOUNDS),
        sum(latency.buckets.values()),
        latency.sum_ns / 1e9,
    )
