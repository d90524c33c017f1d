"""The envelope of requests: one layout in Python and in C."""

import re
import struct
from pathlib import Path

import pytest

from aeron_cluster.codecs.request_envelope import (
    ENVELOPE_LENGTH,
    ENVELOPE_MAGIC,
    Envelope,
    EnvelopeKind,
    is_envelope,
)
from aeron_cluster.errors import VersionError
from aeron_cluster.native import get_include

FIELDS = ["magic", "version", "kind", "client_id", "incarnation", "sequence", "acknowledged"]
REQUEST = Envelope(EnvelopeKind.REQUEST, 2**63 - 1, -1, 3, 2)


def test_envelope_decodes_to_the_encoded_one():
    message = REQUEST.encode(b"body")
    assert message[ENVELOPE_LENGTH:] == b"body"
    assert Envelope.decode(message) == REQUEST
    assert Envelope.decode(bytearray(REQUEST.encode())) == REQUEST


def test_envelope_layout_matches_the_header():
    header = (Path(get_include()) / "aeron_cluster/requests.h").read_text()
    (body,) = re.findall(r"typedef struct ac_request_envelope \{(.*?)\}", header, re.DOTALL)
    names = re.findall(r"^\s*(uint32_t|uint16_t|int64_t) (\w+);", body, re.MULTILINE)
    assert [name for _, name in names] == FIELDS
    codes = {"uint32_t": "I", "uint16_t": "H", "int64_t": "q"}
    layout = struct.Struct("<" + "".join(codes[kind] for kind, _ in names))
    assert layout.size == ENVELOPE_LENGTH
    assert layout.unpack(REQUEST.encode()) == (ENVELOPE_MAGIC, 1, 2, 2**63 - 1, -1, 3, 2)
    kinds = dict(re.findall(r"AC_REQUEST_(\w+) = (\d+),", header))
    for kind in EnvelopeKind:
        if not kind.name.startswith("SNAPSHOT_"):
            assert int(kinds[kind.name]) == kind
    assert int(re.findall(r"AC_REQUEST_MAGIC = (\w+)", header)[0], 16) == ENVELOPE_MAGIC


def test_a_message_without_an_envelope_is_distinguished():
    message = REQUEST.encode()
    for other in (b"", b"ACR", message[:-1], b"x" + message, bytes(100)):
        assert Envelope.decode(other) is None
    assert Envelope.decode(message[:6] + b"\xff\0" + message[8:]) is None  # an unknown kind
    assert is_envelope(message[:8])
    assert not is_envelope(message[:7])


def test_another_version_is_rejected():
    message = REQUEST.encode()
    with pytest.raises(VersionError, match="version 2, expected 1"):
        Envelope.decode(message[:4] + b"\2\0" + message[6:])
