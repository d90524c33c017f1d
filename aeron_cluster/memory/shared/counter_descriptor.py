"""The description of a counter, without its memory."""

from dataclasses import dataclass
from typing import Final

__all__ = ["MAX_KEY_LENGTH", "MAX_LABEL_LENGTH", "CounterDescriptor"]

# The space of a counter's metadata, as in aeron_cluster/counters.h.
MAX_KEY_LENGTH: Final = 112
MAX_LABEL_LENGTH: Final = 380


@dataclass(frozen=True, slots=True)
class CounterDescriptor:
    """An allocated counter, at the time of reading it.

    Parameters
    ----------
    counter_id : int
        The counter id.
    type_id : int
        The type id.
    value : int
        The value.
    registration_id, owner_id, reference_id : int
        The owner.
    key : bytes
        The binary key: 112 bytes.
    label : str
        The text label.
    """

    counter_id: int
    type_id: int
    value: int
    registration_id: int
    owner_id: int
    reference_id: int
    key: bytes
    label: str
