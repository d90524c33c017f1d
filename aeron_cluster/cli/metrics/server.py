"""The HTTP server of metrics and probes: ``/metrics``, ``/ready`` and ``/live``.

It reads only shared memory and mark files, and never calls an agent.
"""

from __future__ import annotations

import contextlib
import logging
import threading  # noqa: TID251 - of HTTP: no agent is driven on it
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cli.metrics.endpoint import listen, url
from aeron_cluster.cli.metrics.families import Kind
from aeron_cluster.cli.metrics.health import liveness_problem, readiness_problem
from aeron_cluster.cli.metrics.readings import Distribution, find_problem, found, read
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.pipeline.optional_packages import require

if TYPE_CHECKING:
    import socket  # noqa: TID251 - of HTTP, not of a driver
    from collections.abc import Callable, Iterator

    from prometheus_client.core import Metric
    from prometheus_client.registry import CollectorRegistry

    from aeron_cluster.cli.metrics.health import Target
    from aeron_cluster.cli.metrics.readings import Reading

__all__ = ["MetricsServer", "TargetCollector"]

_log = logging.getLogger(__name__)
_PLAIN: Final = "text/plain; charset=utf-8"
_REQUEST_TIMEOUT_S: Final = 10.0
_MAX_REQUESTS: Final = 8


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
        yield from map(self._metric, read(self._find))

    def _metric(self, reading: Reading) -> Metric:
        makers = {
            Kind.COUNTER: self._core.CounterMetricFamily,
            Kind.GAUGE: self._core.GaugeMetricFamily,
            Kind.HISTOGRAM: self._core.HistogramMetricFamily,
        }
        metric: Any = makers[reading.kind](reading.name, reading.help_text, labels=reading.labels)
        for labels, value in reading.values:
            if isinstance(value, Distribution):
                names = [*map(repr, value.bounds), "+Inf"]
                counts = [*value.counts, value.count]
                metric.add_metric(labels, list(zip(names, counts, strict=True)), value.total)
            else:
                metric.add_metric(labels, value)
        typed: Metric = metric
        return typed


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
        with contextlib.ExitStack() as stack:
            bound = stack.enter_context(listen(option, endpoint))
            self._server = _Server(bound, find, registry, exposition)
            self._thread = threading.Thread(
                target=self._server.serve_forever, name="metrics", daemon=True
            )
            self._thread.start()
            stack.pop_all()

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
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread was started
            self.free.release()
            raise

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
        target = found(self.server.find)
        if target is None:
            problem = starting
        elif isinstance(target, AeronClusterError):
            problem = str(target)
        else:
            problem = find_problem(check, target)
        return 503 if problem else 200, f"{problem or 'ok'}\n".encode(), _PLAIN

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as declared
        """Log nothing: probes may arrive each second."""
