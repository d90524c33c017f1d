"""The message of a receiver that rejects a publication's stream.

``io.aeron.command.PublicationErrorFrameFlyweight``.
"""

from dataclasses import dataclass

__all__ = ["PublicationErrorFrame"]


@dataclass(frozen=True, slots=True)
class PublicationErrorFrame:
    """The message of a receiver that rejects a publication's stream."""

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
