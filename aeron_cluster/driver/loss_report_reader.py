"""Read a driver's loss report, which may be written at the same time.

``io.aeron.driver.reports.LossReportReader``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.driver.directory import LOSS_REPORT_FILE
from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["LossEntry", "read_loss_report"]

_ENTRY: Final = struct.Struct("<qqqqii")  # count, bytes, first, last, session, stream
_LENGTH: Final = struct.Struct("<i")
_ALIGNMENT: Final = 64


@dataclass(frozen=True, slots=True)
class LossEntry:
    """The losses of an image.

    Parameters
    ----------
    observation_count : int
        The number of observed losses.
    total_bytes_lost : int
    first_observation_ms, last_observation_ms : int
        The times of the first and last observation, in ms since 1970.
    session_id, stream_id : int
    channel, source : str
    """

    observation_count: int
    total_bytes_lost: int
    first_observation_ms: int
    last_observation_ms: int
    session_id: int
    stream_id: int
    channel: str
    source: str


def read_loss_report(files: Files, aeron_dir: str) -> list[LossEntry]:
    """Return the entries of a driver's loss report.

    Raises
    ------
    FileNotFoundError
        There is no report: a driver without losses may not have created it.
    CorruptError
        An entry does not fit the file.
    """
    path = f"{aeron_dir}/{LOSS_REPORT_FILE}"
    data = files.read(path)
    found = []
    offset = 0
    while offset + _ENTRY.size <= len(data):
        count, length, first, last, session_id, stream_id = _ENTRY.unpack_from(data, offset)
        if count <= 0:
            break
        end = offset + _ENTRY.size
        channel, end = _text(path, data, end, "channel")
        source, end = _text(path, data, -(-end // _LENGTH.size) * _LENGTH.size, "source")
        found.append(LossEntry(count, length, first, last, session_id, stream_id, channel, source))
        offset = -(-end // _ALIGNMENT) * _ALIGNMENT
    return found


def _text(path: str, data: bytes, offset: int, what: str) -> tuple[str, int]:
    begin = offset + _LENGTH.size
    (length,) = _LENGTH.unpack_from(data, offset) if begin <= len(data) else (-1,)
    if not 0 <= length <= len(data) - begin:
        raise CorruptError(path, offset, f"length of {what}", f"0 to {len(data) - begin}", length)
    return data[begin : begin + length].decode("ascii", "replace"), begin + length
