"""``aeron-cluster backup``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Unpack

import click

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.context import ArchiveContext, cluster_checksums
from aeron_cluster.cli.exit_codes import fail, fail_at_end
from aeron_cluster.cli.options.credentials import credentials_option, read_credentials
from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.options.member import group_option
from aeron_cluster.cli.options.ports import check_endpoint
from aeron_cluster.cli.options.properties import property_options, read_properties, seams_of
from aeron_cluster.cluster.backup import ClusterBackup
from aeron_cluster.cluster.module.start_checks import check_room
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError, DirectoryInUseError
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.archive.client.options import ArchiveClientOptions
    from aeron_cluster.archive.options import ArchiveOptions

__all__ = ["backup"]

_POLL_INTERVAL_S: Final = 0.2
_PURPOSES: Final = ("archive control", "members' answers", "log and snapshots")


@click.command()
@click.option(
    "--of",
    "endpoints",
    required=True,
    metavar="LIST",
    help="Consensus endpoints of the members, host:port, separated by commas.",
)
@click.option(
    "--dir",
    "directory",
    default="aeron-cluster-backup",
    show_default=True,
    metavar="DIR",
    help="Directory of the copies: it gets archive and cluster, like a node's.",
)
@click.option("--host", default="localhost", show_default=True, help="The host of this backup.")
@click.option(
    "--port-base",
    default=9500,
    show_default=True,
    type=click.IntRange(0, 65000),
    help="The first of three ports: for its archive, for members' answers, for log and snapshots.",
)
@click.option(
    "--source",
    default="ANY",
    show_default=True,
    type=click.Choice(["ANY", "LEADER", "FOLLOWER"]),
    help="The members that may supply the log.",
)
@credentials_option
@click.option("--aeron-dir", metavar="DIR", help="The driver's directory (aeron.dir), for stat.")
@group_option
@property_options("aeron.cluster.backup.interval=600s")
def backup(
    endpoints: str,
    directory: str,
    host: str,
    port_base: int,
    source: Literal["ANY", "LEADER", "FOLLOWER"],
    credentials: str | None,
    aeron_dir: str | None,
    group: str | None,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Back up a cluster in the foreground until Ctrl-C: its growing log and its snapshots.

    After a restart on the same directory it continues. A node can be started on the copy as on its
    own directory: aeron-cluster node --dir DIR.

    Exit codes: 0 if it was stopped on request, 1 if it failed after its start, 2 or 3 if it could
    not start.

    \b
    Examples:
      aeron-cluster backup --of localhost:9002 --dir copy
      aeron-cluster backup --of a:9002,b:9012,c:9022 --host d --source FOLLOWER
      aeron-cluster backup --of a:9002 --host d --credentials backup-1.secret
    """  # noqa: D301 - \b is click's mark
    lines = Lines()
    place, own_place = aeron_dir, f"{default_aeron_dir()}-backup-{port_base}"
    response: ArchiveClientOptions = {"control_response_channel": f"aeron:udp?endpoint={host}:0"}
    try:
        properties = read_properties(property_files, options)
        seams = seams_of(group)
        credential_bytes = read_credentials(credentials, seams.files)
        place = aeron_dir or properties.get("aeron.dir") or os.environ.get("AERON_DIR")
        for port, purpose in enumerate(_PURPOSES, port_base):
            check_endpoint(seams.network, f"{host}:{port}", purpose, "--port-base")
        with (
            ShutdownSignalBarrier() as barrier,
            MediaDriver.launch(
                properties=properties,
                seams=seams,
                aeron_dir=place or own_place,
                dir_delete_on_shutdown=True,
            ) as driver,
            _launch_archive(
                properties,
                seams=seams,
                aeron_dir=driver.aeron_dir,
                archive_dir=f"{directory}/archive",
                control_channel=f"aeron:udp?endpoint={host}:{port_base}",
                replication_channel=f"aeron:udp?endpoint={host}:0",
                archive_client=response,
                **cluster_checksums(properties),
            ),
            ClusterBackup.launch(
                properties=properties,
                seams=seams,
                aeron_dir=driver.aeron_dir,
                cluster_dir=f"{directory}/cluster",
                consensus_endpoints=endpoints,
                consensus_channel=f"aeron:udp?endpoint={host}:{port_base + 1}",
                backup_catchup_endpoint=f"{host}:{port_base + 2}",
                backup_source_type=source,
                cluster_archive=response,
                termination_hook=barrier.signal,
                **credential_bytes,
            ) as running,
        ):
            lines.print(
                f"backup in {Path(directory).resolve()}, process {os.getpid()},"
                f" driver in {driver.aeron_dir}; members reach it (--backup-at) at"
                f" {host}:{port_base + 1}",
            )
            lines.print("Ctrl-C ends it", style="dim")
            state = None
            while not barrier.wait(_POLL_INTERVAL_S):
                if running.state is not state:
                    state = running.state
                    name = state.name.lower().replace("_", " ")
                    lines.print(f"{name}, log at {max(running.live_log_position, 0):,}")
        failure = running.failure
    except AeronClusterError as error:
        directories = {"--dir": directory, "--aeron-dir": place}
        if place is None and isinstance(error, DirectoryInUseError):
            directories["--port-base or --aeron-dir"] = own_place
        fail(error, directories=directories)
    lines.print("closed")
    if failure is not None:
        fail_at_end("backup", failure)


def _launch_archive(properties: Mapping[str, str], **options: Unpack[ArchiveOptions]) -> Archive:
    """Start the archive, unless it would reject the recording of the log for lack of space."""
    archive = Archive(ArchiveContext.of(properties=properties, **options))
    try:
        context = archive.context
        check_room(context.seams.files, context.archive_dir, context.low_storage_space_threshold)
        archive.start()
    except BaseException:
        archive.close()
        raise
    return archive
