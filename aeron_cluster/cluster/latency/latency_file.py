"""Reads the latencies of a node's stages; ``aeron_cluster/latency.h`` describes the file."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import CorruptError, MissingFileError, VersionError

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["FILE_NAME", "Stage", "StageLatency", "read_latencies"]

FILE_NAME: Final = "cluster-latency.dat"
"""The name of the file in the directory of the node's driver."""
_MAGIC: Final = b"LATENCY1"
_VERSION: Final = 1
_HEADER: Final = struct.Struct("<8siiii")
_HEADER_LENGTH: Final = 128
_COUNTS: Final = struct.Struct("<qqqq")
_COUNTS_LENGTH: Final = 128


class Stage(IntEnum):
    """A stage of a leader's messages; each is measured from the end of the previous stage."""

    LOG = 0
    """From ingress to the log: an upper bound, as it counts from the previous pass."""
    RECORDED = 1
    """Until the leader's archive has recorded the message."""
    COMMITTED = 2
    """Until a majority has recorded it and the leader has committed it."""
    SERVICE = 3
    """Until the last service has processed it."""
    EGRESS = 4
    """Until the driver's sender has sent the service's answer."""
    TOTAL = 5
    """From ingress to the last stage of the node."""


@dataclass(frozen=True, slots=True)
class StageLatency:
    """The durations of a stage.

    Parameters
    ----------
    count : int
        The number of durations: one for each pass that appended to the log, or for one in 16 of
        them above 5,000 a second.
    longest_ns, sum_ns : int
    dropped : int
        The number of durations that were not measured, because the queue was full.
    buckets : dict of int to int
        The counts of non-empty buckets, by index; `bits` determines their bounds.
    bits : int
        A duration of more than ``bits + 1`` bits is represented by its highest bits.
    """

    count: int
    longest_ns: int
    sum_ns: int
    dropped: int
    buckets: dict[int, int]
    bits: int


def read_latencies(files: Files, aeron_dir: str) -> dict[Stage, StageLatency]:
    """Read the latencies of the node that uses a driver; the node may be running.

    Parameters
    ----------
    files : Files
    aeron_dir : str
        The driver's directory.

    Raises
    ------
    MissingFileError
        The node does not measure latencies.
    CorruptError, VersionError
        The file is damaged, or has another version.
    """
    path = f"{aeron_dir}/{FILE_NAME}"
    try:
        file = files.open(path)
    except FileNotFoundError:
        raise MissingFileError(
            path, "a node that measures its latencies", "start it with --latency"
        ) from None
    with file:
        head = file.read_at(_HEADER.size, 0)
        if len(head) < _HEADER.size or not head.startswith(_MAGIC):
            raise CorruptError(path, 0, "magic", _MAGIC, head[: len(_MAGIC)])
        _, version, stage_count, bits, bucket_count = _HEADER.unpack(head)
        if version != _VERSION:
            raise VersionError(path, 8, "version", _VERSION, version)
        length = _COUNTS_LENGTH + 8 * bucket_count
        found = {}
        for stage in Stage:
            offset = _HEADER_LENGTH + stage * length
            data = file.read_at(length, offset)
            if stage >= stage_count or len(data) < length:
                raise CorruptError(path, offset, "histogram", f"{length} bytes", len(data))
            count, longest_ns, sum_ns, dropped = _COUNTS.unpack_from(data)
            counts = memoryview(data)[_COUNTS_LENGTH:].cast("q")
            buckets = {index: each for index, each in enumerate(counts) if each}
            found[stage] = StageLatency(count, longest_ns, sum_ns, dropped, buckets, bits)
    return found
