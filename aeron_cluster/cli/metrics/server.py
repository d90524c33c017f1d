"""The HTTP server of metrics and probes: ``/metrics``, ``/ready`` and ``/live``.

It reads only shared memory and mark files, and never calls an agent.
"""

from __future__ import annotations

import logging
import threading  # noqa: TID251 - of HTTP: no agent is driven on it
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cli.metrics.endpoint import listen, url
from aeron_cluster.cli.metrics.families import Kind, samples
from aeron_cluster.cli.metrics.health import (
    liveness_problem,
    open_counters,
    readiness_problem,
)
from aeron_cluster.cluster.latency.latency_file import read_latencies
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import Seams, SystemClock
from aeron_cluster.pipeline.optional_packages import require

if TYPE_CHECKING:
    import socket  # noqa: TID251 - of HTTP, not of a driver
    from collections.abc import Callable, Iterator

    from prometheus_client.core import Metric
    from prometheus_client.registry import CollectorRegistry

    from aeron_cluster.cli.metrics.families import Family
    from aeron_cluster.cli.metrics.health import Target
    from aeron_cluster.cluster.latency.latency_file import StageLatency

__all__ = ["HEALTH_METRICS", "LATENCY_HELP", "LATENCY_METRIC", "MetricsServer", "TargetCollector"]

_log = logging.getLogger(__name__)
_PLAIN: Final = "text/plain; charset=utf-8"
_REQUEST_TIMEOUT_S: Final = 10.0
_MAX_REQUESTS: Final = 8
LATENCY_METRIC: Final = "aeron_cluster_stage_latency_seconds"
LATENCY_HELP: Final = "How long what a leader appends takes in each stage, with --latency."
# Powers of two of a ns, from 1 us to 17 s: where buckets of the file end.
_LATENCY_BOUNDS: Final = tuple(1 << each for each in range(10, 35))
HEALTH_METRICS: Final = {
    "aeron_live": "1 if the driver and the member on it were active within ten seconds.",
    "aeron_ready": "1 if clients are served; for a member, if no election is running.",
    "aeron_driver_heartbeat_age_seconds": "The time since the driver's conductor was active.",
}


class TargetCollector:
    """Collects the metrics of a driver, and of the archive and the member on it.

    Parameters
    ----------
    find : Callable
        Returns the `Target`; None while it starts.
    """

    def __init__(self, find: Callable[[], Target | None]) -> None:
        self._find = find
        self._core: Any = require("prometheus_client.core", "metrics")

    def collect(self) -> Iterator[Metric]:
        """Read the counters, and return the metrics."""
        target = _found(self._find)
        if target is None or isinstance(target, AeronClusterError):
            yield self._gauge("aeron_live", float(target is None))
            yield self._gauge("aeron_ready", 0)
            return
        yield self._gauge("aeron_live", float(_problem(liveness_problem, target) is None))
        yield self._gauge("aeron_ready", float(_problem(readiness_problem, target) is None))
        try:
            with open_counters(target) as (cnc, counters):
                age_ms = max(0, SystemClock().epoch_ms() - cnc.driver_heartbeat_ms)
        except AeronClusterError:
            return
        yield self._gauge("aeron_driver_heartbeat_age_seconds", age_ms / 1000)
        member = str(target.member_id) if target.member_id >= 0 else ""
        families: dict[str, Any] = {}
        for sample in samples(counters, member):
            family = sample.family
            if family.name not in families:
                families[family.name] = self._family(family)
            families[family.name].add_metric(sample.labels, sample.value)
        yield from families.values()
        yield from self._latencies(target, member)

    def _latencies(self, target: Target, member: str) -> Iterator[Metric]:
        try:
            found = read_latencies(Seams().files, target.aeron_dir)
        except AeronClusterError:  # not measured
            return
        metric: Any = self._core.HistogramMetricFamily(
            LATENCY_METRIC, LATENCY_HELP, labels=("member", "stage")
        )
        for stage, each in found.items():
            counts = [(f"{bound / 1e9!r}", count) for bound, count in _cumulative(each)]
            total = sum(each.buckets.values())
            metric.add_metric(
                (member, stage.name.lower()), [*counts, ("+Inf", total)], each.sum_ns / 1e9
            )
        yield metric

    def _gauge(self, name: str, value: float) -> Metric:
        gauge: Metric = self._core.GaugeMetricFamily(name, HEALTH_METRICS[name], value=value)
        return gauge

    def _family(self, family: Family) -> Metric:
        is_counter = family.kind is Kind.COUNTER
        make = self._core.CounterMetricFamily if is_counter else self._core.GaugeMetricFamily
        metric: Metric = make(family.name, family.help_text, labels=family.labels)
        return metric


