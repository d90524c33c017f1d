"""The directories and recordings that options specify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.files.members import find_member

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["archive_dir_of", "log_recording_id"]


def archive_dir_of(files: Files, options: SourceOptions) -> str:
    """Return the directory of the archive."""
    return find_member(files, options.members[0]).archive_dir


def log_recording_id(options: SourceOptions) -> int | None:
    """Return the recording of the log; None if it is not given."""
    ids = options.recording_ids
    if ids is None:
        return None
    if len(options.members) > 1:
        raise ConfigurationError("recording", "log, of several members", f"log:{ids[0]}")
    return ids[0]
