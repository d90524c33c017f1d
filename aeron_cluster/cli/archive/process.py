"""An archive in the foreground, on its own driver or on a running one.

``io.aeron.archive.Archive`` and ``ArchivingMediaDriver`` as processes.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.cli.exit_codes import fail, fail_at_end
from aeron_cluster.cli.metrics.health import Target
from aeron_cluster.cli.metrics.option import OwnMetrics
from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.options.ports import check_endpoint
from aeron_cluster.cli.options.properties import read_properties, seams_of
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.archive.options import ArchiveOptions
    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.agents.component import Component

__all__ = ["run_archive"]

_POLL_INTERVAL_S: Final = 0.2


def run_archive(
    archive: Mapping[str, str],
    aeron_dir: str | None,
    threading: str | None,
    metrics: str | None,
    otlp: str | None,
    group: str | None,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run an archive until a signal arrives or it stops by itself.

    Parameters
    ----------
    archive : Mapping of str to str
        The given options of the archive, by keyword.
    aeron_dir : str, optional
        The directory of a running driver; by default one is launched.
    threading : str, optional
        The threading mode of the archive, and of the driver if one is launched.
    metrics : str, optional
        The address of the metrics over HTTP.
    otlp : str, optional
        The URL of a collector of OpenTelemetry, to export the metrics to.
    group : str, optional
        A user group that may use the created files.
    options : tuple of str
        Properties, ``NAME=VALUE``.
    property_files : tuple of Path
        Files of properties.
    """
    lines = Lines()
    keywords: Any = dict(archive)
    if threading is not None:
        keywords["threading_mode"] = threading.upper()
    try:
        properties = read_properties(property_files, options)
        _check_control_port(keywords, properties)
        with (
            ShutdownSignalBarrier() as barrier,
            OwnMetrics(metrics, otlp, lines) as own_metrics,
            contextlib.ExitStack() as stack,
        ):
            parts = _launch(stack, keywords, aeron_dir, properties, seams_of(group), barrier)
            running = parts[-1]
            assert isinstance(running, Archive)
            own_metrics.target = Target("archive", running.aeron_dir)
            lines.print(
                f"archive {running.archive_id} in {Path(running.context.archive_dir).resolve()},"
                f" process {os.getpid()}, driver in {running.aeron_dir};"
                f" {_access(running)}",
            )
            lines.print("Ctrl-C ends it", style="dim")
            while not barrier.wait(_POLL_INTERVAL_S):
                if any(each.failure is not None for each in parts):
                    break
    except AeronClusterError as error:
        fail(error, directories={"--dir": archive.get("archive_dir"), "--aeron-dir": aeron_dir})
    lines.print("closed")
    for each in parts:
        if each.failure is not None:
            fail_at_end(each.KIND, each.failure)


def _check_control_port(archive: Mapping[str, Any], properties: Mapping[str, str]) -> None:
    """Reject a control port in use before a driver logs it."""
    options = ArchiveContext.of(properties=properties, **archive).options
    if options.control_channel_enabled and options.control_channel:
        endpoint = ChannelUri.parse(options.control_channel).get("endpoint")
        if endpoint:
            check_endpoint(
                Seams().network, endpoint, "the archive's control channel", "--control-channel"
            )


def _launch(
    stack: contextlib.ExitStack,
    archive: ArchiveOptions,
    aeron_dir: str | None,
    properties: Mapping[str, str],
    seams: Seams,
    barrier: ShutdownSignalBarrier,
) -> tuple[Component, ...]:
    """Start the requested components, and return them, the archive last."""
    if aeron_dir is not None:
        own: ArchiveOptions = {**archive, "seams": seams, "aeron_dir": aeron_dir}
        running = Archive.launch(properties=properties, **own)
        return (stack.enter_context(running),)
    driver: DriverOptions = {
        # Clients find it by the property, the variable or the default.
        "aeron_dir": properties.get("aeron.dir")
        or os.environ.get("AERON_DIR")
        or default_aeron_dir(),
        "termination_hook": barrier.signal,
    }
    if "threading_mode" in archive:
        driver["threading_mode"] = archive["threading_mode"]
    node = stack.enter_context(
        ArchivingMediaDriver.launch(
            driver=driver, archive=archive, seams=seams, properties=properties
        )
    )
    return node.driver, node.archive


def _access(running: Archive) -> str:
    options = running.context.options
    if not options.control_channel_enabled:
        return "only clients of that driver reach it"
    return f"clients reach it at {options.control_channel}"
