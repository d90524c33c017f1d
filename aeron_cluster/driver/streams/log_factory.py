"""Create and delete the files of log buffers.

``io.aeron.driver.buffer.FileStoreLogFactory``.
"""

from __future__ import annotations

import contextlib
import errno
import logging
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.errors import AgentTerminationError, InsufficientSpaceError
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.streams.log_pages import PageAllocator
    from aeron_cluster.driver.streams.log_settings import LogSettings
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.memory.system.seams import Files

__all__ = ["DriverLog", "LogFactory"]

_log = logging.getLogger(__name__)
# A log up to this length is fully allocated when it is created; a longer one is a sparse file.
_ALLOCATED_LENGTH: Final = 1 << 20


class DriverLog(NamedTuple):
    """A log with its file."""

    raw: RawLog
    file: MappedFile
    path: str
    length: int


class LogFactory:
    """Creates logs below the driver's directory.

    Parameters
    ----------
    files : Files
    directory : str
        The driver's directory.
    context : DriverContext
    system_counters : SystemCounters
        The system counters, for mapped bytes.
    allocator : PageAllocator
        Allocates the pages of sparse logs.
    on_warning : Callable
        Called with warnings for the driver's error log.
    """

    PUBLICATIONS: Final = "publications"
    IMAGES: Final = "images"

    def __init__(
        self,
        files: Files,
        directory: str,
        context: DriverContext,
        system_counters: SystemCounters,
        allocator: PageAllocator,
        on_warning: Callable[[Exception], None],
    ) -> None:
        self._files = files
        self._directory = directory
        self._context = context
        self._system_counters = system_counters
        self._allocator = allocator
        self._on_warning = on_warning
        self._released: deque[DriverLog] = deque()
        self._stuck: list[DriverLog] = []
        self._has_warned_low_space = False

    def new_publication(self, settings: LogSettings) -> DriverLog:
        """Create the log of a publication; see `_new`."""
        # Publishers may not write yet, but subscribers read the first frame's length.
        return self._new(self.PUBLICATIONS, settings, 0)

    def new_image(self, settings: LogSettings) -> DriverLog:
        """Create the log of an image, with the pages of its first window; see `_new`."""
        return self._new(self.IMAGES, settings, settings.receiver_window_length)

    def _new(self, folder: str, settings: LogSettings, open_length: int) -> DriverLog:
        """Create a log file, named by its correlation id, with pages for `open_length` bytes.

        Raises
        ------
        InsufficientSpaceError
            There is not enough space; the error names the directory.
        AgentTerminationError
            The directory was removed. Clients no longer find this driver, so it ends.
        """
        try:
            return self._make(folder, settings, open_length)
        except FileNotFoundError as error:
            raise AgentTerminationError(
                f"{self._directory}: expected the driver's directory, found none: it was removed"
            ) from error

    def _make(self, folder: str, settings: LogSettings, open_length: int) -> DriverLog:
        length = RawLog.file_length(settings.term_length, settings.page_size)
        self._check_space(length)
        path = f"{self._directory}/{folder}/{settings.correlation_id}.logbuffer"
        is_sparse = (
            settings.sparse
            and length > _ALLOCATED_LENGTH
            and settings.page_size <= settings.term_length
        )
        file = MappedFile.create(self._files, path, length, allocate=not is_sparse)
        with contextlib.ExitStack() as stack:
            stack.callback(self._files.remove, path)
            stack.callback(file.close)
            if not settings.sparse:
                file.touch()
            elif is_sparse:
                with self._files.open(path, write=True) as opened:
                    opened.allocate(length - settings.page_size, settings.page_size)
            raw = RawLog(file, path, settings, self._allocator if is_sparse else None)
            stack.callback(raw.close)
            raw.allocate_pages_until(raw.start_position + open_length)
            stack.pop_all()
        self._system_counters.add(SystemCounter.SYSTEM_BYTES_CURRENTLY_MAPPED, length)
        return DriverLog(raw, file, path, length)

    def _check_space(self, length: int) -> None:
        if not self._context.perform_storage_checks:
            return
        usable = self._files.usable_space(self._directory)
        if usable < length:
            raise InsufficientSpaceError(
                errno.ENOSPC,
                f"no room for a log of {length} bytes: {usable} bytes are usable",
                self._directory,
            )
        is_low = usable <= self._context.low_file_store_warning_threshold
        if is_low and not self._has_warned_low_space:
            threshold = self._context.low_file_store_warning_threshold
            self._on_warning(
                InsufficientSpaceError(
                    errno.ENOSPC,
                    f"WARN - space is running low: threshold={threshold} usable={usable}",
                    self._directory,
                )
            )
        self._has_warned_low_space = is_low

    def free(self, log: DriverLog) -> None:
        """Release a log; its file is deleted by one of the next calls of `delete_released`."""
        self._released.append(log)

    @property
    def has_released(self) -> bool:
        """Whether there is work for `delete_released`."""
        return bool(self._released)

    @property
    def has_stuck(self) -> bool:
        """Whether there is work for `retry_stuck`."""
        return bool(self._stuck)

    def delete_released(self, limit: int) -> int:
        """Delete up to `limit` released logs; return the number of deleted ones."""
        freed = 0
        for _ in range(min(limit, len(self._released))):
            log = self._released.popleft()
            log.raw.close()
            try:
                log.file.close()
                if self._files.exists(log.path):
                    self._files.remove(log.path)
            except (BufferError, OSError) as error:
                self._system_counters.add(SystemCounter.SYSTEM_FREE_FAILS)
                _log.warning("%s: could not be deleted: %s", log.path, error)
                self._stuck.append(log)
                continue
            self._system_counters.add(SystemCounter.SYSTEM_BYTES_CURRENTLY_MAPPED, -log.length)
            freed += 1
        return freed

    def retry_stuck(self) -> None:
        """Make `delete_released` retry the logs that it could not delete."""
        self._released.extend(self._stuck)
        self._stuck.clear()
