"""The counters of a running node: recorded positions and the commit position.

No counterpart in Aeron. Counters are in the shared memory of the node's driver, whose directory is
in the node's mark files. They are usable only if reader and node are on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from aeron_cluster.archive.control.mark_file import ARCHIVE_MARK_FILE, HEADER_LENGTH, LINK_FILE
from aeron_cluster.archive.protocol.recording_pos import find_counter_by_recording
from aeron_cluster.cluster.state.mark_file import find_mark_file
from aeron_cluster.cluster.state.module_counters import COMMIT_POSITION_TYPE
from aeron_cluster.cluster.tools.cluster_directory import read_component
from aeron_cluster.cluster.tools.node_counters import has_cluster_id, open_driver
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.errors import AeronClusterError, MessageError
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.files.urls import is_url

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counters import CountersReader
    from aeron_cluster.memory.system.seams import Files

__all__ = ["ArchiveCounters", "commit_counter", "find_archive"]


def find_archive(seams: Seams, archive_dir: str) -> tuple[str, int] | None:
    """Return the driver's directory and the id of the archive running in a directory, or None."""
    files = seams.files
    directory = archive_dir
    link = f"{directory}/{LINK_FILE}"
    if files.exists(link):
        with files.open(link) as file:
            directory = file.read_at(HEADER_LENGTH, 0).decode("ascii", "replace").strip()
    path = f"{directory}/{ARCHIVE_MARK_FILE}"
    if not files.exists(path):
        return None
    with files.open(path) as file:
        head = file.read_at(HEADER_LENGTH, 0)
    try:
        header = MarkFileHeader.decode(head)
    except MessageError:
        return None  # the mark file has no driver directory
    age_ms = seams.clock.epoch_ms() - header.activity_timestamp
    if header.version <= 0 or header.activity_timestamp <= 0 or age_ms > SILENT_AFTER_MS:
        return None
    return header.aeron_directory, header.archive_id


def commit_counter(counters: CountersReader, cluster_id: int) -> int | None:
    """Return the id of the commit position's counter; None without one."""
    for each in counters.counters(COMMIT_POSITION_TYPE):
        if has_cluster_id(each, cluster_id):
            return each.counter_id
    return None


class ArchiveCounters(Closeable):
    """The counters of a running archive and of its node; close it.

    Parameters
    ----------
    files : Files
    archive_dir : str
        The directory of the archive; a remote one has no counters.

    Notes
    -----
    Missing counters are not an error: readers then use the files.
    """

    def __init__(self, files: Files, archive_dir: str) -> None:
        self._seams = Seams(files=files)
        self._archive_dir = archive_dir
        self._stack = ExitStack()
        self._counters: CountersReader | None = None
        self._aeron_dir = ""
        self._archive_id = -1
        self._is_open = False

    def close(self) -> None:
        """Unmap the driver's file. Calling it again does nothing."""
        self._counters = None
        self._stack.close()

    def recorded(self, recording_id: int, session_id: int) -> int | None:
        """Return the recorded position of a recording, in bytes of the stream; None if unknown.

        Parameters
        ----------
        recording_id : int
        session_id : int
            The session in the catalog. It is checked because another node may have a driver in a
            directory with the same name on the reader's machine.
        """
        counters = self._open()
        if counters is None:
            return None
        return _value(
            counters,
            lambda: find_counter_by_recording(counters, recording_id, self._archive_id, session_id),
        )

    def committed(self, cluster_dir: str) -> int | None:
        """Return the commit position that a node in a directory knows, or None.

        Parameters
        ----------
        cluster_dir : str
            The cluster directory of a node on the archive's driver.
        """
        counters = self._open()
        if counters is None or is_url(cluster_dir):
            return None
        try:
            component = read_component(self._seams, find_mark_file(self._seams.files, cluster_dir))
        except (AeronClusterError, OSError):
            return None  # incomplete, or missing
        header = component.header
        if not component.is_alive or header.aeron_directory != self._aeron_dir:
            return None
        return _value(counters, lambda: commit_counter(counters, header.cluster_id))

    def _open(self) -> CountersReader | None:
        if self._is_open or is_url(self._archive_dir):
            return self._counters
        self._is_open = True
        try:
            found = find_archive(self._seams, self._archive_dir)
            if found is None:
                return None
            self._aeron_dir, self._archive_id = found
            cnc = self._stack.enter_context(open_driver(self._seams, self._aeron_dir))
        except (AeronClusterError, OSError):
            return None  # killed, starting, or not accessible
        self._counters = cnc.counters_reader()
        self._stack.callback(self._counters.close)
        return self._counters


def _value(counters: CountersReader, find: Callable[[], int | None]) -> int | None:
    counter_id = find()
    if counter_id is None:
        return None
    counter = AtomicCounter(counters, counter_id)
    value = counter.get()
    # The counter may have been freed and its id reused before or after it was opened.
    return value if find() == counter_id and counter.is_current else None
