"""What a counter is, apart from the memory it lies in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CounterDescriptor:
    """An allocated counter as it was when it was read.

    Parameters
    ----------
    counter_id : int
        Which one.
    type_id : int
        What kind of counter it is.
    value : int
        Its value.
    registration_id, owner_id, reference_id : int
        What it belongs to.
    key : bytes
        For programs; 112 bytes.
    label : str
        For people.
    """

    counter_id: int
    type_id: int
    value: int
    registration_id: int
    owner_id: int
    reference_id: int
    key: bytes
    label: str
