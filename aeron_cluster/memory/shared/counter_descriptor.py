"""The description of a counter, without its memory."""

from dataclasses import dataclass


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
