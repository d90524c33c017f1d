"""``aeron-cluster replay``."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, Final, NoReturn, TypeVar

import click

from aeron_cluster.cli.exit_codes import ExitCode, exit_code, fail
from aeron_cluster.cli.options.services import load_service, offline_options
from aeron_cluster.cluster.service.divergence_guard import (
    DEFAULT_CAPACITY,
    DEFAULT_INTERVAL,
    DivergenceGuard,
)
from aeron_cluster.cluster.service.offline.divergence import (
    Comparison,
    MemberCheckpoints,
    compare,
    read_member,
)
from aeron_cluster.cluster.service.offline.host import EffectRecord, OfflineHost
from aeron_cluster.cluster.service.offline.source import (
    OfflineSource,
    SnapshotPlace,
    read_snapshot_file,
    write_snapshot_file,
)
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import SnapshotMarker
from aeron_cluster.config import parse_digits
from aeron_cluster.errors import (
    AeronClusterError,
    ConfigurationError,
    CorruptError,
    MissingFileError,
    ServiceCallbackError,
    StateError,
)
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

__all__ = ["SourceOptions", "replay", "source_options"]

_SHOWN_BYTES: Final = 256
_COMPARED_CAPACITY: Final = 1 << 20

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Which service a command runs over which log: what `source_options` adds to it."""

    place: str | None
    service: str
    service_id: int
    member_id: int
    cluster_dir: str | None
    archive_dir: str | None
    recording_id: int | None
    from_snapshot: str | None
    until: int | None

    def as_arguments(self) -> list[str]:
        """Return the same as arguments of a command."""
        given = {
            "--service": self.service,
            "--service-id": self.service_id,
            "--member-id": self.member_id,
            "--cluster-dir": self.cluster_dir,
            "--archive-dir": self.archive_dir,
            "--recording": self.recording_id,
            "--from-snapshot": self.from_snapshot,
            "--until": self.until,
        }
        arguments = [] if self.place is None else [self.place]
        for name, value in given.items():
            if value is not None:
                arguments += [name, str(value)]
        return arguments

    def open(self) -> OfflineSource:
        """Find the log.

        Raises
        ------
        click.UsageError
            No log, or several, are given.
        """
        files = SystemFiles()
        cluster_dir, archive_dir = self.cluster_dir, self.archive_dir
        if self.place is not None:
            if cluster_dir is not None or archive_dir is not None:
                expected = "DIR, or --cluster-dir and --archive-dir"
                raise click.UsageError(f"expected {expected}, found both")
            cluster_dir, archive_dir = (
                str(Path(self.place, name)) for name in ("cluster", "archive")
            )
            for directory in (cluster_dir, archive_dir):
                if not files.is_directory(directory):
                    raise MissingFileError(
                        directory,
                        "a directory of a node that has run",
                        "name what `aeron-cluster node --dir` was given, or give --archive-dir",
                    )
        if archive_dir is None:
            raise click.UsageError("expected a node's DIR, or --archive-dir")
        if self.recording_id is not None:
            return OfflineSource.of_recording(files, archive_dir, self.recording_id)
        if cluster_dir is None:
            raise click.UsageError("expected --cluster-dir or --recording with --archive-dir")
        return OfflineSource.of_member(files, cluster_dir, archive_dir)


def source_options(command: _F) -> _F:
    """Add the options that select what to replay, as ``given``: a `SourceOptions`."""

    @functools.wraps(command)
    def call(**keywords: Any) -> Any:  # noqa: ANN401 - whatever the command takes
        own = {field.name: keywords.pop(field.name) for field in fields(SourceOptions)}
        return command(given=SourceOptions(**own), **keywords)

    for option in reversed(
        (
            click.argument("place", metavar="[DIR]", required=False),
            offline_options,
            click.option(
                "--cluster-dir",
                metavar="DIR",
                help="Cluster directory of the member, with --archive-dir.",
            ),
            click.option("--archive-dir", metavar="DIR", help="Directory of the member's archive."),
            click.option(
                "--recording",
                "recording_id",
                type=int,
                metavar="ID",
                help="The recording of the log in --archive-dir, without --cluster-dir.",
            ),
            click.option(
                "--from-snapshot",
                metavar="ID",
                help="A snapshot's recording, latest, or a file that --snapshot wrote.",
            ),
            click.option(
                "--until", type=int, metavar="POSITION", help="Position of the log to stop at."
            ),
        )
    ):
        call = option(call)
    return call  # type: ignore[return-value]


