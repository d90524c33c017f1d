"""The messages of a mixed run and their checks, as in ``messages.h``."""

import struct
import zlib
from dataclasses import dataclass, field

_FIELDS = struct.Struct("<qqqi")
_CHECKSUM = struct.Struct("<I")
HEADER_LENGTH = 32
_FRAME_HEADER_LENGTH = 32
_PATTERN = bytes((i * 7 + (i >> 8)) & 0xFF for i in range(8192))


def length_of(sequence):
    """Return the length of a message: short, except for one of sixteen."""
    mixed = (sequence * 2654435761 & 0xFFFFFFFF) >> 8
    return HEADER_LENGTH + mixed % (5000 if sequence % 16 == 15 else 225)


def encode(publisher, sequence, previous_start):
    """Return a message.

    Parameters
    ----------
    publisher
        The id of the publisher, unique in the run.
    sequence
        Its number, from 0.
    previous_start
        The position at which the publisher's previous message starts; -1 for the first one.
    """
    length = length_of(sequence)
    begin = sequence % 1024
    body = _PATTERN[begin : begin + length - HEADER_LENGTH]
    fields = _FIELDS.pack(publisher, sequence, previous_start, length)
    return fields + _CHECKSUM.pack(zlib.crc32(body, zlib.crc32(fields))) + body


def framed_length(length, max_payload_length):
    """Return the length in the log of a message, which may be fragmented."""
    count, rest = divmod(length, max_payload_length)
    framed = count * (max_payload_length + _FRAME_HEADER_LENGTH)
    return framed + (-(-(rest + _FRAME_HEADER_LENGTH) // 32) * 32 if rest else 0)


@dataclass
class Checks:
    """The checks of one subscription: each image has, from its join position on, each message once
    and in order.
    """

    is_reliable: bool
    expected: dict[int, dict[int, int]] = field(default_factory=dict)  # by image and publisher
    message_count: int = 0
    byte_count: int = 0
    gap_count: int = 0
    fault: str = ""

    def on_message(self, image, join_position, message):
        """Check a complete message of an image, given by its id."""
        fields = message[: _FIELDS.size]
        publisher, sequence, previous_start, length = _FIELDS.unpack(fields)
        if length != len(message):
            self._fail("length", publisher, length, len(message))
            return
        checksum = zlib.crc32(message[HEADER_LENGTH:], zlib.crc32(fields))
        (written,) = _CHECKSUM.unpack_from(message, _FIELDS.size)
        if checksum != written:
            self._fail("checksum", publisher, written, checksum)
            return
        self.message_count += 1
        self.byte_count += length
        of_image = self.expected.setdefault(image, {})
        expected = of_image.get(publisher)
        of_image[publisher] = sequence + 1
        if expected is None:
            if self.is_reliable and previous_start >= join_position:
                self._fail("lost after the join position", publisher, sequence - 1, sequence)
            return
        if sequence < expected:
            self._fail("repeated or reordered", publisher, expected, sequence)
        elif sequence > expected:
            self.gap_count += 1
            if self.is_reliable:
                self._fail("lost", publisher, expected, sequence)

    def on_image_end(self, image):
        """Return what would be the next of each publisher, and forget the image."""
        return self.expected.pop(image, {})

    def next_by_publisher(self):
        """Return the next expected sequence number of each publisher."""
        return {p: n for of_image in self.expected.values() for p, n in of_image.items()}

    def _fail(self, what, publisher, expected, found):
        self.fault = self.fault or (
            f"{what}: publisher {publisher}: expected {expected}, found {found}"
        )
