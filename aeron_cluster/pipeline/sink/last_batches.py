"""Clients of streams' last batches, which the service may forget once the next ones are written.

A task of the next batch has the client forgotten that wrote the same partition. Where it had no
rows, or there is no such partition any more, it is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.pipeline.sink.reports import PartReport

__all__ = ["LastBatches"]


class LastBatches:
    """Remembers the writer of the last batch of each stream, as far as this process knows."""

    def __init__(self) -> None:
        # By stream, the batch and its clients by partition.
        self._last: dict[str, tuple[int, dict[int, int]]] = {}

    def follow(self, batch_id: int, parts: Sequence[PartReport]) -> list[int]:
        """Record a written batch; return the clients of an earlier one to forget.

        Parameters
        ----------
        batch_id : int
        parts : sequence of PartReport
            All of the batch.
        """
        if not parts:
            return []
        write_id = parts[0].write_id
        clients = {part.partition: part.client_id for part in parts if part.client_id}
        last_id, last = self._last.get(write_id, (batch_id, {}))
        self._last[write_id] = batch_id, clients
        if last_id >= batch_id:  # it is written again, and earlier ones are forgotten
            return []
        forgotten = clients.keys() if last_id == batch_id - 1 else ()
        return [client_id for partition, client_id in last.items() if partition not in forgotten]
