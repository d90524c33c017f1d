"""The bytes of many payloads, and their offsets.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from aeron_cluster.pipeline.payloads.arrow_arrays import pa

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from aeron_cluster.pipeline.payloads.sbe_dtypes import Bytes, Integers, Mask

__all__ = ["PayloadBytes", "as_numbers"]


@dataclass(frozen=True, slots=True)
class PayloadBytes:
    """The payloads of an Arrow array; a null payload has no bytes.

    Parameters
    ----------
    data : array of bytes
    begins, lengths : array of int
    is_there : array of bool
        Whether each payload is not null.
    """

    data: Bytes
    begins: Integers
    lengths: Integers
    is_there: Mask

    @classmethod
    def of(cls, payloads: Any) -> Self:
        """Return the payloads of a `pyarrow.BinaryArray` or `pyarrow.LargeBinaryArray`."""
        is_large = pa.types.is_large_binary(payloads.type)
        if not is_large and not pa.types.is_binary(payloads.type):
            raise TypeError(f"payloads: expected an array of binary, found {payloads.type}")
        count = len(payloads)
        _, offsets_buffer, values = payloads.buffers()
        kind = np.dtype(np.int64 if is_large else np.int32)
        if count == 0:
            nothing = np.zeros(0, np.int64)
            return cls(np.zeros(0, np.uint8), nothing, nothing, np.zeros(0, np.bool_))
        offsets = np.frombuffer(
            offsets_buffer, kind, count + 1, payloads.offset * kind.itemsize
        ).astype(np.int64)
        is_there = np.ones(count, np.bool_)
        if payloads.null_count:
            is_there = payloads.is_valid().to_numpy(zero_copy_only=False)
        has_data = values is not None and values.size
        return cls(
            np.frombuffer(values, np.uint8) if has_data else np.zeros(0, np.uint8),
            offsets[:-1],
            np.where(is_there, np.diff(offsets), 0),
            is_there,
        )

    @property
    def count(self) -> int:
        """The number of payloads."""
        return self.begins.size


def as_numbers(memory: Buffer) -> Integers:
    """Return a buffer as an array of 64-bit numbers."""
    view = memoryview(memory)
    return np.frombuffer(view, np.int64) if view.nbytes else np.zeros(0, np.int64)
