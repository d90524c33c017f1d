"""The notification that a receiver rejected a publication's image.

``io.aeron.command.PublicationErrorFrameFlyweight``.
"""

from dataclasses import dataclass

__all__ = ["PublicationErrorFrame"]


@dataclass(frozen=True, slots=True)
class PublicationErrorFrame:
    """A rejection of a publication's image.

    Parameters
    ----------
    registration_id : int
        The publication.
    destination_registration_id : int
        The destination that received the rejection; -1 if the publication has a single one.
    session_id, stream_id : int
        The stream.
    receiver_id, group_tag : int
        The rejecting receiver, and its group.
    source_address : bytes
        The receiver's address, 4 or 16 bytes.
    source_port : int
    error_code : int
    error_message : str
    """

    registration_id: int
    destination_registration_id: int
    session_id: int
    stream_id: int
    receiver_id: int
    group_tag: int
    source_address: bytes
    source_port: int
    error_code: int
    error_message: str
