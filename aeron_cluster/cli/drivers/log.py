"""``aeron-cluster log``: the contents of a log buffer or a segment.

Upstream: LogInspector and SegmentInspector.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Group
from rich.text import Text

from aeron_cluster.archive.storage.segment_frames import walk_frames
from aeron_cluster.cli.options.frames import frame_lines, frame_object, payload_option
from aeron_cluster.cli.options.member import reports_errors
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT, FRAME_HEADER_LENGTH
from aeron_cluster.logbuffer.frame import Frame, decode_frame
from aeron_cluster.logbuffer.log_buffers import LogBuffer
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aeron_cluster.memory.system.seams import File

__all__ = ["log"]

_SEGMENT: Final = re.compile(r"\d+-(\d+)\.rec", re.ASCII)
_TERMS: Final = 3
_BLOCK: Final = 1024 * 1024
_NO_END: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a log, or a segment."""

    index: int
    term_id: int | None
    tail_offset: int | None
    position: int
    frames: list[Frame]


@dataclass(frozen=True, slots=True)
class _Look:
    fields: dict[str, object]
    terms: list[_Term]


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@reports_errors
@watch_options
@click.option("--term", type=click.IntRange(0, _TERMS - 1), help="Only this term of a log buffer.")
@click.option(
    "--frames",
    "frame_limit",
    type=click.IntRange(0),
    metavar="COUNT",
    help="How many frames of each term or segment; by default all, and none with --watch.",
)
@click.option("--zeros", is_flag=True, help="Continue after gaps, at the next frame.")
@payload_option
def log(
    file: Path,
    interval: float | None,
    is_json: bool,
    term: int | None,
    frame_limit: int | None,
    zeros: bool,
    payload_limit: int | None,
) -> None:
    """Show the contents of FILE: the log buffer of a stream, or a segment of a recording.

    Log buffers are in a driver's directory, publications/ID.logbuffer and images/ID.logbuffer, and
    may be in use. Segments are in an archive's directory, RECORDING-POSITION.rec. Frames are shown
    up to the first gap.

    \b
    Examples:
      aeron-cluster log /dev/shm/aeron-me/publications/7.logbuffer --bytes 32
      aeron-cluster log /dev/shm/aeron-me/images/9.logbuffer --watch
      aeron-cluster log data/archive/0-0.rec --frames 10
      aeron-cluster log data/archive/0-0.rec --json | jq '.terms[].frames | length'
    """  # noqa: D301 - \b is click's mark
    limit = 0 if frame_limit is None and interval is not None else frame_limit
    match = _SEGMENT.fullmatch(file.name)

    def look() -> _Look:
        if match is not None:
            return _segment(file, int(match[1]), limit)
        return _log_buffer(file, term, limit, zeros)

    show(
        look,
        lambda seen: _object(file, seen, payload_limit),
        lambda seen: _view(file, seen, payload_limit),
        is_json=is_json,
        interval=interval,
    )


def _segment(file: Path, base: int, limit: int | None) -> _Look:
    with SystemFiles().open(str(file)) as opened:
        begin = 0 if limit == 0 else _first_frame(opened)
        walked = walk_frames(opened, begin, opened.length)
        views = (each for each in walked if len(each[1]) >= FRAME_HEADER_LENGTH)
        frames = [decode_frame(view, offset) for offset, view in islice(views, limit)]
        return _Look({"length": opened.length}, [_Term(0, None, None, base, frames)])


def _first_frame(file: File) -> int:
    """Return the offset of a segment's first frame: above 0 if the recording begins within it."""
    for begin in range(0, file.length, _BLOCK):
        data = file.read_at(min(_BLOCK, file.length - begin), begin)
        zeros = len(data) - len(data.lstrip(b"\0"))
        if zeros < len(data):
            return begin + zeros - zeros % FRAME_ALIGNMENT
    return 0


def _log_buffer(file: Path, index: int | None, limit: int | None, zeros: bool) -> _Look:
    with MappedFile.open(SystemFiles(), str(file)) as mapped, LogBuffer(mapped, str(file)) as logs:
        shift = logs.term_length
        fields: dict[str, object] = {
            "session_id": logs.session_id,
            "stream_id": logs.stream_id,
            "correlation_id": logs.correlation_id,
            "is_connected": logs.is_connected,
            "initial_term_id": logs.initial_term_id,
            "active_term_count": logs.active_term_count,
            "active_index": logs.active_term_count % _TERMS,
            "term_length": logs.term_length,
            "mtu_length": logs.mtu_length,
            "page_size": logs.page_size,
            "end_of_stream_position": (
                None if logs.end_of_stream_position == _NO_END else logs.end_of_stream_position
            ),
        }
        terms = []
        for each, tail in enumerate(logs.raw_tails):
            if index not in (None, each):
                continue
            term_id, offset = tail >> 32, tail & 0xFFFFFFFF
            count = (term_id - logs.initial_term_id) & 0xFFFFFFFF
            position = count * shift + min(offset, logs.term_length)
            view = logs.term(each)
            try:
                frames = list(islice(_frames(view, zeros), limit))
            finally:
                view.release()
            terms.append(_Term(each, term_id, offset, position, frames))
        return _Look(fields, terms)


def _frames(view: memoryview, zeros: bool) -> Iterator[Frame]:
    offset = 0
    while offset + FRAME_HEADER_LENGTH <= len(view):
        frame = decode_frame(view[offset:], offset)
        if frame.length < FRAME_HEADER_LENGTH:
            if frame.length != 0 or not zeros:
                return
            offset += FRAME_ALIGNMENT
            continue
        yield frame
        offset += -(-frame.length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT


def _object(file: Path, seen: _Look, payload_limit: int | None) -> dict[str, object]:
    return {
        "path": str(file),
        **seen.fields,
        "terms": [
            {
                "index": each.index,
                "term_id": each.term_id,
                "tail_offset": each.tail_offset,
                "position": each.position,
                "frames": [frame_object(frame, payload_limit) for frame in each.frames],
            }
            for each in seen.terms
        ],
    }


def _view(file: Path, seen: _Look, payload_limit: int | None) -> Group:
    lines = [str(file)]
    lines += [f"  {name.replace('_', ' ')}: {value}" for name, value in seen.fields.items()]
    for each in seen.terms:
        if each.term_id is None:
            lines.append(f"\nsegment from position {each.position}")
        else:
            lines.append(
                f"\nterm {each.index}: term id {each.term_id}, tail at {each.tail_offset},"
                f" position {each.position}"
            )
        base = each.position if each.term_id is None else 0
        what = "position" if each.term_id is None else "offset"
        lines += [
            frame_lines(f"{what} {base + frame.offset}", frame, payload_limit).rstrip("\n")
            for frame in each.frames
        ]
    return Group(*(Text(line) for line in lines))
