"""The export of metrics to a collector of OpenTelemetry, by its exporter for OTLP over HTTP.

It reads only shared memory and mark files, and never calls an agent.
"""

from __future__ import annotations

import logging
import os
import threading  # noqa: TID251 - of the export: no agent is driven on it
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cli.metrics.families import Kind
from aeron_cluster.cli.metrics.readings import Distribution, Reading, read
from aeron_cluster.config import parse_digits
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import SystemClock
from aeron_cluster.pipeline.optional_packages import require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.cli.metrics.health import Target

__all__ = ["MetricsExport", "convert", "otlp_exporter"]

_log = logging.getLogger(__name__)
_PATH: Final = "/v1/metrics"
_INTERVAL: Final = "OTEL_METRIC_EXPORT_INTERVAL"
_DEFAULT_INTERVAL_MS: Final = "60000"
_END_TIMEOUT_S: Final = 2.0
_NAME: Final = "aeron-cluster"
_SDK: Final = "opentelemetry.sdk"
_EXPORTER: Final = "opentelemetry.exporter.otlp.proto.http.metric_exporter"
_UNITS: Final = {"_seconds": "s", "_bytes": "By"}


def otlp_exporter(url: str, option: str = "--otlp") -> Any:  # noqa: ANN401 - of an optional package
    """Return the exporter of OpenTelemetry for a collector.

    Parameters
    ----------
    url : str
        The collector's URL without a path, as in ``http://localhost:4318``. Headers, certificates,
        timeout and compression are those of the ``OTEL_EXPORTER_OTLP_*`` variables.
    option : str
        The name of the option with the URL, for errors.

    Raises
    ------
    MissingPackageError
        ``aeron-cluster[otel]`` is not installed.
    ConfigurationError
        It is no URL.
    """
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError(option, "a URL, as in http://localhost:4318", url)
    exporter = require(_EXPORTER, "otel").OTLPMetricExporter
    return exporter(endpoint=url.removesuffix("/").removesuffix(_PATH) + _PATH)


def export_interval_s(option: str = _INTERVAL) -> float:
    """Return the time between exports, from OpenTelemetry's variable.

    Raises
    ------
    ConfigurationError
        The variable has no positive number.
    """
    text = os.environ.get(_INTERVAL) or _DEFAULT_INTERVAL_MS
    interval_ms = parse_digits(text)
    if not interval_ms:
        raise ConfigurationError(option, "a positive number of milliseconds", text)
    return interval_ms / 1000


def convert(readings: Iterable[Reading], now_ns: int) -> list[Any]:
    """Return readings as metrics of OpenTelemetry's SDK.

    Counters are sums that increase, without ``_total`` in their names; labels without a value are
    left out.

    Parameters
    ----------
    readings : iterable of Reading
    now_ns : int
        When they were read, in ns since 1970.

    Raises
    ------
    MissingPackageError
        ``aeron-cluster[otel]`` is not installed.
    """
    sdk = require(f"{_SDK}.metrics.export", "otel")
    return [
        sdk.Metric(
            name=each.name,
            description=each.help_text,
            unit=next((unit for end, unit in _UNITS.items() if each.name.endswith(end)), ""),
            data=_data(sdk, each, now_ns),
        )
        for each in readings
    ]


def _data(sdk: Any, reading: Reading, now_ns: int) -> Any:  # noqa: ANN401 - of an optional package
    points = [
        _point(sdk, reading, dict(zip(reading.labels, labels, strict=True)), value, now_ns)
        for labels, value in reading.values
    ]
    cumulative = sdk.AggregationTemporality.CUMULATIVE
    match reading.kind:
        case Kind.GAUGE:
            return sdk.Gauge(points)
        case Kind.COUNTER:
            return sdk.Sum(points, cumulative, is_monotonic=True)
        case Kind.HISTOGRAM:
            return sdk.Histogram(points, cumulative)


