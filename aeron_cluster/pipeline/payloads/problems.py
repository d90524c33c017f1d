"""The problems of payloads while a batch is decoded.

No counterpart in Aeron.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aeron_cluster.errors import PayloadError
from aeron_cluster.pipeline.payloads.decoder import BadPayload

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.sbe_dtypes import Mask

__all__ = ["Problems"]


class Problems:
    """Keeps the first problem of each payload.

    Parameters
    ----------
    count : int
        The number of payloads.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._found: dict[int, BadPayload] = {}

    def add(self, index: int, offset: int, what: str, expected: object, found: object) -> None:
        """Add a problem of a payload, unless it already has one."""
        if index not in self._found:
            # Foreign texts may contain surrogates, which tables and files reject.
            found_text = str(found).encode(errors="backslashreplace").decode()
            self._found[index] = BadPayload(index, offset, what, str(expected), found_text)

    def report(self, bad: list[BadPayload] | None) -> None:
        """Report the problems in order.

        Raises
        ------
        PayloadError
            There is a problem, and problems are not collected.
        """
        found = [self._found[index] for index in sorted(self._found)]
        if bad is not None:
            bad += found
        elif found:
            it = found[0]
            raise PayloadError(it.index, it.offset, it.what, it.expected, it.found)

    @property
    def rows(self) -> Mask:
        """Whether each payload has a problem."""
        mask = np.zeros(self._count, np.bool_)
        mask[list(self._found)] = True
        return mask
