"""Segment files: their names, and which one contains a position.

Upstream: the segment file functions of Archive and AeronArchive. A segment is named for its
recording and for the position of its first byte: ``<recording id>-<base position>.rec``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "SUFFIX",
    "base_position",
    "cut_segment",
    "deletable_files",
    "recording_ids",
    "remove_unfinished",
    "segment_bases",
    "segment_name",
    "start_term_base",
]

SUFFIX = ".rec"
_SEGMENT = re.compile(r"(\d+)-\d+\.rec", re.ASCII)
_DELETABLE = re.compile(r"(0|[1-9]\d*)-(0|[1-9]\d*)\.rec(?:\.del)?", re.ASCII)
_UNFINISHED_SUFFIX = ".rec.new"  # the name of segment_files.pyx for a file created ahead


def segment_name(recording_id: int, position: int) -> str:
    """Return the name of the segment file with a base position."""
    return f"{recording_id}-{position}{SUFFIX}"


def start_term_base(start_position: int, term_length: int) -> int:
    """Return the position at which the term of a recording's start began, in bytes."""
    return start_position - start_position % term_length


def base_position(start_position: int, position: int, term_length: int, segment_length: int) -> int:
    """Return the base position of the segment that contains a position.

    Parameters
    ----------
    start_position, position : int
        Bytes of the stream; `position` is not below `start_position`.
    term_length, segment_length : int
        Bytes; a segment is one or more whole terms.
    """
    first = start_term_base(start_position, term_length)
    return first + (position - first) // segment_length * segment_length


def cut_segment(
    files: Files, path: str, length: int, segment_length: int, *, sync_level: int
) -> None:
    """Clear a segment file after its first bytes, so that its recording can continue there.

    Parameters
    ----------
    files : Files
    path : str
    length, segment_length : int
        How much of the file stays, and the length of all of it, in bytes.
    sync_level : int
        How the file is synced; 0 for not at all.
    """
    with files.open(path, write=True) as file:
        file.truncate(length)
        file.truncate(segment_length)
        if sync_level > 0:
            file.sync(sync_level)


def remove_unfinished(files: Files, directory: str) -> None:
    """Remove the empty segments that a killed archive created ahead."""
    for name in files.list(directory):
        if name.endswith(_UNFINISHED_SUFFIX):
            files.remove(f"{directory}/{name}")


def recording_ids(files: Files, directory: str) -> set[int]:
    """Return the ids of the recordings that have segment files."""
    found = (_SEGMENT.fullmatch(name) for name in files.list(directory))
    return {int(each[1]) for each in found if each is not None}


def segment_bases(files: Files, directory: str, recording_id: int) -> list[int]:
    """Return the base positions of a recording's segment files, ascending."""
    prefix = f"{recording_id}-"
    found = []
    for name in files.list(directory):
        if name.startswith(prefix) and name.endswith(SUFFIX):
            base = name[len(prefix) : -len(SUFFIX)]
            if base.isdecimal():
                found.append(int(base))
    return sorted(found)


def deletable_files(files: Files, directory: str, recording_id: int) -> list[tuple[int, str]]:
    """Return the base and the name of each file to delete with a recording's segments.

    These include files that a killed archive of another version renamed before deleting them
    (``<recording id>-<base position>.rec.del``), each after the segment of that base.
    """
    found = (_DELETABLE.fullmatch(name) for name in files.list(directory))
    return sorted(
        (int(each[2]), each[0])
        for each in found
        if each is not None and int(each[1]) == recording_id
    )
