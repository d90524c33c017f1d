"""The counter that holds the position of a recording.

``io.aeron.archive.status.RecordingPos``. Its key is the recording's id, the session id, and the
source identity after its length; the archive's id follows that directly, unaligned.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.shared.counter_descriptor import MAX_KEY_LENGTH
from aeron_cluster.memory.shared.counters_layout import CounterState

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counters import CountersReader

__all__ = [
    "POSITION_COUNTER_TYPE",
    "find_counter_by_recording",
    "find_counter_by_session",
    "is_active",
    "position_key",
]

POSITION_COUNTER_TYPE: Final = 100
_KEY: Final = struct.Struct("<qii")
_ARCHIVE_ID: Final = struct.Struct("<q")


def position_key(
    recording_id: int, session_id: int, source_identity: str, archive_id: int
) -> bytes:
    """Return the key of a recording's counter; an overlong identity is truncated."""
    identity = source_identity.encode("ascii", "replace")
    identity = identity[: MAX_KEY_LENGTH - _KEY.size - _ARCHIVE_ID.size]
    return (
        _KEY.pack(recording_id, session_id, len(identity)) + identity + _ARCHIVE_ID.pack(archive_id)
    )


def _recordings_of(counters: CountersReader, archive_id: int) -> Iterator[tuple[int, int, int]]:
    """Yield counter id, recording id and session id of an archive's active recordings."""
    for counter in counters.counters(POSITION_COUNTER_TYPE):
        recording_id, session_id, length = _KEY.unpack_from(counter.key)
        end = _KEY.size + length
        if counter.key[end : end + _ARCHIVE_ID.size] == _ARCHIVE_ID.pack(archive_id):
            yield counter.counter_id, recording_id, session_id


def find_counter_by_session(
    counters: CountersReader, session_id: int, archive_id: int
) -> tuple[int, int] | None:
    """Return the position counter of the recording of a session, and the recording's id.

    Parameters
    ----------
    counters : CountersReader
        The counters of the archive's driver.
    session_id : int
        The session id of the recorded publication.
    archive_id : int

    Returns
    -------
    tuple of int, or None
        Counter id and recording id; None while the session is not recorded.
    """
    for counter_id, recording_id, found in _recordings_of(counters, archive_id):
        if found == session_id:
            return counter_id, recording_id
    return None


def find_counter_by_recording(
    counters: CountersReader, recording_id: int, archive_id: int, session_id: int | None = None
) -> int | None:
    """Return the id of a recording's position counter, or None.

    Parameters
    ----------
    counters : CountersReader
        The counters of the archive's driver.
    recording_id, archive_id : int
    session_id : int, optional
        The session id of the recorded publication; by default any.
    """
    for counter_id, found, found_session_id in _recordings_of(counters, archive_id):
        if found == recording_id and session_id in (None, found_session_id):
            return counter_id
    return None


def is_active(counters: CountersReader, counter_id: int, recording_id: int) -> bool:
    """Return whether a counter still belongs to a recording: ids are reused."""
    return (
        counters.state(counter_id) == CounterState.COUNTER_ALLOCATED
        and counters.type_id(counter_id) == POSITION_COUNTER_TYPE
        and counters.key(counter_id)[:8] == _KEY.pack(recording_id, 0, 0)[:8]
    )
