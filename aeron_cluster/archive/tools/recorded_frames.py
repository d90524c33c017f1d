"""The frames of a recording, read from its segments; the archive may be running.

Upstream: ``dump`` of ArchiveTool.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aeron_cluster.archive.storage.segment_frames import walk_frames
from aeron_cluster.archive.storage.segments import start_term_base
from aeron_cluster.codecs.frame_layout import FRAME_HEADER_LENGTH, MAX_POSITION, NULL_VALUE
from aeron_cluster.logbuffer.frame import Frame, decode_frame

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory, Segment

__all__ = ["recorded_frames"]


def recorded_frames(
    directory: ArchiveDirectory, recording: Recording, segments: list[Segment]
) -> Iterator[tuple[int, Frame]]:
    """Yield each frame of a recording and the position at which it begins.

    It ends at the stop position, at the first place without a frame, or at a missing segment.

    Parameters
    ----------
    directory : ArchiveDirectory
    recording : Recording
    segments : list of Segment
        The segments of the recording, ascending.
    """
    descriptor = recording.descriptor
    start = descriptor.start_position
    stop = MAX_POSITION if descriptor.stop_position == NULL_VALUE else descriptor.stop_position
    first_base = start_term_base(start, descriptor.term_buffer_length)
    position = start
    for segment in segments:
        if segment.base < first_base:
            continue
        begin = start - first_base if segment.base == first_base else 0
        if segment.base + begin != position:
            return
        with directory.seams.files.open(f"{directory.path}/{segment.name}") as file:
            limit = min(descriptor.segment_file_length, file.length, stop - segment.base)
            for offset, view in walk_frames(file, begin, limit):
                if len(view) < FRAME_HEADER_LENGTH:
                    return
                yield segment.base + offset, decode_frame(view, offset)
                position = segment.base + offset + len(view)
