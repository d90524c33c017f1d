"""The interface of decoders of payloads into columns.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, Self

__all__ = ["BadPayload", "PayloadDecoder"]


@dataclass(frozen=True, slots=True)
class BadPayload:
    """A payload that could not be read.

    Parameters
    ----------
    index : int
        The index of the payload in the batch.
    offset : int
        The offset in the payload, in bytes.
    what : str
        The field or part that could not be read.
    expected, found : str
    """

    index: int
    offset: int
    what: str
    expected: str
    found: str


class PayloadDecoder(Protocol):
    """Decodes payloads into columns; it can be pickled.

    Notes
    -----
    It is immutable: several threads and processes may use it concurrently.
    """

    def arrow_fields(self) -> list[Any]:
        """Return the columns as `pyarrow.Field`; each may be null."""
        ...

    def select(self, names: Iterable[str]) -> Self:
        """Return a decoder of some of the columns, in this order.

        Parameters
        ----------
        names : iterable of str
            Names of `arrow_fields`.
        """
        ...

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads.

        Parameters
        ----------
        payloads : pyarrow.BinaryArray or pyarrow.LargeBinaryArray
            The payloads; for a null payload all columns are null.
        bad : list of BadPayload, optional
            Collects the payloads that could not be read; all their columns are null.

        Returns
        -------
        list of pyarrow.Array
            Arrays with the length of `payloads`, and the types of `arrow_fields`.

        Raises
        ------
        PayloadError
            A payload cannot be read, and `bad` is not given.
        """
        ...
