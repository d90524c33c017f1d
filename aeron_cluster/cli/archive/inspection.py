"""The verbs that inspect an archive: mark file, catalog, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.table import Table

from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory
from aeron_cluster.archive.tools.maintenance import grow_catalog
from aeron_cluster.cli.archive.options import (
    archive_command,
    bytes_text,
    described,
    recording_argument,
)
from aeron_cluster.cli.options.console import console, print_error_logs
from aeron_cluster.cli.options.member import format_time, json_option, print_json
from aeron_cluster.codecs.archive import RecordingDescriptor, RecordingState
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.archive.tools.archive_directory import ArchiveMark
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = [
    "capacity",
    "count_entries",
    "describe",
    "describe_all",
    "describe_recording",
    "errors",
    "max_entries",
    "pid",
]

_ENTRY_LENGTH = 1024
"""The fixed length of an entry in catalogs of early versions; max-entries counts in it."""


def _show(directory: str, *, is_json: bool, only_valid: bool) -> None:
    place = ArchiveDirectory(directory)
    mark = place.mark()
    with place.open_catalog() as catalog:
        found = list(catalog.scan())
        length = catalog.capacity
    if only_valid:
        found = [each for each in found if each.state is RecordingState.VALID]
    if is_json:
        print_json(
            path=mark.path,
            presence=mark.presence,
            header=mark.header,
            catalog_capacity=length,
            recordings=[described(each) for each in found],
        )
        return
    out = console()
    out.print(f"{_owner(mark)}; catalog of {bytes_text(length)}", soft_wrap=True)
    out.print(_recordings(found))


def _owner(mark: ArchiveMark) -> str:
    header = mark.header
    presence = mark.presence.name.lower().replace("_", " ")
    started = format_time(header.start_timestamp)
    reached = header.control_channel or "no control channel"
    return (
        f"archive {header.archive_id}, process {header.pid}, {presence}, started {started},"
        f" driver in {header.aeron_directory}, {reached}"
    )


def _recordings(found: list[Recording]) -> Table:
    table = Table(box=None, header_style="bold")
    for name in ("id", "start", "stop", "stream", "session"):
        table.add_column(name, justify="right")
    for name in ("channel", "source", "started", "state"):
        table.add_column(name, overflow="fold")
    for each in found:
        one = each.descriptor
        is_active = one.stop_position < 0
        table.add_row(
            str(one.recording_id),
            f"{one.start_position:,}",
            "active" if is_active else f"{one.stop_position:,}",
            str(one.stream_id),
            str(one.session_id),
            one.stripped_channel,
            one.source_identity,
            format_time(one.start_timestamp),
            each.state.name.lower(),
            style=None if each.state is RecordingState.VALID else "dim",
        )
    return table


def _show_one(directory: str, recording_id: int, *, is_json: bool) -> None:
    (found,) = ArchiveDirectory(directory).recordings(recording_id)
    if is_json:
        print_json(**described(found))
        return
    table = Table(box=None, show_header=False)
    table.add_row("state", found.state.name)
    for name in RecordingDescriptor.__slots__:
        value = getattr(found.descriptor, name)
        is_time = name.endswith("_timestamp") and value > 0
        table.add_row(name.replace("_", " "), format_time(value) if is_time else str(value))
    console().print(table)


@click.command()
@archive_command
@recording_argument(required=False)
@json_option
def describe(directory: str, recording_id: int | None, is_json: bool) -> None:
    """Show the archive of a directory and its valid recordings, or one recording.

    DIR is the directory of an archive, ours or Java's, or that of a node started with
    aeron-cluster node --dir. Works while the archive runs.

    \b
    Examples:
      aeron-cluster archive describe data/archive
      aeron-cluster archive describe data/archive 3
      aeron-cluster archive describe data/archive --json | jq '.recordings[].stop_position'
    """  # noqa: D301 - \b is click's mark
    if recording_id is None:
        _show(directory, is_json=is_json, only_valid=True)
    else:
        _show_one(directory, recording_id, is_json=is_json)


@click.command("describe-all")
@archive_command
@json_option
def describe_all(directory: str, is_json: bool) -> None:
    """Show the archive of a directory and all its recordings, invalid ones too.

    \b
    Examples:
      aeron-cluster archive describe-all data/archive
      aeron-cluster archive describe-all data/archive --json |
          jq '.recordings[] | select(.state == "INVALID")'
    """  # noqa: D301 - \b is click's mark
    _show(directory, is_json=is_json, only_valid=False)


@click.command("describe-recording")
@archive_command
@recording_argument(required=True)
@json_option
def describe_recording(directory: str, recording_id: int, is_json: bool) -> None:
    """Show all fields of one recording in the catalog, valid or not.

    \b
    Examples:
      aeron-cluster archive describe-recording data/archive 3
    """  # noqa: D301 - \b is click's mark
    _show_one(directory, recording_id, is_json=is_json)


@click.command("count-entries")
@archive_command
@json_option
def count_entries(directory: str, is_json: bool) -> None:
    """Print the number of valid recordings in the catalog.

    \b
    Examples:
      aeron-cluster archive count-entries data/archive
    """  # noqa: D301 - \b is click's mark
    with ArchiveDirectory(directory).open_catalog() as catalog:
        count = len(catalog)
    if is_json:
        print_json(count=count)
    else:
        click.echo(count)


@click.command()
@archive_command
@click.argument("length", metavar="[BYTES]", type=click.IntRange(32, 2**31 - 1), required=False)
@json_option
def capacity(directory: str, length: int | None, is_json: bool) -> None:
    """Print the length of the catalog, or extend it; it also grows by itself.

    A length below the current one changes nothing.

    \b
    Examples:
      aeron-cluster archive capacity data/archive
      aeron-cluster archive capacity data/archive 8388608
    """  # noqa: D301 - \b is click's mark
    found = _capacity(directory, length)
    if is_json:
        print_json(capacity=found)
    else:
        click.echo(found)


def _capacity(directory: str, length: int | None) -> int:
    return grow_catalog(ArchiveDirectory(directory), 0 if length is None else length)


@click.command("max-entries")
@archive_command
@click.argument("count", metavar="[COUNT]", type=click.IntRange(1, 2**21 - 1), required=False)
@json_option
def max_entries(directory: str, count: int | None, is_json: bool) -> None:
    """Print how many entries of 1 KiB fit into the catalog, or extend it; see capacity.

    Entries no longer have a fixed length, and the catalog grows by itself: upstream's tool
    deprecates this verb, too.

    \b
    Examples:
      aeron-cluster archive max-entries data/archive
    """  # noqa: D301 - \b is click's mark
    found = _capacity(directory, None if count is None else count * _ENTRY_LENGTH) // _ENTRY_LENGTH
    click.echo("note: max-entries is deprecated please use capacity.", err=True)
    if is_json:
        print_json(max_entries=found)
    else:
        click.echo(found)


@click.command()
@archive_command
@json_option
def pid(directory: str, is_json: bool) -> None:
    """Print the process id of the archive, from its mark file.

    \b
    Examples:
      kill $(aeron-cluster archive pid data/archive)
    """  # noqa: D301 - \b is click's mark
    mark = ArchiveDirectory(directory).mark()
    if is_json:
        print_json(pid=mark.header.pid, presence=mark.presence)
    else:
        click.echo(mark.header.pid)


@click.command()
@archive_command
@json_option
def errors(directory: str, is_json: bool) -> None:
    """Show the errors of the archive and its driver.

    Each distinct error is shown once, with its count and times. The driver's errors are shown only
    while its directory exists.

    \b
    Examples:
      aeron-cluster archive errors data/archive
      aeron-cluster archive errors data/archive --json | jq '.logs[].errors | length'
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    mark = place.mark()
    logs = [("archive", mark.path, mark.errors), _driver_log(place, mark.header.aeron_directory)]
    if is_json:
        print_json(logs=[{"of": of, "path": path, "errors": seen} for of, path, seen in logs])
    else:
        print_error_logs(logs)


def _driver_log(
    place: ArchiveDirectory, aeron_dir: str
) -> tuple[str, str, tuple[ErrorLogEntry, ...]]:
    try:
        with CncFile.open(place.seams.files, f"{aeron_dir}/{CNC_FILE_NAME}") as cnc:
            return "driver", aeron_dir, tuple(cnc.error_log().entries())
    except FileNotFoundError:
        return "driver: not there", aeron_dir, ()
    except AeronClusterError as error:
        return f"driver: {error}", aeron_dir, ()
