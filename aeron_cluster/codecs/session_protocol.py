"""Constants of the protocol between clients and members, besides the messages."""

from typing import Final

__all__ = ["PROTOCOL_VERSION", "SESSION_HEADER_LENGTH"]

PROTOCOL_VERSION: Final = 3 << 8
"""0.3.0: a cluster of another major version rejects the client."""

SESSION_HEADER_LENGTH: Final = 32
"""Bytes of the message header and the SessionMessageHeader before a session's message."""
