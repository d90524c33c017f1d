"""Frames in which drivers announce names: those of Java, limits of length, and malformed ones."""

import json
import struct
from pathlib import Path

import pytest

from aeron_cluster.codecs.resolution_frames import (
    MAX_NAME_LENGTH,
    ResolutionEntry,
    decode_frame,
    encode_frames,
    is_valid_name,
)
from aeron_cluster.errors import MessageError

GOLDEN = Path(__file__).parents[2] / "golden" / "resolutions.jsonl"
VECTORS = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
HOST = bytes([10, 1, 2, 3])
ENTRY = ResolutionEntry("A", HOST, 8050, 17)


def entries_of(vector):
    return [
        ResolutionEntry(**each | {"host": bytes.fromhex(each["host"])})
        for each in vector["entries"]
    ]


def frame_of(*entries):
    [frame] = encode_frames(entries, 65504)
    return frame


@pytest.mark.parametrize("vector", VECTORS)
def test_java_writes_and_reads_the_same_bytes(vector):
    entries, frame = entries_of(vector), bytes.fromhex(vector["hex"])
    assert decode_frame(frame, 100) == entries
    assert list(encode_frames(entries, len(frame))) == ([frame] if entries else [])


def test_frames_are_at_most_an_mtu_long():
    entries = [ResolutionEntry("n" * 10, HOST, port, 0) for port in range(1, 12)]
    frames = list(encode_frames(entries, 8 + 24 * 4 + 23))
    assert [len(frame) for frame in frames] == [8 + 24 * 4, 8 + 24 * 4, 8 + 24 * 3]
    assert [each for frame in frames for each in decode_frame(frame, 100)] == entries


def test_an_entry_that_is_too_long_for_a_frame_is_left_out():
    entries = [ENTRY, ResolutionEntry("n" * 100, HOST, 1, 0), ENTRY]
    [frame] = encode_frames(entries, 64)
    assert decode_frame(frame, 100) == [ENTRY, ENTRY]


def test_entries_above_the_limit_are_ignored():
    assert decode_frame(frame_of(ENTRY, ENTRY, ENTRY), 2) == [ENTRY, ENTRY]


@pytest.mark.parametrize(
    ("position", "layout", "value", "part"),
    [
        (0, "<i", 23, "length: expected that of the datagram, 24, found 23"),
        (4, "<B", 1, "version: expected 0, found 1"),
        (6, "<H", 5, "type: expected 7, found 5"),
        (8, "<B", 0, r"type at 8: expected 1 \(IPv4\) or 2 \(IPv6\), found 0"),
        (8, "<B", 3, "found 3"),
        (8, "<B", 2, "at 8: expected at least 26 bytes, found 16"),
        (20, "<h", 0, "name length at 8: expected 1 to 2, found 0"),
        (20, "<h", -1, "found -1"),
        (20, "<h", 3, "found 3"),
        (20, "<h", 32767, "found 32767"),
    ],
)
def test_a_malformed_frame_is_rejected_by_the_name_of_the_field(position, layout, value, part):
    frame = bytearray(frame_of(ENTRY))
    struct.pack_into(layout, frame, position, value)
    with pytest.raises(MessageError, match=part):
        decode_frame(bytes(frame), 100)


@pytest.mark.parametrize("length", [0, 1, 7, *range(9, 24)])
def test_a_truncated_frame_is_rejected(length):
    frame = frame_of(ENTRY)[:length]
    if length >= 4:
        frame = struct.pack("<i", length) + frame[4:]
    with pytest.raises(MessageError, match="RES"):
        decode_frame(frame, 100)


def test_a_name_that_is_longer_than_javas_limit_is_rejected():
    frame = frame_of(ResolutionEntry("n" * (MAX_NAME_LENGTH + 1), HOST, 1))
    with pytest.raises(MessageError, match=f"1 to {MAX_NAME_LENGTH}, found 513"):
        decode_frame(frame, 100)


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [
        ("A", True),
        ("a b~", True),
        ("n" * 512, True),
        ("", False),
        ("n" * 513, False),
        ("a\n", False),
        ("\xe9", False),
        ("\x7f", False),
    ],
)
def test_names_are_printable_ascii(name, is_valid):
    assert is_valid_name(name) == is_valid
