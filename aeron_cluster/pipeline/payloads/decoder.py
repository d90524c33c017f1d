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
    what, expected, found : str
    """

    index: int
    offset: int
    what: str
    expected: str
    found: str


class PayloadDecoder(Protocol):
    """Turns payloads into columns; it can be pickled.

    Notes
    -----
    Nothing of it changes: several threads and processes may use one at a time.
    """

    def arrow_fields(self) -> list[Any]:
        """Return the columns as `pyarrow.Field`; each may be null."""
        ...

    def pick(self, names: Iterable[str]) -> Self:
        """Return a decoder of some of the columns, in this order.

        Parameters
        ----------
        names : iterable of str
            Each of them one of `arrow_fields`.
        """
        ...

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads.

        Parameters
        ----------
        payloads : pyarrow.BinaryArray or pyarrow.LargeBinaryArray
            The payloads; for a null one all columns are null.
        bad : list of BadPayload, optional
            Collects what could not be read; all columns of that are null, too.

        Returns
        -------
        list of pyarrow.Array
            Arrays with the length of `payloads`, and the types of `arrow_fields`.

        Raises
        ------
        PayloadError
            Without `bad`: at the first payload that cannot be read.
        """
        ...
