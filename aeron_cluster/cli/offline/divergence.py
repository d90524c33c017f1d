"""``aeron-cluster divergence``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cluster.service.offline.divergence import (
    Comparison,
    MemberCheckpoints,
    compare,
    compare_snapshots,
    read_member,
)
from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.errors import AeronClusterError, CorruptError, StateError
from aeron_cluster.memory.system.seams import SystemFiles

__all__ = ["divergence"]


@click.command()
@click.argument("directories", metavar="DIR DIR...", nargs=-1, required=True)
@click.option(
    "--snapshots",
    "with_snapshots",
    is_flag=True,
    help="Compare the snapshots of services too, byte by byte: DIR has archive and cluster.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each service.")
def divergence(directories: tuple[str, ...], *, with_snapshots: bool, as_json: bool) -> None:
    """Compare the effects of members' services at equal positions of the log.

    DIR is a member's cluster directory, a node's directory, or a copy of either. The members must
    have run with aeron.cluster.service.divergence.interval, unless only --snapshots is compared.

    Exit codes: 0 if everything is equal, 1 if something differs (the first position is printed), 3
    if there is nothing to compare, 4 if a file is damaged.

    \b
    Examples:
      aeron-cluster divergence node0/cluster node1/cluster node2/cluster
      aeron-cluster divergence --snapshots node0 node1
    """  # noqa: D301 - \b is click's mark
    if len(directories) < 2:  # noqa: PLR2004 - one cannot differ
        raise click.UsageError("expected at least two directories, to compare them")
    try:
        found = [("effects", each) for each in _comparisons(directories, needed=not with_snapshots)]
        if with_snapshots:
            found += [("snapshots", each) for each in _snapshots(directories)]
    except StateError as error:  # there is nothing to compare
        fail(error, ExitCode.NOT_REACHABLE)
    except AeronClusterError as error:
        fail(error)
    for what, comparison in found:
        _show(what, comparison, as_json=as_json)
    if any(each.difference is not None for _, each in found):
        raise SystemExit(ExitCode.NO)
    if all(each.position_count == 0 for _, each in found):
        raise SystemExit(ExitCode.NOT_REACHABLE)


def _comparisons(directories: tuple[str, ...], *, needed: bool) -> list[Comparison]:
    files = SystemFiles()
    services: dict[int, list[MemberCheckpoints]] = {}
    for directory in directories:
        try:
            members = read_member(files, directory)
        except CorruptError:
            raise
        except AeronClusterError:
            if needed:
                raise
            continue
        for member in members:
            known = services.setdefault(member.service_id, [])
            if any(each.name == member.name for each in known):
                # Copies of the same member, or members with the same name.
                member = MemberCheckpoints(  # noqa: PLW2901 - the same under another name
                    f"{member.name} in {directory}",
                    member.service_id,
                    member.interval,
                    member.checkpoints,
                )
            known.append(member)
    return [compare(services[service_id]) for service_id in sorted(services)]


def _snapshots(directories: tuple[str, ...]) -> list[Comparison]:
    files = SystemFiles()
    sources = {
        each: OfflineSource.of_member(
            files, str(Path(each) / "cluster"), str(Path(each) / "archive")
        )
        for each in directories
    }
    services = {service_id for each in sources.values() for service_id, _ in each.snapshots}
    return [
        compare_snapshots(sources, service_id) for service_id in sorted(services) if service_id >= 0
    ]


def _show(what: str, comparison: Comparison, *, as_json: bool) -> None:
    difference = comparison.difference
    if as_json:
        record: dict[str, Any] = {"compared": what, **asdict(comparison)}
        if difference is not None:
            hashes = {name: f"{value:016x}" for name, value in difference.hashes.items()}
            record["difference"]["hashes"] = hashes
        click.echo(json.dumps(record))
        return
    head = f"service {comparison.service_id}, {what} of {', '.join(comparison.names)}"
    if comparison.position_count == 0:
        click.echo(f"{head}: no position at which two of them can be compared")
    elif difference is None:
        click.echo(
            f"{head}: equal at {comparison.position_count} positions from"
            f" {comparison.first_position} to {comparison.last_position}"
        )
    else:
        click.echo(f"{head}: DIFFERENT")
        click.echo(f"  {difference}")
        click.echo(
            f"  to show its effects there: aeron-cluster replay --until {difference.position}"
            " --effects - ..."
        )