def _point(
    sdk: Any,  # noqa: ANN401 - an optional package's module
    reading: Reading,
    labels: dict[str, str],
    value: float | Distribution,
    now_ns: int,
) -> Any:  # noqa: ANN401 - of an optional package
    times = {"start_time_unix_nano": reading.since_ms * 1_000_000, "time_unix_nano": now_ns}
    attributes = {name: text for name, text in labels.items() if text}
    if not isinstance(value, Distribution):
        return sdk.NumberDataPoint(attributes=attributes, value=value, **times)
    between = [high - low for low, high in pairwise((0, *value.counts, value.count))]
    unknown = float("nan")  # the file has the longest one of all time, not of these
    return sdk.HistogramDataPoint(
        attributes=attributes,
        count=value.count,
        sum=value.total,
        bucket_counts=between,
        explicit_bounds=value.bounds,
        min=unknown,
        max=unknown,
        **times,
    )


def _resource() -> Any:  # noqa: ANN401 - of an optional package
    """Return the resource that OpenTelemetry's variables describe, with a name in any case."""
    module = require(f"{_SDK}.resources", "otel")
    resource = module.Resource.create()
    if resource.attributes["service.name"].startswith("unknown_service"):
        return resource.merge(module.Resource({"service.name": _NAME}))
    return resource


class MetricsExport(Closeable):
    """Exports the metrics of a target from a thread; close it, or use it in a ``with``.

    They are exported at once, then at each interval, and at the end unless the collector does not
    accept them. A failure is logged once, until an export succeeds again.

    Parameters
    ----------
    exporter : opentelemetry.sdk.metrics.export.MetricExporter
        As `otlp_exporter` returns it; it is closed with this object.
    find : Callable
        Returns the `Target`; None while it starts.
    interval_s : float, optional
        By default that of ``OTEL_METRIC_EXPORT_INTERVAL``.

    Raises
    ------
    ConfigurationError
        The variable has no positive number.
    """

    def __init__(
        self,
        exporter: Any,  # noqa: ANN401 - of an optional package
        find: Callable[[], Target | None],
        interval_s: float | None = None,
    ) -> None:
        self._exporter = exporter
        self._find = find
        self._interval_s = export_interval_s() if interval_s is None else interval_s
        self._sdk = require(f"{_SDK}.metrics.export", "otel")
        self._resource = _resource()
        self._is_failing = False
        self._end = threading.Event()
        self._reasons = _Reasons()
        self._thread = threading.Thread(target=self._run, name="metrics-export", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Export once more, and stop. Calling it again does nothing."""
        if self._end.is_set():
            return
        self._end.set()
        if not self._is_failing:
            self._thread.join(_END_TIMEOUT_S)
        self._exporter.shutdown()  # ends its waits for another attempt
        self._thread.join()
        self._reasons.close()

    def _run(self) -> None:
        self._export()
        while not self._end.wait(self._interval_s):
            self._export()
        if not self._is_failing:
            self._export()

    def _data(self) -> Any:  # noqa: ANN401 - of an optional package
        metrics = convert(read(self._find), SystemClock().epoch_ms() * 1_000_000)
        scope = require(f"{_SDK}.util.instrumentation", "otel").InstrumentationScope(_NAME)
        scoped = self._sdk.ScopeMetrics(scope=scope, metrics=metrics, schema_url="")
        of_resource = self._sdk.ResourceMetrics(
            resource=self._resource, scope_metrics=[scoped], schema_url=""
        )
        return self._sdk.MetricsData(resource_metrics=[of_resource])

    def _export(self) -> None:
        try:
            is_done = self._exporter.export(self._data()) is self._sdk.MetricExportResult.SUCCESS
            reason = self._reasons.last
        except Exception as error:  # noqa: BLE001 - reported, and tried again
            is_done, reason = False, f"{type(error).__name__}: {error}"
        if self._end.is_set() and not is_done:
            return
        if not is_done and not self._is_failing:
            _log.warning(
                "metrics are not exported; tried again every %g s: %s", self._interval_s, reason
            )
        elif is_done and self._is_failing:
            _log.warning("metrics are exported again")
        self._is_failing = not is_done


class _Reasons(logging.Handler):
    """Keeps the last message of OpenTelemetry's loggers, which log each attempt."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""
        self._logger = logging.getLogger("opentelemetry")
        self._was_propagating = self._logger.propagate
        self._logger.propagate = False
        self._logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.last = record.getMessage()

    def close(self) -> None:
        """Log as before."""
        self._logger.removeHandler(self)
        self._logger.propagate = self._was_propagating
        super().close()
