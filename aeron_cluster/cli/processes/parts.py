"""``aeron-cluster module`` and ``aeron-cluster container``: parts of a node as processes.

``io.aeron.cluster.ConsensusModule`` and ``io.aeron.cluster.service.ClusteredServiceContainer`` as
processes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from aeron_cluster.cli.exit_codes import fail, fail_at_end
from aeron_cluster.cli.options.credentials import credentials_option, read_credentials
from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.options.member import group_option
from aeron_cluster.cli.options.nodes import (
    IDLE_STRATEGIES,
    access_options,
    callback_options,
    failover_option,
    membership_options,
)
from aeron_cluster.cli.options.properties import property_options, read_properties, seams_of
from aeron_cluster.cli.options.services import load_service, parse_service_options
from aeron_cluster.cli.processes.node import access_files, fast_failover, membership
from aeron_cluster.cluster.members.members import any_port, find_member, parse_members
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.config import unless_configured
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["container", "module"]

_POLL_INTERVAL_S: Final = 0.2

_DIRECTORY: Final = click.option(
    "--dir",
    "directory",
    metavar="DIR",
    help="The member's cluster directory (aeron.cluster.dir), shared by module and containers.",
)
_AERON_DIR: Final = click.option(
    "--aeron-dir", metavar="DIR", help="The directory of a running media driver (aeron.dir)."
)
_IDLE: Final = click.option(
    "--idle", type=click.Choice(IDLE_STRATEGIES), help="Idle strategy of its thread."
)


def _given(**options: object) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _run(
    launch: Callable[[ShutdownSignalBarrier], ConsensusModule | ClusteredServiceContainer],
    describe: Callable[[Any], str],
    kind: str,
    directories: dict[str, str | None],
) -> None:
    """Run a component until a signal arrives or it ends by itself."""
    lines = Lines()
    try:
        with ShutdownSignalBarrier() as barrier, launch(barrier) as running:
            lines.print(f"{describe(running)}, process {os.getpid()}")
            lines.print("Ctrl-C ends it", style="dim")
            while not barrier.wait(_POLL_INTERVAL_S) and running.failure is None:
                pass
        failure = running.failure
    except AeronClusterError as error:
        fail(error, directories=directories)
    lines.print("closed")
    if failure is not None and not getattr(failure, "is_expected", False):
        fail_at_end(kind, failure)


@click.command()
@_DIRECTORY
@_AERON_DIR
@membership_options
@click.option(
    "--services",
    "service_count",
    type=click.IntRange(1, 10),
    help="The number of service containers.  [default: 1]",
)
@failover_option
@_IDLE
@access_options
@credentials_option
@group_option
@property_options("aeron.cluster.session.timeout=5s")
def module(
    directory: str | None,
    aeron_dir: str | None,
    members: str | None,
    hosts: str | None,
    member_id: int | None,
    host: str,
    port_base: int,
    service_count: int | None,
    failover: Literal["fast", "default"],
    idle: str | None,
    users: str | None,
    policy: str | None,
    credentials: str | None,
    group: str | None,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run a consensus module in the foreground until Ctrl-C, on a running driver and archive.

    Its services run in containers, processes of their own, with the same driver and cluster
    directory: aeron-cluster container, or Java's ClusteredServiceContainer. The driver and the
    archive may be Java's, too.

    Exit codes: 0 if a signal or the cluster's control toggle stopped it, 1 if it could not
    continue, 2, 3 or 4 if it could not start.

    \b
    Examples:
      aeron-cluster archive --dir data/archive -o aeron.dir=/dev/shm/node \\
          --control-channel aeron:udp?endpoint=localhost:9005 \\
          --replication-channel aeron:udp?endpoint=localhost:0
      aeron-cluster module --aeron-dir /dev/shm/node --dir data/cluster
      aeron-cluster container --aeron-dir /dev/shm/node --dir data/cluster --service m:S
    """  # noqa: D301 - \b is click's mark

    def launch(barrier: ShutdownSignalBarrier) -> ConsensusModule:
        properties = read_properties(property_files, options)
        seams = seams_of(group)
        all_members, own_id = membership(members, hosts, host, port_base, member_id, properties)
        own = find_member(parse_members(all_members), own_id)
        chosen = unless_configured(
            properties,
            ingress_channel="aeron:udp",
            replication_channel=f"aeron:udp?endpoint={any_port(own.archive_endpoint)}",
        )
        chosen |= _given(
            aeron_dir=aeron_dir,
            cluster_dir=directory,
            service_count=service_count,
            idle_strategy=idle,
        )
        if failover == "fast":
            chosen |= fast_failover(properties)
        return ConsensusModule.launch(
            properties=properties,
            seams=seams,
            cluster_members=all_members,
            member_id=own_id,
            termination_hook=barrier.signal,
            **chosen,
            **access_files(users, policy),
            **read_credentials(credentials, seams.files),
        )

    def describe(running: ConsensusModule) -> str:
        context = running.context
        return (
            f"consensus module of member {context.member.member_id} in {context.cluster_dir},"
            f" driver in {context.options.aeron_dir}; clients reach it at"
            f" {context.member.ingress_endpoint}"
        )

    _run(launch, describe, "consensus module", {"--dir": directory, "--aeron-dir": aeron_dir})