@click.command()
@source_options
@click.option(
    "--effects", metavar="FILE", help="Write each effect as a line of JSON; - is standard output."
)
@click.option("--snapshot", "snapshot_file", metavar="FILE", help="Write the final state to FILE.")
@click.option(
    "--against",
    multiple=True,
    metavar="DIR",
    help="Compare with the effects of a member, by its cluster directory. May be repeated.",
)
@click.option(
    "--check-determinism", is_flag=True, help="Reject clocks, randomness, threads and I/O."
)
@click.option("--continue", "continues", is_flag=True, help="Continue when a callback fails.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def replay(
    given: SourceOptions,
    effects: str | None,
    snapshot_file: str | None,
    against: tuple[str, ...],
    *,
    check_determinism: bool,
    continues: bool,
    as_json: bool,
) -> None:
    """Run a service over the log of a member, without a cluster.

    DIR is a node's directory with its archive and cluster, of this project or of Java; nothing is
    written to it. The service receives the same input as in the cluster; its effects are not sent,
    but hashed, and written to the file of --effects.

    Exit codes: 1 if a callback failed or a member's effects differ, 3 if there is nothing to
    replay, 4 if a file is damaged.

    \b
    Examples:
      aeron-cluster replay node0 --service my_service:MyService
      aeron-cluster replay node0 --service my_service:MyService --until 81920 --effects -
      aeron-cluster replay node0 --service my_service:MyService --against node0 --against node1
      aeron-cluster replay --archive-dir copy --recording 0 --service ./libmatching.so:matching
    """  # noqa: D301 - \b is click's mark
    failures: list[ServiceCallbackError] = []
    clock = SystemClock()
    try:
        source = given.open()
        begin, messages = _find_snapshot(source, given.service_id, given.from_snapshot)
        members = _members(against, given.service_id)
        with contextlib.ExitStack() as stack:
            on_effect = None
            if effects is not None:
                on_effect = _writer(stack.enter_context(_output(effects)))
            host = stack.enter_context(
                OfflineHost(
                    load_service(given.service),
                    source,
                    snapshot=begin,
                    messages=messages,
                    service_id=given.service_id,
                    member_id=given.member_id,
                    interval=members[0].interval if members else DEFAULT_INTERVAL,
                    capacity=_COMPARED_CAPACITY if members else DEFAULT_CAPACITY,
                    check_determinism=check_determinism,
                    on_effect=on_effect,
                    on_failure=failures.append if continues else None,
                )
            )
            began_ns = clock.nano_time()
            start = host.position
            position = host.run(given.until)
            took_ns = clock.nano_time() - began_ns
            if snapshot_file is not None:
                write_snapshot_file(SystemFiles(), snapshot_file, host.take_snapshot())
            comparisons = _compare(host.guard, members)
            summary: dict[str, Any] = {
                "start": start,
                "position": position,
                "effects": host.guard.effect_count,
                "hash": f"{host.guard.hash:016x}",
                "failures": len(failures),
                "seconds": took_ns / 1e9,
            }
            if members:
                summary["differences"] = [
                    str(each.difference) for each in comparisons if each.difference is not None
                ]
    except StateError as error:  # there is nothing to replay, or to compare with
        fail(error, ExitCode.NOT_REACHABLE)
    except (AeronClusterError, OSError) as error:
        _fail(error)
    if as_json:
        click.echo(json.dumps(summary), err=effects == "-")
    else:
        click.echo(
            f"log {start} to {position}: {summary['effects']} effects, hash {summary['hash']}"
            f" ({took_ns / 1e9:.2f} s)",
            err=effects == "-",
        )
    if not as_json:
        for member, each in zip(members, comparisons, strict=True):
            found = each.difference or f"the same at {each.position_count} positions"
            click.echo(f"{member.name}: {found}", err=effects == "-")
    if any(each.difference is not None for each in comparisons):
        raise SystemExit(ExitCode.NO)
    if failures:
        _fail(failures[0])


def _members(directories: tuple[str, ...], service_id: int) -> list[MemberCheckpoints]:
    files = SystemFiles()
    found = [
        each
        for directory in directories
        for each in read_member(files, directory)
        if each.service_id == service_id
    ]
    if len({each.interval for each in found}) > 1:
        intervals = ", ".join(f"{each.name} {each.interval}" for each in found)
        raise ConfigurationError("--against", "members with one interval", intervals)
    return found


def _compare(guard: DivergenceGuard, members: list[MemberCheckpoints]) -> list[Comparison]:
    return [
        compare(
            [
                MemberCheckpoints(
                    "the replay", each.service_id, each.interval, guard.checkpoints()
                ),
                each,
            ]
        )
        for each in members
    ]


def _fail(error: Exception) -> NoReturn:
    cause = error.__cause__
    if isinstance(error, ServiceCallbackError) and cause is not None:
        fail(f"{error}: {type(cause).__name__}: {cause}", exit_code(error))
    fail(error)


def _find_snapshot(
    source: OfflineSource, service_id: int, name: str | None
) -> tuple[SnapshotPlace | None, list[bytes] | None]:
    """Return the snapshot to begin with; also its messages, if they are in a file."""
    if name is None:
        if source.log.start_position == 0:
            return None, None
        name = "latest"
    if name == "latest" or parse_digits(name.removeprefix("-")) is not None:
        wanted = name if name == "latest" else int(name)
        return source.find_snapshot(service_id, wanted), None
    messages = list(read_snapshot_file(SystemFiles(), name))
    if not messages or codecs.SCHEMA.template_id_of(messages[0]) != SnapshotMarker.template_id:
        raise CorruptError(name, 0, "first message", "the beginning of a snapshot", "another")
    marker = SnapshotMarker.decode(messages[0])
    return SnapshotPlace(marker.log_position, marker.leadership_term_id, 0, -1), messages


@contextlib.contextmanager
def _output(name: str) -> Iterator[IO[str]]:
    if name == "-":
        yield sys.stdout
        return
    with Path(name).open("w", encoding="utf-8") as file:
        yield file


def _writer(output: IO[str]) -> Callable[[EffectRecord], None]:
    def write(record: EffectRecord) -> None:
        line: dict[str, Any] = {
            "position": record.log_position,
            "timestamp": record.timestamp,
            "effect": record.effect.name.lower(),
            "id": record.id,
            "value": record.value,
        }
        if record.payload is not None:
            line["length"] = len(record.payload)
            line["payload"] = record.payload[:_SHOWN_BYTES].hex()
        line["hash"] = f"{record.hash:016x}"
        output.write(json.dumps(line) + "\n")

    return write
