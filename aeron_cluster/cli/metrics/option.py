"""``--metrics`` and ``--otlp`` of the commands that run a driver, an archive or a node."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.cli.metrics.health import Target
    from aeron_cluster.cli.options.lines import Lines

__all__ = ["OwnMetrics", "exporting", "metrics_options", "otlp_option"]

_F = TypeVar("_F", bound=Callable[..., Any])

otlp_option = click.option(
    "--otlp",
    metavar="URL",
    help="Export the metrics to a collector of OpenTelemetry, as in http://localhost:4318; every"
    " minute, or OTEL_METRIC_EXPORT_INTERVAL.",
)


def metrics_options(function: _F) -> _F:
    """Add ``--metrics`` and ``--otlp``."""
    metrics = click.option(
        "--metrics",
        metavar="[HOST]:PORT",
        help="Serve /metrics for Prometheus, /ready and /live over HTTP, as in :9100 or"
        " localhost:9100.",
    )
    return metrics(otlp_option(function))


def exporting(
    url: str | None, find: Callable[[], Target | None], lines: Lines
) -> contextlib.AbstractContextManager[object]:
    """Return the running export to a collector, to be closed; nothing without a URL.

    Parameters
    ----------
    url : str, optional
    find : Callable
        Returns the target; None while it starts.
    lines : Lines
        Prints the URL.

    Raises
    ------
    MissingPackageError, ConfigurationError
        As for `otlp_exporter`.
    """
    if url is None:
        return contextlib.nullcontext()
    # Imported only if needed: it imports OpenTelemetry.
    from aeron_cluster.cli.metrics.telemetry import MetricsExport, otlp_exporter  # noqa: PLC0415

    export = MetricsExport(otlp_exporter(url), find)
    lines.print(f"metrics are exported to {url}")
    return export


class OwnMetrics(Closeable):
    """The server and the export of the metrics of this process, if requested; it must be closed.

    Parameters
    ----------
    endpoint : str, optional
        None: nothing is served.
    otlp : str, optional
        The URL of a collector; None: nothing is exported.
    lines : Lines
        Prints the addresses.

    Attributes
    ----------
    target : Target or None
        Returns the running target; None while it starts.

    Raises
    ------
    MissingPackageError, ConfigurationError, PortInUseError
        As for `MetricsServer` and `otlp_exporter`.
    """

    def __init__(self, endpoint: str | None, otlp: str | None, lines: Lines) -> None:
        self.target: Target | None = None
        self._open = contextlib.ExitStack()
        try:
            if endpoint is not None:
                # Imported only if needed: it imports http.server.
                from aeron_cluster.cli.metrics.server import MetricsServer  # noqa: PLC0415

                server = self._open.enter_context(MetricsServer(endpoint, lambda: self.target))
                lines.print(f"metrics at {server.url}/metrics")
            self._open.enter_context(exporting(otlp, lambda: self.target, lines))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop serving and exporting. Calling it again does nothing."""
        self._open.close()
