"""Streams on which a local archive replies to a cluster's components."""

from __future__ import annotations

from typing import Final

__all__ = ["stream_id_of_cluster"]

_STREAM_IDS_OF_A_CLUSTER: Final = 100


def stream_id_of_cluster(cluster_id: int, first: int) -> int:
    """Return the stream that is unique to a cluster among those of a driver.

    Parameters
    ----------
    cluster_id : int
    first : int
        The stream id of cluster 0.

    Returns
    -------
    int
        A signed 32-bit number that wraps for the highest cluster ids, as Java's does.
    """
    return (_STREAM_IDS_OF_A_CLUSTER * cluster_id + first + 2**31) % 2**32 - 2**31
