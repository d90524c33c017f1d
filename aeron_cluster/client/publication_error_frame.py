"""The notification that a receiver rejected a publication's image.

``io.aeron.command.PublicationErrorFrameFlyweight``.
"""

from dataclasses import dataclass

__all__ = ["PublicationErrorFrame"]


@dataclass(frozen=True, slots=True)
class PublicationErrorFrame:
    """The notification that a receiver rejected a publication's image."""

    registration_id: int
    destination_registration_id: int  # -1: none
    session_id: int
    stream_id: int
    receiver_id: int
    group_tag: int
    source_address: bytes
    source_port: int
    error_code: int
    error_message: str
