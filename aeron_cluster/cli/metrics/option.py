"""``--metrics`` of the commands that run a driver, an archive or a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from rich.console import Console

    from aeron_cluster.cli.metrics.health import Target
    from aeron_cluster.cli.metrics.server import MetricsServer

__all__ = ["OwnMetrics", "metrics_option"]

metrics_option = click.option(
    "--metrics",
    metavar="[HOST]:PORT",
    help="Serve /metrics for Prometheus, /ready and /live over HTTP, as in :9100 or"
    " localhost:9100.",
)


class OwnMetrics(Closeable):
    """The server of the metrics of this process, if requested; it must be closed.

    Parameters
    ----------
    endpoint : str, optional
        None: nothing is served.
    console : Console
        Prints the address.

    Attributes
    ----------
    target : Target or None
        Returns the running target; None while it starts.

    Raises
    ------
    MissingPackageError, ConfigurationError, PortInUseError
        As for `MetricsServer`.
    """

    def __init__(self, endpoint: str | None, console: Console) -> None:
        self.target: Target | None = None
        self._server: MetricsServer | None = None
        if endpoint is not None:
            # Imported only if needed: it imports http.server.
            from aeron_cluster.cli.metrics.server import MetricsServer  # noqa: PLC0415

            self._server = MetricsServer(endpoint, lambda: self.target)
            console.print(f"metrics at {self._server.url}/metrics", soft_wrap=True)

    def close(self) -> None:
        """Stop serving."""
        if self._server is not None:
            self._server.close()
