"""Runs a service up to positions of a recorded log, and saves its state at each of them.

No counterpart in Aeron. Each run begins with the nearest snapshot before its position, so the runs
are independent; on Spark each is a task.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import (
    OfflineSource,
    SnapshotPlace,
    write_snapshot_file,
)
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import AeronClusterError, ConfigurationError, ServiceCallbackError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.files.urls import local
from aeron_cluster.pipeline.jobs.log_targets import position_of_time
from aeron_cluster.pipeline.jobs.member_log import open_logs
from aeron_cluster.pipeline.jobs.running.progress import Progress, no_progress
from aeron_cluster.pipeline.jobs.running.tasks import run_tasks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.cluster.service.native_service import NativeService
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberDirectories, MemberPath
    from aeron_cluster.pipeline.scan.log_times import Time

__all__ = ["StateAt", "state_at"]

_EXPORTED: Final = "a JSON value, or bytes that are not keys"

MakeService: TypeAlias = "Callable[[], ClusteredService | NativeService]"
Export: TypeAlias = Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class StateAt:
    """The state of a service at a position of the log.

    Parameters
    ----------
    requested : str
        The position or the time that was requested.
    position : int
        The requested end of the log, in bytes.
    log_position : int
        The position after the last applied entry.
    timestamp : int
        The cluster time at that position, in its unit.
    time_unit : str
    leadership_term_id : int
    snapshot_position : int
        The log position of the run's first snapshot; -1 if it began with the log.
    session_count : int
        The number of open sessions.
    path : str
        The file with the snapshot, for `read_snapshot_file` and ``aeron-cluster replay
        --from-snapshot``.
    length : int
        The length of the file in bytes.
    sha256 : str
        The digest of the file.
    export_path : str
        The result of the export, as JSON; empty without an export.
    """

    requested: str
    position: int
    log_position: int
    timestamp: int
    time_unit: str
    leadership_term_id: int
    snapshot_position: int
    session_count: int
    path: str
    length: int
    sha256: str
    export_path: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    """Runs the service up to a position; it is pickled for tasks."""

    member: MemberDirectories
    recording_id: int
    make_service: MakeService
    export: Export | None
    service_id: int
    member_id: int
    directory: str

    def __call__(self, position: int) -> StateAt:
        files = any_files()
        source = self._source(files)
        snapshot = _nearest(source, self.service_id, position)
        begin = source.log.start_position if snapshot is None else snapshot.log_position
        with self._calling("__init__", begin):
            service = self.make_service()
        name = f"{self.directory}/state-{position:020}"
        path, export_path = f"{name}.snapshot", ""
        with self._calling("on_start", begin):
            host = OfflineHost(
                service,
                source,
                snapshot=snapshot,
                service_id=self.service_id,
                member_id=self.member_id,
                seams=Seams(files=files),
            )
        with host:
            log_position = host.run(position)
            cluster = host.cluster
            unit = cluster.time_unit
            with self._calling("on_take_snapshot", log_position, cluster.leadership_term_id):
                length = write_snapshot_file(files, f"{path}.tmp", host.take_snapshot())
            files.rename(f"{path}.tmp", path)
            if self.export is not None:
                export_path = f"{name}.json"
                with self._calling("export", log_position, cluster.leadership_term_id):
                    made = self.export(service)
                files.replace(export_path, _json(made))
            return StateAt(
                str(position),
                position,
                log_position,
                cluster.time,
                "" if unit is ClusterTimeUnit.NULL_VALUE else unit.name,
                cluster.leadership_term_id,
                -1 if snapshot is None else snapshot.log_position,
                len(host.sessions),
                path,
                length,
                sha256(files.read(path)).hexdigest(),
                export_path,
            )

    @contextlib.contextmanager
    def _calling(self, what: str, position: int, leadership_term_id: int = -1) -> Iterator[None]:
        """Convert an exception of the user's code into an error with its location."""
        try:
            yield
        except AeronClusterError:
            raise
        except Exception as error:
            raise ServiceCallbackError(
                f"service {self.service_id}",
                what,
                position,
                None,
                member_id=self.member_id,
                leadership_term_id=leadership_term_id,
            ) from error

    def _source(self, files: Files) -> OfflineSource:
        archive_dir, cluster_dir = self.member.archive_dir, self.member.cluster_dir
        if cluster_dir is not None:
            with RecordingLog(files, cluster_dir, writable=False) as recording_log:
                known = recording_log.find_last_term_recording_id()
            if known == self.recording_id:
                return OfflineSource.of_member(files, cluster_dir, archive_dir)
        # The snapshots in a member's recording log belong to its own log.
        return OfflineSource.of_recording(files, archive_dir, self.recording_id)


