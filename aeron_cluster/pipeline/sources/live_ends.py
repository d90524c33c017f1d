"""The current end of a recording, and the commit position of a running node.

Both are read from counters while the node is running, otherwise from files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.protocol.recording_pos import find_counter_by_recording
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.cluster.state.mark_file import find_mark_file
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import read_component
from aeron_cluster.errors import CorruptError, MissingFileError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.pipeline.sources.archive_counters import commit_counter, find_archive
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.commit import proven_position
from aeron_cluster.pipeline.sources.driver_watch import DriverWatch, Runner

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counters import CountersReader
    from aeron_cluster.memory.system.seams import Seams
    from aeron_cluster.pipeline.scan.pieces import Mode

__all__ = ["CommittedEnd", "RecordedEnd"]

_RECHECK_INTERVAL_NS: Final = 250_000_000
_NO_POSITION: Final = -1
_VERSION: Final = slice(8, 12)  # of a mark file
# By then, a killed process is known to have ended, and a starting one has a driver.
_UNSEEN_NS: Final = 30_000_000_000


class _Counter:
    """A counter that is searched again if it was freed or its driver has ended.

    Parameters
    ----------
    find : callable
        Returns the id of the counter, given the counters and the id of its owner; None if there is
        none.
    """

    def __init__(self, find: Callable[[CountersReader, int], int | None]) -> None:
        self._find = find
        self._counters: CountersReader | None = None
        self._counter: AtomicCounter | None = None
        self._key = b""

    def value(self, counters: CountersReader, owner: int) -> int | None:
        """Return the counter's value; None if there is no such counter."""
        if counters is not self._counters or self._counter is None or not self._is_same(counters):
            self._counters = counters
            self._counter = self._find_counter(counters, owner)
        if self._counter is None:
            return None
        value = self._counter.get()
        # The counter may have been freed meanwhile and its id reused.
        return value if self._is_same(counters) else None

    def _find_counter(self, counters: CountersReader, owner: int) -> AtomicCounter | None:
        counter_id = self._find(counters, owner)
        if counter_id is None:
            return None
        counter = AtomicCounter(counters, counter_id)
        self._key = counters.key(counter_id)
        # The id may have been reused between the two calls: check it again.
        return counter if self._find(counters, owner) == counter_id else None

    def _is_same(self, counters: CountersReader) -> bool:
        counter = self._counter
        if counter is None or not counter.is_current:
            return False
        return counters.key(counter.counter_id) == self._key


class RecordedEnd:
    """The recorded position of a recording; close it.

    Parameters
    ----------
    seams : Seams
    archive_dir : str
    recording_id : int
    mode : str
        ``permissive`` treats damage at the end of an active recording as a part of it.

    Attributes
    ----------
    is_live : bool
        Whether the last position is from a running archive.
    """

    def __init__(
        self, seams: Seams, archive_dir: str, recording_id: int, mode: Mode = "strict"
    ) -> None:
        self._seams = seams
        self._archive_dir = archive_dir
        self._recording_id = recording_id
        self._mode = mode
        self._watch = DriverWatch(seams, lambda: find_archive(seams, archive_dir))
        self._counter = _Counter(self._find_counter)
        self._in_files = _NO_POSITION
        self._next_check_ns: int | None = None
        self.is_live = False

    def close(self) -> None:
        """Release the counters. Calling it again does nothing."""
        self._watch.close()

    def _find_counter(self, counters: CountersReader, archive_id: int) -> int | None:
        if find_counter_by_recording(counters, self._recording_id, archive_id) is None:
            return None
        # An archive with the same id elsewhere may have a driver in a directory with the same name.
        with Catalog(self._seams.files, self._archive_dir, writable=False) as catalog:
            if self._recording_id not in catalog:
                return None
            session_id = catalog.get(self._recording_id).descriptor.session_id
        return find_counter_by_recording(counters, self._recording_id, archive_id, session_id)

    def position(self) -> int:
        """Return the position, in bytes of the stream.

        Raises
        ------
        MissingFileError, ConfigurationError, CorruptError, SegmentError
            There is no such recording, or its end is damaged.
        """
        found = self._watch.counters()
        if found is not None:
            position = self._counter.value(*found)
            if position is not None:
                self.is_live = True
                return position
        if self.is_live:  # the archive has just ended
            self.is_live, self._next_check_ns = False, None
        now_ns = self._seams.clock.nano_time()
        if self._next_check_ns is None or now_ns >= self._next_check_ns:
            self._next_check_ns = now_ns + _RECHECK_INTERVAL_NS
            (piece,) = read_pieces(
                self._seams.files, self._archive_dir, [self._recording_id], self._mode
            )
            self._in_files = piece.end_position
        return self._in_files


