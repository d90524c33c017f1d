"""Runs a service up to positions of a recorded log, and keeps the state that it had there.

No counterpart in Aeron. Each run begins with the nearest snapshot before, so that they do not
depend on each other: on Spark each is a task.
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

_EXPORTED: Final = "what JSON has, or bytes that are no keys"

MakeService: TypeAlias = "Callable[[], ClusteredService | NativeService]"
Export: TypeAlias = Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class StateAt:
    """The state of a service at a position of the log.

    Parameters
    ----------
    asked : str
        The position or the time that was requested.
    position : int
        Up to where the log was to be read, in bytes.
    log_position : int
        After the last entry up to there.
    timestamp : int
        Cluster time there, in its unit.
    time_unit : str
    leadership_term_id : int
    snapshot_position : int
        Of the snapshot that the run began with; -1 where it began with the log.
    session_count : int
        How many were open.
    path : str
        A snapshot of the service, as `read_snapshot_file` and ``aeron-cluster replay
        --from-snapshot`` read it.
    length : int
        The length of the file, in bytes.
    sha256 : str
        Of the file.
    export_path : str
        What the export made of the service, as JSON; empty where none was requested.
    """

    asked: str
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
    """Runs the service up to a position; it is pickled to where tasks run."""

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
        """Raise an exception of the user's code as such, with its place."""
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
        # The snapshots that a member has noted are of its own log.
        return OfflineSource.of_recording(files, archive_dir, self.recording_id)


def _nearest(source: OfflineSource, service_id: int, position: int) -> SnapshotPlace | None:
    """Return the last snapshot up to a position that the archive has; None for the log's begin."""
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
        return (json.dumps(value, indent=1, default=plain, allow_nan=False) + "\n").encode()
    except ConfigurationError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        # Keys are not compared, and neither is a value with what is in itself.
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
    """Keep the states that a service had at positions or times of a log.

    Parameters
    ----------
    member : str, PathLike or MemberDirectories
        A node's directory, or a URL of it. Without its cluster directory every run begins with the
        log.
    make_service : callable
        Returns a new service. On Spark it is pickled to the workers: a class that they can import.
    to : str or PathLike
        The directory for what is kept, ``state-<position>.snapshot``; it is made. What is there
        under the same names is replaced.
    positions : iterable of int
        Bytes of the log: the state after all entries that end there or before.
    times : iterable of datetime, int or str
        The state before the first entry that has the time or a later one. With a time zone; or
        raw, in the cluster's unit; or ISO 8601 with an offset.
    time_slack_s : float
        The largest step back of times in the log, in seconds.
    export : callable, optional
        Gets the service at each position, and returns what is kept as JSON beside its snapshot.
    service_id, member_id : int
        As which it runs.
    recording_id : int, optional
        The log; else the one in the recording log, or the only recording of stream 100. Of another
        one than the recording log has, every run begins with the log.
    spark : SparkSession, optional
        Has a task for each position; workers find the directories under the same paths.
    progress : callable, optional
    files : Files, optional
        The file seam for reading the log in this process.

    Returns
    -------
    list of StateAt
        Positions first, as they were given, then times.

    Raises
    ------
    ConfigurationError
        Nothing is requested, or what the log does not have; or `to` is a URL.
    StateError
        The log is purged there, and no snapshot before.
    ServiceCallbackError
        The service failed, or the export.
    CorruptError
        The log or a snapshot is damaged.
    """
    directory = local("to", to)
    files = files or any_files()
    (log,) = open_logs(files, [member], recording_id)
    piece = log.piece
    asked = [(str(each), each) for each in positions]
    for position in (each for _, each in asked):
        if not piece.start_position <= position <= piece.end_position:
            expected = f"{piece.start_position} to {piece.end_position}, as recorded"
            raise ConfigurationError("position", expected, position)
    asked += [(str(each), position_of_time(files, piece, each, time_slack_s)) for each in times]
    if not asked:
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
    wanted = list(dict.fromkeys(position for _, position in asked))
    found = dict(zip(wanted, run_tasks(run, wanted, "run service", progress, spark), strict=True))
    return [replace(found[position], asked=text) for text, position in asked]
