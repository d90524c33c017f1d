"""``aeron-cluster driver``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click

from aeron_cluster.cli.exit_codes import fail, fail_at_end
from aeron_cluster.cli.metrics.health import Target
from aeron_cluster.cli.metrics.option import OwnMetrics, metrics_options
from aeron_cluster.cli.options.lazy_verbs import LazyVerbs, reject_options
from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.options.member import group_option
from aeron_cluster.cli.options.nodes import IDLE_STRATEGIES
from aeron_cluster.cli.options.properties import property_options, read_properties, seams_of
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

__all__ = ["driver"]


_VERBS: Final = {
    "errors": ("verbs", "Show the errors of a driver."),
    "pid": ("verbs", "Print the process id of a driver."),
    "terminate": ("verbs", "Request a driver to terminate."),
}


@click.group(
    cls=LazyVerbs,
    package="aeron_cluster.cli.drivers",
    sections={"Verbs for a driver that runs": _VERBS},
    invoke_without_command=True,
)
@click.option("--dir", "directory", metavar="DIR", help="The driver's directory (aeron.dir).")
@click.option(
    "--threading",
    type=click.Choice(["dedicated", "shared-network", "shared"]),
    help="Threads: one for each of conductor, sender and receiver; or fewer.",
)
@click.option(
    "--idle", type=click.Choice(IDLE_STRATEGIES), help="What each thread does without work."
)
@metrics_options
@group_option
@property_options("aeron.term.buffer.length=64k")
@click.pass_context
def driver(
    ctx: click.Context,
    directory: str | None,
    threading: str | None,
    idle: str | None,
    metrics: str | None,
    otlp: str | None,
    group: str | None,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run a media driver in the foreground until Ctrl-C, or inspect a running one.

    Clients on this machine, in Python, Java, C or any language with an Aeron client, find the
    driver by its directory. Missing options are read from the environment, with the names of
    Aeron's C driver (AERON_DIR, AERON_THREADING_MODE, ...).

    \b
    Examples:
      aeron-cluster driver
      aeron-cluster driver --dir /dev/shm/my-driver --threading shared --idle yield
      aeron-cluster driver -o aeron.mtu.length=8k -o aeron.socket.so_rcvbuf=2m
      aeron-cluster driver pid /dev/shm/my-driver
    """  # noqa: D301 - \b is click's mark
    if ctx.invoked_subcommand is not None:
        reject_options(ctx, "running a driver")
        return
    lines = Lines()
    try:
        properties = read_properties(property_files, options)
    except AeronClusterError as error:
        fail(error)
    keywords: dict[str, Any] = {}
    if threading is not None:
        keywords["threading_mode"] = threading.replace("-", "_").upper()
    if idle is not None:
        for role in ("conductor", "sender", "receiver", "sharednetwork", "shared"):
            keywords[f"{role}_idle_strategy"] = idle
    # A standalone driver uses the default directory of clients; an embedded one does not.
    keywords["aeron_dir"] = (
        directory
        or properties.get("aeron.dir")
        or os.environ.get("AERON_DIR")
        or default_aeron_dir()
    )
    try:
        with (
            ShutdownSignalBarrier() as barrier,
            OwnMetrics(metrics, otlp, lines) as served,
            MediaDriver.launch(
                seams=seams_of(group),
                properties=properties,
                termination_hook=barrier.signal,
                **keywords,
            ) as running,
        ):
            served.target = Target("driver", running.aeron_dir)
            lines.print(f"media driver in {running.aeron_dir}, process {os.getpid()}")
            lines.print("Ctrl-C ends it", style="dim")
            _watch(running, lines, barrier)
    except AeronClusterError as error:
        fail(error, directories={"--dir": keywords["aeron_dir"]})
    lines.print("closed")
    if running.failure is not None:
        fail_at_end("driver", running.failure)


def _watch(running: MediaDriver, lines: Lines, barrier: ShutdownSignalBarrier) -> None:
    """Wait for a signal; on a terminal print the driver's state once a second."""
    if not lines.is_terminal:
        barrier.wait()
        return
    with lines.status("starting") as show:
        while not barrier.wait(1.0):
            show(_summary(running))


def _summary(running: MediaDriver) -> str:
    kinds = [each.type_id for each in running.counters.counters()]
    sent = running.counters.value(SystemCounter.SYSTEM_BYTES_SENT)
    received = running.counters.value(SystemCounter.SYSTEM_BYTES_RECEIVED)
    errors = running.counters.value(SystemCounter.SYSTEM_ERRORS)
    return (
        f"clients {kinds.count(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT)}, "
        f"publications {kinds.count(CounterType.COUNTER_TYPE_PUBLISHER_LIMIT)}, "
        f"subscriber images {kinds.count(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION)}, "
        f"bytes sent {sent:,}, received {received:,}, errors {errors}"
    )
