"""Drive an extension of the consensus module, in its three kinds of work."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.cluster import SCHEMA

if TYPE_CHECKING:
    from aeron_cluster.cluster.context.extension import ConsensusModuleExtension

__all__ = ["ExtensionWork", "is_foreign", "schema_id_of"]

_TICK_NS: Final = 10_000_000
"""The interval of slow ticks, as upstream's; the next pass after one with work."""
_SCHEMA_ID: Final = struct.Struct("<4xH")


def schema_id_of(message: bytes) -> int:
    """Return the id of the schema of a message."""
    return int(_SCHEMA_ID.unpack_from(message)[0])


def is_foreign(message: bytes) -> bool:
    """Return whether a message is of another schema than the cluster's."""
    return schema_id_of(message) != SCHEMA.schema_id


class ExtensionWork:
    """The work of an extension in each duty cycle.

    Parameters
    ----------
    extension : ConsensusModuleExtension
    """

    def __init__(self, extension: ConsensusModuleExtension) -> None:
        self._extension = extension
        self._next_tick_ns = 0

    def do_work(self, now_ns: int, *, is_settled: bool) -> int:
        """Call the extension.

        Parameters
        ----------
        now_ns : int
        is_settled : bool
            Whether the member is leader or follower, and no election runs.
        """
        extension = self._extension
        work_count = extension.do_work(now_ns)
        if now_ns >= self._next_tick_ns:
            tick_work = extension.slow_tick_work(now_ns)
            self._next_tick_ns = now_ns + (1 if tick_work > 0 else _TICK_NS)
            work_count += tick_work
        if is_settled:
            work_count += extension.consensus_work(now_ns)
        return work_count
