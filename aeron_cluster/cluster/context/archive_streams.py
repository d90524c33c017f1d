"""Streams on which a local archive replies to a cluster's components."""

from __future__ import annotations

from typing import Final

__all__ = ["stream_id_of_cluster"]

_STREAM_IDS_OF_A_CLUSTER: Final = 100


def stream_id_of_cluster(cluster_id: int, base_stream_id: int) -> int:
    """Return a stream id that no other cluster on the same driver uses.

    Parameters
    ----------
    cluster_id : int
    base_stream_id : int
        The stream id of cluster 0.

    Returns
    -------
    int
        A signed 32-bit number that wraps for the highest cluster ids, as Java's does.
    """
    return (_STREAM_IDS_OF_A_CLUSTER * cluster_id + base_stream_id + 2**31) % 2**32 - 2**31
