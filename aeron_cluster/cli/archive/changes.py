"""The verbs that change a stopped archive."""

from __future__ import annotations

from typing import Final

import click

from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.tools import maintenance
from aeron_cluster.archive.tools import migration as migrations
from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory
from aeron_cluster.archive.tools.maintenance import Removal
from aeron_cluster.cli.archive.options import (
    archive_command,
    bytes_text,
    described,
    recording_argument,
)
from aeron_cluster.cli.options.member import (
    confirm_change,
    confirmation_options,
    json_option,
    print_json,
)
from aeron_cluster.cli.options.progress import shown_progress
from aeron_cluster.codecs.archive import RecordingState

__all__ = [
    "checksum",
    "compact",
    "delete_orphaned_segments",
    "mark_invalid",
    "mark_valid",
    "migrate",
]


_GONE: Final = "Removed files cannot be restored."
_COPY: Final = "Is there a copy of the directory?"


def _allowed(place: ArchiveDirectory, yes: bool, dry_run: bool, what: str) -> bool:
    """Return whether to apply the shown changes; raise without asking if an archive is running."""
    if not dry_run:
        place.require_stopped()
    return confirm_change(yes, dry_run, what)


def _removal_objects(removals: list[Removal] | tuple[Removal, ...]) -> list[dict[str, object]]:
    return [
        {
            "recording_id": each.segment.recording_id,
            "position": each.segment.base,
            "name": each.segment.name,
            "allocated_space": each.length,
        }
        for each in removals
    ]


def _show_removals(removals: list[Removal] | tuple[Removal, ...]) -> None:
    for each in removals:
        click.echo(f"remove {each.segment.name}, {bytes_text(each.length)}")


# ---- states ----


def _mark(directory: str, recording_id: int, state: RecordingState, *, is_json: bool) -> None:
    is_changed = maintenance.change_state(ArchiveDirectory(directory), recording_id, state)
    if is_json:
        print_json(recording_id=recording_id, state=state, is_changed=is_changed)
    elif is_changed:
        click.echo(f"(recordingId={recording_id}) changed state to {state.name}")
    else:
        click.echo(f"(recordingId={recording_id}) is {state.name} already")


@click.command("mark-valid")
@archive_command
@recording_argument(required=True)
@json_option
def mark_valid(directory: str, recording_id: int, is_json: bool) -> None:
    """Mark an invalid recording as valid again; the archive must be stopped.

    \b
    Examples:
      aeron-cluster archive mark-valid data/archive 3
    """  # noqa: D301 - \b is click's mark
    _mark(directory, recording_id, RecordingState.VALID, is_json=is_json)


@click.command("mark-invalid")
@archive_command
@recording_argument(required=True)
@json_option
def mark_invalid(directory: str, recording_id: int, is_json: bool) -> None:
    """Mark a recording invalid, so that the archive ignores it. The archive must be stopped.

    mark-valid restores it; compact deletes it permanently.

    \b
    Examples:
      aeron-cluster archive mark-invalid data/archive 3
    """  # noqa: D301 - \b is click's mark
    _mark(directory, recording_id, RecordingState.INVALID, is_json=is_json)


# ---- removal ----