def _cumulative(latency: StageLatency) -> Iterator[tuple[int, int]]:
    """Yield each bound in ns, with how many durations are below it."""
    ends = []
    for index, count in sorted(latency.buckets.items()):
        shift = max(0, (index >> latency.bits) - 1)
        ends.append((((index - (shift << latency.bits)) + 1) << shift, count))
    for bound in _LATENCY_BOUNDS:
        yield bound, sum(count for end, count in ends if end <= bound)


def _found(find: Callable[[], Target | None]) -> Target | AeronClusterError | None:
    try:
        return find()
    except AeronClusterError as error:
        return error


def _problem(check: Callable[[Target], str | None], target: Target) -> str | None:
    try:
        return check(target)
    except AeronClusterError as error:  # a damaged file, or another version
        return str(error)


class MetricsServer(Closeable):
    """Serves metrics and probes from a thread; close it, or use it in a ``with``.

    Parameters
    ----------
    endpoint : str
        ``host:port``, or ``:port`` for all addresses of this machine.
    find : Callable
        Returns the `Target`; None while it starts: it is then alive but not ready. If it raises,
        the target is neither alive nor ready, for that reason.
    option : str
        The name of the option with the endpoint, for errors.

    Raises
    ------
    MissingPackageError
        ``aeron-cluster[metrics]`` is not installed.
    ConfigurationError, PortInUseError
        The endpoint is malformed, or in use.
    """

    def __init__(
        self, endpoint: str, find: Callable[[], Target | None], option: str = "--metrics"
    ) -> None:
        exposition: Any = require("prometheus_client.exposition", "metrics")
        registry: CollectorRegistry = require(
            "prometheus_client.registry", "metrics"
        ).CollectorRegistry()
        registry.register(TargetCollector(find))
        self._server = _Server(listen(option, endpoint), find, registry, exposition)
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="metrics", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The URL of the server on this machine."""
        return url(self._server.socket)

    def close(self) -> None:
        """Stop serving. Calling it again does nothing."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(
        self,
        bound: socket.socket,
        find: Callable[[], Target | None],
        registry: CollectorRegistry,
        exposition: Any,  # noqa: ANN401 - an optional package's module
    ) -> None:
        super().__init__(bound.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = bound
        self.find = find
        self.registry = registry
        self.exposition = exposition
        self.free = threading.BoundedSemaphore(_MAX_REQUESTS)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as declared
        """Serve a request on its own thread, unless too many are in progress."""
        if not self.free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as declared
        """Serve a request."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as declared
        """Ignore clients that close their connection early; requests report their own errors."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _REQUEST_TIMEOUT_S
    server_version = "aeron-cluster"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a request; one that cannot be answered gets status 500 and the error."""
        try:
            answer = self._answer()
        except Exception as error:  # noqa: BLE001 - the exporter serves on
            _log.exception("%s cannot be answered", self.path)
            answer = 500, f"{type(error).__name__}: {error}\n".encode(), _PLAIN
        self._send(*answer)

    def _answer(self) -> tuple[int, bytes, str]:
        match self.path.partition("?")[0]:
            case "/metrics":
                choose = self.server.exposition.choose_encoder
                encode, content_type = choose(self.headers.get("Accept", ""))
                return 200, encode(self.server.registry), content_type
            case "/ready":
                return self._health(readiness_problem, "starting")
            case "/live":
                return self._health(liveness_problem, None)
            case _:
                return 404, b"/metrics, /ready, /live\n", _PLAIN

    def _health(
        self, check: Callable[[Target], str | None], starting: str | None
    ) -> tuple[int, bytes, str]:
        target = _found(self.server.find)
        if target is None:
            problem = starting
        elif isinstance(target, AeronClusterError):
            problem = str(target)
        else:
            problem = _problem(check, target)
        return 503 if problem else 200, f"{problem or 'ok'}\n".encode(), _PLAIN

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as declared
        """Log nothing: probes may arrive each second."""
