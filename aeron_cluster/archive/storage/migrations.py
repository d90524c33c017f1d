"""Interrupted migrations: segments that were moved to a recording that does not include them yet.

No counterpart in Aeron. Until the migration is requested again, they belong to their source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.archive.storage.segments import segment_name, start_term_base

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.memory.system.seams import Files

__all__ = ["migration_problem"]


def migration_problem(
    files: Files,
    directory: str,
    catalog: Catalog,
    descriptor: RecordingDescriptor,
    bases: Iterable[int],
) -> str:
    """Return which segment of a recording belongs to an adjacent one; empty if none does.

    Parameters
    ----------
    files : Files
    directory : str
        The archive directory.
    catalog : Catalog
    descriptor : RecordingDescriptor
        The destination.
    bases : iterable of int
        Base positions of its segments outside its start and end.
    """
    for other in (each.descriptor for each in catalog):
        is_adjacent = (
            other.start_position == descriptor.stop_position
            or other.stop_position == descriptor.start_position
        )
        if not is_adjacent or other.stream_id != descriptor.stream_id:
            continue
        begin = start_term_base(other.start_position, other.term_buffer_length)
        for base in bases:
            name = segment_name(other.recording_id, base)
            is_of_other = begin <= base < other.stop_position
            if is_of_other and not files.is_file(f"{directory}/{name}"):
                return (
                    f"it has segment {base} of recording {other.recording_id}, whose migration was"
                    " not completed; request that again"
                )
    return ""
