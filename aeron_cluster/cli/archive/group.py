"""``aeron-cluster archive``: runs an archive; its verbs work on the directory of an archive.

The verbs are those of ``io.aeron.archive.ArchiveTool``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from aeron_cluster.cli.archive.process import run_archive
from aeron_cluster.cli.metrics.option import metrics_options
from aeron_cluster.cli.options.lazy_verbs import LazyVerbs, reject_options
from aeron_cluster.cli.options.member import group_option
from aeron_cluster.cli.options.properties import property_options

__all__ = ["archive"]

# The module in this folder, imported when requested.
_VERBS: Final = {
    "capacity": ("inspection", "Show the length of the catalog, or extend it."),
    "checksum": ("changes", "Write checksums to recorded frames."),
    "compact": ("changes", "Remove recordings that are not valid, and their segments."),
    "count-entries": ("inspection", "Count the valid recordings."),
    "delete-orphaned-segments": ("changes", "Remove segments outside of their recordings."),
    "describe": ("inspection", "Show the archive and its valid recordings, or one."),
    "describe-all": ("inspection", "Show the archive and all its recordings."),
    "describe-recording": ("inspection", "Show one recording, valid or not."),
    "dump": ("contents", "Show recorded frames."),
    "errors": ("inspection", "Show the errors of the archive and its driver."),
    "mark-invalid": ("changes", "Mark a recording invalid."),
    "mark-valid": ("changes", "Mark a recording valid again."),
    "max-entries": ("inspection", "Show how many recordings the catalog has room for."),
    "migrate": ("changes", "Migrate an archive of an early version."),
    "pid": ("inspection", "Print the process id of the archive."),
    "verify": ("contents", "Verify recordings, and mark the faulty ones."),
}


@click.group(
    cls=LazyVerbs,
    package="aeron_cluster.cli.archive",
    sections={"Verbs for the directory of an archive": _VERBS},
    invoke_without_command=True,
)
@click.option(
    "--dir", "directory", metavar="DIR", help="Recordings and catalog (aeron.archive.dir)."
)
@click.option(
    "--aeron-dir",
    metavar="DIR",
    help="The directory of a running driver; by default a driver is launched.",
)
@click.option(
    "--control-channel",
    metavar="URI",
    help="The channel for clients, as in aeron:udp?endpoint=localhost:8010.",
)
@click.option(
    "--replication-channel",
    metavar="URI",
    help="The channel that receives replicated streams, as in aeron:udp?endpoint=localhost:0.",
)
@click.option(
    "--threading",
    type=click.Choice(["dedicated", "shared"]),
    help="Threads: one for each of conductor, recorder and replayer; or one.",
)
@metrics_options
@group_option
@property_options("aeron.archive.segment.file.length=64m")
@click.pass_context
def archive(
    ctx: click.Context,
    directory: str | None,
    aeron_dir: str | None,
    control_channel: str | None,
    replication_channel: str | None,
    threading: str | None,
    metrics: str | None,
    otlp: str | None,
    group: str | None,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run an archive in the foreground until Ctrl-C, or inspect the directory of one.

    Without --aeron-dir a media driver is launched with it, as Java's ArchivingMediaDriver does;
    clients find it as any driver. Like Java's it needs a control channel and a replication channel.
    Missing options are read from the environment, with the names of Aeron's C driver
    (AERON_ARCHIVE_DIR, AERON_ARCHIVE_CONTROL_CHANNEL, ...).

    Exit codes: 0 when stopped on request, 1 after a failure while running, 2 or 3 when it could not
    start.

    \b
    Examples:
      aeron-cluster archive --dir data --control-channel aeron:udp?endpoint=localhost:8010 \\
          --replication-channel aeron:udp?endpoint=localhost:0
      aeron-cluster archive --aeron-dir /dev/shm/my-driver --properties archive.properties
      aeron-cluster archive -o aeron.archive.control.channel.enabled=false \\
          --replication-channel aeron:udp?endpoint=localhost:0
      aeron-cluster archive describe data
      aeron-cluster archive verify data --all --dry-run
    """  # noqa: D301 - \b is click's mark
    if ctx.invoked_subcommand is not None:
        reject_options(ctx, "running an archive")
        return
    keywords = {
        "archive_dir": directory,
        "control_channel": control_channel,
        "replication_channel": replication_channel,
    }
    run_archive(
        {name: value for name, value in keywords.items() if value is not None},
        aeron_dir,
        threading,
        metrics,
        otlp,
        group,
        options,
        property_files,
    )
