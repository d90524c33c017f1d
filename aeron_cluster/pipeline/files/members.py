"""Find the directories of a member: its archive, and its recording log.

No counterpart in Aeron, where each path is given separately.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from aeron_cluster.archive.storage.catalog import CATALOG_NAME
from aeron_cluster.cluster.state.recording_log import FILE_NAME
from aeron_cluster.errors import MissingFileError
from aeron_cluster.pipeline.files.urls import above, absolute

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["MemberDirectories", "MemberPath", "find_member"]


@dataclass(frozen=True, slots=True)
class MemberDirectories:
    """The directories of one member.

    Parameters
    ----------
    archive_dir : str
    cluster_dir : str, optional
        If missing, the caller names the log's recording, or it is the only recording of its stream.
    """

    archive_dir: str
    cluster_dir: str | None = None


MemberPath: TypeAlias = str | os.PathLike[str] | MemberDirectories


def find_member(files: Files, path: MemberPath) -> MemberDirectories:
    """Return the directories of a member.

    Parameters
    ----------
    files : Files
    path : str, PathLike or MemberDirectories
        A node's directory, which contains ``archive`` and ``cluster``; one of these two, next to
        the other; an archive directory alone; or a URL of one of these. If both are elsewhere, a
        `MemberDirectories`.

    Raises
    ------
    MissingFileError
        The archive is missing.
    """
    # Absolute paths: the reader may run in another working directory.
    if isinstance(path, MemberDirectories):
        cluster_dir = None if path.cluster_dir is None else absolute(path.cluster_dir)
        return MemberDirectories(absolute(path.archive_dir), cluster_dir)
    place = absolute(path)
    for node in (place, above(place)):
        archive_dir, cluster_dir = f"{node}/archive", f"{node}/cluster"
        if place in (node, archive_dir, cluster_dir) and _has(files, archive_dir, CATALOG_NAME):
            has_log = _has(files, cluster_dir, FILE_NAME)
            return MemberDirectories(archive_dir, cluster_dir if has_log else None)
    if _has(files, place, CATALOG_NAME):
        return MemberDirectories(place, place if _has(files, place, FILE_NAME) else None)
    raise MissingFileError(
        f"{place}/{CATALOG_NAME}",
        "the catalog of an archive",
        "name a node's directory, an archive directory, or both directories of a member",
    )


def _has(files: Files, directory: str, name: str) -> bool:
    return files.is_file(f"{directory}/{name}")