def _nearest(source: OfflineSource, service_id: int, position: int) -> SnapshotPlace | None:
    """Return the last snapshot in the archive up to a position; None to begin with the log."""
    found = [
        each
        for each in source.snapshots_of(service_id)
        if each.log_position <= position and each.recording_id in source.descriptors
    ]
    return found[-1] if found else None


def _json(value: object) -> bytes:
    def plain(each: object) -> object:
        if isinstance(each, (bytes, bytearray, memoryview)):
            return bytes(each).hex()
        raise ConfigurationError("export", _EXPORTED, type(each).__name__)

    try:
        # First without indentation: for a value that is too deep, CPython 3.14 fills gigabytes with
        # it before it rejects the value.
        json.dumps(value, default=plain, allow_nan=False)
        return (json.dumps(value, indent=1, default=plain, allow_nan=False) + "\n").encode()
    except ConfigurationError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        # Keys that cannot be compared, or a value that contains itself.
        raise ConfigurationError("export", _EXPORTED, str(error)) from None


def state_at(
    member: MemberPath,
    make_service: MakeService,
    to: str | os.PathLike[str],
    *,
    positions: Iterable[int] = (),
    times: Iterable[Time] = (),
    time_slack_s: float = 3600.0,
    export: Export | None = None,
    service_id: int = 0,
    member_id: int = 0,
    recording_id: int | None = None,
    spark: SparkSession | None = None,
    progress: Progress = no_progress,
    files: Files | None = None,
) -> list[StateAt]:
    """Save the states of a service at positions or times of a log.

    Parameters
    ----------
    member : str, PathLike or MemberDirectories
        A node's directory, or a URL of it. Without a cluster directory, every run begins with the
        log.
    make_service : callable
        Returns a new service. On Spark it is pickled: use a class that workers can import.
    to : str or PathLike
        The directory for the files ``state-<position>.snapshot``; it is created if missing.
        Existing files with the same names are replaced.
    positions : iterable of int
        In bytes of the log: the state after all entries that end at or before it.
    times : iterable of datetime, int or str
        The state before the first entry at or after each time: a datetime with a time zone; a raw
        number, in the cluster's unit; or ISO 8601 with an offset.
    time_slack_s : float
        The largest backward step of times in the log, in seconds.
    export : callable, optional
        Called with the service at each position; its result is saved as JSON next to the snapshot.
    service_id, member_id : int
        The ids under which the service runs.
    recording_id : int, optional
        The recording of the log; by default from the recording log, or the only one of stream 100.
        If it is not the one in the recording log, every run begins with the log.
    spark : SparkSession, optional
        Runs a task for each position; workers need the directories under the same paths.
    progress : callable, optional
    files : Files, optional
        The file seam for reading the log in this process.

    Returns
    -------
    list of StateAt
        The states at the positions in the given order, then those at the times.

    Raises
    ------
    ConfigurationError
        Nothing is requested, a position or time is not in the log, or `to` is a URL.
    StateError
        The log is purged at that position, and no earlier snapshot exists.
    ServiceCallbackError
        The service or the export failed.
    CorruptError
        The log or a snapshot is damaged.
    """
    directory = local("to", to)
    files = files or any_files()
    (log,) = open_logs(files, [member], recording_id)
    piece = log.piece
    requested = [(str(each), each) for each in positions]
    for position in (each for _, each in requested):
        if not piece.start_position <= position <= piece.end_position:
            expected = f"{piece.start_position} to {piece.end_position}, as recorded"
            raise ConfigurationError("position", expected, position)
    requested += [(str(each), position_of_time(files, piece, each, time_slack_s)) for each in times]
    if not requested:
        raise ConfigurationError("positions", "at least one, or a time", "none")
    Path(directory).mkdir(parents=True, exist_ok=True)
    run = _Run(
        log.directories,
        piece.recording_id,
        make_service,
        export,
        service_id,
        member_id,
        directory,
    )
    wanted = list(dict.fromkeys(position for _, position in requested))
    found = dict(zip(wanted, run_tasks(run, wanted, "run service", progress, spark), strict=True))
    return [replace(found[position], requested=text) for text, position in requested]
