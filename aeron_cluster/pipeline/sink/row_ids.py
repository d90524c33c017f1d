"""The identity of rows: the key by which the service recognises a row that is sent again.

The key is a client id and a request number. All writers of the same partition use the same client
id; the number is the row's index in the partition.
"""

from __future__ import annotations

import hashlib
from typing import Final

__all__ = ["client_id_of"]

_MAX_CLIENT_ID: Final = 2**63 - 1


def client_id_of(write_id: str, batch_id: int, partition: int) -> int:
    """Return the client id of a partition, from 1 to 2^63 - 1.

    Parameters
    ----------
    write_id : str
        The id of the write, or of the stream.
    batch_id : int
        The id of the stream's batch; -1 without one.
    partition : int
    """
    name = f"{write_id}\n{batch_id}\n{partition}".encode()
    digest = hashlib.blake2b(name, digest_size=8).digest()
    return int.from_bytes(digest, "little") % _MAX_CLIENT_ID + 1
