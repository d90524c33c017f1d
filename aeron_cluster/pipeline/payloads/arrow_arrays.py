"""Arrow arrays over NumPy arrays, without copying.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.payloads.group_walker import gather

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.sbe_dtypes import Bytes, Integers, Mask

__all__ = [
    "binary_array",
    "bool_array",
    "list_array",
    "number_array",
    "pa",
    "placed",
    "struct_array",
    "text_array",
]

pa: Any = require("pyarrow", "arrow")

_MAX_OFFSET = 2**31 - 1


def _validity(present: Mask | None) -> tuple[Any, int]:
    """Return the validity bits (None if all are valid) and the null count."""
    if present is None:
        return None, 0
    missing = int(present.size - np.count_nonzero(present))
    if not missing:
        return None, 0
    return pa.py_buffer(np.packbits(present, bitorder="little")), missing


def number_array(arrow_type: Any, values: npt.NDArray[Any], present: Mask | None = None) -> Any:
    """Return numbers of any byte order, and of the same or a smaller width, as an array."""
    wanted = np.dtype(arrow_type.to_pandas_dtype())
    plain = np.ascontiguousarray(values, dtype=wanted)
    bits, missing = _validity(present)
    return pa.Array.from_buffers(
        arrow_type, plain.size, [bits, pa.py_buffer(plain)], null_count=missing
    )


def bool_array(values: Mask, present: Mask | None = None) -> Any:
    """Return an array of booleans."""
    bits, missing = _validity(present)
    packed = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), values.size, [bits, packed], null_count=missing)


def struct_array(
    arrow_type: Any, children: Sequence[Any], count: int, present: Mask | None = None
) -> Any:
    """Return an array of structs."""
    bits, missing = _validity(present)
    return pa.Array.from_buffers(
        arrow_type, count, [bits], null_count=missing, children=list(children)
    )


def list_array(arrow_type: Any, ends: Integers, child: Any, present: Mask | None = None) -> Any:
    """Return an array of contiguous lists, given by their ends."""
    offsets = np.zeros(ends.size + 1, np.int32)
    if ends.size and ends[-1] > _MAX_OFFSET:
        raise ValueError(f"lists: expected at most {_MAX_OFFSET} entries a batch")
    offsets[1:] = ends
    bits, missing = _validity(present)
    return pa.Array.from_buffers(
        arrow_type, ends.size, [bits, pa.py_buffer(offsets)], null_count=missing, children=[child]
    )


def binary_array(
    data: Bytes, begins: Integers, lengths: Integers, present: Mask | None = None
) -> Any:
    """Return slices of some data as binary values."""
    values, offsets = gather(data, begins, lengths)
    bits, missing = _validity(present)
    buffers = [bits, pa.py_buffer(offsets), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.binary(), begins.size, buffers, null_count=missing)


def text_array(
    data: Bytes,
    begins: Integers,
    lengths: Integers,
    present: Mask | None,
    encoding: str,
    reject: Callable[[int, bytes], None],
) -> Any:
    """Return slices of some data as texts.

    Parameters
    ----------
    data, begins, lengths, present
    encoding : str
        The encoding, by Python's name.
    reject : callable
        Called with the index and the bytes of a slice that is invalid in the encoding; its value is
        empty.
    """
    found = binary_array(data, begins, lengths, present)
    values_buffer = found.buffers()[2]
    values = np.frombuffer(values_buffer, np.uint8) if values_buffer.size else np.zeros(0, np.uint8)
    is_plain = not values.size or int(values.max()) < 128  # noqa: PLR2004 - of ASCII
    if is_plain and _holds_ascii(encoding):
        return _as_text(found, values_buffer)
    if encoding == "iso8859-1":
        return _of_latin(found, values)
    if encoding == "utf-8":
        try:
            return found.cast(pa.string())
        except pa.ArrowInvalid:
            pass  # the invalid slices are found below
    texts: list[str] = []
    for index in range(begins.size):
        part = bytes(data[begins[index] : begins[index] + max(lengths[index], 0)])
        try:
            text = part.decode(encoding)
            text.encode()  # rejects surrogates, which some encodings accept
        except UnicodeError:
            reject(index, part)
            text = ""
        texts.append(text)
    mask = None if present is None else ~present
    return pa.array(texts, pa.string(), mask=mask)


def _of_latin(binary: Any, values: Bytes) -> Any:
    """Return texts in Latin-1: each byte is a character, with one or two bytes in UTF-8."""
    bits, offsets_buffer, _ = binary.buffers()
    is_wide = values >= 128  # noqa: PLR2004 - beyond ASCII
    wide_before = np.concatenate([[0], np.cumsum(is_wide)])
    places = np.arange(values.size) + wide_before[:-1]
    encoded = np.empty(values.size + int(wide_before[-1]), np.uint8)
    encoded[places] = np.where(is_wide, 0xC0 | values >> 6, values)
    encoded[places[is_wide] + 1] = 0x80 | values[is_wide] & 0x3F
    offsets = np.frombuffer(offsets_buffer, np.int32)
    if encoded.size > _MAX_OFFSET:
        raise ValueError("texts of payloads: expected less than 2 GiB a batch")
    moved = (offsets + wide_before[offsets]).astype(np.int32)
    buffers = [bits, pa.py_buffer(moved), pa.py_buffer(encoded)]
    return pa.Array.from_buffers(pa.string(), len(binary), buffers, null_count=binary.null_count)


def _as_text(binary: Any, values: Any) -> Any:
    bits, offsets, _ = binary.buffers()
    return pa.Array.from_buffers(
        pa.string(), len(binary), [bits, offsets, values], null_count=binary.null_count
    )


def _holds_ascii(encoding: str) -> bool:
    ascii_text = bytes(range(128))
    try:
        return ascii_text.decode(encoding) == ascii_text.decode("ascii")
    except UnicodeError:
        return False


def placed(array: Any, rows: Integers, count: int, is_out: Mask) -> Any:
    """Return an array with the values at some rows and null at the others.

    Parameters
    ----------
    array : pyarrow.Array
    rows : array of int
        The row of each value, ascending.
    count : int
        The number of rows.
    is_out : array of bool
        Rows that are null even if they have a value.
    """
    if rows.size == 0:
        return pa.nulls(count, array.type)
    if rows.size == count and not is_out.any():
        return array
    sources = np.zeros(count, np.int64)
    sources[rows] = np.arange(rows.size)
    missing = np.ones(count, np.bool_)
    missing[rows] = False
    return array.take(pa.array(sources, mask=missing | is_out))