@click.command()
@archive_command
@confirmation_options
@json_option
def compact(directory: str, yes: bool, dry_run: bool, is_json: bool) -> None:
    """Remove all recordings that are not valid, and their segments; the archive must be stopped.

    Shows what it will remove and asks for confirmation; without a terminal --yes is required.

    \b
    Examples:
      aeron-cluster archive compact data/archive --dry-run
      aeron-cluster archive compact data/archive --yes
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    plan = maintenance.plan_compaction(place)
    if not is_json:
        for each in plan.recordings:
            recording_id = each.descriptor.recording_id
            click.echo(f"remove recording {recording_id}, {each.state.name.lower()}")
        _show_removals(plan.segments)
        before, after = bytes_text(plan.catalog_length), bytes_text(plan.compact_length)
        click.echo(f"rewrite the catalog: from {before} to {after}")
    is_done = _allowed(place, yes, dry_run, _GONE)
    if is_done:
        with shown_progress() as progress:
            maintenance.compact(place, plan, progress)
    if is_json:
        print_json(
            is_done=is_done,
            recordings=[described(each) for each in plan.recordings],
            segments=_removal_objects(plan.segments),
            catalog_length=plan.catalog_length,
            compact_length=plan.compact_length,
        )
    elif is_done:
        click.echo(
            f"Compaction result: deleted {len(plan.recordings)} records and reclaimed"
            f" {plan.reclaimed_length} bytes"
        )


@click.command("delete-orphaned-segments")
@archive_command
@recording_argument(required=False)
@confirmation_options
@json_option
def delete_orphaned_segments(
    directory: str, recording_id: int | None, yes: bool, dry_run: bool, is_json: bool
) -> None:
    """Remove segments outside of their recordings, such as detached ones.

    The archive must not run. Shows what it will remove and asks for confirmation; without a
    terminal --yes is required.

    \b
    Examples:
      aeron-cluster archive delete-orphaned-segments data/archive --dry-run
      aeron-cluster archive delete-orphaned-segments data/archive 3 --yes
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    removals = maintenance.plan_orphans(place, recording_id)
    if not is_json:
        _show_removals(removals)
        click.echo(f"{len(removals)} orphaned segments")
    is_done = bool(removals) and _allowed(place, yes, dry_run, _GONE)
    if is_done:
        with shown_progress() as progress:
            maintenance.remove_orphans(place, removals, progress)
    if is_json:
        print_json(is_done=is_done, segments=_removal_objects(removals))


@click.command()
@archive_command
@click.argument("name", metavar="CHECKSUM")
@recording_argument(required=False)
@click.option(
    "-a", "--all", "all_segments", is_flag=True, help="All segments, not only the last one."
)
@confirmation_options
@json_option
def checksum(
    directory: str,
    name: str,
    recording_id: int | None,
    all_segments: bool,
    yes: bool,
    dry_run: bool,
    is_json: bool,
) -> None:
    """Write checksums to the frames of recordings, in place of their session ids.

    CHECKSUM is CRC-32, CRC-32C, or Java's class of either. The session ids of these frames are
    lost, and existing damage gets a matching checksum: verify first. The archive must be stopped.
    Asks for confirmation; without a terminal --yes is required.

    \b
    Examples:
      aeron-cluster archive checksum data/archive CRC-32C --all --dry-run
      aeron-cluster archive checksum data/archive io.aeron.archive.checksum.Crc32c 3 --yes
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    algorithm = Checksum(name)
    plan = maintenance.plan_checksums(place, recording_id, all_segments=all_segments)
    if not is_json:
        for each, segments in plan.recordings:
            names = ", ".join(one.name for one in segments) or "no segment"
            click.echo(f"write checksums of recording {each.descriptor.recording_id}: {names}")
    is_done = _allowed(place, yes, dry_run, "The session ids of these frames are overwritten.")
    if is_done:
        with shown_progress() as progress:
            maintenance.write_checksums(place, plan, algorithm, progress)
    if is_json:
        print_json(
            is_done=is_done,
            checksum=algorithm.name,
            recordings=[
                {
                    "recording_id": each.descriptor.recording_id,
                    "segments": [one.name for one in segments],
                }
                for each, segments in plan.recordings
            ],
        )


@click.command()
@archive_command
@confirmation_options
@json_option
def migrate(directory: str, yes: bool, dry_run: bool, is_json: bool) -> None:
    """Migrate an archive of an early version (0 to 2) to the current one; it must be stopped.

    Make a copy of the directory first. Shows its steps and asks for confirmation; without a
    terminal --yes is required.

    \b
    Examples:
      aeron-cluster archive migrate data/archive --dry-run
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    plan = migrations.plan_migration(place)
    text = migrations.version_text
    if not is_json:
        click.echo(
            f"mark file {text(plan.mark_version)}, catalog {text(plan.catalog_version)}, latest"
            f" {text(migrations.LATEST)}"
        )
        for version in plan.steps:
            click.echo(f"migrate {plan.recording_count} recordings to {text(version)}")
        for source, target in plan.renames:
            click.echo(f"rename {source} to {target}")
        if not plan.steps:
            click.echo("nothing to migrate")
    is_done = bool(plan.steps) and _allowed(place, yes, dry_run, _COPY)
    if is_done:
        migrations.migrate(place)
    if is_json:
        print_json(
            is_done=is_done,
            mark_version=text(plan.mark_version),
            catalog_version=text(plan.catalog_version),
            steps=[text(each) for each in plan.steps],
            renames=[{"from": source, "to": target} for source, target in plan.renames],
        )
