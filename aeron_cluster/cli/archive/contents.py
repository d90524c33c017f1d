"""The verbs that read what an archive recorded: ``dump`` and ``verify``."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING

import click

from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory
from aeron_cluster.archive.tools.recorded_frames import recorded_frames
from aeron_cluster.archive.tools.verification import apply_verdicts
from aeron_cluster.archive.tools.verification import verify as find_verdicts
from aeron_cluster.cli.archive.options import archive_command, described, recording_argument
from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.options.frames import frame_lines, frame_object, payload_option
from aeron_cluster.cli.options.member import as_json, json_option, print_json
from aeron_cluster.cli.options.progress import shown_progress

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.archive.tools.verification import Verdict

__all__ = ["dump", "verify"]


# ---- dump ----


@click.command()
@archive_command
@click.argument("limit", metavar="[COUNT]", type=click.IntRange(1), required=False)
@click.option("--recording", "recording_id", type=click.IntRange(0), help="Only this recording.")
@payload_option
@click.option("--json", "is_json", is_flag=True, help="Print JSON: an object a line, for a frame.")
def dump(
    directory: str,
    limit: int | None,
    recording_id: int | None,
    payload_limit: int | None,
    is_json: bool,
) -> None:
    """Show the frames of all recordings, or the first COUNT of each.

    Works while the archive runs; frames that are recorded meanwhile may be shown too.

    \b
    Examples:
      aeron-cluster archive dump data/archive 10
      aeron-cluster archive dump data/archive --recording 3 --bytes 64
      aeron-cluster archive dump data/archive --json | jq -r 'select(.kind == "DATA") | .payload'
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    segments = place.segments()
    for recording in place.recordings(recording_id):
        frames = recorded_frames(
            place, recording, segments.get(recording.descriptor.recording_id, [])
        )
        if not is_json:
            click.echo(_title(recording))
        for position, frame in islice(frames, limit):
            if is_json:
                own = recording.descriptor.recording_id
                shown = {"recording_id": own, "position": position}
                click.echo(json.dumps(shown | frame_object(frame, payload_limit)))
            else:
                click.echo(frame_lines(f"position {position}", frame, payload_limit), nl=False)
        if not is_json and next(frames, None) is not None:
            click.echo(f"... more frames than {limit}\n")


def _title(recording: Recording) -> str:
    each = recording.descriptor
    end = "active" if each.stop_position < 0 else f"to {each.stop_position}"
    return (
        f"recording {each.recording_id}, {recording.state.name.lower()}: {each.stripped_channel}"
        f" stream {each.stream_id}, from {each.start_position} {end}"
    )


# ---- verify ----


@click.command()
@archive_command
@recording_argument(required=False)
@click.option(
    "-a", "--all", "all_segments", is_flag=True, help="Verify all segments, not only the last one."
)
@click.option(
    "--checksum",
    metavar="NAME",
    help="Verify checksums, too: CRC-32, CRC-32C, Java's class of either, or 'recorded' for what"
    " the catalog of an archive of ours names.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing.")
@click.option("--yes", is_flag=True, help="Cut off last frames that may be torn without asking.")
@json_option
def verify(
    directory: str,
    recording_id: int | None,
    all_segments: bool,
    checksum: str | None,
    dry_run: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Verify recordings: descriptors, presence of segments, and frames.

    As upstream's tool does, it marks faulty recordings invalid and intact ones valid, and sets the
    stop position of each intact one to the end of its frames. A last frame that straddles a page
    boundary without data after it may be torn: it is cut off if you confirm (asked on a terminal),
    and retained otherwise. While the archive runs, or with --dry-run, nothing is changed.

    Exits with 4 if a recording is faulty.

    \b
    Examples:
      aeron-cluster archive verify data/archive --all --dry-run
      aeron-cluster archive verify data/archive 3 --all --checksum CRC-32C
      aeron-cluster archive verify data/archive --json | jq '.recordings[] | select(.problem)'
    """  # noqa: D301 - \b is click's mark
    place = ArchiveDirectory(directory)
    is_read_only = dry_run or place.is_used
    with shown_progress() as progress:
        verdicts = list(
            find_verdicts(
                place, recording_id, all_segments=all_segments, checksum=checksum, progress=progress
            )
        )
    is_cut = not is_read_only and any(each.torn is not None for each in verdicts)
    if is_cut and not yes:
        is_cut = _confirms_truncation(verdicts)
    if not is_read_only:
        apply_verdicts(place, verdicts, cut_torn=is_cut)
    if is_json:
        print_json(
            is_changed=not is_read_only,
            recordings=[_verdict_object(each, is_cut=is_cut) for each in verdicts],
        )
    else:
        for each in verdicts:
            click.echo(_verdict_text(each, is_cut=is_cut, is_done=not is_read_only))
        if is_read_only:
            why = "dry run" if dry_run else "an archive uses the directory"
            click.echo(f"nothing was changed: {why}", err=True)
    if any(each.problem for each in verdicts):
        raise SystemExit(ExitCode.DAMAGED)


def _confirms_truncation(verdicts: list[Verdict]) -> bool:
    torn = [each.torn for each in verdicts if each.torn is not None]
    for each in torn:
        click.echo(
            f"{each.path}: the last frame, at {each.begin}, straddles a page boundary without data"
            " after it: it may be torn",
            err=True,
        )
    return sys.stdin.isatty() and click.confirm("Cut off what may be torn?", err=True)


def _verdict_text(verdict: Verdict, *, is_cut: bool, is_done: bool) -> str:
    head = f"(recordingId={verdict.recording_id}) "
    if verdict.is_skipped:
        return f"{head}skipping: {verdict.recording.state.name}"
    notes = []
    if verdict.new_state is not None:
        notes.append(f"{'marked' if is_done else 'to be marked'} {verdict.new_state.name}")
    stop = verdict.new_stop_position(is_cut=is_cut)
    if stop is not None:
        before = verdict.recording.descriptor.stop_position
        notes.append(f"stop position {before} {'was' if is_done else 'is'} not its end, {stop}")
    if verdict.torn is not None:
        notes.append(f"last frame {'cut off' if is_cut else 'may be torn'}")
    return (
        head
        + (f"ERR: {verdict.problem}" if verdict.problem else "OK")
        + "".join(map("; {}".format, notes))
    )


def _verdict_object(verdict: Verdict, *, is_cut: bool) -> dict[str, object]:
    return {
        "recording_id": verdict.recording_id,
        "is_ok": verdict.is_ok,
        "is_skipped": verdict.is_skipped,
        "problem": verdict.problem,
        "new_state": as_json(verdict.new_state),
        "new_stop_position": verdict.new_stop_position(is_cut=is_cut),
        "torn": as_json(verdict.torn),
        "recording": described(verdict.recording),
    }