@click.command()
@click.option(
    "--service",
    "name",
    required=True,
    metavar="WHAT",
    help="module:Class or module:factory of a Python service; ./libkv.so or ./libkv.so:symbol"
    " of a native one.",
)
@click.option(
    "--service-option",
    "service_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An argument of the class, factory or library. May be repeated.",
)
@click.option(
    "--service-id",
    type=click.IntRange(0, 9),
    help="The id of the service among those of its module.  [default: 0]",
)
@_DIRECTORY
@_AERON_DIR
@_IDLE
@callback_options
@group_option
@property_options("aeron.cluster.log.fragment.limit=100")
def container(
    name: str,
    service_options: tuple[str, ...],
    service_id: int | None,
    directory: str | None,
    aeron_dir: str | None,
    idle: str | None,
    on_callback_error: Literal["continue", "terminate"],
    check_determinism: bool,
    group: str | None,
    options: tuple[str, ...],
    property_files: tuple[Path, ...],
) -> None:
    """Run a service container in the foreground until Ctrl-C, beside a consensus module.

    The module is a process of its own with the same driver and cluster directory: aeron-cluster
    module, or Java's ConsensusModule. It may start later.

    Exit codes: 0 if a signal or the module stopped it, 1 if the service could not continue, 2, 3 or
    4 if it could not start.

    \b
    Examples:
      aeron-cluster container --service my_service:MyService --aeron-dir /dev/shm/node \\
          --dir data/cluster
      aeron-cluster container --service ./libkv.so --service-id 1 --dir data/cluster --idle yield
    """  # noqa: D301 - \b is click's mark
    loaded: list[NativeService] = []

    def launch(barrier: ShutdownSignalBarrier) -> ClusteredServiceContainer:
        properties = read_properties(property_files, options)
        service = load_service(name, parse_service_options(service_options, 1)[0])
        if isinstance(service, NativeService):
            loaded.append(service)
        return ClusteredServiceContainer.launch(
            properties=properties,
            seams=seams_of(group),
            service=service,
            on_callback_error=on_callback_error,
            check_determinism=check_determinism,
            termination_hook=barrier.signal,
            **_given(
                aeron_dir=aeron_dir,
                cluster_dir=directory,
                service_id=service_id,
                idle_strategy=idle,
            ),
        )

    def describe(running: ClusteredServiceContainer) -> str:
        context = running.context
        return (
            f"{context.service_name} in {context.cluster_dir},"
            f" driver in {context.options.aeron_dir}"
        )

    try:
        _run(launch, describe, "service", {"--dir": directory, "--aeron-dir": aeron_dir})
    finally:
        for each in loaded:
            each.close()
