"""The clients of streams' last batches; the service may forget them after the next batches.

A task of the next batch requests the service to forget the client that wrote the same partition.
This does not cover partitions that no longer exist or have no rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.pipeline.sink.reports import PartReport

__all__ = ["LastBatches"]


class LastBatches:
    """Stores the clients of each stream's last batch, as far as this process knows them."""

    def __init__(self) -> None:
        # For each stream, the batch and its clients by partition.
        self._last: dict[str, tuple[int, dict[int, int]]] = {}

    def follow(self, batch_id: int, parts: Sequence[PartReport]) -> list[int]:
        """Record a written batch; return the clients of an earlier batch to forget.

        Parameters
        ----------
        batch_id : int
        parts : sequence of PartReport
            All clients of the batch.
        """
        if not parts:
            return []
        write_id = parts[0].write_id
        clients = {part.partition: part.client_id for part in parts if part.client_id}
        last_id, last = self._last.get(write_id, (batch_id, {}))
        self._last[write_id] = batch_id, clients
        if last_id >= batch_id:  # a retry: clients of earlier batches are already forgotten
            return []
        forgotten = clients.keys() if last_id == batch_id - 1 else ()
        return [client_id for partition, client_id in last.items() if partition not in forgotten]