class CommittedEnd:
    """The commit position of a member; close it.

    Parameters
    ----------
    seams : Seams
    cluster_dir : str

    Attributes
    ----------
    is_live : bool
        Whether the last position is from a running node.
    """

    def __init__(self, seams: Seams, cluster_dir: str) -> None:
        self._seams = seams
        self._cluster_dir = cluster_dir
        self._watch = DriverWatch(seams, self._find_module)
        self._counter = _Counter(commit_counter)
        self._is_running = False
        self._aeron_dir = ""
        self._unseen_since_ns: int | None = None
        self._unfinished_since_ns: int | None = None
        self.is_live = False

    def close(self) -> None:
        """Release the counters. Calling it again does nothing."""
        self._watch.close()

    def position(self, recorded: int) -> int:
        """Return the position, in bytes of the log; -1 if unknown.

        Parameters
        ----------
        recorded : int
            The recorded position of the log, which limits the result.

        Raises
        ------
        CorruptError, VersionError
            The recording log or the mark file is damaged.
        MissingFileError
            The node is running, but its driver has not been accessible for half a minute.
        """
        found = self._watch.counters()
        self._find_driver()
        self.is_live = found is not None
        if found is not None:
            position = self._counter.value(*found)
            return _NO_POSITION if position is None else min(position, recorded)
        if self._is_running:
            return _NO_POSITION  # the node is starting: the position will be known soon
        with RecordingLog(self._seams.files, self._cluster_dir, writable=False) as log:
            return min(proven_position(log.entries, recorded), recorded)

    def _find_driver(self) -> None:
        """Raise if a running node's driver stays inaccessible, as no position would arrive."""
        if not self._watch.is_missing:
            self._unseen_since_ns = None
            return
        now_ns = self._seams.clock.nano_time()
        if self._unseen_since_ns is None:
            self._unseen_since_ns = now_ns
        elif now_ns - self._unseen_since_ns > _UNSEEN_NS:
            raise MissingFileError(
                f"{self._aeron_dir}/{CNC_FILE_NAME}",
                f"the driver of the running node in {self._cluster_dir}",
                "it has the commit position: make it accessible, or give assume_committed",
            )

    def _find_module(self) -> Runner | None:
        files = self._seams.files
        path = find_mark_file(files, self._cluster_dir)
        self._is_running = False
        if not files.exists(path):
            return None
        try:
            component = read_component(self._seams, path)
        except CorruptError:
            if not self._is_being_created(path):
                raise
            self._is_running = True
            return None
        self._unfinished_since_ns = None
        self._is_running = component.is_alive
        if not component.is_alive:
            return None
        self._aeron_dir = component.header.aeron_directory
        return self._aeron_dir, component.header.cluster_id

    def _is_being_created(self, path: str) -> bool:
        """Return whether a mark file has no version yet; a starting process writes it last."""
        with self._seams.files.open(path) as file:
            if any(file.read_at(_VERSION.stop, 0)[_VERSION]):
                return False
        now_ns = self._seams.clock.nano_time()
        if self._unfinished_since_ns is None:
            self._unfinished_since_ns = now_ns
        return now_ns - self._unfinished_since_ns <= _UNSEEN_NS
